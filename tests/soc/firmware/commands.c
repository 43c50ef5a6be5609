// Pushes the commands of a list, and does nothing else that takes time. For the host only: a command is
// pushed as it lies there.
// SPDX-License-Identifier: Apache-2.0
#include "commands_list.h"
#include "hal/hal.h"

static void push_own(void) {
  const commands_args_t *args = hal_gm(hal_read(REG_ARGS));
  const uint64_t kind = hal_read(REG_CORE_KIND);
  const uint64_t core = hal_read(REG_CORE_INDEX);
  const uint64_t sub = hal_read(REG_SUB_INDEX);
  const listed_command_t *list = hal_gm(args->list);
  for (uint64_t i = 0; i < args->count; ++i) {
    if (list[i].kind == kind && list[i].core == core && list[i].sub == sub) {
      for (uint32_t reads = 0; reads < list[i].reads; ++reads) {
        hal_read(REG_SUB_COUNT);
      }
      hal_write(REG_PUSH, (uint64_t)(uintptr_t)&list[i].command);
    }
  }
}

void cube_main(void) { push_own(); }
void vector_main(void) { push_own(); }
void engine_main(void) { push_own(); }
