// SPDX-License-Identifier: Apache-2.0
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/slurm/slurm.h"

// --- options of sbatch ------------------------------------------------------------------------

// Options that belong to the sweep, or let sbatch do something else than submit one job and say its number.
static const char *const refused[] = {"--wait",     "--array", "--clusters", "--test-only", "--wrap",
                                      "--job-name", "--help",  "--usage",    "--version"};
static const char refused_letters[] = "aWMJhV";

// As getopt has it: an option may be cut short, and end in =VALUE.
static const char *refused_name(const char *word) {
  const size_t length = strcspn(word, "=");
  for (size_t i = 0; length > 2 && word[1] == '-' && i < sizeof refused / sizeof *refused; ++i) {
    if (strncmp(word, refused[i], length) == 0) {
      return refused[i];
    }
  }
  return NULL;
}

static bool check_word(const char *word, bool is_value, base_error_t *error) {
  const char *name = refused_name(word);
  if (name != NULL) {
    return base_fail(error, "--sbatch: %s: not possible here; %s is the sweep's own affair", word, name);
  }
  if (word[0] == '-' && word[1] != '-' && word[1] != '\0' && strchr(refused_letters, word[1]) != NULL) {
    return base_fail(error, "--sbatch: %s: not possible here; -%c is the sweep's own affair", word, word[1]);
  }
  return is_value || (word[0] == '-' && word[1] != '\0' && strcmp(word, "--") != 0) ||
         base_fail(error, "--sbatch: %s: expected an option of sbatch", word);
}

static bool check_words(char *const *word, base_error_t *error) {
  for (size_t i = 0; word[i] != NULL; ++i) {
    const bool is_value = i > 0 && word[i - 1][0] == '-' && strchr(word[i - 1], '=') == NULL && word[i][0] != '-';
    if (!check_word(word[i], is_value, error)) {
      return false;
    }
  }
  return true;
}

bool slurm_options(const char *text, wordexp_t *words, base_error_t *error) {
  const int status = wordexp(text, words, WRDE_NOCMD | WRDE_UNDEF);
  if (status != 0) {
    return base_fail(error, "--sbatch: %s: expected words as a shell has them%s", text,
                     status == WRDE_CMDSUB   ? ", without commands in them"
                     : status == WRDE_BADVAL ? ", without variables that are not set"
                                             : "");
  }
  const bool good = check_words(words->we_wordv, error);
  if (!good) {
    wordfree(words);
  }
  return good;
}

// --- time -------------------------------------------------------------------------------------

// Numbers between colons; how many. 0: something else is there.
static size_t numbers(const char *text, double value[3]) {
  size_t count = 0;
  for (; count < 3; ++text) {
    if (!isdigit((unsigned char)*text)) {
      return 0;
    }
    char *end;
    value[count++] = strtod(text, &end);
    const size_t digits = strspn(text, "0123456789");
    text += digits;
    if (*text == '\0') {
      return digits <= 6 ? count : 0;
    }
    if (*text != ':') {
      return 0;
    }
  }
  return 0;
}

// minutes, minutes:seconds, hours:minutes:seconds; days-hours, days-hours:minutes, days-hours:minutes:seconds
bool slurm_seconds(const char *text, double *seconds) {
  static const double units[2][3][3] = {{{60}, {60, 1}, {3600, 60, 1}}, {{3600}, {3600, 60}, {3600, 60, 1}}};
  double value[3] = {0};
  const size_t digits = strspn(text, "0123456789");
  const bool days = digits > 0 && digits <= 6 && text[digits] == '-';
  const size_t count = numbers(days ? text + digits + 1 : text, value);
  *seconds = days ? strtod(text, NULL) * 86400 : 0;
  for (size_t i = 0; i < count; ++i) {
    *seconds += value[i] * units[days][count - 1][i];
  }
  return count > 0 && *seconds > 0;
}

// A point is ended in a moment; but the controller looks at times only now and then.
unsigned slurm_warning_seconds(const char *time) {
  double seconds;
  if (time == NULL || !slurm_seconds(time, &seconds)) {
    return 60;
  }
  return (unsigned)fmin(60, fmax(10, seconds / 6));
}
