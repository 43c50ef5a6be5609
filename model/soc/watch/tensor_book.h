// What the bytes of a machine's memories are: the types of what commands have written last, so that moves, which do not
// look at what they move, pass them on.
// SPDX-License-Identifier: Apache-2.0
#ifndef SOC_TENSOR_BOOK_H
#define SOC_TENSOR_BOOK_H

#include <cstdint>
#include <map>
#include <mutex>

#include "core/core.h"
#include "core/tensor.h"

namespace soc {

class tensor_book {
 public:
  // In order of effects, from any thread.
  void executed(const core_memory_t &memory, const command_t &command);
  // An operand that is bytes or words of any type, with the type of what was last written where it begins, if that is
  // known.
  core_tensor_t typed(const core_memory_t &memory, const core_tensor_t &tensor) const;

 private:
  struct entry {
    uint64_t end;
    uint32_t type;
  };
  core_tensor_t find_type(const core_memory_t &memory, const core_tensor_t &tensor) const;

  mutable std::mutex mutex_;
  std::map<const uint8_t *, std::map<uint64_t, entry>> of_memory_;   // by the first byte of both
};

}  // namespace soc

#endif
