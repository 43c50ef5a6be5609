// Multi-head latent attention, in its absorbed form: what the operations of ops.def with latents are on the chip.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "kernel/attention/attention_stages.h"
#include "kernel/decode/list/decode_ops.h"
#include "kernels/fp8/fp8_args.h"
#include "num/num_format.h"

enum { HALF = 2 };

bool decode_latents_fit(const decode_settings_t *settings, const checkpoint_config_t *model, base_error_t *error) {
  const size_t latent = model->kv_lora_rank, rope = model->qk_rope_head_dim;
  if (settings->attention == DECODE_FP8) {
    return (latent == NUM_FP8_LATENT && rope == NUM_FP8_ROPE) ||
           base_fail(error, "--attention fp8: takes kv_lora_rank %d and qk_rope_head_dim %d; the model has %zu and %zu",
                     NUM_FP8_LATENT, NUM_FP8_ROPE, latent, rope);
  }
  return (latent <= ATTENTION_MAX_DV && latent + rope <= ATTENTION_MAX_DK) ||
         base_fail(error,
                   "config.json: kv_lora_rank %zu, qk_rope_head_dim %zu; the kernel takes at most %d and %d together",
                   latent, rope, ATTENTION_MAX_DV, ATTENTION_MAX_DK);
}

void decode_add_latent_norm(decode_list_t *list, const llm_op_t *op) {
  decode_add_norm_of(list, op, CHECKPOINT_LATENT_EPS);
}

void decode_add_absorb_q(decode_list_t *list, const llm_op_t *op) { decode_add_product(list, op); }
void decode_add_absorb_o(decode_list_t *list, const llm_op_t *op) { decode_add_product(list, op); }

// --- the cache --------------------------------------------------------------------------------

static uint64_t cache_of(const decode_list_t *list, size_t layer) {
  const decode_shape_t *s = list->shape;
  return decode_at(list, DECODE_AT_KV_CACHE) + layer * s->cache_bytes + list->ask.first_entry * s->batch_bytes;
}

void decode_add_latent_cache(decode_list_t *list, const llm_op_t *op) {
  const decode_shape_t *s = list->shape;
  const decode_place_t kv = decode_place(list, op->in);
  const bool fp8 = s->attention == DECODE_FP8;
  const step_cache_args_t args = {
      .kv = kv.address,
      .weight = decode_weight(list, op)->at,
      .angles = decode_at(list, DECODE_AT_ANGLES) + list->ask.first_row * 2 * s->attends.rotated * sizeof(float),
      .cache = cache_of(list, op->layer),
      .batch_bytes = s->batch_bytes,
      .tokens = (uint32_t)decode_rows(list),
      .tokens_of_entry = (uint32_t)list->ask.query,
      .past = (uint32_t)list->ask.past,
      .latent = (uint32_t)s->attends.dv,
      .rope = (uint32_t)s->attends.rotated,
      .kv_pitch = (uint32_t)kv.pitch,
      .place_bytes = (uint32_t)s->place_bytes,
      .kind = !fp8                                              ? STEP_CACHE_BF16
              : list->settings->fp8_scale == NUM_FP8_SCALE_AMAX ? STEP_CACHE_FP8
                                                                : STEP_CACHE_FP8_UE8M0,
      .eps = num_f32_bits((float)CHECKPOINT_LATENT_EPS)};
  decode_output_t output = decode_output(list, op, op->in);
  output.address = args.cache + list->ask.past * s->place_bytes;
  output.type = fp8 ? DECODE_TYPE_FP8 : TYPE_BF16;
  output.pitch = s->place_bytes;
  output.entry_bytes = s->batch_bytes;
  decode_add(list, STEP_CACHE, op, &args, sizeof args)->output[0] = output;
}

// The rotated columns of queries, beside those that W_UK has made.
void decode_add_rotate_q(decode_list_t *list, const llm_op_t *op) {
  const llm_attention_t *a = &list->shape->attends;
  const decode_place_t q = decode_place(list, op->in), out = decode_place(list, op->out);
  const size_t skip = a->head_dim - a->rotated;
  const step_rope_args_t args = {.q = q.address + skip * HALF,
                                 .angles = decode_at(list, DECODE_AT_ANGLES),
                                 .out = out.address + a->dv * HALF,
                                 .tokens = (uint32_t)decode_rows(list),
                                 .heads = (uint32_t)a->heads,
                                 .rope = (uint32_t)a->rotated,
                                 .q_pitch = (uint32_t)q.pitch,
                                 .q_head = (uint32_t)q.part,
                                 .out_pitch = (uint32_t)out.pitch,
                                 .out_head = (uint32_t)out.part};
  decode_output_t output = decode_output(list, op, op->out);
  output.address = args.out;
  output.part_cols = a->rotated;
  output.stage_cols = a->head_dim;
  output.stage_skip = skip;
  decode_add(list, STEP_ROPE, op, &args, sizeof args)->output[0] = output;
}

// --- attention --------------------------------------------------------------------------------

static size_t keys_of(const decode_list_t *list) { return list->ask.past + list->ask.query; }

static attention_args_t attention_of(const decode_list_t *list, const llm_op_t *op) {
  const decode_shape_t *s = list->shape;
  const decode_ask_t *ask = &list->ask;
  const bool fp8 = s->attention == DECODE_FP8;
  const uint64_t cache = fp8 ? 0 : cache_of(list, op->layer);
  const uint32_t place = fp8 ? 0 : (uint32_t)s->place_bytes;
  return (attention_args_t){
      .q = decode_place(list, op->in).address,
      .k = cache,
      .v = cache,
      .visible = ask->query == 1 ? 0 : decode_at(list, DECODE_AT_VISIBLE) + ask->part * s->visible_bytes,
      .out = decode_place(list, op->out).address,
      .s = decode_at(list, DECODE_AT_ATTENTION_S),
      .p = decode_at(list, DECODE_AT_ATTENTION_P),
      .t = decode_at(list, DECODE_AT_ATTENTION_T),
      .o = decode_at(list, DECODE_AT_ATTENTION_O),
      .split_o = decode_at(list, DECODE_AT_SPLIT_O),
      .split_ml = decode_at(list, DECODE_AT_SPLIT_ML),
      .k_batch = fp8 ? 0 : s->batch_bytes,
      .v_batch = fp8 ? 0 : s->batch_bytes,
      .k_pitch = place,
      .v_pitch = place,
      .visible_pitch = (uint32_t)s->visible_pitch,
      .o_pitch = (uint32_t)s->o_pitch,
      .batch = (uint32_t)ask->entries,
      .rows = (uint32_t)(ask->query * s->attends.heads),
      .group_rows = (uint32_t)s->group_rows,
      .keys = (uint32_t)keys_of(list),
      .splits = (uint32_t)decode_splits(s, list->settings, ask->entries, ask->query, keys_of(list)),
      .dk = (uint32_t)s->attends.dk,
      .dv = (uint32_t)s->attends.dv,
      .block = (uint32_t)s->block,
      .scale = num_f32_bits((float)s->attends.scale),
      .preload = 2,
      .rescale = RESCALE_ELEMENT,
      .tiling = TILING_PAPER};
}

static void fp8_of(const decode_list_t *list, const llm_op_t *op, fp8_args_t *args) {
  const decode_shape_t *s = list->shape;
  memset(args, 0, sizeof *args);
  args->attention = attention_of(list, op);
  args->attention.visible = 0;
  args->attention.visible_pitch = 0;
  args->tokens = cache_of(list, op->layer);
  args->tokens_batch = s->batch_bytes;
  args->kv = decode_at(list, DECODE_AT_KEYS);
  args->heads = (uint32_t)s->attends.heads;
  args->query_tokens = (uint32_t)list->ask.query;
  args->lists_of_entry = 1;
  args->causal = list->ask.query > 1;
  args->crossover = s->pairs && args->attention.rows >= 2;
  for (size_t i = 0; i < list->ask.entries; ++i) {
    args->places[i] = (uint32_t)keys_of(list);
  }
}

void decode_add_latent_attention(decode_list_t *list, const llm_op_t *op) {
  const llm_attention_t *a = &list->shape->attends;
  step_attention_args_t args = {.kind = STEP_ATTENTION_PLAIN};
  const config_t *config = &list->settings->machine.soc.config;
  const void *inner;
  if (list->shape->attention == DECODE_FP8) {
    fp8_args_t fp8;
    args.kind = STEP_ATTENTION_FP8;
    fp8_of(list, op, &fp8);
    fp8.attention.cycles = fp8_args_cycles(config, &fp8);
    inner = decode_store(list, &fp8, fp8_args_bytes((uint32_t)list->ask.entries), &args.args);
  } else {
    attention_args_t plain = attention_of(list, op);
    plain.cycles = attention_args_cycles(config, &plain, list->shape->attention == DECODE_AMLA);
    inner = decode_store(list, &plain, sizeof plain, &args.args);
  }
  decode_op_t *added = decode_add(list, STEP_ATTENTION, op, &args, sizeof args);
  added->attention = inner;
  added->flop = 2.0 * (double)(decode_rows(list) * a->heads) * (double)keys_of(list) * (double)(a->dk + a->dv);
  added->output[0] = decode_output(list, op, op->out);
}
