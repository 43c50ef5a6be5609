// SPDX-License-Identifier: Apache-2.0
#include "report/page/html_svg.h"

#include <string.h>

#include "report/page/html_text.h"

static bool starts(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

// Behind the next `mark`, or NULL.
static const char *behind(const char *text, const char *mark) {
  const char *at = strstr(text, mark);
  return at == NULL ? NULL : at + strlen(mark);
}

// What the page has no use for at `at`: the plot program's title, comments, and the rectangle
// behind the drawing.  The end of it, or NULL.
static const char *dropped(const char *at) {
  if (starts(at, "<title>")) {
    return behind(at, "</title>");
  }
  if (starts(at, "<desc>")) {
    return behind(at, "</desc>");
  }
  if (starts(at, "<!--")) {
    return behind(at, "-->");
  }
  if (starts(at, "<rect x=\"0\" y=\"0\"")) {
    const char *end = behind(at, "/>");
    const char *fill = strstr(at, "fill=\"#ffffff\"");
    return end != NULL && fill != NULL && fill < end ? end : NULL;
  }
  return NULL;
}

// Where an id or a reference to one begins: the bytes up to the name, 0: not here.
static size_t before_name(const char *at) {
  static const char *const marks[] = {" id='", " id=\"", "href='#", "href=\"#", "url(#"};
  for (size_t i = 0; i < sizeof marks / sizeof *marks; ++i) {
    if (starts(at, marks[i])) {
      return strlen(marks[i]);
    }
  }
  return 0;
}

static void print_body(FILE *file, const char *at, const char *end, const char *prefix) {
  while (at < end) {
    const char *next = dropped(at);
    if (next != NULL) {
      at = next;
      continue;
    }
    const size_t name = before_name(at);
    if (name > 0) {
      fprintf(file, "%.*s%s-", (int)name, at, prefix);
      at += name;
    } else if (*at == '\n' && (at[1] == '\n' || at[1] == '\t')) {
      ++at;   // gnuplot's empty lines
    } else {
      fputc(*at++, file);
    }
  }
}

bool html_svg(FILE *file, const char *svg, const char *prefix, const char *label) {
  const char *open = strstr(svg, "<svg");
  const char *body = open == NULL ? NULL : behind(open, ">");
  const char *end = body == NULL ? NULL : strstr(body, "</svg>");
  const char *box = open == NULL ? NULL : behind(open, "viewBox=\"");
  if (end == NULL || box == NULL || box > body) {
    return false;
  }
  fprintf(file, "<svg class=\"plot\" role=\"img\" viewBox=\"%.*s\" aria-label=\"",
          (int)strcspn(box, "\""), box);
  html_text(file, label);
  fputs("\">", file);
  print_body(file, body, end, prefix);
  fputs("</svg>\n", file);
  return true;
}
