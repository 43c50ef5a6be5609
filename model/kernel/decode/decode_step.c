// SPDX-License-Identifier: Apache-2.0
#include "kernel/decode/decode_step.h"

#include <stdlib.h>
#include <string.h>

#include "host/parallel.h"
#include "num/num_fp8.h"
#include "num/num_rng.h"
#include "num/golden/num_step.h"

enum { WATCHERS = 3 };

typedef struct watcher {
  decode_ended_t *ended;
  void *context;
} watcher_t;

struct decode_machine {
  decode_machine_options_t options;
  soc_options_t soc_options;
  const checkpoint_config_t *model;
  llm_graph_t graph;
  decode_shape_t shape;
  decode_weights_list_t weights;
  decode_arrays_t arrays;
  decode_list_t list;
  soc_t *soc;
  soc_result_t result;
  bool closed;
  watcher_t watcher[WATCHERS];
  size_t watchers;
  decode_sums_t *sums;  // [list.entries_room]
  double *turn;         // RoPE's, of each pair of columns that is rotated
  float *sinks;         // [layers][heads]; NULL: there are none
  double load_seconds;
};

// --- opening ----------------------------------------------------------------------------------

static void on_mark(void *context, uint32_t number) {
  decode_machine_t *machine = context;
  for (size_t i = 0; i < machine->watchers; ++i) {
    machine->watcher[i].ended(machine->watcher[i].context, machine, number);
  }
}

static void *bytes_of(const decode_machine_t *machine, decode_array_t array);

static bool read_sinks(decode_machine_t *machine, base_error_t *error) {
  const size_t layers = machine->model->num_hidden_layers, heads = machine->model->num_attention_heads;
  bool good = true;
  if (machine->shape.sinks_bytes == 0 || machine->options.settings->machine.soc.timing_only) {
    return true;
  }
  machine->sinks = malloc(layers * heads * sizeof *machine->sinks);
  for (size_t layer = 0; machine->sinks != NULL && good && layer < layers; ++layer) {
    good = checkpoint_read(checkpoint_find(machine->options.checkpoint, CHECKPOINT_SINKS, layer, 0), 0, heads,
                           CHECKPOINT_FP32, machine->sinks + layer * heads, error);
  }
  return machine->sinks != NULL ? good : base_fail(error, "out of memory");
}

// The 1 and the zeros at the end of a value's rows, which biases are multiplied by.
static void write_ones(const decode_machine_t *machine, size_t index) {
  const llm_value_t *value = &machine->graph.value[index];
  const size_t columns = value->parts * value->columns;
  uint16_t *row = bytes_of(machine, (decode_array_t)(DECODE_AT_VALUES + index));
  for (size_t i = 0; i < decode_value_rows(&machine->shape, machine->model, value); ++i) {
    row += columns;
    memset(row, 0, value->ones * sizeof *row);
    row[0] = value->type == TYPE_F16 ? num_fp16_from_f32(1.0f) : num_bf16_from_f32(1.0f);
    row += value->ones;
  }
}

static void write_all_ones(const decode_machine_t *machine) {
  for (size_t i = 0; i < machine->graph.values && !machine->soc_options.timing_only; ++i) {
    if (machine->graph.value[i].ones > 0) {
      write_ones(machine, i);
    }
  }
}

static bool open_all(decode_machine_t *machine, base_error_t *error) {
  const decode_settings_t *settings = machine->options.settings;
  if (!llm_graph_make(&machine->graph, machine->model)) {
    return base_fail(error, "out of memory");
  }
  machine->shape = decode_shape(&machine->graph, settings, &machine->options.limits);
  if (!decode_weights_plan(&machine->weights, machine->options.checkpoint, &machine->graph, settings,
                           machine->options.experts, error) ||
      !decode_arrays_make(&machine->arrays, &machine->shape, settings, &machine->weights, &machine->load_seconds,
                          error)) {
    return false;
  }
  if (!decode_list_make(&machine->list, &machine->graph, settings, &machine->shape, &machine->arrays,
                        &machine->weights)) {
    return base_fail(error, "out of memory");
  }
  machine->sums = calloc(machine->list.entries_room, sizeof *machine->sums);
  machine->turn = calloc(machine->shape.attends.rotated / 2 + 1, sizeof *machine->turn);
  const bool room = machine->sums != NULL && machine->turn != NULL;
  machine->soc_options = settings->machine.soc;
  machine->soc_options.pairs = machine->shape.pairs;
  machine->soc_options.on_mark = settings->machine.soc.timing_only ? NULL : on_mark;
  machine->soc_options.on_mark_context = machine;
  machine->soc = !room ? NULL
                       : soc_open(&machine->soc_options, machine->arrays.list, machine->arrays.count,
                                  sizeof(step_args_t), &machine->result);
  if (machine->soc == NULL) {
    return base_fail(error, "%s", !room ? "out of memory" : machine->result.error);
  }
  write_all_ones(machine);
  return read_sinks(machine, error);
}

decode_machine_t *decode_machine_open(const decode_machine_options_t *options, base_error_t *error) {
  decode_machine_t *machine = calloc(1, sizeof *machine);
  if (machine == NULL) {
    base_fail(error, "out of memory");
    return NULL;
  }
  machine->options = *options;
  machine->model = checkpoint_config(options->checkpoint);
  if (!open_all(machine, error)) {
    decode_machine_close(machine);
    return NULL;
  }
  return machine;
}

void decode_machine_watch(decode_machine_t *machine, decode_ended_t *ended, void *context) {
  machine->watcher[machine->watchers++] = (watcher_t){ended, context};
}

// --- what the host writes ---------------------------------------------------------------------

void *decode_machine_bytes(const decode_machine_t *machine, uint64_t address) {
  return soc_bytes(machine->soc, address);
}

const void *decode_machine_look(const decode_machine_t *machine, uint64_t address) {
  return soc_look(machine->soc, address);
}

static void *bytes_of(const decode_machine_t *machine, decode_array_t array) {
  return decode_machine_bytes(machine, decode_address(&machine->arrays, array));
}

static void write_angles_of(const decode_machine_t *machine, const decode_ask_t *ask, const checkpoint_rope_t *scaling,
                            float *angles) {
  const size_t rope = machine->shape.attends.rotated;
  angles += ask->first_row * 2 * rope;
  const double magnitude = checkpoint_rope_magnitude(scaling);
  const bool halves = machine->shape.attention == DECODE_FLASH;
  for (size_t pair = 0; pair < rope / 2; ++pair) {
    machine->turn[pair] = checkpoint_rope_turn(scaling, rope, pair, machine->options.limits.context);
  }
  for (size_t t = 0; t < ask->query; ++t) {
    (halves ? num_step_angles_by_halves : num_step_angles)(ask->past + t, rope, machine->turn, magnitude,
                                                           angles + t * 2 * rope);
  }
  for (size_t entry = 1; entry < ask->entries; ++entry) {
    memcpy(angles + entry * ask->query * 2 * rope, angles, ask->query * 2 * rope * sizeof *angles);
  }
}

static void write_angles(const decode_machine_t *machine, const decode_ask_t *ask) {
  float *angles = bytes_of(machine, DECODE_AT_ANGLES);
  write_angles_of(machine, ask, &machine->model->rope, angles);
  if (machine->shape.ropes > 1) {
    write_angles_of(machine, ask, &machine->model->window_rope,
                    angles + machine->shape.rows * 2 * machine->shape.attends.rotated);
  }
}

// Bits of a row's keys, lowest first: those of first .. end - 1.
static void write_bits(uint8_t *row, size_t pitch, size_t first, size_t end) {
  memset(row, 0, pitch);
  for (size_t i = first; i < end; ++i) {
    row[i / 8] |= (uint8_t)(1u << i % 8);
  }
}

// What kernel flash takes: of each row its token, of each token the keys that a window leaves, of each row its sink.
static void write_rows(const decode_machine_t *machine, const decode_ask_t *ask) {
  const decode_shape_t *s = &machine->shape;
  const size_t rows = ask->query * (s->attends.heads / s->attends.kv_heads), window = machine->model->sliding_window;
  const size_t start = decode_heads_start(ask, window);
  float *token = (float *)(void *)((uint8_t *)bytes_of(machine, DECODE_AT_TOKEN_OF_ROW) + ask->part * s->token_bytes);
  for (size_t row = 0; row < rows; ++row) {
    token[row] = -(float)(row % ask->query);
  }
  for (size_t t = 0; s->visible_bytes > 0 && ask->query > 1 && t < ask->query; ++t) {
    const size_t end = ask->past + t + 1, first = end > window ? end - window : 0;
    write_bits((uint8_t *)bytes_of(machine, DECODE_AT_VISIBLE) + ask->part * s->visible_bytes + t * s->visible_pitch,
               s->visible_pitch, first - start, end - start);
  }
  for (size_t i = 0; machine->sinks != NULL && i < machine->model->num_hidden_layers * s->attends.heads; ++i) {
    float *sink = (float *)(void *)((uint8_t *)bytes_of(machine, DECODE_AT_SINKS) +
                                    (ask->part * s->layers + i / s->attends.heads) * s->sinks_bytes) +
                  i % s->attends.heads * ask->query;
    for (size_t t = 0; t < ask->query; ++t) {
      sink[t] = machine->sinks[i];
    }
  }
}

// Query token t of past + query keys sees those up to its own. Bits, lowest first; heads of a token see the same.
static void write_mask(const decode_machine_t *machine, const decode_ask_t *ask) {
  const decode_shape_t *s = &machine->shape;
  uint8_t *bits = (uint8_t *)bytes_of(machine, DECODE_AT_VISIBLE) + ask->part * s->visible_bytes;
  for (size_t t = 0; t < ask->query; ++t) {
    uint8_t *row = bits + t * s->attends.heads * s->visible_pitch;
    const size_t seen = ask->past + t + 1;
    memset(row, 0, s->visible_pitch);
    memset(row, 0xFF, seen / 8);
    if (seen % 8 != 0) {
      row[seen / 8] = (uint8_t)((1u << seen % 8) - 1);
    }
    for (size_t head = 1; head < s->attends.heads; ++head) {
      memcpy(row + head * s->visible_pitch, row, s->visible_pitch);
    }
  }
}

// Uniform, without repetition in a row.
static void make_up_row(num_rng_t *rng, size_t experts, size_t top, int32_t *row) {
  for (size_t j = 0; j < top; ++j) {
    bool taken = true;
    while (taken) {
      row[j] = (int32_t)(num_rng_u64(rng) % experts);
      taken = false;
      for (size_t i = 0; i < j; ++i) {
        taken = taken || row[i] == row[j];
      }
    }
  }
}

// Makes up the choices of gates that are not computed: the same ones for the same past.
static void make_up_routes(const decode_machine_t *machine, const decode_ask_t *ask) {
  const size_t top = machine->model->num_experts_per_tok;
  int32_t *chosen = bytes_of(machine, DECODE_AT_CHOSEN);
  num_rng_t rng;
  for (size_t mixture = 0; mixture < machine->shape.mixtures; ++mixture) {
    num_rng_seed(&rng, machine->options.seed + (ask->past << 16) + mixture);
    for (size_t row = 0; row < decode_ask_rows(ask); ++row) {
      make_up_row(&rng, machine->model->n_routed_experts, top, chosen + (mixture * machine->shape.rows + row) * top);
    }
  }
}

// What no operation writes in this step is no number, whatever the step before has left.
static void forget_logits(const decode_machine_t *machine) {
  memset(soc_look(machine->soc, decode_value(&machine->arrays, machine->graph.logits)), 0xFF,
         machine->list.wanted * machine->shape.logit_pitch);
}

static void write_part(const decode_machine_t *machine, const decode_ask_t *ask) {
  write_angles(machine, ask);
  if (machine->shape.attention == DECODE_FLASH) {
    write_rows(machine, ask);
  } else if (machine->shape.visible_bytes > 0 && ask->query > 1) {
    write_mask(machine, ask);
  }
}

static void write_inputs(const decode_machine_t *machine, const decode_ask_t *parts, size_t count,
                         const uint32_t *tokens) {
  memcpy(bytes_of(machine, DECODE_AT_LIST), machine->list.bytes, machine->list.used);
  memcpy(bytes_of(machine, DECODE_AT_TOKENS), tokens, decode_ask_rows(&machine->list.ask) * sizeof *tokens);
  if (machine->soc_options.timing_only) {
    make_up_routes(machine, &machine->list.ask);
    return;
  }
  forget_logits(machine);
  for (size_t i = 0; i < count; ++i) {
    write_part(machine, &parts[i]);
  }
}

typedef struct past {
  const decode_machine_t *machine;
  size_t places;
} past_t;

// Entries of all layers.
static bool make_past(void *context, size_t first, size_t end) {
  const past_t *p = context;
  const decode_machine_t *machine = p->machine;
  const decode_shape_t *s = &machine->shape;
  const bool fp8 = s->attention == DECODE_FP8;
  uint8_t *cache = bytes_of(machine, DECODE_AT_KV_CACHE);
  uint16_t *key = malloc(s->attends.dk * sizeof *key);
  for (size_t i = first; key != NULL && i < end; ++i) {
    for (size_t place = 0; place < p->places; ++place) {
      uint8_t *to = cache + i * s->batch_bytes + place * s->place_bytes;
      num_rng_normal_bf16(machine->options.seed, i, place * s->attends.dk, s->attends.dk, 1.0, key);
      if (fp8) {
        num_fp8_encode(machine->options.settings->fp8_scale, key, to, 1);
      } else {
        memcpy(to, key, s->place_bytes);
      }
    }
  }
  free(key);
  return key != NULL;
}

// Heads of keys, then of values, of all entries of all layers.
static bool make_past_heads(void *context, size_t first, size_t end) {
  const past_t *p = context;
  const decode_machine_t *machine = p->machine;
  const decode_shape_t *s = &machine->shape;
  const size_t of_head = s->limits.context * s->attends.dk;
  uint16_t *cache = bytes_of(machine, DECODE_AT_KV_CACHE);
  for (size_t i = first; i < end; ++i) {
    num_rng_normal_bf16(machine->options.seed, i, 0, p->places * s->attends.dk, 1.0, cache + i * of_head);
  }
  return true;
}

// The same in 8 bits.
static bool make_past_packed(void *context, size_t first, size_t end) {
  const past_t *p = context;
  const decode_machine_t *machine = p->machine;
  const size_t dk = machine->shape.attends.dk;
  uint16_t *rows = malloc((p->places * dk + 1) * sizeof *rows);
  for (size_t i = first; rows != NULL && i < end; ++i) {
    num_rng_normal_bf16(machine->options.seed, i, 0, p->places * dk, 1.0, rows);
    for (size_t place = 0; place < p->places; ++place) {
      const decode_packed_row_t row = decode_machine_packed(machine, i, place);
      num_step_pack(rows + place * dk, dk, row.type, row.codes, row.scale);
    }
  }
  free(rows);
  return rows != NULL;
}

decode_packed_row_t decode_machine_packed(const decode_machine_t *machine, size_t head, size_t place) {
  const decode_shape_t *s = &machine->shape;
  const size_t heads = 2 * s->limits.entries * s->attends.kv_heads, of_head = s->limits.context * s->attends.dk;
  uint8_t *layer = (uint8_t *)bytes_of(machine, DECODE_AT_KV_CACHE) + head / heads * s->cache_bytes;
  const size_t of_layer = head % heads;
  return (decode_packed_row_t){
      .type = machine->options.settings->cache == DECODE_CACHE_INT8 ? TYPE_S8 : TYPE_E4M3,
      .codes = layer + of_layer * of_head + place * s->attends.dk,
      .scale = (float *)(void *)(layer + heads * of_head) + of_layer * s->limits.context + place};
}

void decode_machine_make_past(decode_machine_t *machine, size_t places) {
  past_t past = {machine, places};
  const size_t count = machine->model->num_hidden_layers * machine->shape.limits.entries;
  const bool heads = machine->shape.attention == DECODE_FLASH;
  if (!machine->soc_options.timing_only && places > 0) {
    parallel_for(machine->soc_options.threads, heads ? count * 2 * machine->shape.attends.kv_heads : count,
                 !heads                  ? make_past
                 : machine->shape.packed ? make_past_packed
                                         : make_past_heads,
                 &past);
  }
}

// --- a step -----------------------------------------------------------------------------------

size_t decode_machine_slots(const decode_machine_t *machine, const step_routing_t *routing) {
  const int32_t *chosen = decode_machine_bytes(machine, routing->chosen);
  size_t slots = 0;
  for (size_t i = 0; i < (size_t)routing->tokens * routing->top; ++i) {
    slots += (uint32_t)chosen[i] - routing->first < routing->here;
  }
  return slots;
}

// Marks from `first` on are those of a launch; before it: what had been read and written until then.
static void take_marks(decode_machine_t *machine, size_t first, const soc_traffic_t *before, decode_took_t *took) {
  const config_soc_t *soc = &machine->soc_options.config.soc;
  soc_traffic_t last = *before;
  uint64_t cycle = (uint64_t)(soc->launch_us * soc->clock_mhz);  // nobody's
  for (size_t i = first; i < machine->result.mark_count; ++i) {
    const soc_mark_t *mark = &machine->result.marks[i];
    const decode_op_t *op = &machine->list.ops[mark->number];
    decode_sums_t *sums = &machine->sums[op->number];
    sums->cycles += mark->cycle - cycle;
    sums->hbm_read += mark->traffic.hbm_read - last.hbm_read;
    sums->hbm_write += mark->traffic.hbm_write - last.hbm_write;
    sums->l2_read += mark->traffic.l2_read - last.l2_read;
    const double flop = op->flop * (op->routing != NULL ? (double)decode_machine_slots(machine, op->routing) : 1.0);
    sums->flop += flop;
    sums->flop_s8 += op->op == STEP_PRODUCT_S8 ? flop : 0.0;
    took->own += mark->cycle - cycle;
    last = mark->traffic;
    cycle = mark->cycle;
  }
}

static bool launch(decode_machine_t *machine, const step_args_t *args, decode_took_t *took) {
  const size_t marks = machine->result.mark_count;
  const soc_traffic_t before = marks > 0 ? machine->result.marks[marks - 1].traffic : (soc_traffic_t){0};
  uint64_t cycles;
  if (soc_launch(machine->soc, machine->options.settings->machine.firmware, args, sizeof *args, &cycles) != SOC_DONE) {
    return false;
  }
  took->cycles += cycles;
  took->launches += 1;
  take_marks(machine, marks, &before, took);
  return true;
}

bool decode_machine_step(decode_machine_t *machine, const decode_ask_t *ask, const uint32_t *tokens,
                         decode_took_t *took) {
  return decode_machine_parts(machine, ask, 1, tokens, took);
}

bool decode_machine_parts(decode_machine_t *machine, const decode_ask_t *parts, size_t count, const uint32_t *tokens,
                          decode_took_t *took) {
  const bool ops = machine->options.settings->launch == DECODE_OPS;
  *took = (decode_took_t){0};
  decode_list_build(&machine->list, parts, count);
  write_inputs(machine, parts, count, tokens);
  const size_t launches = ops ? machine->list.count : 1;
  bool good = true;
  for (size_t i = 0; good && i < launches; ++i) {
    const step_args_t args = ops ? decode_list_one(&machine->list, i) : decode_list_all(&machine->list);
    good = launch(machine, &args, took);
  }
  return good;
}

// --- what it leaves ---------------------------------------------------------------------------

const decode_list_t *decode_machine_list(const decode_machine_t *machine) { return &machine->list; }

const float *decode_machine_logits(const decode_machine_t *machine, size_t row) {
  return decode_machine_bytes(machine,
                              decode_value(&machine->arrays, machine->graph.logits) + row * machine->shape.logit_pitch);
}

const decode_sums_t *decode_machine_sums(const decode_machine_t *machine) { return machine->sums; }

void decode_machine_forget(decode_machine_t *machine) {
  memset(machine->sums, 0, machine->list.entries_room * sizeof *machine->sums);
}

const decode_weights_list_t *decode_machine_weights(const decode_machine_t *machine) { return &machine->weights; }

double decode_machine_load_seconds(const decode_machine_t *machine) { return machine->load_seconds; }

soc_status_t decode_machine_status(const decode_machine_t *machine, base_error_t *error) {
  if (machine->result.status != SOC_DONE) {
    base_fail(error, "%s", machine->result.error[0] != '\0' ? machine->result.error : "interrupted");
  }
  return machine->result.status;
}

const soc_result_t *decode_machine_result(decode_machine_t *machine) {
  if (machine->soc != NULL && !machine->closed) {
    soc_close(machine->soc);
    machine->closed = true;
  }
  return &machine->result;
}

void decode_machine_close(decode_machine_t *machine) {
  if (machine != NULL) {
    decode_machine_result(machine);
    soc_result_free(&machine->result);
    decode_list_free(&machine->list);
    decode_arrays_free(&machine->arrays);
    decode_weights_free(&machine->weights);
    llm_graph_free(&machine->graph);
    free(machine->sums);
    free(machine->turn);
    free(machine->sinks);
    free(machine);
  }
}
