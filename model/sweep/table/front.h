// The Pareto front: points than which no other is better in one way and as good in the other.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SWEEP_TABLE_FRONT_H
#define AMALGAM_SWEEP_TABLE_FRONT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct front_point {
  double x, y;  // numbers, not NAN
  size_t row;
} front_point_t;

// Sorts the points of the front to the beginning, by x, the best first, and returns how many they are. If several
// points are equal, the first row is in it.
size_t front_of(front_point_t *point, size_t count, bool most_x, bool most_y);

#endif
