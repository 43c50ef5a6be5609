// SPDX-License-Identifier: Apache-2.0
#include "sweep/cluster.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "host/host.h"
#include "host/interrupt.h"
#include "host/program.h"
#include "sweep/progress.h"
#include "sweep/slurm/slurm.h"

enum {
  STEP_MS = 500,      // between two looks at the store
  ARRAYS_MAX = 4096,  // that one sweep may submit
  IN_VAIN_MAX = 6,    // times that jobs end, one after the other, and bring nothing
  WORDS_MOST = 16,
};

static const double look_seconds = 5;   // between two looks at the queue
static const double patience = 900;     // seconds without an answer, while nothing of ours runs
static const double again_seconds = 5;  // before something is asked for again
static const double end_seconds = 30;   // after all is done
static const double full_seconds = 30;  // before another job is tried where there are too many
static const double needs_rest = 20;    // times as long is not looked for what points need as that takes
static const double task_share = 0.9;   // of a task's memory is what its worker may use (slurm.h)

// What this process has submitted.
typedef struct submitted {
  char name[SLURM_NAME_BYTES];
  uint32_t tasks, at_once;
  uint64_t memory_mb;
  bool unsure;  // whether it is there
  bool gone;    // seen, and no longer
} submitted_t;

// Points that ask for more memory than a usual task has are for other tasks than the rest.
typedef enum kind { KIND_USUAL, KIND_LARGE, KINDS } kind_t;

// What is left.
typedef struct needs {
  size_t points[KINDS];
  double mb;  // the largest that a point asks for
} needs_t;

typedef struct cluster {
  sweep_t *sweep;
  const sweep_cluster_t *settings;
  base_error_t *error;
  sweep_progress_t progress;
  char prefix[SLURM_NAME_BYTES / 2];  // of all jobs for these points, whoever submits them
  char self[PATH_MAX], folder[PATH_MAX], logs[STORE_PATH_BYTES], log[STORE_PATH_BYTES + 32];
  uint32_t array_most;    // tasks of an array
  uint32_t most;          // tasks to ask for at a time; less after the cluster was full
  slurm_arrays_t arrays;  // as last seen
  submitted_t *own;       // [ARRAYS_MAX]
  size_t owns;
  double answered;           // when the cluster last did
  double looked, submit_at;  // at the queue; when it may be asked for more
  size_t left;               // points, when last counted
  unsigned in_vain;          // times that jobs have ended since there were more
  needs_t needs;             // as last found
  double needs_until;        // they need not be found again before
  char told[BASE_ERROR_BYTES];
} cluster_t;

// --- names and folders ------------------------------------------------------------------------

// The same for every sweep of these points in this store.
static void name_jobs(cluster_t *cluster) {
  const sweep_settings_t *settings = &cluster->sweep->settings;
  char store[PATH_MAX], text[2 * PATH_MAX];
  if (realpath(settings->store, store) == NULL) {
    snprintf(store, sizeof store, "%s", settings->store);
  }
  snprintf(text, sizeof text, "%s\n%s", store, settings->only == NULL ? "" : settings->only);
  snprintf(cluster->prefix, sizeof cluster->prefix, "amalgam-%.24s-%08x-", cluster->sweep->study->name,
           (unsigned)XXH3_64bits(text, strlen(text)));
  for (char *at = cluster->prefix; *at != '\0'; ++at) {
    *at = strchr("|,;/ '\"\\", *at) != NULL || (unsigned char)*at < ' ' ? '_' : *at;
  }
}

static void name_job(const cluster_t *cluster, kind_t kind, char name[SLURM_NAME_BYTES]) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const uint64_t moment[] = {(uint64_t)now.tv_sec, (uint64_t)now.tv_nsec, (uint64_t)getpid(), cluster->owns};
  snprintf(name, SLURM_NAME_BYTES, "%s%s%012llx", cluster->prefix, kind == KIND_LARGE ? "large-" : "",
           (unsigned long long)(XXH3_64bits(moment, sizeof moment) >> 16));
}

static kind_t kind_of(const cluster_t *cluster, const char *name) {
  return strncmp(name + strlen(cluster->prefix), "large-", 6) == 0 ? KIND_LARGE : KIND_USUAL;
}

static bool make_places(cluster_t *cluster) {
  sweep_t *sweep = cluster->sweep;
  const ssize_t length = readlink(PROGRAM_SELF, cluster->self, sizeof cluster->self - 1);
  if (length <= 0 || getcwd(cluster->folder, sizeof cluster->folder) == NULL) {
    return base_fail(cluster->error, "--on slurm: the program or the folder it is in has no name");
  }
  cluster->self[length] = '\0';
  store_study_path(&sweep->store, sweep->study->name, "slurm", cluster->logs);
  snprintf(cluster->log, sizeof cluster->log, "%s/%%x.%%a", cluster->logs);
  if (!store_make(&sweep->store, cluster->error) ||
      !store_note_points(&sweep->store, sweep->study->name, sweep->study->file, sweep->name, sweep->points,
                         cluster->error)) {
    return false;
  }
  return mkdir(cluster->logs, 0777) == 0 || errno == EEXIST ||
         base_fail(cluster->error, "%s: cannot be made: %s", cluster->logs, strerror(errno));
}

// --- what workers have said -------------------------------------------------------------------

typedef struct last_words {
  char text[256];
  int64_t time;
} last_words_t;

static void read_last_line(FILE *file, char text[256]) {
  char line[256];
  while (fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    if (line[0] != '\0') {
      memcpy(text, line, sizeof line);
    }
  }
}

static void look_at_log(const cluster_t *cluster, const char *name, last_words_t *words) {
  char path[STORE_PATH_BYTES + 300];
  struct stat status;
  snprintf(path, sizeof path, "%s/%s", cluster->logs, name);
  if (strncmp(name, cluster->prefix, strlen(cluster->prefix)) != 0 || stat(path, &status) != 0) {
    return;
  }
  FILE *file = status.st_size > 0 && status.st_mtim.tv_sec >= words->time ? fopen(path, "re") : NULL;
  if (file != NULL) {
    words->time = status.st_mtim.tv_sec;
    read_last_line(file, words->text);
    fclose(file);
  }
}

static void find_last_words(const cluster_t *cluster, last_words_t *words) {
  DIR *folder = opendir(cluster->logs);
  *words = (last_words_t){.time = 0};
  for (const struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
    look_at_log(cluster, entry->d_name, words);
  }
  if (folder != NULL) {
    closedir(folder);
  }
}

// What this process's jobs have printed is no longer of interest: points keep logs of their own.
static void remove_logs(const cluster_t *cluster) {
  DIR *folder = opendir(cluster->logs);
  for (const struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
    for (size_t i = 0; i < cluster->owns; ++i) {
      const size_t length = strlen(cluster->own[i].name);
      if (strncmp(entry->d_name, cluster->own[i].name, length) == 0 && entry->d_name[length] == '.') {
        unlinkat(dirfd(folder), entry->d_name, 0);
      }
    }
  }
  if (folder != NULL) {
    closedir(folder);
  }
  rmdir(cluster->logs);  // if it is empty
}

// --- what is left, and what is there for it ---------------------------------------------------

// What a worker of a usual task may use, 0: unknown.
static double usual_mb(const cluster_t *cluster) { return task_share * (double)cluster->settings->memory_mb; }

static bool is_left(const sweep_t *sweep, size_t point) {
  const outcome_status_t status = sweep->outcomes.row[point].status;
  return !sweep->out[point] && (status == OUTCOME_WAITING || status == OUTCOME_RUNNING);
}

// Of very many points on a slow file system that takes a while: it is done only so often.
static void find_needs(cluster_t *cluster) {
  const sweep_t *sweep = cluster->sweep;
  const double start = host_seconds();
  needs_t needs = {.mb = 0};
  if (start < cluster->needs_until) {
    return;
  }
  for (size_t i = 0; i < sweep->points; ++i) {
    store_tries_t tries = {.attempts = 0};
    if (!is_left(sweep, i)) {
      continue;
    }
    if (sweep->outcomes.row[i].status == OUTCOME_WAITING) {
      store_get_tries(&sweep->store, sweep->name[i], &tries);
    }
    ++needs.points[tries.needs_mb > usual_mb(cluster) ? KIND_LARGE : KIND_USUAL];
    needs.mb = fmax(needs.mb, tries.needs_mb);
  }
  cluster->needs = needs;
  cluster->needs_until = host_seconds() + needs_rest * (host_seconds() - start);
}

static uint32_t alive(const cluster_t *cluster, kind_t kind) {
  uint32_t tasks = 0;
  for (size_t i = 0; i < cluster->arrays.count; ++i) {
    const slurm_array_t *array = &cluster->arrays.array[i];
    tasks += kind_of(cluster, array->name) == kind ? array->waiting + array->running : 0;
  }
  return tasks;
}

// Tasks that may run at once, of all that are there.
static uint32_t may_run(const cluster_t *cluster) {
  uint32_t tasks = 0;
  for (size_t i = 0; i < cluster->arrays.count; ++i) {
    const slurm_array_t *array = &cluster->arrays.array[i];
    uint32_t most = array->waiting + array->running;  // not what is held
    for (size_t k = 0; k < cluster->owns; ++k) {
      if (strcmp(cluster->own[k].name, array->name) == 0 && cluster->own[k].at_once < most) {
        most = cluster->own[k].at_once;
      }
    }
    tasks += most;
  }
  return tasks;
}

static size_t count_left(const cluster_t *cluster) {
  const sweep_count_t count = sweep_count(cluster->sweep);
  return count.waiting + count.running;
}

// --- the cluster's answers --------------------------------------------------------------------

// Each thing once.
static void tell(cluster_t *cluster, const char *what, const char *why) {
  if (!cluster->sweep->settings.quiet && strcmp(why, cluster->told) != 0) {
    sweep_progress_end(&cluster->progress);
    fprintf(stderr, "amalgam: %s: %s\n", what, why);
    snprintf(cluster->told, sizeof cluster->told, "%s", why);
  }
}

// False: it has been silent for too long, or an interrupt is noted. While workers run they need no answer from it.
static bool note_answer(cluster_t *cluster, slurm_answer_t answer) {
  if (answer == SLURM_UNANSWERED) {
    tell(cluster, "the cluster does not answer", cluster->error->text);
  }
  const double now = host_seconds();
  if (answer != SLURM_UNANSWERED) {
    cluster->answered = now;
    return answer != SLURM_INTERRUPTED;
  }
  if (now < cluster->answered + patience || cluster->arrays.count > 0) {
    return true;
  }
  const base_error_t last = *cluster->error;
  return base_fail(cluster->error, "%s; no other answer for %.0f minutes", last.text, patience / 60);
}

// Until something may have changed.
static void rest(int milliseconds) {
  struct pollfd interrupt = {.fd = host_interrupt_event(), .events = POLLIN};
  poll(&interrupt, 1, milliseconds);
}

static bool open_slurm(cluster_t *cluster) {
  slurm_answer_t answer;
  cluster->answered = host_seconds();
  while ((answer = slurm_open(&cluster->array_most, cluster->error)) == SLURM_UNANSWERED) {
    if (!note_answer(cluster, answer)) {
      return false;
    }
    rest((int)(1000 * again_seconds));
  }
  cluster->most = cluster->array_most;
  return answer == SLURM_DONE;
}

static void mark_gone(cluster_t *cluster) {
  bool any = false;
  for (size_t i = 0; i < cluster->owns; ++i) {
    submitted_t *own = &cluster->own[i];
    bool gone = !own->unsure;
    for (size_t k = 0; k < cluster->arrays.count; ++k) {
      gone = gone && strcmp(own->name, cluster->arrays.array[k].name) != 0;
    }
    any = any || (gone && !own->gone);
    own->gone = gone;
  }
  cluster->in_vain += any ? 1 : 0;
}

// That they wait for others is what a queue is for; anything else somebody may have to do something about.
static void tell_reason(cluster_t *cluster) {
  static const char *const usual[] = {"", "None", "Priority", "Resources", "JobArrayTaskLimit", "BeginTime"};
  const char *reason = "";
  for (size_t i = 0; i < cluster->arrays.count; ++i) {
    if (cluster->arrays.array[i].running > 0) {
      return;
    }
    reason = cluster->arrays.array[i].reason;
  }
  for (size_t i = 0; i < sizeof usual / sizeof *usual; ++i) {
    if (strcmp(reason, usual[i]) == 0) {
      return;
    }
  }
  tell(cluster, "the jobs wait, and Slurm says why", reason);
}

static bool look_at_queue(cluster_t *cluster) {
  cluster->looked = host_seconds();
  const slurm_answer_t answer = slurm_look(cluster->prefix, &cluster->arrays, cluster->error);
  if (answer == SLURM_DONE) {
    mark_gone(cluster);
    tell_reason(cluster);
  }
  return note_answer(cluster, answer == SLURM_REFUSED ? SLURM_UNANSWERED : answer);
}

// --- submitting -------------------------------------------------------------------------------

static void fill_words(const cluster_t *cluster, char chunk[16], const char *word[WORDS_MOST]) {
  const sweep_settings_t *settings = &cluster->sweep->settings;
  size_t n = 0;
  snprintf(chunk, 16, "%u", (unsigned)cluster->settings->chunk);
  word[n++] = cluster->self;
  word[n++] = "sweep";
  word[n++] = settings->study;
  word[n++] = "--worker";
  word[n++] = "--store";
  word[n++] = settings->store;
  word[n++] = "--chunk";
  word[n++] = chunk;
  if (settings->only != NULL) {
    word[n++] = "--only";
    word[n++] = settings->only;
  }
  word[n] = NULL;
}

static slurm_answer_t call_submit(const cluster_t *cluster, const submitted_t *own) {
  char chunk[16];
  const char *word[WORDS_MOST];
  const sweep_cluster_t *settings = cluster->settings;
  fill_words(cluster, chunk, word);
  const slurm_job_t job = {.name = own->name,
                           .word = word,
                           .processors_option = "--jobs",
                           .memory_option = "--memory",
                           .folder = cluster->folder,
                           .log = cluster->log,
                           .partition = settings->partition,
                           .time = settings->time,
                           .memory_mb = own->memory_mb,
                           .option = settings->option,
                           .tasks = own->tasks,
                           .at_once = own->at_once};
  return slurm_submit(&job, own->unsure, cluster->error);
}

// Half as many, or, where one is too many, later. False: that has been tried for long enough.
static bool ask_for_less(cluster_t *cluster, uint32_t tasks, double answered) {
  if (tasks > 1) {
    cluster->most = tasks / 2;
    return true;
  }
  cluster->submit_at = host_seconds() + full_seconds;
  if (cluster->arrays.count == 0) {
    cluster->answered = answered;  // an answer that is of no use
    tell(cluster, "the cluster accepts no job for now", cluster->error->text);
  }
  return cluster->arrays.count > 0 || host_seconds() < answered + patience;
}

// False: error says why there is no use in going on.
static bool submit(cluster_t *cluster, submitted_t *own) {
  const double answered = cluster->answered;
  const slurm_answer_t answer = call_submit(cluster, own);
  own->unsure = answer == SLURM_UNANSWERED;
  if (!note_answer(cluster, answer)) {
    return false;
  }
  switch (answer) {
    case SLURM_DONE:
      cluster->looked = 0;
      cluster->most = 2 * cluster->most < cluster->array_most ? 2 * cluster->most : cluster->array_most;
      cluster->submit_at = cluster->in_vain > 0 ? host_seconds() + again_seconds : 0;
      return true;
    case SLURM_UNANSWERED:
      cluster->submit_at = host_seconds() + again_seconds;
      return true;
    case SLURM_FULL:
      own->gone = true;
      return ask_for_less(cluster, own->tasks, answered);
    default:
      return false;
  }
}

// Jobs that end, one after the other, and bring nothing, are not submitted for ever.
static bool is_in_vain(cluster_t *cluster) {
  const sweep_t *sweep = cluster->sweep;
  last_words_t words;
  if (cluster->in_vain < IN_VAIN_MAX) {
    return false;
  }
  find_last_words(cluster, &words);
  // Their last words may be what there was no room for.
  if (store_note_points(&sweep->store, sweep->study->name, sweep->study->file, sweep->name, sweep->points,
                        cluster->error)) {
    base_fail(cluster->error, "--on slurm: one job after the other has ended without a result%s%s",
              words.text[0] == '\0' ? "" : "; the last words: ", words.text);
  }
  return true;
}

static size_t tasks_for(const cluster_t *cluster, size_t points) {
  return (points + cluster->settings->chunk - 1) / cluster->settings->chunk;
}

// How many more tasks of a kind are of use; *at_once: how many of them may run at a time.
static uint32_t tasks_wanted(const cluster_t *cluster, size_t points, kind_t kind, uint32_t *at_once) {
  const uint32_t most = cluster->settings->most, there = alive(cluster, kind), busy = may_run(cluster);
  const size_t wanted = tasks_for(cluster, points);
  if (wanted <= there || (most > 0 && busy >= most)) {
    return 0;
  }
  const size_t more = wanted - there;
  const uint32_t tasks = more < cluster->most ? (uint32_t)more : cluster->most;
  *at_once = most > 0 && most - busy < tasks ? most - busy : tasks;
  return tasks;
}

static bool submit_kind(cluster_t *cluster, kind_t kind) {
  const needs_t *needs = &cluster->needs;
  submitted_t *own = &cluster->own[cluster->owns];
  *own = (submitted_t){.memory_mb = kind == KIND_USUAL ? cluster->settings->memory_mb
                                                       : (uint64_t)ceil(needs->mb / task_share) + 1};
  own->tasks = tasks_wanted(cluster, needs->points[kind], kind, &own->at_once);
  if (own->tasks == 0) {
    return true;
  }
  if (cluster->owns == ARRAYS_MAX - 1) {
    return base_fail(cluster->error, "--on slurm: %d jobs were not enough; give --chunk more", ARRAYS_MAX - 1);
  }
  name_job(cluster, kind, own->name);
  ++cluster->owns;
  return submit(cluster, own);
}

static submitted_t *find_unsure(cluster_t *cluster) {
  for (size_t i = 0; i < cluster->owns; ++i) {
    if (cluster->own[i].unsure) {
      return &cluster->own[i];
    }
  }
  return NULL;
}

// If there is too little for what is left. While all that is left is run by somebody, there is nothing to submit for.
static bool submit_some(cluster_t *cluster) {
  const size_t left = count_left(cluster);
  cluster->in_vain = left < cluster->left ? 0 : cluster->in_vain;
  cluster->left = left;
  if (is_in_vain(cluster)) {
    return false;
  }
  if (host_seconds() < cluster->submit_at || sweep_count(cluster->sweep).waiting == 0) {
    return true;
  }
  submitted_t *unsure = find_unsure(cluster);
  if (unsure != NULL) {
    return submit(cluster, unsure);
  }
  if (alive(cluster, KIND_USUAL) + alive(cluster, KIND_LARGE) >= tasks_for(cluster, left)) {
    return true;
  }
  find_needs(cluster);
  for (kind_t kind = KIND_USUAL; kind < KINDS; ++kind) {
    if (host_seconds() >= cluster->submit_at && !submit_kind(cluster, kind)) {
      return false;
    }
  }
  return true;
}

// --- the loop ---------------------------------------------------------------------------------

// What workers have published before they ended is seen before more are submitted: the queue comes first.
static bool step(cluster_t *cluster) {
  const double since = host_seconds() - cluster->looked;
  const bool queue = since >= look_seconds || (sweep_count(cluster->sweep).running == 0 && since >= 1);
  if (queue && !look_at_queue(cluster)) {
    return false;
  }
  if (!sweep_look(cluster->sweep, cluster->error) || (queue && !submit_some(cluster))) {
    return false;
  }
  sweep_progress_show(&cluster->progress, false);
  if (count_left(cluster) > 0) {
    rest(STEP_MS);
  }
  return !host_interrupted();
}

// What of this process's jobs has not ended. Those of others that have the same points go on.
static void cancel_own(const cluster_t *cluster) {
  size_t count = 0;
  const char **name = arena_bytes(&cluster->sweep->arena, cluster->owns + 1, sizeof *name);
  base_error_t error;
  for (size_t i = 0; i < cluster->owns; ++i) {
    if (!cluster->own[i].gone) {
      name[count++] = cluster->own[i].name;
    }
  }
  if (slurm_cancel(name, count, &error) != SLURM_DONE) {
    base_report(BASE_BAD_INPUT, &error);
  }
}

// All that the queue has of this sweep.
static slurm_answer_t cancel_queued(cluster_t *cluster, base_error_t *error) {
  const size_t count = cluster->arrays.count;
  const char **name = arena_bytes(&cluster->sweep->arena, count + 1, sizeof *name);
  for (size_t i = 0; i < count; ++i) {
    name[i] = arena_text(&cluster->sweep->arena, cluster->arrays.array[i].name);
  }
  return slurm_cancel(name, count, error);
}

// No point is left: nobody's jobs have anything to do. It is waited until they have ended, so that nothing is written
// any more, and for a controller that does not answer just now; but not for ever.
static void cancel_all(cluster_t *cluster) {
  const double until = host_seconds() + end_seconds;
  slurm_answer_t cancelled = SLURM_UNANSWERED;
  base_error_t error = {.text = ""};
  while (!host_interrupted() && host_seconds() < until) {
    slurm_answer_t answer = slurm_look(cluster->prefix, &cluster->arrays, &error);
    if (answer == SLURM_DONE && cluster->arrays.count == 0) {
      return;
    }
    if (answer == SLURM_DONE && cancelled != SLURM_DONE) {
      answer = cancelled = cancel_queued(cluster, &error);
    }
    rest(answer == SLURM_DONE ? STEP_MS : 1000);
  }
  if (cancelled != SLURM_DONE && error.text[0] != '\0') {
    base_report(BASE_BAD_INPUT, &error);
  }
}

static bool run_on(cluster_t *cluster) {
  bool good = open_slurm(cluster) && make_places(cluster);
  name_jobs(cluster);
  sweep_progress_begin(&cluster->progress, cluster->sweep);
  while (good && count_left(cluster) > 0) {
    good = step(cluster);
  }
  sweep_progress_end(&cluster->progress);
  if (good) {
    cancel_all(cluster);
    remove_logs(cluster);
  } else {
    cancel_own(cluster);
  }
  slurm_forget(&cluster->arrays);
  return good;
}

base_exit_t sweep_cluster(sweep_t *sweep, const sweep_cluster_t *settings, base_error_t *error) {
  cluster_t *cluster = arena_bytes(&sweep->arena, 1, sizeof *cluster);
  *cluster = (cluster_t){.sweep = sweep,
                         .settings = settings,
                         .error = error,
                         .own = arena_bytes(&sweep->arena, ARRAYS_MAX, sizeof *cluster->own)};
  host_hold_interrupts();
  const bool good = count_left(cluster) == 0 || run_on(cluster);
  host_release_interrupts();
  return host_interrupted() ? BASE_INTERRUPTED : good ? BASE_OK : BASE_BAD_INPUT;
}
