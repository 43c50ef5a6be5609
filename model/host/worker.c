// SPDX-License-Identifier: Apache-2.0
#include "host/worker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/interrupt.h"

bool worker_start(worker_t *worker, int (*work)(void *context), void *context) {
  const pid_t parent = getpid();
  const pid_t child = fork();
  *worker = (worker_t){.ended = -1};
  if (child == 0) {
    host_interrupt_forked();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    _exit(getppid() == parent ? work(context) : HOST_INTERRUPTED);  // it was gone before it could be watched
  }
  if (child < 0) {
    return false;
  }
  *worker = (worker_t){.process = child, .ended = pidfd_open(child, 0)};
  return true;
}

static int collect(worker_t *worker) {
  int status = 0;
  while (waitpid(worker->process, &status, 0) < 0 && errno == EINTR) {
  }
  if (worker->ended >= 0) {
    close(worker->ended);
  }
  *worker = (worker_t){.ended = -1};
  return status;
}

int worker_wait(worker_t list[], size_t count, int *status) {
  struct pollfd ends[WORKERS_MAX + 1] = {{.fd = host_interrupt_event(), .events = POLLIN}};
  bool any = false;
  for (size_t i = 0; i < count; ++i) {
    const bool runs = list[i].process != 0;
    ends[i + 1] = (struct pollfd){.fd = runs ? list[i].ended : -1, .events = POLLIN};
    any = any || runs;
  }
  while (any && !host_interrupted()) {
    const bool woken = poll(ends, count + 1, -1) > 0;
    for (size_t i = 0; woken && i < count; ++i) {
      if (ends[i + 1].revents != 0) {
        *status = collect(&list[i]);
        return (int)i;
      }
    }
  }
  return any ? WORKER_INTERRUPTED : WORKER_NONE;
}

void worker_kill(worker_t *worker) {
  if (worker->process != 0) {
    kill(worker->process, SIGKILL);
    collect(worker);
  }
}
