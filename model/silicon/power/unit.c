// SPDX-License-Identifier: Apache-2.0
#include "silicon/power/unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "host/interrupt.h"

enum { ELEMENT_BITS = 17, WAIT_MAX = 64 };

// A unit being driven.
typedef struct drive {
  const unit_stimulus_t *stimulus;
  simulate_t *simulate;
  const netlist_t *netlist;
  activity_t *activity;  // NULL: not counted now
  unit_work_t *work;
  base_error_t *error;
} drive_t;

// --- ports ------------------------------------------------------------------------------------

// A port that a netlist of this unit has; one it lacks belongs to another unit.
static const netlist_port_t *port(const drive_t *u, const char *name) { return netlist_port(u->netlist, name); }

static bool has_ports(const drive_t *u, const char *const *names, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (port(u, names[i]) == NULL) {
      return base_fail(u->error, "netlist: no port %s: of another unit", names[i]);
    }
  }
  return true;
}

static void set(drive_t *u, const char *name, uint64_t value) {
  const netlist_port_t *at = port(u, name);
  if (at != NULL) {
    simulate_set_bits(u->simulate, at, 0, at->bits < 64 ? at->bits : 64, value);
  }
}

static uint64_t get(const drive_t *u, const char *name) {
  const netlist_port_t *at = port(u, name);
  return at == NULL ? 0 : simulate_get_bits(u->simulate, at, 0, at->bits < 64 ? at->bits : 64);
}

static void set_numbers(drive_t *u, const char *name, const num_bf16_t *list, size_t count) {
  const netlist_port_t *at = port(u, name);
  for (size_t i = 0; i < count; ++i) {
    simulate_set_bits(u->simulate, at, 16 * i, 16, list[i]);
  }
}

static void set_elements(drive_t *u, const char *name, const num_element_t *list, size_t count) {
  const netlist_port_t *at = port(u, name);
  for (size_t i = 0; i < count; ++i) {
    simulate_set_bits(u->simulate, at, ELEMENT_BITS * i, ELEMENT_BITS, list[i]);
  }
}

static bool cycle(drive_t *u) {
  if (host_interrupted()) {
    return base_fail(u->error, "interrupted");
  }
  const bool good = simulate_cycle(u->simulate, u->activity, u->error);
  const uint64_t after = simulate_settled_after(u->simulate);
  if (u->activity != NULL && after > u->work->settled_after) {
    u->work->settled_after = after;
  }
  return good;
}

static bool compare(drive_t *u, const char *name, size_t element, size_t bits, uint64_t expected) {
  const uint64_t is = simulate_get_bits(u->simulate, port(u, name), element * ELEMENT_BITS, bits);
  u->work->outputs += 1;
  return is == expected || base_fail(u->error, "netlist: %s[%zu] is %llx, the golden model says %llx", name, element,
                                     (unsigned long long)is, (unsigned long long)expected);
}

static bool compare_triplet(drive_t *u, const num_triplet_t *triplet) {
  for (size_t i = 0; i <= u->stimulus->d; ++i) {
    if (!compare(u, "out_o_o", i, ELEMENT_BITS, triplet->o[i])) {
      return false;
    }
  }
  return compare(u, "out_m_o", 0, 16, triplet->m) && compare(u, "out_poison_o", 0, 1, triplet->poison);
}

static bool reset(drive_t *u) {
  set(u, "rst_ni", 0);
  if (!cycle(u)) {
    return false;
  }
  set(u, "rst_ni", 1);
  return cycle(u);
}

// --- the golden model -------------------------------------------------------------------------

static size_t block_rows(const unit_stimulus_t *s, const unit_query_t *query) {
  return (query->keys + s->blocks - 1) / s->blocks;
}

// The keys of a block: from *first on; the last blocks may have fewer than the others.
static size_t block_keys(const unit_stimulus_t *s, const unit_query_t *query, size_t block, size_t *first) {
  const size_t rows = block_rows(s, query);
  *first = block * rows;
  return *first >= query->keys ? 0 : query->keys - *first < rows ? query->keys - *first : rows;
}

static num_engine_t engine_of(const unit_stimulus_t *s) {
  return (num_engine_t){
      .design = s->arithmetic, .hfa = s->hfa, .d = s->d, .blocks = s->blocks, .rows = s->blocks * s->rows};
}

static void golden_fau(const unit_stimulus_t *s, const unit_query_t *query, size_t block, num_triplet_t *out) {
  size_t first;
  const size_t keys = block_keys(s, query, block, &first);
  const num_bf16_t *k = query->k + first * s->d, *v = query->v + first * s->d;
  const num_engine_t engine = engine_of(s);
  num_engine_clear(&engine, out);
  num_engine_fau(&engine, query->q, k, v, NULL, keys, out);
}

static void golden_acc(const unit_stimulus_t *s, num_triplet_t *a, const num_triplet_t *b) {
  const num_engine_t engine = engine_of(s);
  num_engine_acc(&engine, a, b);
}

// A triplet and the room for it.
static bool triplet_alloc(size_t d, num_triplet_t *triplet, base_error_t *error) {
  *triplet = (num_triplet_t){.o = calloc(d + 1, sizeof *triplet->o)};
  return triplet->o != NULL || base_fail(error, "unit: out of memory");
}

// Triplets of blocks 0 .. blocks - 1 together.
static void golden_blocks(const unit_stimulus_t *s, const unit_query_t *query, size_t blocks, num_triplet_t *sum,
                          num_triplet_t *scratch) {
  golden_fau(s, query, 0, sum);
  for (size_t b = 1; b < blocks; ++b) {
    golden_fau(s, query, b, scratch);
    golden_acc(s, sum, scratch);
  }
}

// --- FAU --------------------------------------------------------------------------------------

static size_t log2_up(size_t n) {
  size_t bits = 0;
  while ((size_t)1 << bits < n) {
    bits += 1;
  }
  return bits;
}

// The place of a stream of rows, all groups one behind the other: at row `row` of query `query`.
typedef struct place {
  size_t query, row;
} place_t;

static void advance(const unit_stimulus_t *s, place_t *place) {
  if (place->query < s->queries && ++place->row == block_rows(s, &s->query[place->query])) {
    *place = (place_t){.query = place->query + 1};
  }
}

// The row of the block at that place. NULL: the block has fewer keys, or the stream is over.
static const num_bf16_t *row_of(const unit_stimulus_t *s, const place_t *place, bool value) {
  size_t first;
  if (place->query == s->queries) {
    return NULL;
  }
  const unit_query_t *query = &s->query[place->query];
  const size_t keys = block_keys(s, query, place->query % s->blocks, &first);
  const num_bf16_t *rows = value ? query->v : query->k;
  return place->row < keys ? rows + (first + place->row) * s->d : NULL;
}

static void present_key(drive_t *u, const place_t *at) {
  const unit_stimulus_t *s = u->stimulus;
  const bool there = at->query < s->queries;
  const num_bf16_t *k = row_of(s, at, false);
  if (there && at->row == 0) {
    set_numbers(u, "q_i", s->query[at->query].q, s->d);
  }
  if (k != NULL) {
    set_numbers(u, "k_i", k, s->d);
  }
  set(u, "key_i", k != NULL);
  set(u, "first_i", there && at->row == 0);
  set(u, "last_i", there && at->row + 1 == block_rows(s, &s->query[at->query]));
  set(u, "final_i", there);
}

static bool check_fau(drive_t *u, num_triplet_t *golden, size_t *checked) {
  if (get(u, "out_valid_o") == 0) {
    return true;
  }
  const unit_stimulus_t *s = u->stimulus;
  if (*checked == s->queries) {
    return base_fail(u->error, "netlist: an FAU puts out more triplets than there are queries");
  }
  golden_fau(s, &s->query[*checked], *checked % s->blocks, golden);
  *checked += 1;
  return compare_triplet(u, golden);
}

// Counts from the second group's first key to the last group's last.
static bool run_fau(drive_t *u, activity_t *activity, num_triplet_t *golden) {
  const unit_stimulus_t *s = u->stimulus;
  const size_t value_after = 9 + log2_up(s->d);
  place_t key = {0}, value = {0};
  size_t checked = 0, idle = 0;
  set(u, "en_i", 1);
  set(u, "out_ready_i", 1);
  for (size_t t = 0; idle < WAIT_MAX; ++t) {
    present_key(u, &key);
    const num_bf16_t *v = t < value_after ? NULL : row_of(s, &value, true);
    if (v != NULL) {
      set_numbers(u, "v_i", v, s->d);
    }
    u->activity = key.query > 0 && key.query < s->queries ? activity : NULL;
    u->work->operations += u->activity != NULL;
    if (!cycle(u) || !check_fau(u, golden, &checked)) {
      return false;
    }
    idle += key.query == s->queries;
    advance(s, &key);
    if (t >= value_after) {
      advance(s, &value);
    }
  }
  return checked == s->queries ||
         base_fail(u->error, "netlist: an FAU puts out %zu triplets of %zu", checked, s->queries);
}

// --- ACC, divider -----------------------------------------------------------------------------

// Waits for the result, its operands taken in the last cycle before.
static bool await(drive_t *u, const char *taken, const char *const *valid, size_t valids) {
  for (size_t t = 0; t < WAIT_MAX; ++t) {
    if (!cycle(u)) {
      return false;
    }
    if (get(u, taken) != 0) {
      for (size_t i = 0; i < valids; ++i) {
        set(u, valid[i], 0);
      }
      return cycle(u) && (get(u, "out_valid_o") != 0 || base_fail(u->error, "netlist: operands taken, but no result"));
    }
  }
  return base_fail(u->error, "netlist: operands are not taken");
}

static void present_triplet(drive_t *u, const char *side, const num_triplet_t *triplet) {
  char name[32];
  const char *const ends[] = {"m_i", "poison_i", "valid_i"};
  const uint64_t values[] = {triplet->m, triplet->poison, 1};
  for (size_t i = 0; i < 3; ++i) {
    snprintf(name, sizeof name, "%s_%s", side, ends[i]);
    set(u, name, values[i]);
  }
  snprintf(name, sizeof name, "%s_o_i", side);
  set_elements(u, name, triplet->o, u->stimulus->d + 1);
}

// One merge of the ACC of block b: the FAU's triplet is there first, the chain's later.
static bool merge(drive_t *u, size_t query, size_t b, num_triplet_t *a, num_triplet_t *own) {
  static const char *const valid[] = {"a_valid_i", "b_valid_i"};
  const unit_stimulus_t *s = u->stimulus;
  golden_blocks(s, &s->query[query], b, a, own);
  golden_fau(s, &s->query[query], b, own);
  present_triplet(u, "b", own);
  for (size_t t = 0; t < 3 * (b - 1); ++t) {
    if (!cycle(u)) {
      return false;
    }
  }
  present_triplet(u, "a", a);
  golden_acc(s, a, own);
  return await(u, "a_ready_o", valid, 2) && compare_triplet(u, a);
}

static bool compare_result(drive_t *u, const num_triplet_t *sum, num_bf16_t *out) {
  const size_t d = u->stimulus->d;
  const num_engine_t engine = engine_of(u->stimulus);
  num_engine_divide(&engine, sum, out);
  for (size_t i = 0; i < d; ++i) {
    if (!compare(u, "out_o_o", i + 1, ELEMENT_BITS, out[i])) {
      return false;
    }
  }
  return true;
}

static bool divide(drive_t *u, size_t query, num_triplet_t *sum, num_triplet_t *scratch, num_bf16_t *out) {
  static const char *const valid[] = {"in_valid_i"};
  const unit_stimulus_t *s = u->stimulus;
  golden_blocks(s, &s->query[query], s->blocks, sum, scratch);
  present_triplet(u, "in", sum);
  return await(u, "in_ready_o", valid, 1) && compare_result(u, sum, out);
}

static bool run_streams(drive_t *u, unit_kind_t kind, size_t block, activity_t *activity, num_triplet_t room[2],
                        num_bf16_t *out) {
  set(u, "out_ready_i", 1);
  set(u, kind == UNIT_ACC ? "a_final_i" : "in_final_i", 1);
  u->activity = NULL;
  for (size_t i = 0; i < u->stimulus->queries; ++i) {
    const bool good = kind == UNIT_ACC ? merge(u, i, block, &room[0], &room[1]) : divide(u, i, &room[0], &room[1], out);
    if (!good) {
      return false;
    }
    u->work->operations += u->activity != NULL;
    u->activity = activity;
  }
  return true;
}

// --- control ----------------------------------------------------------------------------------

static bool run_control(drive_t *u, activity_t *activity) {
  const unit_stimulus_t *s = u->stimulus;
  set(u, "en_i", 1);
  set(u, "q_valid_i", 1);
  set(u, "q_rows_i", s->rows);
  set(u, "q_stride_i", s->rows);
  set(u, "q_limit_i", s->rows * s->blocks);
  set(u, "q_final_i", 1);
  for (size_t t = 0; t < 3 * s->rows; ++t) {
    u->activity = t < s->rows ? NULL : activity;
    u->work->operations += u->activity != NULL;
    const bool start = t % s->rows == 0;
    const uint64_t keys = t == 0 ? 0 : ((uint64_t)1 << s->blocks) - 1;
    if (!cycle(u) || !compare(u, "row_addr_o", 0, log2_up(s->rows), t % s->rows) ||
        !compare(u, "accept_o", 0, 1, start) || !compare(u, "beat_key_o", 0, s->blocks, keys)) {
      return false;
    }
  }
  return true;
}

static bool run_address(drive_t *u, activity_t *activity) {
  const unit_stimulus_t *s = u->stimulus;
  const size_t depth = 9 + log2_up(s->d);
  const netlist_port_t *data = port(u, "data_i");
  const uint64_t read = (uint64_t)1 << (data->bits - 1);
  set(u, "en_i", 1);
  for (size_t t = 0; t < 3 * s->rows; ++t) {
    u->activity = t < s->rows ? NULL : activity;
    u->work->operations += u->activity != NULL;
    set(u, "data_i", read | t % s->rows);
    if (!cycle(u) || (t >= depth && !compare(u, "data_o", 0, data->bits, read | (t - depth) % s->rows))) {
      return false;
    }
  }
  return true;
}

// --- all --------------------------------------------------------------------------------------

static bool check_ports(const drive_t *u, unit_kind_t kind) {
  static const char *const fau[] = {"q_i", "k_i", "v_i", "out_o_o", "out_m_o", "out_poison_o"};
  static const char *const acc[] = {"a_o_i", "b_o_i", "out_o_o", "out_m_o", "out_poison_o"};
  static const char *const divider[] = {"in_o_i", "out_o_o"};
  static const char *const control[] = {"row_addr_o", "accept_o", "beat_key_o"};
  static const char *const address[] = {"data_i", "data_o"};
  switch (kind) {
    case UNIT_FAU:
      return has_ports(u, fau, 6);
    case UNIT_ACC:
      return has_ports(u, acc, 5);
    case UNIT_DIVIDER:
      return has_ports(u, divider, 2);
    case UNIT_CONTROL:
      return has_ports(u, control, 3);
    default:
      return has_ports(u, address, 2);
  }
}

static bool run_unit(drive_t *u, unit_kind_t kind, size_t block, activity_t *activity) {
  const size_t d = u->stimulus->d;
  num_triplet_t room[2] = {{.o = NULL}, {.o = NULL}};
  num_bf16_t *out = malloc(d * sizeof *out);
  bool good = (out != NULL || base_fail(u->error, "unit: out of memory")) && triplet_alloc(d, &room[0], u->error) &&
              triplet_alloc(d, &room[1], u->error) && reset(u);
  if (good) {
    switch (kind) {
      case UNIT_FAU:
        good = run_fau(u, activity, &room[0]);
        break;
      case UNIT_CONTROL:
        good = run_control(u, activity);
        break;
      case UNIT_ADDRESS:
        good = run_address(u, activity);
        break;
      default:
        good = run_streams(u, kind, block, activity, room, out);
        break;
    }
  }
  free(room[0].o);
  free(room[1].o);
  free(out);
  return good;
}

bool unit_simulate(const graph_t *graph, unit_kind_t kind, const unit_stimulus_t *stimulus, simulate_delay_t delay,
                   activity_t *activity, unit_work_t *work, base_error_t *error) {
  *work = (unit_work_t){.operations = 0};
  const size_t first = kind == UNIT_ACC ? 1 : 0;
  const size_t end = kind == UNIT_ACC ? stimulus->blocks : 1;
  for (size_t block = first; block < end; ++block) {
    drive_t u = {.stimulus = stimulus, .netlist = graph->netlist, .work = work, .error = error};
    if (!check_ports(&u, kind)) {
      return false;
    }
    u.simulate = simulate_open(graph, delay, error);
    if (u.simulate == NULL) {
      return false;
    }
    bool good = run_unit(&u, kind, block, activity);
    if (good && !simulate_check(u.simulate)) {
      good = base_fail(error, "simulation: the events left a gate with another value than its own");
    }
    simulate_close(u.simulate);
    if (!good) {
      return false;
    }
  }
  return true;
}
