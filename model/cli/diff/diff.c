// SPDX-License-Identifier: Apache-2.0
#include "cli/diff/diff.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/output.h"
#include "cli/option/manual.h"
#include "cli/option/options.h"

enum { ROWS_MOST = 12, VALUE_BYTES = 48 };

typedef struct group {
  const char *heading;
  bool decides;
} group_t;

static const group_t groups[DIFF_GROUPS] = {
#define GROUP(name, heading, decides) {heading, decides},
#define MEMBER(name)
#include "cli/diff/diff_groups.def"
#undef GROUP
#undef MEMBER
};

typedef struct comparison {
  const char *file[2];
  cJSON *run[2];
  diff_rows_t rows;
  double tolerance;
  size_t beyond;  // rows that decide, and differ by more
} comparison_t;

static bool is_beyond(const comparison_t *comparison, const diff_row_t *row) {
  return groups[row->group].decides && fabs(row->change) > comparison->tolerance;
}

// --- text -------------------------------------------------------------------------------------

static void print_value(const diff_row_t *row, const cJSON *value, const char *number, char text[VALUE_BYTES]) {
  if (cJSON_IsNumber(value)) {
    snprintf(text, VALUE_BYTES, number, value->valuedouble);
  } else if (cJSON_IsString(value)) {
    snprintf(text, VALUE_BYTES, "%s", value->valuestring);
  } else {
    snprintf(text, VALUE_BYTES, "%s",
             cJSON_IsTrue(value)                                       ? "true"
             : cJSON_IsFalse(value)                                    ? "false"
             : cJSON_IsNull(value)                                     ? "null"
             : cJSON_IsArray(value)                                    ? "[...]"
             : cJSON_IsObject(value)                                   ? "{...}"
             : row->group == DIFF_WAITS || row->group == DIFF_COMMANDS ? "0"
                                                                       : "-");
  }
}

static void print_row(const comparison_t *comparison, const diff_row_t *row) {
  char text[2][VALUE_BYTES], percent[32] = "";
  for (int i = 0; i < 2; ++i) {
    print_value(row, row->value[i], "%.10g", text[i]);
  }
  if (strcmp(text[0], text[1]) == 0) {  // they differ further behind
    for (int i = 0; i < 2; ++i) {
      print_value(row, row->value[i], "%.17g", text[i]);
    }
  }
  if (isfinite(row->change)) {
    snprintf(percent, sizeof percent, "%+.3g", 100 * row->change);
  }
  printf("%c %-32s %18s %18s %9s\n", is_beyond(comparison, row) ? '*' : ' ', row->name, text[0], text[1], percent);
}

static void print_group(const comparison_t *comparison, size_t first, size_t end, bool all) {
  const size_t shown = all || end - first <= ROWS_MOST ? end : first + ROWS_MOST;
  printf("%s\n", groups[comparison->rows.row[first].group].heading);
  for (size_t i = first; i < shown; ++i) {
    print_row(comparison, &comparison->rows.row[i]);
  }
  if (shown < end) {
    printf("  ... and %zu more, which differ less: --all\n", end - shown);
  }
}

static void print_all(const comparison_t *comparison, bool all) {
  const diff_rows_t *rows = &comparison->rows;
  if (rows->count == 0) {
    printf("no difference\n");
    return;
  }
  printf("  %-32s %18s %18s %9s\n", "", "before", "after", "%");
  for (size_t first = 0, end; first < rows->count; first = end) {
    for (end = first; end < rows->count && rows->row[end].group == rows->row[first].group; ++end) {
    }
    print_group(comparison, first, end, all);
  }
  printf("%zu differences, %zu of results beyond the tolerance of %g %%%s\n", rows->count, comparison->beyond,
         100 * comparison->tolerance, comparison->beyond > 0 ? " (*)" : "");
}

// --- JSON -------------------------------------------------------------------------------------

static void fill_json(const void *data, cJSON *root) {
  const comparison_t *comparison = data;
  json_add_amalgam(root);
  cJSON_AddStringToObject(root, "before", comparison->file[0]);
  cJSON_AddStringToObject(root, "after", comparison->file[1]);
  cJSON_AddNumberToObject(root, "tolerance", comparison->tolerance);
  json_add_count(root, "beyond", comparison->beyond);
  cJSON *list = cJSON_AddArrayToObject(root, "differences");
  for (size_t i = 0; i < comparison->rows.count; ++i) {
    static const char *const side[] = {"before", "after"};
    const diff_row_t *row = &comparison->rows.row[i];
    cJSON *item = json_add_row(list);
    cJSON_AddStringToObject(item, "of", groups[row->group].heading);
    cJSON_AddStringToObject(item, "name", row->name);
    for (int k = 0; k < 2; ++k) {
      if (row->value[k] != NULL) {
        cJSON_AddItemToObject(item, side[k], cJSON_Duplicate(row->value[k], true));
      }
    }
    cJSON_AddNumberToObject(item, "change", row->change);  // null: no number
    cJSON_AddBoolToObject(item, "beyond", is_beyond(comparison, row));
  }
}

// --- the command ------------------------------------------------------------------------------

static void help(void) {
  static const manual_row_t examples[] = {
      {"diff a.json b.json", "after two runs with --json"},
      {"diff a.json b.json --tolerance 0.01", "exit code 1 only if a result differs by more than 1 %"},
      {"diff a.json b.json --json d.json --quiet", "all differences, for a program"},
      {NULL, NULL}};
  static const manual_row_t files[] = {
      {"model/cli/diff/diff_groups.def", "what of a run's JSON is asked for, and what is a result"}, {NULL, NULL}};
  const manual_t manual = {
      .name = "diff",
      .synopsis = "A.json B.json [options]",
      .about =
          "what differs between two runs. Both files were written by `amalgam run KERNEL --json`. The table begins "
          "with what was run, all parameters of the machine included, then time, errors, traffic, and what the "
          "pipes did; in each part the largest difference comes first. What differs from host to host is left out.",
      .notes =
          "Percentages are of the first run's value; those of a pipe's cycles, of the first run's cycles. What was "
          "run is shown, but only results, marked with *, decide the exit code.\n\n"
          "exit codes: 0 no result differs by more than --tolerance, 1 one does, 2 bad usage or input",
      .command = CLI_DIFF,
      .examples = examples,
      .files = files};
  manual_print(stdout, &manual);
}

static void compare(comparison_t *comparison) {
  diff_find(comparison->run, &comparison->rows);
  for (size_t i = 0; i < comparison->rows.count; ++i) {
    comparison->beyond += is_beyond(comparison, &comparison->rows.row[i]) ? 1 : 0;
  }
}

static bool diff_files(const options_t *options, comparison_t *comparison, outputs_t *outputs, base_error_t *error) {
  size_t json = 0;
  if (options->words != 2) {
    return base_fail(error, "diff: expected two files of `amalgam run --json`, got %d", options->words);
  }
  comparison->file[0] = options->word[0];
  comparison->file[1] = options->word[1];
  comparison->tolerance = options->diff_tolerance.value;
  if ((options->json != NULL && !outputs_add(outputs, options->json, &json, error)) ||
      !diff_read(comparison->file, comparison->run, error)) {
    return false;
  }
  compare(comparison);
  FILE *file = options->json == NULL ? NULL : outputs_open(outputs, json, error);
  if (options->json != NULL && (file == NULL || !json_write(file, fill_json, comparison, error))) {
    return false;
  }
  if (!outputs_commit(outputs, error)) {
    return false;
  }
  if (!options->quiet) {
    print_all(comparison, options->diff_all);
  }
  return output_printed(error);
}

int diff(int argc, char **argv) {
  options_t options;
  outputs_t outputs = {.count = 0};
  comparison_t comparison = {.beyond = 0};
  base_error_t error;
  int code = BASE_OK;
  if (!options_parse(&options, CLI_DIFF, argc, argv, &error)) {
    code = base_report(BASE_BAD_INPUT, &error);
  } else if (options.help) {
    help();
  } else if (!diff_files(&options, &comparison, &outputs, &error)) {
    code = base_report(BASE_BAD_INPUT, &error);
  } else if (comparison.beyond > 0) {
    code = BASE_OUT_OF_TOLERANCE;
  }
  outputs_discard(&outputs);
  diff_free(&comparison.rows);
  cJSON_Delete(comparison.run[0]);
  cJSON_Delete(comparison.run[1]);
  return code;
}
