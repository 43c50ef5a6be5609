// A result's name: a hash (XXH3, 128 bits) of all that decides it, each part under a label of its own.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SWEEP_STORE_DIGEST_H
#define AMALGAM_SWEEP_STORE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

#include "sweep/store/store.h"

// The parts so far.
typedef struct digest {
  unsigned char *bytes;
  size_t used, room;
} digest_t;

// *digest: zeros, or one that was used before, whose memory is used again. To be freed in the end.
void digest_begin(digest_t *digest);
void digest_free(digest_t *digest);

void digest_bytes(digest_t *digest, const char *label, const void *bytes, size_t count);
void digest_text(digest_t *digest, const char *label, const char *text);

// Adds a file's contents, which this process reads once, however often it is asked. False: it cannot be read, and
// nothing is added.
bool digest_file(digest_t *digest, const char *label, const char *path);

// Adds all files below a folder whose names begin and end so ("amla", ".elf"), and their names; they are read
// each time. A folder that is not there is empty.
void digest_folder(digest_t *digest, const char *path, const char *beginning, const char *ending);

void digest_name(const digest_t *digest, char name[STORE_NAME_BYTES]);

#endif
