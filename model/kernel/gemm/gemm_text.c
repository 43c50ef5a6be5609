// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "cli/run/run_text.h"
#include "host/host.h"
#include "kernel/gemm/gemm_result.h"

static void print_how(FILE *file, const gemm_settings_t *s) {
  static const char *const phases[W4A16_PHASES_COUNT] = {
      "phases one after the other", "phases overlapped", "straight into L1"};
  if (s->splitk) {
    fprintf(file, ", split-K of %u slice%s", s->splits, plural(s->splits));
  } else {
    fprintf(file, ", data-parallel");
  }
  fprintf(file, ", tiles of %u columns, %s", s->tile_n, phases[s->phases]);
}

static void print_input(FILE *file, const gemm_result_t *result) {
  static const char *const zeros[W4A16_ZEROS_COUNT] = {
      "no zero points", "zero points", "zero points that need FP32"};
  const gemm_problem_t *p = result->problem;
  const gemm_settings_t *s = result->settings;
  fprintf(file, "kernel   %s on %s", s->kernel, result->options->config);
  if (s->soc.config.soc.ai_cores != 1) {
    fprintf(file, ", %u AI cores", (unsigned)s->soc.config.soc.ai_cores);
  }
  if (p->quantised) {
    print_how(file, s);
  }
  fprintf(file, "\ndata     %s\nshape    M %zu, N %zu, K %zu", p->source, p->m, p->n, p->k);
  if (p->quantised) {
    fprintf(file, "; %s nibbles, groups of %zu, %s", p->is_unsigned ? "unsigned" : "signed",
            p->group, zeros[p->zeros]);
  }
  fputc('\n', file);
}

static void print_error(FILE *file, const gemm_result_t *result) {
  const gemm_problem_t *p = result->problem;
  if (result->judged_cols > 0) {
    fprintf(file, "error    %.3g relative to FP64", result->error.rel_fro);
    if (result->judged_cols != p->n) {
      fprintf(file, " in %zu of %zu columns", result->judged_cols, p->n);
    }
    fprintf(file, " (%s output, tolerance %g)\n         largest %.3g absolute, cosine difference "
            "%.2g\n", result->settings->out_f32 ? "FP32" : "FP16", result->tolerance,
            result->error.max_abs, result->error.cos_diff);
  }
  if (result->verified) {
    fprintf(file, "verify   %zu of %zu elements differ from the contract's C loops",
            result->wrong_bits, p->m * p->n);
    if (result->b != NULL) {
      fprintf(file, ", %zu of %zu dequantised weights", result->wrong_weights, p->k * p->n);
    }
    fputc('\n', file);
  }
}

static void print_phases(FILE *file, const gemm_result_t *result) {
  const gemm_run_t *run = &result->run;
  const double mhz = result->settings->soc.config.soc.clock_mhz;
  if (run->phases < 2) {
    return;
  }
  fprintf(file, "phases   %-12s %8s %10s %10s %10s %10s  MB\n", "", "us", "HBM read", "write",
          "L2 read", "write");
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

static void print_time(FILE *file, const gemm_result_t *result) {
  const soc_result_t *soc = &result->run.soc;
  const config_t *config = &result->settings->soc.config;
  fprintf(file,
          "time     %llu cycles = %.1f us at %g MHz; cube utilisation %.1f %% of %.4g GFLOP\n",
          (unsigned long long)soc->cycles, (double)soc->cycles / config->soc.clock_mhz,
          config->soc.clock_mhz, 100 * gemm_fu(result->problem, config, soc->cycles),
          (double)gemm_flops(result->problem) * 1e-9);
  run_text_traffic(file, soc);
  print_phases(file, result);
}

static void print_host(FILE *file, const gemm_result_t *result) {
  const soc_result_t *soc = &result->run.soc;
  fprintf(file,
          "host     %.2f s: firmware %.2f, matrix %.2f, vector %.2f, copies %.2f; %llu RV64 "
          "instructions, %.0f MB\n",
          soc->seconds, soc->scalar_seconds, soc->matmul_seconds, soc->vector_seconds,
          soc->copy_seconds, (unsigned long long)soc->scalar_instructions, host_peak_rss_mb());
}

void gemm_result_text(FILE *file, const gemm_result_t *result) {
  print_input(file, result);
  print_error(file, result);
  print_time(file, result);
  run_text_pipes(file, &result->run.soc, result->settings->soc.config.soc.ai_cores > 1);
  print_host(file, result);
}
