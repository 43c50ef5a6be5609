// SPDX-License-Identifier: Apache-2.0
#include "cli/explain/explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/output.h"
#include "cli/option/manual.h"
#include "cli/option/options.h"
#include "cli/run/run.h"
#include "host/interrupt.h"
#include "kernel/machine.h"

enum { LINKS_MOST = 8, WAITS_MOST = 5 };
static const double SHARE_LEAST = 0.015, WORTH_LEAST = 0.005;

// --- the file ---------------------------------------------------------------------------------

// The words of the run again, from host.arguments: the kernel's name and what followed it.
static bool take_words(explain_run_t *run, base_error_t *error) {
  const cJSON *host = cJSON_GetObjectItemCaseSensitive(run->root, "host");
  const cJSON *words = cJSON_GetObjectItemCaseSensitive(host, "arguments");
  const int count = cJSON_GetArraySize(words);
  run->kernel = json_text(run->root, "kernel");
  const run_kernel_t *kernel = run_kernel_find(run->kernel);
  char *argv[EXPLAIN_WORDS_MAX + 1] = {NULL};
  if (kernel == NULL || count < 1 || count > EXPLAIN_WORDS_MAX - 64) {
    return base_fail(error, "%s: host.arguments: expected the words of an `amalgam run`", run->file);
  }
  for (int i = 0; i < count; ++i) {
    argv[i] = cJSON_GetStringValue(cJSON_GetArrayItem(words, i));
    if (argv[i] == NULL) {
      return base_fail(error, "%s: host.arguments: expected texts", run->file);
    }
  }
  base_error_t reason;
  if (!options_keep(kernel->command, OPTION_OUTPUT, count, argv, run->word[0], &run->words[0], &reason) ||
      !options_keep(kernel->command, OPTION_OUTPUT | OPTION_VALUES, count, argv, run->word[1], &run->words[1],
                    &reason)) {
    return base_fail(error, "%s: host.arguments: %s", run->file, reason.text);
  }
  for (size_t i = 0; i < run->words[0]; ++i) {
    if (strcmp(run->word[0][i], "-") == 0) {
      return base_fail(error, "%s: that run read standard input, which is gone; expected one on files", run->file);
    }
  }
  return true;
}

static bool take_config(explain_run_t *run, base_error_t *error) {
  base_error_t message;
  const cJSON *set;
  const char *name = json_text(run->root, "config");
  if (name[0] == '\0') {
    return base_fail(error, "%s: config: expected a machine; only runs of the SoC can be explained", run->file);
  }
  if (!config_open(name, &run->config, &message)) {
    return base_fail(error, "%s: config %s cannot be read", run->file, name);
  }
  cJSON_ArrayForEach(set, cJSON_GetObjectItemCaseSensitive(run->root, "set")) {
    const char *assignment = cJSON_GetStringValue(set);
    if (assignment == NULL || !config_set(&run->config, assignment, &message)) {
      return base_fail(error, "%s: set: %s", run->file, assignment == NULL ? "expected texts" : message.text);
    }
  }
  return true;
}

// The file may come from anybody: what it has the run load into this process is up to the user.
static bool check_firmware(const explain_run_t *run, bool allow_native, base_error_t *error) {
  char *argv[EXPLAIN_WORDS_MAX + 1] = {(char *)run->kernel};
  options_t options;
  base_error_t reason;
  for (size_t i = 0; i < run->words[0]; ++i) {
    argv[i + 1] = (char *)run->word[0][i];
  }
  if (!options_parse(&options, run_kernel_find(run->kernel)->command, (int)run->words[0] + 1, argv, &reason)) {
    return base_fail(error, "%s: host.arguments: %s", run->file, reason.text);
  }
  const char *firmware = options.words > 0                 ? options.word[0]
                         : options.custom_firmware != NULL ? options.custom_firmware
                                                           : options.firmware;
  for (size_t i = 0; i < options.ascend_then.count && (firmware == NULL || !kernel_firmware_is_native(firmware)); ++i) {
    firmware = options.ascend_then.item[i];
  }
  return allow_native || firmware == NULL || !kernel_firmware_is_native(firmware) ||
         base_fail(error,
                   "%s: that run loads %s into this computer's own process; if you trust it, "
                   "--allow-native",
                   run->file, firmware);
}

// A number of cycles, as a run can have it: whole, and from 0 to most.
static bool is_cycles(const cJSON *item, double most) {
  return cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble <= most &&
         item->valuedouble == floor(item->valuedouble);
}

static bool take_numbers(explain_run_t *run, base_error_t *error) {
  const cJSON *cycles = cJSON_GetObjectItemCaseSensitive(run->root, "cycles");
  const cJSON *pipe;
  if (!is_cycles(cycles, 0x1p53) || cycles->valuedouble == 0) {
    return base_fail(error, "%s: cycles: expected a whole number above 0", run->file);
  }
  run->cycles = (uint64_t)cycles->valuedouble;
  cJSON_ArrayForEach(pipe, cJSON_GetObjectItemCaseSensitive(run->root, "pipes")) {
    const cJSON *busy = cJSON_GetObjectItemCaseSensitive(pipe, "busy");
    if (!cJSON_IsNumber(busy) || !(busy->valuedouble >= 0 && busy->valuedouble <= cycles->valuedouble)) {
      return base_fail(error, "%s: pipes: busy: expected a number from 0 to cycles", run->file);
    }
  }
  return true;
}

// Texts that are printed: a terminal gets no control characters from them.
static void make_plain(cJSON *item) {
  for (char *at = cJSON_GetStringValue(item); at != NULL && *at != '\0'; ++at) {
    *at = (unsigned char)*at < ' ' || *at == 0x7f ? '?' : *at;
  }
  for (cJSON *child = item == NULL ? NULL : item->child; child != NULL; child = child->next) {
    make_plain(child);
  }
}

bool explain_open(explain_run_t *run, bool allow_native, base_error_t *error) {
  run->root = json_read_input(run->file, "the file of an `amalgam run --json`", error);
  if (run->root == NULL) {
    return false;
  }
  make_plain(cJSON_GetObjectItemCaseSensitive(run->root, "pipes"));
  return take_config(run, error) && take_words(run, error) && check_firmware(run, allow_native, error) &&
         take_numbers(run, error);
}

// --- in order ---------------------------------------------------------------------------------

// Links of one command at one line are one, whether it moved or was waited for.
typedef struct line {
  const cJSON *first;
  double cycles[2];  // busy, and all else
  double times;
} line_t;

static int by_cycles(const void *a, const void *b) {
  const line_t *x = a, *y = b;
  const double difference = y->cycles[0] + y->cycles[1] - x->cycles[0] - x->cycles[1];
  return difference > 0 ? 1 : difference < 0 ? -1 : 0;
}

static bool is_what(const cJSON *link, const char *what) { return strcmp(json_text(link, "what"), what) == 0; }

static bool same_line(const cJSON *a, const cJSON *b) {
  static const char *const names[] = {"core", "pipe", "command", "line"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    if (strcmp(json_text(a, names[i]), json_text(b, names[i])) != 0) {
      return false;
    }
  }
  return is_what(a, "scalar") == is_what(b, "scalar") && is_what(a, "banks") == is_what(b, "banks");
}

// The links or waits, largest first; NULL: no memory.
static line_t *sorted(const cJSON *list, size_t *count) {
  const cJSON *item;
  line_t *lines = calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof *lines);
  *count = 0;
  if (lines == NULL) {
    return NULL;
  }
  cJSON_ArrayForEach(item, list) {
    size_t i = 0;
    while (i < *count && !same_line(lines[i].first, item)) {
      ++i;
    }
    *count += i == *count ? 1 : 0;
    lines[i].first = lines[i].first == NULL ? item : lines[i].first;
    lines[i].cycles[!is_what(item, "busy") && !is_what(item, "banks")] += json_number(item, "cycles");
    lines[i].times = json_number(item, "times") > lines[i].times ? json_number(item, "times") : lines[i].times;
  }
  qsort(lines, *count, sizeof *lines, by_cycles);
  return lines;
}

static int by_worth(const void *a, const void *b) {
  const explain_try_t *x = a, *y = b;
  const uint64_t left = x->cycles == 0 ? UINT64_MAX : x->cycles;
  const uint64_t right = y->cycles == 0 ? UINT64_MAX : y->cycles;
  return left > right ? 1 : left < right ? -1 : 0;
}

// --- text -------------------------------------------------------------------------------------

static void print_links(const explain_run_t *run) {
  size_t count;
  const double all = (double)run->cycles;
  line_t *lines = sorted(cJSON_GetObjectItemCaseSensitive(run->path, "links"), &count);
  printf(
      "the chain that set the time, from the last effect back to the launch, in %% of the "
      "cycles\n  busy  latency   times\n");
  for (size_t i = 0; lines != NULL && i < count && i < LINKS_MOST; ++i) {
    const line_t *l = &lines[i];
    if (l->cycles[0] + l->cycles[1] < SHARE_LEAST * all) {
      break;
    }
    const char *place = is_what(l->first, "scalar") || is_what(l->first, "banks") ? "what" : "pipe";
    printf("  %4.1f     %4.1f  %6.0f   %-6s %-5s %-9s %s\n", 100 * l->cycles[0] / all, 100 * l->cycles[1] / all,
           l->times, json_text(l->first, "core"), json_text(l->first, place), json_text(l->first, "command"),
           json_text(l->first, "line"));
  }
  free(lines);
}

static void print_waits(const explain_run_t *run) {
  size_t count;
  const double all = (double)run->cycles;
  line_t *lines = sorted(cJSON_GetObjectItemCaseSensitive(run->path, "waits"), &count);
  bool any = false;
  for (size_t i = 0; lines != NULL && i < count && i < WAITS_MOST; ++i) {
    const line_t *l = &lines[i];
    if (l->cycles[1] < SHARE_LEAST * all) {
      break;
    }
    if (!any) {
      printf(
          "waits on that chain, for data or for a free buffer: how long the pipe waited, in %%\n"
          "  cycles          times\n");
    }
    any = true;
    printf("  %4.1f           %6.0f   %-6s %-5s %-9s %s\n", 100 * l->cycles[1] / all, l->times,
           json_text(l->first, "core"), json_text(l->first, "pipe"), is_what(l->first, "buffer") ? "buffer" : "data",
           json_text(l->first, "line"));
  }
  free(lines);
}

static double worth(const explain_run_t *run, const explain_try_t *one) {
  return one->cycles == 0 ? 0 : 1 - (double)one->cycles / (double)run->cycles;
}

static void print_worth(const explain_run_t *run) {
  size_t shown = 0;
  printf("what would help, each by itself, from another run: cycles saved, in %%\n");
  for (; shown < run->tries && worth(run, &run->list[shown]) >= WORTH_LEAST; ++shown) {
    printf("  %5.1f   %-18s %s\n", 100 * worth(run, &run->list[shown]), run->list[shown].name, run->list[shown].text);
  }
  printf("  less than %.1f %%:", 100 * WORTH_LEAST);
  for (size_t i = shown; i < run->tries; ++i) {
    printf("%s %s%s", i > shown ? "," : "", run->list[i].name, run->list[i].cycles == 0 ? " (cannot run)" : "");
  }
  printf("\n");
}

// The kind of core and the pipe that were busy most, on the mean of the cores that worked.
static void print_bound(const explain_run_t *run) {
  const cJSON *pipe, *most = NULL;
  cJSON_ArrayForEach(pipe, cJSON_GetObjectItemCaseSensitive(run->root, "pipes")) {
    if (most == NULL || json_number(pipe, "busy") > json_number(most, "busy")) {
      most = pipe;
    }
  }
  if (most != NULL) {
    printf("busiest  %s %s, %.1f %% of the cycles\n", json_text(most, "core"), json_text(most, "pipe"),
           100 * json_number(most, "busy") / (double)run->cycles);
  }
}

static void print_all(const explain_run_t *run) {
  printf("run      %s on %s: %llu cycles (%s)\n", run->kernel, json_text(run->root, "config"),
         (unsigned long long)run->cycles, run->file);
  print_bound(run);
  print_links(run);
  print_waits(run);
  print_worth(run);
}

// --- JSON -------------------------------------------------------------------------------------

static void fill_json(const void *data, cJSON *root) {
  const explain_run_t *run = data;
  json_add_amalgam(root);
  cJSON_AddStringToObject(root, "kernel", run->kernel);
  json_add_count(root, "cycles", run->cycles);
  cJSON_AddItemToObject(root, "path", cJSON_Duplicate(run->path, true));
  cJSON *list = cJSON_AddArrayToObject(root, "worth");
  for (size_t i = 0; i < run->tries; ++i) {
    const explain_try_t *one = &run->list[i];
    cJSON *row = json_add_row(list);
    cJSON_AddStringToObject(row, "name", one->name);
    cJSON_AddStringToObject(row, "text", one->text);
    cJSON_AddStringToObject(row, "changes", one->changes[0] == ' ' ? one->changes + 1 : one->changes);
    if (one->cycles > 0) {
      json_add_count(row, "cycles", one->cycles);
      cJSON_AddNumberToObject(row, "saved_percent", 100 * worth(run, one));
    }
  }
}

// --- the command ------------------------------------------------------------------------------

static void help(void) {
  static const manual_row_t examples[] = {{"explain r.json", "after `amalgam run amla --json r.json`"},
                                          {"explain r.json --json why.json", "the same for a program"},
                                          {NULL, NULL}};
  static const manual_row_t files[] = {
      {"model/cli/explain/resources.def", "the resources, and what half their cost means"}, {NULL, NULL}};
  const manual_t manual = {
      .name = "explain",
      .synopsis = "RUN.json [options]",
      .about =
          "why a run took as long as it did. RUN.json was written by `amalgam run KERNEL "
          "--json RUN.json`, for a kernel on the SoC. The run is repeated: first as it was, to find "
          "the chain of commands and waits that set its time, and then with each resource of the "
          "machine at half its cost. Values are computed only where they change the cycles. RUN.json says "
          "which files these runs read, and nothing that they write; native firmware of its own, which could "
          "do anything, they load only with --allow-native.",
      .notes = "exit codes: 0 done, 2 bad usage or input, 130 interrupted (SIGTERM 143, SIGHUP 129)",
      .command = CLI_EXPLAIN,
      .examples = examples,
      .files = files};
  manual_print(stdout, &manual);
}

static bool explain_file(const options_t *options, explain_run_t *run, outputs_t *outputs, base_error_t *error) {
  size_t json = 0;
  if (options->words != 1) {
    return base_fail(error, "explain: expected one file, of an `amalgam run --json`");
  }
  run->file = options->word[0];
  if ((options->json != NULL && !outputs_add(outputs, options->json, &json, error)) ||
      !explain_open(run, options->allow_native, error) || !explain_runs(run, options->quiet, error)) {
    return false;
  }
  make_plain(run->path);
  qsort(run->list, run->tries, sizeof *run->list, by_worth);
  FILE *file = options->json == NULL ? NULL : outputs_open(outputs, json, error);
  if (options->json != NULL && (file == NULL || !json_write(file, fill_json, run, error))) {
    return false;
  }
  if (!outputs_commit(outputs, error)) {
    return false;
  }
  if (!options->quiet) {
    print_all(run);
  }
  return output_printed(error);
}

int explain(int argc, char **argv) {
  options_t options;
  outputs_t outputs = {.count = 0};
  explain_run_t *run = calloc(1, sizeof *run);
  base_error_t error;
  int code = BASE_OK;
  if (run == NULL) {
    return BASE_BAD_INPUT;
  }
  host_hold_interrupts();
  if (!options_parse(&options, CLI_EXPLAIN, argc, argv, &error)) {
    code = base_report(BASE_BAD_INPUT, &error);
  } else if (options.help) {
    help();
  } else if (!explain_file(&options, run, &outputs, &error)) {
    code = base_report(host_interrupted() ? BASE_INTERRUPTED : BASE_BAD_INPUT, &error);
  }
  outputs_discard(&outputs);
  cJSON_Delete(run->path);
  cJSON_Delete(run->root);
  free(run);
  return code;
}
