// SPDX-License-Identifier: Apache-2.0
#include "firmware/schedule.h"

#include "hal/registers.h"

enum { ALIGN = 512, GAP = 512 };

uint64_t schedule_place(schedule_t *schedule, const char *name, uint64_t bytes, bool read_only) {
  machine_options_t *machine = &schedule->machine;
  const uint64_t address = GM_BASE + machine->gm_bytes;
  assert_true(machine->array_count < ARRAY_LEN(schedule->array));
  schedule->array[machine->array_count++] = (machine_array_t){name, address, bytes, read_only};
  machine->gm_bytes += (bytes + ALIGN - 1) / ALIGN * ALIGN + GAP;
  return address;
}

void schedule_allocate(schedule_t *schedule) {
  schedule->gm = calloc(schedule->machine.gm_bytes, 1);
  assert_non_null(schedule->gm);
}

void *schedule_host(const schedule_t *schedule, uint64_t address) { return schedule->gm + (address - GM_BASE); }

void schedule_every_order(schedule_t *schedule, uint64_t seeds, size_t shape, size_t (*wrong)(const void *problem),
                          const void *problem) {
  machine_options_t machine = schedule->machine;
  machine.gm = schedule->gm;
  machine.arrays = schedule->array;
  machine.args = GM_BASE;
  machine.ai_cores += machine.ai_cores == 0;
  machine.vector_cores = machine.vector_cores == 0 ? 2 : machine.vector_cores;
  machine.queue_depth = machine.queue_depth == 0 ? 32 : machine.queue_depth;
  for (machine.seed = 1; machine.seed <= seeds; ++machine.seed) {
    for (size_t i = 0; i < machine.array_count; ++i) {
      const machine_array_t *array = &schedule->array[i];
      if (!array->read_only) {
        memset(schedule_host(schedule, array->address), 0xff, array->bytes);
      }
    }
    char error[MACHINE_ERROR_BYTES];
    const bool ended = machine_run(&machine, error);
    const size_t values = ended ? wrong(problem) : 0;
    if (!ended || values > 0) {
      fail_msg("%s, shape %zu, seed %llu: %zu wrong values%s%s", machine.firmware, shape,
               (unsigned long long)machine.seed, values, ended ? "" : ", ", ended ? "" : error);
    }
  }
}
