// SPDX-License-Identifier: Apache-2.0
#include "kernel/decode/list/decode_weights.h"

#include <stdatomic.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "hal/command.h"
#include "host/parallel.h"
#include "kernels/step/step_args.h"
#include "num/num_format.h"
#include "num/num_int4.h"

enum { LINE = 512, LEAST_GROUP = 16, W4_COLUMNS = 64, S8_STRIP = STRIP_ROW };

size_t decode_weights_group(size_t k) {
  size_t group = STEP_GROUP;
  while (group >= LEAST_GROUP && k % group != 0) {
    group /= 2;
  }
  return group >= LEAST_GROUP ? group : 0;
}

// --- where each is ----------------------------------------------------------------------------

// Is it the model's own, and not a layer's?
static bool of_model(checkpoint_role_t role) {
  return role == CHECKPOINT_HEAD || role == CHECKPOINT_NORM || role == CHECKPOINT_EMBEDDING;
}

static const checkpoint_tensor_t *find(const decode_weights_list_t *weights, checkpoint_role_t role, size_t layer,
                                       size_t expert) {
  return of_model(role) != (layer == weights->layers) || role == CHECKPOINT_NONE
             ? NULL
             : checkpoint_find(weights->checkpoint, role, layer == weights->layers ? 0 : layer, expert);
}

static decode_matrix_t shape_of(const decode_weights_list_t *weights, const llm_weight_t *source, size_t layer) {
  const size_t heads = weights->graph->attention.heads;
  const checkpoint_tensor_t *first = find(weights, source->first, layer, 0);
  const checkpoint_tensor_t *second = find(weights, source->second, layer, 0);
  if (first == NULL) {
    return (decode_matrix_t){.groups = 0};
  }
  const size_t columns = checkpoint_columns(first);
  const bool biased = find(weights, source->bias[0], layer, 0) != NULL;
  switch (source->form) {
    case LLM_HEAD_ROWS:
      return (decode_matrix_t){.groups = heads, .n = columns, .k = source->rows};
    case LLM_HEAD_COLUMNS:
      return (decode_matrix_t){.groups = heads, .n = source->rows, .k = columns, .bf16 = true};
    case LLM_VECTOR:
    case LLM_TABLE:
      return (decode_matrix_t){
          .groups = 1, .n = columns, .k = checkpoint_rows(first), .bf16 = checkpoint_type(first) == CHECKPOINT_BF16};
    default:
      return (decode_matrix_t){.bf16 = checkpoint_has(weights->graph->config, CHECKPOINT_HAS_WIDE_RANGE),
                               .biased = biased,
                               .groups = source->form == LLM_EXPERTS ? weights->experts : 1,
                               .n = checkpoint_rows(first) + (second == NULL ? 0 : checkpoint_rows(second)),
                               .k = columns + (biased ? STRIP : 0)};
  }
}

// Takes room at the end of the layer.
static uint64_t take(decode_layer_t *layer, uint64_t bytes) {
  const uint64_t at = layer->bytes;
  layer->bytes = round_up(at + bytes, LINE);
  return at;
}

static void place_s8(decode_layer_t *layer, decode_matrix_t *matrix) {
  matrix->bytes = round_up(matrix->n, S8_STRIP) * matrix->k;
  matrix->scale_bytes = round_up(matrix->n * sizeof(float), LINE);
  matrix->at = take(layer, matrix->groups * matrix->bytes);
  matrix->scale = take(layer, matrix->groups * matrix->scale_bytes);
  matrix->bias = matrix->biased ? take(layer, matrix->groups * matrix->scale_bytes) : 0;
}

static void place_matrix(decode_layer_t *layer, decode_matrix_t *matrix, bool zero_points) {
  if (matrix->s8) {
    place_s8(layer, matrix);
    return;
  }
  if (matrix->group == 0) {
    matrix->bytes = round_up(matrix->n, STRIP) / STRIP * matrix->k * STRIP_ROW;
    matrix->at = take(layer, matrix->groups * matrix->bytes);
    return;
  }
  matrix->bytes = matrix->k * matrix->n / 2;
  matrix->scale_bytes = matrix->k / matrix->group * matrix->n * sizeof(num_fp16_t);
  matrix->at = take(layer, matrix->groups * matrix->bytes);
  matrix->scale = take(layer, matrix->groups * matrix->scale_bytes);
  matrix->zero = zero_points ? take(layer, matrix->groups * matrix->scale_bytes) : 0;
}

// Which form --weights gives a matrix, if its shape allows that.
static void choose_form(decode_matrix_t *matrix, decode_weights_t weights) {
  const size_t k = matrix->k - (matrix->biased ? STRIP : 0);
  if (weights == DECODE_W4A16 && !matrix->biased && matrix->n % (2 * STRIP) == 0) {
    matrix->group = decode_weights_group(matrix->k);
  }
  if (weights == DECODE_W8A8 && k % S8_STRIP == 0 && matrix->n % STRIP == 0) {
    matrix->s8 = true;
    matrix->k = k;
  }
}

static void plan_layer(decode_weights_list_t *weights, size_t index, const decode_settings_t *settings) {
  decode_layer_t *layer = &weights->layer[index];
  take(layer, LINE);  // so that no offset is 0
  for (size_t i = 0; i < weights->graph->weights; ++i) {
    const llm_weight_t *source = &weights->graph->weight[i];
    decode_matrix_t *matrix = &layer->matrix[i];
    *matrix = shape_of(weights, source, index);
    if (matrix->groups == 0) {
      continue;
    }
    if (decode_weights_quantised(source->form)) {
      choose_form(matrix, settings->weights);
    }
    if (source->form == LLM_VECTOR || source->form == LLM_TABLE) {
      matrix->at = take(layer, matrix->k * matrix->n * (source->form == LLM_VECTOR ? sizeof(float) : sizeof(uint16_t)));
      continue;
    }
    place_matrix(layer, matrix, settings->zero_points);
    weights->matrix_bytes +=
        matrix->groups * (matrix->bytes + matrix->scale_bytes * (matrix->zero + matrix->bias != 0 ? 2 : 1));
  }
}

bool decode_weights_plan(decode_weights_list_t *weights, const checkpoint_t *checkpoint, const llm_graph_t *graph,
                         const decode_settings_t *settings, size_t experts, base_error_t *error) {
  *weights = (decode_weights_list_t){
      .checkpoint = checkpoint, .graph = graph, .experts = experts, .layers = graph->config->num_hidden_layers};
  weights->layer = calloc(weights->layers + 1, sizeof *weights->layer);
  if (weights->layer == NULL) {
    return base_fail(error, "out of memory");
  }
  for (size_t i = 0; i <= weights->layers; ++i) {
    plan_layer(weights, i, settings);
  }
  return true;
}

void decode_weights_place(decode_weights_list_t *weights, size_t index, uint64_t address) {
  for (size_t i = 0; i < weights->graph->weights; ++i) {
    decode_matrix_t *matrix = &weights->layer[index].matrix[i];
    matrix->at += matrix->at != 0 ? address : 0;
    matrix->scale += matrix->scale != 0 ? address : 0;
    matrix->zero += matrix->zero != 0 ? address : 0;
    matrix->bias += matrix->bias != 0 ? address : 0;
  }
}

void decode_weights_free(decode_weights_list_t *weights) {
  free(weights->layer);
  weights->layer = NULL;
}

// --- loading ----------------------------------------------------------------------------------

// A matrix that threads load, some strips or blocks of columns each.
typedef struct load {
  const decode_weights_list_t *weights;
  const llm_weight_t *source;
  const decode_matrix_t *matrix;
  size_t layer;
  bool zero_points;
  uint8_t *bytes;  // of the layer
  base_error_t *error;
  atomic_flag told;  // one thread alone says what went wrong
} load_t;

static bool fail(load_t *load, const base_error_t *error) {
  if (!atomic_flag_test_and_set(&load->told)) {
    *load->error = *error;
  }
  return false;
}

// The tensor that has column `column` of B, and which of its rows that is.
static const checkpoint_tensor_t *tensor_at(const load_t *load, size_t group, size_t column, size_t *row) {
  const size_t expert = load->source->form == LLM_EXPERTS ? group : 0;
  const checkpoint_tensor_t *first = find(load->weights, load->source->first, load->layer, expert);
  const size_t rows = checkpoint_rows(first);
  if (load->source->form == LLM_HEAD_ROWS || load->source->form == LLM_HEAD_COLUMNS) {
    *row = group * (rows / load->matrix->groups) + load->source->skip + column;
    return first;
  }
  *row = column < rows ? column : column - rows;
  return column < rows ? first : find(load->weights, load->source->second, load->layer, expert);
}

// `count` columns of B from `column` on, each k elements end to end, as the checkpoint has them; of one tensor.
static bool read_columns(const load_t *load, size_t group, size_t column, size_t count, checkpoint_type_t type,
                         void *out, base_error_t *error) {
  size_t row;
  const checkpoint_tensor_t *tensor = tensor_at(load, group, column, &row);
  return checkpoint_read(tensor, row * load->matrix->k, count * load->matrix->k, type, out, error);
}

// Likewise, each column with its element of the bias and zeros.
static bool read_biased(const load_t *load, size_t group, size_t column, size_t count, checkpoint_type_t type,
                        uint16_t *out, base_error_t *error) {
  const size_t k = load->matrix->k, rows = k - STRIP, expert = load->source->form == LLM_EXPERTS ? group : 0;
  const checkpoint_tensor_t *first = find(load->weights, load->source->first, load->layer, expert);
  const checkpoint_tensor_t *bias =
      find(load->weights, load->source->bias[column < checkpoint_rows(first) ? 0 : 1], load->layer, expert);
  bool good = true;
  for (size_t j = 0; good && j < count; ++j) {
    size_t row;
    const checkpoint_tensor_t *tensor = tensor_at(load, group, column + j, &row);
    memset(out + j * k + rows, 0, STRIP * sizeof *out);
    good = checkpoint_read(tensor, row * rows, rows, type, out + j * k, error) &&
           checkpoint_read(bias, row, 1, type, out + j * k + rows, error);
  }
  return good;
}

// The first one that is infinite or a NaN; NULL: none is.
static const num_fp16_t *not_finite(const num_fp16_t *values, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if ((values[i] & 0x7c00u) == 0x7c00u) {
      return &values[i];
    }
  }
  return NULL;
}

static bool refuse_value(load_t *load, size_t group, num_fp16_t value) {
  base_error_t error;
  char name[CHECKPOINT_NAME_BYTES];
  checkpoint_name(load->source->first, load->layer == load->weights->layers ? 0 : load->layer,
                  load->source->form == LLM_EXPERTS ? group : 0, name);
  base_fail(&error,
            (value & 0x7fffu) > 0x7c00u ? "%s: a weight is not a number; expected ones that FP16 holds"
                                        : "%s: a weight is beyond FP16's 65504; expected ones that FP16 holds",
            name);
  return fail(load, &error);
}

static bool no_memory(load_t *load) {
  base_error_t error;
  base_fail(&error, "weights: out of memory");
  return fail(load, &error);
}

// A strip from columns [count][k].
static void lay_columns(const uint16_t *columns, size_t count, size_t k, uint16_t *strip) {
  for (size_t p = 0; p < k; ++p) {
    for (size_t j = 0; j < STRIP; ++j) {
      strip[p * STRIP + j] = j < count ? columns[j * k + p] : 0;
    }
  }
}

// Rows of B, `first` .. first + STRIP - 1 of each, which lie as the tensor's.
static bool read_rows(const load_t *load, size_t group, size_t first, uint16_t *strip, base_error_t *error) {
  size_t row;
  const checkpoint_tensor_t *tensor = tensor_at(load, group, 0, &row);
  bool good = true;
  for (size_t p = 0; good && p < load->matrix->k; ++p) {
    good =
        checkpoint_read(tensor, (row + p) * load->matrix->n + first, STRIP, CHECKPOINT_FP16, strip + p * STRIP, error);
  }
  return good;
}

static bool load_strip(load_t *load, size_t group, size_t first, uint16_t *columns, uint16_t *strip) {
  base_error_t error;
  const decode_matrix_t *matrix = load->matrix;
  const size_t count = matrix->n - first < STRIP ? matrix->n - first : STRIP;
  const checkpoint_type_t type = matrix->bf16 ? CHECKPOINT_BF16 : CHECKPOINT_FP16;
  if (load->source->form == LLM_HEAD_ROWS) {
    if (!read_rows(load, group, first, strip, &error)) {
      return fail(load, &error);
    }
  } else if (!(matrix->biased ? read_biased(load, group, first, count, type, columns, &error)
                              : read_columns(load, group, first, count, type, columns, &error))) {
    return fail(load, &error);
  } else {
    lay_columns(columns, count, matrix->k, strip);
  }
  const num_fp16_t *lost = matrix->bf16 ? NULL : not_finite(strip, matrix->k * STRIP);
  return lost == NULL || refuse_value(load, group, *lost);
}

static bool load_strips(void *context, size_t begin, size_t end) {
  load_t *load = context;
  const decode_matrix_t *matrix = load->matrix;
  const size_t strips = ceil_div(matrix->n, STRIP);
  uint16_t *columns = malloc(matrix->k * STRIP * sizeof *columns);
  bool good = columns != NULL || no_memory(load);
  for (size_t i = begin; good && i < end; ++i) {
    uint8_t *to = load->bytes + matrix->at + i / strips * matrix->bytes + i % strips * matrix->k * STRIP_ROW;
    good = load_strip(load, i / strips, i % strips * STRIP, columns, (uint16_t *)(void *)to);
  }
  free(columns);
  return good;
}

// --- nibbles ----------------------------------------------------------------------------------

// W4_COLUMNS columns at a time.
typedef struct quantised {
  float *columns, *rows;     // [cols][k], [k][cols]
  int8_t *values;            // [k][cols]
  num_fp16_t *scale, *zero;  // [k / group][cols]
} quantised_t;

static bool quantised_make(quantised_t *q, const decode_matrix_t *matrix) {
  const size_t count = matrix->k * W4_COLUMNS, scales = count / matrix->group;
  *q = (quantised_t){malloc(count * sizeof(float)), malloc(count * sizeof(float)), malloc(count),
                     malloc(scales * sizeof(num_fp16_t)), malloc(scales * sizeof(num_fp16_t))};
  return q->columns != NULL && q->rows != NULL && q->values != NULL && q->scale != NULL && q->zero != NULL;
}

static void quantised_free(quantised_t *q) {
  free(q->columns);
  free(q->rows);
  free(q->values);
  free(q->scale);
  free(q->zero);
}

static bool read_block(const load_t *load, size_t group, size_t first, size_t count, quantised_t *q,
                       base_error_t *error) {
  const size_t k = load->matrix->k;
  for (size_t j = 0; j < count; j += STRIP) {  // a strip is of one tensor
    if (!read_columns(load, group, first + j, STRIP, CHECKPOINT_FP32, q->columns + j * k, error)) {
      return false;
    }
  }
  for (size_t j = 0; j < count; ++j) {
    for (size_t p = 0; p < k; ++p) {
      q->rows[p * count + j] = q->columns[j * k + p];
    }
  }
  return true;
}

static void store_block(const load_t *load, size_t group, size_t first, size_t count, const quantised_t *q) {
  const decode_matrix_t *m = load->matrix;
  uint8_t *w = load->bytes + m->at + group * m->bytes;
  num_fp16_t *scale = (num_fp16_t *)(void *)(load->bytes + m->scale + group * m->scale_bytes);
  num_fp16_t *zero = (num_fp16_t *)(void *)(load->bytes + m->zero + group * m->scale_bytes);
  for (size_t p = 0; p < m->k; ++p) {
    num_int4_pack(q->values + p * count, (uint32_t *)(void *)(w + (p * m->n + first) / 2), count);
  }
  for (size_t g = 0; g < m->k / m->group; ++g) {
    memcpy(scale + g * m->n + first, q->scale + g * count, count * sizeof *scale);
    if (load->zero_points) {
      memcpy(zero + g * m->n + first, q->zero + g * count, count * sizeof *zero);
    }
  }
}

static bool load_block(load_t *load, size_t group, size_t first, quantised_t *q) {
  const decode_matrix_t *m = load->matrix;
  const size_t count = m->n - first < W4_COLUMNS ? m->n - first : W4_COLUMNS;
  base_error_t error;
  size_t bad;
  if (!read_block(load, group, first, count, q, &error)) {
    return fail(load, &error);
  }
  for (size_t i = 0; i < m->k * count; ++i) {
    if (!isfinite(q->rows[i])) {
      return refuse_value(load, group, num_fp16_from_f32(q->rows[i]));
    }
  }
  if (!num_int4_quantise(load->zero_points ? NUM_NIBBLES_UNSIGNED : NUM_NIBBLES_SIGNED, q->rows, m->k, count, m->group,
                         q->values, q->scale, load->zero_points ? q->zero : NULL, &bad)) {
    return refuse_value(load, group, 0x7c00u);
  }
  store_block(load, group, first, count, q);
  return true;
}

static bool load_blocks(void *context, size_t begin, size_t end) {
  load_t *load = context;
  const decode_matrix_t *matrix = load->matrix;
  const size_t blocks = ceil_div(matrix->n, W4_COLUMNS);
  quantised_t q;
  bool good = quantised_make(&q, matrix) || no_memory(load);
  for (size_t i = begin; good && i < end; ++i) {
    good = load_block(load, i / blocks, i % blocks * W4_COLUMNS, &q);
  }
  quantised_free(&q);
  return good;
}

// --- 8-bit integers ---------------------------------------------------------------------------

// One column, in S8 `S8_STRIP` bytes apart, and its scale, as --weights w8a8 makes it. False: a value is not finite,
// *bad.
static bool quantise_column(const float *column, size_t k, int8_t *to, float *scale, float *bad) {
  float most = 0x1p-100f;
  for (size_t p = 0; p < k; ++p) {
    if (!isfinite(column[p])) {
      *bad = column[p];
      return false;
    }
    most = fmaxf(most, fabsf(column[p]));
  }
  *scale = most / 127.0f;
  for (size_t p = 0; p < k; ++p) {
    to[p * S8_STRIP] = (int8_t)lrintf(column[p] / *scale);
  }
  return true;
}

static bool load_bias(load_t *load, size_t group, size_t column, float *bias) {
  base_error_t error;
  size_t row;
  const size_t expert = load->source->form == LLM_EXPERTS ? group : 0;
  const bool first =
      tensor_at(load, group, column, &row) == find(load->weights, load->source->first, load->layer, expert);
  const checkpoint_tensor_t *tensor = find(load->weights, load->source->bias[first ? 0 : 1], load->layer, expert);
  return checkpoint_read(tensor, row, 1, CHECKPOINT_FP32, bias, &error) || fail(load, &error);
}

// A column that the checkpoint has in S8, as it is.
static bool take_column(load_t *load, const checkpoint_tensor_t *tensor, size_t row, int8_t *values, int8_t *to,
                        float *scale) {
  base_error_t error;
  if (!checkpoint_read_s8(tensor, row, values, scale, &error)) {
    return fail(load, &error);
  }
  for (size_t p = 0; p < load->matrix->k; ++p) {
    to[p * S8_STRIP] = values[p];
  }
  return isfinite(*scale) || refuse_value(load, 0, num_fp16_from_f32(*scale));
}

static bool load_s8_column(load_t *load, size_t group, size_t column, float *values) {
  const decode_matrix_t *m = load->matrix;
  base_error_t error;
  uint8_t *strip = load->bytes + m->at + group * m->bytes + column / S8_STRIP * m->k * S8_STRIP;
  const size_t scales = group * m->scale_bytes + column * sizeof(float);
  int8_t *to = (int8_t *)strip + column % S8_STRIP;
  float *scale = (float *)(void *)(load->bytes + m->scale + scales), bad;
  size_t row;
  const checkpoint_tensor_t *tensor = tensor_at(load, group, column, &row);
  if (checkpoint_is_s8(tensor)) {
    if (!take_column(load, tensor, row, (int8_t *)(void *)values, to, scale)) {
      return false;
    }
  } else if (!read_columns(load, group, column, 1, CHECKPOINT_FP32, values, &error)) {
    return fail(load, &error);
  } else if (!quantise_column(values, m->k, to, scale, &bad)) {
    return refuse_value(load, group, num_fp16_from_f32(bad));
  }
  return !m->biased || load_bias(load, group, column, (float *)(void *)(load->bytes + m->bias + scales));
}

static bool load_s8_strips(void *context, size_t begin, size_t end) {
  load_t *load = context;
  const decode_matrix_t *m = load->matrix;
  const size_t strips = ceil_div(m->n, S8_STRIP);
  float *values = malloc(m->k * sizeof *values);
  bool good = values != NULL || no_memory(load);
  for (size_t i = begin; good && i < end; ++i) {
    const size_t first = i % strips * S8_STRIP, last = smaller(m->n, first + S8_STRIP);
    for (size_t column = first; good && column < last; ++column) {
      good = load_s8_column(load, i / strips, column, values);
    }
  }
  free(values);
  return good;
}

// --- a layer ----------------------------------------------------------------------------------

static bool load_weight(const decode_weights_list_t *weights, size_t layer, size_t index, bool zero_points,
                        size_t threads, uint8_t *bytes, base_error_t *error) {
  const decode_matrix_t *matrix = &weights->layer[layer].matrix[index];
  load_t load = {.weights = weights,
                 .source = &weights->graph->weight[index],
                 .matrix = matrix,
                 .layer = layer,
                 .zero_points = zero_points,
                 .bytes = bytes,
                 .error = error};
  if (load.source->form == LLM_VECTOR || load.source->form == LLM_TABLE) {
    const checkpoint_type_t type = load.source->form == LLM_VECTOR ? CHECKPOINT_FP32
                                   : matrix->bf16                  ? CHECKPOINT_BF16
                                                                   : CHECKPOINT_FP16;
    return checkpoint_read(find(weights, load.source->first, layer, 0), 0, matrix->k * matrix->n, type,
                           bytes + matrix->at, error);
  }
  const size_t columns = matrix->s8 ? S8_STRIP : matrix->group == 0 ? STRIP : W4_COLUMNS;
  return parallel_for(threads, matrix->groups * (ceil_div(matrix->n, columns)),
                      matrix->s8           ? load_s8_strips
                      : matrix->group == 0 ? load_strips
                                           : load_blocks,
                      &load);
}

bool decode_weights_load(const decode_weights_list_t *weights, size_t layer, bool zero_points, size_t threads,
                         uint8_t *bytes, base_error_t *error) {
  bool good = true;
  for (size_t i = 0; good && i < weights->graph->weights; ++i) {
    good = weights->layer[layer].matrix[i].groups == 0 ||
           load_weight(weights, layer, i, zero_points, threads, bytes, error);
  }
  return good;
}
