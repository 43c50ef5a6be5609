// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "cli/run/run_text.h"
#include "host/host.h"
#include "kernel/fp8/fp8_bound.h"
#include "kernel/fp8/fp8_result.h"

static void print_lists(FILE *file, const fp8_problem_t *p) {
  if (p->topk != 0) {
    fprintf(file, ", %zu indices a query token", p->topk);
  }
  if (p->page_size != 0) {
    fprintf(file, ", pages of %zu", p->page_size);
  }
  fprintf(file, "%s%s\n", p->causal ? ", causal" : "", p->sink != NULL ? ", sinks" : "");
}

static void print_input(FILE *file, const fp8_result_t *result) {
  const fp8_problem_t *p = result->problem;
  const config_t *config = &result->settings->attention.soc.config;
  fprintf(file, "kernel   fp8 on %s, %u AI core%s, crossover %s, convert %s%s\n",
          result->options->fp8_config, (unsigned)config->soc.ai_cores,
          config->soc.ai_cores == 1 ? "" : "s", result->settings->crossover ? "on" : "off",
          config->vector.e4m3_emulated ? "emulated" : "native",
          result->settings->direct ? ", keys straight into L1" : "");
  fprintf(file, "data     %s\nshape    ", p->source);
  if (p->batch > 1) {
    fprintf(file, "batch %zu x ", p->batch);
  }
  fprintf(file, "%zu query token%s x %zu heads, %zu keys, Dk %d, Dv %d, blocks of %zu", p->seq_q,
          plural(p->seq_q), p->heads, p->capacity, NUM_FP8_KEY, NUM_FP8_LATENT, p->block);
  print_lists(file, p);
}

static void print_error(FILE *file, const fp8_result_t *result) {
  const fp8_problem_t *problem = result->problem;
  if (result->judged_rows > 0) {
    fprintf(file, "error    %.3g relative to FP64 on the dequantised cache", result->error.rel_fro);
    if (result->judged_rows != fp8_list_rows(problem)) {
      fprintf(file, " in %zu of %zu rows", fp8_lists(problem) * result->judged_rows,
              fp8_rows(problem));
    }
    fprintf(file, " (%s output, tolerance %g)\n",
            result->settings->attention.out_f32 ? "FP32" : "BF16", result->tolerance);
    fprintf(file, "         largest %.3g absolute, cosine difference %.2g, log-sum-exp within "
                  "%.2g\n",
            result->error.max_abs, result->error.cos_diff, result->lse_error);
    if (result->has_bf16) {
      fprintf(file, "         %.3g relative to FP64 on the BF16 cache, most of it the "
                    "quantiser's\n",
              result->bf16_error.rel_fro);
    }
  }
  if (result->verified) {
    fprintf(file, "verify   %zu of %zu elements differ from the contract's C loops\n",
            result->wrong_bits, fp8_out_count(problem) + fp8_rows(problem));
  }
}

static void print_time(FILE *file, const fp8_result_t *result) {
  const soc_result_t *soc = &result->soc;
  const fp8_problem_t *problem = result->problem;
  const config_t *config = &result->settings->attention.soc.config;
  const fp8_bound_t bound = fp8_bound(soc);
  fprintf(file,
          "time     %llu cycles = %.1f us at %g MHz; cube utilisation %.1f %% of %.4g GFLOP\n",
          (unsigned long long)soc->cycles, (double)soc->cycles / config->soc.clock_mhz,
          config->soc.clock_mhz, 100 * fp8_fu(problem, config, soc->cycles),
          (double)fp8_flops(problem) * 1e-9);
  fprintf(file, "         %.1f cycles a token on an AI core; busiest pipe %s %s, %.1f %%\n",
          fp8_cycles_per_token(problem, result->settings, soc), bound.core,
          bound.pipe == NULL ? "none" : bound.pipe, 100 * bound.busy);
  run_text_traffic(file, soc);
  fprintf(file, "         bytes a token: HBM read %.0f, L2 read %.0f, L2 write %.0f\n",
          fp8_per_token(problem, soc->hbm_read), fp8_per_token(problem, soc->l2_read),
          fp8_per_token(problem, soc->l2_write));
}

static void print_host(FILE *file, const fp8_result_t *result) {
  const soc_result_t *soc = &result->soc;
  const unsigned threads = result->settings->attention.soc.threads;
  fprintf(file,
          "host     %.2f s: firmware %.2f, memory slices %.2f; arithmetic on %u thread%s: matrix "
          "%.2f, vector %.2f, copies %.2f\n",
          soc->seconds, soc->scalar_seconds, soc->rtl_seconds, threads, plural(threads),
          soc->matmul_seconds, soc->vector_seconds, soc->copy_seconds);
  fprintf(file, "         %llu RTL cycles, %llu RV64 instructions, %.0f MB\n",
          (unsigned long long)soc->rtl_cycles, (unsigned long long)soc->scalar_instructions,
          host_peak_rss_mb());
}

void fp8_result_text(FILE *file, const fp8_result_t *result) {
  print_input(file, result);
  print_error(file, result);
  print_time(file, result);
  run_text_pipes(file, &result->soc, result->settings->attention.soc.config.soc.ai_cores > 2);
  print_host(file, result);
}
