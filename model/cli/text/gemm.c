// SPDX-License-Identifier: Apache-2.0
#include "cli/text/text.h"

#include <math.h>

static void print_how(FILE *file, const gemm_settings_t *s) {
  static const char *const phases[W4A16_PHASES_COUNT] = {"phases one after the other", "phases overlapped",
                                                         "straight into L1"};
  if (s->dataparallel) {
    fprintf(file, ", data-parallel");
  } else {
    fprintf(file, ", split-K of %u slice%s", s->splits, plural(s->splits));
  }
  fprintf(file, ", tiles of %u columns, %s", s->tile_n, phases[s->phases]);
}

static void print_tiles(FILE *file, const gemm_run_t *run) {
  static const char *const layouts[GEMM_LAYOUTS] = {"row-major", "column-major", "fractal"};
  const gemm_settings_t *s = &run->settings;
  if (!s->halving) {
    fprintf(file, ", tiles of %u x %u, %u deep", s->cut.rows, s->cut.cols, s->cut.depth);
  }
  if (s->splits > 1) {
    fprintf(file, ", split-K of %u slices", s->splits);
  }
  if (run->problem.layout != GEMM_ND) {
    fprintf(file, ", weights %s", layouts[run->problem.layout]);
  }
}

static void print_input(FILE *file, const gemm_run_t *run) {
  static const char *const zeros[W4A16_ZEROS_COUNT] = {"no zero points", "zero points", "zero points that need FP32"};
  const gemm_problem_t *p = &run->problem;
  const gemm_settings_t *s = &run->settings;
  fprintf(file, "kernel   %s on %s", s->kernel, s->machine.config);
  if (s->machine.soc.config.soc.ai_cores != 1) {
    fprintf(file, ", %u AI cores", (unsigned)s->machine.soc.config.soc.ai_cores);
  }
  if (p->quantised) {
    print_how(file, s);
  } else if (!p->w8a8) {
    print_tiles(file, run);
  }
  fprintf(file, "\ndata     %s\nshape    M %zu, N %zu, K %zu", p->source, p->m, p->n, p->k);
  if (p->quantised) {
    fprintf(file, "; %s nibbles, groups of %zu, %s", p->is_unsigned ? "unsigned" : "signed", p->group, zeros[p->zeros]);
  } else if (p->w8a8) {
    fprintf(file, "; %s activations%s, a scale a row and a column", p->type == NUM_HALF_BF16 ? "BF16" : "FP16",
            p->has_smooth ? " times factors of columns" : "");
  }
  fputc('\n', file);
}

static void print_error(FILE *file, const gemm_run_t *run) {
  const gemm_problem_t *p = &run->problem;
  if (text_error(file, &run->kernel.result, "FP64", "columns",
                 p->s8 && !p->scaled        ? "S32"
                 : run->settings.out_f32    ? "FP32"
                 : p->type == NUM_HALF_BF16 ? "BF16"
                                            : "FP16")) {
    text_error_more(file, &run->kernel.result);
    fputc('\n', file);
    if (run->has_exact && isfinite(run->exact_error.rel_fro)) {
      fprintf(file, "         that is on %s; on exact ones %.3g\n",
              p->w8a8 ? "activations quantised to 8 bits" : "weights rounded to FP16", run->exact_error.rel_fro);
    }
  }
  if (text_verify(file, &run->kernel.result)) {
    if (run->b != NULL) {
      fprintf(file, ", %zu of %zu dequantised weights", run->wrong_weights, p->k * p->n);
    }
    fputc('\n', file);
  }
}

static void print_phases(FILE *file, const gemm_run_t *run) {
  const double mhz = run->settings.machine.soc.config.soc.clock_mhz;
  if (run->phases < 2) {
    return;
  }
  fprintf(file, "phases   %-12s %8s %10s %10s %10s %10s  MB\n", "", "us", "HBM read", "write", "L2 read", "write");
  for (size_t i = 0; i < run->phases; ++i) {
    const gemm_phase_t *phase = &run->phase[i];
    fprintf(file, "         %-12s", phase->name);
    if (phase->cycles == 0) {
      fprintf(file, " %8s", "with next");
    } else {
      fprintf(file, " %8.1f", (double)phase->cycles / mhz);
    }
    fprintf(file, " %10.2f %10.2f %10.2f %10.2f\n", (double)phase->traffic.hbm_read * 1e-6,
            (double)phase->traffic.hbm_write * 1e-6, (double)phase->traffic.l2_read * 1e-6,
            (double)phase->traffic.l2_write * 1e-6);
  }
}

void text_gemm(FILE *file, const kernel_run_t *kernel) {
  const gemm_run_t *run = (const gemm_run_t *)kernel;
  const soc_options_t *options = &run->settings.machine.soc;
  print_input(file, run);
  print_error(file, run);
  text_time(file, &run->kernel.result, &options->config);
  text_traffic(file, &options->config, &run->kernel.result.soc);
  print_phases(file, run);
  text_pipes(file, &run->kernel.result.soc, options->config.soc.ai_cores > 1);
  text_host(file, &run->kernel.result.soc, options->threads);
}
