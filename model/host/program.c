// SPDX-License-Identifier: Apache-2.0
#include "host/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/host.h"

static const double patience = 2;   // seconds a program may take to clean up

// --- what it prints ---------------------------------------------------------------------------

typedef struct answer {
  char *text;
  size_t size, used;
  bool all;
  bool ended;              // a line: what comes next is another one
} answer_t;

static void add(answer_t *answer, const char *text, size_t length) {
  for (size_t i = 0; i < length; ++i) {
    if (!answer->all && answer->ended) {
      answer->used = 0;
    }
    answer->ended = text[i] == '\n';
    if ((answer->all || !answer->ended) && answer->used + 1 < answer->size) {
      answer->text[answer->used++] = text[i];
    }
  }
  answer->text[answer->used] = '\0';
}

// False: nothing comes any more.
static bool read_some(int input, answer_t *answer) {
  char text[4096];
  const ssize_t got = read(input, text, sizeof text);
  if (got > 0) {
    add(answer, text, (size_t)got);
  }
  return got > 0 || (got < 0 && errno == EINTR);
}

// Reads until the end, or until a signal comes (true).
static bool listen_to(int input, int signals, answer_t *answer) {
  struct pollfd ends[] = {{.fd = input, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
  for (;;) {
    if (poll(ends, 2, -1) < 0) {
      continue;
    }
    if (ends[1].revents != 0) {
      return true;
    }
    if (ends[0].revents != 0 && !read_some(input, answer)) {
      return false;
    }
  }
}

// --- the process ------------------------------------------------------------------------------

// In a process group of its own, so that all of it can be ended; without the caller's signals held back.
static bool start(const char *const argv[], int output, pid_t *process) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t none;
  sigemptyset(&none);
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigmask(&attributes, &none);
  const bool good =
      posix_spawn(process, argv[0], &files, &attributes, (char *const *)argv, environ) == 0;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return good;
}

// Tells all of the group to end, waits until nobody in it can say anything any more, and makes the rest end.
// As long as the first process is not collected, the group's number is its own.
static void end(pid_t process, int output) {
  const double started = host_seconds();
  struct pollfd said = {.fd = output, .events = POLLIN};
  answer_t nothing = {.text = (char[1]){0}, .size = 1};
  kill(-process, SIGTERM);
  while (host_seconds() < started + patience) {
    if (poll(&said, 1, 10) > 0 && !read_some(output, &nothing)) {
      break;
    }
  }
  kill(-process, SIGKILL);
}

static bool collect(pid_t process) {
  int status;
  while (waitpid(process, &status, 0) != process) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static program_end_t run(const char *const argv[], int signals, answer_t *answer) {
  int ends[2];
  pid_t process;
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return PROGRAM_NOT_STARTED;
  }
  const bool started = start(argv, ends[1], &process);
  close(ends[1]);
  const bool interrupted = started && listen_to(ends[0], signals, answer);
  if (interrupted) {
    end(process, ends[0]);
  }
  close(ends[0]);
  const bool good = started && collect(process);
  return !started      ? PROGRAM_NOT_STARTED
         : interrupted ? PROGRAM_INTERRUPTED
         : good        ? PROGRAM_DONE
                       : PROGRAM_FAILED;
}

program_end_t program_run(const char *const argv[], bool all, char *answer, size_t size) {
  answer_t out = {.text = answer, .size = size, .all = all};
  sigset_t set, before;
  answer[0] = '\0';
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, &before);
  const int signals = signalfd(-1, &set, SFD_CLOEXEC);
  const program_end_t how = signals < 0 ? PROGRAM_NOT_STARTED : run(argv, signals, &out);
  if (signals >= 0) {
    close(signals);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return how;
}
