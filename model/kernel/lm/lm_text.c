// SPDX-License-Identifier: Apache-2.0
#include "cli/run/text.h"
#include "host/host.h"
#include "kernel/lm/lm_result.h"

enum { LINE = 100 };

uint64_t lm_result_cycles(const lm_result_t *result) {
  return result->books->cycles + result->books->gemm_cycles;
}

double lm_result_cycles_per_token(const lm_result_t *result) {
  return (double)result->books->cycles / (double)result->tokens;
}

double lm_result_agreement(const lm_score_t *score) {
  return (double)score->agree / (double)score->predictions;
}

// --- before -----------------------------------------------------------------------------------

static void print_kernel(FILE *file, const lm_settings_t *settings) {
  const num_hfa_t *hfa = &settings->options.soc.engine_num.hfa;
  fprintf(file, "kernel   lm%s%s; attention %s", settings->machine ? " on " : "",
          settings->machine ? settings->config : "", lm_arithmetic_names[settings->attention]);
  if (settings->attention == LM_HFA) {
    fprintf(file, ", %s additions%s", hfa->corrected ? "corrected" : "Mitchell's",
            hfa->zero_exact ? ", exact zeros" : "");
  }
  fprintf(file, "; products in %s\n",
          settings->gemm_soc ? "BF16 on the cube core" : "FP32 on the host");
}

static void print_engines(FILE *file, const lm_settings_t *settings) {
  const soc_options_t *soc = &settings->options.soc;
  const config_engine_t *engine = &soc->config.engine;
  if (settings->attention != LM_FP32) {
    fprintf(file, "engines  %u of %u block%s x %u quer%s, %u keys, in chunks of %zu; %s\n",
            soc->config.soc.engines, engine->blocks, plural(engine->blocks), engine->queries,
            engine->queries == 1 ? "y" : "ies", engine->rows, settings->options.chunk,
            soc->engine == SOC_ENGINE_RTL ? "Verilated RTL" : "C model");
  }
}

static void print_data(FILE *file, const lm_result_t *result) {
  if (result->windows > 0) {
    const size_t longest = result->shape->context;
    fprintf(file, "data     %s, %zu window%s of %zu bytes%s\n", result->text, result->windows,
            plural(result->windows), longest + 1,
            result->scores[result->windows - 1].predictions < longest ? ", the last one shorter"
                                                                      : "");
  } else {
    const lm_generation_t *g = &result->generation;
    fprintf(file, "data     a prompt of %zu byte%s%s, %zu byte%s more\n", g->prompt_bytes,
            plural(g->prompt_bytes),
            result->options->prompt == NULL ? " (no --prompt or --eval was given)" : "", g->tokens,
            plural(g->tokens));
  }
}

void lm_result_text_head(FILE *file, const lm_result_t *result) {
  const lm_shape_t *s = result->shape;
  print_kernel(file, result->settings);
  print_engines(file, result->settings);
  fprintf(file, "model    %s: %zu layer%s, %zu head%s of %zu", result->model, s->layers,
          plural(s->layers), s->heads, plural(s->heads), s->head_dim);
  if (s->kv_heads != s->heads) {
    fprintf(file, " over %zu of keys and values", s->kv_heads);
  }
  fprintf(file, ", dim %zu, context %zu\n", s->dim, s->context);
  print_data(file, result);
}

void lm_result_text_generated(FILE *file, const lm_result_t *result) {
  const lm_generation_t *g = &result->generation;
  if (result->windows == 0) {
    fwrite(g->prompt, 1, g->prompt_bytes, file);
    fwrite(g->text, 1, g->tokens, file);
    fputc('\n', file);
  }
}

// --- after ------------------------------------------------------------------------------------

static void print_windows(FILE *file, const lm_result_t *result) {
  int column = fprintf(file, "         by window");
  for (size_t i = 0; i < result->windows; ++i) {
    char item[48];
    const double loss = result->scores[i].loss;
    const char *comma = i + 1 < result->windows ? "," : "";
    const int length =
        result->settings->machine
            ? snprintf(item, sizeof item, " %.4f (%+.4f)%s", loss, loss - result->fp32[i].loss,
                       comma)
            : snprintf(item, sizeof item, " %.4f%s", loss, comma);
    if (column + length > LINE) {
      column = fprintf(file, "\n        ") - 1;
    }
    fputs(item, file);
    column += length;
  }
  fputc('\n', file);
}

static void print_loss(FILE *file, const lm_result_t *result) {
  const lm_score_t *mean = &result->mean;
  fprintf(file, "loss     %.4f nats a byte over %zu prediction%s", mean->loss, mean->predictions,
          plural(mean->predictions));
  if (result->settings->machine) {
    fprintf(file, ", FP32 %.4f (%+.4f); the best byte is FP32's in %.2f %%",
            result->fp32_mean.loss, mean->loss - result->fp32_mean.loss,
            100 * lm_result_agreement(mean));
  }
  fputc('\n', file);
  if (result->windows > 1) {
    print_windows(file, result);
  }
}

static void print_gap(FILE *file, const lm_result_t *result) {
  const lm_generation_t *g = &result->generation;
  fprintf(file, "choices  of the best byte; smallest gap to the second best logit %.4f, at byte %zu "
                "of %zu\n", g->gap, g->gap_at + 1, g->tokens);
}

static void print_layers(FILE *file, const lm_result_t *result) {
  const lm_machine_books_t *books = result->books;
  fprintf(file, "         attention %.0f cycles a token in %llu launch%s, by layer",
          lm_result_cycles_per_token(result), (unsigned long long)books->launches,
          books->launches == 1 ? "" : "es");
  for (size_t i = 0; i < result->shape->layers; ++i) {
    fprintf(file, "%s %.0f", i == 0 ? "" : ",",
            (double)books->layer_cycles[i] / (double)result->tokens);
  }
  fputc('\n', file);
}

static void print_time(FILE *file, const lm_result_t *result) {
  const config_t *config = &result->settings->options.soc.config;
  const lm_machine_books_t *books = result->books;
  const uint64_t cycles = lm_result_cycles(result);
  fprintf(file, "time     %llu cycles = %.1f us at %g MHz", (unsigned long long)cycles,
          (double)cycles / config->soc.clock_mhz, config->soc.clock_mhz);
  if (result->settings->gemm_soc) {
    fprintf(file, ": attention %llu, products %llu in %llu launches",
            (unsigned long long)books->cycles, (unsigned long long)books->gemm_cycles,
            (unsigned long long)books->gemm_launches);
  } else {
    fputs(", all attention's; products take none", file);
  }
  fputc('\n', file);
  if (result->settings->attention != LM_FP32) {
    print_layers(file, result);
  }
  text_traffic(file, result->soc);
  text_pipes(file, result->soc, config->soc.ai_cores > 1);
}

static void print_host(FILE *file, const lm_result_t *result) {
  fprintf(file, "host     %.2f s, %.0f MB", result->seconds, host_peak_rss_mb());
  if (result->soc != NULL) {
    fprintf(file, "; %llu RTL cycles, %llu RV64 instructions",
            (unsigned long long)result->soc->rtl_cycles,
            (unsigned long long)result->soc->scalar_instructions);
  }
  fputc('\n', file);
}

void lm_result_text(FILE *file, const lm_result_t *result) {
  if (result->windows > 0) {
    print_loss(file, result);
  } else {
    print_gap(file, result);
  }
  if (result->soc != NULL) {
    print_time(file, result);
  }
  print_host(file, result);
}
