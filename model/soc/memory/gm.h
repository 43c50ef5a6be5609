// Global memory: its bytes and the arrays in them.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_MEMORY_GM_H
#define AMALGAM_SOC_MEMORY_GM_H

#include <optional>
#include <string>
#include <vector>

#include "core/core.h"
#include "hal/registers.h"
#include "soc/cores/simulation.h"
#include "soc/races/gm_users.h"

namespace soc {

class global_memory {
 public:
  struct array {
    const char *name;
    uint64_t begin, end;  // global addresses
    bool read_only;
    bool numbers;  // for GATHER_IN and scalar cores
    bool given;    // holds values from the start
    bool result;   // the host gets it
    bool flags;    // for SIGNAL and AWAIT
    soc_traffic_t traffic;
  };

  // args_bytes: room for the arguments of the kernels.
  global_memory(simulation &sim, soc_buffer_t *buffers, size_t count, size_t args_bytes);

  // A kernel begins: its arguments; nothing it does races with what was before.
  void launch(const void *args, size_t args_bytes);

  // The part that scalar cores see: the arguments and arrays of numbers, in pages; [begin, end) from GM_BASE on.
  struct range {
    uint64_t begin, end;
  };
  std::vector<range> windows() const;

  uint8_t *base() { return base_; }
  uint64_t bytes() const { return bytes_; }
  const std::vector<array> &arrays() const { return arrays_; }

  // A message if the access leaves its array, writes one that is read only, or is atomic where no slice reaches.
  std::optional<std::string> check(const core_access_t &access, bool atomic) const;
  // Is the address in an array that no command may write, so that nothing races in it?
  bool is_read_only(uint64_t address) const { return find(address)->read_only; }
  // Is the address in an array of numbers?
  bool is_numbers(uint64_t address) const;
  // Is the address in an array of flags?
  bool is_flags(uint64_t address) const {
    const array *a = find(address);
    return a != nullptr && a->flags;
  }
  // The die of a system in whose memory an address is; that of who asks, if there is no system.
  unsigned home(uint64_t address, unsigned die) const {
    return window_ == 0 ? die : static_cast<unsigned>((address - GM_BASE) / window_);
  }
  uint64_t window() const { return window_; }
  // Likewise for what a GATHER_IN reads: its list, whose numbers are looked at, and its rows.
  std::optional<std::string> check_gather(const core_memory_t &memory, const cmd_gather_in_t &command) const;
  // The domain (core_domain::index) with whose access one of another domain races.
  std::optional<unsigned> race_between_cores(const gm_users::user &who, const core_access_t &access);

  // The books of the array an address is in.
  soc_traffic_t &traffic_of(uint64_t address);

  // As the host described them.
  const soc_buffer_t *buffers() const { return buffers_; }
  size_t buffer_count() const { return count_; }

  // Results and books of the arrays to the buffers.
  void copy_results() const;
  // The array, if any, of which a launch has left other results than the one before it, which
  // copy_results has kept.
  const char *changed_result() const;
  // Results are what nobody wrote.
  void clear_results();

 private:
  const array *find(uint64_t address) const;

  soc_buffer_t *buffers_;
  size_t count_;
  uint64_t bytes_ = 0;
  uint8_t *base_ = nullptr;
  std::vector<array> arrays_;  // in address order
  mutable size_t last_found_ = 0;
  uint64_t window_ = 0;  // of a die of a system
  gm_users users_;
  bool several_cores_;
};

}  // namespace soc

#endif
