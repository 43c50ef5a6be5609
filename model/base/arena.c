// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/interrupt.h"

enum { BLOCK_BYTES = 1 << 16, ALIGN = _Alignof(max_align_t) };

typedef struct arena_block {
  struct arena_block *next;
  size_t used, size;
  _Alignas(max_align_t) unsigned char bytes[];
} arena_block_t;

static void *take(arena_t *arena, size_t bytes, size_t align) {
  arena_block_t *block = arena->blocks;
  size_t at = block == NULL ? 0 : (block->used + align - 1) / align * align;
  if (block == NULL || at > block->size || bytes > block->size - at) {
    const size_t size = bytes > BLOCK_BYTES / 4 ? bytes : BLOCK_BYTES;
    block = malloc(sizeof *block + size);
    if (block == NULL) {
      host_out_of_memory();
    }
    *block = (arena_block_t){.next = arena->blocks, .size = size};
    arena->blocks = block;
    at = 0;
  }
  block->used = at + bytes;
  return block->bytes + at;
}

void *arena_bytes(arena_t *arena, size_t count, size_t size) {
  if (size != 0 && count > (size_t)-1 / 2 / size) {
    host_out_of_memory();
  }
  void *bytes = take(arena, count * size, ALIGN);
  return memset(bytes, 0, count * size);
}

char *arena_text(arena_t *arena, const char *text) {
  const size_t bytes = strlen(text) + 1;
  return memcpy(take(arena, bytes, 1), text, bytes);
}

char *arena_print(arena_t *arena, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  va_list again;
  va_copy(again, arguments);
  const int length = vsnprintf(NULL, 0, format, arguments);
  char *text = take(arena, (size_t)length + 1, 1);
  vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  va_end(arguments);
  return text;
}

void arena_free(arena_t *arena) {
  for (arena_block_t *block = arena->blocks, *next; block != NULL; block = next) {
    next = block->next;
    free(block);
  }
  arena->blocks = NULL;
}
