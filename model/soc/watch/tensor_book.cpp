// SPDX-License-Identifier: Apache-2.0
#include "soc/watch/tensor_book.h"

namespace soc {

uint64_t tensor_end(const core_tensor_t &t) {
  if (t.layout == CORE_BLOCKS || t.layout == CORE_FRACTALS) {
    bool high;
    return core_tensor_address(&t, t.rows - 1, t.cols - 1, &high) + core_type_bits(t.type) / 8;
  }
  const uint64_t runs =
      t.layout == CORE_STRIPS ? (t.cols + core_strip_cols(t.type) - 1) / core_strip_cols(t.type) : t.rows;
  const uint64_t run = t.layout == CORE_STRIPS ? t.rows * 32 : (t.cols * core_type_bits(t.type) + 7) / 8;
  return t.base + (runs - 1) * t.pitch + run;
}

const tensor_book::entry *tensor_book::at(const std::map<uint64_t, entry> &book, uint64_t address) {
  const auto after = book.upper_bound(address);
  return after == book.begin() || std::prev(after)->second.end <= address ? nullptr : &std::prev(after)->second;
}

core_tensor_t tensor_book::find_type(const core_memory_t &memory, const core_tensor_t &tensor) const {
  core_tensor_t typed = tensor;
  const auto book = of_memory_.find(memory.base[tensor.space]);
  if (tensor.type <= CORE_TYPE_BIT || book == of_memory_.end()) {
    return typed;
  }
  const entry *there = at(book->second, tensor.base);
  if (there == nullptr || there->what.type > CORE_TYPE_BIT) {
    return typed;
  }
  const uint32_t type = there->what.type;
  const unsigned bits = core_type_bits(type);
  const uint64_t row_bits = tensor.cols * core_type_bits(tensor.type);
  // A row that is no whole number of them is something else.
  if (bits >= 8 && row_bits % bits == 0 && (tensor.layout == CORE_ROWS || bits == core_type_bits(tensor.type))) {
    typed.type = type;
    typed.cols = row_bits / bits;
  }
  return typed;
}

core_tensor_t tensor_book::typed(const core_memory_t &memory, const core_tensor_t &tensor) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return find_type(memory, tensor);
}

std::vector<tensor_book::entry> tensor_book::entries(const uint8_t *base) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<entry> list;
  const auto book = of_memory_.find(base);
  if (book != of_memory_.end()) {
    for (const auto &[address, e] : book->second) {
      list.push_back(e);
    }
  }
  return list;
}

const tensor_book::entry *tensor_book::find(const uint8_t *base, uint64_t address) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto book = of_memory_.find(base);
  return book == of_memory_.end() ? nullptr : at(book->second, address);
}

void tensor_book::given(const uint8_t *base, const soc_buffer_t *buffers, size_t count) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (size_t i = 0; i < count; ++i) {
    const soc_buffer_t &b = buffers[i];
    if (b.init == nullptr || b.dims == 0) {
      continue;
    }
    core_tensor_t what = {};
    what.field = b.name;
    what.type = b.type;
    what.base = b.address;
    what.rows = 1;
    what.cols = b.shape[b.dims - 1];
    for (unsigned d = 0; d + 1 < b.dims; ++d) {
      what.rows *= b.shape[d];
    }
    what.pitch = b.pitch != 0 ? b.pitch : (what.cols * core_type_bits(b.type) + 7) / 8;
    of_memory_[base][what.base] = {tensor_end(what), what, nullptr, 0, 0, {}};
  }
}

void tensor_book::executed(const core_memory_t &memory, const command_t &command, uint64_t cycle, unsigned firmware) {
  core_tensor_t t[CORE_MAX_TENSORS];
  const size_t count = core_tensors(&command, t);
  if (count == 0 || !t[count - 1].write || t[count - 1].layout == CORE_KEYS) {
    return;
  }
  core_tensor_t &to = t[count - 1];
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool moves = count > 1 && to.type > CORE_TYPE_BIT && t[0].type == to.type;
  const core_tensor_t from = moves ? find_type(memory, t[0]) : to;
  if (from.type != to.type && to.cols * core_type_bits(to.type) % core_type_bits(from.type) == 0) {
    to.cols = to.cols * core_type_bits(to.type) / core_type_bits(from.type);
    to.type = from.type;
  }
  auto &book = of_memory_[memory.base[to.space]];
  const uint64_t end = tensor_end(to);
  auto at = book.lower_bound(to.base);
  if (at != book.begin() && std::prev(at)->second.end > to.base) {
    std::prev(at)->second.end = to.base;
  }
  while (at != book.end() && at->first < end) {
    at = book.erase(at);
  }
  book[to.base] = {end, to, &memory, cycle, firmware, command};
}

}  // namespace soc
