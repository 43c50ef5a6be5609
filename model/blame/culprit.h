// Which command is to blame for a wrong result, in one: as `amalgam blame` names a line.
// SPDX-License-Identifier: Apache-2.0
#ifndef BLAME_CULPRIT_H
#define BLAME_CULPRIT_H

#include "blame/repair.h"

// By a change that makes all of the result right (repair.h), its first command; else along the chain of the first element
// that is off, or of none the one that is furthest from what was expected (chain.h): where it reads what nobody wrote,
// or leaves the value that its operands make; else by a change that helps; else the command that computed the value.
// False: no command wrote it, or out of memory.
bool blame_culprit(soc_replay_t *replay, const blame_expected_t *expected, size_t *effect);

#endif
