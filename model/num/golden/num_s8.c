// SPDX-License-Identifier: Apache-2.0
#include "num/golden/num_s8.h"

#include "num/num_isa.h"

NUM_CLONES
void num_s8_column(size_t m, size_t k, const int8_t *a, const int8_t *column, int32_t *sum) {
  for (size_t i = 0; i < m; ++i) {
    uint32_t all = 0;
    for (size_t p = 0; p < k; ++p) {
      all += (uint32_t)(a[i * k + p] * column[p]);
    }
    sum[i] = (int32_t)all;
  }
}
