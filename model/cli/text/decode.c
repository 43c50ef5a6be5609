// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cli/text/text.h"
#include "host/host.h"
#include "kernel/decode/decode_bound.h"

enum { LINE = 100, KINDS = 32, SHOWN = 12 };

// --- before -----------------------------------------------------------------------------------

static void print_kernel(FILE *file, const decode_run_t *run) {
  const decode_settings_t *s = &run->request.settings;
  static const char *const attention[] = {"base over a BF16 cache", "amla over a BF16 cache", "amla over an FP8 cache",
                                          "flash over a BF16 cache"};
  fprintf(file, "kernel   decode on %s; attention %s; weights %s", s->machine.config, attention[s->attention],
          checkpoint_has(run->model, CHECKPOINT_HAS_WIDE_RANGE) ? "BF16"
          : s->weights == DECODE_FP16                           ? "FP16"
          : s->zero_points                                      ? "in 4 bits with zero points"
                                                                : "in 4 bits, signed");
  fprintf(file, "; %s\n", s->launch == DECODE_STEP ? "a launch a step" : "a launch an operation");
}

static void print_model(FILE *file, const decode_run_t *run) {
  const checkpoint_config_t *m = run->model;
  const decode_weights_list_t *weights = decode_machine_weights(run->machine);
  fprintf(file, "model    %s%s: %zu layer%s, hidden %zu, %s", run->name,
          run->request.model.random ? " (no trained weights)" : "", m->num_hidden_layers, plural(m->num_hidden_layers),
          m->hidden_size, decode_machine_list(run->machine)->graph->attention.text);
  if (m->n_routed_experts > 0) {
    fprintf(file, ", %zu of %zu experts", m->num_experts_per_tok, m->n_routed_experts);
    if (weights->experts < m->n_routed_experts) {
      fprintf(file, " (%zu here)", weights->experts);
    }
  }
  fprintf(file, "; matrices %.4g MB\n", (double)weights->matrix_bytes * 1e-6);
  if (m->skipped[0] != '\0') {
    fprintf(file, "skipped  of config.json: %s\n", m->skipped);
  }
}

static void print_data(FILE *file, const decode_run_t *run) {
  const decode_request_t *r = &run->request;
  if (r->eval != NULL) {
    fprintf(file, "data     %s, %zu window%s of %zu tokens, %zu at a time\n", r->eval, run->windows,
            plural(run->windows), r->context + 1, r->batch);
  } else if (r->timing) {
    fprintf(file, "data     made up: %zu entr%s of %zu token%s a step after %zu; %zu step%s\n", r->batch,
            r->batch == 1 ? "y" : "ies", r->settings.mtp, plural(r->settings.mtp), r->past, r->steps, plural(r->steps));
  } else {
    if (run->prompts > 1) {
      fprintf(file, "data     %zu prompts of %zu tokens, %zu token%s more of each\n", run->prompts, run->text.count,
              r->tokens, plural(r->tokens));
      return;
    }
    fprintf(file, "data     a prompt of %zu token%s%s, %zu token%s more", run->text.count, plural(run->text.count),
            r->prompt == NULL ? " (no --prompt, --eval or --past was given)" : "", r->tokens, plural(r->tokens));
    fprintf(file, r->batch == 1 ? "\n" : "; %zu times\n", r->batch);
  }
}

// Which parts ran in RTL, and which in C.
static void print_parts(FILE *file, const decode_run_t *run) {
  const soc_options_t *soc = &run->request.settings.machine.soc;
  fprintf(file, "parts    memory slices %s; firmware %s; cores, L2 and HBM in C; on the host: tokens, angles and masks",
          soc->timing_only      ? "in C, in time alone"
          : soc->gm != SOC_GM_C ? "in Verilated RTL"
                                : "in C",
          soc->firmware == SOC_FIRMWARE_RISCV ? "for RV64" : "compiled for the host");
  fprintf(file, "%s\n", soc->timing_only ? ", and which experts are chosen, at random" : "");
}

void text_decode_head(FILE *file, const decode_run_t *run) {
  print_kernel(file, run);
  print_model(file, run);
  print_data(file, run);
  print_parts(file, run);
}

void text_decode_token(FILE *file, const decode_run_t *run, uint32_t token) {
  if (run->vocab.bytes) {
    fputc((int)token, file);
  } else if (run->tokenizer != NULL) {
    char bytes[LLM_TOKEN_BYTES];
    const size_t count = llm_tokenizer_bytes(run->tokenizer, token, bytes);
    fwrite(bytes, 1, count, file);
  } else {
    fprintf(file, "%lu ", (unsigned long)token);
  }
}

void text_decode_written(FILE *file, const decode_run_t *run) {
  if (run->written == NULL) {
    return;
  }
  for (size_t prompt = 0; prompt < run->prompts; ++prompt) {
    for (size_t i = 0; i < decode_prompt_length(run, prompt); ++i) {
      text_decode_token(file, run, run->text.list[run->prompt_at[prompt] + i]);
    }
    for (size_t i = 0; i < run->request.tokens; ++i) {
      text_decode_token(file, run, run->written[prompt * run->request.tokens + i]);
    }
    fputc('\n', file);
  }
}

// --- after ------------------------------------------------------------------------------------

static void print_lost(FILE *file, const decode_run_t *run) {
  if (run->lost > 0) {
    fprintf(file, "overflow %zu row%s of logits not finite, first of %s; infinities or NaNs begin with %s%s\n",
            run->lost, plural(run->lost), run->lost_at, decode_lost_from(run),
            run->request.allow_overflow ? " (--allow-overflow)" : "");
  }
}

static void print_loss(FILE *file, const decode_run_t *run) {
  if (run->windows == 0 || run->lost > 0) {
    return;
  }
  fprintf(file, "loss     %.4f nats a token over %zu prediction%s", run->mean_loss, run->predictions,
          plural(run->predictions));
  int column = run->windows > 1 ? fprintf(file, "\n         by window") : 0;
  for (size_t i = 0; run->windows > 1 && i < run->windows; ++i) {
    if (column > LINE) {
      column = fprintf(file, "\n        ");
    }
    column += fprintf(file, " %.4f%s", run->loss[i], i + 1 < run->windows ? "," : "");
  }
  fputc('\n', file);
}

static void print_gap(FILE *file, const decode_run_t *run) {
  const llm_sampling_t *s = &run->request.sampling;
  if (run->candidates != NULL) {
    fprintf(file, "choices  drawn by seed %llu at temperature %g, top-k %zu, top-p %g\n",
            (unsigned long long)run->request.model.seed, s->temperature, s->top_k, s->top_p);
  } else if (run->written != NULL && run->lost == 0) {
    fprintf(file, "choices  of the best token; smallest gap to the second best logit %.4f, at token %zu of %zu\n",
            run->gap, run->gap_at + 1, run->prompts * run->request.tokens);
  }
}

static void print_steps(FILE *file, const decode_run_t *run, const char *what, const decode_books_t *books) {
  const double mhz = run->request.settings.machine.soc.config.soc.clock_mhz;
  if (books->steps > 0) {
    fprintf(file, "%-8s %zu step%s of %.4g tokens: %.1f us each, of which launches %.1f (%zu of them)\n", what,
            books->steps, plural(books->steps), (double)books->tokens / (double)books->steps,
            (double)books->cycles / (double)books->steps / mhz,
            (double)books->launch_cycles / (double)books->steps / mhz, books->launches / books->steps);
  }
}

// Operations of one name, of all layers.
typedef struct kind {
  const char *name;
  decode_sums_t sums;
  size_t count;
} kind_t;

static size_t add_up(const decode_run_t *run, kind_t kinds[KINDS]) {
  const decode_list_t *list = decode_machine_list(run->machine);
  const decode_sums_t *sums = decode_machine_sums(run->machine);
  size_t count = 0;
  for (size_t i = 0, number = 0; i < list->count; ++i) {
    size_t at = 0;
    if (list->ops[i].number != number) {
      continue;  // another part's
    }
    while (at < count && strcmp(kinds[at].name, list->ops[i].name) != 0) {
      ++at;
    }
    if (at == count) {
      kinds[count++] = (kind_t){.name = list->ops[i].name};
    }
    kinds[at].count += 1;
    kinds[at].sums.cycles += sums[number].cycles;
    kinds[at].sums.hbm_read += sums[number].hbm_read;
    kinds[at].sums.hbm_write += sums[number].hbm_write;
    kinds[at].sums.l2_read += sums[number].l2_read;
    kinds[at].sums.flop += sums[number].flop;
    kinds[at].sums.flop_s8 += sums[number].flop_s8;
    ++number;
  }
  return count;
}

static kind_t *largest(kind_t *kinds, size_t count) {
  kind_t *most = &kinds[0];
  for (size_t i = 1; i < count; ++i) {
    most = kinds[i].sums.cycles > most->sums.cycles ? &kinds[i] : most;
  }
  return most;
}

static void print_operations(FILE *file, const decode_run_t *run) {
  const config_t *config = &run->request.settings.machine.soc.config;
  const decode_books_t *books = decode_main_books(run);
  kind_t kinds[KINDS];
  const size_t count = add_up(run, kinds);
  fputs("where a step's time went\n  operation       times      us     %   HBM MB    L2 MB   GFLOP  bound by\n", file);
  for (size_t i = 0; i < count && i < SHOWN; ++i) {
    kind_t *kind = largest(kinds, count);
    const double steps = (double)books->steps;
    fprintf(file, "  %-15s %5zu %7.1f %5.1f %8.2f %8.2f %7.3f  %s\n", kind->name, kind->count,
            (double)kind->sums.cycles / steps / config->soc.clock_mhz,
            100.0 * (double)kind->sums.cycles / (double)books->cycles, (double)kind->sums.hbm_read / steps * 1e-6,
            (double)kind->sums.l2_read / steps * 1e-6, kind->sums.flop / steps * 1e-9,
            decode_bound(config, &kind->sums).name);
    kind->sums.cycles = 0;
  }
}

static void print_verify(FILE *file, const decode_run_t *run) {
  size_t operations = 0, elements = 0, wrong = 0;
  for (size_t op = 0; run->verify != NULL && op < STEP_OPS; ++op) {
    const decode_verified_t *found = decode_verify_found(run->verify, (enum step_op)op);
    operations += found->operations;
    elements += found->elements;
    wrong += found->wrong;
  }
  if (run->verify != NULL) {
    fprintf(file, "verify   %zu of %zu elements of %zu operations differ from the contract's C loops\n", wrong,
            elements, operations);
  }
}

static void print_check(FILE *file, const decode_run_t *run) {
  size_t differ, of;
  double worst = 0.0;
  size_t at = 0;
  if (run->check == NULL) {
    return;
  }
  for (size_t i = 0; i < decode_check_count(run->check); ++i) {
    const decode_stage_t stage = decode_check_stage(run->check, i);
    at = stage.error > worst || isnan(stage.error) ? i : at;
    worst = fmax(worst, stage.error);
  }
  const decode_stage_t stage = decode_check_stage(run->check, at);
  decode_check_choices(run->check, &differ, &of);
  fprintf(file, "check    %zu stages against FP64; the largest relative error is %.3g, of %s",
          decode_check_count(run->check), stage.error, stage.name);
  if (stage.layer != LLM_NO_LAYER) {
    fprintf(file, " of layer %zu", stage.layer);
  }
  fprintf(file, " (tolerance %g)", decode_tolerance(run));
  fprintf(file, of > 0 ? "; %zu of %zu choices of experts differ\n" : "\n", differ, of);
}

static void print_time(FILE *file, const decode_run_t *run) {
  const config_t *config = &run->request.settings.machine.soc.config;
  print_steps(file, run, "prefill", &run->prefill);
  print_steps(file, run, "decode", &run->decode);
  fprintf(file, "time     %llu cycles = %.1f us at %g MHz; %.4g tokens a second\n", (unsigned long long)run->cycles,
          (double)run->cycles / config->soc.clock_mhz, config->soc.clock_mhz, decode_tokens_per_second(run));
  text_traffic(file, config, run->soc);
  print_operations(file, run);
}

void text_decode(FILE *file, const decode_run_t *run) {
  print_lost(file, run);
  print_loss(file, run);
  print_gap(file, run);
  print_verify(file, run);
  print_check(file, run);
  print_time(file, run);
  text_host(file, run->soc, run->request.settings.machine.soc.threads);
  fprintf(file, "         %.2f s in steps, %.2f s before them to load the model\n", run->seconds, run->load_seconds);
}
