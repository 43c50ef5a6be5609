// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "host/program.h"
#include "sweep/slurm/slurm.h"

static slurm_answer_t meaning(const char *text) {
  static const struct {
    const char *words;
    slurm_answer_t answer;
  } says[] = {
#define SAYS(words, answer) {words, SLURM_##answer},
#include "sweep/slurm/slurm_says.def"
#undef SAYS
  };
  for (size_t i = 0; i < sizeof says / sizeof *says; ++i) {
    if (strstr(text, says[i].words) != NULL) {
      return says[i].answer;
    }
  }
  return SLURM_REFUSED;
}

// The last line is the one that says what came of it.
static const char *last_line(const char *text, char line[256]) {
  size_t end = strlen(text);
  while (end > 0 && text[end - 1] == '\n') {
    --end;
  }
  size_t start = end;
  while (start > 0 && text[start - 1] != '\n') {
    --start;
  }
  snprintf(line, 256, "%.*s", (int)(end - start), text + start);
  return line[0] == '\0' ? "it failed without a word" : line;
}

slurm_answer_t slurm_call(const char *const *word, const char *input, int descriptor, char *text, size_t size,
                          bool anyway, base_error_t *error) {
  char out[64], line[256];
  snprintf(out, sizeof out, "/proc/self/fd/%d", descriptor);
  const program_t program = {.argv = word,
                             .input = input,
                             .out = descriptor < 0 ? NULL : out,
                             .answer = text,
                             .size = size,
                             .all = true,
                             .anyway = anyway};
  switch (program_run(&program)) {
    case PROGRAM_DONE:
      return SLURM_DONE;
    case PROGRAM_INTERRUPTED:
      base_fail(error, "interrupted");
      return SLURM_INTERRUPTED;
    case PROGRAM_NOT_STARTED:
      base_fail(error, "--on slurm: cannot start %s; expected the commands of Slurm in PATH", word[0]);
      return SLURM_REFUSED;
    case PROGRAM_FAILED:
      break;
  }
  base_fail(error, "%s: %s", word[0], last_line(text, line));
  return meaning(text);
}
