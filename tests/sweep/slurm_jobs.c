// What model/sweep/slurm offers, for scripts that have a Slurm:
//   slurm_jobs most | submit NAME TASKS AT_ONCE TIME LOG WORD... | look PREFIX | cancel NAME...
// Prints what it gives; the exit code is the answer.
// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/slurm/slurm.h"

static slurm_answer_t submit(char **word, base_error_t *error) {
  const slurm_job_t job = {.name = word[0],
                           .tasks = (uint32_t)strtoul(word[1], NULL, 10),
                           .at_once = (uint32_t)strtoul(word[2], NULL, 10),
                           .time = word[3],
                           .log = word[4],
                           .folder = ".",
                           .word = (const char *const *)word + 5,
                           .processors_option = "-j",
                           .memory_option = "-m"};
  return slurm_submit(&job, false, error);
}

static slurm_answer_t look(const char *prefix, base_error_t *error) {
  slurm_arrays_t arrays = {.count = 0};
  const slurm_answer_t answer = slurm_look(prefix, &arrays, error);
  for (size_t i = 0; i < arrays.count; ++i) {
    const slurm_array_t *array = &arrays.array[i];
    printf("%s %u waiting %u running %s\n", array->name, array->waiting, array->running, array->reason);
  }
  slurm_forget(&arrays);
  return answer;
}

int main(int argc, char **argv) {
  base_error_t error = {""};
  uint32_t most = 0;
  slurm_answer_t answer = slurm_open(&most, &error);
  if (answer == SLURM_DONE && argc == 2 && strcmp(argv[1], "most") == 0) {
    printf("%u\n", most);
  } else if (answer == SLURM_DONE && argc > 7 && strcmp(argv[1], "submit") == 0) {
    answer = submit(argv + 2, &error);
  } else if (answer == SLURM_DONE && argc == 3 && strcmp(argv[1], "look") == 0) {
    answer = look(argv[2], &error);
  } else if (answer == SLURM_DONE && argc > 2 && strcmp(argv[1], "cancel") == 0) {
    answer = slurm_cancel((const char *const *)argv + 2, (size_t)argc - 2, &error);
  }
  if (answer != SLURM_DONE) {
    fprintf(stderr, "%s\n", error.text);
  }
  return (int)answer;
}
