// Jobs side by side, programs that are run and ended, workers, and what an interrupt does to each.
// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "test.h"
#include "host/files.h"
#include "host/host.h"
#include "host/interrupt.h"
#include "host/jobs.h"
#include "host/parallel.h"
#include "host/program.h"
#include "host/worker.h"

static void sleep_ms(long ms) {
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

// --- jobs -------------------------------------------------------------------------------------

enum { FIRST = 3, ALL = 40, FAILS = 5 };

typedef struct tree {
  size_t done[ALL], known;
  size_t failing;  // a job's number, ALL: none
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

TEST(jobs_are_done_once) {
  tree_t tree = {.known = FIRST, .failing = ALL};
  assert_true(jobs_run(FIRST, grow, &tree));
  assert_int_equal(tree.known, ALL);
  for (size_t i = 0; i < ALL; ++i) {
    assert_int_equal(tree.done[i], 1);
  }
  assert_true(jobs_run(0, grow, &tree));
}

// Jobs that have begun end; none begins after that. As many threads as this have begun later ones at most.
TEST(a_failure_ends_them) {
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

TEST(jobs_are_side_by_side) {
  size_t here = 0;
  if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
    skip();
  }
  assert_true(jobs_run(2, meet, &here));
}

// --- programs ---------------------------------------------------------------------------------

static program_end_t shell(const char *text, bool all, char *answer, size_t size) {
  const char *const argv[] = {"sh", "-c", text, NULL};
  return program_run(&(program_t){.argv = argv, .answer = answer, .size = size, .all = all});
}

TEST(answers) {
  char answer[16];
  assert_int_equal(shell("echo one; echo two >&2", false, answer, sizeof answer), PROGRAM_DONE);
  assert_string_equal(answer, "two");
  assert_int_equal(shell("echo one; printf two", false, answer, sizeof answer), PROGRAM_DONE);
  assert_string_equal(answer, "two");
  assert_int_equal(shell("echo one; echo two", true, answer, sizeof answer), PROGRAM_DONE);
  assert_string_equal(answer, "one\ntwo\n");
  assert_int_equal(shell("echo 0123456789abcdefgh", true, answer, sizeof answer), PROGRAM_DONE);
  assert_string_equal(answer, "0123456789abcde");
  assert_int_equal(shell("cat; exit 3", false, answer, sizeof answer), PROGRAM_FAILED);  // reads nothing
  assert_string_equal(answer, "");
  assert_int_equal(shell("kill -9 $$", false, answer, sizeof answer), PROGRAM_FAILED);
  const char *const none[] = {"/none/such", NULL};
  const program_t missing = {.argv = none, .answer = answer, .size = sizeof answer};
  assert_int_equal(program_run(&missing), PROGRAM_NOT_STARTED);
}

static void check_file(const char *path, const char *text) {
  char there[256] = "";
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  there[fread(there, 1, sizeof there - 1, file)] = '\0';
  fclose(file);
  assert_string_equal(there, text);
}

// Names and words with what a shell would read something into; more input than a pipe takes.
TEST(files_and_words) {
  char folder[] = "/tmp/test host'\n$x_XXXXXX", out[64], answer[64];
  assert_non_null(mkdtemp(folder));
  snprintf(out, sizeof out, "%s/out file", folder);
  const char *const argv[] = {"sh", "-c", "echo \"$1\"; pwd; echo no >&2", "sh", "a  'b\n$HOME`", NULL};
  char expected[256];
  snprintf(expected, sizeof expected, "a  'b\n$HOME`\n%s\n", folder);
  program_t program = {.argv = argv, .folder = folder, .out = out, .answer = answer, .size = sizeof answer};
  assert_int_equal(program_run(&program), PROGRAM_DONE);
  assert_string_equal(answer, "no");
  check_file(out, expected);

  program.answer = NULL;  // both go to the file
  strcat(expected, "no\n");
  assert_int_equal(program_run(&program), PROGRAM_DONE);
  check_file(out, expected);

  enum { LONG = 1 << 20 };
  char *text = calloc(1, LONG + 1);
  assert_non_null(text);
  memset(text, 'x', LONG);
  const char *const count[] = {"sh", "-c", "sleep 0.1; wc -c; exec >&- 2>&-; sleep 0.3", NULL};
  const double started = host_seconds();
  program = (program_t){.argv = count, .input = text, .answer = answer, .size = sizeof answer};
  assert_int_equal(program_run(&program), PROGRAM_DONE);
  assert_int_equal(strtol(answer, NULL, 10), LONG);
  assert_true(host_seconds() - started >= 0.4);  // silent is not ended
  free(text);
  unlink(out);
  rmdir(folder);
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
static void interrupted(const char *text, bool silent, double longest) {
  char own[24], answer[64] = "", path[] = "/tmp/test_host_XXXXXX";
  const int fd = mkstemp(path);
  assert_true(fd >= 0);
  snprintf(own, sizeof own, "%ld", (long)getpid());
  setenv("TEST_FILE", path, 1);
  setenv("TEST_PROCESS", own, 1);
  const char *const argv[] = {"sh", "-c", text, NULL};
  const program_t program = {.argv = argv, .answer = silent ? NULL : answer, .size = sizeof answer};
  const double started = host_seconds();
  assert_int_equal(program_run(&program), PROGRAM_INTERRUPTED);
  assert_true(host_seconds() - started < longest);
  assert_true(host_interrupted());
  assert_int_equal(shell("sleep 30", false, answer, sizeof answer), PROGRAM_INTERRUPTED);  // it stays
  host_interrupt_forked();
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

TEST(programs_are_interrupted) {
  assert_false(host_interrupted());
  interrupted("sleep 60 & echo $! >$TEST_FILE; kill -INT $TEST_PROCESS; wait", false, 1.5);
  interrupted("sleep 60 & echo $! >$TEST_FILE; kill -TERM $TEST_PROCESS; wait", true, 1.5);
  interrupted("trap '' TERM; sleep 60 & echo $! >$TEST_FILE; kill -HUP $TEST_PROCESS; wait", false, 5);
  interrupted("sh -c 'sleep 60 & echo $! >$TEST_FILE; kill -INT $TEST_PROCESS; wait; :'; :", false, 1.5);
}

// --- workers, and ends at once ----------------------------------------------------------------

static int wait_a_little(void *context) {
  const int *ms = context;
  sleep_ms(*ms);
  return *ms / 10;
}

TEST(workers_are_collected) {
  worker_t list[4] = {0};
  int status, ms[4] = {0, 400, 0, 10};
  assert_int_equal(worker_wait(list, 4, &status), WORKER_NONE);
  assert_true(worker_start(&list[1], wait_a_little, &ms[1]));
  assert_true(worker_start(&list[3], wait_a_little, &ms[3]));
  assert_int_equal(worker_wait(list, 4, &status), 3);
  assert_int_equal(WEXITSTATUS(status), 1);
  assert_int_equal(worker_wait(list, 4, &status), 1);
  assert_int_equal(WEXITSTATUS(status), 40);
  assert_int_equal(worker_wait(list, 4, &status), WORKER_NONE);

  ms[0] = 60000;
  assert_true(worker_start(&list[0], wait_a_little, &ms[0]));
  const pid_t process = list[0].process;
  host_hold_interrupts();
  kill(getpid(), SIGTERM);
  assert_int_equal(worker_wait(list, 4, &status), WORKER_INTERRUPTED);
  host_release_interrupts();
  assert_int_equal(host_interrupt_code(), 143);
  host_interrupt_forked();
  worker_kill(&list[0]);
  assert_true(is_gone(process));
}

static char begun[] = "/tmp/test_host_XXXXXX";

static void remove_it(void) { unlink(begun); }

// Held twice, a signal waits for the second release, and is not forgotten; nothing holds the next one.
static int end_at_once(void *context) {
  const int *signal = context;
  host_interrupt_ends(remove_it);
  host_hold_interrupts();
  host_hold_interrupts();
  host_release_interrupts();
  kill(getpid(), SIGINT);
  host_release_interrupts();
  if (!host_interrupted() || access(begun, F_OK) != 0) {
    return 1;
  }
  kill(getpid(), *signal);
  return 2;
}

static int write_too_much(void *context) {
  char bytes[64] = "", answer[16];
  (void)context;
  strcpy(begun, "/tmp/test_host_XXXXXX");
  const int file = mkstemp(begun);
  host_interrupt_ends(NULL);
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){32, 32});
  const bool refused = write(file, bytes, sizeof bytes) == 32 && write(file, bytes, 1) < 0 && errno == EFBIG;
  unlink(begun);
  return refused && shell("ulimit -c 0; kill -XFSZ $$; echo ignored", false, answer, sizeof answer) == PROGRAM_FAILED
             ? 0
             : 1;
}

TEST(it_ends_at_once) {
  static int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i) {
    worker_t worker;
    int status;
    strcpy(begun, "/tmp/test_host_XXXXXX");
    close(mkstemp(begun));
    assert_true(worker_start(&worker, end_at_once, &signals[i]));
    assert_int_equal(worker_wait(&worker, 1, &status), 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 128 + signals[i]);
    assert_int_not_equal(access(begun, F_OK), 0);
  }
}

// A file that would grow too large is an error of whoever writes it, and a program's own is its end.
TEST(large_files_are_errors) {
  worker_t worker;
  int status;
  assert_true(worker_start(&worker, write_too_much, NULL));
  assert_int_equal(worker_wait(&worker, 1, &status), 0);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

// --- files ------------------------------------------------------------------------------------

TEST(inputs_and_outputs_differ) {
  struct stat status;
  char name[] = "/tmp/test_host_XXXXXX", other[sizeof name + 2];
  close(mkstemp(name));
  snprintf(other, sizeof other, "%s.2", name);
  assert_int_equal(link(name, other), 0);
  assert_int_equal(stat(name, &status), 0);
  assert_int_equal(host_file_writes(&status), HOST_FILE_FREE);
  assert_int_equal(host_file_writes(&status), HOST_FILE_WRITTEN);
  assert_false(host_file_reads(other));
  host_file_done(&status);
  assert_true(host_file_reads(other));
  assert_true(host_file_reads(name));
  assert_int_equal(host_file_writes(&status), HOST_FILE_READ);
  host_file_done(&status);  // an input stays one
  assert_int_equal(host_file_writes(&status), HOST_FILE_READ);
  assert_int_equal(stat("/dev/null", &status), 0);
  assert_int_equal(host_file_writes(&status), HOST_FILE_FREE);
  assert_true(host_file_reads("/dev/null"));
  assert_true(host_file_reads("/none"));
  unlink(name);
  unlink(other);
}

TEST(processors_are_those_it_may_use) {
  cpu_set_t all, one;
  assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
  size_t first = 0;
  while (!CPU_ISSET(first, &all)) {
    ++first;
  }
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
  assert_int_equal(parallel_host_threads(), 1);
  assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
  assert_int_equal(parallel_host_threads(), CPU_COUNT(&all));
}

// Counts how often each index is done; fails at 7.
static bool count_indices(void *context, size_t first, size_t end) {
  unsigned *done = context;
  bool good = true;
  for (size_t i = first; i < end; ++i) {
    ++done[i];
    good = good && i != 7;
  }
  return good;
}

TEST(parts_are_done_once) {
  for (size_t count = 0; count <= 20; ++count) {
    unsigned done[20] = {0};
    parallel_part_t part, idle;
    const size_t half = count / 2;
    parallel_begin(&part, 0, half, count_indices, done);
    parallel_begin_idle(&idle, half, count, count_indices, done);
    const bool first = parallel_end(&part), second = parallel_end(&idle);
    assert_int_equal(first, half <= 7);
    assert_int_equal(second, half > 7 || count <= 7);
    for (size_t threads = 0; threads < 4; ++threads) {
      assert_int_equal(parallel_for(threads, count, count_indices, done), count <= 7);
    }
    for (size_t i = 0; i < count; ++i) {
      assert_int_equal(done[i], 5);
    }
  }
}

int main(void) {
  signal(SIGHUP, SIG_DFL);  // nohup is respected, and not what is tested
  signal(SIGPIPE, SIG_DFL);
  return test_run(NULL);
}
