// The simulations behind a report: each is a `run` command line, in a process of its own (SystemC
// elaborates once), a few at a time; results come back through shared memory.
// SPDX-License-Identifier: Apache-2.0
#ifndef REPORT_JOBS_H
#define REPORT_JOBS_H

#include "cli/option/options.h"
#include "hal/command.h"
#include "kernel/gemm/gemm_simulate.h"

enum { REPORT_NAME_BYTES = 80, REPORT_LINE_BYTES = 512, REPORT_WORDS_MAX = 96 };

// What a simulation of w4a16 or gemm found besides.
typedef struct report_gemm_outcome {
  unsigned splits, tile_n;
  gemm_phase_t phase[GEMM_PHASES];
  size_t phases;
  // Cycles that the pipes of a kind of core were busy in, the mean over all of them.
  double cube_busy[PIPE_COUNT], vector_busy[PIPE_COUNT];
  double error;                // of the output as stored, against FP64, if judged
  size_t wrong_bits;           // elements and weights that differ from the contract's, if judged
} report_gemm_outcome_t;

// What a simulation found.
typedef struct report_outcome {
  int status;          // base_exit_t
  base_error_t error;  // one line if status is not 0
  uint64_t cycles, flops, hbm_read, l2_read, l2_write;
  double time_us, fu;
  double cube_busy, vector_busy;   // cycles of pipes M and V, means over their cores
  char bound[16];              // the busiest pipe: "vector V"
  double bound_busy;           // share of the cycles
  double f32, bf16;            // relative errors of the FP32 output and of its cast, if judged
  double cos_diff;             // of an FP8 cache: of the cast,
  double unquantised;          // and its relative error on the cache before it was quantised
  report_gemm_outcome_t half;  // of w4a16 and gemm
} report_outcome_t;

typedef struct report_job {
  char name[REPORT_NAME_BYTES];   // for people
  char line[REPORT_LINE_BYTES];   // cut into words
  char *word[REPORT_WORDS_MAX];
  options_t options;
  unsigned command;               // CLI_RUN_AMLA, _BASE, _FP8, _W4A16 or _GEMM
  bool judged;                    // compare the output with FP64
  report_outcome_t outcome;
} report_job_t;

typedef struct report_jobs {
  report_job_t *list;
  size_t count, room;
  bool quiet;
} report_jobs_t;

// Words that every job of a report begins with; later ones of the job's own line win.
typedef struct report_common {
  const char *word[REPORT_WORDS_MAX];
  size_t count;
} report_common_t;

bool report_jobs_open(report_jobs_t *jobs, size_t room, bool quiet, base_error_t *error);
void report_jobs_close(report_jobs_t *jobs);

// Adds a job: a kernel and options as after `amalgam run`, words separated by single spaces.
// NULL: error says what is wrong with it.
report_job_t *report_add(report_jobs_t *jobs, const report_common_t *common, const char *name,
                         base_error_t *error, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

// Runs the jobs; interrupts must be held (host/interrupt.h).  Functional jobs of a whole chip
// are large: one at a time, else two.  False: error says which one failed, code is the exit code.
// Ctrl-C ends and reaps all of them, code is BASE_INTERRUPTED.
bool report_run(report_jobs_t *jobs, bool large, base_exit_t *code, base_error_t *error);

bool report_interrupted(void);

#endif
