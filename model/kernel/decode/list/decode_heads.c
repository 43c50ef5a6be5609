// Attention with heads of keys and values: what the operations of ops.def about heads are on the chip.
//
// Queries and what attention gives lie [entry][head][token], as kernel flash takes them.
// SPDX-License-Identifier: Apache-2.0
#include "base/size.h"
#include "kernel/attention/attention_settings.h"
#include "kernel/decode/list/decode_ops.h"
#include "kernel/flash/flash.h"
#include "kernels/flash/flash_deal.h"
#include "num/num_format.h"

enum { HALF = 2, FP32 = 4, S8_COLUMNS = 32 };

bool decode_heads_fit(const decode_settings_t *settings, const checkpoint_config_t *model, base_error_t *error) {
  if (model->head_dim > FLASH_MAX_DIM) {
    return base_fail(error, "config.json: head_dim %zu; the kernel takes at most %d", model->head_dim, FLASH_MAX_DIM);
  }
  if (model->rotated % STRIP != 0) {
    return base_fail(error, "config.json: %zu columns of a head are rotated; the kernel takes multiples of %d",
                     model->rotated, STRIP);
  }
  if (settings->cache != DECODE_CACHE_BF16 && model->head_dim % S8_COLUMNS != 0) {
    return base_fail(error, "--kv-cache %s: head_dim %zu; the kernel takes multiples of %d",
                     settings->cache == DECODE_CACHE_INT8 ? "int8" : "fp8", model->head_dim, S8_COLUMNS);
  }
  return settings->weights != DECODE_W4A16 || !checkpoint_has(model, CHECKPOINT_HAS_WIDE_RANGE) ||
         base_fail(error, "--weights w4a16: its activations are FP16; this family needs BF16");
}

// --- heads ------------------------------------------------------------------------------------

// Heads [token][head] of a value, and [entry][head][token] at an address.
static step_heads_place_t by_token(const decode_list_t *list, uint64_t at, size_t head, size_t pitch) {
  return (step_heads_place_t){.at = at, .entry = list->ask.query * pitch, .token = pitch, .head = head};
}

static step_heads_place_t by_head(uint64_t at, size_t heads, size_t head, size_t token) {
  return (step_heads_place_t){.at = at, .entry = heads * head, .token = token, .head = head};
}

static uint64_t angles_of(const decode_list_t *list, size_t layer) {
  const decode_shape_t *s = list->shape;
  const bool own = s->ropes > 1 && checkpoint_window(list->graph->config, layer) > 0;
  return decode_at(list, DECODE_AT_ANGLES) +
         (list->ask.first_row + (own ? s->rows : 0)) * s->attends.rotated * 2 * FP32;
}

static step_heads_args_t heads_of(const decode_list_t *list, size_t heads, unsigned type) {
  return (step_heads_args_t){.tokens = (uint32_t)decode_rows(list),
                             .tokens_of_entry = (uint32_t)list->ask.query,
                             .heads = (uint32_t)heads,
                             .dim = (uint32_t)list->shape->attends.dk,
                             .type = type,
                             .eps = num_f32_bits((float)list->graph->config->rms_norm_eps)};
}

static void turn(const decode_list_t *list, const llm_op_t *op, step_heads_args_t *args) {
  args->rope = (uint32_t)list->shape->attends.rotated;
  args->angles = angles_of(list, op->layer);
  args->weight = op->weight == LLM_NOTHING || decode_weight(list, op)->groups == 0 ? 0 : decode_weight(list, op)->at;
}

// The stage of what is laid by heads.
static decode_output_t output_of(const decode_list_t *list, const llm_op_t *op, const step_heads_place_t *out,
                                 size_t heads, size_t columns, unsigned type) {
  return (decode_output_t){.stage = op->stage[0],
                           .layer = op->layer,
                           .address = out->at,
                           .type = type,
                           .rows = decode_rows(list),
                           .rows_of_entry = list->ask.query,
                           .entry_bytes = out->entry,
                           .pitch = out->token,
                           .parts = heads,
                           .part_cols = columns,
                           .part_bytes = out->head,
                           .stage_cols = columns};
}

static void add_heads(decode_list_t *list, const llm_op_t *op, const step_heads_args_t *args) {
  decode_add(list, STEP_HEADS, op, args, sizeof *args)->output[0] =
      output_of(list, op, &args->out, args->heads, args->dim, args->type);
}

void decode_add_queries(decode_list_t *list, const llm_op_t *op) {
  const llm_attention_t *a = &list->shape->attends;
  const decode_place_t in = decode_place(list, op->in), out = decode_place(list, op->out);
  step_heads_args_t args = heads_of(list, a->heads, out.type);
  args.in = by_token(list, in.address, a->dk * FP32, in.pitch);
  args.out = by_head(out.address, a->heads, list->ask.query * a->dk * HALF, a->dk * HALF);
  turn(list, op, &args);
  add_heads(list, op, &args);
}

// --- the cache --------------------------------------------------------------------------------

// Of a layer, keys or values of place 0, in BF16.
static uint64_t cache_of(const decode_list_t *list, size_t layer, bool values) {
  const decode_shape_t *s = list->shape;
  const size_t first = list->ask.first_entry * s->attends.kv_heads * s->limits.context * s->attends.dk * HALF;
  if (s->packed) {
    return decode_at(list, DECODE_AT_PLAIN_KV) + (values ? s->plain_bytes : 0) + first;
  }
  const size_t keys = s->limits.entries * s->attends.kv_heads * s->limits.context * s->attends.dk * HALF;
  return decode_at(list, DECODE_AT_KV_CACHE) + layer * s->cache_bytes + (values ? keys : 0) + first;
}

// The step's keys in BF16, for a cache in 8 bits.
static uint64_t new_of(const decode_list_t *list) {
  const llm_attention_t *a = &list->shape->attends;
  return decode_at(list, DECODE_AT_NEW_KV) + list->ask.first_row * a->kv_heads * a->dk * HALF;
}

static step_heads_args_t to_cache(const decode_list_t *list, const llm_op_t *op, bool values) {
  const decode_shape_t *s = list->shape;
  const decode_place_t in = decode_place(list, op->in);
  const size_t key = s->attends.dk * HALF;
  step_heads_args_t args = heads_of(list, s->attends.kv_heads, TYPE_BF16);
  args.in = by_token(list, in.address + (values ? in.part : 0), s->attends.dk * FP32, in.pitch);
  args.out = s->packed
                 ? by_head(new_of(list) + (values ? s->new_bytes : 0), s->attends.kv_heads, list->ask.query * key, key)
                 : by_head(cache_of(list, op->layer, values) + list->ask.past * key, s->attends.kv_heads,
                           s->limits.context * key, key);
  return args;
}

// --- a cache in 8 bits ------------------------------------------------------------------------

// Codes of a layer's keys, or values; scales of both follow.
typedef struct packed {
  uint64_t codes, scales;                          // of place 0 of all keys
  uint64_t codes_of_head, scales_of_head, values;  // bytes of a head's; heads of all entries, which values come behind
} packed_t;

static packed_t packed_of(const decode_list_t *list, size_t layer) {
  const decode_shape_t *s = list->shape;
  const uint64_t at = decode_at(list, DECODE_AT_KV_CACHE) + layer * s->cache_bytes;
  const uint64_t of_head = s->limits.context * s->attends.dk, heads = s->limits.entries * s->attends.kv_heads;
  const uint64_t first = list->ask.first_entry * s->attends.kv_heads;
  return (packed_t){.codes = at + first * of_head,
                    .scales = at + 2 * heads * of_head + first * s->limits.context * FP32,
                    .codes_of_head = of_head,
                    .scales_of_head = s->limits.context * FP32,
                    .values = heads};
}

static uint32_t type_of(const decode_list_t *list) {
  return list->settings->cache == DECODE_CACHE_INT8 ? TYPE_S8 : TYPE_E4M3;
}

// The step's keys and values, of which HEADS has left keys of all entries, and behind the room for these values.
static void add_pack(decode_list_t *list, const llm_op_t *op) {
  const decode_shape_t *s = list->shape;
  const packed_t cache = packed_of(list, op->layer);
  const step_pack_args_t args = {.x = new_of(list),
                                 .x_group = s->new_bytes,
                                 .out = cache.codes + list->ask.past * s->attends.dk,
                                 .scale = cache.scales + list->ask.past * FP32,
                                 .out_group = cache.values * cache.codes_of_head,
                                 .scale_group = cache.values * cache.scales_of_head,
                                 .out_run = cache.codes_of_head,
                                 .scale_run = cache.scales_of_head,
                                 .groups = 2,
                                 .rows = (uint32_t)(decode_rows(list) * s->attends.kv_heads),
                                 .run = (uint32_t)list->ask.query,
                                 .cols = (uint32_t)s->attends.dk,
                                 .type = type_of(list)};
  decode_add(list, STEP_PACK, op, &args, sizeof args)->name = "pack";
}

// Keys and values from place `start` on.
static void add_unpack(decode_list_t *list, const llm_op_t *op, size_t start) {
  const decode_shape_t *s = list->shape;
  const packed_t cache = packed_of(list, op->layer);
  const size_t key = s->attends.dk * HALF;
  const step_unpack_args_t args = {.x = cache.codes + start * s->attends.dk,
                                   .scale = cache.scales + start * FP32,
                                   .out = cache_of(list, op->layer, false) + start * key,
                                   .x_group = cache.values * cache.codes_of_head,
                                   .scale_group = cache.values * cache.scales_of_head,
                                   .out_group = s->plain_bytes,
                                   .x_run = cache.codes_of_head,
                                   .scale_run = cache.scales_of_head,
                                   .out_run = s->limits.context * key,
                                   .groups = 2,
                                   .runs = (uint32_t)(list->ask.entries * s->attends.kv_heads),
                                   .run = (uint32_t)(list->ask.past + list->ask.query - start),
                                   .cols = (uint32_t)s->attends.dk,
                                   .type = type_of(list)};
  decode_add(list, STEP_UNPACK, op, &args, sizeof args)->name = "unpack";
}

void decode_add_cache_keys(decode_list_t *list, const llm_op_t *op) {
  step_heads_args_t args = to_cache(list, op, false);
  turn(list, op, &args);
  add_heads(list, op, &args);
}

void decode_add_cache_values(decode_list_t *list, const llm_op_t *op) {
  const step_heads_args_t args = to_cache(list, op, true);
  add_heads(list, op, &args);
  if (list->shape->packed) {
    add_pack(list, op);
  }
}

// --- attention --------------------------------------------------------------------------------

size_t decode_heads_start(const decode_ask_t *ask, size_t window) {
  return window > 0 && ask->past + 1 > window ? ask->past + 1 - window : 0;
}

static attention_args_t attention_of(const decode_list_t *list, const llm_op_t *op, size_t start) {
  const decode_shape_t *s = list->shape;
  const llm_attention_t *a = &s->attends;
  const size_t key = a->dk * HALF;
  return (attention_args_t){.q = decode_place(list, op->in).address,
                            .k = cache_of(list, op->layer, false) + start * key,
                            .v = cache_of(list, op->layer, true) + start * key,
                            .out = decode_place(list, op->out).address,
                            .s = decode_at(list, DECODE_AT_ATTENTION_S),
                            .p = decode_at(list, DECODE_AT_ATTENTION_P),
                            .t = decode_at(list, DECODE_AT_ATTENTION_T),
                            .split_o = decode_at(list, DECODE_AT_SPLIT_O),
                            .split_ml = decode_at(list, DECODE_AT_SPLIT_ML),
                            .k_batch = s->limits.context * key,
                            .v_batch = s->limits.context * key,
                            .k_pitch = (uint32_t)key,
                            .v_pitch = (uint32_t)key,
                            .o_pitch = (uint32_t)s->o_pitch,
                            .batch = (uint32_t)(list->ask.entries * a->kv_heads),
                            .rows = (uint32_t)(list->ask.query * (a->heads / a->kv_heads)),
                            .group_rows = (uint32_t)s->group_rows,
                            .keys = (uint32_t)(list->ask.past + list->ask.query - start),
                            .dk = (uint32_t)a->dk,
                            .dv = (uint32_t)a->dv,
                            .block = (uint32_t)s->block,
                            .scale = num_f32_bits((float)a->scale),
                            .preload = 2,
                            .tiling = TILING_PAPER,
                            .out_f32 = 1};
}

// As few groups as there can be; splits if there are fewer units than cores.
static void deal(const decode_list_t *list, flash_args_t *flash) {
  attention_args_t *args = &flash->attention;
  flash_deal_t cut = flash_deal(args->batch, args->rows, flash->seq_q, flash->causal != 0, args->group_rows);
  flash->groups = (uint32_t)ceil_div(ceil_div(cut.span, FLASH_STRIP), args->group_rows / FLASH_STRIP);
  const size_t wanted = list->settings->splits == ATTENTION_SPLITS_AUTO
                            ? list->shape->cores / ((size_t)cut.spans * flash->groups)
                            : list->settings->splits;
  const size_t most = smaller(ceil_div(args->keys, args->block), ATTENTION_MAX_SPLITS);
  args->splits = (uint32_t)larger(smaller(wanted, most), 1);
  cut.groups = flash->groups;
  flash->behind =
      flash_behind(&list->settings->machine.soc.config, flash_group_rows(&cut), args->block, args->dk, args->dv);
}

void decode_add_heads_attention(decode_list_t *list, const llm_op_t *op) {
  const decode_shape_t *s = list->shape;
  const decode_ask_t *ask = &list->ask;
  const size_t window = checkpoint_window(list->graph->config, op->layer), start = decode_heads_start(ask, window);
  step_attention_args_t args = {.kind = STEP_ATTENTION_HEADS};
  flash_args_t flash = {.attention = attention_of(list, op, start),
                        .seq_q = (uint32_t)ask->query,
                        .kv_heads = (uint32_t)s->attends.kv_heads,
                        .causal = ask->query > 1,
                        .preload = FLASH_PRELOAD};
  flash.token = flash.causal ? decode_at(list, DECODE_AT_TOKEN_OF_ROW) + ask->part * s->token_bytes : 0;
  flash.sink =
      s->sinks_bytes > 0 ? decode_at(list, DECODE_AT_SINKS) + (ask->part * s->layers + op->layer) * s->sinks_bytes : 0;
  if (window > 0 && ask->query > 1) {
    flash.visible = decode_at(list, DECODE_AT_VISIBLE) + ask->part * s->visible_bytes;
    flash.visible_pitch = (uint32_t)s->visible_pitch;
  }
  deal(list, &flash);
  if (s->packed) {
    add_unpack(list, op, start);
  }
  const void *inner = decode_store(list, &flash, flash_args_bytes(0), &args.args);
  const step_heads_place_t out =
      by_head(flash.attention.out, s->attends.heads, ask->query * s->attends.dv * FP32, s->attends.dv * FP32);
  decode_op_t *added = decode_add(list, STEP_ATTENTION, op, &args, sizeof args);
  added->attention = inner;
  added->flop = 2.0 * (double)(decode_rows(list) * s->attends.heads) * (double)flash.attention.keys *
                (double)(s->attends.dk + s->attends.dv);
  added->output[0] = output_of(list, op, &out, s->attends.heads, s->attends.dv, TYPE_F32);
}

void decode_add_heads(decode_list_t *list, const llm_op_t *op) {
  const llm_attention_t *a = &list->shape->attends;
  const decode_place_t in = decode_place(list, op->in), out = decode_place(list, op->out);
  step_heads_args_t args = heads_of(list, a->heads, out.type);
  args.in = by_head(in.address, a->heads, list->ask.query * a->dv * FP32, a->dv * FP32);
  args.out = by_token(list, out.address, a->dv * HALF, out.pitch);
  decode_add(list, STEP_HEADS, op, &args, sizeof args);
}
