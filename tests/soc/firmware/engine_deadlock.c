// STORE waits for a result that nobody announces.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"

void engine_main(void) { wait_flag(PIPE_ATTN, PIPE_STORE, 2); }
