// SPDX-License-Identifier: Apache-2.0
#include "sweep/table/front.h"

#include <stdlib.h>

// Less is better.
static int compare(const void *a, const void *b) {
  const front_point_t *p = a, *q = b;
  if (p->x != q->x) {
    return p->x < q->x ? -1 : 1;
  }
  if (p->y != q->y) {
    return p->y < q->y ? -1 : 1;
  }
  return (p->row > q->row) - (p->row < q->row);
}

static void turn(front_point_t *point, size_t count, bool x, bool y) {
  for (size_t i = 0; i < count; ++i) {
    point[i].x = x ? -point[i].x : point[i].x;
    point[i].y = y ? -point[i].y : point[i].y;
  }
}

size_t front_of(front_point_t *point, size_t count, bool most_x, bool most_y) {
  size_t kept = 0;
  turn(point, count, most_x, most_y);
  qsort(point, count, sizeof *point, compare);
  for (size_t i = 0; i < count; ++i) {
    if (kept == 0 || point[i].y < point[kept - 1].y) {
      const front_point_t passed = point[kept];
      point[kept++] = point[i];
      point[i] = passed;
    }
  }
  turn(point, count, most_x, most_y);
  return kept;
}
