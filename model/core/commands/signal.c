// SIGNAL and AWAIT: words of flags, by which dies wait for each other.  The machine has their values.
// SPDX-License-Identifier: Apache-2.0
#include "core/commands/command.h"

static bool check_word(const core_checker_t *check, uint64_t gm) {
  return gm % 4 == 0 || core_wrong(check, "gm=0x%llx: expected a multiple of 4", (unsigned long long)gm);
}

bool core_signal_check(const core_checker_t *check, const cmd_signal_t *c) {
  return check_word(check, c->gm) &&
         core_expect(check, c->op == GM_STORE || c->op == GM_ADD_S32_RAW, "op", c->op, "GM_STORE or GM_ADD_S32_RAW");
}

uint64_t core_signal_bytes(const cmd_signal_t *c) {
  (void)c;
  return 4;
}

bool core_await_check(const core_checker_t *check, const cmd_await_t *c) { return check_word(check, c->gm); }
