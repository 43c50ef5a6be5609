// SPDX-License-Identifier: Apache-2.0
#include "cli/run/run.h"
#include "cli/run/machine.h"
#include "cli/text/text.h"
#include "hal/command.h"

static bool prepare(run_t *run) {
  const options_t *o = &run->options;
  collective_request_t request = {.system_name = o->system,
                                  .op = (enum collective_op)o->collective_op.value,
                                  .type = o->collective_dtype.value == 0 ? TYPE_F32 : TYPE_F16,
                                  .bytes = option_count_or(&o->collective_bytes, 0),
                                  .seed = option_count_or(&o->draw_seed, 0)};
  base_error_t reason;
  if (!system_open(o->system, &request.system, &reason)) {
    return base_fail(&run->error, "--system: %s", reason.text);
  }
  return collective_dies(&request.system, option_count_or(&o->dies, request.system.dies), &run->error) &&
         machine_read(run, request.system.machine, o->collective_firmware, &request.machine, &run->error) &&
         collective_prepare(&request, (collective_run_t *)run->own, &run->error);
}

static const manual_row_t files[] = {{"model/config/systems/*.yaml", "systems: dies, links, levels"},
                                     {"sw/kernels/collective", "the firmware"},
                                     {NULL, NULL}};

static const manual_row_t examples[] = {
    {"run collective --op all-reduce --bytes 1048576 --system server910b", "1 MiB of FP32 on each of 8 dies"},
    {"run collective --op all-to-all --bytes 65536 --system system910c --dies 4 --cores 2",
     "on some dies, with some cores"},
    {NULL, NULL}};

const run_front_t run_collective = {.about =
                                        "a collective operation of the dies of a system, on their vector cores, "
                                        "over their links. Each die has made-up numbers; what each has at the "
                                        "end is compared, bit for bit, with a plain loop, sums in the order of "
                                        "dies.",
                                    .notes = RUN_EXITS("a wrong result"),
                                    .examples = examples,
                                    .files = files,
                                    .prepare = prepare,
                                    .print = text_collective};
