// The types of the bytes in a machine's memories, from the commands that wrote them last. So moves, which do not
// look at their data, pass types on.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_WATCH_TENSOR_BOOK_H
#define AMALGAM_SOC_WATCH_TENSOR_BOOK_H

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "core/core.h"
#include "core/tensor.h"
#include "soc/soc.h"

namespace soc {

// Behind the last byte of a tensor, gaps and all.
uint64_t tensor_end(const core_tensor_t &tensor);

class tensor_book {
 public:
  // A tensor that a command wrote, as far as nobody has written over it.
  struct entry {
    uint64_t end;  // behind the last byte that is still its own
    core_tensor_t what;
    const core_memory_t *memory;  // of the command's core
    uint64_t cycle;
    unsigned firmware;  // its number
    command_t command;
  };

  // In order of effects, from any thread. cycle and firmware are kept for those who read entries.
  void executed(const core_memory_t &memory, const command_t &command, uint64_t cycle = 0, unsigned firmware = 0);
  // Arrays that the host filled, in the global memory of this first byte; their entries have no memory.
  void given(const uint8_t *base, const soc_buffer_t *buffers, size_t count);
  // All of a memory by its first byte, in the order of their addresses; and the one that has an address, null if none.
  std::vector<entry> entries(const uint8_t *base) const;
  const entry *find(const uint8_t *base, uint64_t address) const;
  // An operand that is bytes or words of any type, with the type of what was last written where it begins, if that is
  // known.
  core_tensor_t typed(const core_memory_t &memory, const core_tensor_t &tensor) const;

 private:
  static const entry *at(const std::map<uint64_t, entry> &book, uint64_t address);
  core_tensor_t find_type(const core_memory_t &memory, const core_tensor_t &tensor) const;

  mutable std::mutex mutex_;
  std::map<const uint8_t *, std::map<uint64_t, entry>> of_memory_;  // by the first byte of both
};

}  // namespace soc

#endif
