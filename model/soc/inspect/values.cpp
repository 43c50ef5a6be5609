// SPDX-License-Identifier: Apache-2.0
#include "soc/inspect/values.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "hal/registers.h"
#include "host/interrupt.h"
#include "soc/watch/window.h"

namespace soc {
namespace {

// Elements that are shown, and tensors of a memory that are listed.
enum { MOST_ELEMENTS = 1 << 16, MOST_LISTED = 32 };

std::string hex(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string shape_of(const core_tensor_t &t) {
  const std::string shape =
      std::string(core_type_name(t.type)) + " [" + std::to_string(t.rows) + "][" + std::to_string(t.cols) + "]";
  return shape + (t.layout == CORE_STRIPS     ? " in strips"
                  : t.layout == CORE_BLOCKS   ? " in blocks"
                  : t.layout == CORE_FRACTALS ? " in fractals"
                                              : "");
}

bool has_gaps(const core_tensor_t &t) {
  return t.layout == CORE_ROWS && t.rows > 1 && t.pitch * 8 > t.cols * core_type_bits(t.type);
}

uint64_t number(const std::string &text, const char *expected) {
  char *end = nullptr;
  errno = 0;
  const uint64_t value = std::strtoull(text.c_str(), &end, 0);
  if (text.empty() || text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0) {
    throw std::runtime_error(std::string("show: expected ") + expected + ", got '" + text + "'");
  }
  return value;
}

core_space_t space_of(const std::string &name) {
  for (unsigned space = 0; space < SPACE_COUNT; ++space) {
    if (lower(core_space_name(static_cast<core_space_t>(space))) == name && space != SPACE_KV &&
        space != SPACE_PAIR_L1) {
      return static_cast<core_space_t>(space);
    }
  }
  throw std::runtime_error("show: no memory '" + name + "'; expected gm, l1, l0a, l0b, l0c, ub or eb");
}

uint32_t type_of(const std::string &name) {
  for (uint32_t type = 0; type < CORE_TYPE_COUNT; ++type) {
    if (lower(core_type_name(type)) == name) {
      return type;
    }
  }
  throw std::runtime_error("show: no type '" + name +
                           "'; expected f32, bf16, f16, s32, s4, u4, e4m3, bit, u8, u16 or u32");
}

// A memory of its own, and not its cube core's.
bool is_own(const core_unit &core, core_space_t space) {
  static const core_space_t first[] = {SPACE_L1, SPACE_UB, SPACE_EB};
  static const core_space_t last[] = {SPACE_L0C, SPACE_UB, SPACE_EB};
  return space >= first[core.kind()] && space <= last[core.kind()];
}

// [ROWSxCOLS TYPE [strips|rows] [pitch BYTES]] from the fourth word on.
void read_shape(const std::vector<std::string> &request, core_tensor_t &t) {
  const size_t by = request[3].find('x');
  if (by == std::string::npos || request.size() < 5) {
    throw std::runtime_error("show: expected ROWSxCOLS TYPE, as 16x16 f32, got '" + request[3] + "'");
  }
  t.rows = number(request[3].substr(0, by), "ROWSxCOLS");
  t.cols = number(request[3].substr(by + 1), "ROWSxCOLS");
  t.type = type_of(lower(request[4].c_str()));
  if (t.rows == 0 || t.cols == 0 || t.rows > MOST_ELEMENTS || t.cols > MOST_ELEMENTS ||
      t.rows * t.cols > MOST_ELEMENTS) {
    throw std::runtime_error("show: expected 1 to " + std::to_string(MOST_ELEMENTS) + " elements, got '" + request[3] +
                             "'; --dump writes more");
  }
  // Matrices of 8 and 16 bits lie in strips in the memories around the multiplier.
  const bool may_lie = core_type_bits(t.type) == 8 || core_type_bits(t.type) == 16;
  const bool strips = t.space >= SPACE_L1 && t.space <= SPACE_L0B && may_lie;
  t.layout = strips ? CORE_STRIPS : CORE_ROWS;
  uint64_t pitch = 0;
  for (size_t i = 5; i < request.size(); ++i) {
    if (request[i] == "strips" && may_lie) {
      t.layout = CORE_STRIPS;
    } else if (request[i] == "rows") {
      t.layout = CORE_ROWS;
    } else if (request[i] == "pitch" && i + 1 < request.size()) {
      pitch = number(request[++i], "pitch BYTES");
    } else {
      throw std::runtime_error("show: expected strips (of 8 or 16 bits), rows or pitch BYTES, got '" + request[i] +
                               "'");
    }
  }
  const uint64_t row = (t.cols * core_type_bits(t.type) + 7) / 8;
  t.pitch = pitch != 0 ? pitch : t.layout == CORE_STRIPS ? t.rows * 32 : row;
}

}  // namespace

void values::need_values() const {
  if (sim_.options.timing_only) {
    throw std::runtime_error("there are no values, --timing-only computes none");
  }
  if (host_interrupted()) {
    throw std::runtime_error("values are not up to date, the run was interrupted");
  }
}

// --- where --------------------------------------------------------------------------------------

uint64_t values::find_address(const core_unit &core, core_space_t space, const std::string &text) const {
  const size_t plus = text.find('+');
  for (const global_memory::array &a : machine_.gm().arrays()) {
    if (space == SPACE_GM && text.substr(0, plus) == a.name) {
      return a.begin + (plus == std::string::npos ? 0 : number(text.substr(plus + 1), "an offset in bytes"));
    }
  }
  const uint64_t address =
      number(text, space == SPACE_GM ? "an address or the name of an array" : "an address in bytes");
  if (space == SPACE_GM ? address < GM_BASE || address - GM_BASE >= core.memory().bytes[SPACE_GM]
                        : address >= core.memory().bytes[space]) {
    throw std::runtime_error("show: no such address '" + text + "'");
  }
  return address;
}

// A part of a tensor lies as all of it does, unless the request says otherwise.
void values::take_layout(place &where, const words &request) const {
  const tensor_book::entry *last =
      !sim_.tensor_book ? nullptr : sim_.tensor_book->find(where.core->memory().base[where.space], where.tensor.base);
  if (last != nullptr && request.size() == 5 && core_type_bits(last->what.type) == core_type_bits(where.tensor.type)) {
    where.tensor.layout = last->what.layout;
    where.tensor.pitch = last->what.pitch;
  }
}

values::place values::find_place(const words &request, const std::string &here) const {
  if (request.size() < 3) {
    throw std::runtime_error("show: expected [CORE.]MEMORY ADDRESS, as l0c 0 16x16 f32");
  }
  const size_t dot = request[1].find('.');
  const std::string memory = lower(request[1].c_str() + (dot == std::string::npos ? 0 : dot + 1));
  const core_space_t space = space_of(memory);
  const std::string name = dot == std::string::npos ? here : request[1].substr(0, dot);
  const auto has = [space](const core_unit &c) { return space == SPACE_GM || is_own(c, space); };
  core_unit *found = name.empty() ? nullptr : &core(name);
  const std::vector<core_unit *> list = cores();
  if (found == nullptr || (!has(*found) && dot == std::string::npos)) {  // of the first core that has one
    const auto first = std::find_if(list.begin(), list.end(), [&](const core_unit *c) { return has(*c); });
    found = first == list.end() ? nullptr : *first;
  }
  if (found == nullptr || !has(*found)) {
    throw std::runtime_error("show: " + (found == nullptr || dot == std::string::npos ? "no core" : found->name()) +
                             " has " + (dot == std::string::npos ? "a " : "no ") + memory);
  }
  place where = {found, space, {}};
  core_tensor_t &t = where.tensor;
  t.space = space;
  t.base = find_address(*found, space, request[2]);
  if (request.size() > 3) {
    read_shape(request, t);
    take_layout(where, request);
    const uint64_t begin = space == SPACE_GM ? GM_BASE : 0;
    if (tensor_end(t) < t.base || tensor_end(t) - begin > found->memory().bytes[space]) {
      throw std::runtime_error("show: " + request[1] + " ends before that: it has " +
                               std::to_string(found->memory().bytes[space]) + " bytes");
    }
  }
  return where;
}

// "out+64"; "" if it is in no array.
std::string values::gm_name(uint64_t address) const {
  for (const global_memory::array &a : machine_.gm().arrays()) {
    if (address >= a.begin && address < a.end) {
      return std::string(a.name) + (address == a.begin ? "" : "+" + std::to_string(address - a.begin));
    }
  }
  return "";
}

std::string values::writer_of(const tensor_book::entry &e) const {
  if (e.memory == nullptr) {
    return "as it was given";
  }
  std::string name = "?";
  for (const core_unit *c : cores()) {
    name = &c->memory() == e.memory ? c->name() : name;
  }
  return name + " " + core_pipe_name(e.command.header.pipe_) + " " + core_command_name(e.command.header.opcode_) +
         " at cycle " + std::to_string(e.cycle) + ", " + sim_.lines.find(e.command.header.pc_, e.firmware);
}

// --- tensors ------------------------------------------------------------------------------------

std::string values::tensors_of(const core_unit &core, core_space_t space) const {
  std::vector<tensor_book::entry> list = sim_.tensor_book->entries(core.memory().base[space]);
  size_t older = 0;
  if (list.size() > MOST_LISTED) {  // those written last
    older = list.size() - MOST_LISTED;
    std::nth_element(list.begin(), list.begin() + static_cast<long>(older), list.end(),
                     [](const tensor_book::entry &a, const tensor_book::entry &b) { return a.cycle < b.cycle; });
    list.erase(list.begin(), list.begin() + static_cast<long>(older));
    std::sort(list.begin(), list.end(),
              [](const tensor_book::entry &a, const tensor_book::entry &b) { return a.what.base < b.what.base; });
  }
  const std::string memory = space == SPACE_GM ? "gm" : core.name() + "." + lower(core_space_name(space));
  std::string text;
  for (const tensor_book::entry &e : list) {
    const std::string where = space == SPACE_GM ? gm_name(e.what.base) : hex(e.what.base);
    text += memory + " " + (where.empty() ? hex(e.what.base) : where) + "  " + shape_of(e.what) +
            (e.end == tensor_end(e.what) ? ""
             : has_gaps(e.what)          ? ", others between its rows"
                                         : ", the end of it overwritten") +
            "  " + writer_of(e) + "\n";
  }
  return older == 0 ? text : text + memory + "  and " + std::to_string(older) + " that were written earlier\n";
}

std::string values::tensors(const words &request, const std::string &here) const {
  need_values();
  std::string text;
  const std::vector<core_unit *> list = asked(request, here);
  for (core_unit *c : list) {
    for (unsigned space = 0; space < SPACE_COUNT; ++space) {
      if (is_own(*c, static_cast<core_space_t>(space))) {
        text += tensors_of(*c, static_cast<core_space_t>(space));
      }
    }
  }
  text += tensors_of(*list.front(), SPACE_GM);
  return text.empty() ? "no command has written anything yet\n" : text;
}

// --- values -------------------------------------------------------------------------------------

std::string values::show(const words &request, const std::string &here) const {
  need_values();
  const place where = find_place(request, here);
  const core_memory_t &memory = where.core->memory();
  const tensor_book::entry *last = sim_.tensor_book->find(memory.base[where.space], where.tensor.base);
  core_tensor_t t = where.tensor;
  if (t.rows == 0) {
    if (last == nullptr) {
      throw std::runtime_error("show: no command wrote there; say ROWSxCOLS TYPE, as 16x16 f32");
    }
    t = last->what;
    const uint64_t most = std::max<uint64_t>(1, MOST_ELEMENTS / t.cols);
    t.rows = std::min(t.rows, most);
  }
  const std::string name = where.space == SPACE_GM ? gm_name(t.base) : hex(t.base);
  std::string text = (where.space == SPACE_GM ? "gm" : where.core->name() + "." + lower(core_space_name(where.space))) +
                     " " + (name.empty() ? hex(t.base) : name) + "  " + shape_of(t) + "  " +
                     (last == nullptr ? "no command wrote there" : writer_of(*last)) + "\n";
  for (uint64_t r = 0; r < t.rows; ++r) {
    char word[48];
    std::snprintf(word, sizeof word, "%5llu ", static_cast<unsigned long long>(r));
    text += word;
    for (uint64_t c = 0; c < t.cols; ++c) {
      const double value = core_tensor_value(&memory, &t, r, c);
      if (std::isnan(value)) {
        std::snprintf(word, sizeof word, " %11s", "NaN");
      } else {
        std::snprintf(word, sizeof word, " %11.6g", value);
      }
      text += word;
    }
    text += "\n";
  }
  return text;
}

}  // namespace soc
