// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "cli/run/run_text.h"
#include "host/host.h"
#include "kernel/attention/attention_result.h"
#include "kernel/attention/attention_simulate.h"

enum { MAX_TOKENS_SHOWN = 8 };

static void print_input(FILE *file, const attention_result_t *result) {
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

static void print_tokens(FILE *file, const attention_result_t *result) {
  const size_t tokens = result->problem->batch * result->problem->seq_q;
  if (result->per_token == NULL || tokens == 1) {
    return;
  }
  for (size_t i = 0; i < tokens && i < MAX_TOKENS_SHOWN; ++i) {
    fprintf(file, "%s %.3g", i == 0 ? "; by token" : ",", result->per_token[i].rel_fro);
  }
  fputs(tokens > MAX_TOKENS_SHOWN ? ", ..." : "", file);
}

static void print_error(FILE *file, const attention_result_t *result) {
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

static void print_time(FILE *file, const attention_result_t *result) {
  const soc_result_t *soc = &result->soc;
  const config_t *config = &result->settings->soc.config;
  fprintf(file,
          "time     %llu cycles = %.1f us at %g MHz; cube utilisation %.1f %% of %.4g GFLOP\n",
          (unsigned long long)soc->cycles, (double)soc->cycles / config->soc.clock_mhz,
          config->soc.clock_mhz, 100 * attention_fu(result->problem, config, soc->cycles),
          (double)attention_flops(result->problem) * 1e-9);
  run_text_traffic(file, soc);
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

// Arithmetic may run beside the simulation, on other threads.
static void print_host(FILE *file, const attention_result_t *result) {
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
          host_peak_rss_mb());
}

void attention_result_text(FILE *file, const attention_result_t *result) {
  print_input(file, result);
  print_error(file, result);
  print_time(file, result);
  print_guards(file, &result->soc);
  run_text_pipes(file, &result->soc, result->settings->soc.config.soc.ai_cores > 1);
  print_host(file, result);
}
