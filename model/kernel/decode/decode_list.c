// SPDX-License-Identifier: Apache-2.0
#include "kernel/decode/decode_list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hal/command.h"
#include "kernels/fp8/fp8_args.h"
#include "num/num_format.h"

enum {
  ALIGN = 64,
  STRIP = 16,
  MOST_OPS_OF_LAYER = 32,
  FP32 = 4,
  HALF = 2,
  MOST_TILE = 256,
  W4_TILE = 16384,
  W4_ROWS = 128
};

static size_t round_up(size_t a, size_t unit) { return (a + unit - 1) / unit * unit; }

// --- the list ---------------------------------------------------------------------------------

bool decode_list_make(decode_list_t *list, const checkpoint_config_t *model, const decode_settings_t *settings,
                      const decode_shape_t *shape, const decode_arrays_t *arrays,
                      const decode_weights_list_t *weights) {
  *list = (decode_list_t){.model = model,
                          .settings = settings,
                          .shape = shape,
                          .arrays = arrays,
                          .weights = weights,
                          .room = shape->list_bytes,
                          .entries_room = (model->num_hidden_layers + 1) * MOST_OPS_OF_LAYER};
  list->bytes = calloc(list->room, 1);
  list->ops = calloc(list->entries_room, sizeof *list->ops);
  return list->bytes != NULL && list->ops != NULL;
}

void decode_list_free(decode_list_t *list) {
  free(list->bytes);
  free(list->ops);
  list->bytes = NULL;
  list->ops = NULL;
}

void decode_op_name(const decode_op_t *op, char name[DECODE_OP_NAME_BYTES]) {
  if (op->layer == DECODE_NO_LAYER) {
    snprintf(name, DECODE_OP_NAME_BYTES, "%s", op->name);
  } else {
    snprintf(name, DECODE_OP_NAME_BYTES, "%s of layer %zu", op->name, op->layer);
  }
}

step_args_t decode_list_all(const decode_list_t *list) {
  return (step_args_t){.entries = decode_address(list->arrays, DECODE_AT_LIST), .count = (uint32_t)list->count};
}

step_args_t decode_list_one(const decode_list_t *list, size_t index) {
  return (step_args_t){.entries = decode_address(list->arrays, DECODE_AT_LIST) + index * sizeof(step_entry_t),
                       .count = 1};
}

static const void *store(decode_list_t *list, const void *args, size_t bytes, uint64_t *address) {
  uint8_t *to = list->bytes + list->used;
  memcpy(to, args, bytes);
  *address = decode_address(list->arrays, DECODE_AT_LIST) + list->used;
  list->used = round_up(list->used + bytes, ALIGN);
  return to;
}

static decode_op_t *add(decode_list_t *list, enum step_op op, const char *name, size_t layer, const void *args,
                        size_t bytes) {
  step_entry_t entry = {.op = op, .number = (uint32_t)list->count};
  const void *stored = store(list, args, bytes, &entry.args);
  memcpy(list->bytes + list->count * sizeof entry, &entry, sizeof entry);
  decode_op_t *added = &list->ops[list->count++];
  *added = (decode_op_t){.op = op, .name = name, .layer = layer, .args = stored};
  return added;
}

static uint64_t at(const decode_list_t *list, decode_array_t array) { return decode_address(list->arrays, array); }

// --- what is shared ---------------------------------------------------------------------------

static size_t rows_of(const decode_list_t *list) { return decode_ask_rows(&list->ask); }

static const decode_layer_t *layer_of(const decode_list_t *list, size_t layer) {
  return &list->weights->layer[layer == DECODE_NO_LAYER ? list->weights->layers : layer];
}

static unsigned bytes_of(unsigned type) { return type == TYPE_F32 ? FP32 : HALF; }

// Rows of `cols` columns, `pitch` bytes apart, one for each query token.
static decode_output_t output_of(const decode_list_t *list, walk_stage_t stage, size_t layer, uint64_t address,
                                 unsigned type, size_t cols, size_t pitch) {
  return (decode_output_t){.stage = stage,
                           .layer = layer == DECODE_NO_LAYER ? 0 : layer,
                           .address = address,
                           .type = type,
                           .rows = rows_of(list),
                           .rows_of_entry = list->ask.query,
                           .entry_bytes = list->ask.query * pitch,
                           .pitch = pitch,
                           .parts = 1,
                           .part_cols = cols,
                           .stage_cols = cols};
}

static decode_output_t packed(const decode_list_t *list, walk_stage_t stage, size_t layer, uint64_t address,
                              unsigned type, size_t cols) {
  return output_of(list, stage, layer, address, type, cols, cols * bytes_of(type));
}

// Columns for each head, from `skip` on of the stage's stage_cols.
static decode_output_t of_heads(decode_output_t output, size_t heads, size_t cols, size_t bytes, size_t stage_cols,
                                size_t skip) {
  output.parts = heads;
  output.part_cols = cols;
  output.part_bytes = bytes;
  output.stage_cols = stage_cols;
  output.stage_skip = skip;
  return output;
}

static step_routing_t routing_of(const decode_list_t *list, size_t layer) {
  const checkpoint_config_t *m = list->model;
  size_t mixture = 0;
  for (size_t i = 0; i < layer; ++i) {
    mixture += checkpoint_is_mixture(m, i);
  }
  return (step_routing_t){
      .chosen = at(list, DECODE_AT_CHOSEN) + mixture * list->shape->rows * m->num_experts_per_tok * 4,
      .tokens = (uint32_t)rows_of(list),
      .top = (uint32_t)m->num_experts_per_tok,
      .here = (uint32_t)list->weights->experts};
}

// --- products ---------------------------------------------------------------------------------

typedef struct product {
  const char *name;
  size_t layer;
  decode_matrix_id_t matrix;
  uint64_t a, c;
  size_t a_pitch, c_pitch, a_group, c_group, m;
  unsigned c_type;
  bool routed;
} product_t;

// Half as wide until every cube core has a tile, as long as that is wider than a strip.
static uint32_t tile_cols(const decode_list_t *list, const decode_matrix_t *b, size_t m) {
  const size_t cores = list->shape->cores;
  size_t cols = MOST_TILE;
  while (cols > STRIP && b->groups * ((m + 127) / 128) * ((b->n + cols - 1) / cols) < cores) {
    cols /= 2;
  }
  return (uint32_t)cols;
}

// The width of tiles with which the busiest AI core has least to do, of equal ones the widest. A narrow tile takes
// longer than half of one twice as wide: the scalar cores push as many commands for it. Rows are taken for dealt evenly
// to experts.
static uint32_t w4_tile_cols(const decode_list_t *list, const product_t *p, const decode_matrix_t *b) {
  static const struct { size_t cols, work; } widths[] = {{MOST_TILE, 256}, {MOST_TILE / 2, 128}, {MOST_TILE / 4, 96}};
  const size_t chosen = p->m * list->model->num_experts_per_tok;
  const size_t groups = p->routed && chosen < b->groups ? chosen : b->groups;
  const size_t rows = p->routed ? (chosen + list->model->n_routed_experts - 1) / list->model->n_routed_experts : p->m;
  size_t best = 0, least = SIZE_MAX;
  for (size_t i = 0; i < sizeof widths / sizeof *widths; ++i) {
    const size_t cols = widths[i].cols;
    const size_t tile_rows = W4_TILE / cols < W4_ROWS ? W4_TILE / cols : W4_ROWS;
    const size_t units = groups * ((rows + tile_rows - 1) / tile_rows) * ((b->n + cols - 1) / cols);
    const size_t work = (units + list->shape->cores - 1) / list->shape->cores * widths[i].work;
    best = work < least ? cols : best;
    least = work < least ? work : least;
  }
  return (uint32_t)best;
}

static decode_op_t *add_w4a16(decode_list_t *list, const product_t *p, const decode_matrix_t *b) {
  const bool half = list->settings->zero_points;
  const uint32_t cols = w4_tile_cols(list, p, b);
  const uint32_t rows = W4_TILE / cols < W4_ROWS ? W4_TILE / cols : W4_ROWS;
  step_w4a16_args_t args = {.a_group = p->a_group,
                            .c_group = p->c_group,
                            .a_pitch = (uint32_t)p->a_pitch,
                            .c_pitch = (uint32_t)p->c_pitch,
                            .product = {.a = p->a,
                                        .w = b->at,
                                        .scale = b->scale,
                                        .zero = b->zero,
                                        .c = p->c,
                                        .b = at(list, DECODE_AT_RING),
                                        .m = (uint32_t)p->m,
                                        .n = (uint32_t)b->n,
                                        .k = (uint32_t)b->k,
                                        .group = (uint32_t)b->group,
                                        .splits = 1,
                                        .tile_cols = cols,
                                        .dequant_rows = rows,
                                        .phases = W4A16_OVERLAPPED,
                                        .zeros = half ? W4A16_HALF_ZEROS : W4A16_NO_ZEROS,
                                        .nibbles = half ? TYPE_U4 : TYPE_S4,
                                        .out_f32 = p->c_type == TYPE_F32},
                            .w_group = b->bytes,
                            .scale_group = b->scale_bytes,
                            .zero_group = b->scale_bytes,
                            .groups = (uint32_t)b->groups};
  if (p->routed) {
    args.routing = routing_of(list, p->layer);
  }
  decode_op_t *op = add(list, STEP_W4A16, p->name, p->layer, &args, sizeof args);
  op->routing = p->routed ? &((const step_w4a16_args_t *)op->args)->routing : NULL;
  return op;
}

static decode_op_t *add_half(decode_list_t *list, const product_t *p, const decode_matrix_t *b) {
  step_product_args_t args = {.a = p->a,
                              .b = b->at,
                              .c = p->c,
                              .b_group = b->bytes,
                              .a_group = p->a_group,
                              .c_group = p->c_group,
                              .a_pitch = (uint32_t)p->a_pitch,
                              .c_pitch = (uint32_t)p->c_pitch,
                              .groups = (uint32_t)b->groups,
                              .m = (uint32_t)p->m,
                              .n = (uint32_t)round_up(b->n, STRIP),
                              .k = (uint32_t)b->k,
                              .type = b->bf16 ? TYPE_BF16 : TYPE_F16,
                              .c_type = p->c_type,
                              .tile_cols = tile_cols(list, b, p->m)};
  if (p->routed) {
    args.routing = routing_of(list, p->layer);
  }
  decode_op_t *op = add(list, STEP_PRODUCT, p->name, p->layer, &args, sizeof args);
  op->routing = p->routed ? &((const step_product_args_t *)op->args)->routing : NULL;
  return op;
}

static decode_op_t *add_product(decode_list_t *list, const product_t *p) {
  const decode_matrix_t *b = &layer_of(list, p->layer)->matrix[p->matrix];
  decode_op_t *op = b->group != 0 ? add_w4a16(list, p, b) : add_half(list, p, b);
  op->flop = 2.0 * (double)b->n * (double)b->k * (p->routed ? 1.0 : (double)p->m * (double)b->groups);
  return op;
}

// Of all query tokens, rows packed.
static decode_op_t *add_plain(decode_list_t *list, const char *name, size_t layer, decode_matrix_id_t matrix,
                              uint64_t a, uint64_t c, unsigned c_type) {
  const decode_matrix_t *b = &layer_of(list, layer)->matrix[matrix];
  return add_product(list, &(product_t){.name = name,
                                        .layer = layer,
                                        .matrix = matrix,
                                        .a = a,
                                        .c = c,
                                        .a_pitch = b->k * HALF,
                                        .c_pitch = round_up(b->n, STRIP) * bytes_of(c_type),
                                        .m = rows_of(list),
                                        .c_type = c_type});
}

// --- norms ------------------------------------------------------------------------------------

typedef struct norm {
  const char *name;
  size_t layer;
  decode_vector_id_t weight;
  uint64_t x, delta, out, y;
  size_t rows, cols;
  double eps;
} norm_t;

static decode_op_t *add_norm(decode_list_t *list, const norm_t *n) {
  const step_norm_args_t args = {.x = n->x,
                                 .delta = n->delta,
                                 .out = n->out,
                                 .weight = layer_of(list, n->layer)->vector[n->weight],
                                 .y = n->y,
                                 .rows = (uint32_t)n->rows,
                                 .cols = (uint32_t)n->cols,
                                 .x_pitch = (uint32_t)n->cols * FP32,
                                 .y_pitch = (uint32_t)n->cols * HALF,
                                 .type = TYPE_F16,
                                 .eps = num_f32_bits((float)n->eps)};
  return add(list, STEP_NORM, n->name, n->layer, &args, sizeof args);
}

// Adds delta, if there is any, to the residual stream and normalises it.
static void add_stream_norm(decode_list_t *list, const char *name, size_t layer, decode_vector_id_t weight, bool delta,
                            walk_stage_t stream, size_t stream_layer, walk_stage_t stage) {
  const size_t cols = list->model->hidden_size;
  const uint64_t x = at(list, DECODE_AT_X), y = at(list, DECODE_AT_NORMED);
  decode_op_t *op = add_norm(list, &(norm_t){.name = name,
                                             .layer = layer,
                                             .weight = weight,
                                             .x = x,
                                             .delta = delta ? at(list, DECODE_AT_DELTA) : 0,
                                             .out = delta ? x : 0,
                                             .y = y,
                                             .rows = rows_of(list),
                                             .cols = cols,
                                             .eps = list->model->rms_norm_eps});
  op->output[0] = packed(list, stage, layer, y, TYPE_F16, cols);
  if (delta) {
    op->output[1] = packed(list, stream, stream_layer, x, TYPE_F32, cols);
  }
}

// --- attention --------------------------------------------------------------------------------

static void add_queries(decode_list_t *list, size_t layer) {
  const checkpoint_config_t *m = list->model;
  const decode_shape_t *s = list->shape;
  const size_t cols = s->heads * s->head, latent = m->q_lora_rank;
  uint64_t a = at(list, DECODE_AT_NORMED);
  if (latent > 0) {
    decode_op_t *op = add_plain(list, "q_a", layer, DECODE_Q_A, a, at(list, DECODE_AT_Q_LATENT), TYPE_F32);
    op->output[0] = packed(list, WALK_Q_LATENT, layer, at(list, DECODE_AT_Q_LATENT), TYPE_F32, latent);
    a = at(list, DECODE_AT_Q_LATENT_NORMED);
    op = add_norm(list, &(norm_t){.name = "q_a_norm",
                                  .layer = layer,
                                  .weight = DECODE_Q_A_NORM,
                                  .x = at(list, DECODE_AT_Q_LATENT),
                                  .y = a,
                                  .rows = rows_of(list),
                                  .cols = latent,
                                  .eps = CHECKPOINT_LATENT_EPS});
    op->output[0] = packed(list, WALK_Q_LATENT_NORM, layer, a, TYPE_F16, latent);
  }
  const decode_matrix_id_t matrix = latent > 0 ? DECODE_Q_B : DECODE_Q;
  decode_op_t *op = add_plain(list, latent > 0 ? "q_b" : "q", layer, matrix, a, at(list, DECODE_AT_Q), TYPE_F16);
  op->output[0] = packed(list, WALK_Q, layer, at(list, DECODE_AT_Q), TYPE_F16, cols);
}

static uint64_t cache_of(const decode_list_t *list, size_t layer) {
  return at(list, DECODE_AT_KV_CACHE) + layer * list->shape->cache_bytes;
}

static void add_cache(decode_list_t *list, size_t layer) {
  const checkpoint_config_t *m = list->model;
  const decode_shape_t *s = list->shape;
  const bool fp8 = s->attention == DECODE_FP8;
  const uint64_t kv = at(list, DECODE_AT_KV);
  decode_op_t *op = add_plain(list, "kv_a", layer, DECODE_KV_A, at(list, DECODE_AT_NORMED), kv, TYPE_F32);
  op->output[0] = packed(list, WALK_KV_LATENT, layer, kv, TYPE_F32, s->key);
  const step_cache_args_t args = {.kv = kv,
                                  .weight = layer_of(list, layer)->vector[DECODE_KV_A_NORM],
                                  .angles = at(list, DECODE_AT_ANGLES),
                                  .cache = cache_of(list, layer),
                                  .batch_bytes = s->batch_bytes,
                                  .tokens = (uint32_t)rows_of(list),
                                  .tokens_of_entry = (uint32_t)list->ask.query,
                                  .past = (uint32_t)list->ask.past,
                                  .latent = (uint32_t)m->kv_lora_rank,
                                  .rope = (uint32_t)m->qk_rope_head_dim,
                                  .kv_pitch = (uint32_t)s->key * FP32,
                                  .place_bytes = (uint32_t)s->place_bytes,
                                  .kind = !fp8                                              ? STEP_CACHE_BF16
                                          : list->settings->fp8_scale == NUM_FP8_SCALE_AMAX ? STEP_CACHE_FP8
                                                                                            : STEP_CACHE_FP8_UE8M0,
                                  .eps = num_f32_bits((float)CHECKPOINT_LATENT_EPS)};
  op = add(list, STEP_CACHE, "cache", layer, &args, sizeof args);
  op->output[0] = output_of(list, WALK_CACHE, layer, args.cache + list->ask.past * s->place_bytes,
                            fp8 ? DECODE_TYPE_FP8 : TYPE_BF16, s->key, s->place_bytes);
  op->output[0].entry_bytes = s->batch_bytes;
}

// q_nope W_UK, and the rotated columns beside it.
static void add_absorbed_queries(decode_list_t *list, size_t layer) {
  const checkpoint_config_t *m = list->model;
  const decode_shape_t *s = list->shape;
  const uint64_t q = at(list, DECODE_AT_Q), out = at(list, DECODE_AT_Q_ABSORBED);
  const size_t q_pitch = s->heads * s->head * HALF, out_pitch = s->heads * s->key * HALF, latent = m->kv_lora_rank;
  decode_op_t *op = add_product(list, &(product_t){.name = "absorb_q",
                                                   .layer = layer,
                                                   .matrix = DECODE_W_UK,
                                                   .a = q,
                                                   .c = out,
                                                   .a_pitch = q_pitch,
                                                   .c_pitch = out_pitch,
                                                   .a_group = s->head * HALF,
                                                   .c_group = s->key * HALF,
                                                   .m = rows_of(list),
                                                   .c_type = TYPE_BF16});
  op->output[0] = of_heads(output_of(list, WALK_Q_ABSORBED, layer, out, TYPE_BF16, latent, out_pitch), s->heads, latent,
                           s->key * HALF, latent, 0);
  const step_rope_args_t args = {.q = q + m->qk_nope_head_dim * HALF,
                                 .angles = at(list, DECODE_AT_ANGLES),
                                 .out = out + latent * HALF,
                                 .tokens = (uint32_t)rows_of(list),
                                 .heads = (uint32_t)s->heads,
                                 .rope = (uint32_t)m->qk_rope_head_dim,
                                 .q_pitch = (uint32_t)q_pitch,
                                 .q_head = (uint32_t)s->head * HALF,
                                 .out_pitch = (uint32_t)out_pitch,
                                 .out_head = (uint32_t)s->key * HALF};
  op = add(list, STEP_ROPE, "rope", layer, &args, sizeof args);
  op->output[0] = of_heads(output_of(list, WALK_Q_ROTATED, layer, args.out, TYPE_BF16, args.rope, out_pitch), s->heads,
                           args.rope, s->key * HALF, s->head, m->qk_nope_head_dim);
}

static size_t keys_of(const decode_list_t *list) { return list->ask.past + list->ask.query; }

static attention_args_t attention_of(const decode_list_t *list, size_t layer) {
  const checkpoint_config_t *m = list->model;
  const decode_shape_t *s = list->shape;
  const decode_ask_t *ask = &list->ask;
  const bool fp8 = s->attention == DECODE_FP8;
  const uint64_t cache = fp8 ? 0 : cache_of(list, layer);
  const uint32_t place = fp8 ? 0 : (uint32_t)s->place_bytes;
  return (attention_args_t){
      .q = at(list, DECODE_AT_Q_ABSORBED),
      .k = cache,
      .v = cache,
      .visible = ask->query == 1 ? 0 : at(list, DECODE_AT_VISIBLE),
      .out = at(list, DECODE_AT_O_LATENT),
      .s = at(list, DECODE_AT_ATTENTION_S),
      .p = at(list, DECODE_AT_ATTENTION_P),
      .t = at(list, DECODE_AT_ATTENTION_T),
      .o = at(list, DECODE_AT_ATTENTION_O),
      .split_o = at(list, DECODE_AT_SPLIT_O),
      .split_ml = at(list, DECODE_AT_SPLIT_ML),
      .k_batch = fp8 ? 0 : s->batch_bytes,
      .v_batch = fp8 ? 0 : s->batch_bytes,
      .k_pitch = place,
      .v_pitch = place,
      .visible_pitch = (uint32_t)s->visible_pitch,
      .o_pitch = (uint32_t)s->o_pitch,
      .batch = (uint32_t)ask->entries,
      .rows = (uint32_t)(ask->query * s->heads),
      .group_rows = (uint32_t)s->group_rows,
      .keys = (uint32_t)keys_of(list),
      .splits = (uint32_t)decode_splits(s, list->settings, ask->entries, ask->query, keys_of(list)),
      .dk = (uint32_t)s->key,
      .dv = (uint32_t)m->kv_lora_rank,
      .block = (uint32_t)s->block,
      .scale = num_f32_bits((float)(1.0 / sqrt((double)s->head))),
      .preload = 2,
      .rescale = RESCALE_ELEMENT,
      .tiling = TILING_PAPER};
}

static void fill_fp8(const decode_list_t *list, size_t layer, fp8_args_t *args) {
  const decode_shape_t *s = list->shape;
  memset(args, 0, sizeof *args);
  args->attention = attention_of(list, layer);
  args->attention.visible = 0;
  args->attention.visible_pitch = 0;
  args->tokens = cache_of(list, layer);
  args->tokens_batch = s->batch_bytes;
  args->kv = at(list, DECODE_AT_KEYS);
  args->heads = (uint32_t)s->heads;
  args->query_tokens = (uint32_t)list->ask.query;
  args->lists_of_entry = 1;
  args->causal = list->ask.query > 1;
  args->crossover = s->pairs && args->attention.rows >= 2;
  for (size_t i = 0; i < list->ask.entries; ++i) {
    args->places[i] = (uint32_t)keys_of(list);
  }
}

static void add_attention(decode_list_t *list, size_t layer) {
  const decode_shape_t *s = list->shape;
  const size_t latent = list->model->kv_lora_rank;
  step_attention_args_t args = {.kind = s->attention == DECODE_FP8 ? STEP_ATTENTION_FP8 : STEP_ATTENTION_PLAIN};
  const void *inner;
  if (s->attention == DECODE_FP8) {
    fp8_args_t fp8;
    fill_fp8(list, layer, &fp8);
    inner = store(list, &fp8, fp8_args_bytes((uint32_t)list->ask.entries), &args.args);
  } else {
    const attention_args_t plain = attention_of(list, layer);
    inner = store(list, &plain, sizeof plain, &args.args);
  }
  decode_op_t *op = add(list, STEP_ATTENTION, "attention", layer, &args, sizeof args);
  op->attention = inner;
  op->flop = 2.0 * (double)(rows_of(list) * s->heads) * (double)keys_of(list) * (double)(s->key + latent);
  op->output[0] =
      packed(list, WALK_ATTENTION_LATENT, layer, at(list, DECODE_AT_O_LATENT), TYPE_BF16, s->heads * latent);
}

static void add_values(decode_list_t *list, size_t layer) {
  const checkpoint_config_t *m = list->model;
  const decode_shape_t *s = list->shape;
  const size_t latent = m->kv_lora_rank, cols = s->heads * m->v_head_dim;
  decode_op_t *op = add_product(list, &(product_t){.name = "absorb_o",
                                                   .layer = layer,
                                                   .matrix = DECODE_W_UV,
                                                   .a = at(list, DECODE_AT_O_LATENT),
                                                   .c = at(list, DECODE_AT_HEADS),
                                                   .a_pitch = s->heads * latent * HALF,
                                                   .c_pitch = cols * HALF,
                                                   .a_group = latent * HALF,
                                                   .c_group = m->v_head_dim * HALF,
                                                   .m = rows_of(list),
                                                   .c_type = TYPE_F16});
  op->output[0] = packed(list, WALK_ATTENTION, layer, at(list, DECODE_AT_HEADS), TYPE_F16, cols);
  op = add_plain(list, "o", layer, DECODE_O, at(list, DECODE_AT_HEADS), at(list, DECODE_AT_DELTA), TYPE_F32);
  op->output[0] = packed(list, WALK_O, layer, at(list, DECODE_AT_DELTA), TYPE_F32, m->hidden_size);
}

// --- feed-forward -----------------------------------------------------------------------------

typedef struct feed {
  const char *gate_up_name, *swiglu_name, *down_name;
  decode_matrix_id_t gate_up, down;
  uint64_t in, gate_up_out, swiglu, out;
  size_t width, expert;  // expert: as walk_event_t has it
  bool routed;
} feed_t;

static decode_op_t *add_feed_product(decode_list_t *list, size_t layer, const feed_t *f, const char *name,
                                     decode_matrix_id_t matrix, uint64_t a, uint64_t c, unsigned c_type) {
  const decode_matrix_t *b = &layer_of(list, layer)->matrix[matrix];
  return add_product(list, &(product_t){.name = name,
                                        .layer = layer,
                                        .matrix = matrix,
                                        .a = a,
                                        .c = c,
                                        .a_pitch = b->k * HALF,
                                        .c_pitch = b->n * bytes_of(c_type),
                                        .m = rows_of(list),
                                        .c_type = c_type,
                                        .routed = f->routed});
}

static void add_feed(decode_list_t *list, size_t layer, const feed_t *f) {
  const size_t hidden = list->model->hidden_size, pitch = 2 * f->width * HALF;
  decode_op_t *op = add_feed_product(list, layer, f, f->gate_up_name, f->gate_up, f->in, f->gate_up_out, TYPE_F16);
  op->output[0] = output_of(list, WALK_GATE, layer, f->gate_up_out, TYPE_F16, f->width, pitch);
  op->output[1] = output_of(list, WALK_UP, layer, f->gate_up_out + f->width * HALF, TYPE_F16, f->width, pitch);
  op->output[0].expert = op->output[1].expert = f->expert;
  step_swiglu_args_t args = {.in = f->gate_up_out,
                             .out = f->swiglu,
                             .rows = (uint32_t)rows_of(list),
                             .cols = (uint32_t)f->width,
                             .in_pitch = (uint32_t)pitch,
                             .out_pitch = (uint32_t)(f->width * HALF)};
  if (f->routed) {
    args.routing = routing_of(list, layer);
  }
  op = add(list, STEP_SWIGLU, f->swiglu_name, layer, &args, sizeof args);
  op->routing = f->routed ? &((const step_swiglu_args_t *)op->args)->routing : NULL;
  op->output[0] = packed(list, WALK_SWIGLU, layer, f->swiglu, TYPE_F16, f->width);
  op->output[0].expert = f->expert;
  op = add_feed_product(list, layer, f, f->down_name, f->down, f->swiglu, f->out, TYPE_F32);
  op->output[0] = packed(list, WALK_DOWN, layer, f->out, TYPE_F32, hidden);
  op->output[0].expert = f->expert;
}

static void add_dense(decode_list_t *list, size_t layer) {
  add_feed(list, layer,
           &(feed_t){.gate_up_name = "gate_up",
                     .swiglu_name = "swiglu",
                     .down_name = "down",
                     .gate_up = DECODE_GATE_UP,
                     .down = DECODE_DOWN,
                     .in = at(list, DECODE_AT_NORMED),
                     .gate_up_out = at(list, DECODE_AT_GATE_UP_OUT),
                     .swiglu = at(list, DECODE_AT_SWIGLU),
                     .out = at(list, DECODE_AT_DELTA),
                     .width = list->model->intermediate_size});
}

static void add_gate(decode_list_t *list, size_t layer) {
  const checkpoint_config_t *m = list->model;
  const decode_shape_t *s = list->shape;
  const uint64_t logits = at(list, DECODE_AT_ROUTER_OUT), weights = at(list, DECODE_AT_ROUTE_WEIGHTS);
  const step_routing_t routing = routing_of(list, layer);
  decode_op_t *op = add_plain(list, "router", layer, DECODE_ROUTER, at(list, DECODE_AT_NORMED), logits, TYPE_F32);
  op->output[0] = output_of(list, WALK_ROUTER, layer, logits, TYPE_F32, m->n_routed_experts, s->router_pitch);
  const step_gate_args_t args = {.logits = logits,
                                 .bias = layer_of(list, layer)->vector[DECODE_ROUTER_BIAS],
                                 .chosen = routing.chosen,
                                 .weights = weights,
                                 .tokens = routing.tokens,
                                 .experts = (uint32_t)m->n_routed_experts,
                                 .top = routing.top,
                                 .logits_pitch = (uint32_t)s->router_pitch,
                                 .scoring = m->gate == CHECKPOINT_GATE_SOFTMAX ? STEP_SOFTMAX : STEP_SIGMOID,
                                 .normalise = m->norm_topk_prob,
                                 .scale = num_f32_bits((float)m->routed_scaling_factor)};
  op = add(list, STEP_GATE, "gate", layer, &args, sizeof args);
  op->output[0] = packed(list, WALK_WEIGHTS, layer, weights, TYPE_F32, routing.top);
}

static void add_experts(decode_list_t *list, size_t layer) {
  const checkpoint_config_t *m = list->model;
  const step_gather_args_t args = {.x = at(list, DECODE_AT_NORMED),
                                   .out = at(list, DECODE_AT_GATHERED),
                                   .cols = (uint32_t)m->hidden_size,
                                   .pitch = (uint32_t)m->hidden_size * HALF,
                                   .routing = routing_of(list, layer)};
  decode_op_t *op = add(list, STEP_GATHER, "gather", layer, &args, sizeof args);
  op->routing = &((const step_gather_args_t *)op->args)->routing;
  add_feed(list, layer,
           &(feed_t){.gate_up_name = "expert_gate_up",
                     .swiglu_name = "expert_swiglu",
                     .down_name = "expert_down",
                     .gate_up = DECODE_EXPERT_GATE_UP,
                     .down = DECODE_EXPERT_DOWN,
                     .in = args.out,
                     .gate_up_out = at(list, DECODE_AT_EXPERT_GATE_UP_OUT),
                     .swiglu = at(list, DECODE_AT_EXPERT_SWIGLU),
                     .out = at(list, DECODE_AT_EXPERT_OUT),
                     .width = m->moe_intermediate_size,
                     .expert = DECODE_BY_SLOT,
                     .routed = true});
}

static void add_shared(decode_list_t *list, size_t layer) {
  const checkpoint_config_t *m = list->model;
  add_feed(list, layer,
           &(feed_t){.gate_up_name = "shared_gate_up",
                     .swiglu_name = "shared_swiglu",
                     .down_name = "shared_down",
                     .gate_up = DECODE_SHARED_GATE_UP,
                     .down = DECODE_SHARED_DOWN,
                     .in = at(list, DECODE_AT_NORMED),
                     .gate_up_out = at(list, DECODE_AT_GATE_UP_OUT),
                     .swiglu = at(list, DECODE_AT_SWIGLU),
                     .out = at(list, DECODE_AT_SHARED),
                     .width = m->n_shared_experts * m->moe_intermediate_size,
                     .expert = m->n_routed_experts});
}

static void add_mixture(decode_list_t *list, size_t layer) {
  const checkpoint_config_t *m = list->model;
  add_gate(list, layer);
  add_experts(list, layer);
  if (m->n_shared_experts > 0) {
    add_shared(list, layer);
  }
  const step_combine_args_t args = {.y = at(list, DECODE_AT_EXPERT_OUT),
                                    .weights = at(list, DECODE_AT_ROUTE_WEIGHTS),
                                    .shared = m->n_shared_experts > 0 ? at(list, DECODE_AT_SHARED) : 0,
                                    .out = at(list, DECODE_AT_DELTA),
                                    .cols = (uint32_t)m->hidden_size,
                                    .routing = routing_of(list, layer)};
  decode_op_t *op = add(list, STEP_COMBINE, "combine", layer, &args, sizeof args);
  op->output[0] = packed(list, WALK_MIXTURE, layer, args.out, TYPE_F32, m->hidden_size);
}

// --- the whole --------------------------------------------------------------------------------

static void add_layer(decode_list_t *list, size_t layer) {
  const size_t before = layer == 0 ? 0 : layer - 1;
  add_stream_norm(list, "attention_norm", layer, DECODE_ATTENTION_NORM, layer > 0, WALK_FFN_RESIDUAL, before,
                  WALK_ATTENTION_NORM);
  add_queries(list, layer);
  add_cache(list, layer);
  add_absorbed_queries(list, layer);
  add_attention(list, layer);
  add_values(list, layer);
  add_stream_norm(list, "ffn_norm", layer, DECODE_FFN_NORM, true, WALK_ATTENTION_RESIDUAL, layer, WALK_FFN_NORM);
  if (checkpoint_is_mixture(list->model, layer)) {
    add_mixture(list, layer);
  } else {
    add_dense(list, layer);
  }
}

static void add_embedding(decode_list_t *list) {
  const size_t cols = list->model->hidden_size;
  const step_embed_args_t args = {.tokens = at(list, DECODE_AT_TOKENS),
                                  .table = list->weights->embedding,
                                  .x = at(list, DECODE_AT_X),
                                  .rows = (uint32_t)rows_of(list),
                                  .cols = (uint32_t)cols,
                                  .table_pitch = (uint32_t)cols * HALF,
                                  .type = list->weights->embedding_bf16 ? TYPE_BF16 : TYPE_F16};
  decode_op_t *op = add(list, STEP_EMBED, "embed", DECODE_NO_LAYER, &args, sizeof args);
  op->output[0] = packed(list, WALK_EMBEDDING, 0, args.x, TYPE_F32, cols);
}

// Logits of the rows that are wanted: without all_rows the last query token of each entry, whose normalised rows the
// products take from entry to entry.
static void add_head(decode_list_t *list) {
  const checkpoint_config_t *m = list->model;
  const decode_ask_t *ask = &list->ask;
  const size_t rows = decode_ask_head_rows(ask), vocab = m->vocab_size, pitch = list->shape->logit_pitch;
  const size_t row_bytes = m->hidden_size * HALF, of_entry = rows / ask->entries;
  const uint64_t logits = at(list, DECODE_AT_LOGITS);
  product_t product = {.name = "head",
                       .layer = DECODE_NO_LAYER,
                       .matrix = DECODE_HEAD,
                       .a = at(list, DECODE_AT_NORMED) + (ask->query - of_entry) * row_bytes,
                       .c = logits,
                       .a_pitch = ask->all_rows ? row_bytes : ask->query * row_bytes,
                       .c_pitch = pitch,
                       .m = rows,
                       .c_type = TYPE_F32};
  decode_op_t *op = add_product(list, &product);
  op->output[0] = output_of(list, WALK_LOGITS, DECODE_NO_LAYER, logits, TYPE_F32, vocab, pitch);
  op->output[0].rows = rows;
  op->output[0].rows_of_entry = of_entry;
  op->output[0].entry_bytes = of_entry * pitch;
  const step_argmax_args_t args = {.x = logits,
                                   .out = at(list, DECODE_AT_BEST),
                                   .rows = (uint32_t)rows,
                                   .cols = (uint32_t)vocab,
                                   .pitch = (uint32_t)pitch};
  add(list, STEP_ARGMAX, "argmax", DECODE_NO_LAYER, &args, sizeof args);
}

void decode_list_build(decode_list_t *list, const decode_ask_t *ask) {
  const size_t layers = list->model->num_hidden_layers;
  list->ask = *ask;
  list->count = 0;
  list->used = round_up(list->entries_room * sizeof(step_entry_t), ALIGN);
  add_embedding(list);
  for (size_t layer = 0; layer < layers; ++layer) {
    add_layer(list, layer);
  }
  add_stream_norm(list, "norm", DECODE_NO_LAYER, DECODE_NORM, true, WALK_FFN_RESIDUAL, layers - 1, WALK_NORM);
  add_head(list);
}
