// Memory that is freed all at once; where there is none left the process ends (host_out_of_memory).
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_BASE_ARENA_H
#define AMALGAM_BASE_ARENA_H

#include <stddef.h>

typedef struct arena {
  struct arena_block *blocks;  // NULL at first
} arena_t;

// Zeros, for any type.
void *arena_bytes(arena_t *arena, size_t count, size_t size);

char *arena_text(arena_t *arena, const char *text);
char *arena_print(arena_t *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

void arena_free(arena_t *arena);

#endif
