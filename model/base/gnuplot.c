// SPDX-License-Identifier: Apache-2.0
#include "base/gnuplot.h"

#include "host/program.h"

bool gnuplot_run(const char *script, const char *file, base_error_t *error) {
  char said[256];
  const char *const argv[] = {"gnuplot", NULL};
  const program_t gnuplot = {.argv = argv, .input = script, .out = file, .answer = said, .size = sizeof said};
  switch (program_run(&gnuplot)) {
    case PROGRAM_DONE:
      return true;
    case PROGRAM_NOT_STARTED:
      return base_fail(error, "gnuplot cannot be started; is gnuplot-nox installed?");
    case PROGRAM_INTERRUPTED:
      return base_fail(error, "interrupted");
    default:
      return base_fail(error, "gnuplot failed: %s", said);
  }
}

void gnuplot_text(FILE *script, const char *text) {
  fputc('\'', script);  // in these quotes nothing is replaced
  for (; *text != '\0'; ++text) {
    fputs(*text == '\'' ? "'" : "", script);
    fputc((unsigned char)*text < ' ' ? ' ' : *text, script);
  }
  fputc('\'', script);
}
