// The simulator's functions for a kernel built for the host, in place of the bus.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_HAL_NATIVE_H
#define AMALGAM_SW_HAL_NATIVE_H

#include <stdint.h>

#include "hal/registers.h"

typedef struct hal_host {
  uint64_t (*read)(enum scalar_register reg);
  void (*write)(enum scalar_register reg, uint64_t value);
  const void *(*gm)(uint64_t address);  // pointer to bytes of global memory
} hal_host_t;

#endif
