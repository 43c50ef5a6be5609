// For Verilator's library: a name that there is no memory for is an exception, as for everything else in C++. It keeps
// a copy of each module's name by strdup, and does not look.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_WAVES_VERILATED_MEMORY_H
#define AMALGAM_WAVES_VERILATED_MEMORY_H

#include <cstring>
#include <new>

static inline char *verilated_strdup(const char *text) {
  char *copy = strdup(text);
  if (copy == nullptr) throw std::bad_alloc();
  return copy;
}
#define strdup verilated_strdup

#endif
