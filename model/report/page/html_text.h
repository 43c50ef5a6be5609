// Text in HTML.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_REPORT_PAGE_HTML_TEXT_H
#define AMALGAM_REPORT_PAGE_HTML_TEXT_H

#include <stddef.h>
#include <stdio.h>

// Text as it is, in an element or in a quoted attribute.
void html_text(FILE *file, const char *text);
void html_text_n(FILE *file, const char *text, size_t length);

// The same bytes in base64, as an address that begins with "data:" has them.
void html_base64(FILE *file, const char *text);

#endif
