// SPDX-License-Identifier: Apache-2.0
#include "report/page/report_html.h"

#include <cJSON.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"
#include "report/page/html_markdown.h"
#include "report/page/html_page.h"
#include "report/page/html_text.h"

enum { PATH_BYTES = PATH_MAX, TITLE_BYTES = 256 };

static const char page_title[] = "Amalgam: tables and figures, ours beside the papers'";

// --- files of the folder ----------------------------------------------------------------------

static bool file_path(char path[PATH_BYTES], const char *directory, const char *name, const char *ending) {
  const int length = snprintf(path, PATH_BYTES, "%s/%s%s", directory, name, ending);
  return length > 0 && length < PATH_BYTES;
}

// A folder or a FIFO of that name is none.
static bool is_text(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, R_OK) == 0;
}

// All of a text file; NULL: not there, or no memory. To be freed.
static char *read_text(const char *directory, const char *name, const char *ending) {
  char path[PATH_BYTES];
  FILE *file = file_path(path, directory, name, ending) && is_text(path) ? fopen(path, "rb") : NULL;
  if (file == NULL) {
    return NULL;
  }
  char *text = NULL;
  size_t room = 0;
  if (getdelim(&text, &room, '\0', file) < 0) {
    free(text);
    text = feof(file) ? strdup("") : NULL;
  }
  fclose(file);
  return text;
}

bool report_html_has(const report_html_t *page, size_t index) {
  char path[PATH_BYTES];
  return file_path(path, page->directory, page->list[index].name, ".md") && is_text(path);
}

// The first line of a report's Markdown without its "# ", and where the rest begins.
static const char *split_title(const char *markdown, const report_title_t *report, char title[TITLE_BYTES]) {
  if (strncmp(markdown, "# ", 2) != 0) {
    snprintf(title, TITLE_BYTES, "%s", report->name);
    return markdown;
  }
  const size_t length = strcspn(markdown, "\n");
  snprintf(title, TITLE_BYTES, "%.*s", (int)length - 2, markdown + 2);
  return markdown + length;
}

// --- how it was made --------------------------------------------------------------------------

static void print_fact(FILE *file, const char *name, const char *text, bool code) {
  fputs("<dt>", file);
  html_text(file, name);
  fputs(code ? "</dt><dd><code>" : "</dt><dd>", file);
  html_text(file, text);
  fputs(code ? "</code></dd>\n" : "</dd>\n", file);
}

// "timing_only" as people write it.
static const char *name_of(const cJSON *member, char name[TITLE_BYTES]) {
  snprintf(name, TITLE_BYTES, "%s", member->string);
  for (char *at = name; *at != '\0'; ++at) {
    *at = *at == '_' ? ' ' : *at;
  }
  return name;
}

// A report's own numbers that hold for all of it: batch, seeds, keys, ...
static void print_member(FILE *file, const cJSON *member) {
  char name[TITLE_BYTES];
  if (cJSON_IsNumber(member)) {
    char text[32];
    snprintf(text, sizeof text, member->valuedouble == rint(member->valuedouble) ? "%.15g" : "%.6g",
             member->valuedouble);
    print_fact(file, name_of(member, name), text, false);
  } else if (cJSON_IsString(member)) {
    print_fact(file, name_of(member, name), member->valuestring, false);
  } else if (cJSON_IsBool(member)) {
    print_fact(file, name_of(member, name), cJSON_IsTrue(member) ? "yes" : "no", false);
  }
}

static void print_made(FILE *file, const report_html_t *page, const report_title_t *report) {
  char *text = read_text(page->directory, report->name, ".json");
  cJSON *root = text == NULL ? NULL : cJSON_Parse(text);
  const cJSON *made = cJSON_GetObjectItem(root, "made");
  const char *command = cJSON_GetStringValue(cJSON_GetObjectItem(made, "command"));
  const char *machine = cJSON_GetStringValue(cJSON_GetObjectItem(made, "machine"));
  char usual[TITLE_BYTES];
  snprintf(usual, sizeof usual, "amalgam report %s", report->name);
  fputs("<dl class=\"made\">\n", file);
  print_fact(file, "made by", command != NULL ? command : usual, true);
  if (machine != NULL) {
    print_fact(file, "machine", machine, true);
  }
  const cJSON *member;
  cJSON_ArrayForEach(member, root) { print_member(file, member); }
  if (root != NULL) {
    char name[TITLE_BYTES];
    snprintf(name, sizeof name, "%s.json", report->name);
    print_fact(file, "numbers", name, true);
  }
  fputs("</dl>\n", file);
  cJSON_Delete(root);
  free(text);
}

// --- sections ---------------------------------------------------------------------------------

typedef struct section {
  const report_html_t *page;
  const char *title;
} section_t;

// A picture beside the report's Markdown; another folder's would not be the report's. As an image it can neither run
// nor fetch anything, and its ids are its own.
static void print_picture(void *context, FILE *file, const char *alt, const char *path) {
  const section_t *section = context;
  char *svg = strchr(path, '/') != NULL ? NULL : read_text(section->page->directory, path, "");
  fputs("<figure class=\"scroll\" tabindex=\"0\">\n", file);
  if (svg != NULL) {
    fputs("<img class=\"plot\" alt=\"", file);
    html_text(file, alt);
    fputs(": ", file);
    html_text(file, section->title);
    fputs(". Its numbers are in the text and tables beside it.\" src=\"data:image/svg+xml;base64,", file);
    html_base64(file, svg);
    fputs("\">\n", file);
  } else {
    fputs("<p class=\"soft\">", file);
    html_text(file, path);
    fputs(" is not in the folder.</p>\n", file);
  }
  fputs("</figure>\n", file);
  free(svg);
}

static bool print_section(FILE *file, const report_html_t *page, const report_title_t *report, base_error_t *error) {
  char *markdown = read_text(page->directory, report->name, ".md");
  char title[TITLE_BYTES];
  if (markdown == NULL) {
    return base_fail(error, "%s/%s.md: cannot read", page->directory, report->name);
  }
  const char *rest = split_title(markdown, report, title);
  section_t section = {page, title};
  const html_markdown_t how = {.file = file, .name = title, .deeper = 1, .picture = print_picture, .context = &section};
  fprintf(file, "<section id=\"%s\">\n<h2>", report->name);
  html_text(file, title);
  fputs("</h2>\n", file);
  html_markdown(&how, rest);
  print_made(file, page, report);
  fputs("</section>\n", file);
  free(markdown);
  return true;
}

// --- the page ---------------------------------------------------------------------------------

static void print_contents(FILE *file, const report_html_t *page) {
  fputs("<nav aria-label=\"Contents\">\n<strong>Contents</strong>\n<ul>\n", file);
  for (size_t i = 0; i < page->count; ++i) {
    if (!report_html_has(page, i)) {
      continue;
    }
    char title[TITLE_BYTES];
    char *markdown = read_text(page->directory, page->list[i].name, ".md");
    split_title(markdown == NULL ? "" : markdown, &page->list[i], title);
    fprintf(file, "<li><a href=\"#%s\">", page->list[i].name);
    html_text(file, title);
    fputs("</a></li>\n", file);
    free(markdown);
  }
  fputs("</ul>\n</nav>\n", file);
}

static void print_missing(FILE *file, const report_html_t *page) {
  fputs(
      "<section id=\"missing\">\n"
      "<h2>Not in this page</h2>\n"
      "<p>These reports have not been made in this folder. <code>amalgam report NAME "
      "--html</code> makes one and writes this page again.</p>\n<ul>\n",
      file);
  for (size_t i = 0; i < page->count; ++i) {
    if (!report_html_has(page, i)) {
      fprintf(file, "<li><code>%s</code> ", page->list[i].name);
      html_text(file, page->list[i].help);
      fputs("</li>\n", file);
    }
  }
  fputs("</ul>\n</section>\n", file);
}

static bool print_page(FILE *file, const report_html_t *page, base_error_t *error) {
  html_page_begin(file, page_title, "");
  fprintf(file,
          "<h1>Amalgam: tables and figures,<br>ours beside the papers'</h1>\n"
          "<p>Amalgam simulates attention on an NPU. This page shows its reports: tables and figures of "
          "published papers, with our numbers beside theirs.</p>\n"
          "<p>Columns marked as a paper's are from the paper that the report names. They are shaded, or in "
          "italics when printed. All other numbers come from the simulator, or from the synthesis of its "
          "Verilog. The command at the end of each report makes them again. Each report says what was fitted "
          "to a paper, and what is a prediction.</p>\n"
          "<p class=\"soft\">%zu of %zu reports are here.%s</p>\n",
          page->there, page->count,
          page->there < page->count ? " <a href=\"#missing\">The others</a> have not been made in this folder." : "");
  print_contents(file, page);
  for (size_t i = 0; i < page->count; ++i) {
    if (report_html_has(page, i) && !print_section(file, page, &page->list[i], error)) {
      return false;
    }
  }
  if (page->there < page->count) {
    print_missing(file, page);
  }
  html_page_end(file);
  return true;
}

bool report_html(report_html_t *page, base_error_t *error) {
  outputs_t outputs = {0};
  size_t index;
  char path[PATH_BYTES];
  page->there = 0;
  for (size_t i = 0; i < page->count; ++i) {
    page->there += report_html_has(page, i);
  }
  if (page->there == 0) {
    return base_fail(error,
                     "--html: no report in %s; `amalgam report fig1 --html` makes one, "
                     "`report all --html` all",
                     page->directory);
  }
  if (!file_path(path, page->directory, "index", ".html")) {
    return base_fail(error, "--out: %s", strerror(ENAMETOOLONG));
  }
  FILE *file = outputs_add(&outputs, path, &index, error) ? outputs_open(&outputs, index, error) : NULL;
  const bool good = file != NULL && print_page(file, page, error) && outputs_commit(&outputs, error);
  outputs_discard(&outputs);
  return good;
}
