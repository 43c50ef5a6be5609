// A tile that leaves L0C.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/attention/attention_args.h"

void cube_main(void) { mmad(.l0a = 0, .l0b = 0, .l0c = 96 * 1024, .m = 128, .n = 128, .k = 16, .type = TYPE_BF16); }

void vector_main(void) {}
