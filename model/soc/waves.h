// Waveforms of the Verilated units, all in one FST file.
//
// Time is in picoseconds of the cores' clock.  The units are evaluated one after the other, so within
// a cycle the edges of each stand a picosecond or two after those of the one before.
// SPDX-License-Identifier: Apache-2.0
#ifndef SOC_WAVES_H
#define SOC_WAVES_H

#include <cstdint>
#include <memory>
#include <string>

class VerilatedFstC;

namespace soc {

class waves {
 public:
  explicit waves(double clock_mhz);
  ~waves();
  // For the units, before open: each adds its signals.
  VerilatedFstC &file() { return *file_; }
  // False if the file cannot be written.
  bool open(const std::string &path);
  // Notes all signals as they are now, in this cycle.
  void dump(uint64_t cycle);
  void close();

 private:
  std::unique_ptr<VerilatedFstC> file_;
  double picoseconds_per_cycle_;
  bool open_ = false;
  uint64_t time_ = 0;
};

}  // namespace soc

#endif
