// The SoC as the language model's accelerator: its attention on the engines, its matrix products on
// the cube cores. Each call of a function below the model (lm/lm.h) launches a kernel.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_LM_LM_MACHINE_H
#define AMALGAM_KERNEL_LM_LM_MACHINE_H

#include "kernel/machine.h"
#include "llm/lm/lm.h"
#include "soc/soc.h"

typedef struct lm_machine_options {
  soc_options_t soc;                        // machine, engines, firmware kind
  char engine_firmware[KERNEL_PATH_BYTES];  // kernels: attention
  char gemm_firmware[KERNEL_PATH_BYTES];    // and products
  size_t chunk;                             // keys of a chunk
} lm_machine_options_t;

// Sums over all launches so far.
typedef struct lm_machine_books {
  uint64_t launches, cycles;  // attention, cycles of the SoC
  uint64_t *layer_cycles;     // [layers] of these
  uint64_t gemm_launches, gemm_cycles;
} lm_machine_books_t;

typedef struct lm_machine lm_machine_t;

// For one model; gemm: products will be asked for as well. options must outlive the machine, of which
// a process can have one. NULL with the reason in error.
lm_machine_t *lm_machine_open(const lm_machine_options_t *options, const lm_t *lm, bool gemm, base_error_t *error);

// An lm_attend_t and an lm_gemm_t; the context is the lm_machine_t. False once the SoC has stopped.
bool lm_machine_attend(void *machine, const lm_attention_t *attention);
bool lm_machine_gemm(void *machine, const lm_gemm_t *product);

const lm_machine_books_t *lm_machine_books(const lm_machine_t *machine);

// Why a call has failed: SOC_STOPPED, SOC_INTERRUPTED, ..., and the message in error.
soc_status_t lm_machine_status(const lm_machine_t *machine, base_error_t *error);

// The SoC's own books, valid until lm_machine_close.
const soc_result_t *lm_machine_result(lm_machine_t *machine);
void lm_machine_close(lm_machine_t *machine);

#endif
