// SPDX-License-Identifier: Apache-2.0
#include "kernel/decode/list/decode_arrays.h"

#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "hal/command.h"
#include "host/host.h"
#include "kernel/attention/attention_settings.h"
#include "kernels/flash/flash_args.h"
#include "kernels/fp8/fp8_args.h"
#include "kernels/step/step_args.h"
#include "kernels/w4a16/w4a16_args.h"

enum { ALIGN = 64, OPS_OF_LAYER = 32, OPS_OF_LAYER_W8A8 = 64, OPS_OF_PART = 8, ARGS_BYTES = 512 };

typedef enum kind { NUMBERS, ROUTES, INPUT, WORK, CACHE } kind_t;

// --- sizes ------------------------------------------------------------------------------------

// Sizes of attention's workspaces depend on how its rows are cut.
static void shape_attention(decode_shape_t *s, const decode_settings_t *settings) {
  const config_t *config = &settings->machine.soc.config;
  const size_t rows = s->limits.query * s->attends.heads;
  const size_t most = config->soc.vector_cores * ATTENTION_CORE_ROWS;
  s->cores = config->soc.ai_cores;
  s->group_rows = most < ATTENTION_MAX_GROUP ? most : ATTENTION_MAX_GROUP;
  s->pairs = s->attention == DECODE_FP8 && rows >= 2 && s->cores % (2 * config->soc.dies) == 0;
  const size_t group = s->attention == DECODE_FP8 ? fp8_group_rows((uint32_t)rows, (uint32_t)s->group_rows, s->pairs)
                       : rows < s->group_rows     ? rows
                                                  : s->group_rows;
  s->block = settings->block;
  s->o_pitch = round_up(s->attends.dv * 4, ALIGN);
  s->slots = ATTENTION_SLOTS * group * s->cores;
  s->key_slots = s->attention == DECODE_FP8 ? (s->pairs ? s->cores / 2 : s->cores) * FP8_KV_SLOTS : 0;
  // Splits are for steps that have fewer groups than there are cores.
  s->split_rows = s->attention == DECODE_FP8 || settings->splits == 1 ? 0 : s->cores * group;
  s->visible_pitch = round_up(round_up(s->limits.context, s->block) / 8, STRIP * 2);
  s->visible_bytes = s->attention == DECODE_FP8 || s->limits.query == 1 ? 0 : rows * s->visible_pitch;
}

// The same for heads of keys and values.
static void shape_heads(decode_shape_t *s, const decode_settings_t *settings, const checkpoint_config_t *model) {
  const config_t *config = &settings->machine.soc.config;
  const size_t most = smaller(config->soc.vector_cores * FLASH_GROUP / 2, FLASH_GROUP);
  bool windows = false;
  for (size_t layer = 0; layer < model->num_hidden_layers; ++layer) {
    windows = windows || checkpoint_window(model, layer) > 0;
  }
  s->cores = config->soc.ai_cores;
  s->entry_rows = s->limits.query * (s->attends.heads / s->attends.kv_heads);
  s->group_rows = most;
  s->block = FLASH_BLOCK;
  s->o_pitch = round_up(s->attends.dv * 4, ALIGN);
  s->token_bytes = s->parts > 1 ? round_up(s->entry_rows * sizeof(float), ALIGN) : s->entry_rows * sizeof(float);
  const size_t group = smaller(round_up(s->entry_rows, STRIP), most);
  s->slots = FLASH_SLOTS * group * s->cores;
  s->split_rows = s->cores * group;
  s->visible_pitch = round_up(round_up(s->limits.context, s->block) / 8, STRIP * 2);
  s->visible_bytes = windows && s->limits.query > 1 ? s->limits.query * s->visible_pitch : 0;
  s->ropes = windows ? 2 : 1;
  s->sinks_bytes = checkpoint_has(model, CHECKPOINT_HAS_SINKS)
                       ? round_up(s->attends.heads * s->limits.query * sizeof(float), ALIGN)
                       : 0;
  const size_t of_place = s->attends.kv_heads * s->attends.dk * sizeof(uint16_t);
  s->place_bytes = 2 * of_place;
  s->packed = settings->cache != DECODE_CACHE_BF16;
  if (s->packed) {
    s->place_bytes = 2 * s->attends.kv_heads * (s->attends.dk + sizeof(float));
    s->new_bytes = s->rows * of_place;
    s->plain_bytes = s->limits.entries * s->limits.context * of_place;
  }
}

static void shape_cache(decode_shape_t *s) {
  if (s->attention != DECODE_FLASH) {
    s->place_bytes = s->attention == DECODE_FP8 ? (size_t)FP8_TOKEN_BYTES : s->attends.dk * 2;
  }
  s->batch_bytes = s->limits.context * s->place_bytes;
  s->cache_bytes = s->limits.entries * s->batch_bytes;
}

// Room for the largest product's rows, scales and sums.
static void shape_w8a8(decode_shape_t *s, const llm_graph_t *graph) {
  for (size_t i = 0; i < graph->ops; ++i) {
    const llm_op_t *op = &graph->op[i];
    if (op->kind == LLM_PRODUCT && decode_weights_quantised(graph->weight[op->weight].form)) {
      const llm_value_t *in = &graph->value[op->in], *out = &graph->value[op->out];
      const size_t rows = decode_value_rows(s, graph->config, out);
      s->quantised_bytes = larger(s->quantised_bytes, rows * in->parts * in->columns);
      s->row_scales_bytes = larger(s->row_scales_bytes, rows * sizeof(float));
      s->sums_bytes =
          larger(s->sums_bytes, rows * round_up(out->parts * out->columns, (size_t)STRIP_ROW) * sizeof(int32_t));
    }
  }
}

decode_shape_t decode_shape(const llm_graph_t *graph, const decode_settings_t *settings,
                            const decode_limits_t *limits) {
  const checkpoint_config_t *model = graph->config;
  decode_shape_t s = {.limits = *limits,
                      .attention = settings->attention,
                      .rows = limits->entries * limits->query,
                      .parts = larger(limits->parts, 1),
                      .layers = model->num_hidden_layers,
                      .attends = graph->attention,
                      .ropes = 1,
                      .logit_pitch = graph->value[graph->logits].columns * sizeof(float)};
  for (size_t layer = 0; layer < model->num_hidden_layers; ++layer) {
    s.mixtures += checkpoint_is_mixture(model, layer);
  }
  s.ring_bytes = settings->weights == DECODE_W4A16
                     ? (size_t)settings->machine.soc.config.soc.ai_cores * W4A16_RING * W4A16_SLOT
                     : 0;
  s.ops = (model->num_hidden_layers + 1) *
          (size_t)(settings->weights == DECODE_W8A8 || settings->cache != DECODE_CACHE_BF16 ? OPS_OF_LAYER_W8A8
                                                                                            : OPS_OF_LAYER);
  s.ops += (s.parts - 1) * (model->num_hidden_layers + 1) * (size_t)OPS_OF_PART;
  if (settings->weights == DECODE_W8A8) {
    shape_w8a8(&s, graph);
  }
  s.list_bytes = s.ops * (sizeof(step_entry_t) + ARGS_BYTES) +
                 (settings->attention == DECODE_FP8 ? s.parts * model->num_hidden_layers * sizeof(fp8_args_t) : 0);
  if (s.attention == DECODE_FLASH) {
    shape_heads(&s, settings, model);
  } else {
    shape_attention(&s, settings);
  }
  shape_cache(&s);
  return s;
}

size_t decode_splits(const decode_shape_t *shape, const decode_settings_t *settings, size_t entries, size_t query,
                     size_t keys) {
  const size_t blocks = ceil_div(keys, shape->block);
  const size_t items = entries * ceil_div(query * shape->attends.heads, shape->group_rows);
  size_t splits = settings->splits;
  if (shape->attention == DECODE_FP8) {
    return 1;
  }
  if (splits == ATTENTION_SPLITS_AUTO) {
    splits = shape->cores / items;
    splits = splits < ATTENTION_MAX_SPLITS ? splits : ATTENTION_MAX_SPLITS;
  }
  return splits < 1 ? 1 : splits < blocks ? splits : blocks;
}

// --- arrays -----------------------------------------------------------------------------------

static void add_array(decode_arrays_t *arrays, decode_array_t which, const char *name, kind_t kind, size_t bytes) {
  arrays->index[which] = SIZE_MAX;
  if (bytes > 0) {
    arrays->index[which] = arrays->count;
    arrays->list[arrays->count++] = (soc_buffer_t){.name = name,
                                                   .bytes = bytes,
                                                   .read_only = kind == NUMBERS || kind == INPUT,
                                                   .numbers = kind == NUMBERS || kind == ROUTES,
                                                   .far = kind == CACHE};
  }
}

size_t decode_value_rows(const decode_shape_t *s, const checkpoint_config_t *m, const llm_value_t *value) {
  return value->rows == LLM_SLOTS    ? s->rows * m->num_experts_per_tok
         : value->rows == LLM_WANTED ? s->limits.head_rows
                                     : s->rows;
}

static size_t value_bytes(const decode_shape_t *s, const checkpoint_config_t *m, const llm_value_t *value) {
  return decode_value_rows(s, m, value) * (value->parts * value->columns + value->ones) *
         decode_type_bytes(value->type);
}

// Values that lie in the same array are never needed at the same time; it holds the largest.
static void add_values(decode_arrays_t *arrays, const decode_shape_t *s, const llm_graph_t *graph) {
  for (int i = 0; i < (int)graph->values; ++i) {
    size_t bytes = 0;
    for (size_t j = 0; graph->value[i].place == i && j < graph->values; ++j) {
      bytes = graph->value[j].place == i ? larger(bytes, value_bytes(s, graph->config, &graph->value[j])) : bytes;
    }
    add_array(arrays, (decode_array_t)(DECODE_AT_VALUES + i), graph->value[i].name, WORK, bytes);
    arrays->index[DECODE_AT_VALUES + i] = arrays->index[DECODE_AT_VALUES + graph->value[i].place];
  }
}

static void add_arrays(decode_arrays_t *arrays, const decode_shape_t *s, const llm_graph_t *graph) {
  const checkpoint_config_t *m = graph->config;
#define DECODE_ARRAY(NAME, name, kind, bytes) add_array(arrays, DECODE_AT_##NAME, name, kind, (bytes));
#include "kernel/decode/list/decode_arrays.def"
#undef DECODE_ARRAY
  add_values(arrays, s, graph);
  add_array(arrays, DECODE_AT_KV_CACHE, "cache", CACHE, s->cache_bytes * m->num_hidden_layers);
}

static bool add_weights(decode_arrays_t *arrays, const decode_settings_t *settings, decode_weights_list_t *weights,
                        base_error_t *error) {
  const bool values = !settings->machine.soc.timing_only;
  arrays->first_weights = arrays->count;
  for (size_t i = 0; i <= weights->layers; ++i) {
    decode_layer_t *layer = &weights->layer[i];
    uint8_t *bytes = values ? soc_alloc(layer->bytes) : NULL;
    if (values && bytes == NULL) {
      return base_fail(error, "the model's weights: %s", soc_no_room());
    }
    if (values &&
        !decode_weights_load(weights, i, settings->zero_points, settings->machine.soc.threads, bytes, error)) {
      return false;
    }
    layer->buffer = arrays->count;
    arrays->list[arrays->count++] = (soc_buffer_t){
        .name = i == weights->layers ? "model" : "layer", .bytes = layer->bytes, .init = bytes, .read_only = true};
  }
  return true;
}

bool decode_arrays_make(decode_arrays_t *arrays, const decode_shape_t *shape, const decode_settings_t *settings,
                        decode_weights_list_t *weights, double *seconds, base_error_t *error) {
  const double start = host_seconds();
  *arrays = (decode_arrays_t){.list = calloc(DECODE_ARRAYS + weights->layers + 1, sizeof *arrays->list)};
  if (arrays->list == NULL) {
    return base_fail(error, "out of memory");
  }
  add_arrays(arrays, shape, weights->graph);
  soc_place(arrays->list, arrays->count);  // before the weights: atomic stores do not reach all of global memory
  if (!add_weights(arrays, settings, weights, error)) {
    return false;
  }
  soc_place(arrays->list + arrays->first_weights, arrays->count - arrays->first_weights);
  for (size_t i = 0; i <= weights->layers; ++i) {
    decode_weights_place(weights, i, arrays->list[weights->layer[i].buffer].address);
  }
  *seconds = host_seconds() - start;
  return true;
}

void decode_arrays_free(decode_arrays_t *arrays) {
  free(arrays->list);
  arrays->list = NULL;
}

uint64_t decode_address(const decode_arrays_t *arrays, decode_array_t array) {
  return arrays->index[array] == SIZE_MAX ? 0 : arrays->list[arrays->index[array]].address;
}
