// The timeline as Chrome trace JSON: a process a core, a thread a pipe, a slice a command; flows from
// flags' setters to their waiters; counters of bandwidth, of power and of what the memories hold.
//
// One event a line, a command's fields in one string.  Times are microseconds in steps of a tenth of a
// nanosecond: begins and ends are rounded, lengths are the difference, so that slices do not overlap.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>

#include "core/core.h"
#include "host/files.h"
#include "soc/scalar/source_line.h"
#include "soc/watch/occupancy.h"
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

class json_writer {
 public:
  json_writer(FILE *file, recorder &recorded, double mhz, const power_course &power, source_lines &lines,
              const cycle_window &window)
      : file_(file),
        recorded_(recorded),
        record_(recorded.record()),
        mhz_(mhz),
        power_(power),
        lines_(lines),
        window_(window) {}
  void write() const;

 private:
  void write_names() const;
  void write_command(const soc_command_t &c) const;
  void write_flow(const soc_command_t &c, size_t id) const;
  void write_bandwidth() const;
  void write_power() const;
  void write_links() const;
  void write_occupancy() const;
  // A core's, behind that of memory.
  unsigned process(uint32_t track) const { return recorded_.core(track) + 1; }

  FILE *file_;
  const recorder &recorded_;
  const soc_record_t &record_;
  double mhz_;
  const power_course &power_;
  source_lines &lines_;
  const cycle_window &window_;
};

void json_writer::write_names() const {
  std::fprintf(file_,
               "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
               "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":\"memory\"}}",
               MEMORY_PROCESS);
  for (uint32_t i = 0; i < record_.track_count; ++i) {
    const unsigned pid = process(i);
    if (i == 0 || pid != process(i - 1)) {
      std::fprintf(file_, ",\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"args\":{\"name\":\"%s\"}}", pid,
                   record_.tracks[i].core);
    }
    std::fprintf(file_,
                 ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%u,"
                 "\"args\":{\"name\":\"%s %s\"}}",
                 pid, i, record_.tracks[i].core, core_pipe_name(record_.tracks[i].pipe));
  }
}

void json_writer::write_command(const soc_command_t &c) const {
  char text[512];
  core_disassemble(&c.command, text, sizeof text);
  const uint64_t begin = tenths(c.begin, mhz_);
  std::fprintf(file_,
               ",\n{\"ph\":\"X\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"ts\":%s,\"dur\":%s,"
               "\"args\":{\"n\":%llu,\"command\":\"%s\",\"pushed_us\":%s,\"done_us\":%s,\"line\":\"%s\"}}",
               core_command_name(c.command.header.opcode_), process(c.track), c.track, us(begin).c_str(),
               us(tenths(c.end, mhz_) - begin).c_str(), static_cast<count>(c.number), text,
               us(tenths(c.pushed, mhz_)).c_str(), us(tenths(c.done, mhz_)).c_str(),
               lines_.find(c.command.header.pc_, c.firmware).c_str());
}

// From within the setter's slice to within the waiter's.
void json_writer::write_flow(const soc_command_t &c, size_t id) const {
  const soc_command_t *cause =
      c.cause_track == SOC_NO_CAUSE ? nullptr : soc_record_find(&record_, c.cause_track, c.cause_number);
  if (cause == nullptr || cause == &c || !window_.touches(cause->begin, cause->end)) {
    return;
  }
  const uint64_t begin = tenths(c.begin, mhz_);
  const uint64_t end = tenths(c.end, mhz_);
  const char *name = core_command_name(cause->command.header.opcode_);
  std::fprintf(file_, ",\n{\"ph\":\"s\",\"cat\":\"flag\",\"name\":\"%s\",\"id\":%zu,\"pid\":%u,\"tid\":%u,\"ts\":%s}",
               name, id, process(cause->track), cause->track, us(tenths(cause->begin, mhz_)).c_str());
  std::fprintf(
      file_,
      ",\n{\"ph\":\"f\",\"bp\":\"e\",\"cat\":\"flag\",\"name\":\"%s\",\"id\":%zu,\"pid\":%u,\"tid\":%u,\"ts\":%s}",
      name, id, process(c.track), c.track, us(end > begin ? end - 1 : begin).c_str());
}

void json_writer::write_bandwidth() const {
  const double gbps = mhz_ / 1e3;  // of a byte a cycle
  for (const recorder::rates &r : recorded_.bandwidths()) {
    if (window_.touches(r.cycle, r.cycle)) {
      std::fprintf(file_,
                   ",\n{\"ph\":\"C\",\"name\":\"die%u GB/s\",\"pid\":%d,\"ts\":%s,"
                   "\"args\":{\"hbm\":%.1f,\"l2\":%.1f}}",
                   r.die, MEMORY_PROCESS, us(tenths(r.cycle, mhz_)).c_str(), r.hbm * gbps, r.l2 * gbps);
    }
  }
}

void json_writer::write_power() const {
  for (size_t i = 0; i < power_.watts.size(); ++i) {
    const auto cycle = static_cast<uint64_t>(static_cast<double>(i) * power_.step);
    if (!window_.touches(cycle, cycle)) {
      continue;
    }
    std::fprintf(file_, ",\n{\"ph\":\"C\",\"name\":\"power W\",\"pid\":%d,\"ts\":%s,\"args\":{", MEMORY_PROCESS,
                 us(tenths(cycle, mhz_)).c_str());
    for (unsigned kind = 0; kind < JOULES_KINDS; ++kind) {
      std::fprintf(file_, "%s\"%s\":%.3f", kind == 0 ? "" : ",", joules_kind_name(static_cast<joules_kind_t>(kind)),
                   power_.watts[i][kind]);
    }
    std::fputs("}}", file_);
  }
}

void json_writer::write_links() const {
  const double gbps = mhz_ / 1e3;  // of a byte a cycle
  for (const recorder::link_rates &r : recorded_.link_loads()) {
    if (window_.touches(r.cycle, r.cycle)) {
      std::fprintf(file_,
                   ",\n{\"ph\":\"C\",\"name\":\"links of die%u GB/s\",\"pid\":%d,\"ts\":%s,"
                   "\"args\":{\"out\":%.2f,\"in\":%.2f}}",
                   r.die, MEMORY_PROCESS, us(tenths(r.cycle, mhz_)).c_str(), r.load.out * gbps, r.load.in * gbps);
    }
  }
}

// A core's memories, one after the other.
void json_writer::write_occupancy() const {
  for (uint32_t begin = 0, end; begin < record_.track_count; begin = end) {
    end = begin + 1;
    while (end < record_.track_count && process(end) == process(begin)) {
      ++end;
    }
    std::vector<const soc_command_t *> order;
    for (size_t i = record_.first[begin]; i < record_.first[end]; ++i) {
      order.push_back(&record_.commands[i]);
    }
    std::sort(order.begin(), order.end(),
              [](const soc_command_t *a, const soc_command_t *b) { return a->begin < b->begin; });
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
        if (window_.touches(s.cycle, s.cycle)) {
          std::fprintf(file_,
                       ",\n{\"ph\":\"C\",\"name\":\"%s %s bytes\",\"pid\":%u,\"ts\":%s,\"args\":{\"held\":%lld}}",
                       record_.tracks[begin].core, core_space_name(static_cast<core_space_t>(space)), process(begin),
                       us(tenths(s.cycle, mhz_)).c_str(), static_cast<long long>(s.bytes));
        }
      }
    }
  }
}

void json_writer::write() const {
  write_names();
  for (size_t i = 0; i < record_.command_count; ++i) {
    const soc_command_t &c = record_.commands[i];
    if (window_.touches(c.begin, c.end)) {
      write_command(c);
      write_flow(c, i);
    }
  }
  write_bandwidth();
  write_power();
  write_links();
  write_occupancy();
  std::fprintf(file_, "\n]}\n");
}

}  // namespace

bool write_timeline(const std::string &path, recorder &recorded, const config_t &config, const power_course &power,
                    source_lines &lines, const cycle_window &window) {
  FILE *file = std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    return false;
  }
  json_writer(file, recorded, config.soc.clock_mhz, power, lines, window).write();
  return host_close_written(file);
}

}  // namespace soc
