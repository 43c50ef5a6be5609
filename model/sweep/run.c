// A worker's loop: claims points, runs so many at a time as there are slots and memory for, and publishes what comes
// out. It sleeps only where there is nothing to do but wait.
// SPDX-License-Identifier: Apache-2.0
#include <cJSON.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/host.h"
#include "host/interrupt.h"
#include "host/parallel.h"
#include "sweep/progress.h"
#include "sweep/results.h"
#include "sweep/store/claim.h"
#include "sweep/work/attempt.h"
#include "sweep/work/memory.h"

enum { SLOTS_MAX = 256 };

static const double others_seconds = 1;  // between two looks at points that others run
static const int settle_ms = 500;        // a signal that ends a run may be on its way to us, too
static const unsigned tries_max = 2;     // of a point that something else has ended
static const unsigned lost_max = 5;      // workers that may be gone with a point: it may be what ends them
static const double most_of_it = 0.8;    // of a worker's time

typedef struct slot {
  attempt_t attempt;
  uint32_t point;
  unsigned tries;  // this one included
  unsigned lost;   // workers
  double mb;       // expected
} slot_t;

typedef struct runner {
  sweep_t *sweep;
  sweep_who_t who;
  base_error_t *error;
  claims_t claims;
  memory_t memory;
  sweep_progress_t progress;
  points_words_t words;
  uint32_t *value;  // [axes]
  slot_t slot[SLOTS_MAX];
  size_t slots, used, begun;  // begun: in all
  double start;               // of this worker
  uint32_t *queue;            // points to do, from `at` on
  size_t at, count;
  size_t others;     // points that others run
  double looked;     // at these
  size_t too_large;  // points that need more memory than this worker may use
  base_exit_t code;  // not BASE_OK: no more is begun
} runner_t;

// --- what there is to do ----------------------------------------------------------------------

static bool is_wanted(const sweep_t *sweep, uint32_t first) {
  for (uint32_t point = first; point != RESULTS_NONE; point = sweep->results->next[point]) {
    if (!sweep->out[point]) {
      return true;
    }
  }
  return false;
}

// All points that nobody runs. Workers that begin in different places are seldom in each other's way.
static void fill_queue(runner_t *runner) {
  const sweep_t *sweep = runner->sweep;
  const size_t begin = runner->who == SWEEP_WORKER ? (size_t)getpid() * 7919u % sweep->points : 0;
  size_t running = 0;
  runner->at = runner->count = 0;
  for (size_t i = 0; i < sweep->points; ++i) {
    const uint32_t point = (uint32_t)((begin + i) % sweep->points);
    const outcome_status_t status = sweep->outcomes.row[point].status;
    if (sweep->results->first[point] == point && is_wanted(sweep, point)) {
      running += status == OUTCOME_RUNNING;
      if (status == OUTCOME_WAITING) {
        runner->queue[runner->count++] = point;
      }
    }
  }
  runner->others = running > runner->used ? running - runner->used : 0;
}

static void learn(runner_t *runner, uint32_t point) {
  const double peak = runner->sweep->outcomes.row[point].peak_mb;
  runner->memory.peak[point] = (float)peak;
  runner->memory.most = peak > runner->memory.most ? peak : runner->memory.most;
}

static void start_memory(runner_t *runner) {
  sweep_t *sweep = runner->sweep;
  const double given = sweep->settings.memory_mb;
  runner->memory = (memory_t){.study = sweep->study,
                              .peak = arena_bytes(&sweep->arena, sweep->points, sizeof *runner->memory.peak),
                              .all = given > 0 ? given : memory_free_mb()};
  for (uint32_t i = 0; i < sweep->points; ++i) {
    learn(runner, i);
  }
}

// --- a point that has ended -------------------------------------------------------------------

static void fail(runner_t *runner, base_exit_t code) {
  if (runner->code == BASE_OK) {
    runner->code = code;
  }
}

static unsigned attempts_before(const sweep_t *sweep, const char *name) {
  char path[STORE_PATH_BYTES];
  record_t before;
  arena_t arena = {NULL};
  store_result_path(&sweep->store, name, "before.json", path);
  const unsigned attempts =
      access(path, R_OK) == 0 && record_read(path, sweep->study, &arena, &before) ? before.attempts : 0;
  arena_free(&arena);
  return attempts;
}

// Was there no time left for it, although it had most of the worker's?
static bool is_out_of_time(const runner_t *runner, const attempt_result_t *result) {
  return host_interrupt_time_up() && result->seconds > most_of_it * (host_seconds() - runner->start);
}

// Notes in why, and in the record, why an attempt failed. why "": it did not.
static void tell_why(const study_t *study, const slot_t *slot, const attempt_result_t *result, record_t *record,
                     char why[BASE_ERROR_BYTES]) {
  const double limit_mb = slot->attempt.memory_mb;
  record->exit = result->code == 0 ? 0 : result->code;
  why[0] = '\0';
  if (result->end == ATTEMPT_TOO_LONG) {
    record->limit_seconds = study->seconds;
    snprintf(why, BASE_ERROR_BYTES, "took longer than %g s, its limit", study->seconds);
  } else if (result->end == ATTEMPT_TOO_LARGE && limit_mb > 0) {
    record->limit_mb = study->memory_mb;
    snprintf(why, BASE_ERROR_BYTES, "needs more than %g MB, twice its limit", limit_mb);
  } else if (result->end == ATTEMPT_TOO_LARGE) {
    snprintf(why, BASE_ERROR_BYTES, "killed twice, as it is when out of memory");
  } else if (result->end == ATTEMPT_STOPPED) {
    snprintf(why, BASE_ERROR_BYTES, "takes longer than all the time of a job, %.0f s of it", result->seconds);
  } else if (result->code > 128) {
    snprintf(why, BASE_ERROR_BYTES, "ended by signal %d (%s)", result->code - 128, strsignal(result->code - 128));
  } else if (result->code != 0) {
    snprintf(why, BASE_ERROR_BYTES, "%s", result->error[0] != '\0' ? result->error : "ended without a word");
  }
  if (why[0] != '\0' && record->exit == 0) {
    record->exit = 128;  // ended well although it was told to, too late
  }
}

// Output that is no JSON is not kept.
static bool is_json(const char *text) {
  cJSON *root = cJSON_Parse(text);
  const bool good = cJSON_IsObject(root);
  cJSON_Delete(root);
  return good;
}

// json, log: "": none.
static bool put_result(runner_t *runner, uint32_t point, record_t *record, const char *json, const char *log,
                       size_t log_bytes) {
  sweep_t *sweep = runner->sweep;
  const char *name = sweep->name[point];
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  // A record that is there and counts as no result of this study is a failure under lower limits.
  if (sweep->results->result[point].time != 0 && !store_put_aside(&sweep->store, name, runner->error)) {
    return false;
  }
  record->host = host;
  record->attempts += attempts_before(sweep, name);
  const record_facts_t facts = {.command = sweep->outcomes.row[point].command, .version = sweep->settings.version};
  char *text = record_write(record, &facts, json);
  const bool good = text != NULL
                        ? store_put(&sweep->store, name, text, record->exit == 0 ? NULL : log, log_bytes, runner->error)
                        : base_fail(runner->error, "out of memory");
  cJSON_free(text);
  return good && (results_take(sweep, point) ||
                  base_fail(runner->error, "%s: a result that was written is not there", sweep->store.folder));
}

static bool publish(runner_t *runner, const slot_t *slot, const attempt_result_t *result) {
  char why[BASE_ERROR_BYTES];
  record_t record = {.seconds = result->seconds, .peak_mb = result->peak_mb, .error = why, .attempts = slot->tries};
  tell_why(runner->sweep->study, slot, result, &record, why);
  const bool json = is_json(result->json);
  if (!json && record.exit == 0) {
    record.exit = BASE_BAD_INPUT;
    snprintf(why, sizeof why, "printed no JSON");
  }
  return put_result(runner, slot->point, &record, json ? result->json : "", result->log, result->log_bytes);
}

static bool publish_lost(runner_t *runner, uint32_t point, const store_tries_t *tries) {
  char why[BASE_ERROR_BYTES];
  snprintf(why, sizeof why, "%u workers were gone before it had ended", tries->lost);
  record_t record = {.exit = 128, .error = why, .attempts = tries->attempts + tries->lost};
  return put_result(runner, point, &record, "", "", 0);
}

// Was it ended by what ends this process, too, or may soon?
static bool is_ended_from_outside(const attempt_result_t *result) {
  static const int signals[] = {1, 2, 9, 10, 13, 15};  // HUP, INT, KILL, USR1, PIPE, TERM
  for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i) {
    if (result->code == 128 + signals[i]) {
      return true;
    }
  }
  return false;
}

static bool is_out_of_memory(const attempt_result_t *result) {
  return result->end == ATTEMPT_TOO_LARGE ||
         (result->code == BASE_BAD_INPUT && strstr(result->error, "out of memory") != NULL);
}

// This host lacks something now that it may have later, or that somebody else gives it: threads, open files, room on
// its disk. It says nothing of the point.
static bool is_short_of_something(const attempt_result_t *result) {
  static const int lacks[] = {EAGAIN, EMFILE, ENFILE, ENOSPC, EDQUOT};
  for (size_t i = 0; i < sizeof lacks / sizeof *lacks; ++i) {
    if (result->code == BASE_BAD_INPUT && strstr(result->error, strerror(lacks[i])) != NULL) {
      return true;
    }
  }
  return false;
}

// Once more, with twice the memory if that was it. False: this worker may not use so much, and leaves it.
static bool try_again(runner_t *runner, slot_t *slot, const attempt_result_t *result) {
  sweep_t *sweep = runner->sweep;
  store_tries_t tries = {.attempts = slot->tries, .lost = slot->lost};
  if (is_out_of_memory(result)) {
    const double had = slot->attempt.memory_mb > 0 ? slot->attempt.memory_mb : sweep->settings.memory_mb;
    tries.needs_mb = 2 * fmax(had, result->peak_mb);
  }
  if (!store_put_tries(&sweep->store, sweep->name[slot->point], &tries, runner->error)) {
    fail(runner, BASE_BAD_INPUT);
    return false;
  }
  if (runner->at > 0) {
    runner->queue[--runner->at] = slot->point;
  } else {  // the queue was filled again without it
    runner->queue[runner->count++] = slot->point;
  }
  return true;
}

static void collect(runner_t *runner, size_t index) {
  sweep_t *sweep = runner->sweep;
  slot_t *slot = &runner->slot[index];
  slot_t ended = *slot;  // limits, before they are released
  attempt_result_t result;
  bool good = attempt_collect(&slot->attempt, &result, runner->error);
  runner->memory.taken -= slot->mb;
  --runner->used;
  if (good && result.end != ATTEMPT_TOO_LONG && result.end != ATTEMPT_STOPPED && is_ended_from_outside(&result) &&
      !host_interrupted()) {
    struct pollfd interrupt = {.fd = host_interrupt_event(), .events = POLLIN};
    poll(&interrupt, 1, settle_ms);
  }
  if (good && result.code == ATTEMPT_CANNOT_START) {
    good = base_fail(runner->error, "a run cannot be started");
  } else if (good && is_short_of_something(&result)) {
    good = base_fail(runner->error, "a run cannot go on here: %s", result.error);
  } else if (good && (is_out_of_time(runner, &result) ||
                      (result.end != ATTEMPT_STOPPED && !(host_interrupted() && is_ended_from_outside(&result))))) {
    const bool outside =
        is_out_of_memory(&result) || (result.end != ATTEMPT_TOO_LONG && is_ended_from_outside(&result));
    if (outside && ended.tries < tries_max) {
      try_again(runner, &ended, &result);
    } else if (publish(runner, &ended, &result)) {
      learn(runner, ended.point);
    } else {
      good = false;
    }
  }
  claims_release(&runner->claims, sweep->name[ended.point]);
  attempt_result_free(&result);
  if (!good) {
    fail(runner, BASE_BAD_INPUT);
  }
}

// --- a point that begins ----------------------------------------------------------------------

// A worker is ended as a whole if a run takes more than all that it was given.
static double limit_of(const runner_t *runner, const store_tries_t *tries) {
  const double usual = runner->sweep->study->memory_mb, given = runner->sweep->settings.memory_mb;
  const double limit = usual > 0 ? fmin(fmax(usual, tries->needs_mb), 2 * usual) : 0;
  return runner->who == SWEEP_WORKER && given > 0 && (limit <= 0 || limit > given) ? given : limit;
}

static bool start(runner_t *runner, uint32_t point, const store_tries_t *tries, double mb) {
  sweep_t *sweep = runner->sweep;
  const study_t *study = sweep->study;
  size_t index = 0;
  while (runner->slot[index].attempt.process != 0) {
    ++index;
  }
  slot_t *slot = &runner->slot[index];
  const double limit = limit_of(runner, tries);
  points_values(study, point, runner->value);
  points_words_of(study, runner->value, &runner->words);
  if (!attempt_start(&slot->attempt, &runner->words, study->seconds, limit, runner->error)) {
    return false;
  }
  slot->point = point;
  slot->tries = tries->attempts + 1;
  slot->lost = tries->lost;
  slot->mb = mb;
  runner->memory.taken += mb;
  ++runner->used;
  ++runner->begun;
  for (uint32_t p = point; p != RESULTS_NONE; p = sweep->results->next[p]) {
    sweep->outcomes.row[p].status = OUTCOME_RUNNING;
  }
  return true;
}

typedef enum begun { BEGUN, BEGUN_NOT_NEEDED, BEGUN_HELD, BEGUN_NO_ROOM, BEGUN_FAILED } begun_t;

// A point whose worker was gone may be what has ended that. False: it has a result now, or that could not be written.
static bool may_be_tried(runner_t *runner, uint32_t point, store_tries_t *tries, bool *good) {
  const bool may = ++tries->lost < lost_max;
  *good = may ? store_put_tries(&runner->sweep->store, runner->sweep->name[point], tries, runner->error)
              : publish_lost(runner, point, tries);
  return may && *good;
}

// Claimed: has somebody done it meanwhile?
static begun_t begin_claimed(runner_t *runner, uint32_t point, store_tries_t *tries, double mb, bool taken_over) {
  const char *name = runner->sweep->name[point];
  bool good = true;
  const bool needed = !results_take(runner->sweep, point) && (!taken_over || may_be_tried(runner, point, tries, &good));
  if (needed && start(runner, point, tries, mb)) {
    return BEGUN;
  }
  claims_release(&runner->claims, name);
  if (needed || !good) {
    return BEGUN_FAILED;
  }
  learn(runner, point);
  return BEGUN_NOT_NEEDED;
}

static begun_t begin(runner_t *runner, uint32_t point) {
  sweep_t *sweep = runner->sweep;
  const double most = sweep->settings.memory_mb;
  store_tries_t tries;
  if (results_take(sweep, point)) {
    learn(runner, point);
    return BEGUN_NOT_NEEDED;
  }
  store_get_tries(&sweep->store, sweep->name[point], &tries);
  if (runner->who == SWEEP_WORKER && most > 0 && tries.needs_mb > most) {
    ++runner->too_large;
    return BEGUN_NOT_NEEDED;
  }
  const double mb = fmax(memory_expected(&runner->memory, point), tries.needs_mb);
  if (!memory_fits(&runner->memory, mb)) {
    return BEGUN_NO_ROOM;
  }
  const claim_t claim = claims_take(&runner->claims, sweep->name[point], runner->error);
  return claim == CLAIM_FAILED   ? BEGUN_FAILED
         : claim == CLAIM_OTHERS ? BEGUN_HELD
                                 : begin_claimed(runner, point, &tries, mb, claim == CLAIM_TAKEN_OVER);
}

static bool has_all_of_its_chunk(const runner_t *runner) {
  return runner->sweep->settings.chunk > 0 && runner->begun >= runner->sweep->settings.chunk;
}

static bool may_begin(const runner_t *runner) {
  return runner->code == BASE_OK && !host_interrupted() && runner->used < runner->slots &&
         !has_all_of_its_chunk(runner);
}

// False: no more can begin now.
static bool begin_next(runner_t *runner) {
  const uint32_t point = runner->queue[runner->at];
  const begun_t begun = begin(runner, point);
  if (begun == BEGUN_NO_ROOM) {
    return false;
  }
  ++runner->at;
  runner->others += begun == BEGUN_HELD;
  if (begun == BEGUN_FAILED) {
    fail(runner, BASE_BAD_INPUT);
  }
  return true;
}

// Points that others run may be done, or left.
static void look_at_others(runner_t *runner) {
  runner->looked = host_seconds();
  if (sweep_look(runner->sweep, runner->error)) {
    fill_queue(runner);
  } else {
    fail(runner, BASE_BAD_INPUT);
  }
}

static void begin_some(runner_t *runner) {
  if (may_begin(runner) && runner->at == runner->count && runner->others > 0 && runner->who == SWEEP_ALL &&
      host_seconds() >= runner->looked + others_seconds) {
    look_at_others(runner);
  }
  while (may_begin(runner) && runner->at < runner->count && begin_next(runner)) {
    sweep_progress_show(&runner->progress, false);
  }
}

// --- waiting ----------------------------------------------------------------------------------

// Milliseconds until something has to be looked at, -1: never.
static int look_at_all(runner_t *runner) {
  double wait = runner->used < runner->slots && runner->others > 0 && runner->who == SWEEP_ALL ? others_seconds : -1;
  for (size_t i = 0; i < runner->slots; ++i) {
    if (runner->slot[i].attempt.process != 0) {
      const double one = attempt_look(&runner->slot[i].attempt);
      wait = one >= 0 && (wait < 0 || one < wait) ? one : wait;
    }
  }
  return wait < 0 ? -1 : (int)(wait * 1000) + 1;
}

static void wait_for_any(runner_t *runner, bool interruptible) {
  struct pollfd ends[SLOTS_MAX + 1];
  const int wait = look_at_all(runner);
  for (size_t i = 0; i < runner->slots; ++i) {
    ends[i] = (struct pollfd){.fd = runner->slot[i].attempt.process != 0 ? runner->slot[i].attempt.ended : -1,
                              .events = POLLIN};
  }
  ends[runner->slots] = (struct pollfd){.fd = interruptible ? host_interrupt_event() : -1, .events = POLLIN};
  if (poll(ends, runner->slots + 1, wait) <= 0) {
    return;
  }
  for (size_t i = 0; i < runner->slots; ++i) {
    if (ends[i].revents != 0) {
      collect(runner, i);
    }
  }
}

static void stop_all(runner_t *runner) {
  for (size_t i = 0; i < runner->slots; ++i) {
    if (runner->slot[i].attempt.process != 0) {
      attempt_stop(&runner->slot[i].attempt);
    }
  }
  while (runner->used > 0) {
    wait_for_any(runner, false);
  }
}

static bool is_left(const runner_t *runner) {
  return runner->used > 0 || (!has_all_of_its_chunk(runner) &&
                              (runner->at < runner->count || (runner->who == SWEEP_ALL && runner->others > 0)));
}

static void run_all(runner_t *runner) {
  sweep_progress_begin(&runner->progress, runner->sweep);
  while (runner->code == BASE_OK && !host_interrupted()) {
    begin_some(runner);
    if (!is_left(runner)) {
      break;
    }
    sweep_progress_show(&runner->progress, false);
    if (runner->code == BASE_OK) {
      wait_for_any(runner, true);
    }
  }
  stop_all(runner);
  sweep_progress_end(&runner->progress);
}

// ----------------------------------------------------------------------------------------------

static base_exit_t finish(runner_t *runner) {
  sweep_t *sweep = runner->sweep;
  claims_close(&runner->claims);
  if (host_interrupted()) {
    fail(runner, BASE_INTERRUPTED);
  }
  if (runner->code == BASE_OK && !sweep_look(sweep, runner->error)) {
    fail(runner, BASE_BAD_INPUT);
  }
  return runner->code != BASE_OK ? runner->code : runner->too_large > 0 ? (base_exit_t)SWEEP_TOO_LARGE : BASE_OK;
}

base_exit_t sweep_run(sweep_t *sweep, sweep_who_t who, base_error_t *error) {
  const size_t jobs = sweep->settings.jobs > 0 ? sweep->settings.jobs : parallel_host_threads();
  runner_t *runner = arena_bytes(&sweep->arena, 1, sizeof *runner);
  *runner = (runner_t){.sweep = sweep,
                       .who = who,
                       .error = error,
                       .start = host_seconds(),
                       .slots = jobs > SLOTS_MAX ? SLOTS_MAX : jobs,
                       .queue = arena_bytes(&sweep->arena, sweep->points, sizeof *runner->queue)};
  fill_queue(runner);
  if (!is_left(runner)) {
    return BASE_OK;
  }
  start_memory(runner);
  runner->value = arena_bytes(&sweep->arena, sweep->study->axes, sizeof *runner->value);
  points_words_make(sweep->study, &sweep->arena, &runner->words);
  if (!store_make(&sweep->store, error) ||
      !store_note_points(&sweep->store, sweep->study->name, sweep->study->file, sweep->name, sweep->points, error) ||
      !claims_open(&runner->claims, &sweep->store, error)) {
    return BASE_BAD_INPUT;
  }
  run_all(runner);
  return finish(runner);
}
