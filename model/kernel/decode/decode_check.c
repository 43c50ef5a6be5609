// SPDX-License-Identifier: Apache-2.0
#include "kernel/decode/decode_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "llm/walk/walk.h"
#include "hal/command.h"
#include "num/num_fp8.h"
#include "num/num_format.h"
#include "num/golden/num_step.h"

enum { HALF = 2, FP32 = 4 };

// One output of one operation: its values in the step under way, and its error so far.
typedef struct record {
  const char *name;
  size_t layer;  // of the operation
  decode_output_t output;
  float *values;  // [rows][parts * part_cols]
  size_t room;
  double errors, sizes;
  size_t rows, others;
} record_t;

// The experts that tokens chose in a mixture, and their slots, in the step under way.
typedef struct choice {
  int32_t *chosen, *slot;  // [rows][top]
  size_t *begin;
  size_t tokens;
} choice_t;

struct decode_check {
  decode_machine_t *machine;
  const checkpoint_config_t *model;
  walk_t **walk;  // [entries]
  size_t entries;
  record_t *records;  // [records]
  size_t count, room;
  choice_t *choice;  // [layers]
  double *logits;    // [query][vocab]
  size_t differ, of;
  bool failed;  // out of memory
  // While a walk is under way.
  const decode_ask_t *ask;
  size_t entry;
};

// --- what operations leave --------------------------------------------------------------------

static float element(unsigned type, const uint8_t *from) {
  uint16_t half;
  float single;
  if (type == TYPE_F32) {
    memcpy(&single, from, sizeof single);
    return single;
  }
  memcpy(&half, from, sizeof half);
  return type == TYPE_F16 ? num_fp16_to_f32(half) : num_bf16_to_f32(half);
}

static void take_row(const decode_output_t *o, const uint8_t *from, float *to) {
  uint16_t key[NUM_FP8_KEY];
  if (o->type == DECODE_TYPE_FP8) {
    num_fp8_decode(from, key, 1);
    num_bf16_to_f32_n(key, to, o->part_cols);
    return;
  }
  const size_t bytes = o->type == TYPE_F32 ? FP32 : HALF;
  for (size_t part = 0; part < o->parts; ++part) {
    for (size_t j = 0; j < o->part_cols; ++j) {
      *to++ = element(o->type, from + part * o->part_bytes + j * bytes);
    }
  }
}

static bool take_output(decode_check_t *check, record_t *record, const decode_output_t *o, size_t rows) {
  const size_t cols = o->parts * o->part_cols;
  if (record->room < rows * cols) {
    float *values = realloc(record->values, rows * cols * sizeof *values);
    if (values == NULL) {
      return false;
    }
    record->values = values;
    record->room = rows * cols;
  }
  record->output = *o;
  const uint8_t *from = decode_machine_bytes(check->machine, o->address);
  for (size_t row = 0; row < rows; ++row) {
    take_row(o, from + row / o->rows_of_entry * o->entry_bytes + row % o->rows_of_entry * o->pitch,
             record->values + row * cols);
  }
  return true;
}

static bool take_choice(decode_check_t *check, const decode_op_t *op, const step_gate_args_t *args) {
  const decode_list_t *list = decode_machine_list(check->machine);
  choice_t *c = &check->choice[op->layer];
  const size_t count = (size_t)args->tokens * args->top, experts = list->weights->experts;
  free(c->chosen);
  free(c->slot);
  free(c->begin);
  *c = (choice_t){malloc(count * sizeof *c->chosen), malloc(count * sizeof *c->slot),
                  malloc((experts + 1) * sizeof *c->begin), args->tokens};
  if (c->chosen == NULL || c->slot == NULL || c->begin == NULL) {
    return false;
  }
  memcpy(c->chosen, decode_machine_bytes(check->machine, args->chosen), count * sizeof *c->chosen);
  num_step_route(&(num_step_routing_t){.chosen = c->chosen, .tokens = args->tokens, .top = args->top, .here = experts},
                 c->slot, c->begin);
  return true;
}

// Outputs of an operation are records in the order of operations; a step has the same ones as the step before it.
static void ended(void *context, decode_machine_t *machine, size_t index) {
  decode_check_t *check = context;
  const decode_op_t *op = &decode_machine_list(machine)->ops[index];
  check->count = index == 0 ? 0 : check->count;
  for (size_t i = 0; i < DECODE_OUTPUTS; ++i) {
    const decode_output_t *o = &op->output[i];
    if (o->address == 0 || check->failed) {
      continue;
    }
    record_t *record = &check->records[check->count++];
    record->name = op->name;
    record->layer = op->layer;
    const size_t rows = op->routing != NULL ? decode_machine_slots(machine, op->routing) : o->rows;
    decode_output_t slots = *o;
    if (o->expert == DECODE_BY_SLOT) {
      slots.rows = slots.rows_of_entry = rows == 0 ? 1 : rows;
    }
    check->failed = !take_output(check, record, &slots, rows);
  }
  if (op->op == STEP_GATE && !check->failed) {
    check->failed = !take_choice(check, op, op->args);
  }
}

// --- opening ----------------------------------------------------------------------------------

static bool open_all(decode_check_t *check, const checkpoint_t *checkpoint, size_t context, size_t threads,
                     base_error_t *error) {
  const decode_list_t *list = decode_machine_list(check->machine);
  check->room = list->entries_room * DECODE_OUTPUTS;
  check->walk = calloc(check->entries, sizeof *check->walk);
  check->records = calloc(check->room, sizeof *check->records);
  check->choice = calloc(check->model->num_hidden_layers, sizeof *check->choice);
  check->logits = malloc(list->shape->limits.query * check->model->vocab_size * sizeof *check->logits);
  if (check->walk == NULL || check->records == NULL || check->choice == NULL || check->logits == NULL) {
    return base_fail(error, "--check: out of memory");
  }
  for (size_t i = 0; i < check->entries; ++i) {
    check->walk[i] = walk_open(checkpoint, context, threads, error);
    if (check->walk[i] == NULL) {
      return false;
    }
  }
  return true;
}

decode_check_t *decode_check_open(decode_machine_t *machine, const checkpoint_t *checkpoint, size_t entries,
                                  size_t context, size_t threads, base_error_t *error) {
  decode_check_t *check = calloc(1, sizeof *check);
  if (check == NULL) {
    base_fail(error, "--check: out of memory");
    return NULL;
  }
  check->machine = machine;
  check->model = checkpoint_config(checkpoint);
  check->entries = entries;
  if (!open_all(check, checkpoint, context, threads, error)) {
    decode_check_close(check);
    return NULL;
  }
  decode_machine_watch(machine, ended, check);
  return check;
}

void decode_check_close(decode_check_t *check) {
  if (check == NULL) {
    return;
  }
  for (size_t i = 0; check->walk != NULL && i < check->entries; ++i) {
    walk_close(check->walk[i]);
  }
  for (size_t i = 0; check->records != NULL && i < check->room; ++i) {
    free(check->records[i].values);
  }
  for (size_t i = 0; check->choice != NULL && i < check->model->num_hidden_layers; ++i) {
    free(check->choice[i].chosen);
    free(check->choice[i].slot);
    free(check->choice[i].begin);
  }
  free(check->walk);
  free(check->records);
  free(check->choice);
  free(check->logits);
  free(check);
}

// Keys of a place, head by head, then its values; of each layer.
static void read_past_heads(const decode_check_t *check, size_t entry, size_t places, double *past) {
  const decode_list_t *list = decode_machine_list(check->machine);
  const decode_shape_t *s = list->shape;
  const size_t heads = s->attends.kv_heads, dk = s->attends.dk, of_head = s->limits.context * dk;
  const uint16_t *cache = decode_machine_bytes(check->machine, decode_address(list->arrays, DECODE_AT_KV_CACHE));
  uint16_t unpacked[STEP_MAX_HEAD];
  for (size_t layer = 0; layer < check->model->num_hidden_layers; ++layer) {
    for (size_t i = 0; i < places * 2 * heads; ++i) {
      const size_t place = i / (2 * heads), values = i / heads % 2, head = i % heads;
      const size_t of_layer = (values * s->limits.entries + entry) * heads + head;
      const uint16_t *from = cache + layer * s->cache_bytes / sizeof *cache + of_layer * of_head + place * dk;
      if (s->packed) {
        const decode_packed_row_t row =
            decode_machine_packed(check->machine, layer * 2 * s->limits.entries * heads + of_layer, place);
        num_step_unpack(row.codes, dk, row.type, *row.scale, unpacked);
        from = unpacked;
      }
      for (size_t j = 0; j < dk; ++j) {
        *past++ = (double)num_bf16_to_f32(from[j]);
      }
    }
  }
}

static void read_past(const decode_check_t *check, size_t entry, size_t places, double *past) {
  const decode_list_t *list = decode_machine_list(check->machine);
  const decode_shape_t *s = list->shape;
  const uint64_t cache = decode_address(list->arrays, DECODE_AT_KV_CACHE) + entry * s->batch_bytes;
  uint16_t key[NUM_FP8_KEY];
  for (size_t i = 0; i < check->model->num_hidden_layers * places; ++i) {
    const void *from =
        decode_machine_bytes(check->machine, cache + i / places * s->cache_bytes + i % places * s->place_bytes);
    const uint16_t *values = from;
    if (s->attention == DECODE_FP8) {
      num_fp8_decode(from, key, 1);
      values = key;
    }
    for (size_t j = 0; j < s->attends.dk; ++j) {
      *past++ = (double)num_bf16_to_f32(values[j]);
    }
  }
}

bool decode_check_begin(decode_check_t *check, size_t places, base_error_t *error) {
  const decode_list_t *list = decode_machine_list(check->machine);
  const size_t key = llm_cached(list->graph);
  double *past = malloc((check->model->num_hidden_layers * places * key + 1) * sizeof *past);
  bool good = past != NULL || base_fail(error, "--check: out of memory");
  for (size_t i = 0; good && i < check->entries; ++i) {
    (list->shape->attention == DECODE_FLASH ? read_past_heads : read_past)(check, i, places, past);
    good = walk_begin(check->walk[i], places, past, error);
  }
  free(past);
  return good;
}

// --- comparing --------------------------------------------------------------------------------

// The row of a record that has what the walk says of query token t for an expert; SIZE_MAX: there is none.
static size_t row_of(const decode_check_t *check, const record_t *record, const walk_event_t *event, size_t t) {
  const decode_output_t *o = &record->output;
  const size_t row = check->entry * check->ask->query + t, top = check->model->num_experts_per_tok;
  if (o->expert != DECODE_BY_SLOT) {
    const size_t before = check->ask->query - o->rows_of_entry;
    return t < before ? SIZE_MAX : check->entry * o->rows_of_entry + t - before;
  }
  const choice_t *c = &check->choice[event->layer];
  for (size_t j = 0; j < top; ++j) {
    if (c->chosen[row * top + j] == (int32_t)event->expert) {
      return (size_t)c->slot[row * top + j];
    }
  }
  return SIZE_MAX;
}

static void compare_row(record_t *record, const float *found, const double *expected) {
  const decode_output_t *o = &record->output;
  for (size_t part = 0; part < o->parts; ++part) {
    for (size_t j = 0; j < o->part_cols; ++j) {
      const double should = expected[part * o->stage_cols + o->stage_skip + j];
      const double error = (double)found[part * o->part_cols + j] - should;
      record->errors += error * error;
      record->sizes += should * should;
    }
  }
  record->rows += 1;
}

static void compare_stage(decode_check_t *check, record_t *record, const walk_event_t *event) {
  const decode_output_t *o = &record->output;
  const size_t cols = o->parts * o->part_cols;
  for (size_t i = 0; i < event->rows; ++i) {
    const size_t t = event->first + (event->tokens == NULL ? i : event->tokens[i]) - check->ask->past;
    const size_t row = row_of(check, record, event, t);
    if (row != SIZE_MAX) {
      compare_row(record, record->values + row * cols, event->values + i * event->columns);
    } else if (o->expert == DECODE_BY_SLOT) {
      record->others += 1;
    }
  }
}

static bool matches(const decode_check_t *check, const record_t *record, const walk_event_t *event) {
  const decode_output_t *o = &record->output;
  const bool routed =
      checkpoint_is_mixture(check->model, event->layer) && event->expert < check->model->n_routed_experts;
  if (o->stage != event->stage || o->layer != event->layer) {
    return false;
  }
  return o->expert == event->expert || (o->expert == DECODE_BY_SLOT && routed);
}

static void compare_choices(decode_check_t *check, const walk_event_t *event) {
  const choice_t *c = &check->choice[event->layer];
  const size_t top = event->columns;
  for (size_t i = 0; i < event->rows; ++i) {
    const size_t row = check->entry * check->ask->query + event->first + i - check->ask->past;
    for (size_t j = 0; j < top; ++j) {
      bool found = false;
      for (size_t l = 0; l < top; ++l) {
        found = found || c->chosen[row * top + l] == (int32_t)event->values[i * top + j];
      }
      check->differ += !found;
    }
  }
  check->of += event->rows * top;
}

static void observe(void *context, const walk_event_t *event) {
  decode_check_t *check = context;
  if (event->stage == WALK_CHOSEN) {
    compare_choices(check, event);
    return;
  }
  for (size_t i = 0; i < check->count; ++i) {
    if (matches(check, &check->records[i], event)) {
      compare_stage(check, &check->records[i], event);
    }
  }
}

bool decode_check_step(decode_check_t *check, const decode_ask_t *ask, const uint32_t *tokens, base_error_t *error) {
  bool good = !check->failed || base_fail(error, "--check: out of memory");
  check->ask = ask;
  for (size_t i = 0; good && i < ask->entries; ++i) {
    const size_t known = walk_position(check->walk[i]) - ask->past;
    check->entry = i;
    walk_observe(check->walk[i], observe, check);
    good =
        walk_forward(check->walk[i], tokens + i * ask->query + known, ask->query - known, check->logits, false, error);
  }
  return good;
}

// --- what came of it --------------------------------------------------------------------------

size_t decode_check_count(const decode_check_t *check) { return check->count; }

decode_stage_t decode_check_stage(const decode_check_t *check, size_t index) {
  const record_t *r = &check->records[index];
  return (decode_stage_t){.name = r->name,
                          .stage = walk_stage_name(r->output.stage),
                          .layer = r->layer,
                          .error = r->sizes == 0 ? sqrt(r->errors) : sqrt(r->errors) / sqrt(r->sizes),
                          .rows = r->rows,
                          .others = r->others};
}

void decode_check_choices(const decode_check_t *check, size_t *differ, size_t *of) {
  *differ = check->differ;
  *of = check->of;
}
