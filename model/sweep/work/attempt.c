// SPDX-License-Identifier: Apache-2.0
#include "sweep/work/attempt.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/files.h"
#include "host/host.h"
#include "host/interrupt.h"
#include "host/program.h"

static const double patience = 3;         // seconds it may take to clean up
static const double memory_looks = 0.05;  // seconds between two looks at its memory

// --- the process ------------------------------------------------------------------------------

// The environment, but for TMPDIR; its texts are not copied.
static char **environment_with(char *temporary) {
  size_t count = 0;
  while (environ[count] != NULL) {
    ++count;
  }
  char **list = calloc(count + 2, sizeof *list);
  size_t n = 0;
  for (size_t i = 0; list != NULL && i < count; ++i) {
    if (strncmp(environ[i], "TMPDIR=", 7) != 0) {
      list[n++] = environ[i];
    }
  }
  if (list != NULL) {
    list[n] = temporary;
  }
  return list;
}

// In the child, which may be one of several threads of its parent: nothing that takes memory or a lock.
static void become(const attempt_t *attempt, const char *const *word, char **environment, pid_t parent) {
  const struct rlimit none = {0, 0};
  host_interrupt_forked();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) {  // it was gone before it could be watched
    _exit(ATTEMPT_CANNOT_START);
  }
  setpgid(0, 0);
  signal(SIGXFSZ, SIG_DFL);
  setrlimit(RLIMIT_CORE, &none);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(attempt->out, STDOUT_FILENO);
  dup2(attempt->log, STDERR_FILENO);
  execve(PROGRAM_SELF, (char *const *)word, environment);
  _exit(ATTEMPT_CANNOT_START);
}

static bool fork_off(attempt_t *attempt, const char *const *word, char **environment) {
  const pid_t parent = getpid();
  attempt->process = fork();
  if (attempt->process == 0) {
    become(attempt, word, environment, parent);
  }
  if (attempt->process < 0) {
    attempt->process = 0;
    return false;
  }
  setpgid(attempt->process, attempt->process);  // whoever of the two comes first
  attempt->ended = pidfd_open(attempt->process, 0);
  return attempt->ended >= 0;
}

// "amalgam-sim WORDS... --json -"
static const char **words_of(const points_words_t *words) {
  const char **word = calloc((size_t)words->words + 4, sizeof *word);
  if (word != NULL) {
    word[0] = PROGRAM_SELF;
    memcpy(word + 1, words->word, (size_t)words->words * sizeof *word);
    word[words->words + 1] = "--json";
    word[words->words + 2] = "-";
  }
  return word;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where) {
  (void)status, (void)kind, (void)where;
  remove(path);
  return 0;
}

static void release(attempt_t *attempt) {
  const int descriptors[] = {attempt->ended, attempt->out, attempt->log};
  for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; ++i) {
    if (descriptors[i] >= 0) {
      close(descriptors[i]);
    }
  }
  if (attempt->folder != NULL) {
    nftw(attempt->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(attempt->folder);
  }
  *attempt = (attempt_t){.ended = -1, .out = -1, .log = -1};
}

bool attempt_start(attempt_t *attempt, const points_words_t *words, double seconds, double memory_mb,
                   base_error_t *error) {
  *attempt = (attempt_t){.ended = -1, .seconds = seconds, .memory_mb = memory_mb, .began = host_seconds()};
  attempt->out = memfd_create("json", MFD_CLOEXEC);
  attempt->log = memfd_create("log", MFD_CLOEXEC);
  attempt->folder = host_new_folder();
  const char **word = words_of(words);
  char *temporary = NULL;
  bool good = attempt->out >= 0 && attempt->log >= 0 && attempt->folder != NULL && word != NULL &&
              asprintf(&temporary, "TMPDIR=%s", attempt->folder) > 0;
  char **environment = good ? environment_with(temporary) : NULL;
  good = environment != NULL && fork_off(attempt, word, environment);
  if (!good) {
    base_fail(error, "no process for a run can be started: %s", strerror(errno));
    if (attempt->process != 0) {
      kill(-attempt->process, SIGKILL);
      waitpid(attempt->process, NULL, 0);
    }
    release(attempt);
  }
  free(environment);
  free(temporary);
  free(word);
  return good;
}

// --- limits -----------------------------------------------------------------------------------

static double resident_mb(pid_t process) {
  char path[64], text[128];
  long pages = 0;
  snprintf(path, sizeof path, "/proc/%ld/statm", (long)process);
  pages = host_read_text(path, text, sizeof text) && sscanf(text, "%*d %ld", &pages) == 1 ? pages : 0;
  return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1048576;
}

static void tell_to_end(attempt_t *attempt, attempt_end_t why, int signal) {
  if (attempt->told == 0) {
    attempt->told = host_seconds();
    attempt->why = why;
    kill(-attempt->process, signal);
  }
}

void attempt_stop(attempt_t *attempt) { tell_to_end(attempt, ATTEMPT_STOPPED, SIGTERM); }

double attempt_look(attempt_t *attempt) {
  const double now = host_seconds();
  if (attempt->told > 0) {
    if (now > attempt->told + patience) {
      kill(-attempt->process, SIGKILL);
      return patience;
    }
    return attempt->told + patience - now;
  }
  if (attempt->seconds > 0 && now - attempt->began > attempt->seconds) {
    tell_to_end(attempt, ATTEMPT_TOO_LONG, SIGTERM);
    return patience;
  }
  if (attempt->memory_mb > 0 && resident_mb(attempt->process) > attempt->memory_mb) {
    tell_to_end(attempt, ATTEMPT_TOO_LARGE, SIGKILL);
    return patience;
  }
  const double left = attempt->seconds > 0 ? attempt->began + attempt->seconds - now + 0.001 : -1;
  return attempt->memory_mb > 0 && (left < 0 || left > memory_looks) ? memory_looks : left;
}

// --- its end ----------------------------------------------------------------------------------

// All of a file in memory, and a 0 behind it.
static char *text_of(int file, size_t *bytes) {
  const off_t size = lseek(file, 0, SEEK_END);
  char *text = size < 0 ? NULL : malloc((size_t)size + 1);
  size_t used = 0;
  for (ssize_t got = 1; text != NULL && got > 0 && used<(size_t)size; used += got> 0 ? (size_t)got : 0) {
    got = pread(file, text + used, (size_t)size - used, (off_t)used);
  }
  if (text != NULL) {
    text[used] = '\0';
  }
  *bytes = used;
  return text;
}

// The last line that says something of ours, or the last line.
static void find_error(const char *log, char error[BASE_ERROR_BYTES]) {
  static const char own[] = "amalgam: ";
  const char *last = "";
  bool ours = false;
  for (const char *line = log; *line != '\0';) {
    const size_t length = strcspn(line, "\r\n");
    const bool is_ours = strncmp(line, own, sizeof own - 1) == 0;
    if (length > 0 && (is_ours || !ours)) {
      last = line + (is_ours ? sizeof own - 1 : 0);
      ours = is_ours;
    }
    line += length + (line[length] != '\0');
  }
  base_error_t one;
  base_fail(&one, "%.*s", (int)strcspn(last, "\r\n"), last);
  memcpy(error, one.text, BASE_ERROR_BYTES);
}

bool attempt_collect(attempt_t *attempt, attempt_result_t *result, base_error_t *error) {
  int status = 0;
  struct rusage usage = {0};
  while (wait4(attempt->process, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  kill(-attempt->process, SIGKILL);  // what it has left behind
  size_t bytes;
  *result = (attempt_result_t){.end = attempt->told > 0   ? attempt->why
                                      : WIFEXITED(status) ? ATTEMPT_EXITED
                                                          : ATTEMPT_SIGNALLED,
                               .code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                               .seconds = host_seconds() - attempt->began,
                               .peak_mb = (double)usage.ru_maxrss / 1024,
                               .json = text_of(attempt->out, &bytes),
                               .log = text_of(attempt->log, &bytes)};
  if (result->end == ATTEMPT_SIGNALLED && result->code == 128 + SIGKILL) {
    result->end = ATTEMPT_TOO_LARGE;
  }
  release(attempt);
  if (result->json == NULL || result->log == NULL) {
    attempt_result_free(result);
    return base_fail(error, "out of memory");
  }
  result->log_bytes = bytes;
  find_error(result->log, result->error);
  return true;
}

void attempt_result_free(attempt_result_t *result) {
  free(result->json);
  free(result->log);
  result->json = result->log = NULL;
}
