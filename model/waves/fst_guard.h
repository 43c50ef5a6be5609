// A guard around GTKWave's FST writer, which does not look whether memory, a write or a mapping fails.
//
// Inside of a call under guard the first failure ends that call, by longjmp, and the writer is not called again. What
// it had of memory and files is then freed by fst_guard_end. Its temporary files are in memory, and what it would map
// it reads, so that a full disk is an error of a write and never a signal.
//
// The writer's source is compiled with this header before it (FST_GUARD_CALLS), which puts guarded calls in place of
// those of the C library.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_WAVES_FST_GUARD_H
#define AMALGAM_WAVES_FST_GUARD_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FST_GUARD_FILES = 8 };

typedef struct fst_guard_block fst_guard_block_t;

typedef struct fst_guard {
  jmp_buf left;
  int why;                    // errno of the first failure, 0: there was none
  fst_guard_block_t *blocks;  // the writer's memory
  FILE *files[FST_GUARD_FILES];
} fst_guard_t;

// False: it has failed, now or before, and guard->why says how.
bool fst_guarded(fst_guard_t *guard, void (*call)(void *context), void *context);
// Frees what a failed writer left; nothing is left by one that has been closed.
void fst_guard_end(fst_guard_t *guard);

#ifdef FST_GUARD_CALLS
#include <sys/mman.h>
#include <unistd.h>

void *fst_guard_malloc(size_t bytes);
void *fst_guard_calloc(size_t count, size_t bytes);
void *fst_guard_realloc(void *memory, size_t bytes);
char *fst_guard_strdup(const char *text);
void fst_guard_free(void *memory);
FILE *fst_guard_fopen(const char *path, const char *mode);
FILE *fst_guard_tmpfile(void);
size_t fst_guard_fwrite(const void *memory, size_t bytes, size_t count, FILE *file);
int fst_guard_fputc(int byte, FILE *file);
int fst_guard_fflush(FILE *file);
int fst_guard_fseeko(FILE *file, off_t offset, int whence);
int fst_guard_ftruncate(int file, off_t bytes);
int fst_guard_fclose(FILE *file);
void *fst_guard_map(size_t bytes, int file);  // its first bytes, in memory of its own

#define malloc fst_guard_malloc
#define calloc fst_guard_calloc
#define realloc fst_guard_realloc
#define strdup fst_guard_strdup
#define free fst_guard_free
#define fopen fst_guard_fopen
#define tmpfile fst_guard_tmpfile
#define fwrite fst_guard_fwrite
#define fputc fst_guard_fputc
#define fflush fst_guard_fflush
#define fseeko fst_guard_fseeko
#define ftruncate fst_guard_ftruncate
#define fclose fst_guard_fclose
#define mmap(address, bytes, protection, flags, file, offset) fst_guard_map(bytes, file)
#define munmap(address, bytes) fst_guard_free(address)
#endif

#endif
