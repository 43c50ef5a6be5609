// SPDX-License-Identifier: Apache-2.0
#include "sweep/store/digest.h"

#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "host/interrupt.h"

enum { PIECE = 1 << 20 };

void digest_begin(digest_t *digest) { digest->used = 0; }

void digest_free(digest_t *digest) {
  free(digest->bytes);
  *digest = (digest_t){0};
}

static void add_bytes(digest_t *digest, const void *bytes, size_t count) {
  if (count > digest->room - digest->used) {
    const size_t room = 2 * (digest->used + count) + 1024;
    unsigned char *more = realloc(digest->bytes, room);
    if (more == NULL) {
      host_out_of_memory();
    }
    digest->bytes = more;
    digest->room = room;
  }
  memcpy(digest->bytes + digest->used, bytes, count);
  digest->used += count;
}

// Lengths keep two parts apart from the same bytes cut elsewhere.
void digest_bytes(digest_t *digest, const char *label, const void *bytes, size_t count) {
  const uint64_t length = count;
  add_bytes(digest, label, strlen(label) + 1);
  add_bytes(digest, &length, sizeof length);
  add_bytes(digest, bytes, count);
}

void digest_text(digest_t *digest, const char *label, const char *text) {
  digest_bytes(digest, label, text, strlen(text));
}

// --- files ------------------------------------------------------------------------------------

typedef struct contents {
  struct contents *next;
  XXH128_hash_t hash;
  char path[];
} contents_t;

static contents_t *known;

static bool hash_open(int file, XXH128_hash_t *hash) {
  XXH3_state_t *state = XXH3_createState();
  unsigned char *piece = malloc(PIECE);
  ssize_t got = -1;
  if (state != NULL && piece != NULL) {
    XXH3_128bits_reset(state);
    while ((got = read(file, piece, PIECE)) > 0) {
      XXH3_128bits_update(state, piece, (size_t)got);
    }
    *hash = XXH3_128bits_digest(state);
  }
  free(piece);
  XXH3_freeState(state);
  return got == 0;
}

static bool hash_file(const char *path, XXH128_hash_t *hash) {
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const bool good = file >= 0 && hash_open(file, hash);
  if (file >= 0) {
    close(file);
  }
  return good;
}

static const contents_t *find(const char *path) {
  for (const contents_t *one = known; one != NULL; one = one->next) {
    if (strcmp(one->path, path) == 0) {
      return one;
    }
  }
  return NULL;
}

static const contents_t *keep(const char *path, XXH128_hash_t hash) {
  contents_t *one = malloc(sizeof *one + strlen(path) + 1);
  if (one == NULL) {
    host_out_of_memory();
  }
  *one = (contents_t){.next = known, .hash = hash};
  memcpy(one->path, path, strlen(path) + 1);
  known = one;
  return one;
}

static void add_hash(digest_t *digest, const char *label, XXH128_hash_t hash) {
  XXH128_canonical_t bytes;
  XXH128_canonicalFromHash(&bytes, hash);
  digest_bytes(digest, label, &bytes, sizeof bytes);
}

bool digest_file(digest_t *digest, const char *label, const char *path) {
  XXH128_hash_t hash;
  const contents_t *one = find(path);
  if (one == NULL && hash_file(path, &hash)) {
    one = keep(path, hash);
  }
  if (one != NULL) {
    add_hash(digest, label, one->hash);
  }
  return one != NULL;
}

// --- folders ----------------------------------------------------------------------------------

static int by_name(const FTSENT **a, const FTSENT **b) { return strcmp((*a)->fts_name, (*b)->fts_name); }

static bool ends_in(const char *name, const char *ending) {
  const size_t length = strlen(name), tail = strlen(ending);
  return length >= tail && strcmp(name + length - tail, ending) == 0;
}

void digest_folder(digest_t *digest, const char *path, const char *beginning, const char *ending) {
  char *const roots[] = {(char *)path, NULL};
  FTS *tree = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name);
  digest_text(digest, beginning, ending);
  for (const FTSENT *entry; tree != NULL && (entry = fts_read(tree)) != NULL;) {
    XXH128_hash_t hash;
    if (entry->fts_info == FTS_F && strncmp(entry->fts_name, beginning, strlen(beginning)) == 0 &&
        ends_in(entry->fts_name, ending) && hash_file(entry->fts_accpath, &hash)) {
      add_hash(digest, entry->fts_path + strlen(path), hash);
    }
  }
  if (tree != NULL) {
    fts_close(tree);
  }
}

void digest_name(const digest_t *digest, char name[STORE_NAME_BYTES]) {
  XXH128_canonical_t bytes;
  XXH128_canonicalFromHash(&bytes, XXH3_128bits(digest->bytes, digest->used));
  for (size_t i = 0; i < sizeof bytes.digest; ++i) {
    snprintf(name + 2 * i, 3, "%02x", bytes.digest[i]);
  }
}
