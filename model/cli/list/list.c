// SPDX-License-Identifier: Apache-2.0
#include "cli/list/list.h"

#include <ctype.h>
#include <cyaml/cyaml.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/output.h"
#include "base/suggest.h"
#include "cli/option/manual.h"
#include "cli/option/options.h"
#include "cli/run/run.h"
#include "config/config.h"
#include "report/report.h"

enum { LEFT = 16, ABOUT_BYTES = 512, PATH_BYTES = 4096 };

// A line of its own, of the text's first `length` bytes: a line end is a space, and nothing at the end.
static void print_row(const char *name, const char *about, size_t length) {
  while (length > 0 && isspace((unsigned char)about[length - 1])) {
    --length;
  }
  printf("  %-*s%s", LEFT - 2, name, length == 0 ? "" : "  ");
  for (size_t i = 0; i < length; ++i) {
    putchar(iscntrl((unsigned char)about[i]) ? ' ' : about[i]);
  }
  putchar('\n');
}

static void print_sentence(const char *name, const char *about) { print_row(name, about, manual_name_length(about)); }

static void list_kernels(void) {
  for (size_t i = 0; i < RUN_KERNELS; ++i) {
    print_sentence(run_kernels[i].name, run_kernels[i].front->about);
  }
}

static void list_reports(void) {
  for (size_t i = 0; i < REPORT_TITLES; ++i) {
    print_row(report_titles[i].name, report_titles[i].help, strlen(report_titles[i].help));
  }
}

// --- files ------------------------------------------------------------------------------------

// Calls print for each FOLDER/*.yaml, in order.
static void for_files(const char *folder, void (*print)(const char *file)) {
  char pattern[PATH_BYTES];
  glob_t found;
  if (snprintf(pattern, sizeof pattern, "%s/*.yaml", folder) < (int)sizeof pattern &&
      glob(pattern, 0, NULL, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc; ++i) {
      print(found.gl_pathv[i]);
    }
    globfree(&found);
  }
}

// A machine or a system says in its first line what it is.
static void print_config(const char *file) {
  char name[64], line[ABOUT_BYTES] = "";
  const char *stem = strrchr(file, '/') + 1;
  snprintf(name, sizeof name, "%.*s", (int)(strlen(stem) - strlen(".yaml")), stem);
  FILE *input = fopen(file, "r");
  if (input != NULL) {
    if (fgets(line, sizeof line, input) == NULL) {
      line[0] = '\0';
    }
    fclose(input);
  }
  line[strcspn(line, "\n")] = '\0';
  print_sentence(name, line[0] == '#' ? line + strspn(line, "# ") : "");
}

static void list_folder(const char *name) {
  char folder[PATH_BYTES];
  snprintf(folder, sizeof folder, "%s/model/config%s", config_home(), name);
  for_files(folder, print_config);
}

static void list_configs(void) { list_folder(""); }
static void list_systems(void) { list_folder("/systems"); }

// A study says what it asks; whether the rest of it is right, `amalgam sweep` looks at.
static void print_study(const char *file) {
  typedef struct question {
    char *text;
  } question_t;
  static const cyaml_schema_field_t fields[] = {
      CYAML_FIELD_STRING_PTR("question", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, question_t, text, 0,
                             CYAML_UNLIMITED),
      CYAML_FIELD_END};
  static const cyaml_schema_value_t schema = {CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, question_t, fields)};
  const cyaml_config_t config = {
      .log_level = CYAML_LOG_ERROR, .mem_fn = cyaml_mem, .flags = CYAML_CFG_IGNORE_UNKNOWN_KEYS};
  question_t *question = NULL;
  cyaml_data_t *data = NULL;
  if (cyaml_load_file(file, &config, &schema, &data, NULL) == CYAML_OK) {
    question = data;
  }
  const char *text = question == NULL || question->text == NULL ? "" : question->text;
  print_row(file, text, strlen(text));
  cyaml_free(&config, &schema, data, 0);
}

// Lists the studies of the current folder, by the names that one would type, and those that are shipped.
static void list_studies(void) {
  char shipped[PATH_BYTES];
  struct stat here, there;
  const bool own = stat("studies", &here) == 0;
  snprintf(shipped, sizeof shipped, "%s/studies", config_home());
  if (own) {
    for_files("studies", print_study);
  }
  if (stat(shipped, &there) == 0 && !(own && here.st_dev == there.st_dev && here.st_ino == there.st_ino)) {
    for_files(shipped, print_study);
  }
}

// --- the command ------------------------------------------------------------------------------

static const struct {
  const char *name, *about;
  void (*list)(void);
} lists[] = {
    {"kernels", "what `amalgam run` runs", list_kernels},
    {"configs", "machines, for --config", list_configs},
    {"systems", "several of them, with the links between", list_systems},
    {"reports", "what `amalgam report` makes", list_reports},
    {"studies", "files for `amalgam sweep`, and what they ask", list_studies},
};
enum { LISTS = sizeof lists / sizeof *lists };

static void help(void) {
  static const manual_row_t examples[] = {{"list", "everything"}, {"list configs", "machines"}, {NULL, NULL}};
  static const manual_row_t files[] = {
      {"model/config/*.yaml", "machines"}, {"model/config/systems/*.yaml", "systems"}, {NULL, NULL}};
  const manual_t manual = {
      .name = "list",
      .synopsis = "[kernels|configs|systems|reports|studies]",
      .about =
          "names that other commands take. Each line has a name and what it stands for. Studies are those of the "
          "folder studies/ where you are, and those that are shipped.",
      .examples = examples,
      .files = files};
  manual_print(stdout, &manual);
}

static bool list_one(const char *word, base_error_t *error) {
  const char *names[LISTS];
  char hint[64];
  for (size_t i = 0; i < LISTS; ++i) {
    names[i] = lists[i].name;
    if (strcmp(word, names[i]) == 0) {
      lists[i].list();
      return true;
    }
  }
  return base_fail(error, "list %s: expected kernels, configs, reports or studies%s", word,
                   suggest_text(word, names, LISTS, "", hint, sizeof hint));
}

static void list_all(void) {
  for (size_t i = 0; i < LISTS; ++i) {
    printf("%s%s: %s\n", i == 0 ? "" : "\n", lists[i].name, lists[i].about);
    lists[i].list();
  }
}

static bool run(const options_t *options, base_error_t *error) {
  if (options->words > 1) {
    return base_fail(error, "list: unexpected argument '%s'", options->word[1]);
  }
  if (options->words == 1) {
    return list_one(options->word[0], error) && output_printed(error);
  }
  list_all();
  return output_printed(error);
}

int list(int argc, char **argv) {
  options_t options;
  base_error_t error;
  if (!options_parse(&options, CLI_LIST, argc, argv, &error)) {
    return base_report(BASE_BAD_INPUT, &error);
  }
  if (options.help) {
    help();
    return BASE_OK;
  }
  return run(&options, &error) ? (int)BASE_OK : base_report(BASE_BAD_INPUT, &error);
}
