// A program of its own over libamalgam_kernel, as kernel/attention/attention.h has it: amla on the shipped data, every
// bit compared. A wrong request is refused with a reason.
//   amla CYCLES
// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/attention/attention.h"

static attention_run_t run;

static int expect(bool good, const char *what) {
  if (!good) {
    fprintf(stderr, "not so: %s\n", what);
  }
  return good ? 0 : 1;
}

static int refuses(attention_request_t request, const char *why) {
  base_error_t error = {.text = ""};
  const bool prepared = attention_prepare(&request, &run, &error);
  kernel_release(&run.kernel);
  return expect(!prepared && strcmp(error.text, why) == 0, why);
}

int main(int argc, char **argv) {
  kernel_machine_t machine;
  base_error_t error;
  if (argc != 2 || !kernel_machine_open(&machine, "ascend910_core", &error)) {
    return 2;
  }
  attention_request_t request = attention_request("amla", &machine);
  attention_request_t odd = request;
  odd.settings.group_rows = 17;
  int wrong = refuses(odd, "--group-rows 17: expected a multiple of 16");
  odd = request;
  odd.input.heads = 7;
  odd.input.source = KERNEL_FILES;
  odd.input.q = odd.input.kv = "none.npy";
  wrong += refuses(odd, "none.npy: No such file or directory");

  request.judge.verify = true;
  for (int machines = 0; machines < 2; ++machines) {  // one after the other
    soc_clear_memory();
    if (!attention_prepare(&request, &run, &error) || kernel_simulate(&run.kernel, &error) != BASE_OK ||
        !kernel_judge(&run.kernel, &error) || kernel_verdict(&run.kernel, &error) != BASE_OK) {
      return base_report(BASE_STOPPED, &error);
    }
    const kernel_result_t *result = &run.kernel.result;
    wrong += expect(result->soc.cycles == strtoull(argv[1], NULL, 10), "the cycles of amalgam run amla");
    wrong += expect(result->verified && result->wrong_bits == 0, "the contract's bits");
    wrong += expect(result->elements == 2 * 128 * 512, "an output of 2 x 128 x 512");
    wrong += expect(result->judged == result->judged_of && result->error.rel_fro < 2e-3, "the error");
    printf("%llu cycles, %zu wrong bits\n", (unsigned long long)result->soc.cycles, result->wrong_bits);
    kernel_release(&run.kernel);
  }
  return wrong == 0 ? 0 : 1;
}
