// Markdown to HTML, as much of it as the reports use: headings, paragraphs, lists of "- ", tables,
// fenced code, pictures on a line of their own; in a line `code`, **strong**, *emphasis* and links.
// Everything else is text.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_REPORT_PAGE_HTML_MARKDOWN_H
#define AMALGAM_REPORT_PAGE_HTML_MARKDOWN_H

#include <stdio.h>

typedef struct html_markdown {
  FILE *file;
  const char *name;  // of the document, for labels
  int deeper;        // a heading "#" becomes <h1>, deeper by as many levels; at most <h6>
  // ![alt](path): writes the picture; called between two blocks.
  void (*picture)(void *context, FILE *file, const char *alt, const char *path);
  void *context;
} html_markdown_t;

void html_markdown(const html_markdown_t *how, const char *text);

#endif
