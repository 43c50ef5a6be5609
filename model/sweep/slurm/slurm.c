// SPDX-License-Identifier: Apache-2.0
#include "sweep/slurm/slurm.h"

#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/interrupt.h"
#include "host/worker.h"

enum { SAID_BYTES = 4096, WORDS_MOST = 160, CANCEL_MS = 30000 };

// --- words ------------------------------------------------------------------------------------

// Those of a command, of which some are made here.
typedef struct words {
  const char *word[WORDS_MOST];
  size_t count;
  char *made[8];
  size_t mades;
} words_t;

static void add(words_t *words, const char *word) {
  if (words->count < WORDS_MOST - 1) {
    words->word[words->count++] = word;
  }
}

__attribute__((format(printf, 2, 3))) static void add_made(words_t *words, const char *format, ...) {
  va_list arguments;
  char *made = NULL;
  va_start(arguments, format);
  if (vasprintf(&made, format, arguments) < 0) {
    host_out_of_memory();
  }
  va_end(arguments);
  words->made[words->mades++] = made;
  add(words, made);
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
    return SLURM_REFUSED;
  }
  clean_environment();
  slurm_answer_t answer = slurm_call(word, NULL, -1, text, CONFIG_BYTES, error);
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

static bool has_ended(const char *state) {
  static const char *const ended[] = {"COMPLETED", "CANCELLED", "FAILED",   "TIMEOUT",       "NODE_FAIL",
                                      "PREEMPTED", "BOOT_FAIL", "DEADLINE", "OUT_OF_MEMORY", "REVOKED"};
  for (size_t i = 0; i < sizeof ended / sizeof *ended; ++i) {
    if (strcmp(state, ended[i]) == 0) {
      return true;
    }
  }
  return false;
}

static slurm_array_t *array_of(slurm_arrays_t *arrays, const char *name) {
  for (size_t i = arrays->count; i > 0; --i) {
    if (strcmp(arrays->array[i - 1].name, name) == 0) {
      return &arrays->array[i - 1];
    }
  }
  slurm_array_t *list = realloc(arrays->array, (arrays->count + 1) * sizeof *list);
  if (list == NULL) {
    host_out_of_memory();
    return NULL;
  }
  arrays->array = list;
  list[arrays->count] = (slurm_array_t){.waiting = 0};
  snprintf(list[arrays->count].name, SLURM_NAME_BYTES, "%s", name);
  return &list[arrays->count++];
}

// NAME|STATE|REASON, a line a task.
static void take_task(char *line, const char *prefix, bool ended_too, slurm_arrays_t *arrays) {
  char *rest = NULL;
  const char *name = strtok_r(line, "|", &rest), *state = strtok_r(NULL, "|", &rest);
  const char *reason = strtok_r(NULL, "|\n", &rest);
  if (name == NULL || state == NULL || !begins(name, prefix) || strlen(name) >= SLURM_NAME_BYTES ||
      (!ended_too && has_ended(state))) {
    return;
  }
  slurm_array_t *array = array_of(arrays, name);
  const bool held = reason != NULL && strstr(reason, "requeued") != NULL && strstr(reason, "held") != NULL;
  const bool waits = strcmp(state, "PENDING") == 0 && !held;
  if (waits && array->waiting == 0) {
    snprintf(array->reason, sizeof array->reason, "%s", reason == NULL ? "" : reason);
  }
  array->waiting += waits ? 1 : 0;
  array->held += held ? 1 : 0;
  array->running += !waits && !held && !has_ended(state) ? 1 : 0;
}

static void take_tasks(FILE *input, const char *prefix, bool ended_too, slurm_arrays_t *arrays) {
  char *line = NULL;
  size_t room = 0;
  while (getline(&line, &room, input) > 0) {
    take_task(line, prefix, ended_too, arrays);
  }
  free(line);
}

static slurm_answer_t look(const char *prefix, bool ended_too, slurm_arrays_t *arrays, base_error_t *error) {
  char said[SAID_BYTES];
  words_t words = {.count = 0};
  const int descriptor = memfd_create("squeue", MFD_CLOEXEC);
  FILE *input = descriptor < 0 ? NULL : fdopen(descriptor, "r");
  if (input == NULL) {
    host_out_of_memory();
    return SLURM_REFUSED;
  }
  add(&words, "squeue");
  add(&words, "--noheader");
  add(&words, "--array");
  add(&words, "--states=all");
  add(&words, "--format=%j|%T|%r");
  add_made(&words, "--user=%u", (unsigned)getuid());
  const slurm_answer_t answer = slurm_call(words.word, NULL, descriptor, said, sizeof said, error);
  if (answer == SLURM_DONE) {
    slurm_forget(arrays);
    rewind(input);
    take_tasks(input, prefix, ended_too, arrays);
  }
  fclose(input);
  release(&words);
  return answer;
}

slurm_answer_t slurm_look(const char *prefix, slurm_arrays_t *arrays, base_error_t *error) {
  return look(prefix, false, arrays, error);
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
static void fill_words(const slurm_job_t *job, words_t *words) {
  add(words, "sbatch");
  for (const char *const *option = job->option; option != NULL && *option != NULL; ++option) {
    add(words, *option);
  }
  add(words, "--parsable");
  add_made(words, "--job-name=%s", job->name);
  add_made(words, "--chdir=%s", job->folder);
  add_made(words, "--output=%s", job->log);
  add_made(words, "--signal=B:USR1@%u", slurm_warning_seconds(job->time));
  if (job->partition != NULL) {
    add_made(words, "--partition=%s", job->partition);
  }
  if (job->time != NULL) {
    add_made(words, "--time=%s", job->time);
  }
  if (job->memory_mb > 0) {
    add_made(words, "--mem=%lluM", (unsigned long long)job->memory_mb);
  }
  if (job->tasks > 1) {
    const uint32_t at_once = job->at_once == 0 ? job->tasks : job->at_once;
    add_made(words, "--array=0-%u%%%u", job->tasks - 1, at_once);
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

static slurm_answer_t call_sbatch(const slurm_job_t *job, base_error_t *error) {
  char said[SAID_BYTES];
  char *script = NULL;
  size_t bytes = 0;
  words_t words = {.count = 0};
  FILE *file = open_memstream(&script, &bytes);
  if (file == NULL) {
    host_out_of_memory();
    return SLURM_REFUSED;
  }
  write_script(file, job);
  fclose(file);
  fill_words(job, &words);
  slurm_answer_t answer = slurm_call(words.word, script, -1, said, sizeof said, error);
  if (answer == SLURM_DONE && !has_number(said)) {
    base_fail(error, "sbatch: expected the job's number, got '%s'", said);
    answer = SLURM_UNANSWERED;
  }
  release(&words);
  free(script);
  return answer;
}

static slurm_answer_t find(const char *name, bool *found, base_error_t *error) {
  slurm_arrays_t arrays = {.count = 0};
  const slurm_answer_t answer = look(name, true, &arrays, error);
  *found = false;
  for (size_t i = 0; i < arrays.count; ++i) {
    *found = *found || strcmp(arrays.array[i].name, name) == 0;
  }
  slurm_forget(&arrays);
  return answer;
}

slurm_answer_t slurm_submit(const slurm_job_t *job, bool again, base_error_t *error) {
  base_error_t unused;
  bool found = false;
  slurm_answer_t answer = again ? find(job->name, &found, error) : SLURM_DONE;
  if (found || answer == SLURM_INTERRUPTED) {
    return answer;
  }
  if (answer != SLURM_DONE) {  // whatever squeue was refused: nobody knows whether the job is there
    return SLURM_UNANSWERED;
  }
  answer = call_sbatch(job, error);
  if (answer == SLURM_UNANSWERED && find(job->name, &found, &unused) == SLURM_DONE && found) {
    return SLURM_DONE;
  }
  return answer;
}

// --- ending -----------------------------------------------------------------------------------

static int cancel(void *context) {
  char said[SAID_BYTES];
  base_error_t error;
  return slurm_call(context, NULL, -1, said, sizeof said, &error) == SLURM_DONE ? 0 : 1;
}

// In a process of its own, since in this one an interrupt may be noted, with which no program is started any more.
static bool cancel_apart(words_t *words) {
  worker_t worker;
  siginfo_t ended = {.si_status = 1};
  if (!worker_start(&worker, cancel, words->word)) {
    return false;
  }
  struct pollfd end = {.fd = worker.ended, .events = POLLIN};
  while (poll(&end, 1, CANCEL_MS) < 0) {
  }
  const bool good = end.revents != 0 && waitid(P_PID, (id_t)worker.process, &ended, WEXITED | WNOWAIT) == 0 &&
                    ended.si_code == CLD_EXITED && ended.si_status == 0;
  worker_kill(&worker);
  return good;
}

slurm_answer_t slurm_cancel(const char *const *name, size_t count, base_error_t *error) {
  bool good = true;
  for (size_t i = 0; i < count; ++i) {  // by name: numbers may be given again by a controller that lost its memory
    words_t words = {.count = 0};
    add(&words, "scancel");
    add(&words, "--quiet");
    add_made(&words, "--name=%s", name[i]);
    add_made(&words, "--user=%u", (unsigned)getuid());
    good = cancel_apart(&words) && good;
    release(&words);
  }
  if (!good) {
    base_fail(error, "scancel: the cluster did not answer; `squeue --me` shows whether jobs are left");
  }
  return good ? SLURM_DONE : SLURM_UNANSWERED;
}
