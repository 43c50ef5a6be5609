// SPDX-License-Identifier: Apache-2.0
#include "sweep/slurm/slurm.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host/interrupt.h"

enum { SAID_BYTES = 4096, WORDS_MOST = 160 };
#define CANCEL_SECONDS "30"

// --- words ------------------------------------------------------------------------------------

// The words of a command; some are made here.
typedef struct words {
  const char *word[WORDS_MOST];
  size_t count;
  char *made[8];
  size_t mades;
} words_t;

static void add_word(words_t *words, const char *word) {
  if (words->count < WORDS_MOST - 1) {
    words->word[words->count++] = word;
  }
}

__attribute__((format(printf, 2, 3))) static void print_word(words_t *words, const char *format, ...) {
  va_list arguments;
  char *made = NULL;
  va_start(arguments, format);
  if (vasprintf(&made, format, arguments) < 0) {
    host_out_of_memory();
  }
  va_end(arguments);
  words->made[words->mades++] = made;
  add_word(words, made);
}

static void release(words_t *words) {
  for (size_t i = 0; i < words->mades; ++i) {
    free(words->made[i]);
  }
}

// --- the cluster ------------------------------------------------------------------------------

static bool begins(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

static bool misleads(const char *variable) {
  static const char *const starts[] = {"SQUEUE_",          "SCANCEL_",          "SCONTROL_",    "SLURM_CLUSTERS=",
                                       "SBATCH_CLUSTERS=", "SBATCH_ARRAY_INX=", "SBATCH_WAIT=", "SBATCH_JOB_NAME=",
                                       "SLURM_MEM_PER_"};  // the last are those of a job that this process is in
  for (size_t i = 0; i < sizeof starts / sizeof *starts; ++i) {
    if (begins(variable, starts[i])) {
      return true;
    }
  }
  return false;
}

static void clean_environment(void) {
  for (char **variable = environ; *variable != NULL;) {
    char name[128];
    if (misleads(*variable) && strcspn(*variable, "=") < sizeof name) {
      snprintf(name, sizeof name, "%.*s", (int)strcspn(*variable, "="), *variable);
      unsetenv(name);
      variable = environ;
    } else {
      ++variable;
    }
  }
}

slurm_answer_t slurm_open(uint32_t *most, base_error_t *error) {
  static const char *const word[] = {"scontrol", "show", "config", NULL};
  static const char name[] = "MaxArraySize";
  enum { CONFIG_BYTES = 65536 };
  char *text = malloc(CONFIG_BYTES);
  if (text == NULL) {
    host_out_of_memory();
  }
  clean_environment();
  slurm_answer_t answer = slurm_call(word, NULL, -1, text, CONFIG_BYTES, false, error);
  const char *line = answer == SLURM_DONE ? strstr(text, name) : NULL;
  unsigned size;
  if (line != NULL && sscanf(line + strlen(name), " = %u", &size) == 1) {
    *most = size > 1 ? size : 1;  // indices are below it; 0: no arrays
  } else if (answer == SLURM_DONE) {
    base_fail(error, "scontrol show config: expected a line '%s = NUMBER'", name);
    answer = SLURM_REFUSED;
  }
  free(text);
  return answer;
}

// --- jobs that are there ----------------------------------------------------------------------

static slurm_array_t *array_of(slurm_arrays_t *arrays, const char *name) {
  for (size_t i = arrays->count; i > 0; --i) {
    if (strcmp(arrays->array[i - 1].name, name) == 0) {
      return &arrays->array[i - 1];
    }
  }
  slurm_array_t *list = realloc(arrays->array, (arrays->count + 1) * sizeof *list);
  if (list == NULL) {
    host_out_of_memory();
  }
  arrays->array = list;
  list[arrays->count] = (slurm_array_t){.waiting = 0};
  snprintf(list[arrays->count].name, SLURM_NAME_BYTES, "%s", name);
  return &list[arrays->count++];
}

// NAME|STATE|REASON, a line a task.
static void add_task(char *line, const char *prefix, slurm_arrays_t *arrays) {
  char *rest = NULL;
  const char *name = strtok_r(line, "|", &rest), *state = strtok_r(NULL, "|", &rest);
  const char *reason = strtok_r(NULL, "|\n", &rest);
  slurm_array_t *array =
      state == NULL || !begins(name, prefix) || strlen(name) >= SLURM_NAME_BYTES ? NULL : array_of(arrays, name);
  if (array == NULL || (reason != NULL && strstr(reason, "requeued") != NULL && strstr(reason, "held") != NULL)) {
    return;
  }
  const bool waits = strcmp(state, "PENDING") == 0;
  if (waits && array->waiting == 0) {
    snprintf(array->reason, sizeof array->reason, "%s", reason == NULL ? "" : reason);
  }
  ++*(waits ? &array->waiting : &array->running);
}

static void add_tasks(FILE *input, const char *prefix, slurm_arrays_t *arrays) {
  char *line = NULL;
  size_t room = 0;
  rewind(input);
  while (getline(&line, &room, input) > 0) {
    add_task(line, prefix, arrays);
  }
  free(line);
}

slurm_answer_t slurm_look(const char *prefix, slurm_arrays_t *arrays, base_error_t *error) {
  char said[SAID_BYTES];
  words_t words = {.word = {"squeue", "--noheader", "--array", "--format=%j|%T|%r"}, .count = 4};
  const int descriptor = memfd_create("squeue", MFD_CLOEXEC);
  FILE *input = descriptor < 0 ? NULL : fdopen(descriptor, "r");
  if (input == NULL) {
    host_out_of_memory();
  }
  print_word(&words, "--user=%u", (unsigned)getuid());
  const slurm_answer_t answer = slurm_call(words.word, NULL, descriptor, said, sizeof said, false, error);
  if (answer == SLURM_DONE) {
    slurm_forget(arrays);
    add_tasks(input, prefix, arrays);
  }
  fclose(input);
  release(&words);
  return answer;
}

void slurm_forget(slurm_arrays_t *arrays) {
  free(arrays->array);
  *arrays = (slurm_arrays_t){.count = 0};
}

// --- submitting -------------------------------------------------------------------------------

// In single quotes, in which a single quote is '\''.
static void write_word(FILE *file, const char *word) {
  fputs(" '", file);
  for (const char *at = word; *at != '\0'; ++at) {
    fputs(*at == '\'' ? "'\\''" : (char[]){*at, '\0'}, file);
  }
  fputc('\'', file);
}

// Only the task knows what it has been given. The folder for temporary files may be one of the host that submits.
static void write_script(FILE *file, const slurm_job_t *job) {
  fputs(
      "#!/bin/sh\n"
      "[ -d \"${TMPDIR:-/tmp}\" ] || unset TMPDIR\n"
      "mb=${SLURM_MEM_PER_NODE:-$((${SLURM_MEM_PER_CPU:-0} * ${SLURM_CPUS_ON_NODE:-1}))}\n"
      "exec",
      file);
  for (const char *const *word = job->word; *word != NULL; ++word) {
    write_word(file, *word);
  }
  if (job->processors_option != NULL) {
    fprintf(file, " %s ${SLURM_CPUS_ON_NODE:-1}", job->processors_option);
  }
  if (job->memory_option != NULL) {
    fprintf(file, " $([ $mb -eq 0 ] || echo %s $((mb * 9 / 10)))", job->memory_option);
  }
  fputc('\n', file);
}

// A user's options come first: where ours say something else, ours hold.
static void add_sbatch(const slurm_job_t *job, words_t *words) {
  add_word(words, "sbatch");
  for (const char *const *option = job->option; option != NULL && *option != NULL; ++option) {
    add_word(words, *option);
  }
  add_word(words, "--parsable");
  print_word(words, "--job-name=%s", job->name);
  print_word(words, "--chdir=%s", job->folder);
  print_word(words, "--output=%s", job->log);
  print_word(words, "--signal=B:USR1@%u", slurm_warning_seconds(job->time));
  if (job->partition != NULL) {
    print_word(words, "--partition=%s", job->partition);
  }
  if (job->time != NULL) {
    print_word(words, "--time=%s", job->time);
  }
  if (job->memory_mb > 0) {
    print_word(words, "--mem=%lluM", (unsigned long long)job->memory_mb);
  }
  if (job->tasks > 1) {
    print_word(words, "--array=0-%u", job->tasks - 1);
  }
}

// "4711" or "4711;cluster" in a line of its own, perhaps among warnings.
static bool has_number(const char *said) {
  for (const char *line = said; line != NULL && *line != '\0';) {
    const size_t digits = strspn(line, "0123456789");
    if (digits > 0 && (line[digits] == '\0' || line[digits] == '\n' || line[digits] == ';')) {
      return true;
    }
    line = strchr(line, '\n');
    line = line == NULL ? NULL : line + 1;
  }
  return false;
}

slurm_answer_t slurm_submit(const slurm_job_t *job, base_error_t *error) {
  char said[SAID_BYTES];
  char *script = NULL;
  size_t bytes = 0;
  words_t words = {.count = 0};
  FILE *file = open_memstream(&script, &bytes);
  if (file == NULL) {
    host_out_of_memory();
  }
  write_script(file, job);
  fclose(file);
  add_sbatch(job, &words);
  slurm_answer_t answer = slurm_call(words.word, script, -1, said, sizeof said, false, error);
  if (answer == SLURM_DONE && !has_number(said)) {
    base_fail(error, "sbatch: expected the job's number, got '%s'", said);
    answer = SLURM_UNANSWERED;
  }
  release(&words);
  free(script);
  return answer;
}

// --- ending -----------------------------------------------------------------------------------

// By name, since a controller that lost its memory may give numbers again.
bool slurm_cancel(const char *name, base_error_t *error) {
  char said[SAID_BYTES];
  words_t words = {.word = {"timeout", CANCEL_SECONDS, "scancel", "--quiet"}, .count = 4};
  print_word(&words, "--name=%s", name);
  print_word(&words, "--user=%u", (unsigned)getuid());
  const bool good = slurm_call(words.word, NULL, -1, said, sizeof said, true, error) == SLURM_DONE;
  release(&words);
  return good || base_fail(error, "scancel: the cluster did not answer; `squeue --me` shows whether jobs are left");
}
