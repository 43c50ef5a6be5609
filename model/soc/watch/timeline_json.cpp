// The timeline as Chrome trace JSON: a process a core, a thread a pipe, a slice a command; flows from
// flags' setters to their waiters; counters of bandwidth and of what the memories hold.
//
// One event a line, a command's fields in one string.  Times are microseconds in steps of a tenth of a
// nanosecond: begins and ends are rounded, lengths are the difference, so that slices do not overlap.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>

#include "core/core.h"
#include "soc/watch/occupancy.h"
#include "soc/scalar/source_line.h"
#include "soc/watch/timeline.h"

namespace soc {
namespace {

enum { MEMORY_PROCESS = 0, MOST_STEPS = 4000 };

using count = unsigned long long;

// Tenths of a nanosecond.
uint64_t tenths(uint64_t cycle, double mhz) {
  return static_cast<uint64_t>(static_cast<double>(cycle) * 1e4 / mhz + 0.5);
}

std::string us(uint64_t tenths_of_ns) {
  char text[40];
  std::snprintf(text, sizeof text, "%llu.%04llu", static_cast<count>(tenths_of_ns / 10000),
                static_cast<count>(tenths_of_ns % 10000));
  return text;
}

}  // namespace

void timeline::write_names(FILE *file) const {
  std::fprintf(file, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
                     "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":\"memory\"}}",
               MEMORY_PROCESS);
  for (uint32_t i = 0; i < tracks_.size(); ++i) {
    const unsigned pid = process(i);
    if (i == 0 || pid != process(i - 1)) {
      std::fprintf(file, ",\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"args\":{\"name\":\"%s\"}}",
                   pid, tracks_[i].core);
    }
    std::fprintf(file,
                 ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%u,"
                 "\"args\":{\"name\":\"%s %s\"}}",
                 pid, i, tracks_[i].core, core_pipe_name(tracks_[i].pipe));
  }
}

void timeline::write_command(FILE *file, const soc_command_t &c, source_lines &lines) const {
  char text[512];
  core_disassemble(&c.command, text, sizeof text);
  const uint64_t begin = tenths(c.begin, mhz_);
  std::fprintf(file,
               ",\n{\"ph\":\"X\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"ts\":%s,\"dur\":%s,"
               "\"args\":{\"n\":%llu,\"command\":\"%s\",\"pushed_us\":%s,\"done_us\":%s,\"line\":\"%s\"}}",
               core_command_name(c.command.header.opcode_), process(c.track), c.track,
               us(begin).c_str(), us(tenths(c.end, mhz_) - begin).c_str(),
               static_cast<count>(c.number), text, us(tenths(c.pushed, mhz_)).c_str(),
               us(tenths(c.done, mhz_)).c_str(),
               lines.find(c.command.header.pc_, c.firmware).c_str());
}

// From within the setter's slice to within the waiter's.
void timeline::write_flow(FILE *file, const soc_command_t &c, size_t id,
                          const cycle_window &window) const {
  const soc_command_t *cause = c.cause_track == SOC_NO_CAUSE
                                   ? nullptr
                                   : soc_record_find(&record_, c.cause_track, c.cause_number);
  if (cause == nullptr || cause == &c || !window.touches(cause->begin, cause->end)) {
    return;
  }
  const uint64_t begin = tenths(c.begin, mhz_);
  const uint64_t end = tenths(c.end, mhz_);
  const char *name = core_command_name(cause->command.header.opcode_);
  std::fprintf(file, ",\n{\"ph\":\"s\",\"cat\":\"flag\",\"name\":\"%s\",\"id\":%zu,\"pid\":%u,\"tid\":%u,\"ts\":%s}",
               name, id, process(cause->track), cause->track,
               us(tenths(cause->begin, mhz_)).c_str());
  std::fprintf(file,
               ",\n{\"ph\":\"f\",\"bp\":\"e\",\"cat\":\"flag\",\"name\":\"%s\",\"id\":%zu,\"pid\":%u,\"tid\":%u,\"ts\":%s}",
               name, id, process(c.track), c.track, us(end > begin ? end - 1 : begin).c_str());
}

void timeline::write_bandwidth(FILE *file, const config_t &config,
                               const cycle_window &window) const {
  const double gbps = config.soc.clock_mhz / 1e3;   // of a byte a cycle
  for (const rates &r : rates_) {
    if (window.touches(r.cycle, r.cycle)) {
      std::fprintf(file,
                   ",\n{\"ph\":\"C\",\"name\":\"die%u GB/s\",\"pid\":%d,\"ts\":%s,"
                   "\"args\":{\"hbm\":%.1f,\"l2\":%.1f}}",
                   r.die, MEMORY_PROCESS, us(tenths(r.cycle, mhz_)).c_str(), r.hbm * gbps,
                   r.l2 * gbps);
    }
  }
}

// A core's memories, one after the other.
void timeline::write_occupancy(FILE *file, const cycle_window &window) const {
  for (uint32_t begin = 0, end; begin < tracks_.size(); begin = end) {
    end = begin + 1;
    while (end < tracks_.size() && process(end) == process(begin)) {
      ++end;
    }
    std::vector<const soc_command_t *> order;
    for (size_t i = first_[begin]; i < first_[end]; ++i) {
      order.push_back(&commands_[i]);
    }
    std::sort(order.begin(), order.end(), [](const soc_command_t *a, const soc_command_t *b) {
      return a->begin < b->begin;
    });
    occupancy held[SPACE_COUNT];
    uint64_t last = 1;
    for (const soc_command_t *c : order) {
      core_access_t accesses[CORE_MAX_ACCESSES];
      const size_t count = core_accesses(&c->command, accesses);
      for (size_t i = 0; i < count; ++i) {
        if (accesses[i].space != SPACE_GM && accesses[i].space != SPACE_KV) {
          held[accesses[i].space].access(accesses[i], c->begin, c->done);
        }
      }
      last = std::max(last, c->done);
    }
    for (unsigned space = 0; space < SPACE_COUNT; ++space) {
      for (const occupancy::step &s : held[space].course(last / MOST_STEPS)) {
        if (window.touches(s.cycle, s.cycle)) {
          std::fprintf(file,
                       ",\n{\"ph\":\"C\",\"name\":\"%s %s bytes\",\"pid\":%u,\"ts\":%s,\"args\":{\"held\":%lld}}",
                       tracks_[begin].core, core_space_name(static_cast<core_space_t>(space)),
                       process(begin), us(tenths(s.cycle, mhz_)).c_str(),
                       static_cast<long long>(s.bytes));
        }
      }
    }
  }
}

bool timeline::write_json(const std::string &path, const config_t &config, source_lines &lines,
                          const cycle_window &window) {
  FILE *file = std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    return false;
  }
  mhz_ = config.soc.clock_mhz;
  record();
  write_names(file);
  for (size_t i = 0; i < commands_.size(); ++i) {
    const soc_command_t &c = commands_[i];
    if (window.touches(c.begin, c.end)) {
      write_command(file, c, lines);
      write_flow(file, c, i, window);
    }
  }
  write_bandwidth(file, config, window);
  write_occupancy(file, window);
  std::fprintf(file, "\n]}\n");
  const bool good = std::ferror(file) == 0;
  return std::fclose(file) == 0 && good;
}

}  // namespace soc
