// SPDX-License-Identifier: Apache-2.0
#include "soc/races/scalar_lines.h"

#include <algorithm>

namespace soc {
namespace {

constexpr uint64_t kLine = 64;

bool is_by_scalar(const command_t &command) {
  return command.header.opcode_ == OP_READ_VALUE || command.header.opcode_ == OP_WRITE_VALUE;
}

uint64_t end_of(const core_access_t &access) {
  return access.base + (access.rows - 1) * access.pitch + access.row_bytes;
}

}  // namespace

// Those of a line that an access uses, a bit each.
uint64_t scalar_lines::bytes_of(const core_access_t &access, uint64_t number) {
  uint64_t bytes = 0;
  for (uint64_t at = std::max(number * kLine, access.base); at < std::min((number + 1) * kLine, end_of(access)); ++at) {
    const uint64_t row = access.rows == 1 ? 0 : std::min((at - access.base) / access.pitch, access.rows - 1);
    if (at - access.base - row * access.pitch < access.row_bytes) {
      bytes |= uint64_t{1} << at % kLine;
    }
  }
  return bytes;
}

std::optional<scalar_lines::conflict> scalar_lines::read(const std::string &core, bool by_scalar, const line &of,
                                                         uint64_t bytes) {
  const bool from_cache = by_scalar && of.core == core;
  if (from_cache && (of.stale & bytes) != 0) {
    return conflict{true, of.stale_core, of.stale_command};
  }
  if (!from_cache && (of.own & bytes) != 0) {
    return conflict{false, of.core, of.own_command};
  }
  return std::nullopt;
}

void scalar_lines::write(const std::string &core, bool by_scalar, line &of, uint64_t bytes, const command_t &command) {
  if (by_scalar && of.core == core) {
    of.stale &= ~bytes;
    of.own |= bytes;
    of.own_command = command;
  } else {
    of.stale |= bytes;
    of.stale_core = core;
    of.stale_command = command;
  }
}

void scalar_lines::take(const std::string &core, uint64_t number) {
  std::vector<line> &all = lines_[number];
  if (std::none_of(all.begin(), all.end(), [&core](const line &one) { return one.core == core; })) {
    all.emplace_back().core = core;
  }
}

std::optional<scalar_lines::conflict> scalar_lines::access(const std::string &core, const core_access_t &access,
                                                           const command_t &command) {
  const bool by_scalar = is_by_scalar(command);
  if ((lines_.empty() && !by_scalar) || access.rows == 0 || access.row_bytes == 0) {
    return std::nullopt;
  }
  std::optional<conflict> found;
  if (by_scalar) {
    take(core, access.base / kLine);  // a number is in one line
  }
  for (auto at = lines_.lower_bound(access.base / kLine); at != lines_.end() && at->first * kLine < end_of(access);
       ++at) {
    const uint64_t bytes = bytes_of(access, at->first);
    for (line &of : at->second) {
      if (access.write) {
        write(core, by_scalar, of, bytes, command);
      } else if (!found) {
        found = read(core, by_scalar, of, bytes);
      }
    }
  }
  return found;
}

void scalar_lines::clean(const std::string &core, uint64_t gm) {
  auto at = gm == 0 ? lines_.begin() : lines_.lower_bound(gm / kLine);
  while (at != lines_.end() && (gm == 0 || at->first == gm / kLine)) {
    std::vector<line> &all = at->second;
    all.erase(std::remove_if(all.begin(), all.end(), [&core](const line &one) { return one.core == core; }), all.end());
    at = all.empty() ? lines_.erase(at) : std::next(at);
  }
}

}  // namespace soc
