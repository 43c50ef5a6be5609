// Global memory: the arrays, which of their bytes are in L2, and the atomic slices.
// SPDX-License-Identifier: Apache-2.0
#ifndef SOC_GM_H
#define SOC_GM_H

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/core.h"
#include "soc/gm_slice.h"
#include "soc/simulation.h"

namespace soc {

class global_memory {
 public:
  global_memory(simulation &sim, soc_buffer_t *buffers, size_t count, const void *args,
                size_t args_bytes);
  ~global_memory();
  global_memory(const global_memory &) = delete;
  global_memory &operator=(const global_memory &) = delete;

  uint8_t *base() { return base_; }
  uint64_t bytes() const { return bytes_; }
  uint64_t args_bytes() const { return args_bytes_; }
  race_memory &races() { return races_; }

  // A message if the access leaves its array or writes one that is read only.
  std::optional<std::string> check(const core_access_t &access) const;

  // Books a load or a store; a load returns how many of its bytes had to come from HBM.
  uint64_t read(const core_access_t &access);
  void write(const core_access_t &access);

  // Sends an atomic command's beats to the slices, spread over duration cycles from now.  The
  // operands are taken from the core's memory now.
  std::shared_ptr<gm_transfer> start_atomic(const core_memory_t &memory, const command_t &command,
                                            uint64_t duration);

  void copy_results() const;
  void report(soc_result_t &result) const;

 private:
  struct array {
    const char *name;
    uint64_t begin, end;
    bool read_only;
  };
  const array *find(uint64_t address) const;
  uint64_t touch(const core_access_t &access);
  void place_beats(uint64_t address, uint64_t bytes, const uint32_t *operands, unsigned op,
                   std::vector<std::pair<unsigned, gm_request_t>> &beats) const;

  simulation &sim_;
  soc_buffer_t *buffers_;
  size_t count_;
  uint64_t args_bytes_;
  uint64_t bytes_ = 0;
  uint8_t *base_ = nullptr;
  std::vector<array> arrays_;          // in address order
  std::vector<bool> in_l2_;            // by line of 512 bytes
  race_memory races_;
  std::vector<std::unique_ptr<gm_slice>> slices_;
};

}  // namespace soc

#endif
