// The command that is to blame for a wrong result, found as `amalgam blame` finds a line.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_BLAME_CULPRIT_H
#define AMALGAM_BLAME_CULPRIT_H

#include "blame/chain.h"
#include "blame/repair.h"

typedef enum blame_ground {
  BLAME_BY_REPAIR,     // a change that makes all of the result right: the first of repairs
  BLAME_BY_UNWRITTEN,  // a link reads what no command wrote
  BLAME_BY_VALUE,      // a link's value is not what its operands make in FP64, by more than rounding
  BLAME_BY_HELP,       // a change that makes some of it right: the first of repairs
  BLAME_UNDECIDED
} blame_ground_t;

// The most certain ground. wrong: the element at the chain's head is off; otherwise unwritten bytes do not matter.
// link: set for BLAME_BY_UNWRITTEN and BLAME_BY_VALUE. The chain has links.
blame_ground_t blame_decide(const blame_chain_t *chain, const blame_repairs_t *repairs, bool wrong, size_t *link);

// By blame_decide, of the first element that is off, or of none the one that is furthest from what was expected;
// undecided: the command that computed the value. False: no command wrote it and no change helps, or out of memory.
bool blame_culprit(soc_replay_t *replay, const blame_expected_t *expected, size_t *effect);

#endif
