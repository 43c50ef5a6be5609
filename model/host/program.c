// SPDX-License-Identifier: Apache-2.0
#include "host/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/host.h"
#include "host/interrupt.h"

static const double patience = 2;  // seconds a program may take to clean up

// --- what it prints ---------------------------------------------------------------------------

typedef struct answer {
  char *text;
  size_t size, used;
  bool all;
  bool ended;  // a line: what comes next is another one
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

// --- the process ------------------------------------------------------------------------------

// input: -1 if there is none; output is this process's end of a pipe; ended is readable when the program has ended.
typedef struct process {
  pid_t id;
  int input, output, ended;
} process_t;

// A file in memory, so that nobody waits for anybody.
static bool put_input(const char *text, process_t *process) {
  const size_t length = text == NULL ? 0 : strlen(text);
  process->input = text == NULL ? -1 : memfd_create("input", MFD_CLOEXEC);
  return text == NULL || (process->input >= 0 && write(process->input, text, length) == (ssize_t)length &&
                          lseek(process->input, 0, SEEK_SET) == 0);
}

static void add_files(posix_spawn_file_actions_t *files, const program_t *program, int input, int output) {
  const char *out = program->out != NULL ? program->out : "/dev/null";
  if (input >= 0) {
    posix_spawn_file_actions_adddup2(files, input, STDIN_FILENO);
  } else {
    posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  if (program->out != NULL || output < 0) {
    posix_spawn_file_actions_addopen(files, STDOUT_FILENO, out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  } else {
    posix_spawn_file_actions_adddup2(files, output, STDOUT_FILENO);
  }
  posix_spawn_file_actions_adddup2(files, output >= 0 ? output : STDOUT_FILENO, STDERR_FILENO);
  if (program->folder != NULL) {
    posix_spawn_file_actions_addchdir_np(files, program->folder);  // after `out`, which is relative to here
  }
}

// In a process group of its own, so that all of it can be ended; no signal is held back from it.
static bool spawn(const program_t *program, int input, int output, pid_t *id) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t none, usual;
  sigemptyset(&none);
  sigemptyset(&usual);
  sigaddset(&usual, SIGXFSZ);  // which this process ignores
  posix_spawn_file_actions_init(&files);
  add_files(&files, program, input, output);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  const bool good = posix_spawnp(id, program->argv[0], &files, &attributes, (char *const *)program->argv, environ) == 0;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return good;
}

static bool start(const program_t *program, process_t *process) {
  int ends[2] = {-1, -1};
  bool good = put_input(program->input, process) && (program->answer == NULL || pipe2(ends, O_CLOEXEC) == 0);
  good = good && spawn(program, process->input, ends[1], &process->id);
  if (ends[1] >= 0) {
    close(ends[1]);
  }
  process->output = ends[0];
  process->ended = good ? pidfd_open(process->id, 0) : -1;
  return good;
}

// Until it prints nothing any more and has ended, or an interrupt is noted (true).
static bool listen_to(process_t *process, answer_t *answer, bool anyway) {
  struct pollfd ends[] = {{.fd = process->output, .events = POLLIN},
                          {.fd = process->ended, .events = POLLIN},
                          {.fd = anyway ? -1 : host_interrupt_event(), .events = POLLIN}};
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    if (host_interrupted() && !anyway) {
      return true;
    }
    if (poll(ends, 3, -1) < 0) {
      continue;
    }
    if (ends[0].revents != 0 && !read_some(process->output, answer)) {
      ends[0].fd = -1;
    }
    ends[1].fd = ends[1].revents != 0 ? -1 : ends[1].fd;
  }
  return false;
}

// Tells all of the group to end, waits until nobody in it can say anything any more, and makes the rest end.
// As long as the first process is not collected, the group's number is its own.
static void end(const process_t *process) {
  const double started = host_seconds();
  struct pollfd said = {.fd = process->output, .events = POLLIN};
  answer_t nothing = {.text = (char[1]){0}, .size = 1};
  if (process->output < 0) {
    said.fd = process->ended;
  }
  kill(-process->id, SIGTERM);
  while (host_seconds() < started + patience) {
    if (poll(&said, 1, 10) > 0 && (process->output < 0 || !read_some(process->output, &nothing))) {
      break;
    }
  }
  kill(-process->id, SIGKILL);
}

static bool collect(pid_t id) {
  int status;
  while (waitpid(id, &status, 0) != id) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void close_all(const process_t *process) {
  const int descriptors[] = {process->input, process->output, process->ended};
  for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; ++i) {
    if (descriptors[i] >= 0) {
      close(descriptors[i]);
    }
  }
}

static program_end_t run(const program_t *program) {
  answer_t answer = {.text = program->answer, .size = program->size, .all = program->all};
  process_t process;
  const bool started = start(program, &process);
  const bool interrupted = started && listen_to(&process, &answer, program->anyway);
  if (interrupted) {
    end(&process);
  }
  close_all(&process);
  const bool good = started && collect(process.id);
  return !started ? PROGRAM_NOT_STARTED : interrupted ? PROGRAM_INTERRUPTED : good ? PROGRAM_DONE : PROGRAM_FAILED;
}

program_end_t program_run(const program_t *program) {
  if (program->answer != NULL) {
    program->answer[0] = '\0';
  }
  host_hold_interrupts();
  const program_end_t how = host_interrupted() && !program->anyway ? PROGRAM_INTERRUPTED : run(program);
  host_release_interrupts();
  return how;
}
