// SPDX-License-Identifier: Apache-2.0
#include "soc/waves.h"

#include <verilated.h>
#include <verilated_fst_c.h>

#include <algorithm>

namespace soc {

waves::waves(double clock_mhz) : picoseconds_per_cycle_(1e6 / clock_mhz) {
  Verilated::traceEverOn(true);
  file_ = std::make_unique<VerilatedFstC>();
  file_->set_time_unit("1ps");
  file_->set_time_resolution("1ps");
}

waves::~waves() = default;

bool waves::open(const std::string &path) {
  file_->open(path.c_str());
  open_ = file_->isOpen();
  return open_;
}

void waves::dump(uint64_t cycle) {
  if (open_) {
    const double begin = static_cast<double>(cycle) * picoseconds_per_cycle_;
    time_ = std::max(time_ + 1, static_cast<uint64_t>(begin));
    file_->dump(time_);
  }
}

void waves::close() {
  if (open_) {
    file_->close();
    open_ = false;
  }
}

}  // namespace soc
