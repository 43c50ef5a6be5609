// Ctrl-C, for commands that compute or wait in this process: the signals are held back, and whoever
// takes long looks for them.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_HOST_INTERRUPT_H_
#define AMALGAM_HOST_INTERRUPT_H_

#include <stdbool.h>

// From here on SIGINT and SIGTERM wait, in this thread and in those it starts.
void host_hold_signals(void);

// Has one come? It stays: all threads see it, and whoever asks later.
bool host_interrupted(void);

#endif
