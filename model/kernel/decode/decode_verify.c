// SPDX-License-Identifier: Apache-2.0
#include "kernel/decode/decode_verify.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "hal/command.h"
#include "host/interrupt.h"
#include "host/parallel.h"
#include "kernels/fp8/fp8_args.h"
#include "num/golden/num_attention.h"
#include "num/num_format.h"
#include "num/product/num_matmul.h"
#include "num/golden/num_s8.h"
#include "num/golden/num_step.h"
#include "num/golden/num_w4a16.h"

enum { FP32 = 4, HALF = 2, COLUMNS = 256, ROWS = 64 };

struct decode_verify {
  size_t threads;
  float *x;  // the residual stream before the operation under way, which may be changed in place
  decode_verified_t found[STEP_OPS];
  char first[DECODE_OP_NAME_BYTES];
  arena_t arena;  // of the operation under way
};

// One operation.
typedef struct job {
  decode_verify_t *verify;
  const decode_machine_t *machine;
  const decode_op_t *op;
  size_t elements, wrong;
} job_t;

static void *room(const job_t *job, size_t count, size_t size) { return arena_bytes(&job->verify->arena, count, size); }

static const void *at(const job_t *job, uint64_t address) { return decode_machine_bytes(job->machine, address); }

static bool is_nan(uint32_t bits, size_t bytes, unsigned type) {
  if (bytes == FP32) {
    return (bits & 0x7fffffffu) > 0x7f800000u;
  }
  if (type == TYPE_E4M3) {
    return (bits & 0x7fu) == 0x7fu;
  }
  return bytes == HALF && (bits & 0x7fffu) > (type == TYPE_F16 ? 0x7c00u : 0x7f80u);
}

// Elements of `bytes` each. Which NaN a NaN is, is nobody's contract.
static void compare(job_t *job, const void *found, const void *expected, size_t count, size_t bytes, unsigned type) {
  const uint8_t *a = found, *b = expected;
  job->elements += count;
  if (memcmp(a, b, count * bytes) == 0) {
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    uint32_t x = 0, y = 0;
    memcpy(&x, a + i * bytes, bytes);
    memcpy(&y, b + i * bytes, bytes);
    job->wrong += x != y && !(is_nan(x, bytes, type) && is_nan(y, bytes, type));
  }
}

static void compare_rows(job_t *job, const uint8_t *found, size_t pitch, const void *expected, size_t rows, size_t cols,
                         size_t bytes, unsigned type) {
  for (size_t row = 0; row < rows; ++row) {
    compare(job, found + row * pitch, (const uint8_t *)expected + row * cols * bytes, cols, bytes, type);
  }
}

static size_t bytes_of(unsigned type) { return type == TYPE_F32 ? FP32 : HALF; }

// --- vector operations ------------------------------------------------------------------------

static void verify_embed(job_t *job, const step_embed_args_t *a) {
  float *x = room(job, (size_t)a->rows * a->cols, sizeof *x);
  num_step_embed(at(job, a->tokens), a->rows, at(job, a->table), a->table_pitch / HALF, a->type, a->cols,
                 num_f32_from_bits(a->scale), x);
  compare(job, at(job, a->x), x, (size_t)a->rows * a->cols, FP32, TYPE_F32);
}

// x may have been overwritten by out; it was kept.
static void verify_norm(job_t *job, const step_norm_args_t *a) {
  const size_t count = (size_t)a->rows * a->cols;
  const bool in_place = a->out == a->x;
  float *out = room(job, count, sizeof *out);
  void *y = room(job, count, FP32);
  num_step_norm(in_place ? job->verify->x : at(job, a->x), in_place ? a->cols : a->x_pitch / FP32,
                a->delta == 0 ? NULL : at(job, a->delta), a->weight == 0 ? NULL : at(job, a->weight),
                num_f32_from_bits(a->eps), a->rows, a->cols, out, a->type, y, a->cols);
  compare_rows(job, at(job, a->y), a->y_pitch, y, a->rows, a->cols, bytes_of(a->type), a->type);
  if (a->out != 0) {
    compare(job, at(job, a->out), out, count, FP32, TYPE_F32);
  }
}

static void verify_rope(job_t *job, const step_rope_args_t *a) {
  const size_t rows = (size_t)a->tokens * a->heads;
  num_bf16_t *out = room(job, rows * a->rope, sizeof *out);
  const uint8_t *found = at(job, a->out);
  num_step_rope(at(job, a->q), (num_step_rows_t){a->q_pitch / HALF, a->q_head / HALF}, at(job, a->angles), a->tokens,
                a->heads, a->rope, out, (num_step_rows_t){(size_t)a->heads * a->rope, a->rope});
  for (size_t i = 0; i < rows; ++i) {
    compare(job, found + i / a->heads * a->out_pitch + i % a->heads * a->out_head, out + i * a->rope, a->rope, HALF,
            TYPE_BF16);
  }
}

static uint64_t head_at(const step_heads_args_t *a, const step_heads_place_t *place, size_t token, size_t head) {
  return place->at + token / a->tokens_of_entry * place->entry + token % a->tokens_of_entry * place->token +
         head * place->head;
}

static void verify_heads(job_t *job, const step_heads_args_t *a) {
  const num_step_heads_t shape = {.dim = a->dim,
                                  .rope = a->rope,
                                  .weight = a->weight == 0 ? NULL : at(job, a->weight),
                                  .eps = num_f32_from_bits(a->eps),
                                  .type = a->type};
  uint16_t out[NUM_STEP_HEAD];
  for (size_t i = 0; i < (size_t)a->tokens * a->heads; ++i) {
    const size_t token = i / a->heads, head = i % a->heads;
    const float *angles = a->rope == 0 ? NULL : at(job, a->angles);
    num_step_head(&shape, at(job, head_at(a, &a->in, token, head)), a->rope == 0 ? NULL : angles + token * 2 * a->rope,
                  out);
    compare(job, at(job, head_at(a, &a->out, token, head)), out, a->dim, HALF, a->type);
  }
}

// Against a copy of the cache, whose places may be anything before.
static void verify_cache(job_t *job, const step_cache_args_t *a) {
  const size_t entries = a->tokens / a->tokens_of_entry;
  const size_t of_entry = (size_t)a->tokens_of_entry * a->place_bytes, element = a->kind == STEP_CACHE_BF16 ? HALF : 1;
  uint8_t *cache = room(job, entries, of_entry);
  const num_step_cache_t shape = {.kind = (num_step_cache_kind_t)a->kind,
                                  .tokens = a->tokens,
                                  .tokens_of_entry = a->tokens_of_entry,
                                  .latent = a->latent,
                                  .rope = a->rope,
                                  .batch_bytes = of_entry,
                                  .place_bytes = a->place_bytes};
  num_step_cache(&shape, at(job, a->kv), a->kv_pitch / FP32, at(job, a->weight), num_f32_from_bits(a->eps),
                 at(job, a->angles), cache);
  for (size_t e = 0; e < entries; ++e) {
    const uint8_t *found = at(job, a->cache + e * a->batch_bytes + (size_t)a->past * a->place_bytes);
    compare(job, found, cache + e * of_entry, of_entry / element, element, TYPE_BF16);
  }
}

static void verify_swiglu(job_t *job, const step_swiglu_args_t *a) {
  const size_t rows = a->routing.chosen == 0 ? a->rows : decode_machine_slots(job->machine, &a->routing);
  const num_step_swiglu_t how = {a->type, (num_step_gating_t)a->gating, num_f32_from_bits(a->limit)};
  uint16_t *out = room(job, rows * a->cols, sizeof *out);
  num_step_swiglu(&how, at(job, a->in), a->in_pitch / HALF, rows, a->cols, out, a->cols);
  compare_rows(job, at(job, a->out), a->out_pitch, out, rows, a->cols, HALF, a->type);
}

static void verify_gate(job_t *job, const step_gate_args_t *a) {
  const size_t count = (size_t)a->tokens * a->top;
  float *logits = room(job, (size_t)a->tokens * a->experts, sizeof *logits);
  float *weights = room(job, count, sizeof *weights);
  int32_t *chosen = room(job, count, sizeof *chosen);
  const num_step_gate_t gate = {.tokens = a->tokens,
                                .experts = a->experts,
                                .top = a->top,
                                .sigmoid = a->scoring == STEP_SIGMOID,
                                .normalise = a->normalise == 1,
                                .scale = num_f32_from_bits(a->scale),
                                .groups = a->groups,
                                .kept = a->kept};
  for (size_t t = 0; t < a->tokens; ++t) {
    memcpy(logits + t * a->experts, at(job, a->logits + t * a->logits_pitch), a->experts * sizeof *logits);
  }
  num_step_gate(&gate, logits, a->bias == 0 ? NULL : at(job, a->bias), chosen, weights);
  compare(job, at(job, a->chosen), chosen, count, sizeof *chosen, TYPE_S32);
  compare(job, at(job, a->weights), weights, count, FP32, TYPE_F32);
}

// The slots of tokens that are routed to experts.
typedef struct routes {
  num_step_routing_t routing;
  int32_t *slot;
  size_t *begin;  // NULL: there is no routing
} routes_t;

static routes_t routes_of(const job_t *job, const step_routing_t *a) {
  routes_t routes = {.begin = NULL};
  if (a->chosen != 0) {
    routes.routing = (num_step_routing_t){
        .chosen = at(job, a->chosen), .tokens = a->tokens, .top = a->top, .first = a->first, .here = a->here};
    routes.slot = room(job, (size_t)a->tokens * a->top, sizeof *routes.slot);
    routes.begin = room(job, a->here + 1, sizeof *routes.begin);
    num_step_route(&routes.routing, routes.slot, routes.begin);
  }
  return routes;
}

static void verify_gather(job_t *job, const step_gather_args_t *a) {
  const routes_t routes = routes_of(job, &a->routing);
  const size_t stride = a->pitch / HALF, slots = routes.begin[a->routing.here];
  num_fp16_t *out = room(job, slots * stride, sizeof *out);
  num_step_gather(&routes.routing, routes.slot, at(job, a->x), a->cols, stride, out);
  for (size_t slot = 0; slot < slots; ++slot) {
    compare(job, at(job, a->out + slot * a->pitch), out + slot * stride, a->cols, HALF, TYPE_F16);
  }
}

static void verify_combine(job_t *job, const step_combine_args_t *a) {
  const routes_t routes = routes_of(job, &a->routing);
  const size_t count = (size_t)a->routing.tokens * a->cols;
  float *out = room(job, count, sizeof *out);
  num_step_combine(&routes.routing, routes.slot, at(job, a->y), at(job, a->weights),
                   a->shared == 0 ? NULL : at(job, a->shared), a->cols, out);
  compare(job, at(job, a->out), out, count, FP32, TYPE_F32);
}

static void verify_argmax(job_t *job, const step_argmax_args_t *a) {
  int32_t *out = room(job, a->rows, sizeof *out);
  num_step_argmax(at(job, a->x), a->pitch / FP32, a->rows, a->cols, out);
  compare(job, at(job, a->out), out, a->rows, sizeof *out, TYPE_S32);
}

// --- 8-bit integers ---------------------------------------------------------------------------

static void verify_quantise(job_t *job, const step_quantise_args_t *a) {
  const size_t rows = a->routing.chosen == 0 ? a->rows : decode_machine_slots(job->machine, &a->routing);
  const size_t count = rows * a->cols;
  int8_t *out = room(job, count, 1);
  float *scale = room(job, rows, sizeof *scale);
  num_step_quantise(at(job, a->x), a->x_pitch / HALF, a->type, NULL, rows, a->cols, out, scale);
  compare(job, at(job, a->out), out, count, 1, TYPE_S8);
  compare(job, at(job, a->scale), scale, rows, FP32, TYPE_F32);
}

static void verify_dequantise(job_t *job, const step_dequantise_args_t *a) {
  const routes_t routes = routes_of(job, &a->routing);
  const size_t groups = routes.begin == NULL ? 1 : a->routing.here;
  for (size_t g = 0; g < groups; ++g) {
    const size_t first = routes.begin == NULL ? 0 : routes.begin[g];
    const size_t rows = routes.begin == NULL ? a->rows : routes.begin[g + 1] - first;
    void *c = room(job, rows * a->cols, FP32);
    const num_step_dequantise_t how = {.scale = (const float *)at(job, a->scale) + first,
                                       .columns = at(job, a->columns + g * a->group_bytes),
                                       .bias = a->bias == 0 ? NULL : at(job, a->bias + g * a->group_bytes),
                                       .type = a->c_type};
    num_step_dequantise(&how, at(job, a->sums + first * a->sums_pitch), a->sums_pitch / FP32, rows, a->cols, c,
                        a->cols);
    compare_rows(job, at(job, a->c + first * a->c_pitch), a->c_pitch, c, rows, a->cols, bytes_of(a->c_type), a->c_type);
  }
}

static void verify_pack(job_t *job, const step_pack_args_t *a) {
  const uint8_t *out = at(job, a->out), *scales = at(job, a->scale);
  uint8_t codes[STEP_MAX_HEAD];
  float scale;
  for (size_t i = 0; i < (size_t)a->groups * a->rows; ++i) {
    const size_t group = i / a->rows, row = i % a->rows, run = row / a->run, of_run = row % a->run;
    num_step_pack((const uint16_t *)at(job, a->x + group * a->x_group) + row * a->cols, a->cols, a->type, codes,
                  &scale);
    compare(job, out + group * a->out_group + run * a->out_run + of_run * a->cols, codes, a->cols, 1, a->type);
    compare(job, scales + group * a->scale_group + run * a->scale_run + of_run * FP32, &scale, 1, FP32, TYPE_F32);
  }
}

static void verify_unpack(job_t *job, const step_unpack_args_t *a) {
  uint16_t out[STEP_MAX_HEAD];
  for (size_t i = 0; i < (size_t)a->groups * a->runs; ++i) {
    const size_t group = i / a->runs, run = i % a->runs;
    const uint8_t *codes = at(job, a->x + group * a->x_group + run * a->x_run);
    const float *scales = at(job, a->scale + group * a->scale_group + run * a->scale_run);
    const uint16_t *found = at(job, a->out + group * a->out_group + run * a->out_run);
    for (size_t row = 0; row < a->run; ++row) {
      num_step_unpack(codes + row * a->cols, a->cols, a->type, scales[row], out);
      compare(job, found + row * a->cols, out, a->cols, HALF, TYPE_BF16);
    }
  }
}

// Threads take columns of a group.
typedef struct integers {
  const job_t *job;
  const step_product_s8_args_t *args;
  const int8_t *a, *b;
  const uint8_t *c;
  size_t m;
  atomic_size_t wrong;
} integers_t;

static bool multiply_integers(void *context, size_t begin, size_t end) {
  integers_t *p = context;
  const size_t k = p->args->k;
  arena_t arena = {NULL};
  int8_t *column = arena_bytes(&arena, k, 1);
  int32_t *sums = arena_bytes(&arena, p->m, sizeof *sums);
  for (size_t j = begin; j < end; ++j) {
    for (size_t i = 0; i < k; ++i) {
      column[i] = p->b[j / STRIP_ROW * k * STRIP_ROW + i * STRIP_ROW + j % STRIP_ROW];
    }
    num_s8_column(p->m, k, p->a, column, sums);
    for (size_t i = 0; i < p->m; ++i) {
      p->wrong += memcmp(p->c + i * p->args->c_pitch + j * sizeof *sums, &sums[i], sizeof *sums) != 0;
    }
  }
  arena_free(&arena);
  return true;
}

static void verify_product_s8(job_t *job, const step_product_s8_args_t *a) {
  const routes_t routes = routes_of(job, &a->routing);
  for (size_t g = 0; g < a->groups; ++g) {
    const size_t first = routes.begin == NULL ? 0 : routes.begin[g];
    integers_t p = {.job = job,
                    .args = a,
                    .m = routes.begin == NULL ? a->m : routes.begin[g + 1] - first,
                    .a = at(job, a->a + first * a->a_pitch),
                    .b = at(job, a->b + g * a->b_group),
                    .c = at(job, a->c + first * a->c_pitch)};
    parallel_for(job->verify->threads, p.m == 0 ? 0 : a->n, multiply_integers, &p);
    job->wrong += p.wrong;
    job->elements += p.m * a->n;
  }
}

// --- products ---------------------------------------------------------------------------------

// Threads take blocks of columns of a group each, and count for themselves.
typedef struct product {
  const job_t *job;
  size_t m, n, k, blocks;  // of the group; blocks of COLUMNS
  const uint8_t *a, *c;
  size_t a_pitch, c_pitch;
  unsigned type, c_type;
  const uint16_t *strips;       // 16 bits, or
  const uint16_t *dequantised;  // FP16 [k][n]
  const float *wide_a;          // [m][k]
  size_t *wrong;                // [blocks]
} product_t;

static float widen(unsigned type, uint16_t bits) {
  return type == TYPE_F16 ? num_fp16_to_f32(bits) : num_bf16_to_f32(bits);
}

static void fill_block(const product_t *p, size_t first, size_t count, float *b) {
  for (size_t row = 0; row < p->k; ++row) {
    for (size_t j = 0; j < count; ++j) {
      const size_t column = first + j;
      const uint16_t bits = p->strips != NULL ? p->strips[column / STRIP * p->k * STRIP + row * STRIP + column % STRIP]
                                              : p->dequantised[row * p->n + column];
      b[row * count + j] = widen(p->type, bits);
    }
  }
}

static uint32_t narrow(unsigned type, float x) {
  return type == TYPE_F32 ? num_f32_bits(x) : type == TYPE_F16 ? num_fp16_from_f32(x) : num_bf16_from_f32(x);
}

static size_t count_wrong(const product_t *p, size_t first, size_t count, const float *c) {
  const size_t bytes = bytes_of(p->c_type);
  size_t wrong = 0;
  for (size_t i = 0; i < p->m; ++i) {
    for (size_t j = 0; j < count; ++j) {
      uint32_t found = 0;
      const uint32_t expected = narrow(p->c_type, c[i * count + j]);
      memcpy(&found, p->c + i * p->c_pitch + (first + j) * bytes, bytes);
      wrong += found != expected && !(is_nan(found, bytes, p->c_type) && is_nan(expected, bytes, p->c_type));
    }
  }
  return wrong;
}

static bool multiply(void *context, size_t begin, size_t end) {
  const product_t *p = context;
  arena_t arena = {NULL};
  float *b = arena_bytes(&arena, p->k * COLUMNS, sizeof *b), *c = arena_bytes(&arena, p->m * COLUMNS, sizeof *c);
  for (size_t i = begin; i < end; ++i) {
    const size_t first = i * COLUMNS, count = p->n - first < COLUMNS ? p->n - first : COLUMNS;
    fill_block(p, first, count, b);
    num_matmul_select(NUM_ISA_AUTO)(p->m, count, p->k, p->wide_a, p->k, b, count, c, count, false);
    p->wrong[i] = count_wrong(p, first, count, c);
  }
  arena_free(&arena);
  return true;
}

static void verify_group(job_t *job, product_t *p) {
  p->blocks = (p->n + COLUMNS - 1) / COLUMNS;
  float *wide = room(job, p->m * p->k, sizeof *wide);
  p->wrong = room(job, p->blocks, sizeof *p->wrong);
  p->wide_a = wide;
  for (size_t i = 0; i < p->m * p->k; ++i) {
    uint16_t bits;
    memcpy(&bits, p->a + i / p->k * p->a_pitch + i % p->k * HALF, sizeof bits);
    wide[i] = widen(p->type, bits);
  }
  parallel_for(job->verify->threads, p->blocks, multiply, p);
  for (size_t i = 0; i < p->blocks; ++i) {
    job->wrong += p->wrong[i];
  }
  job->elements += p->m * p->n;
}

// Rows of a group: those of its slots, or m at its place. False: it has none.
static bool take_group(const job_t *job, const routes_t *routes, size_t group, size_t m, uint64_t a, uint64_t c,
                       product_t *p) {
  const size_t row = routes->begin != NULL ? routes->begin[group] : 0;
  p->m = routes->begin != NULL ? routes->begin[group + 1] - row : m;
  p->a = at(job, a + row * p->a_pitch);
  p->c = at(job, c + row * p->c_pitch);
  return p->m > 0;
}

static void verify_product(job_t *job, const step_product_args_t *a) {
  const routes_t routes = routes_of(job, &a->routing);
  product_t p = {.job = job,
                 .n = a->n,
                 .k = a->k,
                 .a_pitch = a->a_pitch,
                 .c_pitch = a->c_pitch,
                 .type = a->type,
                 .c_type = a->c_type};
  for (size_t g = 0; g < a->groups; ++g) {
    const size_t place = routes.begin != NULL ? 0 : g;
    p.strips = at(job, a->b + g * a->b_group);
    if (take_group(job, &routes, g, a->m, a->a + place * a->a_group, a->c + place * a->c_group, &p)) {
      verify_group(job, &p);
    }
  }
}

static void verify_w4a16(job_t *job, const step_w4a16_args_t *a) {
  const routes_t routes = routes_of(job, &a->routing);
  const w4a16_args_t *w = &a->product;
  num_fp16_t *b = room(job, (size_t)w->k * w->n, sizeof *b);
  product_t p = {.job = job,
                 .n = w->n,
                 .k = w->k,
                 .a_pitch = a->a_pitch != 0 ? a->a_pitch : (size_t)w->k * HALF,
                 .c_pitch = a->c_pitch != 0 ? a->c_pitch : (size_t)w->n * (w->out_f32 ? FP32 : HALF),
                 .type = TYPE_F16,
                 .c_type = w->out_f32 ? TYPE_F32 : TYPE_F16,
                 .dequantised = b};
  for (size_t g = 0; g < a->groups; ++g) {
    const size_t place = routes.begin != NULL ? 0 : g;
    const num_w4_t weights = {.k = w->k,
                              .n = w->n,
                              .group = w->group,
                              .w = at(job, w->w + g * a->w_group),
                              .is_unsigned = w->nibbles == TYPE_U4,
                              .scale = at(job, w->scale + g * a->scale_group),
                              .zero = w->zeros == W4A16_NO_ZEROS ? NULL : at(job, w->zero + g * a->zero_group)};
    if (take_group(job, &routes, g, w->m, w->a + place * a->a_group, w->c + place * a->c_group, &p)) {
      num_w4_dequantise(&weights, b);
      verify_group(job, &p);
    }
  }
}

// --- attention --------------------------------------------------------------------------------

// Threads take ROWS rows of an entry each.
typedef struct attention {
  const job_t *job;
  const attention_args_t *args;
  const fp8_args_t *fp8;      // NULL: another kernel
  const flash_args_t *flash;  // likewise
  bool amla;
  size_t parts;          // of an entry
  const uint16_t *keys;  // FP8: [entry][places][dk], decoded
  size_t *wrong;         // [parts * batch]
} attention_t;

static size_t keys_of(const attention_t *a, size_t entry) {
  return a->fp8 != NULL ? a->fp8->places[entry] : a->args->keys;
}

static void see_flash(const attention_t *a, size_t row, uint8_t *visible) {
  const flash_args_t *flash = a->flash;
  const size_t token = row % flash->seq_q, keys = a->args->keys;
  const size_t seen = flash->causal ? keys - flash->seq_q + token + 1 : keys;
  const uint8_t *bits = flash->visible == 0 ? NULL : at(a->job, flash->visible + token * (size_t)flash->visible_pitch);
  for (size_t i = 0; i < keys; ++i) {
    visible[i] = (uint8_t)(i < seen && (bits == NULL || (bits[i / 8] & 1u << i % 8) != 0));
  }
}

// Writes for each key whether row `row` sees it: visible [keys], 1 or 0.
static void see(const attention_t *a, size_t entry, size_t row, uint8_t *visible) {
  const size_t keys = keys_of(a, entry);
  if (a->flash != NULL) {
    see_flash(a, row, visible);
    return;
  }
  if (a->fp8 != NULL) {
    const size_t later = a->fp8->causal ? a->fp8->query_tokens - 1 - row / a->fp8->heads : 0;
    for (size_t i = 0; i < keys; ++i) {
      visible[i] = i + later < keys;
    }
    return;
  }
  const uint8_t *bits = a->args->visible == 0 ? NULL : at(a->job, a->args->visible + row * a->args->visible_pitch);
  for (size_t i = 0; i < keys; ++i) {
    visible[i] = (uint8_t)(bits == NULL || (bits[i / 8] & 1u << i % 8) != 0);
  }
}

static const float *sinks_of(const attention_t *a, size_t entry, size_t first) {
  const bool has = a->flash != NULL && a->flash->sink != 0;
  return has ? at(a->job, a->flash->sink + 4 * (entry % a->flash->kv_heads * a->args->rows + first)) : NULL;
}

static bool compute(const attention_t *a, const num_attn_t *attn, float *out) {
  if (a->flash != NULL) {
    return num_attn_flash(attn, NUM_ISA_AUTO, out) == 0;
  }
  return (a->amla ? num_attn_amla(attn, NUM_ISA_AUTO, 0, out, NULL) : num_attn_base(attn, NUM_ISA_AUTO, out)) == 0;
}

static size_t count_wrong_outputs(const attention_t *a, size_t entry, size_t first, size_t count, const float *out) {
  const attention_args_t *args = a->args;
  const size_t bytes = args->out_f32 ? FP32 : HALF;
  const unsigned type = args->out_f32 ? TYPE_F32 : TYPE_BF16;
  const uint8_t *at_out = at(a->job, args->out + (entry * args->rows + first) * args->dv * bytes);
  size_t wrong = 0;
  for (size_t i = 0; i < count; ++i) {
    uint32_t found = 0;
    const uint32_t expected = narrow(type, out[i]);
    memcpy(&found, at_out + i * bytes, bytes);
    wrong += found != expected && !(is_nan(found, bytes, type) && is_nan(expected, bytes, type));
  }
  return wrong;
}

static num_attn_t attn_of(const attention_t *a, size_t entry, size_t first, size_t rows, const uint8_t *visible) {
  const attention_args_t *args = a->args;
  const size_t keys = keys_of(a, entry);
  const uint16_t *k = a->fp8 != NULL ? a->keys + entry * keys * args->dk : at(a->job, args->k + entry * args->k_batch);
  const size_t stride = a->fp8 != NULL ? args->dk : args->k_pitch / HALF;
  return (num_attn_t){.rows = rows,
                      .keys = keys,
                      .dk = args->dk,
                      .dv = args->dv,
                      .q = at(a->job, args->q + (entry * args->rows + first) * args->dk * HALF),
                      .k = k,
                      .ldk = stride,
                      .v = a->flash != NULL ? at(a->job, args->v + entry * args->v_batch) : k,
                      .ldv = a->flash != NULL ? args->v_pitch / HALF : stride,
                      .sink = sinks_of(a, entry, first),
                      .visible = visible,
                      .scale = num_f32_from_bits(args->scale),
                      .block = args->block,
                      .splits = args->splits,
                      .row_sum = NUM_ROW_SUM_CHAIN};
}

static void attend_part(const attention_t *a, size_t part) {
  const attention_args_t *args = a->args;
  const size_t entry = part / a->parts, first = part % a->parts * ROWS;
  const size_t rows = args->rows - first < ROWS ? args->rows - first : ROWS;
  arena_t arena = {NULL};
  uint8_t *visible = arena_bytes(&arena, rows, keys_of(a, entry));
  float *out = arena_bytes(&arena, rows * args->dv, sizeof *out);
  for (size_t i = 0; i < rows; ++i) {
    see(a, entry, first + i, visible + i * keys_of(a, entry));
  }
  const num_attn_t attn = attn_of(a, entry, first, rows, visible);
  if (!compute(a, &attn, out)) {
    host_out_of_memory();
  }
  a->wrong[part] = count_wrong_outputs(a, entry, first, rows * args->dv, out);
  arena_free(&arena);
}

static bool attend(void *context, size_t begin, size_t end) {
  for (size_t part = begin; part < end; ++part) {
    attend_part(context, part);
  }
  return true;
}

static const uint16_t *decode_keys(const job_t *job, const fp8_args_t *fp8) {
  const size_t entries = fp8->attention.batch, places = fp8->places[0], dk = fp8->attention.dk;
  uint16_t *keys = room(job, entries * places * dk, sizeof *keys);
  for (size_t entry = 0; entry < entries; ++entry) {
    num_fp8_decode(at(job, fp8->tokens + entry * fp8->tokens_batch), keys + entry * places * dk, places);
  }
  return keys;
}

static void verify_attention(job_t *job, const step_attention_args_t *args) {
  const fp8_args_t *fp8 = args->kind == STEP_ATTENTION_FP8 ? job->op->attention : NULL;
  const flash_args_t *flash = args->kind == STEP_ATTENTION_HEADS ? job->op->attention : NULL;
  attention_t a = {.job = job,
                   .fp8 = fp8,
                   .flash = flash,
                   .args = fp8 != NULL     ? &fp8->attention
                           : flash != NULL ? &flash->attention
                                           : job->op->attention};
  a.amla = decode_machine_list(job->machine)->settings->attention != DECODE_BASE;
  a.parts = (a.args->rows + ROWS - 1) / ROWS;
  a.keys = fp8 != NULL ? decode_keys(job, fp8) : NULL;
  a.wrong = room(job, a.parts * a.args->batch, sizeof *a.wrong);
  parallel_for(job->verify->threads, a.parts * a.args->batch, attend, &a);
  for (size_t i = 0; i < a.parts * a.args->batch; ++i) {
    job->wrong += a.wrong[i];
  }
  job->elements += (size_t)a.args->batch * a.args->rows * a.args->dv;
}

// --- all --------------------------------------------------------------------------------------

static void verify_op(job_t *job) {
  switch (job->op->op) {
#define STEP_OP(NAME, name, cores, text) \
  case STEP_##NAME:                      \
    verify_##name(job, job->op->args);   \
    break;
#include "kernels/step/step_ops.def"
#undef STEP_OP
    default:
      break;
  }
}

static void keep_stream(decode_verify_t *verify, const decode_list_t *list, const decode_machine_t *machine) {
  memcpy(verify->x, decode_machine_bytes(machine, decode_value(list->arrays, list->graph->x)),
         decode_ask_rows(&list->ask) * list->graph->config->hidden_size * sizeof *verify->x);
}

static void ended(void *context, decode_machine_t *machine, size_t index) {
  decode_verify_t *verify = context;
  const decode_list_t *list = decode_machine_list(machine);
  job_t job = {.verify = verify, .machine = machine, .op = &list->ops[index]};
  decode_verified_t *found = &verify->found[job.op->op];
  verify_op(&job);
  arena_free(&verify->arena);
  found->operations += 1;
  found->elements += job.elements;
  found->wrong += job.wrong;
  if (job.wrong > 0 && verify->first[0] == '\0') {
    decode_op_name(job.op, verify->first);
  }
  keep_stream(verify, list, machine);
}

decode_verify_t *decode_verify_open(decode_machine_t *machine, size_t threads) {
  decode_verify_t *verify = calloc(1, sizeof *verify);
  const decode_list_t *list = decode_machine_list(machine);
  if (verify == NULL) {
    return NULL;
  }
  verify->threads = threads;
  verify->x = malloc(list->shape->rows * list->graph->config->hidden_size * sizeof *verify->x);
  if (verify->x == NULL) {
    free(verify);
    return NULL;
  }
  decode_machine_watch(machine, ended, verify);
  return verify;
}

void decode_verify_close(decode_verify_t *verify) {
  if (verify != NULL) {
    free(verify->x);
    free(verify);
  }
}

const decode_verified_t *decode_verify_found(const decode_verify_t *verify, enum step_op op) {
  return &verify->found[op];
}

const char *decode_verify_first(const decode_verify_t *verify) {
  return verify->first[0] == '\0' ? NULL : verify->first;
}
