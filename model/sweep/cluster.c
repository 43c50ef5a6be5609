// SPDX-License-Identifier: Apache-2.0
#include "sweep/cluster.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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
  STEP_MS = 500,    // between two looks at the store
  IN_VAIN_MAX = 6,  // times that more is submitted after all that was there has ended and brought nothing
  WORDS_MOST = 16,
};

static const double look_seconds = 5;        // between two looks at the queue
static const double patience_seconds = 900;  // without an answer, while nothing of ours runs
static const double again_seconds = 5;       // before something is asked for again
static const double end_seconds = 30;        // for jobs to end after all is done
static const double full_seconds = 30;       // before another job is tried where there are too many
static const double needs_rest = 20;   // pause between two searches of what points need, in times of what one takes
static const double task_share = 0.9;  // of a task's memory that its worker may use (slurm.h)

// Points that ask for more memory than a usual task has are for other tasks than the rest.
typedef enum kind { KIND_USUAL, KIND_LARGE, KINDS } kind_t;

// Points without a result.
typedef struct needs {
  size_t points[KINDS];
  double mb;  // the largest that a point asks for
} needs_t;

typedef struct cluster {
  sweep_t *sweep;
  const sweep_cluster_t *settings;
  base_error_t *error;
  sweep_progress_t progress;
  char prefix[SLURM_NAME_BYTES / 2];   // of all jobs for these points, whoever submits them
  char name[KINDS][SLURM_NAME_BYTES];  // of those that this process submits
  bool submitted[KINDS];
  char self[PATH_MAX], folder[PATH_MAX], logs[STORE_PATH_BYTES], log[STORE_PATH_BYTES + 32];
  uint32_t array_most;       // tasks of an array
  uint32_t most;             // tasks to ask for at a time; less after the cluster was full
  slurm_arrays_t arrays;     // as last seen
  double answered;           // when the cluster last did
  double looked, submit_at;  // at the queue; when it may be asked for more
  size_t left;               // points, when last counted
  unsigned in_vain;          // submissions to an empty queue since there were more
  needs_t needs;             // as last found
  double needs_until;        // they need not be found again before
  char told[BASE_ERROR_BYTES];
} cluster_t;

// --- names and folders ------------------------------------------------------------------------

// The prefix is the same for every sweep of these points in this store.
static void name_jobs(cluster_t *cluster) {
  const sweep_settings_t *settings = &cluster->sweep->settings;
  char store[PATH_MAX], text[2 * PATH_MAX];
  struct timespec now;
  if (realpath(settings->store, store) == NULL) {
    snprintf(store, sizeof store, "%s", settings->store);
  }
  snprintf(text, sizeof text, "%s\n%s", store, settings->only == NULL ? "" : settings->only);
  snprintf(cluster->prefix, sizeof cluster->prefix, "amalgam-%.24s-%08x-", cluster->sweep->study->name,
           (unsigned)XXH3_64bits(text, strlen(text)));
  for (char *at = cluster->prefix; *at != '\0'; ++at) {
    *at = strchr("|,;/ '\"\\", *at) != NULL || (unsigned char)*at < ' ' ? '_' : *at;
  }
  clock_gettime(CLOCK_REALTIME, &now);
  const uint64_t moment[] = {(uint64_t)now.tv_sec, (uint64_t)now.tv_nsec, (uint64_t)getpid()};
  for (kind_t kind = KIND_USUAL; kind < KINDS; ++kind) {
    snprintf(cluster->name[kind], SLURM_NAME_BYTES, "%s%s%012llx", cluster->prefix, kind == KIND_LARGE ? "large-" : "",
             (unsigned long long)(XXH3_64bits(moment, sizeof moment) >> 16));
  }
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
  snprintf(cluster->log, sizeof cluster->log, "%s/%%x.%%j", cluster->logs);
  if (!store_make(&sweep->store, cluster->error) ||
      !store_note_points(&sweep->store, sweep->study->name, sweep->study->file, sweep->name, sweep->points,
                         cluster->error)) {
    return false;
  }
  return mkdir(cluster->logs, 0777) == 0 || errno == EEXIST ||
         base_fail(cluster->error, "%s: cannot be made: %s", cluster->logs, strerror(errno));
}

// --- what workers have said -------------------------------------------------------------------

static void for_each_log(const cluster_t *cluster, void (*use)(void *context, int folder, const char *name),
                         void *context) {
  DIR *folder = opendir(cluster->logs);
  for (const struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
    if (strncmp(entry->d_name, cluster->prefix, strlen(cluster->prefix)) == 0) {
      use(context, dirfd(folder), entry->d_name);
    }
  }
  if (folder != NULL) {
    closedir(folder);
  }
}

typedef struct last_words {
  char text[256];
  int64_t time;
} last_words_t;

static void read_last_words(void *context, int folder, const char *name) {
  last_words_t *words = context;
  struct stat status;
  char line[256];
  const int descriptor = openat(folder, name, O_RDONLY | O_CLOEXEC);
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "r");
  const bool newer = file != NULL && fstat(descriptor, &status) == 0 && status.st_mtim.tv_sec >= words->time;
  while (newer && fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    if (line[0] != '\0') {
      memcpy(words->text, line, sizeof line);
      words->time = status.st_mtim.tv_sec;
    }
  }
  if (file != NULL) {
    fclose(file);
  }
}

static void remove_log(void *context, int folder, const char *name) {
  (void)context;
  unlinkat(folder, name, 0);
}

// --- what is left, and what is there for it ---------------------------------------------------

// Memory that a worker of a usual task may use, 0: unknown.
static double usual_mb(const cluster_t *cluster) { return task_share * (double)cluster->settings->memory_mb; }

static bool is_left(const sweep_t *sweep, size_t point) {
  const outcome_status_t status = sweep->outcomes.row[point].status;
  return !sweep->out[point] && (status == OUTCOME_WAITING || status == OUTCOME_RUNNING);
}

// With very many points on a slow file system that takes a while, and is not done again for some time.
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

static size_t count_left(const cluster_t *cluster) {
  const sweep_count_t count = sweep_count(cluster->sweep);
  return count.waiting + count.running;
}

// --- the cluster's answers --------------------------------------------------------------------

// Each thing once.
static void tell_once(cluster_t *cluster, const char *what, const char *why) {
  if (!cluster->sweep->settings.quiet && strcmp(why, cluster->told) != 0) {
    sweep_progress_end(&cluster->progress);
    fprintf(stderr, "amalgam: %s: %s\n", what, why);
    snprintf(cluster->told, sizeof cluster->told, "%s", why);
  }
}

// False: it has been silent for too long, or an interrupt is noted. While workers run they need no answer from it.
static bool note_answer(cluster_t *cluster, slurm_answer_t answer) {
  if (answer == SLURM_UNANSWERED) {
    tell_once(cluster, "the cluster does not answer", cluster->error->text);
  }
  const double now = host_seconds();
  if (answer != SLURM_UNANSWERED) {
    cluster->answered = now;
    return answer != SLURM_INTERRUPTED;
  }
  if (now < cluster->answered + patience_seconds || cluster->arrays.count > 0) {
    return true;
  }
  const base_error_t last = *cluster->error;
  return base_fail(cluster->error, "%s; no other answer for %.0f minutes", last.text, patience_seconds / 60);
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

// Why jobs wait, unless it is the queue itself.
static void tell_reason(cluster_t *cluster) {
  static const char *const usual[] = {"", "None", "Priority", "Resources", "BeginTime"};
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
  tell_once(cluster, "the jobs wait, and Slurm says why", reason);
}

// *seen: arrays are those of now. False: there is no use in going on.
static bool look_at_queue(cluster_t *cluster, bool *seen) {
  cluster->looked = host_seconds();
  const slurm_answer_t answer = slurm_look(cluster->prefix, &cluster->arrays, cluster->error);
  *seen = answer == SLURM_DONE;
  if (*seen) {
    tell_reason(cluster);
  }
  return note_answer(cluster, answer == SLURM_REFUSED ? SLURM_UNANSWERED : answer);
}

// --- submitting -------------------------------------------------------------------------------

static void list_worker_words(const cluster_t *cluster, char chunk[16], const char *word[WORDS_MOST]) {
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

static slurm_answer_t submit_array(const cluster_t *cluster, kind_t kind, uint32_t tasks) {
  char chunk[16];
  const char *word[WORDS_MOST];
  const sweep_cluster_t *settings = cluster->settings;
  list_worker_words(cluster, chunk, word);
  const slurm_job_t job = {
      .name = cluster->name[kind],
      .word = word,
      .processors_option = "--jobs",
      .memory_option = "--memory",
      .folder = cluster->folder,
      .log = cluster->log,
      .partition = settings->partition,
      .time = settings->time,
      .memory_mb = kind == KIND_USUAL ? settings->memory_mb : (uint64_t)ceil(cluster->needs.mb / task_share) + 1,
      .option = settings->option,
      .tasks = tasks};
  return slurm_submit(&job, cluster->error);
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
    tell_once(cluster, "the cluster accepts no job for now", cluster->error->text);
  }
  return cluster->arrays.count > 0 || host_seconds() < answered + patience_seconds;
}

// Whatever the answer, the queue is looked at before more is submitted: the job may be there all the same. False: error
// says why there is no use in going on.
static bool submit(cluster_t *cluster, kind_t kind, uint32_t tasks) {
  const double answered = cluster->answered;
  const slurm_answer_t answer = submit_array(cluster, kind, tasks);
  cluster->submitted[kind] = true;
  if (!note_answer(cluster, answer)) {
    return false;
  }
  cluster->looked = 0;
  switch (answer) {
    case SLURM_DONE:
      cluster->most = 2 * cluster->most < cluster->array_most ? 2 * cluster->most : cluster->array_most;
      cluster->submit_at = cluster->in_vain > 0 ? host_seconds() + again_seconds : 0;
      cluster->in_vain += cluster->arrays.count == 0;
      return true;
    case SLURM_UNANSWERED:
      cluster->submit_at = host_seconds() + again_seconds;
      return true;
    case SLURM_FULL:
      return ask_for_less(cluster, tasks, answered);
    default:
      return false;
  }
}

// Jobs that end, one after the other, and bring nothing, are not submitted for ever.
static bool is_in_vain(cluster_t *cluster) {
  const sweep_t *sweep = cluster->sweep;
  last_words_t words = {.time = 0};
  if (cluster->in_vain <= IN_VAIN_MAX || cluster->arrays.count > 0) {
    return false;
  }
  for_each_log(cluster, read_last_words, &words);
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

// The number of tasks of a kind to ask for: as many more as are of use and allowed.
static uint32_t tasks_wanted(const cluster_t *cluster, kind_t kind) {
  const uint32_t most = cluster->settings->most, there = alive(cluster, kind);
  const uint32_t busy = alive(cluster, KIND_USUAL) + alive(cluster, KIND_LARGE);
  const size_t wanted = tasks_for(cluster, cluster->needs.points[kind]);
  if (wanted <= there || (most > 0 && busy >= most)) {
    return 0;
  }
  const size_t more = most > 0 && most - busy < wanted - there ? most - busy : wanted - there;
  return more < cluster->most ? (uint32_t)more : cluster->most;
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
  if (alive(cluster, KIND_USUAL) + alive(cluster, KIND_LARGE) >= tasks_for(cluster, left)) {
    return true;
  }
  find_needs(cluster);
  for (kind_t kind = KIND_USUAL; kind < KINDS; ++kind) {
    const uint32_t tasks = tasks_wanted(cluster, kind);
    if (tasks > 0) {
      return submit(cluster, kind, tasks);
    }
  }
  return true;
}

// --- the loop ---------------------------------------------------------------------------------

// The queue is looked at before the store, so that results of workers that have ended are seen before more are
// submitted.
static bool step(cluster_t *cluster) {
  const double since = host_seconds() - cluster->looked;
  const bool due = since >= look_seconds || (sweep_count(cluster->sweep).running == 0 && since >= 1);
  bool seen = false;
  if ((due && !look_at_queue(cluster, &seen)) || !sweep_look(cluster->sweep, cluster->error) ||
      (seen && !submit_some(cluster))) {
    return false;
  }
  sweep_progress_show(&cluster->progress, false);
  if (count_left(cluster) > 0) {
    rest(STEP_MS);
  }
  return !host_interrupted();
}

// Cancels this process's jobs that still run. Those of others that have the same points go on.
static void cancel_own(const cluster_t *cluster) {
  for (kind_t kind = KIND_USUAL; kind < KINDS; ++kind) {
    base_error_t error;
    if (cluster->submitted[kind] && !slurm_cancel(cluster->name[kind], &error)) {
      base_report(BASE_BAD_INPUT, &error);
    }
  }
}

static bool cancel_queued(const slurm_arrays_t *arrays, base_error_t *error) {
  bool good = true;
  for (size_t i = 0; i < arrays->count; ++i) {
    good = slurm_cancel(arrays->array[i].name, error) && good;
  }
  return good;
}

// No point is left, so that nobody's jobs have anything to do. Waits until they have ended and nothing is written any
// more, also for a controller that does not answer just now; but not for ever.
static void cancel_all(cluster_t *cluster) {
  const double until = host_seconds() + end_seconds;
  bool cancelled = false;
  base_error_t error = {.text = ""};
  while (!host_interrupted() && host_seconds() < until) {
    const bool seen = slurm_look(cluster->prefix, &cluster->arrays, &error) == SLURM_DONE;
    if (seen && cluster->arrays.count == 0) {
      return;
    }
    cancelled = cancelled || (seen && cancel_queued(&cluster->arrays, &error));
    rest(cancelled ? STEP_MS : 1000);
  }
  if (!cancelled && error.text[0] != '\0') {
    base_report(BASE_BAD_INPUT, &error);
  }
}

static bool run_on(cluster_t *cluster) {
  name_jobs(cluster);
  bool good = open_slurm(cluster) && make_places(cluster);
  sweep_progress_begin(&cluster->progress, cluster->sweep);
  while (good && count_left(cluster) > 0) {
    good = step(cluster);
  }
  sweep_progress_end(&cluster->progress);
  if (good) {
    cancel_all(cluster);
    for_each_log(cluster, remove_log, NULL);  // points keep logs of their own
    rmdir(cluster->logs);                     // if it is empty
  } else {
    cancel_own(cluster);
  }
  slurm_forget(&cluster->arrays);
  return good;
}

base_exit_t sweep_cluster(sweep_t *sweep, const sweep_cluster_t *settings, base_error_t *error) {
  cluster_t *cluster = arena_bytes(&sweep->arena, 1, sizeof *cluster);
  *cluster = (cluster_t){.sweep = sweep, .settings = settings, .error = error};
  host_hold_interrupts();
  const bool good = count_left(cluster) == 0 || run_on(cluster);
  host_release_interrupts();
  return host_interrupted() ? BASE_INTERRUPTED : good ? BASE_OK : BASE_BAD_INPUT;
}
