// SPDX-License-Identifier: Apache-2.0
#include "soc/watch/tensor_book.h"

namespace soc {
namespace {

uint64_t end_of(const core_tensor_t &t) {
  const uint64_t runs = t.layout == CORE_STRIPS ? (t.cols + 15) / 16 : t.rows;
  const uint64_t run = t.layout == CORE_STRIPS ? t.rows * 32 : (t.cols * core_type_bits(t.type) + 7) / 8;
  return t.base + (runs - 1) * t.pitch + run;
}

}  // namespace

core_tensor_t tensor_book::find_type(const core_memory_t &memory, const core_tensor_t &tensor) const {
  core_tensor_t typed = tensor;
  const auto book = of_memory_.find(memory.base[tensor.space]);
  if (tensor.type <= CORE_TYPE_BIT || book == of_memory_.end()) {
    return typed;
  }
  const auto after = book->second.upper_bound(tensor.base);
  if (after == book->second.begin() || std::prev(after)->second.end <= tensor.base) {
    return typed;
  }
  const uint32_t type = std::prev(after)->second.type;
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

void tensor_book::executed(const core_memory_t &memory, const command_t &command) {
  core_tensor_t t[CORE_MAX_TENSORS];
  const size_t count = core_tensors(&command, t);
  if (count < 2 || t[count - 1].layout == CORE_KEYS) {
    return;
  }
  core_tensor_t &to = t[count - 1];
  const std::lock_guard<std::mutex> lock(mutex_);
  if (to.type > CORE_TYPE_BIT && t[0].type == to.type) {
    to.type = find_type(memory, t[0]).type;
  }
  auto &book = of_memory_[memory.base[to.space]];
  const uint64_t end = end_of(to);
  auto at = book.lower_bound(to.base);
  if (at != book.begin() && std::prev(at)->second.end > to.base) {
    std::prev(at)->second.end = to.base;
  }
  while (at != book.end() && at->first < end) {
    at = book.erase(at);
  }
  if (to.type <= CORE_TYPE_BIT) {
    book[to.base] = {end, to.type};
  }
}

}  // namespace soc
