// One W4A16 of a step on the SoC, or several after each other:
//   w4a16 FIRMWARE [NAME=VALUE]...
// Products: groups, m rows each; or rows by routing: tokens, top, first, and spread, which says whom tokens choose (0:
// anybody of twice as many as are here, 1: all the same ones, 2: none that is here, 3: only one token one). n, k,
// group, zeros=0|1|2 (enum w4a16_zeros), unsigned=1, f32=1, pad (32 bytes between rows). How: tile, rows (of a tile
// that is dequantised), cores, config=NAME, threads, gm=rtl|c, timing=1, race=0, times=N, log=FILE. Prints cycles,
// traffic and what the pipes did; compares every bit, that nothing else was written, and that only weights somebody
// needs were read, unless for timing. Exit code: 0, 1 wrong, or that of the run (2 bad input, 3 stopped).
// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "num/num_format.h"
#include "num/num_rng.h"
#include "num/golden/num_w4a16.h"
#include "step_list.h"

enum { LINE = 512, SPARE = 3 };  // rows of c that belong to nobody

typedef struct shape {
  uint32_t groups, m, tokens, top, spread, first;
  uint32_t n, k, group, zeros, is_unsigned, f32, pad;
  uint32_t tile, rows, cores, timing, race, times, threads;
  const char *config, *gm, *log;
} shape_t;

typedef struct problem {
  shape_t shape;
  uint32_t *row;  // [groups + 1], where each product's begin
  int32_t *chosen;
  uint16_t *a, *scale, *zero;
  uint8_t *w, *c;                 // with timing only, these and the three before: NULL
  uint64_t w_group, scale_group;  // bytes from product to product
  size_t a_row, c_row;            // bytes from row to row
  step_list_t list;
  size_t w_array;  // of the list
} problem_t;

static uint64_t line_up(uint64_t bytes) { return (bytes + LINE - 1) / LINE * LINE; }

static bool read_option(shape_t *s, const char *text) {
  const struct {
    const char *name;
    uint32_t *number;
    const char **word;
  } options[] = {
      {"groups", &s->groups, NULL},
      {"m", &s->m, NULL},
      {"tokens", &s->tokens, NULL},
      {"top", &s->top, NULL},
      {"spread", &s->spread, NULL},
      {"first", &s->first, NULL},
      {"n", &s->n, NULL},
      {"k", &s->k, NULL},
      {"group", &s->group, NULL},
      {"zeros", &s->zeros, NULL},
      {"unsigned", &s->is_unsigned, NULL},
      {"f32", &s->f32, NULL},
      {"tile", &s->tile, NULL},
      {"rows", &s->rows, NULL},
      {"cores", &s->cores, NULL},
      {"timing", &s->timing, NULL},
      {"race", &s->race, NULL},
      {"times", &s->times, NULL},
      {"threads", &s->threads, NULL},
      {"pad", &s->pad, NULL},
      {"config", NULL, &s->config},
      {"gm", NULL, &s->gm},
      {"log", NULL, &s->log},
  };
  const char *value = strchr(text, '=');
  for (size_t i = 0; value != NULL && i < sizeof options / sizeof *options; ++i) {
    if (strlen(options[i].name) == (size_t)(value - text) &&
        memcmp(options[i].name, text, (size_t)(value - text)) == 0) {
      if (options[i].word != NULL) {
        *options[i].word = value + 1;
      } else {
        *options[i].number = (uint32_t)strtoul(value + 1, NULL, 10);
      }
      return true;
    }
  }
  return false;
}

// --- what is multiplied -------------------------------------------------------------------------

// Token t's i-th expert, of twice as many as are here.
static uint32_t choice(const shape_t *s, num_rng_t *rng, uint32_t t, uint32_t i, const int32_t *before) {
  const uint32_t all = 2 * s->groups > s->top ? 2 * s->groups : s->top;
  const uint32_t outside = s->first > 0 ? 0 : s->groups;  // the first of those that are not here
  if (s->spread == 1) {
    return s->first + i;
  }
  if (s->spread == 3 && t == s->tokens / 2 && i == 0) {
    return s->first + s->groups / 2;
  }
  if (s->spread >= 2) {
    return (outside + i) % (s->first > 0 ? s->first : all);
  }
  for (;;) {
    const uint32_t expert = (uint32_t)(num_rng_u64(rng) % all);
    bool taken = false;
    for (uint32_t j = 0; j < i; ++j) {
      taken |= before[j] == (int32_t)expert;
    }
    if (!taken) {
      return expert;
    }
  }
}

static void choose(problem_t *p, num_rng_t *rng) {
  const shape_t *s = &p->shape;
  p->chosen = step_allocate((uint64_t)s->tokens * s->top * sizeof *p->chosen, 1);
  for (uint32_t i = 0; i < s->tokens * s->top; ++i) {
    const uint32_t place = i % s->top;
    p->chosen[i] = (int32_t)choice(s, rng, i / s->top, place, &p->chosen[i - place]);
    for (uint32_t g = (uint32_t)p->chosen[i] - s->first; g < s->groups; ++g) {
      p->row[g + 1]++;
    }
  }
}

static void fill_weights(const problem_t *p, num_rng_t *rng) {
  const shape_t *s = &p->shape;
  for (size_t i = 0; i < s->groups * p->w_group; ++i) {
    p->w[i] = (uint8_t)num_rng_u64(rng);
  }
  for (size_t i = 0; i < s->groups * p->scale_group / 2; ++i) {
    const double value = num_rng_uniform(rng) * 12 - (s->is_unsigned != 0 ? 0 : 6);
    p->scale[i] = num_fp16_from_f32((float)(0.01 + num_rng_uniform(rng)));
    p->zero[i] = num_fp16_from_f32(s->zeros == W4A16_ANY_ZEROS ? (float)(value / 7) : (float)(int)value);
  }
}

static void make_up(problem_t *p) {
  const shape_t *s = &p->shape;
  num_rng_t rng;
  num_rng_seed(&rng, s->n * 1009ull + s->k + s->tokens);
  p->row = step_allocate((s->groups + 1) * sizeof *p->row, 1);
  if (s->top > 0) {
    choose(p, &rng);
  }
  for (uint32_t g = 0; s->top == 0 && g < s->groups; ++g) {
    p->row[g + 1] = (g + 1) * s->m;
  }
  const uint64_t rows = p->row[s->groups];
  p->w_group = line_up((uint64_t)s->k * s->n / 2);
  p->scale_group = line_up(2ull * (s->k / s->group) * s->n);
  p->a_row = 2 * s->k + 32 * s->pad;
  p->c_row = s->n * (s->f32 != 0 ? 4u : 2u) + 32 * s->pad;
  if (s->timing != 0) {
    return;
  }
  p->a = step_allocate(rows * p->a_row + LINE, 1);
  p->w = step_allocate(s->groups * p->w_group, 1);
  p->scale = step_allocate(s->groups * p->scale_group, 1);
  p->zero = step_allocate(s->groups * p->scale_group, 1);
  p->c = step_allocate((rows + SPARE) * p->c_row, 1);
  for (size_t i = 0; i < rows * p->a_row / 2; ++i) {
    p->a[i] = num_fp16_from_f32((float)num_rng_normal(&rng));
  }
  fill_weights(p, &rng);
}

static void release(problem_t *p) {
  void *const all[] = {p->row, p->chosen, p->a, p->w, p->scale, p->zero, p->c};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    free(all[i]);
  }
}

// --- the run ------------------------------------------------------------------------------------

static void make_list(problem_t *p) {
  const shape_t *s = &p->shape;
  step_list_t *list = &p->list;
  const uint64_t rows = p->row[s->groups];
  step_list_open(list);
  step_w4a16_args_t args = {
      .product = {.a = step_list_input(list, "a", p->a, rows * p->a_row + LINE),
                  .w = step_list_input(list, "w", p->w, s->groups * p->w_group),
                  .scale = step_list_input(list, "scale", p->scale, s->groups * p->scale_group),
                  .zero = step_list_input(list, "zero", p->zero, s->groups * p->scale_group),
                  .c = step_list_output(list, "c", p->c, (rows + SPARE) * p->c_row),
                  .b = step_list_output(list, "ring", NULL, (uint64_t)s->cores * W4A16_RING * W4A16_SLOT),
                  .m = s->m,
                  .n = s->n,
                  .k = s->k,
                  .group = s->group,
                  .splits = 1,
                  .tile_cols = s->tile,
                  .dequant_rows = s->rows,
                  .phases = W4A16_OVERLAPPED,
                  .zeros = s->zeros,
                  .nibbles = s->is_unsigned != 0 ? TYPE_U4 : TYPE_S4,
                  .out_f32 = s->f32},
      .a_group = s->m * p->a_row,
      .c_group = s->m * p->c_row,
      .w_group = p->w_group,
      .scale_group = p->scale_group,
      .zero_group = p->scale_group,
      .a_pitch = s->pad != 0 ? (uint32_t)p->a_row : 0,
      .c_pitch = s->pad != 0 ? (uint32_t)p->c_row : 0,
      .groups = s->groups};
  for (p->w_array = 0; p->list.array[p->w_array].address != args.product.w;) {
    p->w_array++;
  }
  if (s->top > 0) {
    args.product.m = 0;
    args.routing =
        (step_routing_t){.chosen = step_list_numbers(list, "chosen", p->chosen, 4ull * s->tokens * s->top, true),
                         .tokens = s->tokens,
                         .top = s->top,
                         .first = s->first,
                         .here = s->groups};
  }
  for (uint32_t i = 0; i < s->times; ++i) {
    step_list_add(list, STEP_W4A16, &args, sizeof args);
  }
}

static bool load_config(shape_t *s, config_t *config) {
  base_error_t reason;
  const bool ok = config_open(s->config, config, &reason);
  if (!ok) {
    fprintf(stderr, "%s: %s\n", s->config, reason.text);
    return false;
  }
  config->soc.ai_cores = s->cores > 0 ? s->cores : config->soc.ai_cores;
  config->soc.launch_us = config->soc.skew_us = 0;
  s->cores = config->soc.ai_cores;
  return true;
}

static soc_status_t simulate(problem_t *p, const char *firmware, const config_t *config, soc_result_t *result) {
  const shape_t *s = &p->shape;
  make_list(p);
  const step_args_t args = {.entries = p->list.array[0].address, .count = p->list.count};
  const soc_options_t options = {.config = *config,
                                 .firmware = strstr(firmware, ".so") != NULL ? SOC_FIRMWARE_NATIVE : SOC_FIRMWARE_RISCV,
                                 .firmware_file = firmware,
                                 .gm = strcmp(s->gm, "rtl") == 0 ? SOC_GM_RTL : SOC_GM_C,
                                 .race_check = s->race != 0,
                                 .init_check = true,
                                 .timing_only = s->timing != 0,
                                 .threads = s->threads,
                                 .watch = {.log = s->log}};
  return soc_run(&options, p->list.array, p->list.arrays, &args, sizeof args, result);
}

// --- the contract -------------------------------------------------------------------------------

// Wrong rows of c of one product.
static size_t wrong_in(const problem_t *p, uint32_t g) {
  const shape_t *s = &p->shape;
  const size_t rows = p->row[g + 1] - p->row[g], n = s->n;
  const size_t scales = g * p->scale_group / 2;
  const num_w4_t weights = {.k = s->k,
                            .n = n,
                            .group = s->group,
                            .is_unsigned = s->is_unsigned != 0,
                            .w = (const uint32_t *)(const void *)(p->w + g * p->w_group),
                            .scale = p->scale + scales,
                            .zero = s->zeros == W4A16_NO_ZEROS ? NULL : p->zero + scales};
  uint16_t *b = step_allocate(s->k * n * sizeof *b, 1);
  float *c = step_allocate(n * sizeof *c, 1);
  uint8_t *row = step_allocate(p->c_row, 1);
  size_t wrong = 0;
  num_w4_dequantise(&weights, b);
  for (size_t i = p->row[g]; i < p->row[g] + rows; ++i) {
    if (!num_half_matmul(NUM_HALF_FP16, 1, n, s->k, 1, p->a + i * p->a_row / 2, b, 0, n, c)) {
      fprintf(stderr, "out of memory\n");
      exit(2);
    }
    memset(row, 0xff, p->c_row);  // and so are gaps
    for (size_t j = 0; j < n; ++j) {
      const uint16_t half = num_fp16_from_f32(c[j]);
      memcpy(row + j * (s->f32 != 0 ? 4 : 2), s->f32 != 0 ? (const void *)&c[j] : &half, s->f32 != 0 ? 4 : 2);
    }
    wrong += memcmp(row, p->c + i * p->c_row, p->c_row) != 0;
  }
  free(row);
  free(b);
  free(c);
  return wrong;
}

static size_t wrong_rows(const problem_t *p) {
  const shape_t *s = &p->shape;
  size_t wrong = 0;
  for (uint32_t g = 0; g < s->groups; ++g) {
    wrong += wrong_in(p, g);
  }
  for (size_t i = 0; i < SPARE * p->c_row; ++i) {  // nobody's
    wrong += p->c[p->row[s->groups] * p->c_row + i] != 0xff;
  }
  return wrong;
}

// Each die has read the weights of products that have rows, at most once, and no others; with whole sectors at their
// ends.
static bool reads_too_much(const problem_t *p, const config_t *config) {
  uint64_t most = 0;
  for (uint32_t g = 0; g < p->shape.groups; ++g) {
    most += p->row[g + 1] > p->row[g] ? (uint64_t)p->shape.k * p->shape.n / 2 + 64 : 0;
  }
  return p->list.array[p->w_array].traffic.hbm_read > most * config->soc.dies;
}

// Bytes of the weights that somebody needs.
static double weight_bytes(const problem_t *p) {
  const shape_t *s = &p->shape;
  const double scales = 2.0 * (s->k / s->group) * s->n;
  double bytes = 0;
  for (uint32_t g = 0; g < s->groups; ++g) {
    bytes += p->row[g + 1] > p->row[g] ? 0.5 * s->k * s->n + scales * (s->zeros == W4A16_NO_ZEROS ? 1 : 2) : 0;
  }
  return bytes;
}

static void print(const problem_t *p, const config_t *config, const soc_result_t *result, size_t wrong) {
  const shape_t *s = &p->shape;
  const double hbm = config_bytes_per_cycle(config, config->gm.hbm_gbps) * config->gm.hbm_efficiency * config->soc.dies;
  printf(
      "%llu cycles, %u rows, weights %.0f bytes, HBM read %llu, L2 read %llu write %llu, HBM-bound %.1f %%, %zu "
      "wrong%s\n",
      (unsigned long long)result->cycles, p->row[s->groups], weight_bytes(p), (unsigned long long)result->hbm_read,
      (unsigned long long)result->l2_read, (unsigned long long)result->l2_write,
      100 * weight_bytes(p) * s->times / hbm / (double)result->cycles, wrong, s->timing != 0 ? " (not compared)" : "");
  for (size_t i = 0; i < result->pipe_count; ++i) {
    const soc_pipe_t *pipe = &result->pipes[i];
    if (strcmp(pipe->core, "cube0") == 0 || strcmp(pipe->core, "vector0_0") == 0) {
      printf("  %-9s %-4s %6llu commands, busy %5.1f %%\n", pipe->core, pipe->pipe, (unsigned long long)pipe->commands,
             100.0 * (double)pipe->busy / (double)result->cycles);
    }
  }
}

int main(int argc, char **argv) {
  static problem_t p = {.shape = {.groups = 1,
                                  .m = 1,
                                  .n = 512,
                                  .k = 512,
                                  .group = 128,
                                  .tile = 128,
                                  .race = 1,
                                  .times = 1,
                                  .threads = 2,
                                  .config = "ascend910_core",
                                  .gm = "c"}};
  shape_t *s = &p.shape;
  config_t config;
  bool right = argc >= 2;
  for (int i = 2; right && i < argc; ++i) {
    right = read_option(s, argv[i]);
  }
  if (!right) {
    fprintf(stderr, "usage: w4a16 FIRMWARE [NAME=VALUE]...\n");
    return 2;
  }
  if (!load_config(s, &config)) {
    return 2;
  }
  const uint32_t most = (s->zeros == W4A16_ANY_ZEROS ? 8192 : 16384) / s->tile;
  s->rows = s->rows > 0 ? s->rows : most < 128 ? most : 128;
  make_up(&p);
  soc_result_t result = {0};
  const soc_status_t status = simulate(&p, argv[1], &config, &result);
  if (result.unwritten_count > 0) {
    fprintf(stderr, "nobody wrote what %s reads\n", result.unwritten[0].read);
    return 1;
  }
  if (status != SOC_DONE) {
    fprintf(stderr, "%s\n", result.error);
    return (int)status;
  }
  const size_t wrong = s->timing != 0 ? 0 : wrong_rows(&p);
  const bool too_much = reads_too_much(&p, &config);
  if (too_much) {
    printf("weights that nobody needs are read\n");
  }
  print(&p, &config, &result, wrong);
  soc_result_free(&result);
  release(&p);
  return wrong > 0 || too_much ? 1 : 0;
}
