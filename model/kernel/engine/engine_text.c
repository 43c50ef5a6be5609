// SPDX-License-Identifier: Apache-2.0
#include "cli/run/text.h"
#include "host/host.h"
#include "kernel/engine/engine_result.h"

// Relative to FP64; of a smaller one, Mitchell's additions need not be the largest part.
static const double large_error = 0.1;

static void print_engine(FILE *file, const engine_settings_t *settings) {
  const engine_shape_t *shape = &settings->shape;
  const num_hfa_t *hfa = &shape->num.hfa;
  fprintf(file, "kernel   %s, ", settings->kernel);
  if (shape->num.design == NUM_DESIGN_HFA) {
    fprintf(file, "%s additions%s", hfa->corrected ? "corrected" : "Mitchell's",
            hfa->zero_exact ? ", exact zeros" : "");
  } else {
    fprintf(file, "%s a lane", shape->one_mul ? "one multiplier" : "two multipliers");
  }
  fprintf(file, "; %zu block%s x %zu quer%s, d %zu, %zu keys; %s\n", shape->num.blocks,
          plural(shape->num.blocks), shape->queries, shape->queries == 1 ? "y" : "ies",
          shape->num.d, shape->num.rows, settings->rtl ? "Verilated RTL" : "C model");
}

static void print_input(FILE *file, const engine_result_t *result) {
  const engine_input_t *input = result->input;
  const attention_problem_t *p = &input->problem;
  fprintf(file, "data     %s\n", p->source);
  fprintf(file, "shape    %zu quer%s, %zu key%s, d %zu%s%s\n", p->rows, p->rows == 1 ? "y" : "ies",
          p->keys, plural(p->keys), p->dk, input->causal ? ", causal" : "",
          input->masked ? ", masked" : "");
}

static void print_error(FILE *file, const engine_result_t *result) {
  const engine_shape_t *shape = &result->settings->shape;
  const size_t rows = result->input->problem.rows;
  if (result->judged_rows == 0) {
    return;
  }
  fprintf(file, "error    %.3g relative to FP64", result->error.rel_fro);
  if (result->judged_rows != rows) {
    fprintf(file, " in %zu of %zu rows", result->judged_rows, rows);
  }
  fprintf(file, ", mean of rows %.3g; largest %.3g absolute, cosine difference %.2g\n",
          result->mean_rel, result->error.max_abs, result->error.cos_diff);
  if (shape->num.design == NUM_DESIGN_HFA && !shape->num.hfa.corrected &&
      result->error.rel_fro > large_error) {
    fprintf(file,
            "         as a rule most of it is Mitchell's log2(1 +- x) = +- x in the additions; "
            "--lns corrected does them better\n");
  }
}

static void print_poison(FILE *file, const engine_result_t *result) {
  if (result->input->poisoned_rows > 0) {
    fprintf(file,
            "warning  %zu of %zu rows have infinities or NaNs among what they attend to: their "
            "output is NaN and\n         not part of the error\n",
            result->input->poisoned_rows, result->input->problem.rows);
  }
}

static void print_verify(FILE *file, const engine_result_t *result) {
  const attention_problem_t *p = &result->input->problem;
  if (result->verified) {
    fprintf(file, "verify   %zu of %zu elements differ from the golden C functions'%s\n",
            result->wrong_bits, p->rows * p->dv,
            !result->settings->rtl                  ? ""
            : engine_result_cycles_differ(result) ? "; cycles differ from the C model's"
                                                  : "; cycles are the C model's");
  }
}

static void print_time(FILE *file, const engine_result_t *result) {
  const engine_settings_t *settings = result->settings;
  const engine_cycles_t *cycles = &result->cycles;
  const attention_problem_t *p = &result->input->problem;
  const size_t chunks = (p->keys + settings->shape.num.rows - 1) / settings->shape.num.rows;
  fprintf(file,
          "time     %llu cycles = %.2f us at %g MHz, %.1f a query; utilisation %.1f %%: %llu keys, "
          "%llu rows\n",
          (unsigned long long)cycles->total, (double)cycles->total / settings->clock_mhz,
          settings->clock_mhz, (double)cycles->total / (double)p->rows,
          100 * engine_result_fu(result), (unsigned long long)cycles->keys,
          (unsigned long long)cycles->rows);
  fprintf(file, "load     %llu cycles before that for the keys and values, in %zu chunk%s\n",
          (unsigned long long)cycles->load, chunks, plural(chunks));
}

static void print_host(FILE *file, const engine_result_t *result) {
  const engine_cycles_t *cycles = &result->cycles;
  fprintf(file, "host     %.2f s, %.0f MB", result->seconds, host_peak_rss_mb());
  if (result->settings->rtl && result->seconds > 0) {
    fprintf(file, ", %.3g cycles/s",
            (double)(cycles->total + cycles->load) / result->seconds);
  }
  fputc('\n', file);
}

void engine_result_text(FILE *file, const engine_result_t *result) {
  print_engine(file, result->settings);
  print_input(file, result);
  print_error(file, result);
  print_poison(file, result);
  print_verify(file, result);
  print_time(file, result);
  print_host(file, result);
}
