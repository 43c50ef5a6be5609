// SPDX-License-Identifier: Apache-2.0
#include "soc/gm.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "hal/registers.h"

namespace soc {
namespace {

constexpr uint64_t kLineBytes = 512;    // unit of L2 residency
constexpr uint64_t kBeatBytes = GM_LANES * 4;
constexpr uint64_t kArgsRoom = 4096;    // before the first array: one page, the scalar's window

uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

global_memory::global_memory(simulation &sim, soc_buffer_t *buffers, size_t count,
                             const void *args, size_t args_bytes)
    : sim_(sim), buffers_(buffers), count_(count), args_bytes_(args_bytes) {
  arrays_.push_back({"args", GM_BASE, GM_BASE + args_bytes, true});
  uint64_t end = GM_BASE + kArgsRoom;
  for (size_t i = 0; i < count; ++i) {
    arrays_.push_back({buffers[i].name, buffers[i].address, buffers[i].address + buffers[i].bytes,
                       buffers[i].read_only});
    end = std::max(end, arrays_.back().end);
  }
  bytes_ = round_up(end - GM_BASE, kArgsRoom);
  if (bytes_ > (uint64_t{1} << GM_ADDR_W) * kBeatBytes) {
    throw std::runtime_error("global memory: " + std::to_string(bytes_ >> 20) +
                             " MiB of arrays; the atomic slices address " +
                             std::to_string(((uint64_t{1} << GM_ADDR_W) * kBeatBytes) >> 20) + " MiB");
  }
  void *map = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) {
    throw std::runtime_error("global memory: " + std::to_string(bytes_ >> 20) +
                             " MiB of arrays do not fit in this machine's memory");
  }
  base_ = static_cast<uint8_t *>(map);
  std::memcpy(base_, args, args_bytes);
  for (size_t i = 0; i < count; ++i) {
    uint8_t *target = base_ + (buffers[i].address - GM_BASE);
    if (buffers[i].init != nullptr) {
      std::memcpy(target, buffers[i].init, buffers[i].bytes);
    } else {
      std::memset(target, 0xFF, buffers[i].bytes);
    }
  }
  in_l2_.resize(round_up(bytes_, kLineBytes) / kLineBytes);
  for (unsigned i = 0; i < sim.config.gm.slices; ++i) {
    const std::string name = "slice" + std::to_string(i);
    slices_.push_back(std::make_unique<gm_slice>(
        name.c_str(), sim,
        sim.options.gm == SOC_GM_RTL ? make_gm_unit_rtl(name, base_, sim.trace.get())
                                     : make_gm_unit_c(base_)));
  }
}

global_memory::~global_memory() { munmap(base_, bytes_); }

const global_memory::array *global_memory::find(uint64_t address) const {
  for (const array &a : arrays_) {
    if (address >= a.begin && address < a.end) {
      return &a;
    }
  }
  return nullptr;
}

std::optional<std::string> global_memory::check(const core_access_t &access) const {
  const array *a = find(access.base);
  char text[160];
  if (a == nullptr) {
    std::snprintf(text, sizeof text, "global address 0x%llx is in no array",
                  static_cast<unsigned long long>(access.base));
    return text;
  }
  const uint64_t end = access.base + (access.rows - 1) * access.pitch + access.row_bytes;
  if (end > a->end) {
    std::snprintf(text, sizeof text, "%s of global array '%s' ends %llu bytes after it",
                  access.write ? "write" : "read", a->name,
                  static_cast<unsigned long long>(end - a->end));
    return text;
  }
  if (access.write && a->read_only) {
    std::snprintf(text, sizeof text, "write to the input array '%s'", a->name);
    return text;
  }
  return std::nullopt;
}

// Brings the access's lines into L2; returns the bytes that were not there, each line clipped to
// its array.
uint64_t global_memory::touch(const core_access_t &access) {
  const array *a = find(access.base);
  uint64_t fresh = 0;
  for (uint64_t row = 0; row < access.rows; ++row) {
    const uint64_t begin = access.base + row * access.pitch - GM_BASE;
    const uint64_t last = begin + access.row_bytes - 1;
    for (uint64_t line = begin / kLineBytes; line <= last / kLineBytes; ++line) {
      if (!in_l2_[line]) {
        in_l2_[line] = true;
        const uint64_t line_begin = std::max<uint64_t>(line * kLineBytes, a->begin - GM_BASE);
        const uint64_t line_end = std::min<uint64_t>((line + 1) * kLineBytes, a->end - GM_BASE);
        fresh += line_end - line_begin;
      }
    }
  }
  return fresh;
}

uint64_t global_memory::read(const core_access_t &access) {
  const uint64_t cold = touch(access);
  sim_.result.l2_read += access.rows * access.row_bytes;
  sim_.result.hbm_read += cold;
  return cold;
}

void global_memory::write(const core_access_t &access) {
  touch(access);   // written lines live in L2
  sim_.result.l2_write += access.rows * access.row_bytes;
}

// Cuts a row of 32-bit elements into requests of the slices that own its addresses.  RESCALE sends
// one request for each run of whole beats, the other operations one for each beat.
void global_memory::place_beats(uint64_t address, uint64_t bytes, const uint32_t *operands,
                                unsigned op,
                                std::vector<std::pair<unsigned, gm_request_t>> &beats) const {
  const uint64_t slice_bytes = sim_.config.gm.slice_bytes;
  const uint64_t slices = slices_.size();
  uint64_t offset = address - GM_BASE;
  const uint64_t end = offset + bytes;
  while (offset < end) {
    const uint64_t beat = offset / kBeatBytes;
    const unsigned slice = static_cast<unsigned>(offset / slice_bytes % slices);
    gm_request_t request = {};
    request.op = op;
    request.addr = static_cast<uint32_t>(beat);
    uint64_t stop = std::min((beat + 1) * kBeatBytes, end);
    if (op == GM_RESCALE && offset % kBeatBytes == 0) {
      stop = std::min((offset / slice_bytes + 1) * slice_bytes, end);
    }
    request.len = static_cast<uint32_t>((stop - 1) / kBeatBytes - beat + 1);
    // Lanes of the last beat.
    const uint64_t last = (stop - 1) / kBeatBytes * kBeatBytes;
    const uint64_t first_lane = (std::max(offset, last) - last) / 4;
    const uint64_t lanes = (stop - last) / 4 - first_lane;
    request.mask = static_cast<uint32_t>(((1ull << lanes) - 1) << first_lane);
    if (op == GM_RESCALE) {
      request.data[0] = operands[0];
    } else {
      std::memcpy(&request.data[first_lane], operands, lanes * 4);
      operands += lanes;
    }
    beats.emplace_back(slice, request);
    offset = stop;
  }
}

std::shared_ptr<gm_transfer> global_memory::start_atomic(const core_memory_t &memory,
                                                         const command_t &command,
                                                         uint64_t duration) {
  std::vector<std::pair<unsigned, gm_request_t>> beats;
  uint64_t updated = 0;
  if (command.header.opcode_ == OP_FIXPIPE) {
    const cmd_fixpipe_t &c = command.fixpipe;
    const uint8_t *tile = memory.base[SPACE_L0C] + c.l0c;
    const uint64_t pitch = round_up(c.n, 16) * 4;
    for (uint32_t row = 0; row < c.m; ++row) {
      place_beats(c.gm + uint64_t{row} * c.gm_pitch, uint64_t{c.n} * 4,
                  reinterpret_cast<const uint32_t *>(tile + row * pitch), c.op, beats);
    }
    updated = uint64_t{c.m} * c.n * 4;
  } else {
    const cmd_copy_out_t &c = command.copy_out;
    const uint64_t pitch = c.op == GM_RESCALE ? 4 : c.ub_pitch;
    for (uint32_t row = 0; row < c.rows; ++row) {
      place_beats(c.gm + uint64_t{row} * c.gm_pitch, c.row_bytes,
                  reinterpret_cast<const uint32_t *>(memory.base[SPACE_UB] + c.ub + row * pitch),
                  c.op, beats);
    }
    updated = uint64_t{c.rows} * c.row_bytes;
  }
  sim_.result.atomic_bytes += updated;

  auto transfer = std::make_shared<gm_transfer>();
  std::vector<std::vector<gm_slice::beat>> by_slice(slices_.size());
  for (size_t i = 0; i < beats.size(); ++i) {
    beats[i].second.tag = static_cast<uint32_t>(i & 0xFF);
    by_slice[beats[i].first].push_back({now() + 1 + i * duration / beats.size(), beats[i].second});
  }
  for (size_t slice = 0; slice < by_slice.size(); ++slice) {
    if (!by_slice[slice].empty()) {
      slices_[slice]->add(transfer, std::move(by_slice[slice]));
    }
  }
  return transfer;
}

void global_memory::copy_results() const {
  for (size_t i = 0; i < count_; ++i) {
    if (buffers_[i].result != nullptr) {
      std::memcpy(buffers_[i].result, base_ + (buffers_[i].address - GM_BASE), buffers_[i].bytes);
    }
  }
}

void global_memory::report(soc_result_t &result) const {
  for (const auto &slice : slices_) {
    const gm_status status = slice->status();
    result.guard_zero += status.zero;
    result.guard_special += status.special;
    result.guard_underflow += status.underflow;
    result.guard_overflow += status.overflow;
    result.guard_lanes += status.guard_lanes;
  }
}

}  // namespace soc

extern "C" void soc_place(soc_buffer_t *buffers, size_t count) {
  uint64_t address = GM_BASE + soc::kArgsRoom;
  for (size_t i = 0; i < count; ++i) {
    buffers[i].address = address;
    address += soc::round_up(buffers[i].bytes, 512);
  }
}
