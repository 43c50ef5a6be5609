// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "cli/attention/attention_result.h"
#include "cli/attention/attention_simulate.h"

enum { MAX_TOKENS_SHOWN = 8, STALLS_SHOWN = 3, PIPE_SUMS_MAX = 16 };

static void print_input(FILE *file, const result_t *result) {
  const attention_problem_t *p = result->problem;
  fprintf(file, "kernel   %s on %s", result->settings->kernel, result->options->config);
  if (result->settings->soc.config.soc.ai_cores != 1) {
    fprintf(file, ", %u AI cores", (unsigned)result->settings->soc.config.soc.ai_cores);
  }
  fprintf(file, "\ndata     %s\n", p->source);
  fprintf(file, "shape    ");
  if (p->batch > 1) {
    fprintf(file, "batch %zu x ", p->batch);
  }
  fprintf(file, "%zu query token%s x %zu heads, %zu keys, Dk %zu, Dv %zu, blocks of %zu%s\n",
          p->seq_q, p->seq_q == 1 ? "" : "s", p->heads, p->keys, p->dk, p->dv, p->block,
          p->visible == NULL ? "" : ", masked");
}

static void print_tokens(FILE *file, const result_t *result) {
  const size_t tokens = result->problem->batch * result->problem->seq_q;
  if (result->per_token == NULL || tokens == 1) {
    return;
  }
  for (size_t i = 0; i < tokens && i < MAX_TOKENS_SHOWN; ++i) {
    fprintf(file, "%s %.3g", i == 0 ? "; by token" : ",", result->per_token[i].rel_fro);
  }
  fputs(tokens > MAX_TOKENS_SHOWN ? ", ..." : "", file);
}

static void print_error(FILE *file, const result_t *result) {
  const attention_problem_t *problem = result->problem;
  if (result->judged_rows > 0) {
    fprintf(file, "error    %.3g relative to FP64", result->error.rel_fro);
    if (result->judged_rows != problem->rows) {
      fprintf(file, " in %zu of %zu rows", problem->batch * result->judged_rows,
              problem->batch * problem->rows);
    }
    fprintf(file, " (%s output, tolerance %g)", result->settings->out_f32 ? "FP32" : "BF16",
            result->tolerance);
    print_tokens(file, result);
    fprintf(file, "\n         largest %.3g absolute, cosine difference %.2g\n",
            result->error.max_abs, result->error.cos_diff);
  }
  if (result->verified) {
    fprintf(file, "verify   %zu of %zu elements differ from the contract's C loops\n",
            result->wrong_bits, attention_out_count(result->problem));
  }
}

static void print_time(FILE *file, const result_t *result) {
  const soc_result_t *soc = &result->soc;
  const config_t *config = &result->settings->soc.config;
  fprintf(file,
          "time     %llu cycles = %.1f us at %g MHz; cube utilisation %.1f %% of %.4g GFLOP\n",
          (unsigned long long)soc->cycles, (double)soc->cycles / config->soc.clock_mhz,
          config->soc.clock_mhz, 100 * attention_fu(result->problem, config, soc->cycles),
          (double)attention_flops(result->problem) * 1e-9);
  result_text_traffic(file, soc);
}

void result_text_traffic(FILE *file, const soc_result_t *soc) {
  fprintf(file, "traffic  HBM read %.2f write %.2f, L2 read %.2f write %.2f, atomic %.2f MB\n",
          (double)soc->hbm_read * 1e-6, (double)soc->hbm_write * 1e-6, (double)soc->l2_read * 1e-6,
          (double)soc->l2_write * 1e-6, (double)soc->atomic_bytes * 1e-6);
}

static void print_guards(FILE *file, const soc_result_t *soc) {
  if (soc->guard_lanes == 0) {
    return;
  }
  fprintf(file, "guards   %llu elements met a guard of the atomic add:",
          (unsigned long long)soc->guard_lanes);
  const char *comma = "";
  const struct {
    const char *name;
    uint64_t slices;
  } guards[] = {{"zero", soc->guard_zero}, {"special", soc->guard_special},
                {"underflow", soc->guard_underflow}, {"overflow", soc->guard_overflow}};
  for (size_t i = 0; i < sizeof guards / sizeof *guards; ++i) {
    if (guards[i].slices != 0) {
      fprintf(file, "%s %s", comma, guards[i].name);
      comma = ",";
    }
  }
  fputc('\n', file);
}

static double percent(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : 100 * (double)part / (double)whole;
}

// The pipe's largest stall that is not yet shown, or NULL.
static const soc_stall_t *next_stall(const soc_pipe_t *pipe, const bool shown[SOC_MAX_STALLS]) {
  const soc_stall_t *best = NULL;
  for (size_t i = 0; i < pipe->stalls; ++i) {
    if (!shown[i] && pipe->stall[i].cycles > 0 &&
        (best == NULL || pipe->stall[i].cycles > best->cycles)) {
      best = &pipe->stall[i];
    }
  }
  return best;
}

static void print_pipe(FILE *file, const soc_pipe_t *pipe, uint64_t cycles) {
  bool shown[SOC_MAX_STALLS] = {false};
  fprintf(file, "  %-12s %-5s %5.1f ", pipe->core, pipe->pipe, percent(pipe->busy, cycles));
  for (unsigned i = 0; i < STALLS_SHOWN; ++i) {
    const soc_stall_t *stall = next_stall(pipe, shown);
    if (stall == NULL || percent(stall->cycles, cycles) < 0.05) {
      break;
    }
    shown[stall - pipe->stall] = true;
    fprintf(file, "%s %s %.1f", i == 0 ? " " : ",", stall->reason, percent(stall->cycles, cycles));
  }
  fputc('\n', file);
}

// Pipes of one name on all cores of one kind.
typedef struct pipe_sum {
  soc_pipe_t sum;
  unsigned pipes;
} pipe_sum_t;

static void add_stall(soc_pipe_t *sum, const soc_stall_t *stall) {
  for (size_t i = 0; i < sum->stalls; ++i) {
    if (strcmp(sum->stall[i].reason, stall->reason) == 0) {
      sum->stall[i].cycles += stall->cycles;
      return;
    }
  }
  sum->stall[sum->stalls++] = *stall;
}

// "cube" of "cube12", "vector" of "vector12_1".
static size_t kind_length(const soc_pipe_t *pipe) { return strcspn(pipe->core, "0123456789"); }

static pipe_sum_t *sum_of(pipe_sum_t sums[PIPE_SUMS_MAX], const soc_pipe_t *pipe) {
  const size_t length = kind_length(pipe);
  pipe_sum_t *s = sums;
  while (s->pipes > 0 && (s->sum.pipe != pipe->pipe || kind_length(&s->sum) != length)) {
    ++s;
  }
  if (s->pipes == 0) {
    s->sum.pipe = pipe->pipe;
    memcpy(s->sum.core, pipe->core, length);
  }
  return s;
}

// Has any core of the pipe's kind been given a command?
static bool kind_works(const soc_result_t *soc, const soc_pipe_t *pipe) {
  const size_t length = kind_length(pipe);
  for (size_t i = 0; i < soc->pipe_count; ++i) {
    const soc_pipe_t *other = &soc->pipes[i];
    if (other->commands > 0 && kind_length(other) == length &&
        memcmp(other->core, pipe->core, length) == 0) {
      return true;
    }
  }
  return false;
}

// With several AI cores: the mean over all of them.
static void print_mean_pipes(FILE *file, const soc_result_t *soc) {
  pipe_sum_t sums[PIPE_SUMS_MAX] = {0};
  for (size_t i = 0; i < soc->pipe_count; ++i) {
    if (!kind_works(soc, &soc->pipes[i])) {
      continue;
    }
    pipe_sum_t *s = sum_of(sums, &soc->pipes[i]);
    ++s->pipes;
    s->sum.busy += soc->pipes[i].busy;
    for (size_t j = 0; j < soc->pipes[i].stalls; ++j) {
      add_stall(&s->sum, &soc->pipes[i].stall[j]);
    }
  }
  for (pipe_sum_t *s = sums; s->pipes > 0; ++s) {
    const size_t length = strlen(s->sum.core);
    snprintf(s->sum.core + length, sizeof s->sum.core - length, " x %u", s->pipes);
    print_pipe(file, &s->sum, soc->cycles * s->pipes);
  }
}

void result_text_pipes(FILE *file, const soc_result_t *soc, bool mean) {
  fprintf(file, "where the cycles went, in %%\n  %-12s %-5s %5s   waiting for\n", "core", "pipe",
          "busy");
  if (mean) {
    print_mean_pipes(file, soc);
    return;
  }
  for (size_t i = 0; i < soc->pipe_count; ++i) {
    if (kind_works(soc, &soc->pipes[i])) {
      print_pipe(file, &soc->pipes[i], soc->cycles);
    }
  }
}

// Arithmetic may run beside the simulation, on other threads.
static void print_host(FILE *file, const result_t *result) {
  const soc_result_t *soc = &result->soc;
  const double arithmetic = soc->matmul_seconds + soc->vector_seconds + soc->copy_seconds;
  fprintf(file, "host     %.2f s: firmware %.2f, memory slices %.2f; arithmetic %.2f", soc->seconds,
          soc->scalar_seconds, soc->rtl_seconds, arithmetic);
  if (arithmetic > 0) {
    fprintf(file, " on %u thread%s: matrix %.2f, vector %.2f, copies %.2f",
            result->settings->soc.threads, result->settings->soc.threads == 1 ? "" : "s",
            soc->matmul_seconds, soc->vector_seconds, soc->copy_seconds);
  }
  fprintf(file, "\n         %llu RTL cycles, %llu RV64 instructions, %.0f MB\n",
          (unsigned long long)soc->rtl_cycles, (unsigned long long)soc->scalar_instructions,
          result_peak_rss_mb());
}

void result_text(FILE *file, const result_t *result) {
  print_input(file, result);
  print_error(file, result);
  print_time(file, result);
  print_guards(file, &result->soc);
  result_text_pipes(file, &result->soc, result->settings->soc.config.soc.ai_cores > 1);
  print_host(file, result);
}
