// Finds reads of bytes that nobody wrote, if what they hold reaches an array that the host gets.
//
// Moving or computing on such bytes is no error: tiles have padding. So each byte has a state (byte_states.h), and a
// command's results get their states from the elements that they are computed from (core/tensor.h): a value that
// depends on unwritten bytes names the command that read them first. A store that brings such a value into an output
// is a finding, and so is a READ_GM of one, for the firmware goes by it.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_RACES_INIT_CHECK_H
#define AMALGAM_SOC_RACES_INIT_CHECK_H

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/core.h"
#include "core/tensor.h"
#include "soc/races/byte_states.h"

namespace soc {

class init_check {
 public:
  // A command somewhere; of several from one line the earliest.
  struct place {
    command_t command;
    std::string core;
    uint64_t cycle;
    unsigned firmware;  // its number
  };
  struct finding {
    place read, store;
    core_space_t space;  // that was read
    uint64_t address;    // a byte there that nobody wrote
    uint64_t array;      // where the first byte of the array is
    uint64_t stores;     // that did so
    bool by_firmware;    // they are READ_GMs, from the array
  };

  explicit init_check(uint64_t gm_bytes);

  // Cores, before anything is executed. memory must stay where it is.
  void add_core(const std::string &name, const core_memory_t &memory);
  // The bytes of an array of global memory: all hold a value, or none does. Others hold one.
  void set_array(uint64_t begin, uint64_t end, bool written);
  void launched(unsigned firmware) { firmware_ = firmware; }

  // A command takes effect: before it is executed, in the order of effects, from any thread.
  void execute(const core_memory_t &memory, const command_t &command, uint64_t cycle);

  // The first byte of a range of global memory that nobody wrote; end if there is none.
  uint64_t first_unwritten(uint64_t begin, uint64_t end) const;

  // State of a byte as a core sees it; in SPACE_KV of a row of one block, block after block.
  byte_state state_of(const core_memory_t &memory, core_space_t space, uint64_t address) const;

  // In order of time.
  std::vector<finding> findings() const;

 private:
  struct core {
    std::string name;
    byte_states *space[SPACE_COUNT] = {};
  };
  struct origin {
    place read;
    core_space_t space;
    uint64_t address;
  };
  struct step;                                 // a command that is followed in detail
  using line = std::pair<unsigned, uint64_t>;  // firmware and program counter

  static bool earlier(const place &a, const place &b);
  byte_states *states(const uint8_t *base, uint64_t bytes);
  bool all_written(const core &of, const core_memory_t &memory, const core_access_t &access) const;
  void fill_written(const core &of, const core_access_t &access);  // not of keys: write_keys
  byte_state new_origin(const step &s, core_space_t space, uint64_t address);
  void follow(const step &s);
  void follow_repeats(const step &s);
  void look(const step &s);  // a READ_GM
  std::vector<byte_state> read(const step &s, const core_tensor_t &tensor);
  std::vector<byte_state> read_blocks(const step &s, const core_tensor_t &tensor);
  void write_blocks(const step &s, const core_tensor_t &tensor, const std::vector<byte_state> &states);
  std::vector<byte_state> read_keys(const step &s, const core_tensor_t &tensor);
  void write(const step &s, const core_tensor_t &tensor, const std::vector<byte_state> &states);
  void write_keys(const step &s, const core_tensor_t &tensor, const std::vector<byte_state> &states);
  void note_store(const step &s, const core_tensor_t &tensor, const std::vector<byte_state> &states);

  std::unordered_map<const uint8_t *, std::unique_ptr<byte_states>> spaces_;  // by their first byte
  std::unordered_map<const core_memory_t *, core> cores_;
  byte_states gm_;
  std::map<uint64_t, uint64_t> arrays_;  // begin and end
  unsigned firmware_ = 0;
  mutable std::mutex mutex_;  // of what follows
  std::map<line, byte_state> origin_of_;
  std::vector<origin> origins_;  // by state - kFirstOrigin
  std::map<std::tuple<uint64_t, byte_state, line>, finding> findings_;
};

}  // namespace soc

#endif
