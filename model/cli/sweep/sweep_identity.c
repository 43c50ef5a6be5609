// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/sweep_identity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array/array.h"
#include "base/arena.h"
#include "cli/sweep/sweep_words.h"
#include "config/config.h"
#include "host/places.h"
#include "host/program.h"
#include "sweep/store/digest.h"

enum { PATH_BYTES = 4096 + 64, BASES_MAX = 128, LABEL_BYTES = 80 };

// A machine that a --config names; read once.
typedef struct machine {
  struct machine *next;
  const char *name;
  bool good;
  config_t config;
} machine_t;

// All that runs of a command have in common, but for options: program, firmware, RTL, data.
typedef struct common {
  unsigned command;
  bool native, rtl, data;
  char name[STORE_NAME_BYTES];
} common_t;

struct sweep_identity {
  arena_t arena;
  machine_t *machines;
  common_t common[BASES_MAX];
  size_t commons;
  digest_t digest;
  options_t options;
  config_t config;
};

static const void *field_of(const option_row_t *row, const options_t *options) {
  return (const char *)options + row->offset;
}

static bool is(const char *text, const char *other) { return strcmp(text, other) == 0; }

// --- the machine ------------------------------------------------------------------------------

static const machine_t *open_machine(sweep_identity_t *own, const char *name) {
  base_error_t error;
  for (const machine_t *one = own->machines; one != NULL; one = one->next) {
    if (is(one->name, name)) {
      return one;
    }
  }
  machine_t *one = arena_bytes(&own->arena, 1, sizeof *one);
  *one = (machine_t){.next = own->machines, .name = arena_text(&own->arena, name)};
  one->good = config_open(name, &one->config, &error);
  own->machines = one;
  return one;
}

// The value of the command's --config; NULL: it has none.
static const char *config_name(unsigned command, const options_t *options) {
  const option_row_t *row = sweep_words_option(command, "config");
  if (row == NULL) {
    return NULL;
  }
  const char *name = *(const option_text_t *)field_of(row, options);
  return name != NULL ? name : "engines";  // of lm, as its help says
}

// The machine as --set leaves it, in own->config. False: there is none, or it cannot be so.
static bool resolve(sweep_identity_t *own, unsigned command) {
  base_error_t error;
  const char *name = config_name(command, &own->options);
  const machine_t *machine = name == NULL ? NULL : open_machine(own, name);
  if (machine == NULL || !machine->good) {
    return false;
  }
  own->config = machine->config;
  for (size_t i = 0; i < own->options.set.count; ++i) {
    if (!config_set(&own->config, own->options.set.item[i], &error)) {
      return false;
    }
  }
  return true;
}

static void add_machine(digest_t *digest, const config_t *config) {
  for (size_t i = 0; i < CONFIG_PARAMS; ++i) {
    const config_param_t *param = &config_params[i];
    digest_bytes(digest, param->name, (const char *)config + param->offset,
                 param->whole ? sizeof(config_uint_t) : sizeof(config_real_t));
    if (i + 1 == CONFIG_PARAMS || strcmp(param->section, config_params[i + 1].section) != 0) {
      digest_text(digest, "section", param->section);
    }
  }
}

// --- what a command's runs have in common ------------------------------------------------------

static void add_folder(digest_t *digest, const char *root, const char *folder, const char *beginning,
                       const char *ending) {
  char path[PATH_BYTES];
  snprintf(path, sizeof path, "%.4000s/%.50s", root, folder);
  digest_text(digest, "folder", folder);
  digest_folder(digest, path, beginning, ending);
}

// The firmware that a command runs, all whose names begin so, and the data that it takes where no arrays are named;
// NULL: none.
typedef struct needed {
  unsigned command;
  const char *firmware, *data;
} needed_t;

static const needed_t *needed_by(unsigned command) {
  static const needed_t list[] = {
#define KERNEL(NAME, name, family, machine, firmware, data, alias) {CLI_RUN_##NAME, firmware, data},
#include "kernel/kernels.def"
#undef KERNEL
  };
  static const needed_t nothing = {0};
  for (size_t i = 0; i < sizeof list / sizeof *list; ++i) {
    if (list[i].command == command) {
      return &list[i];
    }
  }
  return &nothing;
}

static bool same_common(const common_t *a, const common_t *b) {
  return a->command == b->command && a->native == b->native && a->rtl == b->rtl && a->data == b->data;
}

static void name_common(sweep_identity_t *own, common_t *common) {
  digest_t *digest = &own->digest;
  const char *source = places_source();
  const needed_t *needed = needed_by(common->command);
  digest_begin(digest);
  digest_bytes(digest, "command", &common->command, sizeof common->command);
  digest_file(digest, "program", PROGRAM_SELF);
  if (needed->firmware != NULL) {
    add_folder(digest, places_built(), "firmware", needed->firmware, common->native ? ".so" : ".elf");
  }
  if (common->rtl) {
    const char *other = getenv("AMALGAM_RTL");
    add_folder(digest, other != NULL ? other : source, other != NULL ? "." : "rtl", "", ".v");
    add_folder(digest, source, "model/engine", "engine_unit", "");
    add_folder(digest, source, "model/engine", "build_unit", ".sh");
  }
  if (common->command == CLI_SYNTH) {
    add_folder(digest, source, "synth", "", "");
  }
  if (common->data && needed->data != NULL) {
    add_folder(digest, config_home(), "tests/data", needed->data, "");
  }
  if (common->command == CLI_RUN_DECODE) {  // a shape by its name, or the shipped model
    add_folder(digest, config_home(), common->data ? "tests/data/kjv_mla" : "model/config/models", "", "");
  }
  digest_name(digest, common->name);
}

static bool needs_rtl(unsigned command, const options_t *options) {
  const bool engine_c = (command & CLI_RUN_ENGINE) != 0 && options->impl.value == 1;
  const bool lm_c = (command & CLI_RUN_LM) != 0 && options->lm_impl.given && options->lm_impl.value == 1;
  return (command & (CLI_RUN_ENGINE | CLI_RUN_LM | CLI_SYNTH)) != 0 && !engine_c && !lm_c;
}

static bool is_native(unsigned command, const options_t *options) {
  return (command & CLI_RUN_LM) != 0
             ? options->lm_firmware.given && options->lm_firmware.value == 1
             : (command & (CLI_RUN_SOC | CLI_RUN_DECODE)) != 0 && is(options->firmware, "native");
}

static const char *common_name(sweep_identity_t *own, unsigned command) {
  const options_t *options = &own->options;
  const common_t wanted = {.command = command,
                           .native = is_native(command, options),
                           .rtl = needs_rtl(command, options),
                           .data = !options->timing_only};
  for (size_t i = 0; i < own->commons; ++i) {
    if (same_common(&own->common[i], &wanted)) {
      return own->common[i].name;
    }
  }
  common_t *one = &own->common[own->commons < BASES_MAX ? own->commons++ : BASES_MAX - 1];
  *one = wanted;
  name_common(own, one);
  return one->name;
}

// --- options ----------------------------------------------------------------------------------

static bool names_file(const option_row_t *row) {
  return row->argument != NULL && strstr(row->argument, "FILE") != NULL;
}

static void add_text(digest_t *digest, const option_row_t *row, const char *text) {
  if (row->argument != NULL && is(row->argument, "DIR")) {  // a model's
    digest_folder(digest, text, "", "");
  }
  char file[4096];
  snprintf(file, sizeof file, "%.*s", (int)array_file_length(text), text);
  const bool whole = strlen(file) == strlen(text);
  if (!names_file(row) || !digest_file(digest, row->name, file) || !whole) {  // an array of a file: its name, too
    digest_text(digest, row->name, text);
  }
}

static void add_option(digest_t *digest, const option_row_t *row, const options_t *options) {
  const void *field = field_of(row, options);
  switch (row->type) {
    case OPTION_TYPE_flag:
      digest_bytes(digest, row->name, field, *(const option_flag_t *)field ? 1 : 0);
      break;
    case OPTION_TYPE_text:
      if (*(const option_text_t *)field != NULL) {
        add_text(digest, row, *(const option_text_t *)field);
      }
      break;
    case OPTION_TYPE_list:
      for (size_t i = 0; i < ((const option_list_t *)field)->count; ++i) {
        add_text(digest, row, ((const option_list_t *)field)->item[i]);
      }
      break;
    case OPTION_TYPE_count:
      if (((const option_count_t *)field)->given) {
        digest_bytes(digest, row->name, &((const option_count_t *)field)->value, sizeof(uint64_t));
      }
      break;
    case OPTION_TYPE_real:
      if (((const option_real_t *)field)->given) {
        digest_bytes(digest, row->name, &((const option_real_t *)field)->value, sizeof(double));
      }
      break;
    case OPTION_TYPE_choice:
      if (((const option_choice_t *)field)->given) {
        digest_bytes(digest, row->name, &((const option_choice_t *)field)->value, sizeof(int));
      }
      break;
  }
}

// Options that decide nothing, and those that add_machine has.
static bool is_left_out(const option_row_t *row) {
  return is(row->name, "threads") || is(row->name, "quiet") || is(row->name, "config") || is(row->name, "set");
}

static void add_options(digest_t *digest, unsigned command, const options_t *options) {
  for (size_t i = 0; i < option_row_count; ++i) {
    const option_row_t *row = &option_rows[i];
    if (row->name != NULL && (row->commands & command) != 0 && !is_left_out(row)) {
      add_option(digest, row, options);
    }
  }
}

// A run that will be refused, as of a value out of range, is known by its words.
static void add_words(digest_t *digest, const points_words_t *words) {
  for (int i = 0; i < words->words; ++i) {
    digest_text(digest, "word", words->word[i]);
  }
}

static void name(void *context, const points_words_t *words, char name[STORE_NAME_BYTES]) {
  sweep_identity_t *own = context;
  base_error_t error;
  const unsigned command = sweep_words_command(words);
  if (!sweep_words_parse(words, &own->options, &error)) {
    memset(&own->options, 0, sizeof own->options);
    own->options.firmware = "riscv";
    const char *common = common_name(own, command);
    digest_begin(&own->digest);
    digest_text(&own->digest, "common", common);
    add_words(&own->digest, words);
  } else {
    const char *common = common_name(own, command);
    digest_begin(&own->digest);
    digest_text(&own->digest, "common", common);
    add_options(&own->digest, command, &own->options);
    if (resolve(own, command)) {
      add_machine(&own->digest, &own->config);
    } else {
      add_words(&own->digest, words);
    }
  }
  digest_name(&own->digest, name);
}

// *value is NAN on a machine that cannot be so: the run will say why.
static bool parameter(void *context, const points_words_t *words, const char *parameter, double *value) {
  sweep_identity_t *own = context;
  base_error_t error;
  const unsigned command = sweep_words_command(words);
  const bool good = sweep_words_parse(words, &own->options, &error) && resolve(own, command);
  const config_param_t *param = config_param(parameter, strlen(parameter));
  if (sweep_words_option(command, "config") == NULL || param == NULL) {
    return false;
  }
  *value = good ? config_value(&own->config, param) : (double)NAN;
  return true;
}

static bool check(void *context, const study_t *study, base_error_t *error) {
  (void)context;
  return sweep_words_check(study, error);
}

sweep_command_t sweep_identity_make(void) {
  sweep_identity_t *own = calloc(1, sizeof *own);
  return (sweep_command_t){.context = own, .check = check, .name = name, .parameter = parameter};
}

void sweep_identity_free(sweep_command_t *command) {
  sweep_identity_t *own = command->context;
  if (own != NULL) {
    arena_free(&own->arena);
    digest_free(&own->digest);
    free(own);
  }
  command->context = NULL;
}
