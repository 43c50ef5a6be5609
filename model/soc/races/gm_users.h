// Who used each byte of global memory, of all AI cores: finds accesses of two domains (an AI core, a pair of them, or
// an attention engine) to the same bytes, at least one a write, that no chain of flags and SYNC_ALLs orders.  Those
// within a domain are the race detector's to find, and must have been looked at before they come here.
//
// For each byte there is the last write, and what read it since.  A later access that is ordered after these takes
// their place: whatever is ordered after it is ordered after them, too.  So the answer is exact, and little is kept.
//
// Most memory is one domain's alone. Of blocks that nobody else has used, only the domain's accesses are kept, each
// once, with the last time; what they left in each line is found when somebody else comes.
//
// Memory that several use is lines of 512 bytes.  A line has the number of a state, which says who used which part of
// it; lines that were used alike share one.  So an access, which mostly finds a row of lines alike, asks once and
// writes numbers.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_RACES_GM_USERS_H
#define AMALGAM_SOC_RACES_GM_USERS_H

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/core.h"
#include "soc/races/meetings.h"
#include "soc/races/race_detector.h"

namespace soc {

class gm_users {
 public:
  // An agent at a command.
  struct user {
    const meetings &syncs;
    const vector_clock &clock;
    uint32_t since;  // when it last handed its clock on: who has seen more than that has seen this command
    uint16_t domain, agent;
  };

  // Untouched memory costs no resident host memory (zero pages). Throws std::runtime_error if there is no address
  // space for it.
  explicit gm_users(uint64_t memory);
  ~gm_users();
  gm_users(const gm_users &) = delete;
  gm_users &operator=(const gm_users &) = delete;

  // All later accesses are ordered after all earlier ones.
  void forget();
  // Notes an access; returns the domain with whose earlier access it races. base counts from GM_BASE.
  std::optional<unsigned> access(const user &who, const core_access_t &access, uint64_t base);

 private:
  static constexpr uint64_t kLine = 512, kSteps = 64, kBlock = 4096;
  static constexpr uint16_t kShared = UINT16_MAX;
  static constexpr size_t kMostAlone = 16384;  // accesses of a domain that are kept
  struct part {                                // of a line, and who used it
    uint16_t begin, end;                       // bytes
    uint16_t domain;
    uint8_t agent, write;
    uint32_t since;
    bool is_like(const part &other) const {
      return since == other.since && agent == other.agent && domain == other.domain && write == other.write;
    }
    bool operator==(const part &other) const { return is_like(other) && begin == other.begin && end == other.end; }
  };
  struct lone_access {  // to blocks of one domain's alone
    uint64_t begin, pitch, rows, row_bytes;
    uint8_t agent, write;
    bool operator==(const lone_access &other) const {
      return begin == other.begin && pitch == other.pitch && rows == other.rows && row_bytes == other.row_bytes &&
             agent == other.agent && write == other.write;
    }
    uint64_t end() const { return begin + (rows - 1) * pitch + row_bytes; }
  };
  struct slot {        // of a table
    lone_access what;  // rows 0: none
    uint32_t since;    // its agent last handed its clock on
  };
  struct table {  // a power of two of slots, at most half of them taken
    std::vector<slot> slots;
    size_t taken = 0;
    slot &find(const lone_access &what);  // it, or where it belongs
    void note(const lone_access &what, uint32_t since);
    void resize(size_t size);
  };
  struct state {
    std::vector<part> parts;
    uint64_t lines = 0;  // that are in it
  };
  struct step {        // from one state to another, by the access under way
    uint64_t key = 0;  // a state, and the bytes of the line that are used: from bits 32 and 48 on; 0: none
    uint32_t to = 0;
    uint64_t lines = 0;  // that have gone
  };

  bool are_alike(uint64_t first, uint64_t last) const;
  bool is_alone(const lone_access &now, const user &who);
  void share(const lone_access &now);
  void share_of(uint16_t domain, uint64_t begin, uint64_t end);
  void write_out(uint16_t domain, const lone_access &old, uint32_t since, uint64_t begin, uint64_t end);
  bool use_bytes(const user &who, const part &now, uint64_t begin, uint64_t end);
  bool use_lines(const user &who, const part &now, uint64_t first, uint64_t end);
  bool use_rest(const user &who, part now, uint64_t begin, uint64_t end);
  bool make_step(const user &who, const part &now, uint64_t key, step &to_make);
  bool follow(const user &who, part now, const state &from);
  void keep_rest(const part &old, const part &now);
  uint32_t number_of(const std::vector<part> &parts, uint32_t old);
  void retire(step &old);
  void retire_steps();

  uint64_t mapped_;             // bytes of lines_
  uint32_t *lines_;             // numbers of their states; at first 0
  uint16_t *blocks_;            // 0: nobody used it, a domain and 1: it alone did, kShared: several
  std::vector<table> alone_;    // by domain
  std::vector<state> states_;   // the first: nobody used it
  std::vector<uint32_t> free_;  // numbers of states that no line is in
  unsigned races_with_ = 0;
  // Of the access under way.
  std::array<step, kSteps> steps_;
  std::vector<step *> used_;
  std::vector<uint32_t> made_, left_;  // states that are new, and those that lines may have left
  std::vector<part> next_;             // of the state that is looked for
};

}  // namespace soc

#endif
