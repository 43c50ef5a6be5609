// SPDX-License-Identifier: Apache-2.0
#include "cli/blame/blame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/npy.h"
#include "base/output.h"
#include "blame/culprit.h"
#include "cli/explain/explain.h"
#include "cli/option/manual.h"
#include "cli/option/options.h"
#include "cli/run/run.h"
#include "host/interrupt.h"
#include "num/num_format.h"

// --- what was expected ------------------------------------------------------------------------

static double npy_number(const npy_array_t *array, size_t i) {
  return array->type == NPY_F4   ? (double)((const float *)array->data)[i]
         : array->type == NPY_U2 ? (double)num_bf16_to_f32(((const uint16_t *)array->data)[i])
                                 : (double)num_fp16_to_f32(((const uint16_t *)array->data)[i]);
}

static bool read_expected(const char *file, kernel_expected_t *expected, base_error_t *error) {
  npy_array_t array;
  if (!npy_read(file, NPY_BIT(F4) | NPY_BIT(U2) | NPY_BIT(F2), &array, error)) {
    return false;
  }
  const size_t count = npy_count(&array);
  *expected = (kernel_expected_t){
      .array = "out", .by = "--expect", .count = count, .want = malloc(count * sizeof *expected->want)};
  for (size_t i = 0; expected->want != NULL && i < count; ++i) {
    expected->want[i] = npy_number(&array, i);
  }
  npy_free(&array);
  return expected->want != NULL || base_fail(error, "--expect: out of memory");
}

static bool take_expected(const options_t *options, const run_t *run, bool golden, kernel_expected_t *expected,
                          base_error_t *error) {
  error->text[0] = '\0';
  if (options->blame_expect != NULL) {
    if (!read_expected(options->blame_expect, expected, error)) {
      return false;
    }
  } else if (!kernel_expected(run->own, golden, expected, error) && error->text[0] != '\0') {
    return false;
  }
  if (options->blame_tolerance.given) {
    expected->absolute = options->blame_tolerance.value;
    expected->relative = 0;
  }
  return true;
}

// --- the element ------------------------------------------------------------------------------

static blame_expected_t as_expected(const blame_found_t *found) {
  return (blame_expected_t){.array = found->array,
                            .want = found->expected.want,
                            .absolute = found->expected.absolute,
                            .relative = found->expected.relative};
}

static double element(const blame_found_t *found, uint64_t index) {
  blame_at_t at = found->at;
  at.address = blame_element_address(found->array, index);
  return blame_value(&at);
}

static double distance(double have, double want) {
  return isnan(have) && isnan(want) ? 0 : isnan(have - want) ? INFINITY : fabs(have - want);
}

// The first element that is off, or the one furthest from what was expected; counts those that are off. If none is, one
// that is no number is what there is to explain.
static void find_element(blame_found_t *found, bool worst) {
  const blame_expected_t expected = as_expected(found);
  double furthest = -1;
  uint64_t first = 0, lost = found->elements;
  for (uint64_t i = 0; i < found->elements; ++i) {
    const double have = element(found, i);
    const double by = distance(have, expected.want[i]);
    if (blame_is_off(&expected, i, have) && found->off++ == 0) {
      first = i;
    }
    if (!isfinite(have) && lost == found->elements) {
      lost = i;
    }
    if (by > furthest) {
      furthest = by;
      found->index = i;
    }
  }
  found->index = found->off > 0 && !worst ? first : found->off == 0 && lost < found->elements ? lost : found->index;
}

static bool named_element(const char *text, blame_found_t *found, base_error_t *error) {
  blame_place_t place;
  if (strncmp(text, "gm:", 3) != 0) {
    return blame_index_parse(found->array, "element", text, &found->index, error);
  }
  if (!blame_place_parse(found->replay, "element", text, &place, error)) {
    return false;
  }
  const char *bracket = strchr(text, '[');
  char index[64];
  if (bracket == NULL || place.array->dims == 0) {
    return base_fail(error, "--element: expected an element of an array, as gm:out[3,17], got '%s'", text);
  }
  snprintf(index, sizeof index, "%.*s", (int)strcspn(bracket + 1, "]"), bracket + 1);
  found->array = place.array;
  found->at.type = place.array->type;
  return blame_index_parse(place.array, "element", index, &found->index, error);
}

static bool choose_element(const options_t *options, blame_found_t *found, base_error_t *error) {
  kernel_expected_t *expected = &found->expected;
  found->array = blame_array(found->replay, expected->array == NULL ? "out" : expected->array);
  found->array = found->array == NULL ? blame_array(found->replay, "c") : found->array;
  if (found->array == NULL || found->array->dims == 0) {
    return base_fail(error, "that run's result has no shape that is known here");
  }
  found->at = (blame_at_t){
      .memory = soc_replay_any_memory(found->replay), .core = "gm", .space = SPACE_GM, .type = found->array->type};
  found->elements = blame_elements(found->array);
  if (expected->want != NULL && expected->count != found->elements) {
    return base_fail(error, "--expect: has %zu elements, the result %llu", expected->count,
                     (unsigned long long)found->elements);
  }
  if (expected->want != NULL) {
    find_element(found, options->blame_worst);
  } else if (options->blame_element == NULL) {
    return base_fail(error, "nobody has said what the result should be: --expect FILE.npy, or --element");
  }
  if (options->blame_element != NULL && !named_element(options->blame_element, found, error)) {
    return false;
  }
  found->at.address = blame_element_address(found->array, found->index);
  found->have = blame_value(&found->at);
  return true;
}

// --- whose fault ------------------------------------------------------------------------------

// If nobody wrote the element: blames the line that stores into the array.
static void blame_stores(blame_found_t *found) {
  for (size_t i = soc_replay_effects(found->replay); i-- > 0;) {
    core_access_t access[CORE_MAX_ACCESSES];
    const size_t count = core_accesses(&soc_replay_effect(found->replay, i).what->command, access);
    if (access[count - 1].space == SPACE_GM && access[count - 1].base >= found->array->address &&
        access[count - 1].base - found->array->address < found->array->bytes) {
      snprintf(found->line, sizeof found->line, "%s", soc_replay_line(found->replay, i));
      snprintf(found->why, sizeof found->why, "no command wrote this element; this one stores to the array");
      return;
    }
  }
  snprintf(found->why, sizeof found->why, "no command wrote to this array");
}

static const char *link_line(const blame_found_t *found, size_t i) {
  return soc_replay_line(found->replay, found->chain.link[i].effect);
}

static void blame_link(blame_found_t *found, size_t i, const char *why) {
  snprintf(found->line, sizeof found->line, "%s", link_line(found, i));
  snprintf(found->why, sizeof found->why, "%s", why);
}

static void blame_repaired(blame_found_t *found) {
  const blame_repair_t *best = &found->repairs.list[0];
  snprintf(found->line, sizeof found->line, "%s", soc_replay_line(found->replay, best->effect));
  const unsigned long long right = found->elements - best->off, all = found->elements;
  snprintf(found->why, sizeof found->why,
           best->off == 0 ? "all %llu elements are right with: %s" : "%llu elements are right with: %s",
           best->off == 0 ? all : right, best->change);
}

static void blame_someone(blame_found_t *found) {
  const blame_chain_t *chain = &found->chain;
  const bool wrong = found->off > 0 || !isfinite(found->have);
  size_t link;
  if (chain->links == 0) {
    blame_stores(found);
    return;
  }
  switch (blame_decide(chain, &found->repairs, wrong, &link)) {
    case BLAME_BY_REPAIR:
    case BLAME_BY_HELP:
      blame_repaired(found);
      return;
    case BLAME_BY_UNWRITTEN:
      blame_link(found, link, "it reads what no command wrote");
      return;
    case BLAME_BY_VALUE:
      blame_link(found, link, "its value is not what its operands make in FP64, by more than rounding");
      return;
    case BLAME_UNDECIDED:
      break;
  }
  for (size_t i = 0; wrong && i < chain->links; ++i) {
    if (strncmp(chain->link[i].note, "written as", 10) == 0) {
      blame_link(found, i, chain->link[i].note);
      return;
    }
  }
}

// --worst of a result that is as the contract says: the element that is furthest from FP64.
static bool furthest_from_golden(const options_t *options, const run_t *run, blame_found_t *found,
                                 base_error_t *error) {
  kernel_expected_t golden = {.count = 0};
  if (!options->blame_worst || found->off > 0 || options->blame_expect != NULL) {
    return true;
  }
  if (!take_expected(options, run, true, &golden, error)) {
    return false;
  }
  free(found->expected.want);
  found->expected = golden;
  find_element(found, true);
  found->off = 0;
  found->at.address = blame_element_address(found->array, found->index);
  found->have = blame_value(&found->at);
  return true;
}

// --- the run ----------------------------------------------------------------------------------

// The replay must have left what the run left.
static bool is_same(const blame_found_t *found, base_error_t *error) {
  size_t count;
  const soc_buffer_t *array = soc_replay_arrays(found->replay, &count);
  for (size_t i = 0; i < count; ++i) {
    const blame_at_t at = {
        .memory = soc_replay_any_memory(found->replay), .space = SPACE_GM, .address = array[i].address};
    if (array[i].result != NULL && memcmp(array[i].result, blame_bytes(&at), array[i].bytes) != 0) {
      return base_fail(error,
                       "array %s: its commands, one after the other, leave other bits than the run did: who writes it "
                       "is not in order",
                       array[i].name);
    }
  }
  return true;
}

static bool ask(const options_t *options, const run_t *run, blame_found_t *found, base_error_t *error) {
  const soc_replay_look_t nothing = {.context = NULL};
  found->kernel = run->kernel->name;
  found->replay = run->own->result.soc.replay;
  found->terms = (size_t)options->blame_terms.value;
  soc_replay_run(found->replay, soc_replay_effects(found->replay), &nothing);
  if (!is_same(found, error) || !take_expected(options, run, false, &found->expected, error) ||
      !choose_element(options, found, error) || !furthest_from_golden(options, run, found, error)) {
    return false;
  }
  if (!blame_walk(found->replay, &found->at, (size_t)options->blame_depth.value, &found->chain)) {
    return base_fail(error, "the chain: out of memory");
  }
  const blame_expected_t expected = as_expected(found);
  found->repaired = found->off > 0 && !options->blame_no_repair && expected.want != NULL &&
                    blame_elements(found->array) == found->expected.count;
  if (found->repaired && !blame_repair(found->replay, &expected, &found->repairs)) {
    return base_fail(error, "repairs: out of memory");
  }
  blame_someone(found);
  return true;
}

// The words of the run again, values and all; its memory units' C model has the same bits, sooner.
static int words_of(const explain_run_t *made, char **argv) {
  int argc = 0;
  argv[argc++] = (char *)made->kernel;
  for (size_t i = 0; i < made->words[0]; ++i) {
    argv[argc++] = (char *)made->word[0][i];
  }
  argv[argc++] = (char *)"--gm";
  argv[argc++] = (char *)"c";
  argv[argc++] = (char *)"--quiet";
  argv[argc] = NULL;
  return argc;
}

// *again is to be freed when found is no longer needed: the run's replay goes with it.
static base_exit_t of_run(const options_t *options, explain_run_t *made, run_t **again, blame_found_t *found,
                          base_error_t *error) {
  static char *argv[EXPLAIN_WORDS_MAX + 8];
  base_exit_t code = BASE_BAD_INPUT;
  const run_kernel_t *kernel = run_kernel_find(made->kernel);
  base_error_t reason;
  if (!kernel->ops->on_soc) {
    base_fail(error, "%s: run %s: one of amla, base, flash, fp8, w4a16, gemm and custom is expected", made->file,
              made->kernel);
    return code;
  }
  const int argc = words_of(made, argv);
  run_t *run = *again = run_again(kernel, argc, argv, &code, &reason);
  if (run == NULL) {
    base_fail(error, "%s: that run cannot be made again: %s", made->file, reason.text);
    return BASE_BAD_INPUT;
  }
  if (code != BASE_OK) {
    *error = reason;
  } else if (run->options.timing_only) {
    base_fail(error, "%s: --timing-only: that run has no values", made->file);
    code = BASE_BAD_INPUT;
  } else {
    code = ask(options, run, found, error) ? BASE_OK : BASE_BAD_INPUT;
  }
  return code;
}

// --- the command ------------------------------------------------------------------------------

static void help(void) {
  static const manual_row_t examples[] = {
      {"blame r.json", "after `amalgam run custom ... --expect want.npy --json r.json`: the first element that is off"},
      {"blame r.json --worst", "the one that is furthest off"},
      {"blame r.json --element 3,17 --json why.json", "this one; all terms of its sums for a program"},
      {NULL, NULL}};
  const manual_t manual = {
      .name = "blame",
      .synopsis = "RUN.json [options]",
      .about =
          "why an element of a run's result is what it is. RUN.json was written by `amalgam run KERNEL --json "
          "RUN.json`. The run is made again, with every command kept. Printed are the command that wrote the "
          "element last, its operands and their values, the command that wrote one of those, and so on down to "
          "inputs, with what each should be in FP64. If elements are off, lines of the kernel are changed, one at "
          "a time, until the result is right: that line is to blame. RUN.json says which files this reads; native "
          "firmware of its own is loaded only with --allow-native.",
      .notes =
          "exit codes: 0 done, 2 bad usage or input, 3 the model stopped the firmware, 130 interrupted (SIGTERM 143, "
          "SIGHUP 129)",
      .command = CLI_BLAME,
      .examples = examples};
  manual_print(stdout, &manual);
}

// The files to write.
typedef struct files {
  outputs_t outputs;
  size_t json, table[BLAME_TABLES];
} files_t;

static bool add_files(const options_t *options, files_t *files, base_error_t *error) {
  return (options->json == NULL || outputs_add(&files->outputs, options->json, &files->json, error)) &&
         (options->blame_csv == NULL || blame_add_tables(options->blame_csv, &files->outputs, files->table, error));
}

static base_exit_t write_all(const options_t *options, const blame_found_t *found, files_t *files,
                             base_error_t *error) {
  FILE *file = options->json == NULL ? NULL : outputs_open(&files->outputs, files->json, error);
  if ((options->json != NULL && (file == NULL || !json_write(file, blame_json, found, error))) ||
      (options->blame_csv != NULL && !blame_write_tables(found, &files->outputs, files->table, error)) ||
      !outputs_commit(&files->outputs, error)) {
    return BASE_BAD_INPUT;
  }
  if (!options->quiet) {
    blame_text(stdout, found);
  }
  return output_printed(error) ? BASE_OK : BASE_BAD_INPUT;
}

static base_exit_t blame_file(const options_t *options, explain_run_t *made, base_error_t *error) {
  files_t files = {.outputs = {.count = 0}};
  blame_found_t found = {.kernel = NULL};
  run_t *again = NULL;
  base_exit_t code = BASE_BAD_INPUT;
  made->file = options->words == 1 ? options->word[0] : NULL;
  if (made->file == NULL) {
    base_fail(error, "blame: expected one file, of an `amalgam run --json`");
  } else if (options->blame_element != NULL && options->blame_worst) {
    base_fail(error, "--worst: cannot go with --element");
  } else if (add_files(options, &files, error) && explain_open(made, options->allow_native, error)) {
    code = of_run(options, made, &again, &found, error);
    code = code == BASE_OK ? write_all(options, &found, &files, error) : code;
  }
  blame_chain_free(&found.chain);
  free(found.expected.want);
  outputs_discard(&files.outputs);
  if (again != NULL) {
    run_free(again);
  }
  return code;
}

int blame(int argc, char **argv) {
  options_t options;
  base_error_t error;
  int code = BASE_OK;
  explain_run_t *made = calloc(1, sizeof *made);
  if (made == NULL) {
    return BASE_BAD_INPUT;
  }
  if (!options_parse(&options, CLI_BLAME, argc, argv, &error)) {
    code = base_report(BASE_BAD_INPUT, &error);
  } else if (options.help) {
    help();
  } else {
    const base_exit_t done = blame_file(&options, made, &error);
    code = done == BASE_OK ? (int)BASE_OK : base_report(host_interrupted() ? BASE_INTERRUPTED : done, &error);
  }
  cJSON_Delete(made->root);
  free(made);
  return code;
}
