// The simulations behind a report: each is a kernel's request (kernel/*/*.h), in a process of its own (SystemC
// elaborates once), several at a time; outcomes come back through shared memory.
//
//   report_jobs_t jobs;
//   report_jobs_open(&jobs, settings, error)
//   report_job_t *job = report_add(&jobs, &machine, "amla", "Sq %zu", sq);
//   job->attention.input.keys = keys;           // any member of the request
//   ... &job->outcome ...                       // read after report_run
//   report_run(&jobs, false, code, error)
//   report_jobs_close(&jobs)
//
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_REPORT_REPORT_JOBS_H
#define AMALGAM_REPORT_REPORT_JOBS_H

#include "hal/command.h"
#include "kernel/attention/attention.h"
#include "kernel/collective/collective.h"
#include "kernel/decode/decode.h"
#include "soc/joules.h"
#include "kernel/flash/flash.h"
#include "kernel/fp8/fp8.h"
#include "kernel/gemm/gemm.h"
#include "report/report_settings.h"

enum { REPORT_NAME_BYTES = 80 };

// Results of a simulation of w4a16 or gemm, besides the usual ones.
typedef struct report_gemm_outcome {
  unsigned splits, tile_n;
  gemm_cut_t cut;  // of gemm
  gemm_phase_t phase[GEMM_PHASES];
  size_t phases;
  // Cycles that the pipes of a kind of core were busy in, the mean over all of them.
  double cube_busy[PIPE_COUNT], vector_busy[PIPE_COUNT];
  double error;       // of the output as stored, against FP64, if judged
  size_t wrong_bits;  // elements and weights that differ from the contract's, if judged
} report_gemm_outcome_t;

enum { REPORT_DECODE_WINDOWS = 8 };

// Operations of a step: attention; products with experts' weights, with others; what vector cores do alone.
typedef enum report_decode_kind {
  REPORT_DECODE_ATTENTION,
  REPORT_DECODE_EXPERTS,
  REPORT_DECODE_PRODUCTS,
  REPORT_DECODE_VECTOR,
  REPORT_DECODE_KINDS
} report_decode_kind_t;
typedef enum report_decode_place {
  REPORT_DECODE_DENSE,
  REPORT_DECODE_MIXTURE,
  REPORT_DECODE_OUTSIDE,
  REPORT_DECODE_PLACES  // layers, and outside of them
} report_decode_place_t;

// An operation of a step, over all layers that have it.
typedef struct report_decode_part {
  size_t layers, operations;
  double cycles[REPORT_DECODE_KINDS], hbm_read[REPORT_DECODE_KINDS];
} report_decode_part_t;

// Results of a simulation of a whole model.
typedef struct report_decode_outcome {
  double nats, window[REPORT_DECODE_WINDOWS];  // of a text
  report_decode_part_t part[REPORT_DECODE_PLACES];
  double launch_cycles, launches;  // of a step
} report_decode_outcome_t;

// Results of a simulation.
typedef struct report_outcome {
  int status;          // base_exit_t
  base_error_t error;  // one line if status is not 0
  uint64_t cycles, flops, hbm_read, l2_read, l2_write;
  double time_us, fu;
  double first_us, warm_us;       // the first launch, and the mean of the others; of one launch both are time_us
  double cube_busy, vector_busy;  // cycles of pipes M and V, means over their cores
  char bound[16];                 // the busiest pipe: "vector V"
  double bound_busy;              // share of the cycles
  double f32, bf16;               // relative errors of the FP32 output and of its cast, if judged
  double cos_diff;                // of an FP8 cache: of the cast,
  double unquantised;             // and its relative error on the cache before it was quantised
  joules_t energy;                // its parts' names are not to be read
  report_gemm_outcome_t gemm;     // of w4a16 and gemm
  report_decode_outcome_t decode;
  double bus_gbps;  // of collective
} report_outcome_t;

typedef struct report_kind report_kind_t;

typedef struct report_job {
  char name[REPORT_NAME_BYTES];  // for people
  const report_kind_t *kind;
  kernel_machine_t *machine;  // of the request
  union {
    attention_request_t attention;
    flash_request_t flash;
    fp8_request_t fp8;
    gemm_request_t gemm;
    decode_request_t decode;
    collective_request_t collective;
  };
  bool judged;  // of attention and fp8 the FP32 output and its cast against FP64, of flash the
                // FP32 output; of gemm also every bit against the contract
  report_outcome_t outcome;
} report_job_t;

typedef struct report_jobs {
  report_job_t *list;
  size_t count;
  const report_settings_t *settings;
} report_jobs_t;

bool report_jobs_open(report_jobs_t *jobs, const report_settings_t *settings, base_error_t *error);
void report_jobs_close(report_jobs_t *jobs);

// Adds a job: the usual request of "amla", "base", "flash", "fp8", "w4a16", "gemm", "decode" or "collective" on that
// machine, without arithmetic, so that inputs are "made up" and hold nothing. It stays where it is until the jobs are
// closed. Errors in it are reported by report_run. name: for people, as printf has it.
report_job_t *report_add(report_jobs_t *jobs, const kernel_machine_t *machine, const char *kernel, const char *name,
                         ...) __attribute__((format(printf, 4, 5)));

// Another value of its config: "soc.skew_us=0.4".
void report_job_set(report_job_t *job, const char *assignment, ...) __attribute__((format(printf, 2, 3)));

// With arithmetic.
void report_job_compute(report_job_t *job);

// Compares the result, too.
void report_job_judge(report_job_t *job);

// Runs the jobs; interrupts must be held (host/interrupt.h).  Functional jobs of a whole chip
// are large: one at a time, else settings->processes.  False: error says which one failed, code is the
// exit code. Ctrl-C ends and reaps all of them, code is BASE_INTERRUPTED.
bool report_run(report_jobs_t *jobs, bool large, base_exit_t *code, base_error_t *error);

bool report_interrupted(void);

#endif
