// One page of all reports: DIR/index.html, from the files that the reports have left in DIR.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_REPORT_PAGE_REPORT_HTML_H
#define AMALGAM_REPORT_PAGE_REPORT_HTML_H

#include <stddef.h>

#include "base/error.h"

// A report as reports.def has it.
typedef struct report_title {
  const char *name, *other, *help;
} report_title_t;

typedef struct report_html {
  const report_title_t *list;  // in the order of the page
  size_t count;
  const char *directory;
  size_t there;  // set: how many have a section; the others are named as missing
} report_html_t;

bool report_html(report_html_t *page, base_error_t *error);

// Does the report have its text in the folder?
bool report_html_has(const report_html_t *page, size_t index);

#endif
