// Jobs side by side, programs that are run and ended, signals that are held back.
// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/host.h"
#include "host/interrupt.h"
#include "host/jobs.h"
#include "host/program.h"

static void sleep_ms(long ms) {
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

// --- jobs -------------------------------------------------------------------------------------

enum { FIRST = 3, ALL = 40, FAILS = 5 };

typedef struct tree {
  size_t done[ALL], known;
  size_t failing;          // a job's number, ALL: none
} tree_t;

// Job i finds two more, as long as there is room.
static bool grow(void *context, size_t job, jobs_t *jobs) {
  tree_t *tree = context;
  sleep_ms((long)(job % 3));
  jobs_lock(jobs);
  const size_t more = tree->known + 2 <= ALL ? 2 : ALL - tree->known;
  tree->known += more;
  ++tree->done[job];
  jobs_add(jobs, more);
  jobs_unlock(jobs);
  return job != tree->failing;
}

static void jobs_are_done_once(void **state) {
  (void)state;
  tree_t tree = {.known = FIRST, .failing = ALL};
  assert_true(jobs_run(FIRST, grow, &tree));
  assert_int_equal(tree.known, ALL);
  for (size_t i = 0; i < ALL; ++i) {
    assert_int_equal(tree.done[i], 1);
  }
  assert_true(jobs_run(0, grow, &tree));
}

// What has begun ends; nothing begins after it. As many threads as this have begun what follows at most.
static void a_failure_ends_them(void **state) {
  (void)state;
  tree_t tree = {.known = FIRST, .failing = FAILS};
  size_t begun = 0;
  assert_false(jobs_run(FIRST, grow, &tree));
  for (size_t i = 0; i < ALL; ++i) {
    begun += tree.done[i];
  }
  assert_in_range(begun, FAILS + 1, ALL - 1);
}

static bool meet(void *context, size_t job, jobs_t *jobs) {
  size_t *here = context;
  (void)job;
  jobs_lock(jobs);
  ++*here;
  jobs_unlock(jobs);
  for (int i = 0; i < 500; ++i) {
    jobs_lock(jobs);
    const bool both = *here == 2;
    jobs_unlock(jobs);
    if (both) {
      return true;
    }
    sleep_ms(10);
  }
  return false;
}

static void jobs_are_side_by_side(void **state) {
  (void)state;
  size_t here = 0;
  if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
    skip();
  }
  assert_true(jobs_run(2, meet, &here));
}

// --- programs ---------------------------------------------------------------------------------

static program_end_t shell(const char *text, bool all, char *answer, size_t size) {
  const char *const argv[] = {"/bin/sh", "-c", text, NULL};
  return program_run(argv, all, answer, size);
}

static void answers(void **state) {
  (void)state;
  char answer[16];
  assert_int_equal(shell("echo one; echo two >&2", false, answer, sizeof answer), PROGRAM_DONE);
  assert_string_equal(answer, "two");
  assert_int_equal(shell("echo one; printf two", false, answer, sizeof answer), PROGRAM_DONE);
  assert_string_equal(answer, "two");
  assert_int_equal(shell("echo one; echo two", true, answer, sizeof answer), PROGRAM_DONE);
  assert_string_equal(answer, "one\ntwo\n");
  assert_int_equal(shell("echo 0123456789abcdefgh", true, answer, sizeof answer), PROGRAM_DONE);
  assert_string_equal(answer, "0123456789abcde");
  assert_int_equal(shell("cat; exit 3", false, answer, sizeof answer), PROGRAM_FAILED);   // reads nothing
  assert_string_equal(answer, "");
  assert_int_equal(shell("kill -9 $$", false, answer, sizeof answer), PROGRAM_FAILED);
  const char *const none[] = {"/none/such", NULL};
  assert_int_equal(program_run(none, false, answer, sizeof answer), PROGRAM_NOT_STARTED);
}

// Ended, or about to be collected by whoever does that for orphans.
static bool is_gone(long process) {
  char path[64], line[256];
  snprintf(path, sizeof path, "/proc/%ld/status", process);
  FILE *file = fopen(path, "r");
  bool gone = file == NULL;
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    gone = gone || (strncmp(line, "State:", 6) == 0 && strpbrk(line, "ZX") != NULL);
  }
  if (file != NULL) {
    fclose(file);
  }
  return gone;
}

// The signal comes while the program runs; what it has started does not outlive it.
static void interrupted(const char *text, double longest) {
  char own[24], answer[64] = "", path[] = "/tmp/test_host_XXXXXX";
  const int fd = mkstemp(path);
  assert_true(fd >= 0);
  snprintf(own, sizeof own, "%ld", (long)getpid());
  setenv("TEST_FILE", path, 1);
  setenv("TEST_PROCESS", own, 1);
  const double started = host_seconds();
  assert_int_equal(shell(text, false, answer, sizeof answer), PROGRAM_INTERRUPTED);
  assert_true(host_seconds() - started < longest);
  assert_true(host_interrupted());
  assert_int_equal(shell("sleep 30", false, answer, sizeof answer), PROGRAM_INTERRUPTED);   // it stays
  int signal;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  assert_int_equal(sigwait(&set, &signal), 0);
  assert_false(host_interrupted());
  assert_true(read(fd, answer, sizeof answer - 1) > 0);
  const long child = strtol(answer, NULL, 10);
  for (int i = 0; i < 100 && !is_gone(child); ++i) {
    sleep_ms(10);
  }
  assert_true(is_gone(child));
  close(fd);
  unlink(path);
}

static void interrupts(void **state) {
  (void)state;
  host_hold_signals();
  assert_false(host_interrupted());
  interrupted("sleep 60 & echo $! >$TEST_FILE; kill -INT $TEST_PROCESS; wait", 1.5);
  interrupted("trap '' TERM; sleep 60 & echo $! >$TEST_FILE; kill -INT $TEST_PROCESS; wait", 5);
  interrupted("sh -c 'sleep 60 & echo $! >$TEST_FILE; kill -INT $TEST_PROCESS; wait; :'; :", 1.5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jobs_are_done_once), cmocka_unit_test(a_failure_ends_them),
      cmocka_unit_test(jobs_are_side_by_side), cmocka_unit_test(answers),
      cmocka_unit_test(interrupts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
