// Commands that touch no memory: flags, barriers and notes.
// SPDX-License-Identifier: Apache-2.0
#include "core/commands/command.h"

static bool check_other_pipe(const core_checker_t *check, const char *field, uint32_t pipe, uint32_t event) {
  if (!core_has_pipe(check->kind, pipe)) {
    return core_wrong(check, "%s=%u: expected a pipe of %s", field, pipe, core_kind_text(check->kind));
  }
  if (pipe == check->command->header.pipe_) {
    return core_wrong(check, "%s=%s: expected another pipe than its own", field, core_pipe_name(pipe));
  }
  return core_below(check, "event", event, FLAG_EVENTS);
}

bool core_set_flag_check(const core_checker_t *check, const cmd_set_flag_t *c) {
  return check_other_pipe(check, "to", c->to, c->event);
}

bool core_wait_flag_check(const core_checker_t *check, const cmd_wait_flag_t *c) {
  return check_other_pipe(check, "from", c->from, c->event);
}

#define CROSS_FLAG(name)                                                           \
  bool core_##name##_check(const core_checker_t *check, const cmd_##name##_t *c) { \
    return core_below(check, "flag", c->flag, CROSS_FLAGS);                        \
  }
CROSS_FLAG(cross_set)
CROSS_FLAG(cross_wait)
CROSS_FLAG(pair_set)
CROSS_FLAG(pair_wait)

// No fields, or one that may be any number.
#define ALWAYS_RIGHT(name)                                                         \
  bool core_##name##_check(const core_checker_t *check, const cmd_##name##_t *c) { \
    (void)check;                                                                   \
    (void)c;                                                                       \
    return true;                                                                   \
  }
ALWAYS_RIGHT(pipe_barrier)
ALWAYS_RIGHT(sync_all)
ALWAYS_RIGHT(mark)
ALWAYS_RIGHT(clean_lines)

uint64_t core_pipe_barrier_cycles(const config_t *config, const cmd_pipe_barrier_t *c) {
  return c->pipe_ == PIPE_V ? config->vector.drain : config->soc.flag_cycles;
}
