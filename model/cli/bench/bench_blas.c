// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/bench_blas.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/bench/bench_race.h"

// A question, which is answered by a double.
typedef struct request {
  size_t m, n, k, rounds;
} request_t;

static bool send_all(int socket, const void *data, size_t bytes) {
  return send(socket, data, bytes, MSG_NOSIGNAL) == (ssize_t)bytes;
}

static bool receive_all(int socket, void *data, size_t bytes) {
  return recv(socket, data, bytes, MSG_WAITALL) == (ssize_t)bytes;
}

// --- the child --------------------------------------------------------------------------------

enum { ROW_MAJOR = 101, NO_TRANSPOSE = 111 };  // of the CBLAS interface

typedef void sgemm_fn(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float *a,
                      int lda, const float *b, int ldb, float beta, float *c, int ldc);
typedef void set_threads_fn(int threads);
typedef char *core_name_fn(void);

typedef struct library {
  sgemm_fn *sgemm;
  set_threads_fn *set_threads;
  core_name_fn *core_name;
} library_t;

// A function by name. (ISO C has no conversion of dlsym's void * to a function.)
static bool find(void *handle, const char *name, void *function) {
  void *address = dlsym(handle, name);
  memcpy(function, &address, sizeof address);
  return address != NULL;
}

static bool load(library_t *library) {
  void *handle = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  return handle != NULL && find(handle, "cblas_sgemm", &library->sgemm) &&
         find(handle, "openblas_set_num_threads", &library->set_threads) &&
         find(handle, "openblas_get_corename", &library->core_name);
}

static double measure(const library_t *library, const request_t *r, const float *a, const float *b, float *c) {
  const int m = (int)r->m;
  const int n = (int)r->n;
  const int k = (int)r->k;
  const double start = race_clock();
  for (size_t i = 0; i < r->rounds; ++i) {
    library->sgemm(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, m, n, k, 1.0f, a, k, b, n, 0.0f, c, n);
  }
  return race_clock() - start;
}

// The arguments of a child.
typedef struct service {
  int socket;
  const char *core;
} service_t;

// Until it is ended.
static int serve(void *context) {
  const service_t *service = context;
  const char *core = service->core;
  library_t library;
  char name[sizeof((blas_t *)NULL)->core] = "";
  const size_t count = (size_t)BLAS_MAX * BLAS_MAX;
  float *memory = aligned_alloc(BLAS_ALIGN, 3 * count * sizeof *memory);
  if (core != NULL) {
    setenv("OPENBLAS_CORETYPE", core, 1);
  }
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  if (memory == NULL || !load(&library)) {
    return 1;
  }
  library.set_threads(1);
  for (size_t i = 0; i < 3 * count; ++i) {
    memory[i] = (float)(i % 17);
  }
  snprintf(name, sizeof name, "%s", library.core_name());
  request_t request;
  for (bool good = send_all(service->socket, name, sizeof name);
       good && receive_all(service->socket, &request, sizeof request);) {
    const double seconds = measure(&library, &request, memory, memory + count, memory + 2 * count);
    good = send_all(service->socket, &seconds, sizeof seconds);
  }
  return 0;
}

// --- the parent -------------------------------------------------------------------------------

bool blas_open(blas_t *blas, const char *core) {
  int ends[2];
  memset(blas, 0, sizeof *blas);
  fflush(NULL);
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
    return false;
  }
  service_t service = {ends[1], core};
  const bool started = worker_start(&blas->worker, serve, &service);
  close(ends[1]);
  blas->socket = ends[0];
  if (!started || !receive_all(blas->socket, blas->core, sizeof blas->core)) {
    blas_close(blas);
    return false;
  }
  return true;
}

double blas_seconds(const blas_t *blas, size_t m, size_t n, size_t k, size_t rounds) {
  const request_t request = {m, n, k, rounds};
  double seconds = -1;
  const bool good =
      send_all(blas->socket, &request, sizeof request) && receive_all(blas->socket, &seconds, sizeof seconds);
  return good ? seconds : -1;
}

void blas_close(blas_t *blas) {
  worker_kill(&blas->worker);
  if (blas->socket > 0) {
    close(blas->socket);
  }
  memset(blas, 0, sizeof *blas);
}
