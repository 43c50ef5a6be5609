// SPDX-License-Identifier: Apache-2.0
#include "soc/watch/timeline.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "core/core.h"
#include "host/files.h"
#include "soc/scalar/source_line.h"

namespace soc {

// --- windows ----------------------------------------------------------------------------------

static const soc_command_t *find_mark(const soc_record_t &record, const waves_mark_t &mark, const config_t &config) {
  command_mark wanted(mark, config, "timeline-window");
  for (size_t i = 0; i < record.command_count; ++i) {
    const soc_command_t &c = record.commands[i];
    if (wanted.meets(record.tracks[c.track].core, c.command)) {
      return &c;
    }
  }
  return nullptr;
}

bool find_window(const soc_record_t &record, const waves_window_t &both, const config_t &config, cycle_window &window,
                 std::string &missing) {
  const waves_mark_t *marks[] = {&both.from, &both.to};
  const soc_command_t *found[2] = {};
  for (size_t i = 0; i < 2; ++i) {
    if (marks[i]->command[0] == '\0') {
      continue;
    }
    found[i] = find_mark(record, *marks[i], config);
    if (found[i] == nullptr) {
      missing = std::string(marks[i]->command) + "#" + std::to_string(marks[i]->number);
      return false;
    }
  }
  window.from = found[0] != nullptr ? found[0]->begin : marks[0]->cycle;
  window.to = found[1] != nullptr    ? std::max(found[1]->end, found[1]->begin + 1) - 1
              : marks[1]->cycle != 0 ? marks[1]->cycle
                                     : UINT64_MAX;
  return true;
}

// --- text -------------------------------------------------------------------------------------

//     begin       end      done  pipe               n  command (causes) | source line
bool write_log(const std::string &path, const soc_record_t &record, source_lines &lines, const cycle_window &window) {
  FILE *file = std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    return false;
  }
  std::vector<const soc_command_t *> order;
  for (size_t i = 0; i < record.command_count; ++i) {
    const soc_command_t &c = record.commands[i];
    if (window.touches(c.begin, c.end)) {
      order.push_back(&c);
    }
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const soc_command_t *a, const soc_command_t *b) { return a->begin < b->begin; });
  std::fprintf(file, "#  begin      end     done  pipe                 n  command\n");
  for (const soc_command_t *c : order) {
    const soc_track_t &track = record.tracks[c->track];
    char text[512];
    char name[32];
    char cause[64] = "";
    core_disassemble(&c->command, text, sizeof text);
    std::snprintf(name, sizeof name, "%s.%s", track.core, core_pipe_name(track.pipe));
    if (c->cause_track != SOC_NO_CAUSE) {
      std::snprintf(cause, sizeof cause, " <- %s.%s #%llu", record.tracks[c->cause_track].core,
                    core_pipe_name(record.tracks[c->cause_track].pipe),
                    static_cast<unsigned long long>(c->cause_number));
    }
    std::fprintf(file, "%8llu %8llu %8llu  %-14s %7llu  %s%s | %s\n", static_cast<unsigned long long>(c->begin),
                 static_cast<unsigned long long>(c->end), static_cast<unsigned long long>(c->done), name,
                 static_cast<unsigned long long>(c->number), text, cause,
                 lines.find(c->command.header.pc_, c->firmware).c_str());
  }
  return host_close_written(file);
}

}  // namespace soc
