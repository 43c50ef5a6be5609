// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "num/golden/num_attention.h"

void num_error(const double *golden, const float *x, size_t n, num_error_t *error) {
  double difference_sq = 0.0;
  double golden_sq = 0.0;
  double x_sq = 0.0;
  double product = 0.0;
  double max_abs = 0.0;
  for (size_t i = 0; i < n; ++i) {
    const double value = (double)x[i];
    const double difference = fabs(value - golden[i]);
    difference_sq += difference * difference;
    golden_sq += golden[i] * golden[i];
    x_sq += value * value;
    product += value * golden[i];
    // A NaN gets in and, comparing false, is never replaced.
    max_abs = difference > max_abs || isnan(difference) ? difference : max_abs;
  }
  const double squares = x_sq + golden_sq;
  error->absolute = golden_sq == 0.0;
  error->rel_fro = error->absolute ? sqrt(difference_sq) : sqrt(difference_sq) / sqrt(golden_sq);
  error->max_abs = max_abs;
  error->cos_diff = squares == 0.0 ? 0.0 : 1.0 - 2.0 * product / squares;
}
