// A plot's SVG (gnuplot's) as part of a page: as wide as there is room, without a background of its
// own, its ids its own, with a label for those who do not see it.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_REPORT_PAGE_HTML_SVG_H
#define AMALGAM_REPORT_PAGE_HTML_SVG_H

#include <stdio.h>

// prefix: of the ids, unique in the page.  NULL: done.  Else nothing was written, and that is why, to be put
// behind the file's name: it is no SVG with a viewBox, or has in it what could run or fetch something.
const char *html_svg(FILE *file, const char *svg, const char *prefix, const char *label);

#endif
