// The one variable of a kernel built for the host: set once, before an entry point is called.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"

const hal_host_t *hal_host;
