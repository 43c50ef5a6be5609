// SPDX-License-Identifier: Apache-2.0
#include "cli/text/text.h"

static void print_more(FILE *file, const flash_problem_t *p) {
  fprintf(file, "%s%s", p->sink == NULL ? "" : ", sinks", p->table == NULL ? "" : ", in pages");
  if (p->cap != 0) {
    fprintf(file, ", scores capped at %g", (double)p->cap);
  }
  fputc('\n', file);
}

static void print_input(FILE *file, const flash_run_t *run) {
  const flash_problem_t *p = &run->problem;
  const kernel_machine_t *machine = &run->settings.machine;
  fprintf(file, "kernel   flash on %s", machine->config);
  if (machine->soc.config.soc.ai_cores != 1) {
    fprintf(file, ", %u AI cores", (unsigned)machine->soc.config.soc.ai_cores);
  }
  fprintf(file, "\ndata     %s\nshape    ", p->source);
  if (p->batch > 1) {
    fprintf(file, "batch %zu x ", p->batch);
  }
  fprintf(file, "%zu head%s of %zu", p->heads, plural(p->heads), p->dk);
  if (p->dv != p->dk) {
    fprintf(file, " (values %zu)", p->dv);
  }
  if (p->kv_heads != p->heads) {
    fprintf(file, " on %zu head%s of keys", p->kv_heads, plural(p->kv_heads));
  }
  fprintf(file, ", %zu query token%s, %zu keys, %s%s%s%s", p->seq_q, plural(p->seq_q), p->keys,
          p->fp16 ? "FP16" : "BF16", p->causal ? ", causal" : "",
          p->window > 0        ? ", a window"
          : p->visible == NULL ? ""
                               : ", masked",
          p->length == NULL ? "" : ", lengths");
  print_more(file, p);
  fprintf(file, "         %u groups of rows, blocks of %zu keys", flash_items(&run->deal), p->block);
  if (p->splits > 1) {
    fprintf(file, ", in %zu parts", p->splits);
  }
  fputc('\n', file);
}

static void print_error(FILE *file, const flash_run_t *run) {
  const char *type = run->problem.fp16 ? "FP16" : "BF16";
  if (text_error(file, &run->kernel.result, "FP64", "rows", run->settings.out_f32 ? "FP32" : type)) {
    text_error_more(file, &run->kernel.result);
    fputc('\n', file);
  }
  if (text_verify(file, &run->kernel.result)) {
    fputc('\n', file);
  }
}

void text_flash(FILE *file, const kernel_run_t *kernel) {
  const flash_run_t *run = (const flash_run_t *)kernel;
  const soc_result_t *soc = &run->kernel.result.soc;
  const soc_options_t *options = &run->settings.machine.soc;
  print_input(file, run);
  print_error(file, run);
  text_time(file, &run->kernel.result, &options->config);
  text_traffic(file, &options->config, soc);
  text_pipes(file, soc, options->config.soc.ai_cores > 1);
  text_host(file, soc, options->threads);
}
