// The cost of the engines' arithmetic for a language model: its loss on held-out text, and the text that it
// writes.
// SPDX-License-Identifier: Apache-2.0
#include "report/lm/lm.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_write.h"

enum { TEXT_COLUMNS = 80 };

static const double expected_fp32[REPORT_LM_WINDOWS] = {
#define FP32(...) __VA_ARGS__
#define ABOVE(...)
#include "report/lm/lm.def"
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
#include "report/lm/lm.def"
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
    if (strcmp(expected_above[i].name, it->name) == 0 && expected_above[i].blocks == it->it.blocks &&
        window < EXPECTED_WINDOWS) {
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

static double agreement(const lm_score_t *score) { return (double)score->agree / (double)score->predictions; }

// --- the document -----------------------------------------------------------------------------

static cJSON *put_kind(cJSON *list, const report_lm_t *report, size_t kind) {
  const report_lm_kind_t *it = &report_lm_kinds[kind];
  return report_row(list, TEXT("arithmetic", it->name), NUMBER("blocks", it->engine ? (double)it->it.blocks : NAN),
                    NUMBER("chunk", it->engine ? (double)report->chunk[kind] : NAN), TEXT(".text", it->text),
                    NUMBER(".engine", it->engine));
}

// A line of the table, where anything is expected of the kind.
static void put_expected(cJSON *row, size_t kind) {
  char line[256] = "";
  if (isfinite(expected(kind, 0))) {
    snprintf(line, sizeof line, "| expected | | %.4f | %.4f | | | | | | | |\n", expected(kind, 0), expected(kind, 1));
  }
  report_put(row, TEXT(".expected", line));
}

static void put_row(const report_lm_t *report, size_t kind, cJSON *list) {
  const report_lm_row_t *row = &report->row[kind];
  cJSON *object =
      report_put(put_kind(list, report, kind), NUMBER("nats_per_byte", row->mean.loss),
                 NUMBER("above_fp32", mean_above(report, kind)), NUMBER("argmax_agreement", agreement(&row->mean)));
  cJSON *windows = cJSON_AddArrayToObject(object, "windows");
  for (size_t i = 0; i < REPORT_LM_WINDOWS; ++i) {
    report_row(windows, NUMBER("nats_per_byte", row->window[i].loss), NUMBER("above_fp32", above(report, kind, i)),
               NUMBER("argmax_agreement", agreement(&row->window[i])),
               NUMBER(kind == 0 ? "expected" : "expected_above", expected(kind, i)));
  }
  put_expected(object, kind);
}

static double if_different(size_t same) { return same < REPORT_LM_TOKENS ? (double)same : NAN; }

static void put_text(const report_lm_t *report, const report_lm_prompt_t *prompt, size_t kind, cJSON *list) {
  const report_lm_text_t *text = &prompt->by[kind];
  cJSON *object = put_kind(list, report, kind);
  llm_json_bytes(object, "text", text->text, REPORT_LM_TOKENS);
  report_put(object, NUMBER("first_difference", if_different(text->same)), NUMBER("fp32_gap", text->gap));
  report_put_text(object, ".difference", text->same == REPORT_LM_TOKENS ? "none" : "%zu (%.3f)", text->same, text->gap);
}

static void print_line(FILE *file, const char *name, const uint32_t *text, size_t first) {
  fprintf(file, "%-16s", name);
  for (size_t i = first; i < first + TEXT_COLUMNS && i < REPORT_LM_TOKENS; ++i) {
    const int byte = (int)text[i];
    fputc(byte == '\n' ? '|' : isprint(byte) && byte < 0x7f ? byte : '?', file);
  }
  fputc('\n', file);
}

// All texts under one another, in lines as wide as a page.
static void put_lines(const report_lm_prompt_t *prompt, cJSON *object) {
  char lines[REPORT_LM_ROWS * REPORT_LM_TOKENS * 2] = "";
  FILE *file = fmemopen(lines, sizeof lines, "w");
  for (size_t first = 0; file != NULL && first < REPORT_LM_TOKENS; first += TEXT_COLUMNS) {
    fputc('\n', file);
    for (size_t kind = 0; kind < REPORT_LM_ROWS; ++kind) {
      if (report_lm_kinds[kind].writes) {
        print_line(file, report_lm_kinds[kind].text, prompt->by[kind].text, first);
      }
    }
  }
  if (file != NULL) {
    fclose(file);
  }
  report_put(object, TEXT(".lines", lines));
}

static void put_prompt(const report_lm_t *report, const report_lm_prompt_t *prompt, cJSON *list) {
  cJSON *object = report_row(list, TEXT("prompt", prompt->prompt));
  llm_json_bytes(object, "recorded", prompt->recorded, REPORT_LM_TOKENS);
  report_put(object, NUMBER("recorded_first_difference", if_different(prompt->recorded_same)));
  report_put_text(object, ".recorded", prompt->recorded_same == REPORT_LM_TOKENS ? "none" : "%zu",
                  prompt->recorded_same);
  put_lines(prompt, object);
  cJSON *texts = cJSON_AddArrayToObject(object, "texts");
  for (size_t kind = 0; kind < REPORT_LM_ROWS; ++kind) {
    if (report_lm_kinds[kind].writes) {
      put_text(report, prompt, kind, texts);
    }
  }
}

static void put_sources(const report_lm_t *report, cJSON *root) {
  cJSON *shares = cJSON_AddArrayToObject(root, "table_errors");
  for (size_t i = 0; i < REPORT_LM_BLOCKS; ++i) {
    const report_errors_t *errors = &report->errors[i];
    report_row(shares, NUMBER("blocks", report_lm_blocks[i]), NUMBER("error", errors->error),
               NUMBER("quantised", errors->quantised), NUMBER("mitchell", errors->mitchell),
               NUMBER("pwl", errors->pwl));
  }
  cJSON *inputs = cJSON_AddArrayToObject(root, "fig5");
  for (size_t i = 0; i < REPORT_INPUTS; ++i) {
    const report_inputs_t *kind = &report->inputs[i];
    report_row(inputs, TEXT("kind", kind->text), NUMBER("inputs", kind->count),
               NUMBER("percent_below_0.1", kind->percent_small), NUMBER("mean_error", kind->mean_error),
               NUMBER("max_error", kind->max_error), NUMBER("percent_above_0.08", kind->percent_large));
  }
}

static void fill(const void *data, cJSON *root) {
  const report_lm_t *report = data;
  report_put(root, TEXT("attention", "golden C functions"), NUMBER("engine_rows", report->rows),
             NUMBER(".windows", REPORT_LM_WINDOWS), NUMBER(".tokens", REPORT_LM_TOKENS),
             NUMBER(".chunk", report->chunk[REPORT_LM_ROWS - 1]));
  cJSON *rows = cJSON_AddArrayToObject(root, "rows");
  for (size_t kind = 0; kind < REPORT_LM_ROWS; ++kind) {
    put_row(report, kind, rows);
  }
  cJSON *prompts = cJSON_AddArrayToObject(root, "prompts");
  for (size_t i = 0; i < REPORT_LM_PROMPTS; ++i) {
    put_prompt(report, &report->prompt[i], prompts);
  }
  put_sources(report, root);
  cJSON *windows = cJSON_AddArrayToObject(root, ".by_window");
  for (size_t i = 0; i < REPORT_LM_WINDOWS; ++i) {
    cJSON *above_fp32 = cJSON_AddArrayToObject(report_row(windows, NUMBER("window", i)), "above");
    for (size_t kind = 0; kind < REPORT_LM_ROWS; ++kind) {
      cJSON_AddItemToArray(above_fp32, cJSON_CreateNumber(above(report, kind, i)));
    }
  }
}

REPORT_TEMPLATE(lm_text, "lm/lm.md");
static const report_t it = {fill, lm_text, NULL, NULL};

// --- the report -------------------------------------------------------------------------------

static bool run(const report_context_t *context, report_lm_t *report, base_exit_t *code, base_error_t *error) {
  kernel_machine_t machine;
  if (!report_config(context->settings, "engines", &machine, error)) {
    return false;
  }
  report->rows = machine.soc.config.engine.rows;
  return report_lm_run(context, report, code, error) && report_write(context, &it, report, error);
}

bool report_lm(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  report_lm_t *report = calloc(1, sizeof *report);
  *code = BASE_BAD_INPUT;
  const bool good =
      report != NULL ? run(context, report, code, error) : base_fail(error, "%s: out of memory", context->name);
  free(report);
  return good;
}
