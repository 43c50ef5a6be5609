// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/sweep_on.h"

#include "sweep/slurm/slurm.h"

enum { USUAL_CHUNK = 10 };

static bool on_slurm(const options_t *options) { return options->sweep_on.value == 1; }

// An option that was given belongs to one of the two ways.
static bool check_places(const options_t *options, base_error_t *error) {
  const struct {
    const char *name;
    bool given, slurm;
  } list[] = {{"partition", options->sweep_partition != NULL, true},
              {"time", options->sweep_time != NULL, true},
              {"mem", options->sweep_mem.given, true},
              {"max-running", options->sweep_most.given, true},
              {"sbatch", options->sweep_sbatch != NULL, true},
              {"chunk", options->sweep_chunk.given && !options->sweep_worker, true},
              {"jobs", options->sweep_jobs.given, false},
              {"memory", options->sweep_memory.given, false},
              {"worker", options->sweep_worker, false}};
  for (size_t i = 0; i < sizeof list / sizeof *list; ++i) {
    if (list[i].given && list[i].slurm != on_slurm(options)) {
      return list[i].slurm ? base_fail(error, "--%s: goes with --on slurm", list[i].name)
                           : base_fail(error, "--%s: cannot go with --on slurm", list[i].name);
    }
  }
  return true;
}

static bool check_time(const char *time, base_error_t *error) {
  double seconds;
  return time == NULL || slurm_seconds(time, &seconds) ||
         base_fail(error, "--time: expected minutes, H:M:S or D-H:M:S, got '%s'", time);
}

// No words without --sbatch.
static bool read_sbatch(const options_t *options, wordexp_t *words, base_error_t *error) {
  return slurm_options(options->sweep_sbatch == NULL ? "" : options->sweep_sbatch, words, error);
}

bool sweep_on_check(const options_t *options, base_error_t *error) {
  wordexp_t words;
  const bool good =
      check_places(options, error) && check_time(options->sweep_time, error) && read_sbatch(options, &words, error);
  if (good) {
    wordfree(&words);
  }
  return good;
}

base_exit_t sweep_on_run(sweep_t *sweep, const options_t *options, base_error_t *error) {
  wordexp_t words;
  if (!on_slurm(options)) {
    return sweep_run(sweep, SWEEP_ALL, error);
  }
  if (!read_sbatch(options, &words, error)) {
    return BASE_BAD_INPUT;
  }
  const sweep_cluster_t settings = {.partition = options->sweep_partition,
                                    .time = options->sweep_time,
                                    .memory_mb = option_count_or(&options->sweep_mem, 0),
                                    .most = (uint32_t)option_count_or(&options->sweep_most, 0),
                                    .chunk = (uint32_t)option_count_or(&options->sweep_chunk, USUAL_CHUNK),
                                    .option = (const char *const *)words.we_wordv};
  const base_exit_t code = sweep_cluster(sweep, &settings, error);
  wordfree(&words);
  return code;
}
