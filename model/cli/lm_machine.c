// A stand-in without a SoC: attention by the engines' C golden, no products, no cycles that mean
// anything.
// SPDX-License-Identifier: Apache-2.0
#include "cli/lm_machine.h"

#include <stdlib.h>

#include "lm/lm_engine.h"

struct lm_machine {
  lm_engine_t engine;
  lm_machine_books_t books;
  soc_result_t result;
};

lm_machine_t *lm_machine_open(const lm_machine_options_t *options, const lm_t *lm, bool gemm,
                              cli_error_t *error) {
  lm_machine_t *machine = calloc(1, sizeof *machine);
  if (gemm || machine == NULL) {
    free(machine);
    cli_fail(error, "--gemm soc: not available");
    return NULL;
  }
  machine->engine = (lm_engine_t){options->soc.engine_num, options->soc.threads};
  machine->engine.engine.rows = options->chunk;
  machine->books.layer_cycles = calloc(lm_shape(lm)->layers, sizeof(uint64_t));
  return machine;
}

bool lm_machine_attend(void *context, const lm_attention_t *attention) {
  lm_machine_t *machine = context;
  const uint64_t cycles = attention->n * (attention->first + attention->n);
  machine->books.launches += 1;
  machine->books.cycles += cycles;
  machine->books.layer_cycles[attention->layer] += cycles;
  machine->result.cycles += cycles;
  return lm_attend_engine(&machine->engine, attention);
}

bool lm_machine_gemm(void *machine, const lm_gemm_t *product) {
  (void)machine;
  (void)product;
  return false;
}

const lm_machine_books_t *lm_machine_books(const lm_machine_t *machine) { return &machine->books; }

soc_status_t lm_machine_status(const lm_machine_t *machine, cli_error_t *error) {
  cli_fail(error, "out of memory");
  return machine->result.status;
}

const soc_result_t *lm_machine_result(lm_machine_t *machine) { return &machine->result; }

void lm_machine_close(lm_machine_t *machine) {
  if (machine != NULL) {
    free(machine->books.layer_cycles);
    free(machine);
  }
}
