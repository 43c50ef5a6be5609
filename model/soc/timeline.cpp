// SPDX-License-Identifier: Apache-2.0
#include "soc/timeline.h"

#include <cstdio>

#include "core/core.h"
#include "soc/source_line.h"

namespace soc {

unsigned timeline::add_track(const std::string &core, unsigned pipe) {
  tracks_.push_back({core, pipe});
  return static_cast<unsigned>(tracks_.size() - 1);
}

bool timeline::write(const std::string &path, double clock_mhz, source_lines &lines) const {
  FILE *file = std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    return false;
  }
  std::fprintf(file, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
  for (size_t i = 0; i < tracks_.size(); ++i) {
    std::fprintf(file,
                 "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":0,\"tid\":%zu,"
                 "\"args\":{\"name\":\"%s %s\"}},\n",
                 i, tracks_[i].core.c_str(), core_pipe_name(tracks_[i].pipe));
  }
  for (const event &e : events_) {
    char text[512];
    core_disassemble(&e.command, text, sizeof text);
    const double us = 1.0 / clock_mhz;
    std::fprintf(file,
                 "{\"ph\":\"X\",\"name\":\"%s\",\"pid\":0,\"tid\":%u,\"ts\":%.4f,\"dur\":%.4f,"
                 "\"args\":{\"n\":%llu,\"command\":\"%s\",\"done_us\":%.4f,\"line\":\"%s\"}},\n",
                 core_command_name(e.command.header.opcode_), e.track,
                 static_cast<double>(e.begin) * us, static_cast<double>(e.end - e.begin) * us,
                 static_cast<unsigned long long>(e.number), text,
                 static_cast<double>(e.done) * us, lines.find(e.command.header.pc_, e.firmware).c_str());
  }
  std::fprintf(file, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":0,\"args\":{\"name\":\"amalgam\"}}\n]}\n");
  const bool good = std::ferror(file) == 0;
  return std::fclose(file) == 0 && good;
}

}  // namespace soc
