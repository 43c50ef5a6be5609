// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "cli/run/run.h"
#include "cli/run/machine.h"
#include "cli/text/text.h"
#include "host/files.h"
#include "host/places.h"
#include "host/program.h"

enum { WORDS_MAX = 2 * 2 * OPTION_LIST_MAX + 16, ANSWER_BYTES = 1 << 16 };

// Results that go to files.
typedef struct results {
  struct {
    char name[ASCEND_NAME];
    size_t index;  // of the run's outputs
  } file[2 * OPTION_LIST_MAX];
  size_t count;
} results_t;

// --- the compiler ---------------------------------------------------------------------------------

static size_t add_list(const char **argv, size_t count, const char *option, const option_list_t *list) {
  for (size_t i = 0; i < list->count; ++i) {
    argv[count++] = option;
    argv[count++] = list->item[i];
  }
  return count;
}

// The last line of an answer; those before it, the compiler's own words, are told.
static const char *last_line(char *answer) {
  size_t length = strlen(answer);
  while (length > 0 && answer[length - 1] == '\n') {
    answer[--length] = '\0';
  }
  char *last = strrchr(answer, '\n');
  if (last == NULL) {
    return answer;
  }
  *last = '\0';
  fprintf(stderr, "%s\n", answer);
  return last + 1;
}

static bool tell_compiler(char *answer, base_error_t *error) {
  static const char prefix[] = "amalgam: ";
  const char *line = last_line(answer);
  return base_fail(error, "%s", strncmp(line, prefix, strlen(prefix)) == 0 ? line + strlen(prefix) : line);
}

// The compiled file, which is kept and found again by what the compiler gets to read.
static bool compile(const options_t *o, const char *source, char file[RUN_PATH_BYTES], base_error_t *error) {
  static char answer[ANSWER_BYTES];
  char script[RUN_PATH_BYTES];
  char kept[RUN_PATH_BYTES];
  const char *argv[WORDS_MAX];
  size_t count = 0;
  snprintf(script, sizeof script, "%s/ascend.sh", places_built());
  snprintf(kept, sizeof kept, "%s/ascend", places_kept());
  argv[count++] = script;
  argv[count++] = "--kept";
  argv[count++] = kept;
  argv[count++] = "--auto-sync";
  argv[count++] = o->ascend_auto_sync.value == 0 ? "on" : "off";
  count = add_list(argv, count, "-I", &o->ascend_include);
  count = add_list(argv, count, "-D", &o->ascend_define);
  argv[count++] = source;
  argv[count] = NULL;
  const program_end_t end =
      program_run(&(program_t){.argv = argv, .answer = answer, .size = sizeof answer, .all = true});
  if (end != PROGRAM_DONE) {
    return end == PROGRAM_FAILED ? tell_compiler(answer, error)
                                 : base_fail(error, "run ascend: cannot start %s", script);
  }
  const char *name = last_line(answer);
  return snprintf(file, RUN_PATH_BYTES, "%s", name) < RUN_PATH_BYTES || base_fail(error, "%s: name too long", name);
}

static bool find_file(run_t *run, char file[RUN_PATH_BYTES]) {
  const options_t *o = &run->options;
  if (o->words == 0) {
    return base_fail(&run->error,
                     "run ascend: name a kernel's source, KERNEL.cpp, or what `amalgam ascend` has made of it");
  }
  const char *source = o->word[0];
  if (kernel_firmware_is_file(source)) {
    return snprintf(file, RUN_PATH_BYTES, "%s", source) < RUN_PATH_BYTES ||
           base_fail(&run->error, "%s: name too long", source);
  }
  return compile(o, source, file, &run->error);
}

// --- results --------------------------------------------------------------------------------------

static bool add_result(run_t *run, results_t *results, const char *text, const char *path) {
  const size_t i = results->count++;
  snprintf(results->file[i].name, ASCEND_NAME, "%.*s", (int)strcspn(text, ":="), text);
  return outputs_add(&run->outputs, path, &results->file[i].index, &run->error);
}

static bool add_results(run_t *run, results_t *results) {
  const options_t *o = &run->options;
  for (size_t i = 0; i < o->ascend_out.count; ++i) {
    const char *path = strchr(o->ascend_out.item[i], '=');
    if (path != NULL && !add_result(run, results, o->ascend_out.item[i], path + 1)) {
      return false;
    }
  }
  for (size_t i = 0; i < o->ascend_inout.count; ++i) {
    const char *path = strchr(o->ascend_inout.item[i], ',');
    if (path != NULL && !add_result(run, results, o->ascend_inout.item[i], path + 1)) {
      return false;
    }
  }
  return true;
}

static void note_result(ascend_run_t *own, const char *name, size_t index) {
  for (size_t i = 0; i < own->arguments; ++i) {
    if (strcmp(own->argument[i].param->name, name) == 0) {
      own->argument[i].stored = true;
      own->argument[i].file = index;
    }
  }
}

static bool write_results(run_t *run) {
  const ascend_run_t *own = (const ascend_run_t *)run->own;
  for (size_t i = 0; i < own->arguments; ++i) {
    const ascend_argument_t *argument = &own->argument[i];
    if (argument->stored) {
      FILE *file = outputs_open(&run->outputs, argument->file, &run->error);
      if (file == NULL) {
        return false;
      }
      npy_write(file, &argument->array);
    }
  }
  return true;
}

// --- the run --------------------------------------------------------------------------------------

static ascend_texts_t texts_of(const option_list_t *list) {
  return (ascend_texts_t){.text = list->item, .count = list->count};
}

static bool prepare(run_t *run) {
  const options_t *o = &run->options;
  char file[RUN_PATH_BYTES];
  results_t results = {.count = 0};
  ascend_request_t request = {.source = o->words > 0 ? o->word[0] : NULL,
                              .file = file,
                              .entry = o->ascend_entry,
                              .arg = texts_of(&o->ascend_arg),
                              .out = texts_of(&o->ascend_out),
                              .inout = texts_of(&o->ascend_inout),
                              .workspace = texts_of(&o->ascend_workspace),
                              .tiling = texts_of(&o->ascend_tiling),
                              .expect = texts_of(&o->ascend_expect),
                              .blocks = (uint32_t)option_count_or(&o->ascend_blocks, 0),
                              .tolerance = o->ascend_tolerance.value,
                              .check_sync = o->ascend_check.value == 1,
                              .vary = (uint32_t)option_count_or(&o->ascend_vary, 0),
                              .allow_overflow = o->allow_overflow,
                              .earlier = run->before == NULL ? NULL : (const ascend_run_t *)run->before->own};
  if (o->ascend_tolerance.given && o->ascend_expect.count == 0) {
    return base_fail(&run->error, "--tolerance: needs --expect");
  }
  if (!find_file(run, file) || !machine_read(run, o->config, file, &request.machine, &run->error)) {
    return false;
  }
  request.machine.soc.flags_left = (soc_flags_left_t)o->flags_left.value;
  request.machine.soc.auto_sync = o->ascend_auto_sync.value == 0;
  if (!add_results(run, &results) || !ascend_prepare(&request, (ascend_run_t *)run->own, &run->error)) {
    return false;
  }
  for (size_t i = 0; i < results.count; ++i) {
    note_result((ascend_run_t *)run->own, results.file[i].name, results.file[i].index);
  }
  return true;
}

static const manual_row_t files[] = {{"docs/ascend.md", "from a kernel to a first run, and what is there"},
                                     {"sw/ascend/examples/add.cpp", "a kernel to begin with"},
                                     {NULL, NULL}};

static const manual_row_t examples[] = {
    {"run ascend add.cpp --arg x=x.npy --arg y=y.npy --arg n=16384 --out z:f16[16384]=z.npy", "compiled, and run"},
    {"run ascend add.cpp --arg x=x.npy --arg y=y.npy --arg n=64 --out z:f16[64] --expect z=w.npy",
     "a test: exit code 1 if the result is not the expected one"},
    {"run ascend k.cpp --tiling t.bin --arg x=x.npy --out y:f32[64] --workspace w=64 --blocks 8",
     "with tiling data and a workspace, as eight blocks"},
    {"run ascend k.cpp --arg x=x.npy --out y:f32[64] --check sync --vary 20",
     "which accesses race, and do results depend on time?"},
    {"run ascend a.cpp --arg x=x.npy --out y:f32[64] --then b.cpp --out z:f32[64]=z.npy",
     "two launches; b.cpp's parameter y is what a.cpp has made"},
    {NULL, NULL}};

const run_front_t run_ascend = {.about =
                                    "an Ascend C kernel as it is, with arrays from files. Its source, KERNEL.cpp, is "
                                    "compiled first; a file .elf or .so of `amalgam ascend` is taken as it is.",
                                .notes = RUN_EXITS("a result is not what --expect has, or not finite"),
                                .examples = examples,
                                .files = files,
                                .prepare = prepare,
                                .print = text_ascend,
                                .words = 1,
                                .write = write_results};
