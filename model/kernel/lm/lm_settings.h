// The language model's settings: the attention's arithmetic, where products go, the machine.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_LM_LM_SETTINGS_H
#define AMALGAM_KERNEL_LM_LM_SETTINGS_H

#include "kernel/lm/lm_machine.h"

// As --attention lists them.
typedef enum lm_arithmetic { LM_FP32, LM_FA2, LM_HFA, LM_EXPMUL } lm_arithmetic_t;

typedef struct lm_settings {
  lm_arithmetic_t attention;
  bool gemm_soc;  // products in BF16 on the cube core, else in FP32 on the host
  // With FP32 and products on the host what follows is not used.
  kernel_machine_t machine;  // its engines, blocks and queries are the config's; gm is the C model
  bool rtl;                  // the engines' Verilog, else its C model
  num_hfa_t hfa;
  size_t chunk;  // keys of a chunk, 0: lm_usual_chunk
} lm_settings_t;

extern const char *const lm_arithmetic_names[];  // "fp32", ...

static inline bool lm_has_machine(const lm_settings_t *settings) {
  return settings->attention != LM_FP32 || settings->gemm_soc;
}

// Fills in the options to open the machine with, for a model of that shape, and decides the chunk. False: they do not
// go together.
bool lm_settings_fit(lm_settings_t *settings, const checkpoint_config_t *shape, lm_machine_options_t *options,
                     base_error_t *error);

// Keys of a chunk if nothing else is asked for: half of what the engine holds, a multiple of its
// blocks, so that the next chunk can be loaded meanwhile.
size_t lm_usual_chunk(size_t rows, size_t blocks);

#endif
