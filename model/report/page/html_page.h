// The frame of a page: one file that fetches nothing, for light and dark, phone and paper.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_REPORT_PAGE_HTML_PAGE_H
#define AMALGAM_REPORT_PAGE_HTML_PAGE_H

#include <stdio.h>

// Up to and with <main>, and from </main> on. style: more rules of CSS, or "".
void html_page_begin(FILE *file, const char *title, const char *style);
void html_page_end(FILE *file);

#endif
