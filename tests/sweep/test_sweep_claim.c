// A claim's life: who has it, when it is void, who may take it away. Workers that are no processes of this test are
// files written by hand, of any host and any age.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sweep/store/claim.h"
#include "test.h"

static const char name[] = "0123456789abcdef0123456789abcdef";
static char folder[] = "/tmp/claims-XXXXXX";
static char claim[STORE_PATH_BYTES];  // the file of that name
static store_t store;
static claims_t mine;

// --- other workers ----------------------------------------------------------------------------

static void path_of(const char *worker, char path[STORE_PATH_BYTES]) {
  char what[64];
  snprintf(what, sizeof what, "workers/%s", worker);
  store_path(&store, what, path);
}

static void make_worker(const char *worker, const char *host, long process, unsigned long long start) {
  char path[STORE_PATH_BYTES];
  path_of(worker, path);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "%s %ld %llu\n", host, process, start);
  assert_int_equal(fclose(file), 0);
}

// Last touched so many seconds ago.
static void make_old(const char *path, int seconds) {
  const int64_t then = claims_now(&store) - (int64_t)seconds * 1000000000;
  const struct timespec times[2] = {{then / 1000000000, then % 1000000000}, {then / 1000000000, then % 1000000000}};
  assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void make_claim(const char *worker) {
  char path[STORE_PATH_BYTES];
  path_of(worker, path);
  unlink(claim);
  assert_int_equal(link(path, claim), 0);
}

static bool is_claim_of(const char *path) {
  struct stat a, b;
  return stat(claim, &a) == 0 && stat(path, &b) == 0 && a.st_ino == b.st_ino;
}

static claim_t take(void) {
  base_error_t error = {""};
  return claims_take(&mine, name, &error);
}

static void count_one(void *context, const char *which) {
  assert_string_equal(which, name);
  ++*(int *)context;
}

static int listed(void) {
  int count = 0;
  claims_list(&store, count_one, &count);
  return count;
}

static int begin(void **state) {
  (void)state;
  base_error_t error = {""};
  char what[64];
  assert_non_null(mkdtemp(folder));
  assert_true(store_open(&store, folder, &error) && store_make(&store, &error));
  assert_true(claims_open(&mine, &store, &error));
  snprintf(what, sizeof what, "claims/%s", name);
  store_path(&store, what, claim);
  return 0;
}

static int end(void **state) {
  (void)state;
  char command[64];
  claims_close(&mine);
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

TEST_GROUP(begin, end)

// --- whose it is ------------------------------------------------------------------------------

TEST(a_claim_is_one_workers_until_it_is_released) {
  assert_int_equal(take(), CLAIM_MINE);
  assert_int_equal(take(), CLAIM_OTHERS);  // even if that is this one
  assert_int_equal(listed(), 1);
  claims_release(&mine, name);
  assert_int_equal(listed(), 0);
  assert_int_equal(take(), CLAIM_MINE);
  claims_release(&mine, name);
}

// A worker in a process of its own, which takes the claim, and is killed if asked to be.
TEST(a_dead_workers_claim_is_taken_over) {
  int taken[2], over[2];
  char byte;
  assert_int_equal(pipe(taken), 0);
  assert_int_equal(pipe(over), 0);
  const pid_t child = fork();
  if (child == 0) {
    claims_t claims;
    base_error_t error;
    close(over[1]);  // should the test fail, and end
    const bool good = claims_open(&claims, &store, &error) && claims_take(&claims, name, &error) == CLAIM_MINE;
    if (write(taken[1], good ? "y" : "n", 1) == 1 && read(over[0], &byte, 1) == 1) {
      _exit(0);  // as if killed: its file and its claim stay
    }
    _exit(1);
  }
  assert_int_equal(read(taken[0], &byte, 1), 1);
  assert_int_equal(byte, 'y');
  assert_int_equal(take(), CLAIM_OTHERS);
  assert_int_equal(listed(), 1);
  claims_clean(&store);
  assert_int_equal(listed(), 1);
  assert_int_equal(write(over[1], "e", 1), 1);
  assert_int_equal(waitpid(child, NULL, 0), child);
  assert_int_equal(listed(), 0);
  assert_int_equal(take(), CLAIM_TAKEN_OVER);
  assert_true(is_claim_of(mine.file));
  claims_clean(&store);
  assert_true(is_claim_of(mine.file));
  claims_release(&mine, name);
}

// Its number may be another process's by now.
TEST(a_process_is_its_number_and_when_it_began) {
  char host[CLAIM_HOST_BYTES];
  unsigned long long start;
  long process;
  FILE *file = fopen(mine.file, "r");
  assert_non_null(file);
  assert_int_equal(fscanf(file, "%255s %ld %llu", host, &process, &start), 3);
  fclose(file);
  make_worker("same", host, process, start);
  make_claim("same");
  assert_int_equal(take(), CLAIM_OTHERS);
  make_worker("later", host, process, start + 1);
  make_claim("later");
  assert_int_equal(take(), CLAIM_TAKEN_OVER);
  claims_release(&mine, name);
}

// Processes of another host are not seen: what counts is when it touched its file.
TEST(a_claim_of_another_host_is_void_when_it_is_stale) {
  make_worker("far", "elsewhere/pid:[1]", 1, 1);
  make_claim("far");
  make_old(claim, CLAIM_STALE_SECONDS - 5);
  assert_int_equal(take(), CLAIM_OTHERS);
  assert_int_equal(listed(), 1);
  claims_clean(&store);
  assert_int_equal(listed(), 1);
  make_old(claim, CLAIM_STALE_SECONDS + 1);
  assert_int_equal(listed(), 0);
  assert_int_equal(take(), CLAIM_TAKEN_OVER);
  claims_release(&mine, name);
  make_claim("far");
  claims_clean(&store);
  char path[STORE_PATH_BYTES];
  path_of("far", path);
  assert_int_equal(access(claim, F_OK), -1);
  assert_int_equal(access(path, F_OK), -1);
}

// A worker that was stopped for long finds its claim taken over, and leaves it to who has it.
TEST(a_claim_that_was_taken_over_is_not_released) {
  char path[STORE_PATH_BYTES];
  assert_int_equal(take(), CLAIM_MINE);
  make_worker("heir", "elsewhere/pid:[1]", 1, 1);
  make_claim("heir");
  claims_release(&mine, name);
  path_of("heir", path);
  assert_true(is_claim_of(path));
  unlink(claim);
  claims_release(&mine, name);  // nor is one that is gone
}

// --- two at once ------------------------------------------------------------------------------

static const char *meanwhile;  // the worker that claims it between a look and a rename

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to) {
  if (meanwhile != NULL) {
    make_claim(meanwhile);
    meanwhile = NULL;
  }
  return __real_rename(from, to);
}

static void find_void_claim_but(const char *worker, claim_t expected) {
  char path[STORE_PATH_BYTES];
  make_worker("void", "elsewhere/pid:[1]", 1, 1);
  make_claim("void");
  make_old(claim, CLAIM_STALE_SECONDS + 1);
  meanwhile = worker;
  assert_int_equal(take(), expected);
  path_of(worker, path);
  assert_true(is_claim_of(expected == CLAIM_OTHERS ? path : mine.file));
}

TEST(a_live_claim_is_put_back) {
  char path[STORE_PATH_BYTES];
  make_worker("live", "elsewhere/pid:[1]", 1, 1);
  find_void_claim_but("live", CLAIM_OTHERS);
  path_of("live", path);
  struct stat status;
  assert_int_equal(stat(path, &status), 0);
  assert_int_equal(status.st_nlink, 2);  // no third name is left
  make_worker("dead", "elsewhere/pid:[1]", 1, 1);
  path_of("dead", path);
  make_old(path, CLAIM_STALE_SECONDS + 2);
  find_void_claim_but("dead", CLAIM_TAKEN_OVER);
  claims_release(&mine, name);
}

// --- the heart --------------------------------------------------------------------------------

TEST(a_worker_touches_its_file) {
  struct stat status;
  int64_t age = INT64_MAX;
  make_old(mine.file, CLAIM_STALE_SECONDS / 2);
  for (int tries = 0; tries < 10 * (CLAIM_BEAT_SECONDS + 2) && age > 3000000000; ++tries) {
    usleep(100000);
    assert_int_equal(stat(mine.file, &status), 0);
    age = claims_now(&store) - ((int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec);
  }
  assert_true(age <= 3000000000);
}
