// SPDX-License-Identifier: Apache-2.0
#include "cli/text/text.h"
#include "host/host.h"

enum { LINE = 100 };

// --- before -----------------------------------------------------------------------------------

static void print_kernel(FILE *file, const lm_settings_t *settings) {
  const num_hfa_t *hfa = &settings->hfa;
  const bool machine = lm_has_machine(settings);
  fprintf(file, "kernel   lm%s%s; attention %s", machine ? " on " : "", machine ? settings->machine.config : "",
          lm_arithmetic_names[settings->attention]);
  if (settings->attention == LM_HFA) {
    fprintf(file, ", %s additions%s", hfa->corrected ? "corrected" : "Mitchell's",
            hfa->zero_exact ? ", exact zeros" : "");
  }
  fprintf(file, "; products in %s\n", settings->gemm_soc ? "BF16 on the cube core" : "FP32 on the host");
}

static void print_engines(FILE *file, const lm_settings_t *settings) {
  const soc_options_t *soc = &settings->machine.soc;
  const config_engine_t *engine = &soc->config.engine;
  if (settings->attention != LM_FP32) {
    fprintf(file, "engines  %u of %u block%s x %u quer%s, %u keys, in chunks of %zu; %s\n", soc->config.soc.engines,
            engine->blocks, plural(engine->blocks), engine->queries, engine->queries == 1 ? "y" : "ies", engine->rows,
            settings->chunk, soc->engine == SOC_ENGINE_RTL ? "Verilated RTL" : "C model");
  }
}

static void print_data(FILE *file, const lm_run_t *run) {
  if (run->windows > 0) {
    const size_t longest = run->shape->max_position_embeddings;
    fprintf(file, "data     %s, %zu window%s of %zu bytes%s\n", run->request.eval, run->windows, plural(run->windows),
            longest + 1, run->scores[run->windows - 1].predictions < longest ? ", the last one shorter" : "");
  } else {
    const lm_generation_t *g = &run->generation;
    fprintf(file, "data     a prompt of %zu byte%s%s, %zu byte%s more\n", g->prompt.count, plural(g->prompt.count),
            run->request.prompt == NULL ? " (no --prompt or --eval was given)" : "", g->tokens, plural(g->tokens));
  }
}

void text_lm_head(FILE *file, const lm_run_t *run) {
  const checkpoint_config_t *s = run->shape;
  print_kernel(file, &run->request.settings);
  print_engines(file, &run->request.settings);
  fprintf(file, "model    %s: %zu layer%s, %zu head%s of %zu", run->model, s->num_hidden_layers,
          plural(s->num_hidden_layers), s->num_attention_heads, plural(s->num_attention_heads), s->head_dim);
  if (s->num_key_value_heads != s->num_attention_heads) {
    fprintf(file, " over %zu of keys and values", s->num_key_value_heads);
  }
  fprintf(file, ", dim %zu, context %zu\n", s->hidden_size, s->max_position_embeddings);
  print_data(file, run);
}

void text_lm_generated(FILE *file, const lm_run_t *run) {
  const lm_generation_t *g = &run->generation;
  if (run->windows == 0) {
    for (size_t i = 0; i < g->prompt.count + g->tokens; ++i) {
      fputc((int)(i < g->prompt.count ? g->prompt.list[i] : g->text[i - g->prompt.count]), file);
    }
    fputc('\n', file);
  }
}

// --- after ------------------------------------------------------------------------------------

static void print_windows(FILE *file, const lm_run_t *run) {
  int column = fprintf(file, "         by window");
  for (size_t i = 0; i < run->windows; ++i) {
    char item[48];
    const double loss = run->scores[i].loss;
    const char *comma = i + 1 < run->windows ? "," : "";
    const int length = lm_has_machine(&run->request.settings)
                           ? snprintf(item, sizeof item, " %.4f (%+.4f)%s", loss, loss - run->fp32[i].loss, comma)
                           : snprintf(item, sizeof item, " %.4f%s", loss, comma);
    if (column + length > LINE) {
      column = fprintf(file, "\n        ") - 1;
    }
    fputs(item, file);
    column += length;
  }
  fputc('\n', file);
}

static void print_loss(FILE *file, const lm_run_t *run) {
  const lm_score_t *mean = &run->mean;
  fprintf(file, "loss     %.4f nats a byte over %zu prediction%s", mean->loss, mean->predictions,
          plural(mean->predictions));
  if (lm_has_machine(&run->request.settings)) {
    fprintf(file, ", FP32 %.4f (%+.4f); the best byte is FP32's in %.2f %%", run->fp32_mean.loss,
            mean->loss - run->fp32_mean.loss, 100 * lm_agreement(mean));
  }
  fputc('\n', file);
  if (run->windows > 1) {
    print_windows(file, run);
  }
}

static void print_gap(FILE *file, const lm_run_t *run) {
  const lm_generation_t *g = &run->generation;
  fprintf(file,
          "choices  of the best byte; smallest gap to the second best logit %.4f, at byte %zu "
          "of %zu\n",
          g->gap, g->gap_at + 1, g->tokens);
}

static void print_layers(FILE *file, const lm_run_t *run) {
  const lm_machine_books_t *books = run->books;
  fprintf(file, "         attention %.0f cycles a token in %llu launch%s, by layer", lm_run_cycles_per_token(run),
          (unsigned long long)books->launches, books->launches == 1 ? "" : "es");
  for (size_t i = 0; i < run->shape->num_hidden_layers; ++i) {
    fprintf(file, "%s %.0f", i == 0 ? "" : ",", (double)books->layer_cycles[i] / (double)run->tokens);
  }
  fputc('\n', file);
}

static void print_time(FILE *file, const lm_run_t *run) {
  const config_t *config = &run->request.settings.machine.soc.config;
  const lm_machine_books_t *books = run->books;
  const uint64_t cycles = lm_run_cycles(run);
  fprintf(file, "time     %llu cycles = %.1f us at %g MHz", (unsigned long long)cycles,
          (double)cycles / config->soc.clock_mhz, config->soc.clock_mhz);
  if (run->request.settings.gemm_soc) {
    fprintf(file, ": attention %llu, products %llu in %llu launches", (unsigned long long)books->cycles,
            (unsigned long long)books->gemm_cycles, (unsigned long long)books->gemm_launches);
  } else {
    fputs(", all for attention; products take none", file);
  }
  fputc('\n', file);
  if (run->request.settings.attention != LM_FP32) {
    print_layers(file, run);
  }
  text_traffic(file, &run->request.settings.machine.soc.config, run->soc);
  text_pipes(file, run->soc, config->soc.ai_cores > 1);
}

static void print_host(FILE *file, const lm_run_t *run) {
  fprintf(file, "host     %.2f s, %.0f MB", run->seconds, host_peak_rss_mb());
  if (run->soc != NULL) {
    fprintf(file, "; %llu RTL cycles, %llu RV64 instructions", (unsigned long long)run->soc->rtl_cycles,
            (unsigned long long)run->soc->scalar_instructions);
  }
  fputc('\n', file);
}

void text_lm(FILE *file, const lm_run_t *run) {
  char first[48];
  const size_t lost = lm_lost(run, first);
  if (lost > 0) {
    fprintf(file, "overflow %zu row%s of logits not finite, first of %s; infinities or NaNs begin with %s%s\n", lost,
            plural(lost), first, lm_lost_from(run), run->request.allow_overflow ? " (--allow-overflow)" : "");
  } else if (run->windows > 0) {
    print_loss(file, run);
  } else {
    print_gap(file, run);
  }
  if (run->soc != NULL) {
    print_time(file, run);
  }
  print_host(file, run);
}
