// The way in which a model is computed: the kernel's attention, the form of weights and cache, the launches, the
// machine.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_DECODE_DECODE_SETTINGS_H
#define AMALGAM_KERNEL_DECODE_DECODE_SETTINGS_H

#include "llm/checkpoint/checkpoint.h"
#include "kernel/machine.h"
#include "num/num_fp8.h"

// As the options list them.
// base, amla and fp8 over latents, flash over keys and values of heads.
typedef enum decode_attention {
  DECODE_BASE,
  DECODE_AMLA,
  DECODE_FP8,
  DECODE_FLASH,
  DECODE_ATTENTIONS
} decode_attention_t;
typedef enum decode_weights {
  DECODE_FP16,
  DECODE_W4A16,
  DECODE_BF16,  // activations, too
  DECODE_W8A8,  // likewise
} decode_weights_t;
// Keys and values of heads: in BF16, or in 8 bits with a scale for each token and head. Latents: FP8 with DECODE_FP8.
typedef enum decode_cache { DECODE_CACHE_BF16, DECODE_CACHE_INT8, DECODE_CACHE_FP8 } decode_cache_t;
typedef enum decode_launch { DECODE_STEP, DECODE_OPS } decode_launch_t;

extern const char *const decode_attention_names[], *const decode_weights_names[], *const decode_cache_names[],
                                                                                      *const decode_launch_names[];

typedef struct decode_settings {
  kernel_machine_t machine;
  decode_attention_t attention;
  bool attention_given;  // else it is amla or flash, whichever the model needs
  decode_cache_t cache;
  bool cache_given;
  num_fp8_scale_t fp8_scale;  // of a cache of latents in FP8
  decode_weights_t weights;
  bool zero_points;  // of W4A16
  decode_launch_t launch;
  size_t mtp;       // query tokens of a step: 1 or 2
  size_t block;     // keys of a block of attention
  unsigned splits;  // of the keys; ATTENTION_SPLITS_AUTO
} decode_settings_t;

// The usual ones.
decode_settings_t decode_settings(const kernel_machine_t *machine);

// Does the kernel take the latents of that model? (decode_mla.c)
bool decode_latents_fit(const decode_settings_t *settings, const checkpoint_config_t *model, base_error_t *error);

// Does the kernel take heads of keys and values of that model? (decode_heads.c)
bool decode_heads_fit(const decode_settings_t *settings, const checkpoint_config_t *model, base_error_t *error);

// Do they go with that model and machine? Fills in the firmware's file, so that the machine must stay where it is.
bool decode_settings_fit(decode_settings_t *settings, const checkpoint_config_t *model, base_error_t *error);

#endif
