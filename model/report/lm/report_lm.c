// What the engines' arithmetic costs a language model: its loss on held-out text, and what it
// writes.
// SPDX-License-Identifier: Apache-2.0
#include "report/lm/report_lm.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_write.h"

enum { TEXT_COLUMNS = 80 };

static const double expected_fp32[REPORT_LM_WINDOWS] = {
#define FP32(...) __VA_ARGS__
#define ABOVE(...)
#include "report/lm/report_lm.def"
#undef FP32
#undef ABOVE
};

enum { EXPECTED_WINDOWS = 2 };

static const struct {
  const char *name;
  size_t blocks;
  double above[EXPECTED_WINDOWS];
} expected_above[] = {
#define FP32(...)
#define ABOVE(name, blocks, window0, window1) {name, blocks, {window0, window1}},
#include "report/lm/report_lm.def"
#undef FP32
#undef ABOVE
};

// A loss, of FP32; else what it is above FP32's. NAN: nothing is expected.
static double expected(size_t kind, size_t window) {
  const report_lm_kind_t *it = &report_lm_kinds[kind];
  if (!it->engine) {
    return expected_fp32[window];
  }
  for (size_t i = 0; i < sizeof expected_above / sizeof *expected_above; ++i) {
    if (strcmp(expected_above[i].name, it->name) == 0 &&
        expected_above[i].blocks == it->it.blocks && window < EXPECTED_WINDOWS) {
      return expected_above[i].above[window];
    }
  }
  return NAN;
}

static double above(const report_lm_t *report, size_t kind, size_t window) {
  return report->row[kind].window[window].loss - report->row[0].window[window].loss;
}

static double mean_above(const report_lm_t *report, size_t kind) {
  return report->row[kind].mean.loss - report->row[0].mean.loss;
}

static double agreement(const lm_score_t *score) {
  return (double)score->agree / (double)score->predictions;
}

// --- JSON -------------------------------------------------------------------------------------

static void add_kind(cJSON *object, const report_lm_t *report, size_t kind) {
  const report_lm_kind_t *it = &report_lm_kinds[kind];
  cJSON_AddStringToObject(object, "arithmetic", it->name);
  cJSON_AddNumberToObject(object, "blocks", it->engine ? (double)it->it.blocks : NAN);
  cJSON_AddNumberToObject(object, "chunk", it->engine ? (double)report->chunk[kind] : NAN);
}

static void json_row(const report_lm_t *report, size_t kind, cJSON *list) {
  const report_lm_row_t *row = &report->row[kind];
  cJSON *object = json_add_row(list);
  add_kind(object, report, kind);
  cJSON_AddNumberToObject(object, "nats_per_byte", row->mean.loss);
  cJSON_AddNumberToObject(object, "above_fp32", mean_above(report, kind));
  cJSON_AddNumberToObject(object, "argmax_agreement", agreement(&row->mean));
  cJSON *windows = cJSON_AddArrayToObject(object, "windows");
  for (size_t i = 0; i < REPORT_LM_WINDOWS; ++i) {
    cJSON *window = json_add_row(windows);
    cJSON_AddNumberToObject(window, "nats_per_byte", row->window[i].loss);
    cJSON_AddNumberToObject(window, "above_fp32", above(report, kind, i));
    cJSON_AddNumberToObject(window, "argmax_agreement", agreement(&row->window[i]));
    cJSON_AddNumberToObject(window, kind == 0 ? "expected" : "expected_above", expected(kind, i));
  }
}

static void json_text(const report_lm_t *report, const report_lm_prompt_t *prompt, size_t kind,
                      cJSON *list) {
  const report_lm_text_t *text = &prompt->by[kind];
  cJSON *object = json_add_row(list);
  add_kind(object, report, kind);
  json_add_bytes(object, "text", text->text, REPORT_LM_TOKENS);
  cJSON_AddNumberToObject(object, "first_difference",
                          text->same < REPORT_LM_TOKENS ? (double)text->same : NAN);
  cJSON_AddNumberToObject(object, "fp32_gap", text->gap);
}

static void json_prompt(const report_lm_t *report, const report_lm_prompt_t *prompt, cJSON *list) {
  cJSON *object = json_add_row(list);
  cJSON_AddStringToObject(object, "prompt", prompt->prompt);
  json_add_bytes(object, "recorded", prompt->recorded, REPORT_LM_TOKENS);
  cJSON_AddNumberToObject(object, "recorded_first_difference",
                          prompt->recorded_same < REPORT_LM_TOKENS ? (double)prompt->recorded_same
                                                                   : NAN);
  cJSON *texts = cJSON_AddArrayToObject(object, "texts");
  for (size_t kind = 0; kind < REPORT_LM_ROWS; ++kind) {
    if (report_lm_kinds[kind].writes) {
      json_text(report, prompt, kind, texts);
    }
  }
}

static void json_sources(const report_lm_t *report, cJSON *root) {
  cJSON *shares = cJSON_AddArrayToObject(root, "table_errors");
  for (size_t i = 0; i < REPORT_LM_BLOCKS; ++i) {
    const report_errors_t *errors = &report->errors[i];
    cJSON *object = json_add_row(shares);
    cJSON_AddNumberToObject(object, "blocks", (double)report_lm_blocks[i]);
    cJSON_AddNumberToObject(object, "error", errors->error);
    cJSON_AddNumberToObject(object, "quantised", errors->quantised);
    cJSON_AddNumberToObject(object, "mitchell", errors->mitchell);
    cJSON_AddNumberToObject(object, "pwl", errors->pwl);
  }
  cJSON *inputs = cJSON_AddArrayToObject(root, "fig5");
  for (size_t i = 0; i < REPORT_INPUTS; ++i) {
    const report_inputs_t *kind = &report->inputs[i];
    cJSON *object = json_add_row(inputs);
    cJSON_AddStringToObject(object, "kind", kind->text);
    cJSON_AddNumberToObject(object, "inputs", kind->count);
    cJSON_AddNumberToObject(object, "percent_below_0.1", kind->percent_small);
    cJSON_AddNumberToObject(object, "mean_error", kind->mean_error);
    cJSON_AddNumberToObject(object, "max_error", kind->max_error);
    cJSON_AddNumberToObject(object, "percent_above_0.08", kind->percent_large);
  }
}

static void write_json(const void *data, cJSON *root) {
  const report_lm_t *report = data;
  cJSON_AddStringToObject(root, "attention", "golden C functions");
  cJSON_AddNumberToObject(root, "engine_rows", (double)report->rows);
  cJSON *rows = cJSON_AddArrayToObject(root, "rows");
  for (size_t kind = 0; kind < REPORT_LM_ROWS; ++kind) {
    json_row(report, kind, rows);
  }
  cJSON *prompts = cJSON_AddArrayToObject(root, "prompts");
  for (size_t i = 0; i < REPORT_LM_PROMPTS; ++i) {
    json_prompt(report, &report->prompt[i], prompts);
  }
  json_sources(report, root);
}

// --- Markdown ---------------------------------------------------------------------------------

static void kind_cells(FILE *file, size_t kind) {
  const report_lm_kind_t *it = &report_lm_kinds[kind];
  fprintf(file, "| %s |", it->text);
  report_cell(file, 0, it->engine ? (double)it->it.blocks : NAN);
}

static void markdown_losses(const report_lm_t *report, FILE *file) {
  fprintf(file, "## Loss\n\nNats a byte in each window, FP32's; what the others have more.\n\n"
                "| attention | P | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | mean |\n"
                "|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (size_t kind = 0; kind < REPORT_LM_ROWS; ++kind) {
    kind_cells(file, kind);
    for (size_t i = 0; i < REPORT_LM_WINDOWS; ++i) {
      fprintf(file, kind == 0 ? " %.4f |" : " %+.4f |",
              kind == 0 ? report->row[0].window[i].loss : above(report, kind, i));
    }
    fprintf(file, kind == 0 ? " %.4f |\n" : " %+.4f |\n",
            kind == 0 ? report->row[0].mean.loss : mean_above(report, kind));
    if (isfinite(expected(kind, 0))) {
      fprintf(file, "| expected | |");
      for (size_t i = 0; i < REPORT_LM_WINDOWS; ++i) {
        report_cell(file, 4, expected(kind, i));
      }
      fprintf(file, " |\n");
    }
  }
}

static void markdown_agreement(const report_lm_t *report, FILE *file) {
  fprintf(file, "\n## Agreement\n\nPredictions whose best byte is FP32's, %%.\n\n"
                "| attention | P | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | all |\n"
                "|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (size_t kind = 1; kind < REPORT_LM_ROWS; ++kind) {
    kind_cells(file, kind);
    for (size_t i = 0; i < REPORT_LM_WINDOWS; ++i) {
      report_cell(file, 2, 100 * agreement(&report->row[kind].window[i]));
    }
    report_cell(file, 2, 100 * agreement(&report->row[kind].mean));
    fputc('\n', file);
  }
}

static void markdown_line(FILE *file, const char *name, const uint8_t *text, size_t first) {
  fprintf(file, "%-16s", name);
  for (size_t i = first; i < first + TEXT_COLUMNS && i < REPORT_LM_TOKENS; ++i) {
    fputc(text[i] == '\n' ? '|' : isprint(text[i]) && text[i] < 0x7f ? text[i] : '?', file);
  }
  fputc('\n', file);
}

static void markdown_text(const report_lm_prompt_t *prompt, FILE *file) {
  fprintf(file, "\n```\n%s...\n", prompt->prompt);
  for (size_t first = 0; first < REPORT_LM_TOKENS; first += TEXT_COLUMNS) {
    fputc('\n', file);
    for (size_t kind = 0; kind < REPORT_LM_ROWS; ++kind) {
      if (report_lm_kinds[kind].writes) {
        markdown_line(file, report_lm_kinds[kind].text, prompt->by[kind].text, first);
      }
    }
  }
  fprintf(file, "```\n");
}

static void difference_cell(FILE *file, size_t same, double gap) {
  if (same == REPORT_LM_TOKENS) {
    fprintf(file, " none |");
  } else if (isfinite(gap)) {
    fprintf(file, " %zu (%.3f) |", same, gap);
  } else {
    fprintf(file, " %zu |", same);
  }
}

static void markdown_texts(const report_lm_t *report, FILE *file) {
  fprintf(file, "\n## Texts\n\nThe best byte each time, %d of them; P 4. The first byte that "
                "differs from FP32's, and in brackets FP32's gap between its two\nbest logits "
                "there. \"Recorded\" is what the model wrote in FP32 elsewhere, when it was "
                "trained.\n\n| prompt | recorded |", REPORT_LM_TOKENS);
  for (size_t kind = 1; kind < REPORT_LM_ROWS; ++kind) {
    fprintf(file, report_lm_kinds[kind].writes ? " %s |" : "", report_lm_kinds[kind].text);
  }
  fprintf(file, "\n|---|---|---|---|---|\n");
  for (size_t i = 0; i < REPORT_LM_PROMPTS; ++i) {
    const report_lm_prompt_t *prompt = &report->prompt[i];
    fprintf(file, "| \"%s\" |", prompt->prompt);
    difference_cell(file, prompt->recorded_same, NAN);
    for (size_t kind = 1; kind < REPORT_LM_ROWS; ++kind) {
      if (report_lm_kinds[kind].writes) {
        difference_cell(file, prompt->by[kind].same, prompt->by[kind].gap);
      }
    }
    fputc('\n', file);
  }
  fprintf(file, "\nA line's end is shown as |.\n");
  for (size_t i = 0; i < REPORT_LM_PROMPTS; ++i) {
    markdown_text(&report->prompt[i], file);
  }
}

static void markdown_sources(const report_lm_t *report, FILE *file) {
  fprintf(file, "\n## Where H-FA's error comes from, on the model's own numbers\n\n"
                "Sum of |o - FP64| over sum of |FP64| in the attention's output, and the shares of "
                "the three approximations in %%, as in table III\n(`amalgam report table_errors` "
                "has more of it).\n\n"
                "| P | error | quantisation to 1/128 | Mitchell | 2^-D by pieces |\n"
                "|---|---|---|---|---|\n");
  for (size_t i = 0; i < REPORT_LM_BLOCKS; ++i) {
    const report_errors_t *errors = &report->errors[i];
    fprintf(file, "| %zu | %.4f |", report_lm_blocks[i], errors->error);
    report_cell(file, 1, errors->quantised);
    report_cell(file, 1, errors->mitchell);
    report_cell(file, 1, errors->pwl);
    fputc('\n', file);
  }
  fprintf(file, "\nThe inputs x of Mitchell's log2(1 +- x) = +- x, as in figure 5 (`amalgam report "
                "fig5` has the histograms).\n\n"
                "| inputs | million | x < 0.1, %% | mean error | largest | error > 0.08, %% |\n"
                "|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < REPORT_INPUTS; ++i) {
    const report_inputs_t *kind = &report->inputs[i];
    fprintf(file, "| %s | %.3g |", kind->text, kind->count * 1e-6);
    report_cell(file, 1, kind->percent_small);
    report_cell(file, 4, kind->mean_error);
    report_cell(file, 3, kind->max_error);
    report_cell(file, 2, kind->percent_large);
    fputc('\n', file);
  }
}

static void write_markdown(const void *data, FILE *file) {
  const report_lm_t *report = data;
  fprintf(file,
          "# A language model with its attention by the engines\n\n"
          "The shipped byte-level model (3 layers of 4 heads, d 64) on the shipped held-out text, "
          "%d windows of 1024 predictions, each from a\nfresh start (`amalgam report lm`); all but "
          "the attention is FP32. The attention is by the golden C functions on all processors, "
          "not\nby the RTL: their bits are the engines', as the tests prove. P: blocks of keys. An "
          "engine of %zu keys is given them in chunks of\n%zu, half of what it holds, as `run lm` "
          "does; with P 4 the chunk shows in the bits, and with them in the last digits here.\n\n",
          REPORT_LM_WINDOWS, report->rows, report->chunk[REPORT_LM_ROWS - 1]);
  markdown_losses(report, file);
  markdown_agreement(report, file);
  markdown_texts(report, file);
  markdown_sources(report, file);
  fprintf(file, "\n![plot](lm.svg)\n");
}

// --- plot -------------------------------------------------------------------------------------

static void write_plot(const void *data, FILE *gnuplot) {
  static const char *const colours[REPORT_LM_ROWS] = {"",        "#bbbbbb", "#777777", "#f2c9b0",
                                                      "#cc6633", "#a6c8e0", "#4477aa"};
  const report_lm_t *report = data;
  fprintf(gnuplot, "$data << EOD\n");
  for (size_t i = 0; i < REPORT_LM_WINDOWS; ++i) {
    fprintf(gnuplot, "%zu", i);
    for (size_t kind = 1; kind < REPORT_LM_ROWS; ++kind) {
      fprintf(gnuplot, " %g", above(report, kind, i));
    }
    fputc('\n', gnuplot);
  }
  report_bars(gnuplot);
  fprintf(gnuplot,
          "set xlabel 'window'\nset ylabel 'nats a byte above FP32'\nset key outside right\n"
          "plot ");
  for (size_t kind = 1; kind < REPORT_LM_ROWS; ++kind) {
    fprintf(gnuplot, "%s using %zu%s lc rgb '%s' title '%s, P %zu'", kind == 1 ? "$data" : ", ''",
            kind + 1, kind == 1 ? ":xtic(1)" : "", colours[kind], report_lm_kinds[kind].text,
            report_lm_kinds[kind].it.blocks);
  }
  fputc('\n', gnuplot);
}

// --- the report -------------------------------------------------------------------------------

static bool run(const report_context_t *context, report_lm_t *report, base_exit_t *code,
                base_error_t *error) {
  const report_files_t files = {.name = context->name, .data = report, .json = write_json,
                                .markdown = write_markdown, .plot = write_plot};
  kernel_machine_t machine;
  if (!report_config(context->settings, "engines", &machine, error)) {
    return false;
  }
  report->rows = machine.soc.config.engine.rows;
  return report_lm_run(context, report, code, error) &&
         report_write(&files, context->settings->out, error);
}

bool report_lm(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  report_lm_t *report = calloc(1, sizeof *report);
  *code = BASE_BAD_INPUT;
  const bool good = report != NULL ? run(context, report, code, error)
                                   : base_fail(error, "%s: out of memory", context->name);
  free(report);
  return good;
}
