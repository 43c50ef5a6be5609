// SPDX-License-Identifier: Apache-2.0
#include "cli/text/text.h"

#include <math.h>

enum { MAX_TOKENS_SHOWN = 8 };

static void print_input(FILE *file, const attention_run_t *run) {
  const attention_problem_t *p = &run->problem;
  const kernel_machine_t *machine = &run->settings.machine;
  fprintf(file, "kernel   %s on %s", run->settings.kernel, machine->config);
  if (machine->soc.config.soc.ai_cores != 1) {
    fprintf(file, ", %u AI cores", (unsigned)machine->soc.config.soc.ai_cores);
  }
  fprintf(file, "\ndata     %s\n", p->source);
  fprintf(file, "shape    ");
  if (p->batch > 1) {
    fprintf(file, "batch %zu x ", p->batch);
  }
  fprintf(file, "%zu query token%s x %zu heads, %zu keys, Dk %zu, Dv %zu, blocks of %zu%s%s\n", p->seq_q,
          plural(p->seq_q), p->heads, p->keys, p->dk, p->dv, p->block, p->visible == NULL ? "" : ", masked",
          run->settings.row_sum == NUM_ROW_SUM_TREE ? ", row sums as trees" : "");
}

static void print_tokens(FILE *file, const attention_run_t *run) {
  const size_t tokens = run->problem.batch * run->problem.seq_q;
  if (run->per_token == NULL || tokens == 1 || !isfinite(run->kernel.result.error.rel_fro)) {
    return;
  }
  for (size_t i = 0; i < tokens && i < MAX_TOKENS_SHOWN; ++i) {
    fprintf(file, "%s %.3g", i == 0 ? "; by token" : ",", run->per_token[i].rel_fro);
  }
  fputs(tokens > MAX_TOKENS_SHOWN ? ", ..." : "", file);
}

static void print_error(FILE *file, const attention_run_t *run) {
  if (text_error(file, &run->kernel.result, "FP64", "rows", run->settings.out_f32 ? "FP32" : "BF16")) {
    print_tokens(file, run);
    text_error_more(file, &run->kernel.result);
    fputc('\n', file);
    text_scores(file, &run->kernel.result);
  }
  if (text_verify(file, &run->kernel.result)) {
    fputc('\n', file);
  }
}

static void print_guards(FILE *file, const soc_result_t *soc) {
  if (soc->guard_lanes == 0) {
    return;
  }
  fprintf(file, "guards   %llu elements met a guard of the atomic add:", (unsigned long long)soc->guard_lanes);
  const char *comma = "";
  const struct {
    const char *name;
    uint64_t slices;
  } guards[] = {{"zero", soc->guard_zero},
                {"special", soc->guard_special},
                {"underflow", soc->guard_underflow},
                {"overflow", soc->guard_overflow}};
  for (size_t i = 0; i < sizeof guards / sizeof *guards; ++i) {
    if (guards[i].slices != 0) {
      fprintf(file, "%s %s", comma, guards[i].name);
      comma = ",";
    }
  }
  fputc('\n', file);
}

void text_attention(FILE *file, const kernel_run_t *kernel) {
  const attention_run_t *run = (const attention_run_t *)kernel;
  const soc_result_t *soc = &run->kernel.result.soc;
  const soc_options_t *options = &run->settings.machine.soc;
  print_input(file, run);
  print_error(file, run);
  text_time(file, &run->kernel.result, &options->config);
  text_traffic(file, &options->config, soc);
  print_guards(file, soc);
  text_pipes(file, soc, options->config.soc.ai_cores > 1);
  text_host(file, soc, options->threads);
}
