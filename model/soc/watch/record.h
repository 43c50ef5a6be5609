// A run, command by command: enough to rebuild the chain of commands and waits that set its
// time.  There with soc_options.watch.record; soc_result.record points to it after soc_close or soc_run.
//
//   issued -> pushed         the scalar core waits for room in the queue
//   pushed -> begin          in the queue, behind earlier commands of its pipe
//   begin  -> end            the pipe works on it; a wait command waits
//   end    -> ready          the pipe is free, its effect is still on its way
//   ready  -> done           its effect waits for those before it: they come in order
//
// A command begins when the one before it in its pipe has ended and it has been pushed, whichever is
// later.  A wait ends when its cause has raised the flag, and the flag has come: WAIT_FLAG and SYNC_ALL
// by cause_done, CROSS_WAIT by a flag's way after it.
//
// Cycles are those of all launches together, as in soc_result.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_WATCH_RECORD_H
#define AMALGAM_SOC_WATCH_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "hal/command.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SOC_NO_CAUSE UINT32_MAX

// A pipe.
typedef struct soc_track {
  char core[16];  // "cube0"
  unsigned pipe;  // PIPE_*
} soc_track_t;

typedef struct soc_command {
  uint32_t track;
  uint32_t firmware;                                 // number of its firmware among those that were launched
  uint64_t number;                                   // in its pipe, from 0
  uint64_t order;                                    // of its push among all of its core, from 0
  uint64_t issued, pushed, begin, end, ready, done;  // cycles
  uint64_t alone;  // of a move between core and memory: cycles it takes with nobody else
                   // on the machine; else end - begin
  // Of a WAIT_FLAG, CROSS_WAIT or SYNC_ALL: the command that came last of those it waited for, as track
  // and number, and when that was done.  Track SOC_NO_CAUSE: none.
  uint32_t cause_track;
  uint64_t cause_number, cause_done;
  command_t command;
} soc_command_t;

typedef struct soc_record {
  const soc_track_t *tracks;
  size_t track_count;
  const soc_command_t *commands;  // by track, then by number
  size_t command_count;
  const size_t *first;  // [track_count + 1]: where a track's commands begin
} soc_record_t;

// A command by track and number; NULL: there is none.
const soc_command_t *soc_record_find(const soc_record_t *record, uint32_t track, uint64_t number);

#ifdef __cplusplus
}
#endif

#endif
