// SPDX-License-Identifier: Apache-2.0
#include "report/page/html_markdown.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "report/page/html_text.h"

enum { COLUMNS = 64, PATH_BYTES = 256, DEEPEST = 6, LONG = 24 };

// A piece of the text.
typedef struct span {
  const char *at;
  size_t length;
} span_t;

static bool starts(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

static const char *end_of_line(const char *at) { return at + strcspn(at, "\n"); }

static const char *next_line(const char *at) {
  at = end_of_line(at);
  return *at == '\n' ? at + 1 : at;
}

static bool is_blank(const char *line) { return line[strspn(line, " \t")] == '\n' || *line == '\0'; }

static bool is_heading(const char *line) {
  const size_t marks = strspn(line, "#");
  return marks >= 1 && marks <= DEEPEST && line[marks] == ' ';
}

// True if the line ends a paragraph, apart from an empty line.
static bool is_block(const char *line) {
  return is_heading(line) || *line == '|' || starts(line, "- ") || starts(line, "```") || starts(line, "![");
}

static span_t trimmed(const char *at, const char *end) {
  while (at < end && isspace((unsigned char)*at)) {
    ++at;
  }
  while (end > at && isspace((unsigned char)end[-1])) {
    --end;
  }
  return (span_t){at, (size_t)(end - at)};
}

// --- in a line --------------------------------------------------------------------------------

static void inline_text(FILE *file, span_t text);

// The next `mark` in text from `from` on that ends what one began; NULL: none.
static const char *closing(span_t text, const char *from, const char *mark) {
  const char *end = text.at + text.length;
  const size_t length = strlen(mark);
  for (const char *at = from; at + length <= end; ++at) {
    if (memcmp(at, mark, length) == 0) {
      return at;
    }
  }
  return NULL;
}

// `mark`text`mark` as an element; the end of it, or NULL if there is none here.
static const char *element(FILE *file, span_t text, const char *at, const char *mark, const char *name) {
  const char *from = at + strlen(mark);
  const char *to = starts(at, mark) ? closing(text, from, mark) : NULL;
  const bool code = *mark == '`';
  if (to == NULL || to == from || (!code && (isspace((unsigned char)*from) || isspace((unsigned char)to[-1])))) {
    return NULL;
  }
  fprintf(file, "<%s>", name);
  if (code) {
    html_text_n(file, from, (size_t)(to - from));
  } else {
    inline_text(file, (span_t){from, (size_t)(to - from)});
  }
  fprintf(file, "</%s>", name);
  return to + strlen(mark);
}

// [text](address); an address in the file system would lead nowhere, so that only the text is left.
static const char *link_to(FILE *file, span_t text, const char *at) {
  const char *middle = *at == '[' ? closing(text, at + 1, "](") : NULL;
  const char *end = middle == NULL ? NULL : closing(text, middle + 2, ")");
  if (end == NULL) {
    return NULL;
  }
  const span_t words = {at + 1, (size_t)(middle - at - 1)};
  const bool outside = starts(middle + 2, "https://") || starts(middle + 2, "http://");
  if (outside) {
    fputs("<a href=\"", file);
    html_text_n(file, middle + 2, (size_t)(end - middle - 2));
    fputs("\">", file);
  }
  inline_text(file, words);
  fputs(outside ? "</a>" : "", file);
  return end + 1;
}

static void inline_text(FILE *file, span_t text) {
  const char *end = text.at + text.length;
  for (const char *at = text.at; at < end;) {
    const char *next = *at == '`' ? element(file, text, at, "`", "code") : NULL;
    if (next == NULL && *at == '*') {
      next = element(file, text, at, "**", "strong");
      next = next == NULL ? element(file, text, at, "*", "em") : next;
    }
    if (next == NULL && *at == '[') {
      next = link_to(file, text, at);
    }
    if (next == NULL) {
      html_text_n(file, at, 1);
      next = at + 1;
    }
    at = next;
  }
}

// --- tables -----------------------------------------------------------------------------------

typedef struct table {
  size_t columns;
  bool number[COLUMNS];  // most cells below the heading are numbers
  bool paper[COLUMNS];   // the heading says that they are the paper's
} table_t;

// Cells of "| a | b |", at most COLUMNS.
static size_t cells_of(const char *line, span_t cells[COLUMNS]) {
  const char *end = end_of_line(line);
  size_t count = 0;
  for (const char *at = line + 1; at < end && count < COLUMNS;) {
    const char *stop = at;
    for (bool code = false; stop < end && (code || *stop != '|'); ++stop) {
      code = code != (*stop == '`');
    }
    if (stop == end && trimmed(at, stop).length == 0) {
      break;  // what follows the last |
    }
    cells[count++] = trimmed(at, stop);
    at = stop + 1;
  }
  return count;
}

static bool is_rule(const char *line) {
  return *line == '|' && strspn(line, "|-: ") == (size_t)(end_of_line(line) - line) &&
         memchr(line, '-', (size_t)(end_of_line(line) - line)) != NULL;
}

static bool is_number(span_t cell) {
  size_t digits = 0;
  for (size_t i = 0; i < cell.length; ++i) {
    if (strchr("0123456789.,+-%e ~<>", cell.at[i]) == NULL) {
      return false;
    }
    digits += isdigit((unsigned char)cell.at[i]) != 0;
  }
  return digits > 0;
}

static bool says_paper(span_t cell) {
  for (size_t i = 0; i + 5 <= cell.length; ++i) {
    if (memcmp(cell.at + i, "paper", 5) == 0) {
      return true;
    }
  }
  return false;
}

static void measure_table(const char *line, table_t *table) {
  span_t cells[COLUMNS];
  size_t numbers[COLUMNS] = {0};
  size_t words[COLUMNS] = {0};
  table->columns = cells_of(line, cells);
  for (size_t i = 0; i < table->columns; ++i) {
    table->paper[i] = says_paper(cells[i]);
  }
  for (line = next_line(next_line(line)); *line == '|'; line = next_line(line)) {
    const size_t count = cells_of(line, cells);
    for (size_t i = 0; i < count; ++i) {
      numbers[i] += is_number(cells[i]);
      words[i] += cells[i].length > 0 && !is_number(cells[i]);
    }
  }
  for (size_t i = 0; i < COLUMNS; ++i) {
    table->number[i] = numbers[i] > words[i];
  }
}

static void table_row(FILE *file, const char *line, const char *name, const table_t *table) {
  span_t cells[COLUMNS];
  const size_t count = cells_of(line, cells);
  const bool heading = strcmp(name, "th") == 0;
  const bool papers = !heading && count > 0 && says_paper(cells[0]);  // all of the row
  fputs("<tr>", file);
  for (size_t i = 0; i < count; ++i) {
    const bool number = table->number[i];
    const bool paper = table->paper[i] || papers;
    const bool is_long = !heading && cells[i].length > LONG;  // may be broken into lines
    const char *gap = number ? " " : "";
    fprintf(file, "<%s", name);
    if (number || paper || is_long) {
      fprintf(file, " class=\"%s%s%s%s%s\"", number ? "number" : "", paper ? gap : "", paper ? "paper" : "",
              is_long && (number || paper) ? " " : "", is_long ? "long" : "");
    }
    fputs(heading ? " scope=\"col\">" : ">", file);
    inline_text(file, cells[i]);
    fprintf(file, "</%s>", name);
  }
  fputs("</tr>\n", file);
}

static const char *table_block(const html_markdown_t *how, const char *line) {
  table_t table = {0};
  measure_table(line, &table);
  fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table of ", how->file);
  html_text(how->file, how->name);
  fputs("\">\n<table>\n<thead>", how->file);
  table_row(how->file, line, "th", &table);
  fputs("</thead>\n<tbody>\n", how->file);
  for (line = next_line(next_line(line)); *line == '|'; line = next_line(line)) {
    table_row(how->file, line, "td", &table);
  }
  fputs("</tbody>\n</table>\n</div>\n", how->file);
  return line;
}

// --- other blocks -----------------------------------------------------------------------------

static const char *heading(const html_markdown_t *how, const char *line) {
  const size_t marks = strspn(line, "#");
  const int level = (int)marks + how->deeper < DEEPEST ? (int)marks + how->deeper : DEEPEST;
  fprintf(how->file, "<h%d>", level);
  inline_text(how->file, trimmed(line + marks, end_of_line(line)));
  fprintf(how->file, "</h%d>\n", level);
  return next_line(line);
}

static const char *code_block(FILE *file, const char *line) {
  fputs("<div class=\"scroll\" tabindex=\"0\"><pre><code>", file);
  for (line = next_line(line); *line != '\0' && !starts(line, "```"); line = next_line(line)) {
    html_text_n(file, line, (size_t)(next_line(line) - line));
  }
  fputs("</code></pre></div>\n", file);
  return next_line(line);
}

// Lines up to an empty one or another block.
static const char *paragraph(FILE *file, const char *line) {
  const char *end = line;
  do {
    end = next_line(end);
  } while (!is_blank(end) && !is_block(end));
  inline_text(file, trimmed(line, end));
  return end;
}

static const char *list(FILE *file, const char *line) {
  fputs("<ul>\n", file);
  while (starts(line, "- ")) {
    fputs("<li>", file);
    line = paragraph(file, line + 2);
    fputs("</li>\n", file);
  }
  fputs("</ul>\n", file);
  return line;
}

static const char *picture(const html_markdown_t *how, const char *line) {
  const span_t text = {line, (size_t)(end_of_line(line) - line)};
  const char *middle = closing(text, line, "](");
  const char *end = middle == NULL ? NULL : closing(text, middle, ")");
  if (end == NULL) {
    fputs("<p>", how->file);
    html_text_n(how->file, text.at, text.length);
    fputs("</p>\n", how->file);
  } else {
    char alt[PATH_BYTES];
    char path[PATH_BYTES];
    snprintf(alt, sizeof alt, "%.*s", (int)(middle - line - 2), line + 2);
    snprintf(path, sizeof path, "%.*s", (int)(end - middle - 2), middle + 2);
    how->picture(how->context, how->file, alt, path);
  }
  return next_line(line);
}

static const char *block(const html_markdown_t *how, const char *line) {
  if (is_blank(line)) {
    return next_line(line);
  }
  if (is_heading(line)) {
    return heading(how, line);
  }
  if (*line == '|' && is_rule(next_line(line))) {
    return table_block(how, line);
  }
  if (starts(line, "- ")) {
    return list(how->file, line);
  }
  if (starts(line, "```")) {
    return code_block(how->file, line);
  }
  if (starts(line, "![")) {
    return picture(how, line);
  }
  fputs("<p>", how->file);
  line = paragraph(how->file, line);
  fputs("</p>\n", how->file);
  return line;
}

void html_markdown(const html_markdown_t *how, const char *text) {
  while (*text != '\0') {
    text = block(how, text);
  }
}
