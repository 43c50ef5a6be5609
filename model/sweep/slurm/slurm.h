// Jobs on a Slurm cluster, submitted, looked at and ended by Slurm's own commands: sbatch, squeue, scontrol, scancel.
// Nothing here needs accounting, and nothing waits but for those commands: whoever calls decides when to try again.
//
//   slurm.c           jobs
//   slurm_call.c      one of Slurm's commands, and what its errors mean
//   slurm_says.def    ... by their words
//   slurm_options.c   what a user asks sbatch for
//
// A job is an array of equal tasks. The controller may be down, or answer too late: a job that sbatch failed to submit
// may be there all the same, and is then found by its name.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SWEEP_SLURM_SLURM_H
#define AMALGAM_SWEEP_SLURM_SLURM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wordexp.h>

#include "base/error.h"

typedef enum slurm_answer {
  SLURM_DONE,
  SLURM_UNANSWERED,   // the cluster cannot be reached, or was too late; it may have done what it was asked
  SLURM_FULL,         // too many jobs for now; fewer may be accepted
  SLURM_REFUSED,      // and always will be
  SLURM_INTERRUPTED,  // host_interrupted
} slurm_answer_t;

enum { SLURM_NAME_BYTES = 128, SLURM_REASON_BYTES = 64 };

// Before all else: what the environment asks of Slurm's commands is forgotten where it would mislead the others here
// (SBATCH_ARRAY_INX, SQUEUE_STATES, ...). *most: tasks that an array may have; 1: there are no arrays.
slurm_answer_t slurm_open(uint32_t *most, base_error_t *error);

typedef struct slurm_job {
  const char *name;         // at most SLURM_NAME_BYTES - 1 of letters, digits, '-', '_', '.'
  const char *const *word;  // what each task runs: a path, arguments, NULL. SIGUSR1 says that its time is almost up
  // Options that get, behind those words, the processors that the task has, and nine tenths of its memory in MB, if
  // that is bounded; or NULL.
  const char *processors_option, *memory_option;
  const char *folder;            // where it runs
  const char *log;               // what it prints goes there; %A and %a stand for the job's and the task's number
  const char *partition, *time;  // as sbatch has them; NULL: what the cluster does without
  uint64_t memory_mb;            // of a task; 0: the same
  const char *const *option;     // others for sbatch, NULL at the end
  uint32_t tasks;
} slurm_job_t;

slurm_answer_t slurm_submit(const slurm_job_t *job, base_error_t *error);

// Tasks of one name that have not ended. Not counted are those that Slurm failed to start and holds, as they will not
// begin by themselves (those that a user holds wait).
typedef struct slurm_array {
  char name[SLURM_NAME_BYTES];
  uint32_t waiting, running;
  char reason[SLURM_REASON_BYTES];  // of the first that waits, as Slurm has it
} slurm_array_t;

typedef struct slurm_arrays {
  slurm_array_t *array;  // owned
  size_t count;
} slurm_arrays_t;

// This user's jobs whose name begins so. Unless SLURM_DONE, *arrays is as it was, and error says why.
slurm_answer_t slurm_look(const char *prefix, slurm_arrays_t *arrays, base_error_t *error);
void slurm_forget(slurm_arrays_t *arrays);

// Ends all tasks of this user's jobs of this name: SIGTERM, then, after a time that the cluster sets, SIGKILL. Done
// even when interrupted. False: the cluster did not answer.
bool slurm_cancel(const char *name, base_error_t *error);

// --- what a user asks for ---------------------------------------------------------------------

// The words of "--qos high --exclude='a b'", as a shell has them, for wordfree. False, and there is nothing to free:
// error says which is not possible: those that change what sbatch does, and not what the job is given.
bool slurm_options(const char *text, wordexp_t *words, base_error_t *error);

// sbatch's "90", "1:30:00", "2-12": seconds. False: it is no time.
bool slurm_seconds(const char *text, double *seconds);

// The time from SIGUSR1 to the end of such a job (NULL: unknown).
unsigned slurm_warning_seconds(const char *time);

// --- internal to the folder -------------------------------------------------------------------

// Runs one of Slurm's commands. input: its stdin, or NULL; descriptor: its stdout, or -1. Its other output is in text,
// and if it did not end well error has a line of that. anyway: also if an interrupt is noted.
slurm_answer_t slurm_call(const char *const *word, const char *input, int descriptor, char *text, size_t size,
                          bool anyway, base_error_t *error);

#endif
