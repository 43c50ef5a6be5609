// Follows a wild pointer (RV64 only: a native build would take the simulator down).
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/attention/attention_args.h"

void cube_main(void) { *(volatile uint64_t *)0x1234000 = 1; }

void vector_main(void) {}
