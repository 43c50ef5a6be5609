// FlashAttention by the kernel flash: what to simulate, and what came of it.
// attention/attention.h has an example of how these functions are used.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_FLASH_FLASH_H
#define AMALGAM_KERNEL_FLASH_FLASH_H

#include <stdio.h>
#include <string.h>

#include "kernel/flash/flash_problem.h"
#include "kernel/input.h"
#include "kernel/kernel.h"
#include "kernels/flash/flash_deal.h"

enum { FLASH_SPLITS_AUTO = 255 };

typedef enum flash_type { FLASH_TYPE_USUAL, FLASH_FP16, FLASH_BF16 } flash_type_t;

// The source of queries, keys and values. Sizes: 0 for those of the files, or the usual ones; a size
// that files do not have is refused.
typedef struct flash_input {
  kernel_source_t source;                      // KERNEL_MADE_UP or KERNEL_FILES
  const char *q, *k, *v;                       // KERNEL_FILES
  made_up_t made_up;                           // KERNEL_MADE_UP
  flash_type_t type;                           // usually the files', or BF16
  size_t batch, heads, kv_heads, seq_q, keys;  // usually 1, 8, heads, 1024, seq_q
  size_t head_dim, dv;                         // usually 128, head_dim
  float scale;                                 // of the scores; NAN: 1 over the root of head_dim
  bool round;                                  // '<f2' to BF16, where that lacks a value
  const char *mask, *lengths;                  // files, NULL: none
  bool causal;
  size_t window;      // with causal: keys that a token sees at most, its own among them; 0: all
  const char *sinks;  // a file, or "made-up"; NULL: none
  float cap;          // of the scores; 0: none
  bool paged;         // keys and values are put into pages
  size_t block;       // keys of a block, a multiple of 16; 0: by flash_choose
} flash_input_t;

typedef struct flash_settings {
  kernel_machine_t machine;
  unsigned preload;     // most score blocks that the cube core runs ahead
  unsigned group_rows;  // of a unit, at most; a multiple of 16
  unsigned splits;      // of the keys, 0: one; or FLASH_SPLITS_AUTO
  bool out_f32;
} flash_settings_t;

typedef struct flash_request {
  flash_settings_t settings;
  flash_input_t input;
  kernel_judge_t judge;
} flash_request_t;

typedef struct flash_run {
  kernel_run_t kernel;
  flash_settings_t settings;
  flash_problem_t problem;
  flash_deal_t deal;  // of rows and keys to cores
  void *out;          // FP32, or bits of the inputs' type, as settings.out_f32 says
} flash_run_t;

// Relative errors beyond which a run exits with 1, unless told otherwise: twice what normal inputs give.
#define FLASH_TOLERANCE_BF16 5e-3
#define FLASH_TOLERANCE_FP16 8e-4

// The request of `amalgam run flash` without options, on that machine.
flash_request_t flash_request(const kernel_machine_t *machine);

bool flash_prepare(const flash_request_t *request, flash_run_t *run, base_error_t *error);
extern const kernel_ops_t flash_ops;

// FLOPs: two for each multiply-add of both products, over the scores that are not masked by causal or lengths.
uint64_t flash_flops(const flash_problem_t *problem);

// Internal.
base_exit_t flash_simulate(kernel_run_t *kernel, base_error_t *error);
judge_answer_t flash_answer(kernel_run_t *kernel);
void flash_json(const kernel_run_t *kernel, cJSON *root);

// Arrays that the request asks for. False: *problem holds nothing.
bool flash_read(const flash_input_t *input, bool timing_only, unsigned threads, flash_problem_t *problem,
                base_error_t *error);

// Gives each entry pages, and puts its keys and values there, if there are any.
bool flash_make_pages(flash_problem_t *problem, uint64_t seed, base_error_t *error);

// --- the one place where sizes are chosen (flash_plan.c) ---

// Fills in the problem's block (unless it is given) and splits, and run->deal.
void flash_choose(flash_run_t *run, size_t block);

// Blocks that V2 is to be behind V1 (flash_args.h): of a group's rows and a block's keys.
uint32_t flash_behind(const config_t *config, size_t rows, size_t block, size_t dk, size_t dv);

#endif
