// The input of `amalgam explain`: the file of a run. The runs that explain would start are stood in for; what
// they would find, the chain of commands, is taken from the same file.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/explain/explain.h"
#include "cli/run/run.h"
#include "fuzz.h"

const run_kernel_t *run_kernel_find(const char *name) {
  static const run_kernel_t amla = {.name = "amla", .command = CLI_RUN_AMLA};
  return strcmp(name, "amla") == 0 ? &amla : NULL;
}

bool kernel_firmware_is_native(const char *file);
bool kernel_firmware_is_native(const char *file) { return strstr(file, ".so") != NULL; }

bool explain_runs(explain_run_t *run, bool quiet, base_error_t *error) {
  (void)quiet;
  run->path = cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(run->root, "path"), true);
  run->list[0] = (explain_try_t){.name = "gm.l2_latency_us", .text = "latency", .cycles = run->cycles / 2};
  run->tries = 1;
  return run->path != NULL || base_fail(error, "no path");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static int silent = -1;
  if (silent < 0) {
    silent = open("/dev/null", O_WRONLY);
  }
  const int out = dup(1), err = dup(2);
  dup2(silent, 1);
  dup2(silent, 2);
  char *argv[] = {"explain", (char *)fuzz_file(bytes, size), NULL};
  const int code = explain(2, argv);
  fflush(stdout);
  dup2(out, 1);
  dup2(err, 2);
  close(out);
  close(err);
  FUZZ_EXPECT(code == BASE_OK || code == BASE_BAD_INPUT);
  return 0;
}
