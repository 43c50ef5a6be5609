// SPDX-License-Identifier: Apache-2.0
#include "blame/dump_all.h"

#include <cJSON.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/npy.h"
#include "host/files.h"

enum { NAME_BYTES = 96, PATH_BYTES = 4096 };

typedef struct dump_all {
  soc_replay_t *replay;
  const char *folder;
  FILE *index;
  uint64_t *number;  // [effects]: a command's among those of its name and pipe, from 1 on
  base_error_t *error;
  bool good;
} dump_all_t;

static void lower(const char *word, char text[NAME_BYTES]) {
  snprintf(text, NAME_BYTES, "%s", word);
  for (char *c = text; *c != '\0'; ++c) {
    *c = (char)tolower((unsigned char)*c);
  }
}

// The tensor that a command wrote. False: it wrote nothing that a file could have.
static bool written(const command_t *command, core_tensor_t *tensor) {
  core_tensor_t all[CORE_MAX_TENSORS];
  const size_t count = core_tensors(command, all);
  if (count == 0 || !all[count - 1].write || all[count - 1].layout == CORE_KEYS) {
    return false;
  }
  *tensor = all[count - 1];
  return true;
}

// --- names ------------------------------------------------------------------------------------

static bool count_commands(dump_all_t *dump) {
  const size_t effects = soc_replay_effects(dump->replay);
  size_t tracks = 0;
  for (size_t i = 0; i < effects; ++i) {
    const size_t track = soc_replay_effect(dump->replay, i).what->track;
    tracks = track >= tracks ? track + 1 : tracks;
  }
  uint64_t *so_far = calloc(tracks * OP_COUNT + 1, sizeof *so_far);
  dump->number = calloc(effects + 1, sizeof *dump->number);
  const bool good = so_far != NULL && dump->number != NULL;
  for (size_t i = 0; good && i < effects; ++i) {
    const soc_command_t *what = soc_replay_effect(dump->replay, i).what;
    dump->number[i] = ++so_far[what->track * OP_COUNT + what->command.header.opcode_];
  }
  free(so_far);
  return good || base_fail(dump->error, "--dump-all: out of memory");
}

// "cube0.mmad#12"
static void command_name(const dump_all_t *dump, size_t effect, char name[NAME_BYTES]) {
  char command[NAME_BYTES], pipe[NAME_BYTES];
  const soc_effect_t e = soc_replay_effect(dump->replay, effect);
  const unsigned opcode = e.what->command.header.opcode_;
  const unsigned pipes = core_command_pipes(opcode);
  const bool one_pipe = (pipes & (pipes - 1)) == 0;
  lower(core_command_name(opcode), command);
  lower(core_pipe_name(e.what->command.header.pipe_), pipe);
  snprintf(name, NAME_BYTES, "%.16s.%.16s%s%.24s#%llu", e.core, one_pipe ? "" : pipe, one_pipe ? "" : ".", command,
           (unsigned long long)dump->number[effect]);
}

// --- files ------------------------------------------------------------------------------------

static bool cannot_write(const dump_all_t *dump) {
  return base_fail(dump->error, "--dump-all: cannot write: %s", strerror(errno));
}

static bool write_array(const dump_all_t *dump, size_t effect, const core_tensor_t *tensor, const char *name) {
  static const npy_type_t types[] = {[SOC_DUMP_F32] = NPY_F4,
                                     [SOC_DUMP_S32] = NPY_I4,
                                     [SOC_DUMP_U16] = NPY_U2,
                                     [SOC_DUMP_U8] = NPY_U1,
                                     [SOC_DUMP_BOOL] = NPY_B1};
  char path[PATH_BYTES + NAME_BYTES];
  void *values = malloc(tensor->rows * tensor->cols * 4);
  if (values == NULL) {
    return base_fail(dump->error, "--dump-all: out of memory");
  }
  const soc_dump_type_t type = soc_replay_values(dump->replay, effect, tensor, values);
  const npy_array_t array = {.type = types[type], .dims = 2, .shape = {tensor->rows, tensor->cols}, .data = values};
  snprintf(path, sizeof path, "%s/%s", dump->folder, name);
  FILE *file = fopen(path, "wb");
  if (file != NULL) {
    npy_write(file, &array);
  }
  const bool good = (file != NULL && host_close_written(file)) || cannot_write(dump);
  free(values);
  return good;
}

static void write_line(const dump_all_t *dump, size_t effect, const core_tensor_t *tensor, const char *command,
                       const char *file) {
  char memory[NAME_BYTES];
  const soc_effect_t e = soc_replay_effect(dump->replay, effect);
  cJSON *line = cJSON_CreateObject();
  lower(core_space_name(tensor->space), memory);
  cJSON_AddStringToObject(line, "file", file);
  cJSON_AddStringToObject(line, "command", command);
  json_add_count(line, "cycle", e.what->done);
  cJSON_AddStringToObject(line, "core", e.core);
  cJSON_AddStringToObject(line, "pipe", core_pipe_name(e.what->command.header.pipe_));
  cJSON_AddStringToObject(line, "line", soc_replay_line(dump->replay, effect));
  cJSON_AddStringToObject(line, "memory", memory);
  json_add_count(line, "address", tensor->base);
  cJSON_AddStringToObject(line, "type", core_type_name(tensor->type));
  cJSON *shape = cJSON_AddArrayToObject(line, "shape");
  cJSON_AddItemToArray(shape, cJSON_CreateNumber((double)tensor->rows));
  cJSON_AddItemToArray(shape, cJSON_CreateNumber((double)tensor->cols));
  char *text = json_utf8(cJSON_PrintUnformatted(line));
  fprintf(dump->index, "%s\n", text == NULL ? "" : text);
  cJSON_free(text);
  cJSON_Delete(line);
}

static void after(void *context, size_t index, const command_t *command) {
  dump_all_t *dump = context;
  core_tensor_t tensor;
  char name[NAME_BYTES], memory[NAME_BYTES], file[3 * NAME_BYTES];
  if (!dump->good || !soc_replay_in_window(dump->replay, index) || !written(command, &tensor)) {
    return;
  }
  if (host_interrupted()) {
    dump->good = base_fail(dump->error, "interrupted");
    return;
  }
  tensor = soc_replay_typed(dump->replay, index, &tensor);
  command_name(dump, index, name);
  lower(core_space_name(tensor.space), memory);
  snprintf(file, sizeof file, "%s_%s.npy", name, memory);
  dump->good = write_array(dump, index, &tensor, file);
  write_line(dump, index, &tensor, name, file);
}

// --- how much there is ------------------------------------------------------------------------

static bool is_fit(const dump_all_t *dump) {
  const size_t effects = soc_replay_effects(dump->replay);
  uint64_t files = 0, bytes = 0;
  for (size_t i = 0; i < effects; ++i) {
    core_tensor_t tensor;
    if (soc_replay_in_window(dump->replay, i) && written(&soc_replay_effect(dump->replay, i).what->command, &tensor)) {
      ++files;
      bytes += tensor.rows * tensor.cols * 4;
    }
  }
  if (files == 0) {
    return base_fail(dump->error, "--dump-all: no command of the window wrote anything");
  }
  return (files <= DUMP_ALL_FILES && bytes >> 20 < DUMP_ALL_MBYTES) ||
         base_fail(
             dump->error,
             "--dump-all: %llu files of %llu MB; at most %d of %d MB are written, give a smaller --dump-window A:B",
             (unsigned long long)files, (unsigned long long)(bytes >> 20), DUMP_ALL_FILES, DUMP_ALL_MBYTES);
}

static bool write_all(dump_all_t *dump) {
  char path[PATH_BYTES];
  const soc_replay_look_t look = {.context = dump, .after = after, .types = true};
  snprintf(path, sizeof path, "%s/index.jsonl", dump->folder);
  dump->index = fopen(path, "w");
  if (dump->index == NULL) {
    return cannot_write(dump);
  }
  dump->good = true;
  soc_replay_run(dump->replay, soc_replay_effects(dump->replay), &look);
  const bool written_well = host_close_written(dump->index);
  return dump->good && (written_well || cannot_write(dump));
}

bool blame_dump_all(soc_replay_t *replay, const char *folder, base_error_t *error) {
  dump_all_t dump = {.replay = replay, .folder = folder, .error = error};
  const bool good = is_fit(&dump) && count_commands(&dump) && write_all(&dump);
  free(dump.number);
  return good;
}
