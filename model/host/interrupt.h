// The reaction to Ctrl-C: SIGINT, SIGTERM and SIGUSR1 (a batch system's warning that time is almost up), and, unless
// they are ignored, SIGHUP and SIGPIPE (the reader of the output has gone).
//
//   at once       removes what was begun and ends; for a command that computes in this process
//   at once       removes unfinished files and ends; for a command that computes in this process
//   cooperative   is only noted, between hold and release; long computations ask host_interrupted
//   programs      host/program.h ends the programs that it started and reports it; host/worker.h wakes waiting threads
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_HOST_INTERRUPT_H
#define AMALGAM_HOST_INTERRUPT_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HOST_INTERRUPTED = 130 };  // a status that says so; the exit code is that of the signal, see below

// From here on a signal ends the process at once: remove_begun runs in the signal's handler (NULL:
// nothing to remove), stderr gets "amalgam: interrupted" (but for SIGPIPE), the exit code is 128 + the signal.
// exit(), which whatever finds a broken contract may call, removes it too.
// A file that would grow too large (SIGXFSZ) is an error of whoever writes it.
void host_interrupt_ends(void (*remove_begun)(void));

// Ends this process when out of memory, in the same way, with exit code 2: for C++, whose `new` has no other answer.
void host_out_of_memory(void) __attribute__((noreturn));

// Ends this process as that does, with a line of its own, "...\n"; a signal's handler may call it.
void host_end(const char *line, int code) __attribute__((noreturn));

// Between these a signal is only noted. They nest, in all threads of the process together; after the
// last release a signal does again what it did before the first hold.
void host_hold_interrupts(void);
void host_release_interrupts(void);

// Has a signal been noted? It stays: all threads see it, and whoever asks later.
bool host_interrupted(void);

// The exit code of an interrupted process, as a shell has it: 128 + the first signal that was noted; 130: none.
int host_interrupt_code(void);

// True after SIGPIPE: nobody would read a message.
bool host_interrupt_quiet(void);

// It was SIGUSR1.
bool host_interrupt_time_up(void);

// A descriptor to poll that is readable once a signal has been noted; not to be read. -1: there is none.
int host_interrupt_event(void);

// In a process that was forked off: nothing held, nothing noted, signals do what the system does.
void host_interrupt_forked(void);

#ifdef __cplusplus
}
#endif

#endif
