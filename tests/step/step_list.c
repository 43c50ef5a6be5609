// SPDX-License-Identifier: Apache-2.0
#include "step_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config/config.h"

static void check(bool good, const char *what) {
  if (!good) {
    printf("step_list: %s\n", what);
    abort();
  }
}

static uint64_t add_array(step_list_t *list, const soc_buffer_t *array) {
  check(list->arrays < STEP_LIST_ARRAYS, "too many arrays");
  soc_buffer_t *buffer = &list->array[list->arrays++];
  *buffer = *array;
  soc_place(buffer, 1);
  return buffer->address;
}

void *step_allocate(size_t count, size_t size) {
  void *memory = calloc(count + 1, size);
  if (memory == NULL) {
    printf("out of memory: %zu x %zu\n", count, size);
    abort();
  }
  return memory;
}

void step_list_open(step_list_t *list) {
  memset(list, 0, sizeof *list);
  list->used = STEP_LIST_ENTRIES * sizeof(step_entry_t);
  add_array(list,
            &(soc_buffer_t){
                .name = "list", .bytes = STEP_LIST_BYTES, .init = list->bytes, .read_only = true, .numbers = true});
}

uint64_t step_list_input(step_list_t *list, const char *name, const void *data, uint64_t bytes) {
  return add_array(list, &(soc_buffer_t){.name = name, .bytes = bytes, .init = data, .read_only = true});
}

uint64_t step_list_numbers(step_list_t *list, const char *name, const int32_t *data, uint64_t bytes, bool read_only) {
  return add_array(
      list, &(soc_buffer_t){.name = name, .bytes = bytes, .init = data, .read_only = read_only, .numbers = true});
}

uint64_t step_list_output(step_list_t *list, const char *name, void *result, uint64_t bytes) {
  return add_array(list, &(soc_buffer_t){.name = name, .bytes = bytes, .result = result});
}

uint64_t step_list_args(step_list_t *list, const void *args, size_t bytes) {
  const uint64_t at = list->used;
  list->used += (bytes + 63) / 64 * 64;
  check(list->used <= STEP_LIST_BYTES, "too many arguments");
  memcpy(list->bytes + at, args, bytes);
  return list->array[0].address + at;
}

void step_list_add(step_list_t *list, enum step_op op, const void *args, size_t bytes) {
  check(list->count < STEP_LIST_ENTRIES, "too many entries");
  const step_entry_t entry = {(uint32_t)op, list->count, step_list_args(list, args, bytes)};
  memcpy(list->bytes + list->count++ * sizeof entry, &entry, sizeof entry);
}

static soc_t *running;

static void load_config(const step_machine_t *machine, config_t *config) {
  base_error_t reason;
  const char *name = machine->config != NULL ? machine->config
                     : machine->cores == 0   ? "ascend910_core"
                                             : "ascend910_die";
  check(config_open(name, config, &reason), reason.text);
  config->soc.ai_cores = machine->cores == 0 ? config->soc.ai_cores : machine->cores;
  config->scalar.queue_depth = machine->queue_depth == 0 ? config->scalar.queue_depth : machine->queue_depth;
}

soc_status_t step_list_run(step_list_t *list, const step_machine_t *machine, soc_result_t *result) {
  char file[1024];
  const char *given = getenv("STEP_FIRMWARE");
  snprintf(file, sizeof file, "%s%s", given != NULL ? given : FIRMWARE_DIR "/", given != NULL ? "" : machine->firmware);
  soc_options_t options = {
      .firmware = strstr(file, ".so") != NULL ? SOC_FIRMWARE_NATIVE : SOC_FIRMWARE_RISCV,
      .firmware_file = file,
      .gm = machine->rtl ? SOC_GM_RTL : SOC_GM_C,
      .race_check = true,
      .init_check = true,
      .pairs = machine->pairs,
      .timing_only = machine->timing_only,
      .threads = machine->threads,
      .on_mark = machine->on_mark,
      .on_mark_context = machine->on_mark_context,
  };
  load_config(machine, &options.config);
  const step_args_t args = {.entries = list->array[0].address, .count = list->count};
  running = soc_open(&options, list->array, list->arrays, sizeof args, result);
  uint64_t cycles;
  if (running != NULL && soc_launch(running, file, &args, sizeof args, &cycles) == SOC_DONE) {
    soc_close(running);
  }
  check(result->unwritten_count == 0, "a result depends on bytes that nobody wrote");
  return result->status;
}

const void *step_list_bytes(uint64_t address) { return soc_bytes(running, address); }

uint64_t step_commands(const soc_result_t *result) {
  uint64_t sum = 0;
  for (size_t i = 0; i < result->pipe_count; ++i) {
    sum = sum * 1000003 + result->pipes[i].commands;
  }
  return sum;
}

bool step_forked(void (*run)(const void *what, void *outcome), const void *what, void *outcome, size_t bytes) {
  void *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  check(shared != MAP_FAILED, "no memory");
  fflush(stdout);
  const pid_t child = fork();
  check(child >= 0, "no process");
  if (child == 0) {
    run(what, shared);
    fflush(stdout);
    _exit(0);
  }
  int status = 0;
  const bool good = waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  memcpy(outcome, shared, bytes);
  munmap(shared, bytes);
  return good;
}
