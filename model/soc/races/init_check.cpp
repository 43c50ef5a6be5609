// SPDX-License-Identifier: Apache-2.0
#include "soc/races/init_check.h"

#include <algorithm>

#include "hal/registers.h"

namespace soc {
namespace {

using state_list = std::vector<byte_state>;

// The state of a result that is computed from both.
byte_state combine(byte_state a, byte_state b) { return a != kWritten ? a : b; }

byte_state combine_all(const byte_state *states, size_t count) {
  const byte_state *first = std::find_if(states, states + count, [](byte_state s) { return s != kWritten; });
  return first == states + count ? kWritten : *first;
}

// From its first byte to its last, what is between rows and all.
uint64_t span(const core_access_t &access) { return (access.rows - 1) * access.pitch + access.row_bytes; }

// Where an address is among a memory's states.
uint64_t offset_of(core_space_t space, uint64_t address) { return space == SPACE_GM ? address - GM_BASE : address; }

uint64_t row_bytes_of(const core_tensor_t &tensor) { return (tensor.cols * core_type_bits(tensor.type) + 7) / 8; }

// Whole rows of strips are moved, whatever is in the columns beyond the last.
bool moves_whole_strips(const command_t &command) {
  switch (command.header.opcode_) {
    case OP_LOAD_NZ:
      return command.load_nz.strips != 0;
    case OP_LOAD_A:
      return true;
    case OP_LOAD_B:
      return command.load_b.transpose == 0;
    default:
      return false;
  }
}

// --- results from operands, element by element ----------------------------------------------------

state_list of_mmad(const core_tensor_t *t, size_t count, const std::vector<state_list> &in) {
  const core_tensor_t &to = t[count - 1];
  const uint64_t k = t[0].cols;
  const bool turned = t[1].layout == CORE_FRACTALS;  // [n][k]
  state_list column(to.cols, kWritten);
  for (uint64_t i = 0; i < k * to.cols; ++i) {
    byte_state &state = column[turned ? i / k : i % to.cols];
    state = combine(state, in[1][i]);
  }
  state_list out(to.rows * to.cols);
  for (uint64_t r = 0; r < to.rows; ++r) {
    const byte_state row = combine_all(&in[0][r * k], k);
    for (uint64_t c = 0; c < to.cols; ++c) {
      const uint64_t i = r * to.cols + c;
      out[i] = combine(count == 4 ? in[2][i] : kWritten, combine(row, column[c]));
    }
  }
  return out;
}

// Only keys that a query attends to; the engine passes over the others.
state_list of_attn(const core_memory_t &memory, const cmd_attn_t &command, const core_tensor_t *t, size_t count,
                   const std::vector<state_list> &in) {
  const core_tensor_t &to = t[count - 1];
  state_list out;
  for (uint64_t r = 0; r < to.rows; ++r) {
    byte_state row = kWritten;
    for (size_t i = 0; i + 1 < count; ++i) {
      if (t[i].layout == CORE_KEYS) {
        for (uint64_t key = 0; key < t[i].rows; ++key) {
          row = core_attn_key(&memory, &command, r, key) ? combine(row, in[i][key]) : row;
        }
      } else {
        const uint64_t from = t[i].type == CORE_TYPE_BIT ? r / command.share : r;
        row = combine(row, combine_all(&in[i][from * t[i].cols], t[i].cols));
      }
    }
    out.insert(out.end(), to.cols, row);
  }
  return out;
}

// Each side where the mask takes it.
state_list of_select(const core_memory_t &memory, const core_tensor_t *t, size_t count,
                     const std::vector<state_list> &in) {
  const core_tensor_t &to = t[count - 1];
  const core_tensor_t &mask = t[count - 2];
  state_list out(to.rows * to.cols);
  for (uint64_t r = 0; r < to.rows; ++r) {
    for (uint64_t c = 0; c < to.cols; ++c) {
      const uint64_t i = r * to.cols + c;
      const byte_state other = count == 3 ? kWritten : t[1].cols == 1 ? in[1][r] : in[1][i];  // 3: b is a scalar
      const bool first = core_tensor_value(&memory, &mask, r, c) != 0;
      out[i] = combine(in[count - 2][i], first ? in[0][i] : other);
    }
  }
  return out;
}

// Where in an operand with so many columns the element that [r][c] is computed from is.
uint64_t reached(core_reach_t reach, uint64_t cols, uint64_t r, uint64_t c) {
  return reach == CORE_REACH_TURNED   ? c * cols + r
         : reach == CORE_REACH_SQUARE ? r * cols + core_square(cols, c)
         : reach == CORE_REACH_COLUMN ? c * cols
                                      : r * cols + core_reach_col(reach, c);
}

// A repeat of a VINST's operand.
core_tensor_t row_of(const core_tensor_t &tensor, uint64_t r) {
  core_tensor_t row = tensor;
  row.base += r * tensor.pitch;
  row.rows = 1;
  row.elements = tensor.elements == 0 ? 0 : std::min(tensor.cols, tensor.elements - r * tensor.cols);
  return row;
}

// Each element as core_sources says, of those that have a say.
state_list of_repeat(const core_memory_t &memory, const command_t &command, const core_tensor_t *t, size_t count,
                     uint64_t r, const std::vector<state_list> &in) {
  state_list out(t[count - 1].cols, kWritten);
  for (uint64_t c = 0; c < out.size(); ++c) {
    core_source_t source[CORE_MAX_TENSORS];
    const size_t sources = core_sources(&command, r, c, source);
    for (size_t i = 0; i < sources; ++i) {
      for (uint64_t col = source[i].col; col < source[i].col + source[i].cols; ++col) {
        if (core_vinst_reads(&memory, &command.vinst, t, source[i].tensor, r, col, c)) {
          out[c] = combine(out[c], in[source[i].tensor][col]);
        }
      }
    }
  }
  return out;
}

// Any other command: each operand as core_reach says.
state_list of_elements(const command_t &command, const core_tensor_t *t, size_t count,
                       const std::vector<state_list> &in) {
  const core_tensor_t &to = t[count - 1];
  state_list out(to.rows * to.cols, kWritten);
  for (size_t i = 0; i + 1 < count; ++i) {
    const uint64_t cols = t[i].cols;
    const core_reach_t reach = core_reach(&command, &t[i]);
    for (uint64_t r = 0; r < to.rows; ++r) {
      for (uint64_t c = 0; c < to.cols; ++c) {
        byte_state &state = out[r * to.cols + c];
        state = combine(
            state, reach == CORE_REACH_ROW ? combine_all(&in[i][r * cols], cols) : in[i][reached(reach, cols, r, c)]);
      }
    }
  }
  return out;
}

// A row that a COPY_OUT does not send stays what it is.
void keep_unsent(const core_memory_t &memory, const command_t &command, const core_tensor_t *t, size_t count,
                 const std::vector<state_list> &in, state_list &out) {
  const uint64_t cols = t[count - 1].cols;
  for (uint32_t r = 0; r < command.copy_out.rows; ++r) {
    if (!core_row_sent(&memory, &command.copy_out, r)) {
      std::copy_n(&in[1][r * cols], cols, &out[r * cols]);
    }
  }
}

state_list of_keys(const core_tensor_t *t, const std::vector<state_list> &in) {
  state_list out(t[2].rows);
  for (uint64_t key = 0; key < t[2].rows; ++key) {
    out[key] =
        combine(combine_all(&in[0][key * t[0].cols], t[0].cols), combine_all(&in[1][key * t[1].cols], t[1].cols));
  }
  return out;
}

}  // namespace

struct init_check::step {
  const core &of;
  const core_memory_t &memory;
  const command_t &command;
  uint64_t cycle;
};

init_check::init_check(uint64_t gm_bytes) : gm_(gm_bytes, kWritten) {}

byte_states *init_check::states(const uint8_t *base, uint64_t bytes) {
  std::unique_ptr<byte_states> &of = spaces_[base];
  if (!of) {
    of = std::make_unique<byte_states>(bytes, kUnwritten);
  }
  return of.get();
}

// A key in an engine's SRAM has one state.
void init_check::add_core(const std::string &name, const core_memory_t &memory) {
  core &of = cores_[&memory];
  of.name = name;
  for (unsigned space = 0; space < SPACE_COUNT; ++space) {
    if (memory.bytes[space] > 0) {
      const uint64_t bytes = memory.bytes[space] * (space == SPACE_KV ? memory.engine->blocks : 1);
      of.space[space] = space == SPACE_GM ? &gm_ : states(memory.base[space], bytes);
    }
  }
}

void init_check::set_array(uint64_t begin, uint64_t end, bool written) {
  arrays_[begin] = end;
  gm_.fill(begin - GM_BASE, end - begin, written ? kWritten : kUnwritten);
}

// --- as a rule all is written -----------------------------------------------------------------------

bool init_check::all_written(const core &of, const core_memory_t &memory, const core_access_t &access) const {
  const byte_states &states = *of.space[access.space];
  if (access.space == SPACE_KV) {
    bool written = true;
    for (uint64_t block = 0; block < memory.engine->blocks; ++block) {
      written = written && states.all_written(block * memory.bytes[SPACE_KV] + access.base, access.row_bytes);
    }
    return written;
  }
  const uint64_t begin = offset_of(access.space, access.base);
  if (states.surely_written(begin, span(access))) {
    return true;
  }
  for (uint64_t r = 0; r < access.rows; ++r) {
    if (!states.all_written(begin + r * access.pitch, access.row_bytes)) {
      return false;
    }
  }
  return true;
}

void init_check::fill_written(const core &of, const core_access_t &access) {
  byte_states &states = *of.space[access.space];
  const uint64_t begin = offset_of(access.space, access.base);
  if (states.surely_written(begin, span(access))) {
    return;
  }
  for (uint64_t r = 0; r < access.rows; ++r) {
    states.fill(begin + r * access.pitch, access.row_bytes, kWritten);
  }
}

void init_check::execute(const core_memory_t &memory, const command_t &command, uint64_t cycle) {
  core_access_t access[CORE_MAX_ACCESSES];
  const size_t count = core_accesses(&command, access);
  if (count == 0) {
    return;
  }
  const core &of = cores_.at(&memory);
  bool written = command.header.opcode_ != OP_LOAD_KV;
  for (size_t i = 0; written && i < count; ++i) {
    written = (access[i].write && !access[i].atomic) || all_written(of, memory, access[i]);
  }
  if (!written) {
    const step s = {of, memory, command, cycle};
    return core_reads_value(&command) ? look(s) : follow(s);
  }
  for (size_t i = 0; i < count; ++i) {
    if (access[i].write) {
      fill_written(of, access[i]);
    }
  }
}

// --- else: every element ------------------------------------------------------------------------------

// Repeat by repeat, which may read what the one before has written.
void init_check::follow_repeats(const step &s) {
  core_tensor_t all[CORE_MAX_TENSORS];
  const size_t count = core_tensors(&s.command, all);
  for (uint64_t r = 0; r < all[0].rows; ++r) {
    std::vector<state_list> in;
    for (size_t i = 0; i + 1 < count; ++i) {
      in.push_back(read(s, row_of(all[i], r)));
    }
    const core_tensor_t to = row_of(all[count - 1], r);
    write(s, to, of_repeat(s.memory, s.command, all, count, r, in));
  }
}

void init_check::follow(const step &s) {
  if (s.command.header.opcode_ == OP_VINST) {
    return follow_repeats(s);
  }
  core_tensor_t t[CORE_MAX_TENSORS];
  const size_t count = core_tensors(&s.command, t);
  if (count == 0 || !t[count - 1].write) {
    return;
  }
  for (size_t i = 0; i < count && moves_whole_strips(s.command); ++i) {
    const uint64_t strip = core_strip_cols(t[i].type);
    t[i].cols = (t[i].cols + strip - 1) / strip * strip;
  }
  std::vector<state_list> in;
  for (size_t i = 0; i + 1 < count; ++i) {
    in.push_back(t[i].layout == CORE_KEYS ? read_keys(s, t[i]) : read(s, t[i]));
  }
  const unsigned opcode = s.command.header.opcode_;
  if (opcode == OP_LOAD_KV) {
    return write_keys(s, t[2], of_keys(t, in));
  }
  if (opcode == OP_GATHER_IN) {
    in.assign(1, state_list(t[1].rows * t[1].cols, kWritten));  // rows of inputs, or zeros
    t[0] = t[1];
  }
  state_list out = opcode == OP_MMAD   ? of_mmad(t, count, in)
                   : opcode == OP_ATTN ? of_attn(s.memory, s.command.attn, t, count, in)
                   : opcode == OP_VEC && s.command.vec.op == VOP_SELECT ? of_select(s.memory, t, count, in)
                                                                        : of_elements(s.command, t, count, in);
  if (opcode == OP_COPY_OUT && s.command.copy_out.skip_zero != 0) {
    keep_unsent(s.memory, s.command, t, count, in, out);
  }
  write(s, t[count - 1], out);
  if (t[count - 1].space == SPACE_GM) {
    note_store(s, t[count - 1], out);
  }
}

void init_check::look(const step &s) {
  core_tensor_t t[CORE_MAX_TENSORS];
  if (core_tensors(&s.command, t) != 0) {
    note_store(s, t[0], read(s, t[0]));
  }
}

// The states of its elements; one that nobody wrote is read here first.
std::vector<byte_state> init_check::read(const step &s, const core_tensor_t &tensor) {
  if (tensor.layout == CORE_BLOCKS || tensor.layout == CORE_FRACTALS) {
    return read_blocks(s, tensor);
  }
  const byte_states &from = *s.of.space[tensor.space];
  const uint64_t base = offset_of(tensor.space, tensor.base);
  const bool strips = tensor.layout == CORE_STRIPS;
  const uint64_t strip = core_strip_cols(tensor.type);
  const uint64_t runs = strips ? (tensor.cols + strip - 1) / strip : tensor.rows;
  state_list run(strips ? tensor.rows * STRIP_ROW : row_bytes_of(tensor));
  state_list states(tensor.rows * tensor.cols, kWritten);
  byte_state first_read = kUnwritten;  // here, if anything is
  for (uint64_t i = 0; i < runs; ++i) {
    from.get(base + i * tensor.pitch, run.size(), run.data());
    const uint64_t begin = strips ? i * strip : i * tensor.cols;
    for (uint64_t b = 0; b < run.size(); ++b) {
      if (run[b] == kWritten) {
        continue;
      }
      if (run[b] == kUnwritten && first_read == kUnwritten) {
        first_read = new_origin(s, tensor.space, tensor.base + i * tensor.pitch + b);
      }
      const byte_state state = run[b] == kUnwritten ? first_read : run[b];
      const unsigned bits = core_type_bits(tensor.type);
      const uint64_t first = (strips ? b % STRIP_ROW : b) * 8 / bits;
      for (uint64_t c = first; c < first + (bits < 8 ? 8 / bits : 1) && begin % tensor.cols + c < tensor.cols; ++c) {
        byte_state &element = states[(strips ? b / STRIP_ROW * tensor.cols : 0) + begin + c];
        element = combine(element, state);
      }
    }
  }
  return states;
}

// Elements that take part, one by one; the others count as written.
std::vector<byte_state> init_check::read_blocks(const step &s, const core_tensor_t &tensor) {
  const unsigned bytes = core_type_bits(tensor.type) / 8;
  state_list states(tensor.rows * tensor.cols, kWritten);
  for (uint64_t i = 0; i < states.size(); ++i) {
    bool high;
    const uint64_t r = i / tensor.cols, c = i % tensor.cols;
    const uint64_t address = core_tensor_address(&tensor, r, c, &high);
    for (unsigned b = 0; b < bytes && core_tensor_has(&tensor, r, c); ++b) {
      byte_state state;
      s.of.space[tensor.space]->get(offset_of(tensor.space, address) + b, 1, &state);
      states[i] = combine(states[i], state == kUnwritten ? new_origin(s, tensor.space, address + b) : state);
    }
  }
  return states;
}

void init_check::write_blocks(const step &s, const core_tensor_t &tensor, const std::vector<byte_state> &states) {
  for (uint64_t i = 0; i < states.size(); ++i) {
    bool high;
    const uint64_t r = i / tensor.cols, c = i % tensor.cols;
    if (core_tensor_has(&tensor, r, c)) {
      s.of.space[tensor.space]->fill(offset_of(tensor.space, core_tensor_address(&tensor, r, c, &high)),
                                     core_type_bits(tensor.type) / 8, states[i]);
    }
  }
}

std::vector<byte_state> init_check::read_keys(const step &s, const core_tensor_t &tensor) {
  state_list states(tensor.rows);
  for (uint64_t key = 0; key < tensor.rows; ++key) {
    const uint64_t row = tensor.base + key % tensor.pitch;
    s.of.space[SPACE_KV]->get(key / tensor.pitch * s.memory.bytes[SPACE_KV] + row, 1, &states[key]);
    if (states[key] == kUnwritten) {
      states[key] = new_origin(s, SPACE_KV, row);
    }
  }
  return states;
}

void init_check::write_keys(const step &s, const core_tensor_t &tensor, const std::vector<byte_state> &states) {
  for (uint64_t key = 0; key < tensor.rows; ++key) {
    const uint64_t row = tensor.base + key % tensor.pitch;
    s.of.space[SPACE_KV]->fill(key / tensor.pitch * s.memory.bytes[SPACE_KV] + row, 1, states[key]);
  }
}

// Padding of strips is written, too: zeros.
void init_check::write(const step &s, const core_tensor_t &tensor, const std::vector<byte_state> &states) {
  byte_states &to = *s.of.space[tensor.space];
  const uint64_t base = offset_of(tensor.space, tensor.base);
  if (tensor.layout == CORE_BLOCKS || tensor.layout == CORE_FRACTALS) {
    return write_blocks(s, tensor, states);
  }
  if (tensor.layout == CORE_STRIPS) {
    core_access_t access[CORE_MAX_ACCESSES];
    const size_t count = core_accesses(&s.command, access);
    fill_written(s.of, access[count - 1]);
    state_list run(tensor.rows * STRIP_ROW);
    const uint64_t strip = core_strip_cols(tensor.type), bytes = STRIP_ROW / strip;
    for (uint64_t c0 = 0; c0 < tensor.cols; c0 += strip) {
      std::fill(run.begin(), run.end(), kWritten);
      for (uint64_t r = 0; r < tensor.rows; ++r) {
        for (uint64_t c = c0; c < std::min(c0 + strip, tensor.cols); ++c) {
          std::fill_n(&run[r * STRIP_ROW + (c - c0) * bytes], bytes, states[r * tensor.cols + c]);
        }
      }
      to.put(base + c0 / strip * tensor.pitch, run.size(), run.data());
    }
    return;
  }
  const unsigned bits = core_type_bits(tensor.type);
  state_list run(row_bytes_of(tensor));
  for (uint64_t r = 0; r < tensor.rows; ++r) {
    const byte_state *row = &states[r * tensor.cols];
    for (uint64_t b = 0; b < run.size(); ++b) {
      const uint64_t first = b * 8 / bits;
      run[b] = bits >= 8 ? row[first] : combine_all(row + first, std::min<uint64_t>(8 / bits, tensor.cols - first));
    }
    to.put(base + r * tensor.pitch, run.size(), run.data());
  }
}

uint64_t init_check::first_unwritten(uint64_t begin, uint64_t end) const {
  return GM_BASE + gm_.first_unwritten(begin - GM_BASE, end - begin);
}

// --- what is found ------------------------------------------------------------------------------------

byte_state init_check::state_of(const core_memory_t &memory, core_space_t space, uint64_t address) const {
  byte_state state = kUnwritten;
  cores_.at(&memory).space[space]->get(offset_of(space, address), 1, &state);
  return state;
}

bool init_check::earlier(const place &a, const place &b) {
  return std::tie(a.cycle, a.core) < std::tie(b.cycle, b.core);
}

// The number of a line of firmware that reads what nobody wrote. When there are too many, the last stands for the
// others.
byte_state init_check::new_origin(const step &s, core_space_t space, uint64_t address) {
  const origin found = {{s.command, s.of.name, s.cycle, firmware_}, space, address};
  const std::lock_guard<std::mutex> lock(mutex_);
  const byte_state next = static_cast<byte_state>(std::min<size_t>(kFirstOrigin + origins_.size(), kLastOrigin));
  const byte_state state = origin_of_.try_emplace({firmware_, s.command.header.pc_}, next).first->second;
  const size_t index = state - kFirstOrigin;
  if (index == origins_.size()) {
    origins_.push_back(found);
  } else if (earlier(found.read, origins_[index].read)) {
    origins_[index] = found;
  }
  return state;
}

void init_check::note_store(const step &s, const core_tensor_t &tensor, const std::vector<byte_state> &states) {
  state_list seen;
  for (const byte_state state : states) {
    if (state != kWritten && std::find(seen.begin(), seen.end(), state) == seen.end()) {
      seen.push_back(state);
    }
  }
  const place here = {s.command, s.of.name, s.cycle, firmware_};
  const auto after = arrays_.upper_bound(tensor.base);
  const uint64_t array = after == arrays_.begin() ? 0 : std::prev(after)->first;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const byte_state state : seen) {
    finding &f = findings_[{array, state, {firmware_, s.command.header.pc_}}];
    if (f.stores++ == 0 || earlier(here, f.store)) {
      f.store = here;
    }
    f.array = array;
    f.by_firmware = !tensor.write;
  }
}

std::vector<init_check::finding> init_check::findings() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<finding> all;
  for (const auto &[key, found] : findings_) {
    const origin &from = origins_[std::get<1>(key) - kFirstOrigin];
    all.push_back(found);
    all.back().read = from.read;
    all.back().space = from.space;
    all.back().address = from.address;
  }
  std::stable_sort(all.begin(), all.end(), [](const finding &a, const finding &b) {
    return earlier(a.store, b.store) || (!earlier(b.store, a.store) && earlier(a.read, b.read));
  });
  return all;
}

}  // namespace soc
