// SPDX-License-Identifier: Apache-2.0
#include "cli/report.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const report_row_t report_rows[] = {
#define ROW(table, name, kind, width, paper_base, paper_amla, gate, gate_f32)                  \
  {table, name, {DISTRIBUTION_##kind, width}, {paper_base, paper_amla}, gate, gate_f32},
#include "cli/report_rows.def"
#undef ROW
};
const size_t report_row_count = sizeof report_rows / sizeof *report_rows;

enum { FIRST_TABLE = 3, LAST_TABLE = 4 };

static void print_help(void) {
  printf(
      "amalgam report table3 table4 [options]: accuracy of base and amla on random inputs, as in\n"
      "tables 3 and 4 of the AMLA paper: 128 heads, Dk 576, Dv 512, error against FP64.  Writes\n"
      "tableN.json, tableN.svg and tableN.md.  Exit code 1 if amla is worse than base by more than "
      "the\ngates in model/cli/report_rows.def allow.\n");
  options_help(stdout, CLI_REPORT);
}

// --- what was asked for -----------------------------------------------------------------------

static bool tables_wanted(const options_t *options, unsigned *tables, cli_error_t *error) {
  for (int i = 0; i < options->words; ++i) {
    const int index = parse_choice(options->word[i], "table3|table4");
    if (index < 0) {
      return cli_fail(error, "report %s: no such report; there are table3 and table4",
                      options->word[i]);
    }
    *tables |= 1u << (FIRST_TABLE + index);
  }
  return *tables != 0 || cli_fail(error, "report: name one or more of table3, table4");
}

static bool is_row(const report_row_t *row, const char *text) {
  distribution_t distribution;
  return strcmp(row->name, text) == 0 ||
         (parse_distribution(text, &distribution) && distribution.kind == row->distribution.kind &&
          distribution.width == row->distribution.width);
}

static bool rows_wanted(const options_t *options, unsigned tables, const report_row_t **rows,
                        size_t *count, cli_error_t *error) {
  const option_list_t *only = &options->only;
  bool known[OPTION_LIST_MAX] = {false};
  for (size_t i = 0; i < report_row_count; ++i) {
    const report_row_t *row = &report_rows[i];
    bool wanted = only->count == 0;
    for (size_t j = 0; j < only->count && (tables >> row->table & 1u) != 0; ++j) {
      known[j] = known[j] || is_row(row, only->item[j]);
      wanted = wanted || is_row(row, only->item[j]);
    }
    if (wanted && (tables >> row->table & 1u) != 0) {
      rows[(*count)++] = row;
    }
  }
  for (size_t j = 0; j < only->count; ++j) {
    if (!known[j]) {
      return cli_fail(error, "--dist: no '%s' in the tables asked for", only->item[j]);
    }
  }
  return true;
}

static bool plan(const options_t *options, unsigned tables, report_jobs_t *jobs,
                 cli_error_t *error) {
  const report_row_t *rows[sizeof report_rows / sizeof *report_rows];
  const size_t seeds = (size_t)options->seeds.value;
  size_t count = 0;
  if (!rows_wanted(options, tables, rows, &count, error) ||
      !settings_config(options->config, &options->set, &jobs->soc.config, error)) {
    return false;
  }
  jobs->soc.config.soc.ai_cores = 1;
  jobs->soc.gm = options->report_gm.value == 0 ? SOC_GM_RTL : SOC_GM_C;
  jobs->soc.race_check = true;
  jobs->keys = (size_t)options->report_keys.value;
  jobs->quiet = options->quiet;
  jobs->count = count * seeds;
  jobs->list = mmap(NULL, jobs->count * sizeof *jobs->list, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (jobs->list == MAP_FAILED) {
    jobs->list = NULL;
    return cli_fail(error, "report: out of memory");
  }
  for (size_t i = 0; i < jobs->count; ++i) {
    jobs->list[i].row = rows[i / seeds];
    jobs->list[i].seed = i % seeds;
  }
  return true;
}

static bool make_directory(const char *path, cli_error_t *error) {
  struct stat status;
  if (mkdir(path, 0777) != 0 && errno != EEXIST) {
    return cli_fail(error, "--out %s: %s", path, strerror(errno));
  }
  if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) {
    return cli_fail(error, "--out %s: %s", path, strerror(ENOTDIR));
  }
  return access(path, W_OK | X_OK) == 0 || cli_fail(error, "--out %s: %s", path, strerror(errno));
}

// --- gates ------------------------------------------------------------------------------------

static bool within(const report_job_t *job, const report_pair_t *pair, double gate,
                   const char *what, cli_error_t *error) {
  return gate == 0 || pair->amla <= gate * pair->base ||
         cli_fail(error, "%s seed %llu: with %s output amla %.3e exceeds %.2f x base %.3e",
                  job->row->name, (unsigned long long)job->seed, what, pair->amla, gate,
                  pair->base);
}

static bool gates_hold(const report_jobs_t *jobs, cli_error_t *error) {
  for (size_t i = 0; i < jobs->count; ++i) {
    const report_job_t *job = &jobs->list[i];
    if (!within(job, &job->bf16, job->row->gate, "BF16", error) ||
        !within(job, &job->f32, job->row->gate_f32, "FP32", error)) {
      return false;
    }
  }
  return true;
}

// --- the command ------------------------------------------------------------------------------

static bool write_tables(const report_jobs_t *jobs, unsigned tables, const options_t *options,
                         cli_error_t *error) {
  for (unsigned table = FIRST_TABLE; table <= LAST_TABLE; ++table) {
    if ((tables >> table & 1u) != 0 &&
        !report_write(jobs, table, (size_t)options->seeds.value, options->report_out, error)) {
      return false;
    }
  }
  return true;
}

static cli_exit_t run_report(const options_t *options, cli_error_t *error) {
  unsigned tables = 0;
  report_jobs_t jobs = {0};
  cli_exit_t code = CLI_BAD_INPUT;
  if (!tables_wanted(options, &tables, error) || !plan(options, tables, &jobs, error) ||
      !make_directory(options->report_out, error)) {
    code = CLI_BAD_INPUT;
  } else if (report_run(&jobs, &code, error)) {
    code = !write_tables(&jobs, tables, options, error) ? CLI_BAD_INPUT
           : gates_hold(&jobs, error)                   ? CLI_OK
                                                        : CLI_OUT_OF_TOLERANCE;
  }
  if (jobs.list != NULL) {
    munmap(jobs.list, jobs.count * sizeof *jobs.list);
  }
  return code;
}

int report(int argc, char **argv) {
  options_t options;
  cli_error_t error;
  if (!options_parse(&options, CLI_REPORT, argc, argv, &error)) {
    return cli_report(CLI_BAD_INPUT, &error);
  }
  if (options.help) {
    print_help();
    return CLI_OK;
  }
  const cli_exit_t code = run_report(&options, &error);
  return code == CLI_OK ? (int)CLI_OK : cli_report(code, &error);
}
