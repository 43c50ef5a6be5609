// Ctrl-C while a simulation runs: asks it to stop, so that its files can be closed.
// SPDX-License-Identifier: Apache-2.0
#ifndef SOC_INTERRUPT_H
#define SOC_INTERRUPT_H

namespace soc {

bool interrupted();

// Catches SIGINT and SIGTERM for its life.
class interrupt_guard {
 public:
  interrupt_guard();
  ~interrupt_guard();
  interrupt_guard(const interrupt_guard &) = delete;
  interrupt_guard &operator=(const interrupt_guard &) = delete;
};

}  // namespace soc

#endif
