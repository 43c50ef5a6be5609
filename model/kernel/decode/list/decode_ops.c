// Operations that all families have, and those of mixtures of experts.
// SPDX-License-Identifier: Apache-2.0
#include "kernel/decode/list/decode_ops.h"

#include <math.h>

#include "base/size.h"
#include "num/num_format.h"

enum { HALF = 2, MOST_TILE = 256, W4_TILE = 16384, W4_ROWS = 128, S8_STRIP = STRIP_ROW };

static step_routing_t routing_of(const decode_list_t *list, size_t layer) {
  const checkpoint_config_t *m = list->graph->config;
  size_t mixture = 0;
  for (size_t i = 0; i < layer; ++i) {
    mixture += checkpoint_is_mixture(m, i);
  }
  return (step_routing_t){
      .chosen = decode_at(list, DECODE_AT_CHOSEN) + mixture * list->shape->rows * m->num_experts_per_tok * 4,
      .tokens = (uint32_t)decode_rows(list),
      .top = (uint32_t)m->num_experts_per_tok,
      .here = (uint32_t)list->weights->experts};
}

static bool is_routed(const decode_list_t *list, const llm_op_t *op) {
  return list->graph->value[op->out].rows == LLM_SLOTS;
}

// --- products ---------------------------------------------------------------------------------

typedef struct product {
  const llm_op_t *op;
  decode_place_t a, c;
  size_t m;
  bool routed;
} product_t;

// Half as wide until every cube core has a tile, as long as that is wider than a strip.
static uint32_t tile_cols(const decode_list_t *list, const decode_matrix_t *b, size_t m) {
  const size_t cores = list->shape->cores;
  size_t cols = MOST_TILE;
  while (cols > STRIP && b->groups * ceil_div(m, 128) * ceil_div(b->n, cols) < cores) {
    cols /= 2;
  }
  return (uint32_t)cols;
}

// The width of tiles with which the busiest AI core has least to do, of equal ones the widest. A narrow tile takes
// longer than half of one twice as wide: the scalar cores push as many commands for it. Rows are taken for dealt evenly
// to experts.
static uint32_t w4_tile_cols(const decode_list_t *list, const product_t *p, const decode_matrix_t *b) {
  static const struct { size_t cols, work; } widths[] = {{MOST_TILE, 256}, {MOST_TILE / 2, 128}, {MOST_TILE / 4, 96}};
  const size_t chosen = p->m * list->graph->config->num_experts_per_tok;
  const size_t groups = p->routed && chosen < b->groups ? chosen : b->groups;
  const size_t rows = p->routed ? ceil_div(chosen, list->graph->config->n_routed_experts) : p->m;
  size_t best = 0, least = SIZE_MAX;
  for (size_t i = 0; i < sizeof widths / sizeof *widths; ++i) {
    const size_t cols = widths[i].cols;
    const size_t tile_rows = smaller(W4_TILE / cols, W4_ROWS);
    const size_t units = groups * ceil_div(rows, tile_rows) * ceil_div(b->n, cols);
    const size_t work = ceil_div(units, list->shape->cores) * widths[i].work;
    best = work < least ? cols : best;
    least = work < least ? work : least;
  }
  return (uint32_t)best;
}

static decode_op_t *add_w4a16(decode_list_t *list, const product_t *p, const decode_matrix_t *b) {
  const bool half = list->settings->zero_points;
  const uint32_t cols = w4_tile_cols(list, p, b);
  const uint32_t rows = (uint32_t)smaller(W4_TILE / cols, W4_ROWS);
  step_w4a16_args_t args = {.a_group = p->a.part,
                            .c_group = p->c.part,
                            .a_pitch = (uint32_t)p->a.pitch,
                            .c_pitch = (uint32_t)p->c.pitch,
                            .product = {.a = p->a.address,
                                        .w = b->at,
                                        .scale = b->scale,
                                        .zero = b->zero,
                                        .c = p->c.address,
                                        .b = decode_at(list, DECODE_AT_RING),
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
                                        .out_f32 = p->c.type == TYPE_F32},
                            .w_group = b->bytes,
                            .scale_group = b->scale_bytes,
                            .zero_group = b->scale_bytes,
                            .groups = (uint32_t)b->groups};
  if (p->routed) {
    args.routing = routing_of(list, p->op->layer);
  }
  decode_op_t *op = decode_add(list, STEP_W4A16, p->op, &args, sizeof args);
  op->routing = p->routed ? &((const step_w4a16_args_t *)op->args)->routing : NULL;
  return op;
}

static decode_op_t *add_half(decode_list_t *list, const product_t *p, const decode_matrix_t *b) {
  step_product_args_t args = {.a = p->a.address,
                              .b = b->at,
                              .c = p->c.address,
                              .b_group = b->bytes,
                              .a_group = p->a.part,
                              .c_group = p->c.part,
                              .a_pitch = (uint32_t)p->a.pitch,
                              .c_pitch = (uint32_t)p->c.pitch,
                              .groups = (uint32_t)b->groups,
                              .m = (uint32_t)p->m,
                              .n = (uint32_t)LLM_STRIPS(b->n),
                              .k = (uint32_t)b->k,
                              .type = b->bf16 ? TYPE_BF16 : TYPE_F16,
                              .c_type = p->c.type,
                              .tile_cols = tile_cols(list, b, p->m)};
  if (p->routed) {
    args.routing = routing_of(list, p->op->layer);
  }
  decode_op_t *op = decode_add(list, STEP_PRODUCT, p->op, &args, sizeof args);
  op->routing = p->routed ? &((const step_product_args_t *)op->args)->routing : NULL;
  return op;
}

static double flop_of(const product_t *p, const decode_matrix_t *b) {
  return 2.0 * (double)b->n * (double)b->k * (p->routed ? 1.0 : (double)p->m * (double)b->groups);
}

// Once for products that follow each other and take the same rows.
static void add_quantise(decode_list_t *list, const product_t *p, const decode_matrix_t *b) {
  if (list->quantised == p->op->in && list->ops[list->count - 1].op == STEP_DEQUANTISE) {
    return;
  }
  step_quantise_args_t args = {.x = p->a.address,
                               .out = decode_at(list, DECODE_AT_QUANTISED),
                               .scale = decode_at(list, DECODE_AT_ROW_SCALES),
                               .rows = (uint32_t)p->m,
                               .cols = (uint32_t)b->k,
                               .x_pitch = (uint32_t)p->a.pitch,
                               .type = p->a.type};
  if (p->routed) {
    args.routing = routing_of(list, p->op->layer);
  }
  decode_op_t *op = decode_add(list, STEP_QUANTISE, p->op, &args, sizeof args);
  op->name = "quantise";
  list->quantised = p->op->in;
}

static void add_product_s8(decode_list_t *list, const product_t *p, const decode_matrix_t *b) {
  const size_t n = round_up(b->n, S8_STRIP);
  step_product_s8_args_t args = {.a = decode_at(list, DECODE_AT_QUANTISED),
                                 .b = b->at,
                                 .c = decode_at(list, DECODE_AT_SUMS),
                                 .b_group = b->bytes,
                                 .a_pitch = (uint32_t)b->k,
                                 .c_pitch = (uint32_t)(n * sizeof(int32_t)),
                                 .groups = (uint32_t)b->groups,
                                 .m = (uint32_t)p->m,
                                 .n = (uint32_t)n,
                                 .k = (uint32_t)b->k,
                                 .type = TYPE_S8,
                                 .c_type = TYPE_S32,
                                 .tile_cols = (uint32_t)larger(tile_cols(list, b, p->m), S8_STRIP)};
  if (p->routed) {
    args.routing = routing_of(list, p->op->layer);
  }
  decode_op_t *op = decode_add(list, STEP_PRODUCT_S8, p->op, &args, sizeof args);
  op->routing = p->routed ? &((const step_product_s8_args_t *)op->args)->routing : NULL;
  op->flop = flop_of(p, b);
}

static decode_op_t *add_w8a8(decode_list_t *list, const product_t *p, const decode_matrix_t *b) {
  add_quantise(list, p, b);
  add_product_s8(list, p, b);
  step_dequantise_args_t args = {.sums = decode_at(list, DECODE_AT_SUMS),
                                 .scale = decode_at(list, DECODE_AT_ROW_SCALES),
                                 .columns = b->scale,
                                 .bias = b->bias,
                                 .group_bytes = b->scale_bytes,
                                 .c = p->c.address,
                                 .rows = (uint32_t)p->m,
                                 .cols = (uint32_t)b->n,
                                 .sums_pitch = (uint32_t)(round_up(b->n, S8_STRIP) * sizeof(int32_t)),
                                 .c_pitch = (uint32_t)p->c.pitch,
                                 .c_type = p->c.type};
  if (p->routed) {
    args.routing = routing_of(list, p->op->layer);
  }
  decode_op_t *op = decode_add(list, STEP_DEQUANTISE, p->op, &args, sizeof args);
  op->name = "dequantise";
  op->routing = p->routed ? &((const step_dequantise_args_t *)op->args)->routing : NULL;
  return op;
}

static decode_op_t *add_product(decode_list_t *list, const product_t *p) {
  const decode_matrix_t *b = decode_weight(list, p->op);
  if (b->s8) {
    return add_w8a8(list, p, b);
  }
  decode_op_t *op = b->group != 0 ? add_w4a16(list, p, b) : add_half(list, p, b);
  op->flop = flop_of(p, b);
  return op;
}

void decode_add_product(decode_list_t *list, const llm_op_t *op) {
  const decode_matrix_t *b = decode_weight(list, op);
  product_t product = {.op = op,
                       .a = decode_place(list, op->in),
                       .c = decode_place(list, op->out),
                       .m = decode_rows(list),
                       .routed = is_routed(list, op)};
  const bool by_head = b->groups > 1 && !product.routed;
  decode_output_t output = decode_output(list, op, op->out);
  if (!by_head) {
    product.a.part = product.c.part = 0;
  }
  if (by_head || output.parts == 1) {  // rows may have room for more
    output.part_cols = output.stage_cols = b->n;
  }
  decode_op_t *added = add_product(list, &product);
  added->output[0] = output;
  if (op->stage[1] != WALK_NONE) {  // each part is a stage
    output.parts = 1;
    for (size_t i = 0; i < 2; ++i) {
      added->output[i] = output;
      added->output[i].stage = op->stage[i];
      added->output[i].address += i * output.part_bytes;
    }
  }
}

// Logits of the rows that are wanted: without all_rows the last query token of each entry, whose rows the product takes
// from entry to entry.
void decode_add_head(decode_list_t *list, const llm_op_t *op) {
  const decode_ask_t *ask = &list->ask;
  const size_t rows = decode_ask_head_rows(ask), of_entry = rows / ask->entries;
  product_t product = {.op = op, .a = decode_place(list, op->in), .c = decode_place(list, op->out), .m = rows};
  product.a.address += (ask->query - of_entry) * product.a.pitch;
  product.a.pitch *= ask->all_rows ? 1 : ask->query;
  product.a.part = product.c.part = 0;
  decode_op_t *added = add_product(list, &product);
  added->output[0] = decode_output(list, op, op->out);
  added->output[0].rows = rows;
  added->output[0].rows_of_entry = of_entry;
  added->output[0].entry_bytes = of_entry * product.c.pitch;
  added->output[0].part_cols = added->output[0].stage_cols = decode_weight(list, op)->n;
}

// --- rows -------------------------------------------------------------------------------------

void decode_add_embed(decode_list_t *list, const llm_op_t *op) {
  const decode_matrix_t *table = decode_weight(list, op);
  const bool scaled = checkpoint_has(list->graph->config, CHECKPOINT_HAS_SCALED_EMBEDDING);
  const step_embed_args_t args = {.scale = num_f32_bits(scaled ? sqrtf((float)table->n) : 1.0f),
                                  .tokens = decode_at(list, DECODE_AT_TOKENS),
                                  .table = table->at,
                                  .x = decode_place(list, op->out).address,
                                  .rows = (uint32_t)decode_rows(list),
                                  .cols = (uint32_t)table->n,
                                  .table_pitch = (uint32_t)table->n * HALF,
                                  .type = table->bf16 ? TYPE_BF16 : TYPE_F16};
  decode_add(list, STEP_EMBED, op, &args, sizeof args)->output[0] = decode_output(list, op, op->out);
}

// The next norm of the residual stream adds it.
void decode_add_add(decode_list_t *list, const llm_op_t *op) { list->pending = op; }

decode_op_t *decode_add_norm_of(decode_list_t *list, const llm_op_t *op, double eps) {
  const decode_place_t x = decode_place(list, op->in), y = decode_place(list, op->out);
  const llm_op_t *pending = op->in == list->graph->x ? list->pending : NULL;
  const step_norm_args_t args = {.x = x.address,
                                 .delta = pending != NULL ? decode_place(list, pending->in).address : 0,
                                 .out = pending != NULL ? x.address : 0,
                                 .weight = op->weight == LLM_NOTHING ? 0 : decode_weight(list, op)->at,
                                 .y = y.address,
                                 .rows = (uint32_t)decode_rows(list),
                                 .cols = (uint32_t)x.columns,
                                 .x_pitch = (uint32_t)x.pitch,
                                 .y_pitch = (uint32_t)y.pitch,
                                 .type = y.type,
                                 .eps = num_f32_bits((float)eps)};
  decode_op_t *added = decode_add(list, STEP_NORM, op, &args, sizeof args);
  added->output[0] = decode_output(list, op, op->out);
  if (pending != NULL) {
    added->output[1] = decode_output(list, pending, pending->out);
    list->pending = NULL;
  }
  return added;
}

void decode_add_norm(decode_list_t *list, const llm_op_t *op) {
  decode_add_norm_of(list, op, list->graph->config->rms_norm_eps);
}

void decode_add_convert(decode_list_t *list, const llm_op_t *op) { decode_add_norm_of(list, op, 0.0); }

void decode_add_swiglu(decode_list_t *list, const llm_op_t *op) {
  const decode_place_t in = decode_place(list, op->in), out = decode_place(list, op->out);
  const checkpoint_config_t *m = list->graph->config;
  step_swiglu_args_t args = {.in = in.address,
                             .out = out.address,
                             .type = in.type,
                             .gating = checkpoint_has(m, CHECKPOINT_HAS_EXPERT_BIAS) ? STEP_LIMITED
                                       : checkpoint_has(m, CHECKPOINT_HAS_GELU)      ? STEP_GELU
                                                                                     : STEP_SILU,
                             .limit = num_f32_bits((float)m->swiglu_limit),
                             .rows = (uint32_t)decode_rows(list),
                             .cols = (uint32_t)out.columns,
                             .in_pitch = (uint32_t)in.pitch,
                             .out_pitch = (uint32_t)out.pitch};
  if (is_routed(list, op)) {
    args.routing = routing_of(list, op->layer);
  }
  decode_op_t *added = decode_add(list, STEP_SWIGLU, op, &args, sizeof args);
  added->routing = is_routed(list, op) ? &((const step_swiglu_args_t *)added->args)->routing : NULL;
  added->output[0] = decode_output(list, op, op->out);
}

void decode_add_argmax(decode_list_t *list, const llm_op_t *op) {
  const step_argmax_args_t args = {.x = decode_place(list, op->in).address,
                                   .out = decode_place(list, op->out).address,
                                   .rows = (uint32_t)list->wanted,
                                   .cols = (uint32_t)list->graph->config->vocab_size,
                                   .pitch = (uint32_t)decode_place(list, op->in).pitch};
  decode_add(list, STEP_ARGMAX, op, &args, sizeof args);
}

// --- mixtures ---------------------------------------------------------------------------------

void decode_add_gate(decode_list_t *list, const llm_op_t *op) {
  const checkpoint_config_t *m = list->graph->config;
  const step_routing_t routing = routing_of(list, op->layer);
  const decode_place_t logits = decode_place(list, op->in);
  list->weights_of_experts = decode_place(list, op->out).address;
  const step_gate_args_t args = {.logits = logits.address,
                                 .bias = decode_weight(list, op)->at,
                                 .chosen = routing.chosen,
                                 .weights = list->weights_of_experts,
                                 .tokens = routing.tokens,
                                 .experts = (uint32_t)m->n_routed_experts,
                                 .top = routing.top,
                                 .logits_pitch = (uint32_t)logits.pitch,
                                 .scoring = m->gate == CHECKPOINT_GATE_SOFTMAX ? STEP_SOFTMAX : STEP_SIGMOID,
                                 .normalise = m->norm_topk_prob,
                                 .scale = num_f32_bits((float)m->routed_scaling_factor),
                                 .groups = (uint32_t)m->n_group,
                                 .kept = (uint32_t)m->topk_group};
  decode_add(list, STEP_GATE, op, &args, sizeof args)->output[0] = decode_output(list, op, op->out);
}

void decode_add_gather(decode_list_t *list, const llm_op_t *op) {
  const decode_place_t in = decode_place(list, op->in);
  const step_gather_args_t args = {.x = in.address,
                                   .out = decode_place(list, op->out).address,
                                   .cols = (uint32_t)in.columns,
                                   .pitch = (uint32_t)in.pitch,
                                   .routing = routing_of(list, op->layer)};
  decode_op_t *added = decode_add(list, STEP_GATHER, op, &args, sizeof args);
  added->routing = &((const step_gather_args_t *)added->args)->routing;
}

void decode_add_combine(decode_list_t *list, const llm_op_t *op) {
  const decode_place_t in = decode_place(list, op->in);
  const step_combine_args_t args = {.y = in.address,
                                    .weights = list->weights_of_experts,
                                    .shared = decode_place(list, op->with).address,
                                    .out = decode_place(list, op->out).address,
                                    .cols = (uint32_t)in.columns,
                                    .routing = routing_of(list, op->layer)};
  decode_add(list, STEP_COMBINE, op, &args, sizeof args)->output[0] = decode_output(list, op, op->out);
}
