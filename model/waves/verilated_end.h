// The end of a Verilated model: its final blocks, and in a build for coverage what its lines and signals have done.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_WAVES_VERILATED_END_H
#define AMALGAM_WAVES_VERILATED_END_H

#include <verilated.h>
#if VM_COVERAGE
#include <unistd.h>
#include <verilated_cov.h>

#include <cstdlib>
#include <string>
#endif

// Before the model is deleted.  Coverage goes to a file of its own in the folder $AMALGAM_RTL_COVERAGE.
template <class Rtl>
void verilated_end(Rtl &rtl) {
  rtl.final();
  Verilated::threadContextp(rtl.contextp());  // from which its scopes erase themselves
#if VM_COVERAGE
  static int models = 0;
  if (const char *folder = std::getenv("AMALGAM_RTL_COVERAGE")) {
    const std::string unit = std::to_string(reinterpret_cast<uintptr_t>(&models) >> 4);  // one a library
    const std::string file = std::to_string(getpid()) + "-" + unit + "-" + std::to_string(models++) + ".dat";
    VerilatedCovContext *coverage = rtl.contextp()->coveragep();
    coverage->write((std::string(folder) + "/" + file).c_str());
    coverage->clear();  // it points into models, and knows not when they go
  }
#endif
}

#endif  // AMALGAM_WAVES_VERILATED_END_H
