// Our own code in a process of its own, for what a process can do only once, or must not share.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_HOST_WORKER_H
#define AMALGAM_HOST_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct worker {
  pid_t process;  // 0: none
  int ended;      // a descriptor
} worker_t;

enum { WORKERS_MAX = 256, WORKER_NONE = -1, WORKER_INTERRUPTED = -2 };

// Forks. The exit code is work's return value, unless something ends it before. It does not outlive the thread that
// started it, and signals do to it what the system does. Flush stdio's buffers before the call.
// False: errno says why.
bool worker_start(worker_t *worker, int (*work)(void *context), void *context);

// Waits until one of at most WORKERS_MAX ends (there may be gaps) and collects it: its index, and its status as
// waitpid has it. WORKER_NONE: there is none; WORKER_INTERRUPTED: an interrupt is noted, which must be held.
int worker_wait(worker_t list[], size_t count, int *status);

// Makes it end, and collects it.
void worker_kill(worker_t *worker);

#endif
