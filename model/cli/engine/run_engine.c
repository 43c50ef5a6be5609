// SPDX-License-Identifier: Apache-2.0
#include "cli/engine/run_engine.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/engine/engine_result.h"
#include "cli/file/npy.h"
#include "cli/file/output.h"
#include "cli/run/progress.h"

enum { MESSAGE_BYTES = 1024 };

// Everything of one run; indices of outputs are valid where the option was given.
typedef struct run {
  options_t options;
  engine_settings_t settings;
  engine_input_t input;
  engine_result_t result;
  outputs_t outputs;
  size_t out, json, trace;
  cli_error_t error;
} run_t;

// engine_open_rtl's progress has no context.
static progress_t progress;

static void building(const char *what) { progress_note(&progress, what); }

static void print_help(const char *kernel) {
  const bool hfa = strcmp(kernel, "hfa") == 0;
  printf("amalgam run %s [options]: attention by the %s engine,\n%s.\n", kernel,
         hfa ? "H-FA" : "FA-2",
         hfa ? "whose arithmetic behind the scores is logarithmic fixed point"
             : "H-FA's twin in BF16 floating point");
  printf("Without inputs it runs on a head of the shipped language model.\n");
  options_help(stdout, hfa ? CLI_RUN_HFA : CLI_RUN_FA2);
  printf(
      "\nRows that attend to an infinity or NaN become NaN and are left out of the error, for which "
      "there is\nno tolerance. exit codes: 0 done, 1 --verify found a difference or NaN came from "
      "finite inputs, 2 bad\nusage or input, 3 the engine did not answer, 130 interrupted\n");
}

static bool add_output(run_t *run, const char *path, size_t *index) {
  return path == NULL || outputs_add(&run->outputs, path, index, &run->error);
}

static bool prepare(run_t *run, const char *kernel) {
  const options_t *options = &run->options;
  const attention_problem_t *problem = &run->input.problem;
  if (options->words > 0) {
    return cli_fail(&run->error, "run %s: unexpected argument '%s'", kernel, options->word[0]);
  }
  if (options->engine_trace != NULL && options->impl.value != 0) {
    return cli_fail(&run->error, "--trace: needs --impl rtl; the C model has no waveforms");
  }
  if (!add_output(run, options->out, &run->out) || !add_output(run, options->json, &run->json) ||
      !add_output(run, options->engine_trace, &run->trace) ||
      !engine_input(options, &run->input, &run->error) ||
      !engine_settings_read(&run->settings, kernel, options, problem->keys, problem->dk,
                            &run->error)) {
    return false;
  }
  run->result.out = calloc(problem->rows * problem->dv, sizeof *run->result.out);
  return run->result.out != NULL || cli_fail(&run->error, "out of memory");
}

// --- Ctrl-C -----------------------------------------------------------------------------------

static volatile sig_atomic_t stop;

static void on_interrupt(int signal) {
  (void)signal;
  stop = 1;
}

static void catch_interrupts(void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

// --- the engine -------------------------------------------------------------------------------

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool attend(run_t *run, engine_t *engine) {
  char message[MESSAGE_BYTES] = "";
  engine_job_t job = engine_input_job(&run->input, run->result.out);
  job.stop = &stop;
  progress_note(&progress, "running ...");
  const double start = now();
  const bool good =
      engine_attention(engine, &job, &run->result.cycles, message, sizeof message);
  run->result.seconds = now() - start;
  return good || cli_fail(&run->error, "%s: %s", run->settings.kernel, message);
}

static cli_exit_t open_and_attend(run_t *run) {
  const bool traced = run->options.engine_trace != NULL;
  const char *trace = traced ? outputs_path(&run->outputs, run->trace) : NULL;
  engine_t *engine = engine_settings_open(&run->settings, trace, building, &run->error);
  if (engine == NULL) {
    return CLI_BAD_INPUT;
  }
  catch_interrupts(on_interrupt);
  const bool good = attend(run, engine);
  engine_close(engine);
  catch_interrupts(SIG_DFL);
  return good ? CLI_OK : stop != 0 ? CLI_INTERRUPTED : CLI_STOPPED;
}

// --- the files --------------------------------------------------------------------------------

static bool write_array(run_t *run) {
  const attention_problem_t *problem = &run->input.problem;
  const size_t count = problem->rows * problem->dv;
  FILE *file = outputs_open(&run->outputs, run->out, &run->error);
  float *values = run->options.engine_out_f32 ? malloc(count * sizeof *values) : NULL;
  if (file == NULL || (run->options.engine_out_f32 && values == NULL)) {
    free(values);
    return file == NULL ? false : cli_fail(&run->error, "out of memory");
  }
  npy_array_t array = {.type = NPY_U2, .dims = 2, .shape = {problem->rows, problem->dv},
                       .data = run->result.out};
  if (values != NULL) {
    num_bf16_to_f32_n(run->result.out, values, count);
    array.type = NPY_F4;
    array.data = values;
  }
  npy_write(file, &array);
  free(values);
  return true;
}

static bool write_json(run_t *run) {
  FILE *file = outputs_open(&run->outputs, run->json, &run->error);
  return file != NULL && engine_result_json(file, &run->result, &run->error);
}

// The file that the engine itself has written.
static void take_written(run_t *run) {
  if (run->options.engine_trace != NULL &&
      access(outputs_path(&run->outputs, run->trace), F_OK) == 0) {
    outputs_written(&run->outputs, run->trace);
  }
}

static bool write_all(run_t *run) {
  take_written(run);
  return (run->options.out == NULL || write_array(run)) &&
         (run->options.json == NULL || write_json(run)) &&
         outputs_commit(&run->outputs, &run->error);
}

// --- one run ----------------------------------------------------------------------------------

// What was traced of an engine that stopped answering shows why; of an interrupted one, how far it got.
static int stopped(run_t *run, cli_exit_t status) {
  cli_error_t ignored;
  take_written(run);
  outputs_commit(&run->outputs, &ignored);
  return cli_report(status, &run->error);
}

static int finish(run_t *run) {
  progress_note(&progress, "comparing ...");
  const bool good = engine_result_judge(&run->result, &run->error) && write_all(run);
  progress_note(&progress, "");
  if (!good) {
    return cli_report(CLI_BAD_INPUT, &run->error);
  }
  if (!run->options.quiet) {
    engine_result_text(stdout, &run->result);
  }
  if (!output_printed(&run->error)) {
    return cli_report(CLI_BAD_INPUT, &run->error);
  }
  const cli_exit_t verdict = engine_result_verdict(&run->result, &run->error);
  return verdict == CLI_OK ? (int)CLI_OK : cli_report(verdict, &run->error);
}

static int simulate(run_t *run, const char *kernel) {
  if (!prepare(run, kernel)) {
    return cli_report(CLI_BAD_INPUT, &run->error);
  }
  progress_start(&progress, run->options.quiet, 0, run->settings.clock_mhz);
  const cli_exit_t status = open_and_attend(run);
  progress_note(&progress, "");
  if (status == CLI_STOPPED || status == CLI_INTERRUPTED) {
    return stopped(run, status);
  }
  return status == CLI_OK ? finish(run) : cli_report(status, &run->error);
}

int run_engine(const char *kernel, int argc, char **argv) {
  run_t *run = calloc(1, sizeof *run);
  if (run == NULL) {
    return CLI_BAD_INPUT;
  }
  run->result.options = &run->options;
  run->result.settings = &run->settings;
  run->result.input = &run->input;
  const unsigned command = strcmp(kernel, "hfa") == 0 ? CLI_RUN_HFA : CLI_RUN_FA2;
  int code = CLI_OK;
  if (!options_parse(&run->options, command, argc, argv, &run->error)) {
    code = cli_report(CLI_BAD_INPUT, &run->error);
  } else if (run->options.help) {
    print_help(kernel);
  } else {
    code = simulate(run, kernel);
  }
  outputs_discard(&run->outputs);
  engine_input_free(&run->input);
  engine_result_free(&run->result);
  free(run);
  return code;
}
