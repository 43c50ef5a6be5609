// Ends a program whose Verilated model finds a broken assertion of the RTL (rtl/lib/assert.vh).
// SPDX-License-Identifier: Apache-2.0
#include <verilated.h>

#include <cstdio>
#include <cstdlib>

// In place of Verilator's own, which aborts: VL_USER_STOP.  The model has said which assertion, and of which instance.
void vl_stop(const char *file, int line, const char *) VL_MT_UNSAFE {
  std::fprintf(stderr, "amalgam: %s:%d: the RTL's contract is broken, by the RTL or by what drives it\n", file, line);
  std::exit(1);
}
