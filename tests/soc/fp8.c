// One problem of kernel fp8 on the SoC, at the level of its arguments:
//   fp8 FIRMWARE [NAME=VALUE]...
// The shape's fields by name (fp8_case.h), and: config=NAME, set=a.b=v, gm=rtl|c, warm=1, timing=1,
// timeline=FILE, race=0, verify=0, mistake=N (in place of the scale: firmware/mistakes_pair.c).  Prints cycles, the use
// of the cube cores' peak and what the pipes did; compares every bit, unless for timing. Exit code: 0, 1 wrong bits, or
// that of the run (2 bad input, 3 stopped).
// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "firmware/fp8_case.h"
#include "soc/soc.h"

typedef struct run {
  fp8_shape_t shape;
  const char *config;
  const char *sets[16];
  size_t set_count;
  bool rtl, warm, timing, race, verify, mistaken;
  uint32_t mistake;
  const char *timeline;
} run_t;

static bool read_shape(fp8_shape_t *s, const char *name, uint32_t value) {
  struct {
    const char *name;
    uint32_t *field;
  } const numbers[] = {
      {"query_tokens", &s->query_tokens},
      {"heads", &s->heads},
      {"batch", &s->batch},
      {"tokens", &s->tokens},
      {"topk", &s->topk},
      {"page", &s->page},
      {"block", &s->block},
      {"group", &s->group},
      {"cores", &s->cores},
      {"preload", &s->preload},
      {"rescale", &s->rescale},
      {"tiling", &s->tiling},
      {"kv_buffers", &s->kv_buffers},
      {"qp_buffers", &s->qp_buffers},
  };
  struct {
    const char *name;
    bool *field;
  } const switches[] = {
      {"crossover", &s->crossover}, {"direct", &s->direct}, {"vary", &s->vary}, {"causal", &s->causal},
      {"sinks", &s->sinks},         {"skip", &s->skip},     {"bf16", &s->bf16}, {"no_lse", &s->no_lse},
  };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
    if (strcmp(name, numbers[i].name) == 0) {
      *numbers[i].field = value;
      return true;
    }
  }
  for (size_t i = 0; i < sizeof switches / sizeof *switches; ++i) {
    if (strcmp(name, switches[i].name) == 0) {
      *switches[i].field = value != 0;
      return true;
    }
  }
  return false;
}

static bool read_option(run_t *run, char *text) {
  char *value = strchr(text, '=');
  if (value == NULL) {
    return false;
  }
  *value++ = '\0';
  const uint32_t number = (uint32_t)strtoul(value, NULL, 10);
  if (strcmp(text, "config") == 0) {
    run->config = value;
  } else if (strcmp(text, "set") == 0) {
    run->sets[run->set_count++ % 16] = value;
  } else if (strcmp(text, "gm") == 0) {
    run->rtl = strcmp(value, "rtl") == 0;
  } else if (strcmp(text, "warm") == 0) {
    run->warm = number != 0;
  } else if (strcmp(text, "timing") == 0) {
    run->timing = number != 0;
  } else if (strcmp(text, "race") == 0) {
    run->race = number != 0;
  } else if (strcmp(text, "verify") == 0) {
    run->verify = number != 0;
  } else if (strcmp(text, "mistake") == 0) {
    run->mistaken = true;
    run->mistake = number;
  } else if (strcmp(text, "timeline") == 0) {
    run->timeline = value;
  } else if (strcmp(text, "cache") == 0) {
    run->shape.cache = strcmp(value, "sparse") == 0 ? FP8_SPARSE : strcmp(value, "paged") == 0 ? FP8_PAGED : FP8_DENSE;
  } else if (strcmp(text, "trend") == 0) {
    run->shape.trend = (enum fp8_trend)number;
  } else {
    return read_shape(&run->shape, text, number);
  }
  return true;
}

static bool load_config(const run_t *run, config_t *config) {
  base_error_t reason;
  bool ok = config_open(run->config, config, &reason);
  for (size_t i = 0; ok && i < run->set_count; ++i) {
    ok = config_set(config, run->sets[i], &reason);
  }
  if (!ok) {
    fprintf(stderr, "%s: %s\n", run->config, reason.text);
  }
  return ok;
}

static void print(const run_t *run, const fp8_case_t *problem, const config_t *config, const soc_result_t *result,
                  size_t wrong) {
  const double peak = 2.0 * config->cube.mac_m * config->cube.mac_n * config->cube.mac_k * config->soc.ai_cores;
  uint64_t places = 0;
  for (uint32_t i = 0; i < problem->lists; ++i) {
    places += problem->places[i];
  }
  const double flops = 2.0 * (FP8_DK + FP8_DV) * problem->rows * (double)places;
  printf(
      "%llu cycles, use %.1f %%, %.2f cycles a place, %zu wrong%s; HBM read %llu, L2 read %llu write "
      "%llu, %.1f s, %llu instructions\n",
      (unsigned long long)result->cycles, 100 * flops / (peak * (double)result->cycles),
      (double)result->cycles * config->soc.ai_cores / (double)places, wrong, run->timing ? " (not compared)" : "",
      (unsigned long long)result->hbm_read, (unsigned long long)result->l2_read, (unsigned long long)result->l2_write,
      result->seconds, (unsigned long long)result->scalar_instructions);
  printf("host: matmul %.1f vector %.1f copy %.1f rtl %.1f scalar %.1f\n", result->matmul_seconds,
         result->vector_seconds, result->copy_seconds, result->rtl_seconds, result->scalar_seconds);
  for (size_t i = 0; i < result->pipe_count; ++i) {
    const soc_pipe_t *pipe = &result->pipes[i];
    if (strcmp(pipe->core, "cube0") != 0 && strcmp(pipe->core, "vector0_0") != 0) {
      continue;
    }
    printf("  %-9s %-4s %6llu commands, busy %5.1f %%", pipe->core, pipe->pipe, (unsigned long long)pipe->commands,
           100.0 * (double)pipe->busy / (double)result->cycles);
    for (size_t j = 0; j < pipe->stalls; ++j) {
      printf(", %s %.1f", pipe->stall[j].reason, 100.0 * (double)pipe->stall[j].cycles / (double)result->cycles);
    }
    printf("\n");
  }
}

// Compares and prints; the exit code.
static int judge(const run_t *run, const fp8_case_t *problem, const config_t *config, const soc_result_t *result,
                 void *out, void *lse) {
  size_t wrong = 0;
  if (result->status != SOC_DONE) {
    fprintf(stderr, "%s\n", result->error);
    return (int)result->status;
  }
  if (!run->timing && run->verify) {
    const fp8_result_t expected = fp8_case_expected(problem);
    wrong = fp8_case_wrong(problem, &expected, out, problem->array[FP8_LSE].bytes > 0 ? lse : NULL);
    free(expected.out);
    free(expected.lse);
  }
  print(run, problem, config, result, wrong);
  fflush(stdout);
  if (wrong > 0) {
    fprintf(stderr, "%zu wrong values\n", wrong);
  }
  return wrong > 0 ? 1 : 0;
}

static int simulate(run_t *run, const char *firmware, config_t *config) {
  fp8_case_t problem;
  const uint32_t least = run->shape.crossover ? 2 : 1;
  if (run->shape.cores == 0) {
    run->shape.cores = config->soc.ai_cores > least ? config->soc.ai_cores : least;
  }
  config->soc.ai_cores = run->shape.cores;
  config->soc.direct_path |= run->shape.direct;
  fp8_case_init(&problem, run->shape, 1);
  soc_buffer_t buffers[FP8_ARRAYS];
  int which[FP8_ARRAYS] = {0};
  size_t count = 0;
  for (int i = 0; i < FP8_ARRAYS; ++i) {
    const fp8_array_t *a = &problem.array[i];
    if (a->bytes > 0) {
      which[count] = i;
      buffers[count++] = (soc_buffer_t){
          .name = a->name, .bytes = a->bytes, .init = a->data, .read_only = a->data != NULL, .numbers = a->numbers};
    }
  }
  void *out = calloc(1, problem.array[FP8_OUT].bytes);
  void *lse = calloc(1, problem.array[FP8_LSE].bytes + 1);
  soc_place(buffers, count);
  for (size_t i = 0; i < count; ++i) {
    problem.array[which[i]].address = buffers[i].address;
    buffers[i].result = which[i] == FP8_OUT ? out : which[i] == FP8_LSE ? lse : NULL;
  }
  fp8_case_args(&problem);
  if (run->mistaken) {
    problem.args.attention.scale = run->mistake;
  }
  const soc_options_t options = {.config = *config,
                                 .firmware = strstr(firmware, ".so") != NULL ? SOC_FIRMWARE_NATIVE : SOC_FIRMWARE_RISCV,
                                 .firmware_file = firmware,
                                 .gm = run->rtl ? SOC_GM_RTL : SOC_GM_C,
                                 .pairs = run->shape.crossover,
                                 .race_check = run->race,
                                 .init_check = true,
                                 .timing_only = run->timing,
                                 .l2_warm = run->warm,
                                 .threads = 2,
                                 .watch = {.timeline = run->timeline}};
  soc_result_t result = {0};
  soc_run(&options, buffers, count, &problem.args, fp8_args_bytes(problem.lists), &result);
  if (result.unwritten_count > 0) {
    fprintf(stderr, "nobody wrote what %s reads\n", result.unwritten[0].read);
    abort();
  }
  const int code = judge(run, &problem, config, &result, out, lse);
  soc_result_free(&result);
  fp8_case_free(&problem);
  free(out);
  free(lse);
  return code;
}

int main(int argc, char **argv) {
  run_t run = {.shape = {.query_tokens = 1, .heads = 64, .batch = 1, .tokens = 1100},
               .config = "ascend910_core",
               .race = true,
               .verify = true};
  config_t config;
  bool right = argc >= 2;
  for (int i = 2; right && i < argc; ++i) {
    right = read_option(&run, argv[i]);
  }
  if (!right) {
    fprintf(stderr, "usage: fp8 FIRMWARE [NAME=VALUE]...\n");
    return 2;
  }
  run.shape.blank = run.timing;
  return load_config(&run, &config) ? simulate(&run, argv[1], &config) : 2;
}
