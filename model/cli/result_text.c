// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "cli/attention_simulate.h"
#include "cli/result.h"

enum { MAX_TOKENS_SHOWN = 8, STALLS_SHOWN = 3 };

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

static void print_pipes(FILE *file, const soc_result_t *soc) {
  fprintf(file, "where the cycles went, in %%\n  %-12s %-5s %5s   waiting for\n", "core", "pipe",
          "busy");
  for (size_t i = 0; i < soc->pipe_count; ++i) {
    print_pipe(file, &soc->pipes[i], soc->cycles);
  }
}

static void print_host(FILE *file, const soc_result_t *soc) {
  const double whole = soc->seconds > 0 ? soc->seconds : 1;
  const double known = soc->matmul_seconds + soc->vector_seconds + soc->copy_seconds +
                       soc->rtl_seconds + soc->scalar_seconds;
  fprintf(file,
          "host     %.2f s: matrix %.0f %%, vector %.0f %%, copies %.0f %%, memory slices %.0f %%, "
          "firmware %.0f %%, rest %.0f %%\n",
          soc->seconds, 100 * soc->matmul_seconds / whole, 100 * soc->vector_seconds / whole,
          100 * soc->copy_seconds / whole, 100 * soc->rtl_seconds / whole,
          100 * soc->scalar_seconds / whole, 100 * (whole - known) / whole);
  fprintf(file, "         %llu RTL cycles, %llu RV64 instructions, %.0f MB\n",
          (unsigned long long)soc->rtl_cycles, (unsigned long long)soc->scalar_instructions,
          result_peak_rss_mb());
}

void result_text(FILE *file, const result_t *result) {
  print_input(file, result);
  print_error(file, result);
  print_time(file, result);
  print_guards(file, &result->soc);
  print_pipes(file, &result->soc);
  print_host(file, &result->soc);
}
