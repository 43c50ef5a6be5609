// SPDX-License-Identifier: Apache-2.0
#include "soc/watch/timeline.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "core/core.h"
#include "soc/scalar/source_line.h"
#include "soc/watch/waves.h"

extern "C" const soc_command_t *soc_record_find(const soc_record_t *record, uint32_t track,
                                                uint64_t number) {
  if (track >= record->track_count) {
    return nullptr;
  }
  const soc_command_t *begin = record->commands + record->first[track];
  const soc_command_t *end = record->commands + record->first[track + 1];
  const soc_command_t *found = std::lower_bound(
      begin, end, number, [](const soc_command_t &c, uint64_t n) { return c.number < n; });
  return found != end && found->number == number ? found : nullptr;
}

namespace soc {

unsigned timeline::add_track(const std::string &core, unsigned pipe) {
  soc_track_t track = {};
  std::snprintf(track.core, sizeof track.core, "%s", core.c_str());
  track.pipe = pipe;
  const bool same = !tracks_.empty() && core == tracks_.back().core;
  processes_.push_back((processes_.empty() ? 0 : processes_.back()) + (same ? 0 : 1));
  tracks_.push_back(track);
  return static_cast<unsigned>(tracks_.size() - 1);
}

void timeline::bandwidth(unsigned die, uint64_t cycle, double hbm, double l2) {
  if (!enabled_) {
    return;
  }
  for (auto last = rates_.rbegin(); last != rates_.rend() && last->cycle == cycle; ++last) {
    if (last->die == die) {
      *last = {die, cycle, hbm, l2};
      return;
    }
  }
  rates_.push_back({die, cycle, hbm, l2});
}

const soc_record_t &timeline::record() {
  std::sort(commands_.begin(), commands_.end(), [](const soc_command_t &a, const soc_command_t &b) {
    return a.track != b.track ? a.track < b.track : a.number < b.number;
  });
  first_.assign(tracks_.size() + 1, 0);
  for (const soc_command_t &c : commands_) {
    ++first_[c.track + 1];
  }
  for (size_t i = 1; i < first_.size(); ++i) {
    first_[i] += first_[i - 1];
  }
  record_ = {tracks_.data(), tracks_.size(), commands_.data(), commands_.size(), first_.data()};
  return record_;
}

// --- windows ----------------------------------------------------------------------------------

bool timeline::find_mark(const waves_mark_t &mark, const config_t &config,
                         const soc_command_t *&found) {
  command_mark wanted(mark, config, "timeline-window");
  for (const soc_command_t &c : commands_) {
    if (wanted.meets(tracks_[c.track].core, c.command)) {
      found = &c;
      return true;
    }
  }
  return false;
}

bool timeline::find_window(const soc_options_t &options, cycle_window &window,
                           std::string &missing) {
  const waves_mark_t *marks[] = {&options.timeline_window.from, &options.timeline_window.to};
  const soc_command_t *found[2] = {};
  record();
  for (size_t i = 0; i < 2; ++i) {
    if (marks[i]->command[0] != '\0' && !find_mark(*marks[i], options.config, found[i])) {
      missing = std::string(marks[i]->command) + "#" + std::to_string(marks[i]->number);
      return false;
    }
  }
  window.from = found[0] != nullptr ? found[0]->begin : marks[0]->cycle;
  window.to = found[1] != nullptr      ? std::max(found[1]->end, found[1]->begin + 1) - 1
              : marks[1]->cycle != 0 ? marks[1]->cycle
                                       : UINT64_MAX;
  return true;
}

// --- text -------------------------------------------------------------------------------------

//     begin       end      done  pipe               n  command (causes) | source line
bool timeline::write_log(const std::string &path, source_lines &lines,
                         const cycle_window &window) {
  FILE *file = std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    return false;
  }
  record();
  std::vector<const soc_command_t *> order;
  for (const soc_command_t &c : commands_) {
    if (window.touches(c.begin, c.end)) {
      order.push_back(&c);
    }
  }
  std::stable_sort(order.begin(), order.end(), [](const soc_command_t *a, const soc_command_t *b) {
    return a->begin < b->begin;
  });
  std::fprintf(file, "#  begin      end     done  pipe                 n  command\n");
  for (const soc_command_t *c : order) {
    const soc_track_t &track = tracks_[c->track];
    char text[512];
    char name[32];
    char cause[64] = "";
    core_disassemble(&c->command, text, sizeof text);
    std::snprintf(name, sizeof name, "%s.%s", track.core, core_pipe_name(track.pipe));
    if (c->cause_track != SOC_NO_CAUSE) {
      std::snprintf(cause, sizeof cause, " <- %s.%s #%llu", tracks_[c->cause_track].core,
                    core_pipe_name(tracks_[c->cause_track].pipe),
                    static_cast<unsigned long long>(c->cause_number));
    }
    std::fprintf(file, "%8llu %8llu %8llu  %-14s %7llu  %s%s | %s\n",
                 static_cast<unsigned long long>(c->begin),
                 static_cast<unsigned long long>(c->end),
                 static_cast<unsigned long long>(c->done), name,
                 static_cast<unsigned long long>(c->number), text, cause,
                 lines.find(c->command.header.pc_, c->firmware).c_str());
  }
  const bool good = std::ferror(file) == 0;
  return std::fclose(file) == 0 && good;
}

}  // namespace soc
