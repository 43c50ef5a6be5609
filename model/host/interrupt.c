// SPDX-License-Identifier: Apache-2.0
#include "host/interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGUSR1};
enum { SIGNALS = sizeof signals / sizeof *signals };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t holds;
static struct sigaction before[SIGNALS];  // the first hold
static atomic_int noted;                  // the first signal, 0: none
static atomic_int event = -1;
static pid_t process;  // which has begun files
static void (*remove_begun)(void);
static bool terminal;  // stderr: a line of progress may stand there

// --- the handlers, which call nothing that a handler may not ----------------------------------

static void say(const char *text, size_t bytes) {
  const ssize_t written = write(STDERR_FILENO, text, bytes);
  (void)written;  // there is nobody left to tell
}

__attribute__((noreturn)) static void end_with(const char *text, size_t bytes, int code) {
  static const char clear[] = "\r\033[K";
  if (remove_begun != NULL) {
    remove_begun();
  }
  say(clear, terminal && bytes > 0 ? sizeof clear - 1 : 0);
  say(text, bytes);
  _exit(code);
}

static void end(int signal) {
  static const char text[] = "amalgam: interrupted\n";
  end_with(text, signal != SIGPIPE ? sizeof text - 1 : 0, 128 + signal);
}

void host_out_of_memory(void) {
  static const char text[] = "amalgam: out of memory\n";
  end_with(text, sizeof text - 1, 2);
}

void host_end(const char *line, int code) { end_with(line, strlen(line), code); }

static void note(int signal) {
  const uint64_t one = 1;
  int none = 0;
  atomic_compare_exchange_strong(&noted, &none, signal);
  const ssize_t written = write(event, &one, sizeof one);
  (void)written;  // without an event whoever waits finds out later
}

// ----------------------------------------------------------------------------------------------

// nohup is respected, and who wants write errors. SIGINT is not looked at: a shell ignores it for what it starts
// with '&'.
static bool is_ignored(int signal) {
  struct sigaction now;
  return (signal == SIGHUP || signal == SIGPIPE) && sigaction(signal, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

static void handle(void (*handler)(int), struct sigaction *old) {
  struct sigaction action = {.sa_handler = handler};
  sigfillset(&action.sa_mask);
  for (size_t i = 0; i < SIGNALS; ++i) {
    sigaction(signals[i], is_ignored(signals[i]) ? NULL : &action, old == NULL ? NULL : &old[i]);
  }
}

// exit() may be called within a run: a broken assertion of the RTL ends the program where it is. A forked process
// has begun nothing of its own.
static void remove_at_exit(void) {
  if (getpid() == process && remove_begun != NULL) {
    remove_begun();
  }
}

void host_interrupt_ends(void (*remove)(void)) {
  remove_begun = remove;
  process = getpid();
  atexit(remove_at_exit);
  terminal = isatty(STDERR_FILENO) == 1;
  handle(end, NULL);
  signal(SIGXFSZ, SIG_IGN);
}

void host_hold_interrupts(void) {
  pthread_mutex_lock(&lock);
  if (event < 0) {
    event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  }
  if (holds++ == 0) {
    handle(note, before);
  }
  pthread_mutex_unlock(&lock);
}

void host_release_interrupts(void) {
  pthread_mutex_lock(&lock);
  if (--holds == 0) {
    for (size_t i = 0; i < SIGNALS; ++i) {
      sigaction(signals[i], &before[i], NULL);
    }
  }
  pthread_mutex_unlock(&lock);
}

bool host_interrupted(void) { return noted != 0; }

int host_interrupt_code(void) { return noted != 0 ? 128 + noted : HOST_INTERRUPTED; }

bool host_interrupt_quiet(void) { return noted == SIGPIPE; }

bool host_interrupt_time_up(void) { return noted == SIGUSR1; }

int host_interrupt_event(void) { return event; }

void host_interrupt_forked(void) {
  handle(SIG_DFL, NULL);
  if (event >= 0) {
    close(event);  // the parent's
  }
  event = -1;
  holds = 0;
  noted = 0;
}
