// The engines' kernel on the SoC: prefill and decode of made-up heads, every bit compared with the
// golden attention of whole sequences, and that with attention in FP64.
//
//   engine_kernel FIRMWARE [name=value ...]
//
// Prints the cycles of every launch. Exit code 0: all bits equal, 1: not, 2: no such setting or
// machine, 3: the SoC has stopped.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/engine/engine_args.h"
#include "num/golden/num_attention.h"
#include "num/num_format.h"
#include "num/num_rng.h"
#include "soc/soc.h"

typedef struct test {
  // Set by name=value.
  size_t fa2, corrected, d, heads, kv_heads, tokens, keys, chunk, engines, blocks, queries, rows;
  size_t buffer_kb, causal, mask, decode, rtl, native, seed, no_race_check, scale, special, mistake;
  size_t machines;  // that run it one after the other, with the engine in Verilog and in C by turns
  // Derived.
  size_t all;  // keys at the end: keys and the decoded ones
  size_t share;
  num_bf16_t *q, *k, *v;  // [all tokens asked about][heads][d], [all][kv_heads][d]
  uint8_t *visible;       // [tokens][pitch] bits
  size_t pitch;
} test_t;

enum { RIGHT = 999 };  // no mistake: its number goes in place of the scale (firmware/mistakes_engine.c)

static const struct {
  const char *name;
  size_t offset, value;
} settings[] = {
#define SETTING(name, value) \
  { #name, offsetof(test_t, name), value }
    SETTING(fa2, 0),         SETTING(corrected, 0), SETTING(d, 64),       SETTING(heads, 1),
    SETTING(kv_heads, 1),    SETTING(tokens, 1),    SETTING(keys, 100),   SETTING(chunk, 128),
    SETTING(engines, 1),     SETTING(blocks, 4),    SETTING(queries, 1),  SETTING(rows, 256),
    SETTING(buffer_kb, 256), SETTING(causal, 0),    SETTING(mask, 0),     SETTING(decode, 0),
    SETTING(rtl, 0),         SETTING(native, 0),    SETTING(seed, 1),     SETTING(no_race_check, 0),
    SETTING(scale, 4),       SETTING(special, 0),   SETTING(machines, 1), SETTING(mistake, RIGHT),
#undef SETTING
};

static size_t *at(test_t *test, size_t offset) { return (size_t *)(void *)((char *)test + offset); }

// The variable of a name=value; NULL if there is no such name.
static size_t *find(test_t *test, const char *assignment) {
  for (size_t i = 0; i < sizeof settings / sizeof *settings; ++i) {
    const size_t length = strlen(settings[i].name);
    if (strncmp(assignment, settings[i].name, length) == 0 && assignment[length] == '=') {
      return at(test, settings[i].offset);
    }
  }
  return NULL;
}

static bool parse(test_t *test, int argc, char **argv) {
  for (size_t i = 0; i < sizeof settings / sizeof *settings; ++i) {
    *at(test, settings[i].offset) = settings[i].value;
  }
  for (int a = 2; a < argc; ++a) {
    size_t *value = find(test, argv[a]);
    if (value == NULL) {
      fprintf(stderr, "engine_kernel: no setting '%s'\n", argv[a]);
      return false;
    }
    *value = strtoull(strchr(argv[a], '=') + 1, NULL, 10);
  }
  test->all = test->keys + test->decode;
  test->share = test->heads / test->kv_heads;
  test->pitch = (test->keys + 7) / 8;
  return true;
}

// Scores up to some `scale` in size: their maxima rise, fall and repeat.
static void make_inputs(test_t *test) {
  const size_t queries = (test->tokens + test->decode) * test->heads * test->d;
  const size_t keys = test->all * test->kv_heads * test->d;
  test->q = malloc(queries * sizeof *test->q);
  test->k = malloc(keys * sizeof *test->k);
  test->v = malloc(keys * sizeof *test->v);
  test->visible = calloc(test->tokens, test->pitch);
  num_rng_normal_bf16(test->seed, 0, 0, queries, (double)test->scale, test->q);
  num_rng_normal_bf16(test->seed, 1, 0, keys, 1, test->k);
  num_rng_normal_bf16(test->seed, 2, 0, keys, 1, test->v);
  // Every tenth key or so repeats the one before: equal maxima.
  for (size_t j = 1; j < test->all; ++j) {
    if (j % 10 == 3) {
      const size_t row = test->kv_heads * test->d;
      memcpy(test->k + j * row, test->k + (j - 1) * row, row * sizeof *test->k);
    }
  }
  if (test->special) {  // an infinity in the middle of the first head's values: NaN for who sees it
    test->v[test->keys / 2 * test->kv_heads * test->d] = 0x7f80;
  }
  uint64_t bits = test->seed * 0x9E3779B97F4A7C15u;
  for (size_t i = 0; i < test->tokens * test->pitch; ++i) {
    bits = bits * 6364136223846793005u + 1442695040888963407u;
    test->visible[i] = (uint8_t)(bits >> 56);
  }
  memset(test->visible, 0, test->tokens > 2 ? test->pitch : 0);  // a token that sees nothing
}

static void free_inputs(test_t *test) {
  free(test->q);
  free(test->k);
  free(test->v);
  free(test->visible);
}

static num_engine_t engine_num(const test_t *test) {
  return (num_engine_t){.design = test->fa2 ? NUM_DESIGN_FA2 : NUM_DESIGN_HFA,
                        .hfa = {.corrected = test->corrected != 0},
                        .d = test->d,
                        .blocks = test->blocks,
                        .rows = test->chunk};
}

// --- the golden -------------------------------------------------------------------------------

typedef struct query {
  const num_bf16_t *q;
  size_t token, head, keys;  // keys there are
  size_t limit;              // keys it may see
} query_t;

static void golden(const test_t *test, const query_t *query, num_bf16_t *out, double *exact) {
  const size_t d = test->d;
  const float scale = (float)(1 / sqrt((double)d));
  num_bf16_t *k = malloc(query->keys * d * sizeof *k);
  num_bf16_t *v = malloc(query->keys * d * sizeof *v);
  uint8_t *valid = malloc(query->keys);
  num_bf16_t *q = malloc(d * sizeof *q);
  num_element_t *scratch = malloc(2 * (d + 1) * sizeof *scratch);
  for (size_t j = 0; j < query->keys; ++j) {
    const size_t row = (j * test->kv_heads + query->head / test->share) * d;
    memcpy(k + j * d, test->k + row, d * sizeof *k);
    memcpy(v + j * d, test->v + row, d * sizeof *v);
    valid[j] =
        j < query->limit && (!test->mask || (test->visible[query->token * test->pitch + j / 8] >> j % 8 & 1) != 0);
  }
  for (size_t c = 0; c < d; ++c) {
    q[c] = num_bf16_scale(query->q[c], scale);
  }
  const num_engine_t engine = engine_num(test);
  num_engine_attention(&engine, q, k, v, valid, query->keys, out, scratch);
  const num_attn_t attn = {.rows = 1,
                           .keys = query->keys,
                           .dk = d,
                           .dv = d,
                           .q = query->q,
                           .k = k,
                           .ldk = d,
                           .v = v,
                           .ldv = d,
                           .scale = scale,
                           .visible = valid};
  if (num_attn_golden(&attn, exact) != 0) {
    abort();
  }
  free(k);
  free(v);
  free(valid);
  free(q);
  free(scratch);
}

typedef struct verdict {
  size_t values, differ;
  double error, size;
} verdict_t;

static void compare(const test_t *test, const query_t *query, const num_bf16_t *out, verdict_t *verdict) {
  num_bf16_t expected[1024];
  double exact[1024];
  golden(test, query, expected, exact);
  for (size_t c = 0; c < test->d; ++c) {
    verdict->values += 1;
    verdict->differ += out[c] != expected[c];
    if (isfinite(exact[c]) && !isnan(num_bf16_to_f32(expected[c]))) {
      const double error = (double)num_bf16_to_f32(out[c]) - exact[c];
      verdict->error += error * error;
      verdict->size += exact[c] * exact[c];
    }
  }
}

// --- the SoC ----------------------------------------------------------------------------------

enum { Q, K, V, VISIBLE, OUT, BUFFERS };

static void set_machine(const test_t *test, soc_options_t *options) {
  base_error_t error;
  if (!config_open("engines", &options->config, &error)) {
    fprintf(stderr, "%s\n", error.text);
    exit(2);
  }
  config_t *config = &options->config;
  config->soc.engines = (config_uint_t)test->engines;
  config->engine.blocks = (config_uint_t)test->blocks;
  config->engine.queries = (config_uint_t)test->queries;
  config->engine.rows = (config_uint_t)test->rows;
  config->engine.buffer_kb = (config_uint_t)test->buffer_kb;
  options->firmware = test->native ? SOC_FIRMWARE_NATIVE : SOC_FIRMWARE_RISCV;
  options->gm = SOC_GM_C;
  options->engine = test->rtl ? SOC_ENGINE_RTL : SOC_ENGINE_C;
  options->engine_num = engine_num(test);
  options->race_check = !test->no_race_check;
  options->init_check = true;
  options->threads = 2;
}

static engine_args_t make_args(const test_t *test, const soc_buffer_t *buffers) {
  const float scale = (float)(1 / sqrt((double)test->d));
  const uint32_t heads = (uint32_t)(test->heads * test->d * 2);
  const uint32_t kv = (uint32_t)(test->kv_heads * test->d * 2);
  return (engine_args_t){.q = buffers[Q].address,
                         .k = buffers[K].address,
                         .v = buffers[V].address,
                         .out = buffers[OUT].address,
                         .visible = test->mask ? buffers[VISIBLE].address : 0,
                         .q_pitch = heads,
                         .k_pitch = kv,
                         .v_pitch = kv,
                         .out_pitch = heads,
                         .visible_pitch = (uint32_t)test->pitch,
                         .tokens = (uint32_t)test->tokens,
                         .keys = (uint32_t)test->keys,
                         .heads = (uint32_t)test->heads,
                         .kv_heads = (uint32_t)test->kv_heads,
                         .dim = (uint32_t)test->d,
                         .scale = test->mistake == RIGHT ? num_f32_bits(scale) : (uint32_t)test->mistake,
                         .causal = (uint32_t)test->causal,
                         .chunk = (uint32_t)test->chunk};
}

// One kernel: tokens first .. first + n - 1 of the queries over so many keys.
static soc_status_t launch(const test_t *test, soc_t *soc, const char *firmware, const engine_args_t *args,
                           size_t first, const void *out, verdict_t *verdict) {
  uint64_t cycles;
  const soc_status_t status = soc_launch(soc, firmware, args, sizeof *args, &cycles);
  if (status != SOC_DONE) {
    return status;
  }
  printf("cycles %llu\n", (unsigned long long)cycles);
  const size_t row = test->heads * test->d;
  for (size_t i = 0; i < args->tokens; ++i) {
    for (size_t head = 0; head < test->heads; ++head) {
      const query_t query = {.q = test->q + (first + i) * row + head * test->d,
                             .token = i,
                             .head = head,
                             .keys = args->keys,
                             .limit = args->causal ? args->keys - args->tokens + i + 1 : args->keys};
      compare(test, &query, (const num_bf16_t *)out + (first + i) * row + head * test->d, verdict);
    }
  }
  return SOC_DONE;
}

static int run(test_t test, const char *firmware) {
  soc_options_t options = {0};
  set_machine(&test, &options);
  const size_t queries = (test.tokens + test.decode) * test.heads * test.d * 2;
  const size_t keys = test.all * test.kv_heads * test.d * 2;
  soc_buffer_t buffers[BUFFERS] = {
      [Q] = {.name = "q", .bytes = queries, .init = test.q, .read_only = true},
      [K] = {.name = "k", .bytes = keys, .init = test.k, .read_only = true},
      [V] = {.name = "v", .bytes = keys, .init = test.v, .read_only = true},
      [VISIBLE] = {.name = "visible", .bytes = test.tokens * test.pitch, .init = test.visible, .read_only = true},
      [OUT] = {.name = "out", .bytes = queries}};
  soc_place(buffers, BUFFERS);
  soc_result_t result;
  soc_t *soc = soc_open(&options, buffers, BUFFERS, sizeof(engine_args_t), &result);
  if (soc == NULL) {
    fprintf(stderr, "%s\n", result.error);
    return (int)result.status;
  }
  verdict_t verdict = {0};
  engine_args_t args = make_args(&test, buffers);
  const void *out = soc_bytes(soc, buffers[OUT].address);
  soc_status_t status = launch(&test, soc, firmware, &args, 0, out, &verdict);
  const uint64_t token_bytes = test.heads * test.d * 2;
  args.q += test.tokens * token_bytes;
  args.out += test.tokens * token_bytes;
  args.tokens = 1;
  args.visible = 0;
  test.mask = 0;
  for (size_t i = 0; i < test.decode && status == SOC_DONE; ++i) {
    args.keys += 1;
    status = launch(&test, soc, firmware, &args, test.tokens + i, out, &verdict);
    args.q += token_bytes;
    args.out += token_bytes;
  }
  soc_close(soc);
  if (status != SOC_DONE) {
    fprintf(stderr, "%s\n", result.error);
    soc_result_free(&result);
    return (int)status;
  }
  const double error = sqrt(verdict.error / verdict.size);
  const size_t unwritten = result.unwritten_count;
  if (unwritten > 0) {
    printf("nobody wrote what %s reads\n", result.unwritten[0].read);
  }
  printf("rtl_cycles %llu\n%zu of %zu values differ, relative error %.4f\n", (unsigned long long)result.rtl_cycles,
         verdict.differ, verdict.values, error);
  soc_result_free(&result);
  return verdict.differ == 0 && unwritten == 0 && error < (test.fa2 || test.corrected ? 0.1 : 2) ? 0 : 1;
}

int main(int argc, char **argv) {
  test_t test = {0};
  if (argc < 2) {
    fprintf(stderr, "usage: engine_kernel FIRMWARE [name=value ...]\n");
    return 2;
  }
  if (!parse(&test, argc, argv)) {
    return 2;
  }
  make_inputs(&test);
  int code = 0;
  for (size_t i = 0; i < test.machines && code == 0; ++i) {
    code = run(test, argv[1]);
    soc_clear_memory();
    test.rtl = test.rtl == 0;
  }
  free_inputs(&test);
  return code;
}
