// Operations of the kernel step on vector cores, alone and in lists, against their contracts, bit for bit, in all of
// memory: between arrays and behind their ends there are NaNs, which must stay.
//   step_vector FIRMWARE AI_CORES [SEED [LISTS]]
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "hal/command.h"
#include "kernels/step/step_args.h"
#include "num/num_rng.h"
#include "num/golden/num_step.h"
#include "soc/soc.h"

enum { LIST, INPUTS, CHOSEN, ARENA, BUFFERS };
enum {
  OPS_MAX = 12,
  VOCAB = 50,
  LIST_BYTES = 64 << 10,
  INPUT_BYTES = 2 << 20,
  CHOSEN_BYTES = 1 << 20,
  ARENA_BYTES = 48 << 20
};
enum { ENTRIES_AT = 0, ARGS_AT = 1024, ARGS_STEP = 512 };

typedef union any_args {
#define STEP_OP(NAME, name, cores, text) step_##name##_args_t name;
#include "kernels/step/step_ops.def"
#undef STEP_OP
} any_args_t;
_Static_assert(sizeof(step_rope_args_t) <= ARGS_STEP, "arguments");

typedef struct bench {
  soc_t *soc;
  soc_buffer_t buffer[BUFFERS];
  uint8_t *image[BUFFERS];  // what memory should hold
  uint64_t used[BUFFERS];
  num_rng_t rng;
  step_entry_t entry[OPS_MAX];
  any_args_t args[OPS_MAX];
  uint32_t count;
} bench_t;

static void stop(const char *text) {
  printf("%s\n", text);
  exit(1);
}

static uint32_t below(bench_t *b, uint32_t limit) { return (uint32_t)(num_rng_u64(&b->rng) % limit); }
static uint32_t from_to(bench_t *b, uint32_t low, uint32_t high) { return low + below(b, high - low + 1); }
static bool chance(bench_t *b, uint32_t of) { return below(b, of) == 0; }

// The image's bytes of an address; NULL for 0.
static void *at(const bench_t *b, uint64_t address) {
  for (int i = 0; i < BUFFERS; ++i) {
    if (address >= b->buffer[i].address && address < b->buffer[i].address + b->buffer[i].bytes) {
      return b->image[i] + (address - b->buffer[i].address);
    }
  }
  return NULL;
}

// An array of its own, with some bytes to the next one.
static uint64_t take(bench_t *b, int buffer, uint64_t bytes) {
  const uint64_t offset = b->used[buffer];
  b->used[buffer] = (offset + bytes + 63) / 64 * 64 + 64 * below(b, 3);
  if (b->used[buffer] > b->buffer[buffer].bytes) {
    stop("arrays are too large for the test");
  }
  return b->buffer[buffer].address + offset;
}

// --- inputs -----------------------------------------------------------------------------------

static float number(bench_t *b, double scale, bool special) {
  static const float odd[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1e-40f, 3e38f, -65504.0f};
  return special && chance(b, 40) ? odd[below(b, 8)] : (float)(num_rng_normal(&b->rng) * scale);
}

static void fill_row(bench_t *b, uint32_t type, void *row, uint32_t cols, double scale, bool special) {
  for (uint32_t i = 0; i < cols; ++i) {
    const float x = number(b, scale, special);
    if (type == TYPE_F32) {
      ((float *)row)[i] = x;
    } else {
      ((uint16_t *)row)[i] = type == TYPE_F16 ? num_fp16_from_f32(x) : num_bf16_from_f32(x);
    }
  }
}

static uint64_t matrix(bench_t *b, uint32_t type, uint32_t rows, uint32_t cols, uint32_t pitch, double scale,
                       bool special) {
  const uint64_t address = take(b, ARENA, (uint64_t)rows * pitch);
  for (uint32_t r = 0; r < rows; ++r) {
    fill_row(b, type, (uint8_t *)at(b, address) + (size_t)r * pitch, cols, scale, special);
  }
  return address;
}

static uint32_t pitch_of(bench_t *b, uint32_t bytes) { return (bytes + 31) / 32 * 32 + 32 * below(b, 3); }

// 1 row, some, or more than the machine has cores; few of long ones.
static uint32_t rows_of(bench_t *b, uint32_t cols) {
  const uint32_t most = cols > 4000 ? 9 : cols > 700 ? 100 : 300;
  return chance(b, 4) ? 1 : from_to(b, 1, chance(b, 2) ? 9 : most);
}

static uint32_t cols_of(bench_t *b, uint32_t most) {
  static const uint32_t ends[] = {1, 1, 1, 63, 64, 65, 512, 2047, 2048, 2049, 8191, 8192, 8193, 16384};
  const uint32_t cols = chance(b, 3) ? ends[below(b, 14)] : from_to(b, 1, chance(b, 4) ? most : 600);
  return cols < most ? cols : most;
}

// Chosen experts, all of a token different, from all or from few of them.
static step_routing_t routing(bench_t *b, uint32_t tokens) {
  const uint32_t experts = from_to(b, 2, 70), some = chance(b, 3) ? from_to(b, 1, experts) : experts;
  step_routing_t r = {.tokens = tokens, .top = from_to(b, 1, some < 9 ? some : 9), .first = 0, .here = experts};
  r.chosen = take(b, CHOSEN, 4ull * tokens * r.top);
  int32_t *chosen = at(b, r.chosen);
  for (uint32_t i = 0; i < tokens * r.top; ++i) {
    bool again = true;
    while (again) {
      chosen[i] = (int32_t)below(b, some);
      again = false;
      for (uint32_t j = i / r.top * r.top; j < i; ++j) {
        again = again || chosen[j] == chosen[i];
      }
    }
  }
  if (chance(b, 2)) {  // a part of them is here
    r.first = below(b, experts);
    r.here = from_to(b, 1, experts - r.first);
  }
  if (chance(b, 5)) {
    chosen[below(b, tokens * r.top)] = INT32_MAX;
  }
  return r;
}

static uint32_t slots_of(bench_t *b, const step_routing_t *r, int32_t *slot) {
  size_t begin[STEP_MAX_EXPERTS + 1];
  num_step_route(&(num_step_routing_t){at(b, r->chosen), r->tokens, r->top, r->first, r->here}, slot, begin);
  return (uint32_t)begin[r->here];
}

static uint32_t f32_bits(float x) { return num_f32_bits(x); }

// --- operations -------------------------------------------------------------------------------

static step_embed_args_t embed(bench_t *b) {
  const uint32_t cols = cols_of(b, 16384), rows = rows_of(b, cols);
  step_embed_args_t a = {.rows = rows,
                         .cols = cols,
                         .table_pitch = pitch_of(b, 2 * cols),
                         .type = from_to(b, TYPE_BF16, TYPE_F16),
                         .scale = f32_bits(chance(b, 2) ? 1.0f : 11.3125f)};
  const uint32_t vocab = cols > 4000 ? 7 : VOCAB;
  a.tokens = take(b, INPUTS, 4ull * rows);
  a.table = take(b, INPUTS, (uint64_t)vocab * a.table_pitch);
  a.x = take(b, ARENA, 4ull * rows * cols);
  for (uint32_t i = 0; i < rows; ++i) {
    ((int32_t *)at(b, a.tokens))[i] = (int32_t)below(b, vocab);
  }
  for (uint32_t i = 0; i < vocab; ++i) {
    fill_row(b, a.type, (uint8_t *)at(b, a.table) + (size_t)i * a.table_pitch, cols, 1, true);
  }
  return a;
}

static step_norm_args_t norm(bench_t *b) {
  const uint32_t cols = cols_of(b, 16384), rows = rows_of(b, cols);
  const bool in_place = chance(b, 3);
  step_norm_args_t a = {.rows = rows,
                        .cols = cols,
                        .x_pitch = in_place || chance(b, 2) ? 4 * cols : pitch_of(b, 4 * cols),
                        .type = from_to(b, TYPE_F32, TYPE_F16),
                        .eps = f32_bits(1e-6f)};
  const bool special = chance(b, 6);
  a.y_pitch = pitch_of(b, cols * (a.type == TYPE_F32 ? 4 : 2));
  a.x = matrix(b, TYPE_F32, rows, cols, a.x_pitch, 2, special);
  a.delta = chance(b, 2) ? matrix(b, TYPE_F32, rows, cols, 4 * cols, 2, special) : 0;
  a.weight = a.type != TYPE_F32 && chance(b, 5) ? 0 : matrix(b, TYPE_F32, 1, cols, 4 * cols, 1, false);
  a.out = in_place ? a.x : chance(b, 2) ? take(b, ARENA, 4ull * rows * cols) : 0;
  a.y = take(b, ARENA, (uint64_t)rows * a.y_pitch);
  return a;
}

static uint64_t angles(bench_t *b, uint32_t tokens, uint32_t rope, uint32_t position, bool halves) {
  const uint64_t address = take(b, ARENA, 8ull * tokens * rope);
  double turn[256];
  for (uint32_t i = 0; i < rope / 2; ++i) {
    turn[i] = pow(10000.0, -2.0 * i / rope);
  }
  for (uint32_t t = 0; t < tokens; ++t) {
    (halves ? num_step_angles_by_halves : num_step_angles)(position + t, rope, turn, 1.0,
                                                           (float *)at(b, address) + (size_t)t * 2 * rope);
  }
  return address;
}

static step_rope_args_t rope(bench_t *b) {
  step_rope_args_t a = {.heads = chance(b, 4) ? 128 : from_to(b, 1, 20),
                        .rope = chance(b, 2) ? 64 : 16 * from_to(b, 1, 9)};
  a.tokens = chance(b, 3) ? 1 : from_to(b, 1, a.heads > 20 ? 12 : 70);
  a.q_head = pitch_of(b, 2 * a.rope);
  a.out_head = pitch_of(b, 2 * a.rope);
  a.q_pitch = a.heads * a.q_head + (chance(b, 2) ? 64 : 0);
  a.out_pitch = a.heads * a.out_head + (chance(b, 3) ? 32 : 0);
  a.q = take(b, ARENA, (uint64_t)a.tokens * a.q_pitch);
  for (uint32_t i = 0; i < a.tokens * a.heads; ++i) {
    fill_row(b, TYPE_F16, (uint8_t *)at(b, a.q) + i / a.heads * a.q_pitch + i % a.heads * a.q_head, a.rope, 3, false);
  }
  a.angles = angles(b, a.tokens, a.rope, below(b, 5000), false);
  a.out = take(b, ARENA, (uint64_t)a.tokens * a.out_pitch);
  return a;
}

static step_cache_args_t cache(bench_t *b) {
  step_cache_args_t a = {.tokens = rows_of(b, 576), .kind = below(b, 3), .past = below(b, 5), .eps = f32_bits(1e-6f)};
  const bool fp8 = a.kind != STEP_CACHE_BF16;
  a.latent = fp8 || chance(b, 2) ? 512 : 16 * from_to(b, 1, 50);
  a.rope = fp8 || chance(b, 2) ? 64 : 16 * from_to(b, 1, 13);
  a.tokens_of_entry = chance(b, 2) ? 1 : from_to(b, 1, a.tokens);
  const uint32_t entries = (a.tokens + a.tokens_of_entry - 1) / a.tokens_of_entry;
  a.kv_pitch = pitch_of(b, 4 * (a.latent + a.rope));
  a.place_bytes = (fp8 ? FP8_TOKEN_BYTES : 2 * (a.latent + a.rope)) + (chance(b, 2) ? 0 : 32);
  a.batch_bytes = (uint64_t)(a.past + a.tokens_of_entry + below(b, 3)) * a.place_bytes;
  a.kv = matrix(b, TYPE_F32, a.tokens, a.latent + a.rope, a.kv_pitch, chance(b, 3) ? 1e-3 : 3, chance(b, 5));
  a.weight = matrix(b, TYPE_F32, 1, a.latent, 4 * a.latent, chance(b, 4) ? 1e-7 : 1, false);
  if (chance(b, 3)) {  // whole groups of zeros
    memset(at(b, a.weight), 0, 4 * (size_t)(a.latent < 256 ? a.latent : 256));
  }
  a.angles = angles(b, a.tokens, a.rope, 100, false);
  a.cache = take(b, ARENA, entries * a.batch_bytes);
  return a;
}

static step_swiglu_args_t swiglu(bench_t *b) {
  const uint32_t cols = 16 * (chance(b, 4) ? from_to(b, 200, 700) : from_to(b, 1, 60));
  step_swiglu_args_t a = {.rows = rows_of(b, cols), .cols = cols};
  uint32_t rows = a.rows;
  if (chance(b, 2)) {
    int32_t *slot = malloc(4 * 10 * (size_t)rows);
    if (slot == NULL) {
      stop("out of memory");
    }
    a.routing = routing(b, rows);
    rows = slots_of(b, &a.routing, slot);
    free(slot);
  }
  a.in_pitch = pitch_of(b, 4 * cols);
  a.out_pitch = pitch_of(b, 2 * cols);
  a.type = from_to(b, TYPE_BF16, TYPE_F16);
  a.gating = from_to(b, STEP_SILU, STEP_LIMITED);
  a.limit = f32_bits(3.0f);
  a.in = matrix(b, a.type, rows, 2 * cols, a.in_pitch, 4, chance(b, 4));
  a.out = take(b, ARENA, (uint64_t)rows * a.out_pitch);
  return a;
}

static step_gate_args_t gate(bench_t *b) {
  step_gate_args_t a = {.experts = chance(b, 3) ? 1u << from_to(b, 0, 9) : from_to(b, 1, 512),
                        .scoring = below(b, 2),
                        .normalise = below(b, 2),
                        .scale = f32_bits(chance(b, 2) ? 1.0f : 2.5f)};
  a.tokens = chance(b, 4) ? from_to(b, 600, 1200) : rows_of(b, a.experts);  // more tiles than a queue takes
  a.top = from_to(b, 1, a.experts < 9 ? a.experts : chance(b, 5) ? (a.experts < 16 ? a.experts : 16) : 8);
  do {
    a.groups = from_to(b, 1, a.experts < STEP_MAX_GROUPS ? a.experts : STEP_MAX_GROUPS);
  } while (a.experts % a.groups != 0);
  a.kept = from_to(b, 1, a.groups);
  if (a.top > a.kept * (a.experts / a.groups)) {
    a.kept = a.groups;
  }
  a.logits_pitch = pitch_of(b, 4 * a.experts);
  a.logits = matrix(b, TYPE_F32, a.tokens, a.experts, a.logits_pitch, 2, chance(b, 6));
  a.bias = chance(b, 2) ? matrix(b, TYPE_F32, 1, a.experts, 4 * a.experts, 0.3, false) : 0;
  const bool ties = chance(b, 3);
  for (uint32_t i = 0; ties && i < a.tokens * a.experts; ++i) {
    float *x = (float *)at(b, a.logits) + i / a.experts * (a.logits_pitch / 4) + i % a.experts;
    *x = rintf(*x);
  }
  for (uint32_t i = 0; ties && a.bias != 0 && i < a.experts; ++i) {
    float *x = (float *)at(b, a.bias) + i;
    *x = rintf(*x);
  }
  for (uint32_t t = 0; a.scoring == STEP_SIGMOID && t < a.tokens; ++t) {  // all scores underflow, and their sum is 0
    float *row = (float *)at(b, a.logits) + t * (a.logits_pitch / 4);
    const bool small = chance(b, 8);
    for (uint32_t e = 0; small && e < a.experts; ++e) {
      row[e] = -200.0f;
    }
  }
  a.chosen = take(b, CHOSEN, 4ull * a.tokens * a.top);
  a.weights = take(b, ARENA, 4ull * a.tokens * a.top);
  return a;
}

static step_gather_args_t gather(bench_t *b) {
  const uint32_t cols = cols_of(b, 16384), tokens = rows_of(b, cols * 2);
  step_gather_args_t a = {.cols = cols, .pitch = pitch_of(b, 2 * cols), .routing = routing(b, tokens)};
  a.x = matrix(b, TYPE_F16, tokens, cols, a.pitch, 1, true);
  a.out = take(b, ARENA, (uint64_t)tokens * a.routing.top * a.pitch);
  return a;
}

static step_combine_args_t combine(bench_t *b) {
  const uint32_t cols = cols_of(b, 8192), tokens = rows_of(b, cols * 4);
  step_combine_args_t a = {.cols = cols, .routing = routing(b, tokens)};
  a.y = matrix(b, TYPE_F32, tokens * a.routing.top, cols, 4 * cols, 1, chance(b, 6));
  a.weights = matrix(b, TYPE_F32, tokens, a.routing.top, 4 * a.routing.top, 1, false);
  a.shared = chance(b, 2) ? matrix(b, TYPE_F32, tokens, cols, 4 * cols, 1, false) : 0;
  a.out = take(b, ARENA, 4ull * tokens * cols);
  return a;
}

static step_argmax_args_t argmax(bench_t *b) {
  const uint32_t cols = chance(b, 4) ? from_to(b, 8000, 40000) : cols_of(b, 20000), rows = rows_of(b, cols);
  step_argmax_args_t a = {.rows = rows, .cols = cols, .pitch = pitch_of(b, 4 * cols)};
  a.x = matrix(b, TYPE_F32, rows, cols, a.pitch, chance(b, 2) ? 2 : 100, chance(b, 3));
  for (uint32_t i = 0; chance(b, 2) && i < rows; ++i) {
    float *row = (float *)at(b, a.x) + (size_t)i * a.pitch / sizeof(float);
    const uint32_t ties = from_to(b, 1, 4);
    for (uint32_t j = 0; j < ties; ++j) {
      row[below(b, cols)] = 1e9f;
    }
  }
  a.out = take(b, ARENA, 4ull * rows);
  return a;
}

// Heads side by side by tokens, or tokens by heads, of each entry.
static step_heads_place_t heads_place(bench_t *b, const step_heads_args_t *a, uint32_t element, bool fill) {
  const uint32_t tokens = a->tokens_of_entry, entries = a->tokens / tokens, row = pitch_of(b, element * a->dim);
  const bool by_head = chance(b, 2);
  const uint64_t token = by_head ? row : (uint64_t)row * a->heads, head = by_head ? (uint64_t)row * tokens : row;
  const step_heads_place_t place = {take(b, ARENA, (uint64_t)row * a->heads * a->tokens),
                                    (uint64_t)row * a->heads * tokens, token, head};
  for (uint32_t i = 0; fill && i < a->heads * tokens * entries; ++i) {
    fill_row(b, TYPE_F32, at(b, place.at + (uint64_t)i * row), a->dim, 2, chance(b, 6));
  }
  return place;
}

static step_heads_args_t heads(bench_t *b) {
  step_heads_args_t a = {.heads = chance(b, 4) ? 64 : from_to(b, 1, 20),
                         .dim = 16 * from_to(b, 1, chance(b, 3) ? 32 : 8),
                         .tokens_of_entry = chance(b, 2) ? 1 : from_to(b, 1, 12),
                         .type = from_to(b, TYPE_BF16, TYPE_F16),
                         .eps = f32_bits(1e-5f)};
  a.tokens = a.tokens_of_entry * from_to(b, 1, 4);
  a.rope = chance(b, 3) ? 0 : 16 * from_to(b, 1, a.dim / 16);
  a.in = heads_place(b, &a, 4, true);
  a.out = heads_place(b, &a, 2, false);
  a.weight = chance(b, 2) ? matrix(b, TYPE_F32, 1, a.dim, 4 * a.dim, 1, false) : 0;
  a.angles = a.rope == 0 ? 0 : angles(b, a.tokens, a.rope, below(b, 5000), true);
  return a;
}

// A routing of so many tokens, or none; how many rows that makes.
static uint32_t rows_routed(bench_t *b, uint32_t tokens, step_routing_t *r) {
  if (chance(b, 2)) {
    return tokens;
  }
  *r = routing(b, tokens);
  int32_t *slot = malloc(4 * (size_t)tokens * r->top + 4);
  if (slot == NULL) {
    stop("out of memory");
  }
  const uint32_t slots = slots_of(b, r, slot);
  free(slot);
  return slots;
}

static step_quantise_args_t quantise(bench_t *b) {
  static const uint32_t ends[] = {32, 8160, 8192, 8224, 16384, 20480};
  const uint32_t cols = chance(b, 3) ? ends[below(b, 6)] : 32 * from_to(b, 1, 40);
  step_quantise_args_t a = {.rows = rows_of(b, cols * 2), .cols = cols, .type = from_to(b, TYPE_BF16, TYPE_F16)};
  const uint32_t rows = rows_routed(b, a.rows, &a.routing);
  a.x_pitch = pitch_of(b, 2 * cols);
  a.x = matrix(b, a.type, rows, cols, a.x_pitch, chance(b, 3) ? 1e-3 : 4, false);
  if (rows > 0) {  // one of zeros, one with all that is not finite
    memset((uint8_t *)at(b, a.x) + (size_t)below(b, rows) * a.x_pitch, 0, 2 * (size_t)cols);
    fill_row(b, a.type, (uint8_t *)at(b, a.x) + (size_t)below(b, rows) * a.x_pitch, cols, 4, true);
  }
  if (chance(b, 2)) {
    a.factors = matrix(b, TYPE_F32, 1, cols, 4 * cols, 1, false);
  }
  a.out = take(b, ARENA, (uint64_t)rows * cols);
  a.scale = take(b, ARENA, 4ull * rows);
  return a;
}

static step_dequantise_args_t dequantise(bench_t *b) {
  const uint32_t cols = 16 * (chance(b, 4) ? from_to(b, 100, 300) : from_to(b, 1, 60));
  step_dequantise_args_t a = {.rows = rows_of(b, cols * 2), .cols = cols, .c_type = from_to(b, TYPE_F32, TYPE_F16)};
  const uint32_t rows = rows_routed(b, a.rows, &a.routing);
  a.group_bytes = 4ull * cols + 64 * below(b, 2);
  const uint32_t groups = a.routing.chosen == 0 ? 1 : a.routing.here;
  a.sums_pitch = pitch_of(b, 4 * cols);
  a.c_pitch = pitch_of(b, cols * (a.c_type == TYPE_F32 ? 4 : 2));
  a.sums = take(b, ARENA, (uint64_t)rows * a.sums_pitch);
  for (uint32_t i = 0; i < rows * cols; ++i) {
    const uint32_t sum = (uint32_t)num_rng_u64(&b->rng) >> below(b, 32);
    memcpy((uint8_t *)at(b, a.sums) + (size_t)(i / cols) * a.sums_pitch + (size_t)(i % cols) * 4, &sum, 4);
  }
  a.scale = matrix(b, TYPE_F32, 1, rows, 4 * rows, 1e-4, false);
  a.columns = matrix(b, TYPE_F32, groups, (uint32_t)a.group_bytes / 4, (uint32_t)a.group_bytes, 1e-2, false);
  a.bias =
      chance(b, 2) ? matrix(b, TYPE_F32, groups, (uint32_t)a.group_bytes / 4, (uint32_t)a.group_bytes, 1, false) : 0;
  a.c = take(b, ARENA, (uint64_t)rows * a.c_pitch);
  return a;
}

static step_pack_args_t pack(bench_t *b) {
  step_pack_args_t a = {.groups = from_to(b, 1, 2),
                        .run = chance(b, 2) ? 1 : from_to(b, 1, 90),
                        .cols = 32 * from_to(b, 1, 8),
                        .type = chance(b, 2) ? TYPE_S8 : TYPE_E4M3};
  a.rows = a.run * from_to(b, 1, 12);
  const uint32_t all = a.groups * a.rows, bytes = 2 * a.cols;
  a.x = matrix(b, TYPE_BF16, all, a.cols, bytes, chance(b, 3) ? 1e-3 : 4, false);
  a.x_group = (uint64_t)a.rows * bytes;
  memset((uint8_t *)at(b, a.x) + (size_t)below(b, all) * bytes, 0, bytes);
  if (a.type == TYPE_S8) {  // of a NaN in E4M3 the sign is nobody's contract
    fill_row(b, TYPE_BF16, (uint8_t *)at(b, a.x) + (size_t)below(b, all) * bytes, a.cols, 4, true);
  }
  const uint32_t places = a.run + below(b, 40), first = below(b, places - a.run + 1);
  a.out_run = (uint64_t)places * a.cols;
  a.scale_run = 4ull * places;
  a.out_group = a.rows / a.run * a.out_run;
  a.scale_group = a.rows / a.run * a.scale_run;
  a.out = take(b, ARENA, a.groups * a.out_group) + first * a.cols;
  a.scale = take(b, ARENA, a.groups * a.scale_group) + 4ull * first;
  return a;
}

static step_unpack_args_t unpack(bench_t *b) {
  step_unpack_args_t a = {.groups = from_to(b, 1, 2),
                          .runs = from_to(b, 1, 6),
                          .run = chance(b, 3) ? from_to(b, 100, 400) : from_to(b, 1, 40),
                          .cols = 32 * from_to(b, 1, 8),
                          .type = chance(b, 2) ? TYPE_S8 : TYPE_E4M3};
  const uint32_t places = a.run + below(b, 40), first = below(b, places - a.run + 1), all = a.groups * a.runs * places;
  a.x_run = (uint64_t)places * a.cols;
  a.scale_run = 4ull * places;
  a.out_run = 2 * a.x_run;
  a.x_group = a.runs * a.x_run;
  a.scale_group = a.runs * a.scale_run;
  a.out_group = a.runs * a.out_run;
  a.x = take(b, ARENA, a.groups * a.x_group);
  for (uint32_t i = 0; i < all * a.cols; ++i) {
    ((uint8_t *)at(b, a.x))[i] = (uint8_t)num_rng_u64(&b->rng);
  }
  a.x += first * a.cols;
  a.scale = matrix(b, TYPE_F32, 1, all, 4 * all, 1e-2, false) + 4ull * first;
  a.out = take(b, ARENA, a.groups * a.out_group) + 2ull * first * a.cols;
  return a;
}

static const uint32_t vector_ops[] = {STEP_EMBED,    STEP_NORM,       STEP_ROPE,    STEP_CACHE,  STEP_SWIGLU,
                                      STEP_GATE,     STEP_GATHER,     STEP_COMBINE, STEP_ARGMAX, STEP_HEADS,
                                      STEP_QUANTISE, STEP_DEQUANTISE, STEP_PACK,    STEP_UNPACK};
enum { VECTOR_OPS = sizeof vector_ops / sizeof *vector_ops };

static void add(bench_t *b, uint32_t op) {
  any_args_t *a = &b->args[b->count];
  switch (op) {
    case STEP_EMBED:
      a->embed = embed(b);
      break;
    case STEP_NORM:
      a->norm = norm(b);
      break;
    case STEP_ROPE:
      a->rope = rope(b);
      break;
    case STEP_HEADS:
      a->heads = heads(b);
      break;
    case STEP_CACHE:
      a->cache = cache(b);
      break;
    case STEP_SWIGLU:
      a->swiglu = swiglu(b);
      break;
    case STEP_GATE:
      a->gate = gate(b);
      break;
    case STEP_GATHER:
      a->gather = gather(b);
      break;
    case STEP_COMBINE:
      a->combine = combine(b);
      break;
    case STEP_QUANTISE:
      a->quantise = quantise(b);
      break;
    case STEP_DEQUANTISE:
      a->dequantise = dequantise(b);
      break;
    case STEP_PACK:
      a->pack = pack(b);
      break;
    case STEP_UNPACK:
      a->unpack = unpack(b);
      break;
    default:
      a->argmax = argmax(b);
  }
  b->entry[b->count] = (step_entry_t){op, b->count, b->buffer[LIST].address + ARGS_AT + (uint64_t)b->count * ARGS_STEP};
  b->count++;
}

// --- contracts, on the image ------------------------------------------------------------------

static void expect_cache(const bench_t *b, const step_cache_args_t *a) {
  const num_step_cache_t shape = {(num_step_cache_kind_t)a->kind,
                                  a->tokens,
                                  a->tokens_of_entry,
                                  a->past,
                                  a->latent,
                                  a->rope,
                                  a->batch_bytes,
                                  a->place_bytes};
  num_step_cache(&shape, at(b, a->kv), a->kv_pitch / 4, at(b, a->weight), num_f32_from_bits(a->eps), at(b, a->angles),
                 at(b, a->cache));
}

static void expect_routed(bench_t *b, const step_entry_t *entry, const any_args_t *a) {
  const step_routing_t *r = entry->op == STEP_GATHER    ? &a->gather.routing
                            : entry->op == STEP_COMBINE ? &a->combine.routing
                                                        : &a->swiglu.routing;
  const num_step_routing_t shape = {at(b, r->chosen), r->tokens, r->top, r->first, r->here};
  int32_t *slot = malloc(4 * (size_t)r->tokens * r->top + 4);
  if (slot == NULL) {
    stop("out of memory");
  }
  const uint32_t slots = r->chosen == 0 ? a->swiglu.rows : slots_of(b, r, slot);
  if (entry->op == STEP_GATHER) {
    num_step_gather(&shape, slot, at(b, a->gather.x), a->gather.cols, a->gather.pitch / 2, at(b, a->gather.out));
  } else if (entry->op == STEP_COMBINE) {
    num_step_combine(&shape, slot, at(b, a->combine.y), at(b, a->combine.weights), at(b, a->combine.shared),
                     a->combine.cols, at(b, a->combine.out));
  } else {
    const num_step_swiglu_t how = {a->swiglu.type, (num_step_gating_t)a->swiglu.gating,
                                   num_f32_from_bits(a->swiglu.limit)};
    num_step_swiglu(&how, at(b, a->swiglu.in), a->swiglu.in_pitch / 2, slots, a->swiglu.cols, at(b, a->swiglu.out),
                    a->swiglu.out_pitch / 2);
  }
  free(slot);
}

static void expect_quantise(bench_t *b, const step_quantise_args_t *a) {
  int32_t slot[16 * 300];
  const uint32_t rows = a->routing.chosen == 0 ? a->rows : slots_of(b, &a->routing, slot);
  num_step_quantise(at(b, a->x), a->x_pitch / 2, a->type, a->factors == 0 ? NULL : at(b, a->factors), rows, a->cols,
                    at(b, a->out), at(b, a->scale));
}

static void expect_dequantise(bench_t *b, const step_dequantise_args_t *a) {
  int32_t slot[16 * 300];
  const step_routing_t *r = &a->routing;
  size_t begin[STEP_MAX_EXPERTS + 1] = {0, a->rows};
  if (r->chosen != 0) {
    num_step_route(&(num_step_routing_t){at(b, r->chosen), r->tokens, r->top, r->first, r->here}, slot, begin);
  }
  const size_t bytes = a->c_type == TYPE_F32 ? 4 : 2;
  for (uint32_t g = 0; g < (r->chosen == 0 ? 1 : r->here); ++g) {
    const num_step_dequantise_t how = {(const float *)at(b, a->scale) + begin[g],
                                       at(b, a->columns + g * a->group_bytes),
                                       a->bias == 0 ? NULL : at(b, a->bias + g * a->group_bytes), a->c_type};
    if (begin[g + 1] > begin[g]) {
      num_step_dequantise(&how, at(b, a->sums + begin[g] * a->sums_pitch), a->sums_pitch / 4, begin[g + 1] - begin[g],
                          a->cols, at(b, a->c + begin[g] * a->c_pitch), a->c_pitch / bytes);
    }
  }
}

static void expect_pack(bench_t *b, const step_pack_args_t *a) {
  for (uint64_t group = 0; group < a->groups; ++group) {
    for (uint32_t row = 0; row < a->rows; ++row) {
      const uint64_t run = row / a->run, place = row % a->run;
      num_step_pack(at(b, a->x + group * a->x_group + 2ull * row * a->cols), a->cols, a->type,
                    at(b, a->out + group * a->out_group + run * a->out_run + place * a->cols),
                    at(b, a->scale + group * a->scale_group + run * a->scale_run + 4 * place));
    }
  }
}

static void expect_unpack(bench_t *b, const step_unpack_args_t *a) {
  for (uint64_t i = 0; i < (uint64_t)a->groups * a->runs * a->run; ++i) {
    const uint64_t group = i / a->run / a->runs, run = i / a->run % a->runs, place = i % a->run;
    const float *scale = at(b, a->scale + group * a->scale_group + run * a->scale_run + 4 * place);
    num_step_unpack(at(b, a->x + group * a->x_group + run * a->x_run + place * a->cols), a->cols, a->type, *scale,
                    at(b, a->out + group * a->out_group + run * a->out_run + 2 * place * a->cols));
  }
}

static void expect_heads(bench_t *b, const step_heads_args_t *a) {
  const num_step_heads_t shape = {a->dim, a->rope, at(b, a->weight), num_f32_from_bits(a->eps), a->type};
  for (uint32_t i = 0; i < a->tokens * a->heads; ++i) {
    const uint64_t token = i / a->heads, head = i % a->heads, entry = token / a->tokens_of_entry,
                   of_entry = token % a->tokens_of_entry;
    num_step_head(&shape, at(b, a->in.at + entry * a->in.entry + of_entry * a->in.token + head * a->in.head),
                  a->rope == 0 ? NULL : (const float *)at(b, a->angles) + token * 2 * a->rope,
                  at(b, a->out.at + entry * a->out.entry + of_entry * a->out.token + head * a->out.head));
  }
}

static void expect(bench_t *b, const step_entry_t *entry, const any_args_t *any) {
  switch (entry->op) {
    case STEP_EMBED: {
      const step_embed_args_t *a = &any->embed;
      num_step_embed(at(b, a->tokens), a->rows, at(b, a->table), a->table_pitch / 2, a->type, a->cols,
                     num_f32_from_bits(a->scale), at(b, a->x));
      break;
    }
    case STEP_NORM: {
      const step_norm_args_t *a = &any->norm;
      num_step_norm(at(b, a->x), a->x_pitch / 4, at(b, a->delta), at(b, a->weight), num_f32_from_bits(a->eps), a->rows,
                    a->cols, at(b, a->out), a->type, at(b, a->y), a->y_pitch / (a->type == TYPE_F32 ? 4 : 2));
      break;
    }
    case STEP_ROPE: {
      const step_rope_args_t *a = &any->rope;
      num_step_rope(at(b, a->q), (num_step_rows_t){a->q_pitch / 2, a->q_head / 2}, at(b, a->angles), a->tokens,
                    a->heads, a->rope, at(b, a->out), (num_step_rows_t){a->out_pitch / 2, a->out_head / 2});
      break;
    }
    case STEP_HEADS:
      expect_heads(b, &any->heads);
      break;
    case STEP_CACHE:
      expect_cache(b, &any->cache);
      break;
    case STEP_QUANTISE:
      expect_quantise(b, &any->quantise);
      break;
    case STEP_DEQUANTISE:
      expect_dequantise(b, &any->dequantise);
      break;
    case STEP_PACK:
      expect_pack(b, &any->pack);
      break;
    case STEP_UNPACK:
      expect_unpack(b, &any->unpack);
      break;
    case STEP_GATE: {
      const step_gate_args_t *a = &any->gate;
      const num_step_gate_t shape = {
          a->tokens, a->experts, a->top, a->scoring == STEP_SIGMOID, a->normalise != 0, num_f32_from_bits(a->scale),
          a->groups, a->kept};
      float *packed = malloc(4 * (size_t)a->tokens * a->experts);
      if (packed == NULL) {
        stop("out of memory");
      }
      for (uint32_t t = 0; t < a->tokens; ++t) {
        memcpy(packed + (size_t)t * a->experts, (uint8_t *)at(b, a->logits) + (size_t)t * a->logits_pitch,
               4 * (size_t)a->experts);
      }
      num_step_gate(&shape, packed, at(b, a->bias), at(b, a->chosen), at(b, a->weights));
      free(packed);
      break;
    }
    case STEP_ARGMAX: {
      const step_argmax_args_t *a = &any->argmax;
      num_step_argmax(at(b, a->x), a->pitch / 4, a->rows, a->cols, at(b, a->out));
      break;
    }
    default:
      expect_routed(b, entry, any);
  }
}

// --- runs -------------------------------------------------------------------------------------

static bool both_nan16(uint32_t x, uint32_t y, uint32_t infinity) {
  return (x & 0x7fff) > infinity && (y & 0x7fff) > infinity;
}

// True for the same bits, or the same kind of NaN, in whatever type that is.
static bool alike(uint32_t x, uint32_t y) {
  if (x == y || ((x & 0x7fffffff) > 0x7f800000 && (y & 0x7fffffff) > 0x7f800000)) {
    return true;
  }
  for (int half = 0; half < 2; ++half, x >>= 16, y >>= 16) {
    const uint32_t low = x & 0xffff, other = y & 0xffff;
    if (low != other && !both_nan16(low, other, 0x7c00)) {
      return false;
    }
  }
  return true;
}

static void name_difference(const bench_t *b, int buffer, size_t word, uint32_t got, uint32_t want) {
  printf("%s + 0x%zx is %08x, not %08x; the list:\n", b->buffer[buffer].name, 4 * word, got, want);
  for (uint32_t i = 0; i < b->count; ++i) {
    const uint32_t *a = (const uint32_t *)&b->args[i];
    printf("  op %u:", b->entry[i].op);
    for (size_t j = 0; j < sizeof(any_args_t) / 4 && j < 40; ++j) {
      printf(" %x", a[j]);
    }
    printf("\n");
  }
  exit(1);
}

static void compare(const bench_t *b, int buffer) {
  const uint8_t *memory = soc_bytes(b->soc, b->buffer[buffer].address);
  for (size_t i = 0; i < b->buffer[buffer].bytes / 4; ++i) {
    uint32_t got, want;
    memcpy(&got, memory + 4 * i, 4);
    memcpy(&want, b->image[buffer] + 4 * i, 4);
    if (!alike(got, want)) {
      name_difference(b, buffer, i, got, want);
    }
  }
}

static void clear(bench_t *b) {
  b->count = 0;
  for (int i = 0; i < BUFFERS; ++i) {
    memset(b->image[i], 0xff, b->buffer[i].bytes);
    b->used[i] = 0;
  }
}

static uint64_t run(bench_t *b, const char *firmware, soc_result_t *result) {
  const step_args_t args = {b->buffer[LIST].address, b->count};
  memcpy(b->image[LIST] + ENTRIES_AT, b->entry, b->count * sizeof *b->entry);
  for (uint32_t i = 0; i < b->count; ++i) {
    memcpy(b->image[LIST] + ARGS_AT + (size_t)i * ARGS_STEP, &b->args[i],
           sizeof b->args[i] < ARGS_STEP ? sizeof b->args[i] : ARGS_STEP);
  }
  for (int i = 0; i < BUFFERS; ++i) {
    memcpy(soc_bytes(b->soc, b->buffer[i].address), b->image[i], b->buffer[i].bytes);
  }
  for (uint32_t i = 0; i < b->count; ++i) {
    expect(b, &b->entry[i], &b->args[i]);
  }
  uint64_t cycles = 0;
  if (soc_launch(b->soc, firmware, &args, sizeof args, &cycles) != SOC_DONE) {
    soc_close(b->soc);
    printf("op %u: ", b->entry[0].op);
    stop(result->error);
  }
  compare(b, CHOSEN);
  compare(b, ARENA);
  return cycles;
}

// A mixture of experts: one operation's result is the next one's input.
static void mixture(bench_t *b) {
  step_gate_args_t g = {.tokens = from_to(b, 1, 60),
                        .experts = 24,
                        .top = 3,
                        .normalise = 1,
                        .scale = f32_bits(1),
                        .groups = 1,
                        .kept = 1};
  const uint32_t hidden = 32 * from_to(b, 1, 20);
  g.logits_pitch = 4 * g.experts;
  g.logits = matrix(b, TYPE_F32, g.tokens, g.experts, g.logits_pitch, 1, false);
  g.chosen = take(b, CHOSEN, 4ull * g.tokens * g.top);
  g.weights = take(b, ARENA, 4ull * g.tokens * g.top);
  const step_routing_t r = {g.chosen, g.tokens, g.top, below(b, 12), 12};
  const uint32_t most = g.tokens * g.top;
  step_gather_args_t gather = {.cols = 2 * hidden, .pitch = 4 * hidden, .routing = r};
  gather.x = matrix(b, TYPE_F16, g.tokens, 2 * hidden, gather.pitch, 1, false);
  gather.out = take(b, ARENA, (uint64_t)most * gather.pitch);
  step_swiglu_args_t swiglu = {.in = gather.out,
                               .type = TYPE_F16,
                               .rows = 1,
                               .cols = hidden,
                               .in_pitch = gather.pitch,
                               .out_pitch = 4 * hidden,
                               .routing = r};
  swiglu.out = take(b, ARENA, (uint64_t)most * swiglu.out_pitch);
  step_combine_args_t combine = {.y = swiglu.out, .weights = g.weights, .cols = hidden, .routing = r};
  combine.out = take(b, ARENA, 4ull * g.tokens * hidden);
  step_norm_args_t norm = {.x = combine.out,
                           .out = combine.out,
                           .rows = g.tokens,
                           .cols = hidden,
                           .x_pitch = 4 * hidden,
                           .y_pitch = 2 * hidden,
                           .type = TYPE_F16,
                           .eps = f32_bits(1e-6f)};
  norm.delta = combine.out;
  norm.delta = matrix(b, TYPE_F32, g.tokens, hidden, 4 * hidden, 1, false);
  norm.weight = matrix(b, TYPE_F32, 1, hidden, 4 * hidden, 1, false);
  norm.y = take(b, ARENA, (uint64_t)g.tokens * norm.y_pitch);
  step_argmax_args_t argmax = {.x = combine.out, .rows = g.tokens, .cols = hidden, .pitch = 4 * hidden};
  argmax.out = take(b, ARENA, 4ull * g.tokens);
  const uint32_t ops[] = {STEP_GATE, STEP_GATHER, STEP_SWIGLU, STEP_COMBINE, STEP_NORM, STEP_ARGMAX};
  const any_args_t args[] = {{.gate = g},          {.gather = gather}, {.swiglu = swiglu},
                             {.combine = combine}, {.norm = norm},     {.argmax = argmax}};
  for (uint32_t i = 0; i < sizeof ops / sizeof *ops; ++i) {
    b->args[i] = args[i];
    b->entry[i] = (step_entry_t){ops[i], i, b->buffer[LIST].address + ARGS_AT + (uint64_t)i * ARGS_STEP};
    b->count++;
  }
}

int main(int argc, char **argv) {
  if (argc < 3) {
    stop("step_vector FIRMWARE AI_CORES [SEED [LISTS]]");
  }
  const char *firmware = argv[1];
  const unsigned cores = (unsigned)strtoul(argv[2], NULL, 10),
                 lists = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : 6;
  static bench_t b;
  num_rng_seed(&b.rng, argc > 3 ? strtoul(argv[3], NULL, 10) : 1);
  soc_options_t options = {.firmware = strstr(firmware, ".so") != NULL ? SOC_FIRMWARE_NATIVE : SOC_FIRMWARE_RISCV,
                           .gm = SOC_GM_C,
                           .race_check = true};
  base_error_t reason;
  if (!config_open(cores == 1 ? "ascend910_core" : "ascend910_die", &options.config, &reason)) {
    stop("no such machine");
  }
  options.config.soc.ai_cores = cores;
  b.buffer[LIST] = (soc_buffer_t){.name = "list", .bytes = LIST_BYTES, .read_only = true, .numbers = true};
  b.buffer[INPUTS] = (soc_buffer_t){.name = "inputs", .bytes = INPUT_BYTES, .read_only = true, .numbers = true};
  b.buffer[CHOSEN] = (soc_buffer_t){.name = "chosen", .bytes = CHOSEN_BYTES, .numbers = true};
  b.buffer[ARENA] = (soc_buffer_t){.name = "arena", .bytes = ARENA_BYTES};
  soc_place(b.buffer, BUFFERS);
  for (int i = 0; i < BUFFERS; ++i) {
    b.image[i] = malloc(b.buffer[i].bytes);
    if (b.image[i] == NULL) {
      stop("out of memory");
    }
  }
  soc_result_t result = {0};
  b.soc = soc_open(&options, b.buffer, BUFFERS, sizeof(step_args_t), &result);
  if (b.soc == NULL) {
    stop(result.error);
  }
  for (unsigned i = 0; i < lists; ++i) {
    for (uint32_t op = 0; op < VECTOR_OPS; ++op) {
      clear(&b);
      add(&b, vector_ops[op]);
      const uint64_t cycles = run(&b, firmware, &result);
      if (getenv("VERBOSE") != NULL) {
        printf("op %u: %llu cycles\n", vector_ops[op], (unsigned long long)cycles);
      }
    }
    clear(&b);
    for (uint32_t op = 0; op < 5; ++op) {
      add(&b, vector_ops[below(&b, VECTOR_OPS)]);
    }
    run(&b, firmware, &result);
    clear(&b);
    mixture(&b);
    run(&b, firmware, &result);
  }
  printf("%u lists of each kind\n", lists);
  soc_close(b.soc);
  soc_result_free(&result);
  for (int i = 0; i < BUFFERS; ++i) {
    free(b.image[i]);
  }
  return 0;
}
