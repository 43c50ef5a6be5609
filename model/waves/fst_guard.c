// SPDX-License-Identifier: Apache-2.0
#define FST_GUARD_CALLS
#include "waves/fst_guard.h"

#include <errno.h>
#include <stddef.h>

#undef malloc
#undef calloc
#undef realloc
#undef strdup
#undef free
#undef fopen
#undef tmpfile
#undef fwrite
#undef fputc
#undef fflush
#undef fseeko
#undef ftruncate
#undef fclose

// Stands before each piece of the writer's memory.
struct fst_guard_block {
  _Alignas(max_align_t) fst_guard_block_t *next;
  fst_guard_block_t **link;  // what points here, NULL outside of a guard
};

static _Thread_local fst_guard_t *guard;  // of the call that this thread is in

bool fst_guarded(fst_guard_t *of, void (*call)(void *context), void *context) {
  guard = of;
  if (of->why == 0 && setjmp(of->left) == 0) {
    call(context);
  }
  guard = NULL;
  return of->why == 0;
}

// Without a guard, as in the reader, whoever called looks.
static void fail(int why) {
  if (guard != NULL) {
    guard->why = why == 0 ? EIO : why;
    longjmp(guard->left, 1);
  }
}

// --- memory -----------------------------------------------------------------------------------

static void unlink_block(fst_guard_block_t *block) {
  if (block->link != NULL) {
    *block->link = block->next;
  }
  if (block->next != NULL) {
    block->next->link = block->link;
  }
}

static void link_block(fst_guard_block_t *block) {
  *block = (fst_guard_block_t){NULL, NULL};
  if (guard != NULL) {
    *block = (fst_guard_block_t){guard->blocks, &guard->blocks};
    guard->blocks = block;
  }
  if (block->next != NULL) {
    block->next->link = &block->next;
  }
}

static void *linked(fst_guard_block_t *block) {
  if (block == NULL) {
    fail(ENOMEM);
    return NULL;
  }
  link_block(block);
  return block + 1;
}

void *fst_guard_malloc(size_t bytes) { return linked(malloc(sizeof(fst_guard_block_t) + bytes)); }

void *fst_guard_calloc(size_t count, size_t bytes) {
  return linked(calloc(1, sizeof(fst_guard_block_t) + count * bytes));
}

void *fst_guard_realloc(void *memory, size_t bytes) {
  if (memory == NULL) {
    return fst_guard_malloc(bytes);
  }
  fst_guard_block_t *block = (fst_guard_block_t *)memory - 1;
  unlink_block(block);
  fst_guard_block_t *larger = realloc(block, sizeof *block + bytes);
  if (larger == NULL) {
    link_block(block);
  }
  return linked(larger);
}

char *fst_guard_strdup(const char *text) {
  const size_t bytes = strlen(text) + 1;
  char *copy = fst_guard_malloc(bytes);
  return copy == NULL ? NULL : memcpy(copy, text, bytes);
}

void fst_guard_free(void *memory) {
  if (memory != NULL) {
    unlink_block((fst_guard_block_t *)memory - 1);
    free((fst_guard_block_t *)memory - 1);
  }
}

// --- files ------------------------------------------------------------------------------------

static FILE **entry_of(FILE *file) {
  FILE **entry = guard->files;
  while (entry < guard->files + FST_GUARD_FILES - 1 && *entry != file) {
    ++entry;
  }
  return entry;
}

static FILE *opened(FILE *file) {
  if (file == NULL) {
    fail(errno);
  } else if (guard != NULL) {
    *entry_of(NULL) = file;
  }
  return file;
}

FILE *fst_guard_tmpfile(void) {
  const int number = memfd_create("fst", MFD_CLOEXEC);
  FILE *file = number < 0 ? NULL : fdopen(number, "w+b");
  if (number >= 0 && file == NULL) {
    close(number);
  }
  return opened(file);
}

// The hierarchy, which the writer would keep in a file beside the waveforms, is a temporary file as the others.
FILE *fst_guard_fopen(const char *path, const char *mode) {
  const size_t length = strlen(path);
  const bool hierarchy = guard != NULL && length > 5 && strcmp(path + length - 5, ".hier") == 0;
  return hierarchy ? fst_guard_tmpfile() : guard != NULL ? opened(fopen(path, mode)) : fopen(path, mode);
}

size_t fst_guard_fwrite(const void *memory, size_t bytes, size_t count, FILE *file) {
  const size_t written = fwrite(memory, bytes, count, file);
  if (written < count && bytes > 0) {
    fail(errno);
  }
  return written;
}

static int checked(int result) {
  if (result < 0) {  // EOF, too
    fail(errno);
  }
  return result;
}

int fst_guard_fputc(int byte, FILE *file) { return checked(fputc(byte, file)); }
int fst_guard_fflush(FILE *file) { return checked(fflush(file)); }
int fst_guard_fseeko(FILE *file, off_t offset, int whence) { return checked(fseeko(file, offset, whence)); }
int fst_guard_ftruncate(int file, off_t bytes) { return checked(ftruncate(file, bytes)); }

int fst_guard_fclose(FILE *file) {
  if (guard != NULL) {
    *entry_of(file) = NULL;
  }
  return checked(fclose(file));
}

void *fst_guard_map(size_t bytes, int file) {
  char *memory = fst_guard_malloc(bytes);
  for (size_t at = 0; at < bytes;) {
    const ssize_t got = pread(file, memory + at, bytes - at, (off_t)at);
    if (got <= 0) {
      fail(got == 0 ? EIO : errno);
      return memory;
    }
    at += (size_t)got;
  }
  return memory;
}

void fst_guard_end(fst_guard_t *of) {
  for (size_t i = 0; i < FST_GUARD_FILES; ++i) {
    if (of->files[i] != NULL) {
      fclose(of->files[i]);
    }
  }
  while (of->blocks != NULL) {
    fst_guard_free(of->blocks + 1);
  }
}
