// SPDX-License-Identifier: Apache-2.0
#include "cli/text/text.h"

#include <math.h>
#include "kernel/bound.h"

static void print_lists(FILE *file, const fp8_run_t *run) {
  const fp8_problem_t *p = &run->problem;
  if (p->topk != 0) {
    fprintf(file, ", %zu indices a query token", p->topk);
  }
  if (p->page_size != 0) {
    fprintf(file, ", pages of %zu", p->page_size);
  }
  fprintf(file, "%s%s%s\n", p->causal ? ", causal" : "", p->sink != NULL ? ", sinks" : "",
          run->settings.attention.row_sum == NUM_ROW_SUM_TREE ? ", row sums as trees" : "");
}

static void print_input(FILE *file, const fp8_run_t *run) {
  const fp8_problem_t *p = &run->problem;
  const kernel_machine_t *machine = &run->settings.attention.machine;
  const config_t *config = &machine->soc.config;
  fprintf(file, "kernel   fp8 on %s, %u AI core%s, crossover %s, convert %s%s\n", machine->config,
          (unsigned)config->soc.ai_cores, config->soc.ai_cores == 1 ? "" : "s", run->crossover ? "on" : "off",
          config->vector.e4m3_emulated ? "emulated" : "native", run->settings.direct ? ", keys straight into L1" : "");
  fprintf(file, "data     %s\nshape    ", p->source);
  if (p->batch > 1) {
    fprintf(file, "batch %zu x ", p->batch);
  }
  fprintf(file, "%zu query token%s x %zu heads, %zu keys, Dk %d, Dv %d, blocks of %zu", p->seq_q, plural(p->seq_q),
          p->heads, p->capacity, NUM_FP8_KEY, NUM_FP8_LATENT, p->block);
  print_lists(file, run);
}

static void print_error(FILE *file, const fp8_run_t *run) {
  const kernel_result_t *result = &run->kernel.result;
  if (text_error(file, result, "FP64 on the dequantised cache", "rows",
                 run->settings.attention.out_f32 ? "FP32" : "BF16")) {
    text_error_more(file, result);
    if (isfinite(run->lse_error)) {
      fprintf(file, ", log-sum-exp within %.2g", run->lse_error);
    }
    fputc('\n', file);
    if (run->has_bf16 && isfinite(run->bf16_error.rel_fro)) {
      fprintf(file, "         %.3g relative to FP64 on the BF16 cache, most of it the quantiser's\n",
              run->bf16_error.rel_fro);
    }
  }
  text_scores(file, result);
  if (text_verify(file, result)) {
    fputc('\n', file);
  }
}

static void print_bound(FILE *file, const fp8_run_t *run) {
  const kernel_bound_t bound = kernel_bound(&run->kernel.result.soc);
  fprintf(file, "         %.1f cycles a token on an AI core; busiest pipe %s %s, %.1f %%\n", fp8_cycles_per_token(run),
          bound.core, bound.pipe == NULL ? "none" : bound.pipe, 100 * bound.busy);
}

static void print_traffic(FILE *file, const fp8_run_t *run) {
  const fp8_problem_t *problem = &run->problem;
  const soc_result_t *soc = &run->kernel.result.soc;
  text_traffic(file, &run->settings.attention.machine.soc.config, soc);
  fprintf(file, "         bytes a token: HBM read %.0f, L2 read %.0f, L2 write %.0f\n",
          fp8_per_token(problem, soc->hbm_read), fp8_per_token(problem, soc->l2_read),
          fp8_per_token(problem, soc->l2_write));
}

void text_fp8(FILE *file, const kernel_run_t *kernel) {
  const fp8_run_t *run = (const fp8_run_t *)kernel;
  const soc_options_t *options = &run->settings.attention.machine.soc;
  print_input(file, run);
  print_error(file, run);
  text_time(file, &run->kernel.result, &options->config);
  print_bound(file, run);
  print_traffic(file, run);
  text_pipes(file, &run->kernel.result.soc, options->config.soc.ai_cores > 2);
  text_host(file, &run->kernel.result.soc, options->threads);
}
