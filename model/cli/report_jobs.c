// A simulation takes a process of its own (SystemC elaborates once), so:
//
//   report -- worker (inputs, golden, errors) -- simulation of base, then of amla
//          -- worker ...
//
// Two workers at a time, for two cores.  Results come back through shared memory.
// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/attention_simulate.h"
#include "cli/report.h"
#include "num/num_format.h"

enum { WORKERS = 2, HEADS = 128 };

static bool fail(report_job_t *job, int status, const char *text) {
  job->status = status;
  return cli_fail(&job->error, "%s", text);
}

static int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : 2;
}

// In the simulation's process.
static int simulate(const report_jobs_t *jobs, report_job_t *job, const char *kernel,
                    const attention_problem_t *problem, float *out) {
  static settings_t settings;
  soc_result_t result;
  cli_error_t error;
  settings.kernel = kernel;
  settings.soc = jobs->soc;
  settings.preload = ATTENTION_SLOTS;
  settings.out_f32 = true;
  if (!settings_firmware(&settings, "riscv", &error)) {
    fail(job, SOC_BAD_INPUT, error.text);
    return SOC_BAD_INPUT;
  }
  const soc_status_t status = attention_simulate(problem, &settings, out, &result);
  if (status != SOC_DONE) {
    fail(job, (int)status, result.error);
  }
  return (int)status;
}

static bool simulate_apart(const report_jobs_t *jobs, report_job_t *job, const char *kernel,
                           const attention_problem_t *problem, float *out) {
  const pid_t child = fork();
  if (child < 0) {
    return fail(job, SOC_BAD_INPUT, strerror(errno));
  }
  if (child == 0) {
    _exit(simulate(jobs, job, kernel, problem, out));
  }
  const int status = wait_for(child);
  if (status != 0 && job->status == 0) {
    fail(job, status, "the simulation was ended by a signal");
  }
  return status == 0;
}

// Errors of the FP32 output and of what the last cast makes of it.
static void judge(const double *golden, float *out, size_t count, double *f32, double *bf16) {
  num_error_t error;
  num_error(golden, out, count, &error);
  *f32 = error.rel_fro;
  for (size_t i = 0; i < count; ++i) {
    out[i] = num_bf16_to_f32(num_bf16_from_f32(out[i]));
  }
  num_error(golden, out, count, &error);
  *bf16 = error.rel_fro;
}

static bool compute(const report_jobs_t *jobs, report_job_t *job,
                    const attention_problem_t *problem, double *golden, float *out) {
  const size_t count = attention_out_count(problem);
  if (!attention_golden(problem, golden)) {
    return fail(job, SOC_BAD_INPUT, "golden attention: out of memory");
  }
  if (!simulate_apart(jobs, job, "base", problem, out)) {
    return false;
  }
  judge(golden, out, count, &job->f32.base, &job->bf16.base);
  if (!simulate_apart(jobs, job, "amla", problem, out)) {
    return false;
  }
  judge(golden, out, count, &job->f32.amla, &job->bf16.amla);
  return true;
}

// In the worker's process, which ends afterwards: nothing is freed.
static void work(const report_jobs_t *jobs, report_job_t *job) {
  cli_error_t error;
  attention_problem_t problem = {
      .batch = 1, .seq_q = 1, .heads = HEADS, .rows = HEADS, .keys = jobs->keys,
      .dk = ATTENTION_MAX_DK, .dv = ATTENTION_MAX_DV, .block = ATTENTION_MAX_BLOCK,
      .scale = (float)(1 / sqrt(ATTENTION_MAX_DK)), .token_axis = true};
  if (!attention_make_up(&problem, &job->row->distribution, job->seed, &error)) {
    fail(job, SOC_BAD_INPUT, error.text);
    return;
  }
  const size_t count = attention_out_count(&problem);
  double *golden = malloc(count * sizeof *golden);
  float *out = mmap(NULL, count * sizeof *out, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                    -1, 0);
  if (golden == NULL || out == MAP_FAILED) {
    fail(job, SOC_BAD_INPUT, "out of memory");
    return;
  }
  compute(jobs, job, &problem, golden, out);
}

static pid_t start(const report_jobs_t *jobs, report_job_t *job) {
  const pid_t child = fork();
  if (child == 0) {
    work(jobs, job);
    _exit(job->status);
  }
  return child;
}

// --- in the command's own process -------------------------------------------------------------

static void progress(const report_jobs_t *jobs, const report_job_t *job, size_t done) {
  if (!jobs->quiet && job->status == 0) {
    fprintf(stderr, "%zu of %zu: %s seed %llu: base %.3e amla %.3e\n", done, jobs->count,
            job->row->name, (unsigned long long)job->seed, job->bf16.base, job->bf16.amla);
  }
}

// Waits for any worker; returns its slot.
static size_t wait_any(const pid_t running[WORKERS], int *status) {
  for (;;) {
    const pid_t child = waitpid(-1, status, 0);
    for (size_t i = 0; child > 0 && i < WORKERS; ++i) {
      if (running[i] == child) {
        return i;
      }
    }
  }
}

// The workers now running.
typedef struct pool {
  pid_t process[WORKERS];        // 0: none
  report_job_t *job[WORKERS];
  size_t active;
} pool_t;

static bool launch(const report_jobs_t *jobs, report_job_t *job, pool_t *pool) {
  const size_t slot = pool->process[0] == 0 ? 0 : 1;
  const pid_t process = start(jobs, job);
  if (process < 0) {
    return fail(job, SOC_BAD_INPUT, strerror(errno));
  }
  pool->process[slot] = process;
  pool->job[slot] = job;
  ++pool->active;
  return true;
}

static report_job_t *collect(pool_t *pool) {
  int status = 0;
  const size_t slot = wait_any(pool->process, &status);
  report_job_t *job = pool->job[slot];
  pool->process[slot] = 0;
  --pool->active;
  if (status != 0 && job->status == 0) {
    fail(job, SOC_STOPPED, "the worker was ended by a signal");
  }
  return job;
}

bool report_run(report_jobs_t *jobs, cli_exit_t *code, cli_error_t *error) {
  pool_t pool = {0};
  const report_job_t *failed = NULL;
  size_t next = 0;
  fflush(NULL);
  while (pool.active > 0 || (next < jobs->count && failed == NULL)) {
    const report_job_t *job;
    if (pool.active < WORKERS && next < jobs->count && failed == NULL) {
      job = &jobs->list[next];
      launch(jobs, &jobs->list[next++], &pool);
    } else {
      job = collect(&pool);
      progress(jobs, job, next - pool.active);
    }
    failed = failed == NULL && job->status != 0 ? job : failed;
  }
  if (failed != NULL) {
    *code = (cli_exit_t)failed->status;
    return cli_fail(error, "%s seed %llu: %s", failed->row->name,
                    (unsigned long long)failed->seed, failed->error.text);
  }
  return true;
}
