// SPDX-License-Identifier: Apache-2.0
#include "sweep/page/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/output.h"
#include "report/page/html_page.h"
#include "report/page/html_text.h"
#include "sweep/page/page_rows.h"

// const char NAME[]: a file beside this one, in the program.
#define PAGE_FILE(name, path)                                                                         \
  __asm__(".section .rodata\n" #name ": .incbin \"" PAGE_FOLDER "/" path "\"\n.byte 0\n.previous\n"); \
  extern const char name[]

PAGE_FILE(page_style, "page.css");
PAGE_FILE(page_data_script, "data.js");
PAGE_FILE(page_chart_script, "chart.js");
PAGE_FILE(page_table_script, "table.js");
PAGE_FILE(page_main_script, "main.js");

// --- the data ---------------------------------------------------------------------------------

static void add_column(cJSON *list, const table_t *table, size_t column) {
  static const char *const kinds[] = {[TABLE_AXIS] = "axis", [TABLE_METRIC] = "metric", [TABLE_FACT] = "fact"};
  static const char *const better[] = {[STUDY_NEITHER] = "", [STUDY_MIN] = "min", [STUDY_MAX] = "max"};
  const table_column_t *is = &table->column[column];
  char head[TABLE_HEAD_BYTES];
  cJSON *object = json_add_row(list);
  cJSON_AddStringToObject(object, "name", is->name);
  cJSON_AddStringToObject(object, "head", table_head(table, column, head));
  cJSON_AddStringToObject(object, "kind", kinds[is->kind]);
  cJSON_AddStringToObject(object, "better", better[is->better]);
  cJSON_AddBoolToObject(object, "numbers", is->numbers);
  if (is->kind == TABLE_AXIS) {
    cJSON *values = cJSON_AddArrayToObject(object, "values");
    const study_axis_t *axis = &table->from->study->axis[column];
    for (size_t i = 0; i < axis->count; ++i) {
      cJSON_AddItemToArray(values, cJSON_CreateString(axis->value[i]));
    }
  }
}

static void add_row(cJSON *list, const table_t *table, size_t row) {
  char buffer[TABLE_TEXT_BYTES];
  cJSON *cells = cJSON_CreateArray();
  cJSON_AddItemToArray(list, cells);
  for (size_t i = 0; i < table->columns; ++i) {
    const double value = table_number(table, row, i);
    cJSON_AddItemToArray(cells, !table->column[i].numbers ? cJSON_CreateString(table_text(table, row, i, buffer))
                                : isfinite(value)         ? cJSON_CreateNumber(value)
                                                          : cJSON_CreateNull());
  }
}

static void add_plot(cJSON *list, const study_plot_t *plot) {
  static const char *const kinds[] = {[STUDY_PARETO] = "pareto", [STUDY_HEAT] = "heat", [STUDY_LINES] = "lines"};
  const struct {
    const char *name, *text;
  } members[] = {{"name", plot->name}, {"kind", kinds[plot->kind]}, {"title", plot->title},  {"x", plot->x},
                 {"y", plot->y},       {"value", plot->value},      {"series", plot->series}};
  cJSON *object = json_add_row(list);
  for (size_t i = 0; i < sizeof members / sizeof *members; ++i) {
    cJSON_AddStringToObject(object, members[i].name, members[i].text == NULL ? "" : members[i].text);
  }
  cJSON_AddBoolToObject(object, "log_x", plot->log_x);
  cJSON_AddBoolToObject(object, "log_y", plot->log_y);
}

static cJSON *data_of(const table_t *table, const page_rows_t *rows) {
  cJSON *root = cJSON_CreateObject();
  cJSON *columns = cJSON_AddArrayToObject(root, "columns"), *list = cJSON_AddArrayToObject(root, "rows"),
        *plots = cJSON_AddArrayToObject(root, "plots");
  for (size_t i = 0; i < table->columns; ++i) {
    add_column(columns, table, i);
  }
  // cJSON walks along a list to add to it, but to what it has just added.
  for (size_t i = 0; i < rows->count; ++i) {
    add_row(list, table, rows->row[i]);
  }
  for (size_t i = 0; i < table->from->study->plots; ++i) {
    add_plot(plots, &table->from->study->plot[i]);
  }
  return root;
}

// Nothing in it ends the element: "<" stands in texts alone.
static bool write_data(FILE *file, const cJSON *data, base_error_t *error) {
  char *text = json_utf8(cJSON_PrintUnformatted(data));
  if (text == NULL) {
    return base_fail(error, "page: out of memory");
  }
  fputs("<script type=\"application/json\" id=\"study\">", file);
  for (const char *at = text; *at != '\0'; ++at) {
    if (*at == '<') {
      fputs("\\u003c", file);
    } else {
      fputc(*at, file);
    }
  }
  fputs("</script>\n", file);
  cJSON_free(text);
  return true;
}

// --- the page ---------------------------------------------------------------------------------

static void write_count(FILE *file, const table_t *table, size_t shown) {
  fputs("<p>", file);
  for (int status = OUTCOME_DONE, any = 0;; status = (status + 1) % (OUTCOME_DROPPED + 1)) {
    const size_t count = table_count(table, (outcome_status_t)status);
    if (count > 0) {
      fprintf(file, "%s%zu %s", any++ > 0 ? ", " : "", count, table_status((outcome_status_t)status));
    }
    if (status == OUTCOME_RUNNING) {
      break;
    }
  }
  fputs(".", file);
  if (shown < table->rows) {
    fprintf(file,
            " <strong>Here are %zu of %zu points</strong>, the Pareto fronts and others evenly; results.csv has "
            "all.",
            shown, table->rows);
  }
  fputs("</p>\n", file);
}

static void write_head(FILE *file, const table_t *table, size_t shown) {
  const study_t *study = table->from->study;
  html_page_begin(file, study->name, page_style);
  fputs("<h1>", file);
  html_text(file, study->question);
  fputs("</h1>\n<p>Study <code>", file);
  html_text(file, study->name);
  fputs("</code>: <code>amalgam", file);
  for (size_t i = 0; i < study->words; ++i) {
    fputc(' ', file);
    html_text(file, study->command[i]);
  }
  fputs("</code></p>\n", file);
  write_count(file, table, shown);
}

static bool write_page(FILE *file, const table_t *table, const page_rows_t *rows, base_error_t *error) {
  write_head(file, table, rows->count);
  fputs(
      "<noscript><p>The plots and the table are drawn by a script in this page.</p></noscript>\n"
      "<div id=\"plots\"></div>\n<div id=\"controls\"></div>\n<div class=\"plotted\">"
      "<svg id=\"chart\" role=\"img\" tabindex=\"0\" aria-label=\"plot; arrow keys go from point to point, Enter "
      "copies the command\"></svg><div id=\"tip\" hidden></div></div>\n"
      "<div id=\"legend\"></div>\n<p class=\"soft\"><span id=\"count\"></span>. Click a head to sort; filter by "
      "&gt;5, &lt;=3, =x, !=x or text. <span id=\"said\" role=\"status\"></span></p>\n"
      "<div class=\"scroll\"><table id=\"table\"><thead></thead><tbody></tbody></table></div>\n",
      file);
  cJSON *data = data_of(table, rows);
  const bool good = write_data(file, data, error);
  cJSON_Delete(data);
  fprintf(file, "<script>\n%s%s%s%s</script>\n", page_data_script, page_chart_script, page_table_script,
          page_main_script);
  html_page_end(file);
  return good;
}

bool page_write(const table_t *table, const char *html_file, base_error_t *error) {
  outputs_t outputs = {0};
  page_rows_t rows;
  size_t index;
  if (!page_rows_choose(&rows, table, PAGE_MOST_ROWS)) {
    return base_fail(error, "page: out of memory");
  }
  FILE *file = outputs_add(&outputs, html_file, &index, error) ? outputs_open(&outputs, index, error) : NULL;
  const bool good = file != NULL && write_page(file, table, &rows, error);
  free(rows.row);
  if (good) {
    return outputs_commit(&outputs, error);
  }
  outputs_discard(&outputs);
  return false;
}
