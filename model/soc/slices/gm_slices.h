// All slices in the Verilog, and the threads that run them.
//
// A slice runs behind the machine's clock (gm_slice.h). While the machine is elsewhere, threads let slices work up to
// the machine's cycle at its last visit. The rest is done when the machine asks for answers. Results do not depend on
// the threads: no slice gets beyond the machine, and the machine's view does not depend on how far a slice has got.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_SLICES_GM_SLICES_H
#define AMALGAM_SOC_SLICES_GM_SLICES_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "soc/slices/gm_slice.h"

namespace soc {

class gm_slices {
 public:
  struct answer {  // of a command's last beat in a slice
    unsigned slice;
    uint64_t cycle, token;
  };

  // threads: the calling one included.
  explicit gm_slices(unsigned threads) : threads_(threads) {}
  ~gm_slices();
  gm_slices(const gm_slices &) = delete;
  gm_slices &operator=(const gm_slices &) = delete;

  // The next one, before the first is used.
  void make(const slice_clock &clock, std::unique_ptr<gm_unit> unit, gm_slice::taken_fn taken);
  size_t size() const { return slices_.size(); }

  // As of gm_slice. The machine is in cycle now: beats arrive later.
  void add(unsigned slice, uint64_t token, std::vector<gm_slice::beat> beats, uint64_t now);
  uint64_t earliest(unsigned slice, uint64_t token);
  uint64_t next(unsigned slice);

  // These slices work up to and including cycle now, and what they have answered since they were last here is appended.
  // Returns one that answered before its time, if any did.
  std::optional<unsigned> reach(const std::vector<unsigned> &slices, uint64_t now, std::vector<answer> &answers);

  // At the end, when nothing is owed.
  uint64_t ticks() const;
  gm_status status(unsigned slice) const;
  double seconds() const;  // of all threads

 private:
  static constexpr uint64_t kWorthAThread = 100;  // clock cycles, of a sixth of a microsecond each

  struct one {
    explicit one(gm_slice made) : slice(std::move(made)) {}
    mutable std::mutex mutex;  // of what follows
    gm_slice slice;
    std::vector<gm_slice::answer> answers;  // not yet passed on
    double seconds = 0;
  };
  static void advance(one &of, uint64_t now);
  uint64_t behind(const std::vector<unsigned> &slices, uint64_t now);
  bool work_some(uint64_t until);
  void work();

  unsigned threads_;
  std::deque<one> slices_;
  std::vector<unsigned> left_;  // slices that another thread had
  std::vector<std::thread> workers_;
  std::atomic<uint64_t> until_{0};  // the machine's cycle
  std::atomic<unsigned> asleep_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
};

}  // namespace soc

#endif
