// Claims say who runs which point. A worker has a file, which it touches every few seconds and which says where it
// runs; a claim is a hard link to it, named as the result: one that can be made only once, on any file system that
// several hosts share. A claim is void when its worker's file has not been touched for CLAIM_STALE_SECONDS by the file
// system's own clock, or when its process was on this host and is gone. Whoever finds a void claim may remove it.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SWEEP_STORE_CLAIM_H
#define AMALGAM_SWEEP_STORE_CLAIM_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "sweep/store/store.h"

enum { CLAIM_BEAT_SECONDS = 5, CLAIM_STALE_SECONDS = 60, CLAIM_HOST_BYTES = 256 };

// A worker.
typedef struct claims {
  const store_t *store;
  char file[STORE_PATH_BYTES];  // its file
  char host[CLAIM_HOST_BYTES];  // this host, so that processes can be told apart
  pthread_t beat;
  pthread_mutex_t lock;
  pthread_cond_t stop;
  bool beats, stopping;
} claims_t;

// Makes the file, and touches it from now on, in a thread. *claims must stay where it is.
bool claims_open(claims_t *claims, const store_t *store, base_error_t *error);
void claims_close(claims_t *claims);

typedef enum claim { CLAIM_MINE, CLAIM_TAKEN_OVER, CLAIM_OTHERS, CLAIM_FAILED } claim_t;

// CLAIM_TAKEN_OVER: mine, and its worker was gone.  CLAIM_FAILED: the store cannot be written, error says why.
claim_t claims_take(claims_t *claims, const char *name, base_error_t *error);
void claims_release(claims_t *claims, const char *name);

// Calls `fn` for each claim that is not void.
void claims_list(const store_t *store, void (*fn)(void *context, const char *name), void *context);

// Removes files of workers and claims that are void.
void claims_clean(const store_t *store);

// Now, by the file system's clock, in nanoseconds; by this host's, if the store cannot be written.
int64_t claims_now(const store_t *store);

#endif
