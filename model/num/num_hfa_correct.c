// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "num/num_hfa.h"

uint16_t num_hfa_correct(uint32_t d, bool subtract) {
  const double x = exp2(-(double)d / 128.0);
  return (uint16_t)(fabs(log2(subtract ? 1.0 - x : 1.0 + x)) * 128.0 + 0.5);
}
