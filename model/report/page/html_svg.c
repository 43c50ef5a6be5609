// SPDX-License-Identifier: Apache-2.0
#include "report/page/html_svg.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "report/page/html_text.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char white[] = " \t\r\n";

static bool starts(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

// Behind the next `mark`, or NULL.
static const char *behind(const char *text, const char *mark) {
  const char *at = strstr(text, mark);
  return at == NULL ? NULL : at + strlen(mark);
}

// The end of something at `at` that the page does not use: the plot program's title, comments, and the
// rectangle behind the drawing. NULL if there is nothing of the kind.
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

// Bytes from `at` to the name of an id or of a reference to one; 0: none begins here.
static size_t before_name(const char *at) {
  static const char *const marks[] = {" id='", " id=\"", "href='#", "href=\"#", "url(#"};
  for (size_t i = 0; i < sizeof marks / sizeof *marks; ++i) {
    if (starts(at, marks[i])) {
      return strlen(marks[i]);
    }
  }
  return 0;
}

// --- nothing but a drawing --------------------------------------------------------------------

static bool is_one_of(const char *word, size_t length, const char *const list[], size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (strlen(list[i]) == length && strncmp(word, list[i], length) == 0) {
      return true;
    }
  }
  return false;
}

static size_t name_length(const char *at) {
  size_t length = 0;
  while (isalnum((unsigned char)at[length]) || at[length] == '-' || at[length] == '_' || at[length] == ':') {
    ++length;
  }
  return length;
}

// A value that runs nothing and fetches nothing: references are to what is in the drawing.
static bool is_safe_value(const char *value, size_t length, bool reference) {
  static const char url[] = "url(";
  for (size_t i = 0; i < length; ++i) {
    if (strchr("<&\\@", value[i]) != NULL ||
        (strncasecmp(value + i, url, strlen(url)) == 0 && value[i + strlen(url)] != '#')) {
      return false;
    }
  }
  return !reference || value[0] == '#';
}

// ` name="value"`: what is behind it; NULL: none of a drawing.
static const char *behind_attribute(const char *at) {
  static const char *const others[] = {"xml:space"};
  static const char *const references[] = {"href", "xlink:href"};
  const size_t length = name_length(at);
  const char *value = at + length + strspn(at + length, white);
  const bool reference = is_one_of(at, length, references, COUNT(references));
  if (length == 0 || strncasecmp(at, "on", 2) == 0 || *value != '=' ||
      (memchr(at, ':', length) != NULL && !reference && !is_one_of(at, length, others, COUNT(others)))) {
    return NULL;
  }
  value += 1 + strspn(value + 1, white);
  const char *end = *value == '"' || *value == '\'' ? strchr(value + 1, *value) : NULL;
  return end != NULL && is_safe_value(value + 1, (size_t)(end - value - 1), reference) ? end + 1 : NULL;
}

// The end of the tag at `at`; NULL: it is not a tag of a drawing.
static const char *behind_tag(const char *at) {
  static const char *const elements[] = {
      "g",           "defs",    "path",           "polygon",        "polyline", "line",    "rect",
      "circle",      "ellipse", "text",           "tspan",          "use",      "filter",  "feFlood",
      "feComposite", "pattern", "linearGradient", "radialGradient", "stop",     "clipPath"};
  const char *name = at + (at[1] == '/' ? 2 : 1);
  const size_t length = name_length(name);
  if (!is_one_of(name, length, elements, COUNT(elements))) {
    return NULL;
  }
  at = name + length;
  for (size_t space; (space = strspn(at, white)) > 0 && name_length(at + space) > 0;) {
    at = behind_attribute(at + space);
    if (at == NULL) {
      return NULL;
    }
  }
  at += strspn(at, white);
  at += *at == '/';
  return *at == '>' ? at + 1 : NULL;
}

// Elements and attributes that draw, and no others: no scripts, handlers, styles from elsewhere, HTML.
static bool is_drawing(const char *at, const char *end) {
  while (at != NULL && at < end) {
    const char *next = dropped(at);
    at = next != NULL ? next : *at == '<' ? behind_tag(at) : at + 1;
  }
  return at != NULL;
}

// ----------------------------------------------------------------------------------------------

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
      ++at;  // gnuplot's empty lines
    } else {
      fputc(*at++, file);
    }
  }
}

const char *html_svg(FILE *file, const char *svg, const char *prefix, const char *label) {
  const char *open = strstr(svg, "<svg");
  const char *body = open == NULL ? NULL : behind(open, ">");
  const char *end = body == NULL ? NULL : strstr(body, "</svg>");
  const char *box = open == NULL ? NULL : behind(open, "viewBox=\"");
  if (end == NULL || box == NULL || box > body || box[strspn(box, "0123456789.- ")] != '"') {
    return "is no SVG with a viewBox";
  }
  if (!is_drawing(body, end)) {
    return "is left out, for it has more in it than a drawing";
  }
  fprintf(file, "<svg class=\"plot\" role=\"img\" viewBox=\"%.*s\" aria-label=\"", (int)strcspn(box, "\""), box);
  html_text(file, label);
  fputs("\">", file);
  print_body(file, body, end, prefix);
  fputs("</svg>\n", file);
  return NULL;
}
