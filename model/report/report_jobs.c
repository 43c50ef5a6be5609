// SPDX-License-Identifier: Apache-2.0
#include "report/report_jobs.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "host/interrupt.h"
#include "host/worker.h"
#include "kernel/attention/attention_golden.h"
#include "kernel/attention/attention_input.h"
#include "kernel/attention/attention_simulate.h"
#include "kernel/fp8/fp8_bound.h"
#include "kernel/gemm/gemm_result.h"
#include "num/num_format.h"
#include "report/report_work.h"

enum { WORKERS = 2 };

// --- the list ---------------------------------------------------------------------------------

bool report_jobs_open(report_jobs_t *jobs, size_t room, bool quiet, base_error_t *error) {
  *jobs = (report_jobs_t){.room = room, .quiet = quiet};
  void *list = mmap(NULL, (room == 0 ? 1 : room) * sizeof *jobs->list, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (list == MAP_FAILED) {
    return base_fail(error, "report: out of memory");
  }
  jobs->list = list;
  return true;
}

void report_jobs_close(report_jobs_t *jobs) {
  if (jobs->list != NULL) {
    munmap(jobs->list, (jobs->room == 0 ? 1 : jobs->room) * sizeof *jobs->list);
    jobs->list = NULL;
  }
}

// The kernel's name, the common words, the words of the line; their number, 0: too many.
static int cut(report_job_t *job, const report_common_t *common) {
  size_t count = 0;
  char *rest = job->line;
  job->word[count++] = strsep(&rest, " ");
  for (size_t i = 0; i < common->count && count < REPORT_WORDS_MAX; ++i) {
    job->word[count++] = (char *)common->word[i];
  }
  while (rest != NULL && count < REPORT_WORDS_MAX) {
    job->word[count++] = strsep(&rest, " ");
  }
  return count < REPORT_WORDS_MAX ? (int)count : 0;   // the last stays NULL
}

static unsigned command_of(const char *kernel) {
  return strcmp(kernel, "amla") == 0    ? CLI_RUN_AMLA
         : strcmp(kernel, "fp8") == 0   ? CLI_RUN_FP8
         : strcmp(kernel, "w4a16") == 0 ? CLI_RUN_W4A16
         : strcmp(kernel, "gemm") == 0  ? CLI_RUN_GEMM
                                        : CLI_RUN_BASE;
}

report_job_t *report_add(report_jobs_t *jobs, const report_common_t *common, const char *name,
                         base_error_t *error, const char *format, ...) {
  if (jobs->count == jobs->room) {
    base_fail(error, "report: more than %zu simulations", jobs->room);
    return NULL;
  }
  report_job_t *job = &jobs->list[jobs->count];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(job->line, sizeof job->line, format, arguments);
  va_end(arguments);
  snprintf(job->name, sizeof job->name, "%s", name);
  const int count = length < 0 || (size_t)length >= sizeof job->line ? 0 : cut(job, common);
  if (count == 0) {
    base_fail(error, "%s: line too long", name);
    return NULL;
  }
  job->command = command_of(job->word[0]);
  if (!options_parse(&job->options, job->command, count, job->word, error)) {
    base_fail(error, "%s: %s", name, error->text);
    return NULL;
  }
  if (job->options.words > 0) {
    base_fail(error, "%s: unexpected '%s'", name, job->options.word[0]);
    return NULL;
  }
  ++jobs->count;
  return job;
}

// --- in a job's own process, which ends afterwards: nothing is freed --------------------------

static int fail(report_outcome_t *outcome, int status, const char *text) {
  outcome->status = status;
  base_fail(&outcome->error, "%s", text);
  return status;
}

// Errors of the FP32 output and of what the last cast makes of it.
static bool judge(const attention_problem_t *problem, float *out, report_outcome_t *outcome) {
  const size_t count = attention_out_count(problem);
  double *golden = malloc(count * sizeof *golden);
  num_error_t error;
  if (golden == NULL || !attention_golden(problem, problem->rows, 1, golden)) {
    return false;
  }
  num_error(golden, out, count, &error);
  outcome->f32 = error.rel_fro;
  for (size_t i = 0; i < count; ++i) {
    out[i] = num_bf16_to_f32(num_bf16_from_f32(out[i]));
  }
  num_error(golden, out, count, &error);
  outcome->bf16 = error.rel_fro;
  return true;
}

void report_take_machine(report_outcome_t *outcome, const config_t *config,
                         const soc_result_t *result) {
  const fp8_bound_t bound = fp8_bound(result);
  outcome->cycles = result->cycles;
  outcome->time_us = (double)result->cycles / config->soc.clock_mhz;
  outcome->hbm_read = result->hbm_read;
  outcome->l2_read = result->l2_read;
  outcome->l2_write = result->l2_write;
  outcome->cube_busy = fp8_busy(result, "cube", "M");
  outcome->vector_busy = fp8_busy(result, "vector", "V");
  outcome->bound_busy = bound.busy;
  snprintf(outcome->bound, sizeof outcome->bound, "%.8s %.6s", bound.core,
           bound.pipe == NULL ? "" : bound.pipe);
}

static void take(report_outcome_t *outcome, const attention_problem_t *problem,
                 const config_t *config, const soc_result_t *result) {
  report_take_machine(outcome, config, result);
  outcome->flops = attention_flops(problem);
  outcome->fu = attention_fu(problem, config, result->cycles);
}

static const char *const pipe_names[PIPE_COUNT] = {
#define PIPE(name, code, cores, text) [code] = #name,
#include "hal/pipes.def"
#undef PIPE
};

static void take_busy(const soc_result_t *soc, report_gemm_outcome_t *half) {
  size_t cubes = 0;
  size_t vectors = 0;
  for (size_t i = 0; i < soc->pipe_count; ++i) {
    const soc_pipe_t *pipe = &soc->pipes[i];
    const bool cube = strncmp(pipe->core, "cube", 4) == 0;
    cubes += cube && strcmp(pipe->pipe, "M") == 0;
    vectors += !cube && strcmp(pipe->pipe, "V") == 0;
    for (unsigned id = 0; id < PIPE_COUNT; ++id) {
      if (strcmp(pipe->pipe, pipe_names[id]) == 0) {
        (cube ? half->cube_busy : half->vector_busy)[id] += (double)pipe->busy;
      }
    }
  }
  for (unsigned id = 0; id < PIPE_COUNT; ++id) {
    half->cube_busy[id] /= cubes == 0 ? 1 : (double)cubes;
    half->vector_busy[id] /= vectors == 0 ? 1 : (double)vectors;
  }
}

static void take_gemm(report_outcome_t *outcome, const gemm_result_t *result) {
  const soc_result_t *soc = &result->run.soc;
  const config_t *config = &result->settings->soc.config;
  report_gemm_outcome_t *half = &outcome->half;
  outcome->cycles = soc->cycles;
  outcome->time_us = (double)soc->cycles / config->soc.clock_mhz;
  outcome->flops = gemm_flops(result->problem);
  outcome->fu = gemm_fu(result->problem, config, soc->cycles);
  outcome->hbm_read = soc->hbm_read;
  half->splits = result->settings->splits;
  half->tile_n = result->settings->tile_n;
  half->phases = result->run.phases;
  memcpy(half->phase, result->run.phase, sizeof half->phase);
  take_busy(soc, half);
  half->error = result->error.rel_fro;
  half->wrong_bits = result->wrong_bits + result->wrong_weights;
}

// w4a16 and gemm; a judged one is compared with FP64 and, bit by bit, with the contract.
static int work_gemm(report_job_t *job) {
  report_outcome_t *outcome = &job->outcome;
  static gemm_settings_t settings;
  gemm_problem_t problem;
  gemm_result_t result = {.options = &job->options, .settings = &settings, .problem = &problem};
  if (!gemm_input(&job->options, job->command == CLI_RUN_W4A16, &problem, &outcome->error) ||
      !gemm_settings_read(&settings, job->word[0], &job->options, &problem, &outcome->error)) {
    return outcome->status = BASE_BAD_INPUT;
  }
  if (job->judged) {
    job->options.verify = true;
    result.out = malloc(problem.m * problem.n * 4);
    result.b = problem.quantised && settings.phases == W4A16_SEQUENTIAL
                   ? malloc(problem.k * problem.n * 2)
                   : NULL;
    if (result.out == NULL) {
      return fail(outcome, BASE_BAD_INPUT, "out of memory");
    }
  }
  const soc_status_t status = gemm_simulate(&problem, &settings, result.out, result.b, &result.run);
  if (status != SOC_DONE) {
    const char *reason = result.run.soc.error;
    return fail(outcome, (int)status, reason[0] != '\0' ? reason : "interrupted");
  }
  if (job->judged && !gemm_result_judge(&result, &outcome->error)) {
    return outcome->status = BASE_BAD_INPUT;
  }
  take_gemm(outcome, &result);
  return BASE_OK;
}

static int work(report_job_t *job) {
  if ((job->command & CLI_RUN_GEMMS) != 0) {
    return work_gemm(job);
  }
  report_outcome_t *outcome = &job->outcome;
  static attention_settings_t settings;
  attention_problem_t problem;
  soc_result_t result;
  float *out = NULL;
  if (!attention_settings_read(&settings, job->word[0], &job->options, &outcome->error) ||
      !attention_input(&job->options, &problem, &outcome->error)) {
    return outcome->status = BASE_BAD_INPUT;
  }
  settings.soc.timeline = job->options.timeline;
  if (job->judged && (out = malloc(attention_out_count(&problem) * sizeof *out)) == NULL) {
    return fail(outcome, BASE_BAD_INPUT, "out of memory");
  }
  const soc_status_t status = attention_simulate(&problem, &settings, out, &result);
  if (status != SOC_DONE) {
    return fail(outcome, (int)status, result.error[0] != '\0' ? result.error : "interrupted");
  }
  take(outcome, &problem, &settings.soc.config, &result);
  if (job->judged && !judge(&problem, out, outcome)) {
    return fail(outcome, BASE_BAD_INPUT, "golden attention: out of memory");
  }
  return BASE_OK;
}

static int work_any(void *context) {
  report_job_t *job = context;
  return job->command == CLI_RUN_FP8 ? report_work_fp8(job) : work(job);
}

// --- in the command's own process -------------------------------------------------------------

// The jobs now running.
typedef struct pool {
  worker_t worker[WORKERS];
  report_job_t *job[WORKERS];
  size_t active, most, done;
} pool_t;

bool report_interrupted(void) { return host_interrupted(); }

static void launch(report_job_t *job, pool_t *pool) {
  size_t slot = 0;
  while (pool->worker[slot].process != 0) {
    ++slot;
  }
  if (!worker_start(&pool->worker[slot], work_any, job)) {
    fail(&job->outcome, BASE_BAD_INPUT, strerror(errno));
    return;
  }
  pool->job[slot] = job;
  ++pool->active;
}

static void tell(const report_jobs_t *jobs, const report_job_t *job, size_t done) {
  const report_outcome_t *outcome = &job->outcome;
  if (jobs->quiet || outcome->status != 0) {
    return;
  }
  fprintf(stderr, "%zu of %zu: %s: %.1f us", done, jobs->count, job->name, outcome->time_us);
  if (job->judged) {
    fprintf(stderr, ", relative error %.3e",
            (job->command & CLI_RUN_GEMMS) != 0 ? outcome->half.error : outcome->bf16);
  }
  fputc('\n', stderr);
}

// False: it has failed.
static bool ended(const report_jobs_t *jobs, pool_t *pool, size_t slot, int status) {
  report_job_t *job = pool->job[slot];
  report_outcome_t *outcome = &job->outcome;
  --pool->active;
  ++pool->done;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) {
    fail(outcome, BASE_INTERRUPTED, "interrupted");
  } else if (status != 0 && outcome->status == 0) {
    fail(outcome, BASE_STOPPED, "the simulation was ended by a signal");
  }
  tell(jobs, job, pool->done);
  return outcome->status == 0;
}

static void end_all(pool_t *pool) {
  for (size_t slot = 0; slot < WORKERS; ++slot) {
    worker_kill(&pool->worker[slot]);
  }
}

static const report_job_t *first_failed(const report_jobs_t *jobs) {
  for (size_t i = 0; i < jobs->count; ++i) {
    if (jobs->list[i].outcome.status != 0) {
      return &jobs->list[i];
    }
  }
  return NULL;
}

// Starts and collects until nothing is left, a job fails (false) or a signal comes (false).
static bool run_all(report_jobs_t *jobs, pool_t *pool) {
  for (size_t next = 0; next < jobs->count || pool->active > 0;) {
    while (pool->active < pool->most && next < jobs->count) {
      launch(&jobs->list[next], pool);
      if (jobs->list[next++].outcome.status != 0) {
        return false;
      }
    }
    int status;
    const int slot = worker_wait(pool->worker, WORKERS, &status);
    if (slot < 0 || !ended(jobs, pool, (size_t)slot, status)) {
      return false;
    }
  }
  return true;
}

bool report_run(report_jobs_t *jobs, bool large, base_exit_t *code, base_error_t *error) {
  pool_t pool = {.most = large ? 1 : WORKERS};
  fflush(NULL);
  if (run_all(jobs, &pool)) {
    return true;
  }
  end_all(&pool);
  const report_job_t *failed = first_failed(jobs);
  if (report_interrupted() || failed == NULL || failed->outcome.status == BASE_INTERRUPTED) {
    *code = BASE_INTERRUPTED;
    return base_fail(error, "interrupted");
  }
  *code = (base_exit_t)failed->outcome.status;
  return base_fail(error, "%s: %s", failed->name, failed->outcome.error.text);
}
