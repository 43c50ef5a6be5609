// SPDX-License-Identifier: Apache-2.0
#include "report/report_jobs.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "host/interrupt.h"
#include "host/worker.h"
#include "kernel/bound.h"
#include "num/num_format.h"

enum { JOBS_MAX = 8192 };

// --- the list ---------------------------------------------------------------------------------

// Memory comes with what is written to it.
bool report_jobs_open(report_jobs_t *jobs, const report_settings_t *settings, base_error_t *error) {
  *jobs = (report_jobs_t){.settings = settings};
  void *list = mmap(NULL, JOBS_MAX * sizeof *jobs->list, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (list == MAP_FAILED) {
    return base_fail(error, "report: out of memory");
  }
  jobs->list = list;
  return true;
}

void report_jobs_close(report_jobs_t *jobs) {
  if (jobs->list != NULL) {
    munmap(jobs->list, JOBS_MAX * sizeof *jobs->list);
    jobs->list = NULL;
  }
}

static void refuse(report_job_t *job, const char *text) {
  if (job->outcome.status == BASE_OK) {
    job->outcome.status = BASE_BAD_INPUT;
    base_fail(&job->outcome.error, "%s", text);
  }
}

// The last place is for all that have none.
static report_job_t *next_job(report_jobs_t *jobs) {
  report_job_t *job = &jobs->list[jobs->count];
  if (jobs->count + 1 < JOBS_MAX) {
    ++jobs->count;
  } else {
    refuse(&jobs->list[0], "too many simulations in one report");
  }
  return job;
}

// What the kernels of a family do in a job.
struct report_kind {
  const char *family;  // of kernel/kernels.def
  // Makes the usual request, of made-up inputs, and returns its machine.
  kernel_machine_t *(*ask)(report_job_t *job, const char *kernel, const kernel_machine_t *machine);
  base_exit_t (*work)(report_job_t *job, base_error_t *error);
  // For work_kernel: the request becomes a run; what is noted of a result that is to be compared, and of every one.
  bool (*prepare)(report_job_t *job, kernel_run_t *run, base_error_t *error);
  bool (*judge)(report_job_t *job, kernel_run_t *run, base_error_t *error);
  void (*note)(report_job_t *job, const kernel_run_t *run);  // NULL: nothing more
};

static const report_kind_t *find_kind(const char *kernel);

static void fill_request(report_job_t *job, const kernel_machine_t *machine, const char *kernel) {
  job->kind = find_kind(kernel);
  job->machine = job->kind->ask(job, kernel, machine);
  job->machine->soc.timing_only = true;
}

report_job_t *report_add(report_jobs_t *jobs, const kernel_machine_t *machine, const char *kernel, const char *name,
                         ...) {
  report_job_t *job = next_job(jobs);
  va_list arguments;
  va_start(arguments, name);
  vsnprintf(job->name, sizeof job->name, name, arguments);
  va_end(arguments);
  fill_request(job, machine, kernel);
  return job;
}

void report_job_set(report_job_t *job, const char *assignment, ...) {
  char text[128];
  base_error_t error;
  va_list arguments;
  va_start(arguments, assignment);
  vsnprintf(text, sizeof text, assignment, arguments);
  va_end(arguments);
  if (!kernel_machine_set(job->machine, text, &error)) {
    refuse(job, error.text);
  }
}

void report_job_compute(report_job_t *job) { job->machine->soc.timing_only = false; }

void report_job_judge(report_job_t *job) {
  report_job_compute(job);
  job->judged = true;
}

// --- in a job's own process, which ends afterwards: nothing is freed --------------------------

static const char *const pipe_names[PIPE_COUNT] = {
#define PIPE(name, code, cores, text) [code] = #name,
#include "hal/pipes.def"
};

static void take(report_outcome_t *outcome, const config_t *config, const kernel_result_t *result) {
  const soc_result_t *soc = &result->soc;
  const kernel_bound_t bound = kernel_bound(soc);
  outcome->cycles = soc->cycles;
  outcome->time_us = result->time_us;
  outcome->first_us = result->first_us;
  outcome->warm_us = soc->launches < 2
                         ? result->time_us
                         : (result->mean_us * (double)soc->launches - result->first_us) / (double)(soc->launches - 1);
  outcome->flops = result->flops;
  outcome->fu = result->fu;
  outcome->hbm_read = soc->hbm_read;
  outcome->l2_read = soc->l2_read;
  outcome->l2_write = soc->l2_write;
  outcome->energy = joules_of(config, soc);
  outcome->cube_busy = kernel_busy(soc, "cube", "M");
  outcome->vector_busy = kernel_busy(soc, "vector", "V");
  outcome->bound_busy = bound.busy;
  snprintf(outcome->bound, sizeof outcome->bound, "%.8s %.6s", bound.core, bound.pipe == NULL ? "" : bound.pipe);
}

// All of FP64's answer, to be freed. NULL: error says why.
static double *golden_of(const judge_answer_t *answer, base_error_t *error) {
  double *golden = malloc(answer->groups * answer->rows * answer->columns * sizeof *golden);
  if (golden == NULL || !judge_fp64(answer, answer->rows, golden)) {
    free(golden);
    base_fail(error, "FP64 reference: out of memory");
    return NULL;
  }
  return golden;
}

// Errors of an FP32 output and of what the last cast, to BF16, makes of it.
static void compare(report_outcome_t *outcome, const double *golden, float *out, size_t count) {
  num_error_t error;
  num_error(golden, out, count, &error);
  outcome->f32 = error.rel_fro;
  for (size_t i = 0; i < count; ++i) {
    out[i] = num_bf16_to_f32(num_bf16_from_f32(out[i]));
  }
  num_error(golden, out, count, &error);
  outcome->bf16 = error.rel_fro;
  outcome->cos_diff = error.cos_diff;
}

// Notes the errors of all of an FP32 output.
static bool compare_output(report_job_t *job, kernel_run_t *run, float *out, base_error_t *error) {
  const judge_answer_t answer = run->ops->answer(run);
  const double *golden = golden_of(&answer, error);
  if (golden != NULL) {
    compare(&job->outcome, golden, out, answer.groups * answer.rows * answer.columns);
  }
  return golden != NULL;
}

static kernel_machine_t *ask_attention(report_job_t *job, const char *kernel, const kernel_machine_t *machine) {
  job->attention = attention_request(kernel, machine);
  job->attention.input.source = KERNEL_MADE_UP;
  return &job->attention.settings.machine;
}

static bool prepare_attention(report_job_t *job, kernel_run_t *run, base_error_t *error) {
  job->attention.settings.out_f32 = job->judged;
  return attention_prepare(&job->attention, (attention_run_t *)run, error);
}

static bool judge_attention(report_job_t *job, kernel_run_t *run, base_error_t *error) {
  return compare_output(job, run, ((attention_run_t *)run)->out, error);
}

static kernel_machine_t *ask_flash(report_job_t *job, const char *kernel, const kernel_machine_t *machine) {
  (void)kernel;
  job->flash = flash_request(machine);
  job->flash.input.source = KERNEL_MADE_UP;
  return &job->flash.settings.machine;
}

static bool prepare_flash(report_job_t *job, kernel_run_t *run, base_error_t *error) {
  job->flash.settings.out_f32 = job->judged;
  return flash_prepare(&job->flash, (flash_run_t *)run, error);
}

static bool judge_flash(report_job_t *job, kernel_run_t *run, base_error_t *error) {
  const bool good = kernel_judge(run, error);
  job->outcome.f32 = run->result.error.rel_fro;
  return good;
}

static kernel_machine_t *ask_fp8(report_job_t *job, const char *kernel, const kernel_machine_t *machine) {
  (void)kernel;
  job->fp8 = fp8_request(machine);
  job->fp8.input.source = KERNEL_MADE_UP;
  return &job->fp8.settings.attention.machine;
}

static bool prepare_fp8(report_job_t *job, kernel_run_t *run, base_error_t *error) {
  job->fp8.settings.attention.out_f32 = job->judged;
  return fp8_prepare(&job->fp8, (fp8_run_t *)run, error);
}

static bool judge_fp8(report_job_t *job, kernel_run_t *kernel, base_error_t *error) {
  fp8_run_t *run = (fp8_run_t *)kernel;
  const judge_answer_t keys = fp8_answer_unquantised(run);
  num_error_t unquantised;
  if (!compare_output(job, kernel, run->out, error)) {
    return false;
  }
  const double *golden = golden_of(&keys, error);
  if (golden != NULL) {
    num_error(golden, run->out, fp8_out_count(&run->problem), &unquantised);
    job->outcome.unquantised = unquantised.rel_fro;
  }
  return golden != NULL;
}

static kernel_machine_t *ask_gemm(report_job_t *job, const char *kernel, const kernel_machine_t *machine) {
  job->gemm = gemm_request(kernel, machine);
  job->gemm.input.source = KERNEL_MADE_UP;
  return &job->gemm.settings.machine;
}

static bool prepare_gemm(report_job_t *job, kernel_run_t *run, base_error_t *error) {
  job->gemm.judge.verify = job->judged;
  return gemm_prepare(&job->gemm, (gemm_run_t *)run, error);
}

static bool judge_gemm(report_job_t *job, kernel_run_t *run, base_error_t *error) {
  (void)job;
  return kernel_judge(run, error);
}

static void note_gemm(report_job_t *job, const kernel_run_t *kernel) {
  const gemm_run_t *run = (const gemm_run_t *)kernel;
  report_gemm_outcome_t *gemm = &job->outcome.gemm;
  gemm->splits = run->settings.splits;
  gemm->tile_n = run->settings.tile_n;
  gemm->cut = run->settings.cut;
  gemm->phases = run->phases;
  memcpy(gemm->phase, run->phase, sizeof gemm->phase);
  for (unsigned id = 0; id < PIPE_COUNT; ++id) {
    gemm->cube_busy[id] = kernel_busy(&kernel->result.soc, "cube", pipe_names[id]);
    gemm->vector_busy[id] = kernel_busy(&kernel->result.soc, "vector", pipe_names[id]);
  }
  gemm->error = kernel->result.error.rel_fro;
  gemm->wrong_bits = kernel->result.wrong_bits + run->wrong_weights;
}

static kernel_machine_t *ask_collective(report_job_t *job, const char *kernel, const kernel_machine_t *machine) {
  (void)kernel;
  job->collective.machine = *machine;
  return &job->collective.machine;
}

static bool prepare_collective(report_job_t *job, kernel_run_t *run, base_error_t *error) {
  return collective_prepare(&job->collective, (collective_run_t *)run, error);
}

static void note_collective(report_job_t *job, const kernel_run_t *run) {
  job->outcome.bus_gbps = collective_bus_gbps((const collective_run_t *)run);
}

static base_exit_t work_kernel(report_job_t *job, base_error_t *error) {
  static union {
    kernel_run_t kernel;
    attention_run_t attention;
    flash_run_t flash;
    fp8_run_t fp8;
    gemm_run_t gemm;
    collective_run_t collective;
  } run;
  if (!job->kind->prepare(job, &run.kernel, error)) {
    return BASE_BAD_INPUT;
  }
  const base_exit_t code = kernel_simulate(&run.kernel, error);
  if (code == BASE_OK && job->judged && !job->kind->judge(job, &run.kernel, error)) {
    return BASE_BAD_INPUT;
  }
  take(&job->outcome, &job->machine->soc.config, &run.kernel.result);
  if (job->kind->note != NULL) {
    job->kind->note(job, &run.kernel);
  }
  return code;
}

static kernel_machine_t *ask_decode(report_job_t *job, const char *kernel, const kernel_machine_t *machine) {
  (void)kernel;
  job->decode = decode_request(machine);
  return &job->decode.settings.machine;
}

static report_decode_kind_t decode_kind(const decode_op_t *op) {
  switch (op->op) {
    case STEP_ATTENTION:
      return REPORT_DECODE_ATTENTION;
    case STEP_PRODUCT:
    case STEP_PRODUCT_S8:
    case STEP_W4A16:
      return op->routing != NULL ? REPORT_DECODE_EXPERTS : REPORT_DECODE_PRODUCTS;
    default:
      return REPORT_DECODE_VECTOR;
  }
}

static void take_decode(report_decode_outcome_t *outcome, const decode_run_t *run) {
  const decode_books_t *books = decode_main_books(run);
  const decode_list_t *list = decode_machine_list(run->machine);
  const decode_sums_t *sums = decode_machine_sums(run->machine);
  const double steps = (double)books->steps;
  for (size_t i = 0; i < run->model->num_hidden_layers; ++i) {
    ++outcome->part[checkpoint_is_mixture(run->model, i) ? REPORT_DECODE_MIXTURE : REPORT_DECODE_DENSE].layers;
  }
  outcome->part[REPORT_DECODE_OUTSIDE].layers = 1;
  for (size_t i = 0; i < list->count; ++i) {
    const decode_op_t *op = &list->ops[i];
    const report_decode_kind_t kind = decode_kind(op);
    report_decode_part_t *part = &outcome->part[op->layer == LLM_NO_LAYER                      ? REPORT_DECODE_OUTSIDE
                                                : checkpoint_is_mixture(run->model, op->layer) ? REPORT_DECODE_MIXTURE
                                                                                               : REPORT_DECODE_DENSE];
    ++part->operations;
    part->cycles[kind] += (double)sums[i].cycles / steps;
    part->hbm_read[kind] += (double)sums[i].hbm_read / steps;
  }
  outcome->launch_cycles = (double)books->launch_cycles / steps;
  outcome->launches = (double)books->launches / steps;
  outcome->nats = run->mean_loss;
  for (size_t i = 0; i < run->windows && i < REPORT_DECODE_WINDOWS; ++i) {
    outcome->window[i] = run->loss[i];
  }
}

static base_exit_t work_decode(report_job_t *job, base_error_t *error) {
  static decode_run_t run;
  if (!decode_prepare(&job->decode, &run, error)) {
    return BASE_BAD_INPUT;
  }
  const base_exit_t code = decode_simulate(&run, error);
  if (code != BASE_OK) {
    return code;
  }
  job->outcome.cycles = run.cycles;
  job->outcome.time_us = (double)run.cycles / run.request.settings.machine.soc.config.soc.clock_mhz;
  job->outcome.energy = joules_of(&job->machine->soc.config, run.soc);
  take_decode(&job->outcome.decode, &run);
  return BASE_OK;
}

static const report_kind_t kinds[] = {
    {"attention", ask_attention, work_kernel, prepare_attention, judge_attention, NULL},
    {"flash", ask_flash, work_kernel, prepare_flash, judge_flash, NULL},
    {"fp8", ask_fp8, work_kernel, prepare_fp8, judge_fp8, NULL},
    {"gemm", ask_gemm, work_kernel, prepare_gemm, judge_gemm, note_gemm},
    {"collective", ask_collective, work_kernel, prepare_collective, NULL, note_collective},
    {"decode", ask_decode, work_decode, NULL, NULL, NULL},
};

static const report_kind_t *find_kind(const char *kernel) {
  const char *family = "";
#define KERNEL(NAME, name, family_, machine, firmware, data, alias) \
  family = strcmp(kernel, #name) == 0 ? #family_ : family;
#include "kernel/kernels.def"
#undef KERNEL
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    if (strcmp(kinds[i].family, family) == 0) {
      return &kinds[i];
    }
  }
  assert(false && "a report names a kernel that reports can run");
  return kinds;
}

static int work(void *context) {
  report_job_t *job = context;
  return job->outcome.status = (int)job->kind->work(job, &job->outcome.error);
}

// --- in the command's own process -------------------------------------------------------------

// The jobs now running.
typedef struct pool {
  worker_t worker[WORKERS_MAX];
  report_job_t *job[WORKERS_MAX];
  size_t active, most, done;
  unsigned threads;  // of each
} pool_t;

bool report_interrupted(void) { return host_interrupted(); }

static void launch(report_job_t *job, pool_t *pool) {
  size_t slot = 0;
  while (pool->worker[slot].process != 0) {
    ++slot;
  }
  job->machine->soc.threads = pool->threads;
  if (!worker_start(&pool->worker[slot], work, job)) {
    refuse(job, strerror(errno));
    return;
  }
  pool->job[slot] = job;
  ++pool->active;
}

static void tell(const report_jobs_t *jobs, const report_job_t *job, size_t done) {
  const report_outcome_t *outcome = &job->outcome;
  if (jobs->settings->quiet || outcome->status != 0) {
    return;
  }
  fprintf(stderr, "%zu of %zu: %s: %.1f us", done, jobs->count, job->name, outcome->time_us);
  if (job->judged) {
    fprintf(stderr, ", relative error %.3e", job->kind->note == note_gemm ? outcome->gemm.error : outcome->bf16);
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
    outcome->status = BASE_INTERRUPTED;
  } else if (status != 0 && outcome->status == 0) {
    outcome->status = BASE_STOPPED;
    base_fail(&outcome->error, "the simulation was ended by a signal");
  }
  tell(jobs, job, pool->done);
  return outcome->status == 0;
}

static void end_all(pool_t *pool) {
  for (size_t slot = 0; slot < pool->most; ++slot) {
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
    const int slot = worker_wait(pool->worker, pool->most, &status);
    if (slot < 0 || !ended(jobs, pool, (size_t)slot, status)) {
      return false;
    }
  }
  return true;
}

// The host's processors are shared among the processes.
static pool_t open_pool(const report_settings_t *settings, bool large) {
  const size_t processors = kernel_host_threads();
  const size_t asked = settings->processes == 0 ? processors : settings->processes;
  const size_t most = large ? 1 : asked < WORKERS_MAX ? asked : WORKERS_MAX;
  return (pool_t){.most = most, .threads = most < processors ? (unsigned)(processors / most) : 1};
}

bool report_run(report_jobs_t *jobs, bool large, base_exit_t *code, base_error_t *error) {
  pool_t pool = open_pool(jobs->settings, large);
  fflush(NULL);
  if (first_failed(jobs) == NULL && run_all(jobs, &pool)) {
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
