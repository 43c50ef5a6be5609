// SPDX-License-Identifier: Apache-2.0
#include "cli/text/text.h"

#include <math.h>
#include "host/host.h"

// Relative to FP64; of a smaller one, Mitchell's additions need not be the largest part.
static const double large_error = 0.1;

static void print_engine(FILE *file, const engine_settings_t *settings) {
  const engine_shape_t *shape = &settings->shape;
  const num_hfa_t *hfa = &shape->num.hfa;
  fprintf(file, "kernel   %s, ", settings->kernel);
  if (shape->num.design == NUM_DESIGN_HFA) {
    fprintf(file, "%s additions%s", hfa->corrected ? "corrected" : "Mitchell's",
            hfa->zero_exact ? ", exact zeros" : "");
  } else if (shape->num.design == NUM_DESIGN_EXPMUL) {
    fputs("powers of two for exponentials", file);
  } else {
    fprintf(file, "%s a lane", shape->one_mul ? "one multiplier" : "two multipliers");
  }
  fprintf(file, "; %zu block%s x %zu quer%s, d %zu, %zu keys; %s\n", shape->num.blocks, plural(shape->num.blocks),
          shape->queries, shape->queries == 1 ? "y" : "ies", shape->num.d, shape->num.rows,
          !settings->rtl ? "C model"
          : shape->axi   ? "Verilated RTL behind AXI"
                         : "Verilated RTL");
}

static void print_input(FILE *file, const engine_run_t *run) {
  const engine_problem_t *problem = &run->problem;
  const attention_problem_t *p = &problem->attention;
  fprintf(file, "data     %s\n", p->source);
  fprintf(file, "shape    %zu quer%s, %zu key%s, d %zu%s%s\n", p->rows, p->rows == 1 ? "y" : "ies", p->keys,
          plural(p->keys), p->dk, problem->causal ? ", causal" : "", problem->masked ? ", masked" : "");
}

static void print_error(FILE *file, const engine_run_t *run) {
  const engine_shape_t *shape = &run->settings.shape;
  if (run->kernel.result.judged == 0) {
    return;
  }
  if (!isfinite(run->kernel.result.error.rel_fro)) {
    char first[KERNEL_FIRST_BYTES];
    fprintf(file, "error    is no number: values overflow, of the result or of FP64 attention\n         %s\n",
            kernel_first_lost(&run->kernel.result.lost, first));
    return;
  }
  fprintf(file,
          run->kernel.result.error.absolute ? "error    %.3g absolute, for all is 0 in FP64"
                                            : "error    %.3g relative to FP64",
          run->kernel.result.error.rel_fro);
  if (run->kernel.result.judged != run->kernel.result.judged_of) {
    fprintf(file, " in %zu of %zu rows", run->kernel.result.judged, run->kernel.result.judged_of);
  }
  fprintf(file, ", mean of rows %.3g; largest %.3g absolute, cosine difference %.2g\n", run->mean_rel,
          run->kernel.result.error.max_abs, run->kernel.result.error.cos_diff);
  if (shape->num.design == NUM_DESIGN_HFA && !shape->num.hfa.corrected &&
      run->kernel.result.error.rel_fro > large_error) {
    fprintf(file,
            "         usually most of it comes from Mitchell's log2(1 +- x) = +- x in additions; "
            "--lns corrected is better\n");
  }
}

static void print_poison(FILE *file, const engine_run_t *run) {
  if (run->problem.poisoned_rows > 0) {
    fprintf(file,
            "warning  %zu of %zu rows have infinities or NaNs among what they attend to: their "
            "output is NaN and\n         not part of the error\n",
            run->problem.poisoned_rows, run->problem.attention.rows);
  }
}

static void print_verify(FILE *file, const engine_run_t *run) {
  if (run->kernel.result.verified) {
    fprintf(file, "verify   %zu of %zu elements differ from the golden C functions'%s\n", run->kernel.result.wrong_bits,
            run->kernel.result.elements,
            !run->settings.rtl          ? ""
            : run->settings.shape.axi   ? ""
            : engine_cycles_differ(run) ? "; cycles differ from the C model's"
                                        : "; cycles are the C model's");
  }
  if (run->kernel.result.verified && run->settings.shape.axi) {
    fprintf(file, "bus      the engine alone takes %llu cycles\n", (unsigned long long)run->model.total);
  }
}

static void print_time(FILE *file, const engine_run_t *run) {
  const engine_settings_t *settings = &run->settings;
  const engine_cycles_t *cycles = &run->cycles;
  const attention_problem_t *p = &run->problem.attention;
  const size_t chunks = (p->keys + settings->shape.num.rows - 1) / settings->shape.num.rows;
  fprintf(file,
          "time     %llu cycles = %.2f us at %g MHz, %.1f a query; utilisation %.1f %%: %llu keys, "
          "%llu rows\n",
          (unsigned long long)cycles->total, run->kernel.result.time_us, settings->clock_mhz,
          (double)cycles->total / (double)p->rows, 100 * run->kernel.result.fu, (unsigned long long)cycles->keys,
          (unsigned long long)cycles->rows);
  fprintf(file, "load     %llu cycles before that for the keys and values, in %zu chunk%s\n",
          (unsigned long long)cycles->load, chunks, plural(chunks));
}

static void print_host(FILE *file, const engine_run_t *run) {
  const engine_cycles_t *cycles = &run->cycles;
  fprintf(file, "host     %.2f s, %.0f MB", run->seconds, host_peak_rss_mb());
  if (run->settings.rtl && run->seconds > 0) {
    fprintf(file, ", %.3g cycles/s", (double)(cycles->total + cycles->load) / run->seconds);
  }
  fputc('\n', file);
}

void text_engine(FILE *file, const kernel_run_t *kernel) {
  const engine_run_t *run = (const engine_run_t *)kernel;
  print_engine(file, &run->settings);
  print_input(file, run);
  print_error(file, run);
  print_poison(file, run);
  print_verify(file, run);
  print_time(file, run);
  text_energy(file, &run->priced, &run->kernel.result.soc);
  print_host(file, run);
}
