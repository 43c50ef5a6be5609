// Products by the kernels w4a16, w8a8 and gemm: what to simulate, and what came of it.
// attention/attention.h has an example of how these functions are used.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_GEMM_GEMM_H
#define AMALGAM_KERNEL_GEMM_GEMM_H

#include <stdio.h>

#include "hal/command.h"
#include "kernel/gemm/gemm_problem.h"
#include "kernel/input.h"
#include "kernel/kernel.h"

// Made-up zero points; the usual ones are integers.
typedef enum gemm_zeros { GEMM_ZEROS_NONE, GEMM_ZEROS_INTEGER, GEMM_ZEROS_FRACTION } gemm_zeros_t;

// The source of activations and weights. Sizes: 0 for those of the files, or the usual ones; a size that
// files do not have is refused.
typedef struct gemm_input {
  kernel_source_t source;
  const char *a, *w;         // KERNEL_FILES: activations and weights,
  const char *scale, *zero;  // of w4a16 with scales and perhaps zero points
  const char *smooth;        // of w8a8, with scales, too; or NULL
  made_up_t made_up;         // KERNEL_MADE_UP
  bool bf16;                 // BF16 activations, result and, of gemm, weights, not FP16
  bool s8;                   // of gemm: 8-bit integers, the result S32, or with a scale a column FP16:
  bool scaled;               // made up, or of the file `scale`
  enum gemm_layout layout;   // of gemm: how the weights lie in global memory; files are [K,N]
  size_t m, n, k, group;     // usually 16, 2048, 4096, 128
  // w4a16
  gemm_zeros_t zeros;  // KERNEL_MADE_UP
  bool is_unsigned;    // nibbles from 0 to 15
} gemm_input_t;

enum { GEMM_SPLITS_AUTO = 0, GEMM_TILE_AUTO = 0 };

// The cut of a product by gemm_tiles, see its gemm_tiles_args_t; a member that is 0 is chosen (gemm_cut.h).
typedef struct gemm_cut {
  unsigned rows, cols;      // of a tile
  unsigned depth, b_depth;  // K of a piece of a, of b, in L1
  unsigned a_slots, b_slots, kept;
  unsigned splits;
  enum gemm_order { GEMM_ORDER_AUTO, GEMM_BY_ROWS, GEMM_BY_COLUMNS } order;  // of tiles
  unsigned band;  // so many of them before those of the next row or column
  double us;      // the estimate, without the launch
} gemm_cut_t;

// The kernel's variants. gemm reads only machine, out_f32, halving, cut and splits, w8a8 machine and out_f32.
typedef struct gemm_settings {
  const char *kernel;  // "w4a16", "w8a8" or "gemm"
  kernel_machine_t machine;
  bool out_f32;
  bool dataparallel;         // all of K by one core, else slices of K, which vector cores add up
  unsigned splits;           // slices, 1 to 64, or GEMM_SPLITS_AUTO
  unsigned tile_n;           // columns of a tile: 64, 128, 256, or GEMM_TILE_AUTO
  enum w4a16_phases phases;  // dequantise first, meanwhile, or straight into L1
  bool halving;              // of gemm: tiles of 128 x 256, halved until every AI core has one
  gemm_cut_t cut;            // of gemm without halving
} gemm_settings_t;

typedef struct gemm_request {
  gemm_settings_t settings;
  gemm_input_t input;
  kernel_judge_t judge;
} gemm_request_t;

// A part of a run; parts come one after the other, or all at once.
typedef struct gemm_phase {
  const char *name;       // "dequantise"
  uint64_t cycles;        // 0: not told apart from the next one
  soc_traffic_t traffic;  // of the arrays that it reads and writes
} gemm_phase_t;

enum { GEMM_PHASES = 3, GEMM_ARRAYS = 9 };

// An array's name, size and traffic.
typedef struct gemm_array {
  const char *name;
  uint64_t bytes;
  soc_traffic_t traffic;
} gemm_array_t;

typedef struct gemm_run {
  kernel_run_t kernel;       // its result: on the contract's weights; judged are columns
  gemm_settings_t settings;  // with splits and tile_n decided; of gemm 0 is as the kernel likes
  gemm_problem_t problem;
  void *out;    // [m][n], FP32 as settings.out_f32 says, or bits of the problem's type
  uint16_t *b;  // [k][n] FP16, what the vector cores made of the weights: of w4a16 with
                // sequential phases, if verify was asked for, else NULL
  gemm_array_t array[GEMM_ARRAYS];
  size_t arrays;
  gemm_phase_t phase[GEMM_PHASES];
  size_t phases;
  size_t wrong_weights;  // of b
  // The error of w4a16 on weights before they are rounded to FP16, of w8a8 on activations before they are quantised.
  bool has_exact;
  num_error_t exact_error;
} gemm_run_t;

// Relative errors beyond which a run exits with 1, unless told otherwise. Rounding to FP16 costs 2.1e-4
// as a rule and 2^-11 = 4.9e-4 at most, to BF16 eight times that; FP32 sums stay near 1e-6.
#define GEMM_TOLERANCE_F16 5e-4
#define GEMM_TOLERANCE_BF16 5e-3
#define GEMM_TOLERANCE_F32 1e-5

// The request of `amalgam run KERNEL` without options, on that machine. kernel: "w4a16", "w8a8" or "gemm".
gemm_request_t gemm_request(const char *kernel, const kernel_machine_t *machine);

bool gemm_prepare(const gemm_request_t *request, gemm_run_t *run, base_error_t *error);
extern const kernel_ops_t gemm_ops;

uint64_t gemm_flops(const gemm_problem_t *problem);

// The type of the result, TYPE_*, and the bytes of an element of it.
static inline unsigned gemm_result_type(const gemm_problem_t *problem, const gemm_settings_t *settings) {
  return problem->s8                      ? problem->scaled ? TYPE_F16 : TYPE_S32
         : settings->out_f32              ? TYPE_F32
         : problem->type == NUM_HALF_FP16 ? TYPE_F16
                                          : TYPE_BF16;
}
static inline unsigned gemm_result_bytes(const gemm_problem_t *problem, const gemm_settings_t *settings) {
  const unsigned type = gemm_result_type(problem, settings);
  return type == TYPE_F32 || type == TYPE_S32 ? 4 : 2;
}

// Do vector cores add up slices' sums? One slice needs no adding, and the cube core casts its own.
static inline bool gemm_reduces(const gemm_settings_t *settings) { return settings->splits > 1; }

// Internal.
base_exit_t gemm_simulate(kernel_run_t *kernel, base_error_t *error);
judge_answer_t gemm_answer(kernel_run_t *kernel);
bool gemm_judge(kernel_run_t *kernel, base_error_t *error);
base_exit_t gemm_verdict(const kernel_run_t *kernel, base_error_t *error);
void gemm_json(const kernel_run_t *kernel, cJSON *root);

// The arrays that the request asks for. False: *problem holds nothing.
bool gemm_read(const gemm_input_t *input, const char *kernel, bool timing_only, gemm_problem_t *problem,
               base_error_t *error);

#endif
