// From an element of a run's result back to where it comes from: the command that wrote it last, that command's
// operands with their values, the command that wrote one of them, and so on to an input, or to what nobody wrote.
// Where a command has several operands the chain follows the one that explains the value: the first that is a NaN; of
// products and sums the largest term, and of that the one that is not an input.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_BLAME_CHAIN_H
#define AMALGAM_BLAME_CHAIN_H

#include "blame/place.h"

typedef struct blame_operand {
  const char *field;  // the command's: "l0a"
  blame_at_t at;
  double value;  // when the command took effect
} blame_operand_t;

// The last writer of an element: a command; an input, as it came; nobody, so that it is 0xFF bytes.
typedef enum blame_writer { BLAME_COMMAND, BLAME_INPUT, BLAME_NOBODY } blame_writer_t;

enum { BLAME_NO_OPERAND = -1, BLAME_NOTE_BYTES = 160 };

typedef struct blame_link {
  size_t effect;  // of the replay
  blame_at_t at;  // what it wrote
  double before, after;
  double again;              // computed once more from the operands, in FP64; NAN: this operation is not
  double slack;              // how far rounding may take it from that
  bool leaves;               // it is further off
  blame_operand_t *operand;  // [operands]; of an MMAD its row of l0a, its column of l0b and, if it accumulates, l0c
  size_t operands;
  long followed;                // index, or BLAME_NO_OPERAND
  char note[BLAME_NOTE_BYTES];  // what is odd about it, ""
} blame_link_t;

typedef struct blame_chain {
  soc_replay_t *replay;
  blame_link_t *link;  // [links], the last writer first
  size_t links;
  blame_at_t end;       // what the last link read, or the element itself
  blame_writer_t from;  // who wrote that: COMMAND if `depth` links were not enough
} blame_chain_t;

// The effect before `end` that wrote a byte last. False: none did, and *writer says what it is.
bool blame_last_writer(const soc_replay_t *replay, const blame_at_t *at, size_t end, size_t *effect,
                       blame_writer_t *writer);

// Follows moves back: where the value was computed or came in. effect: as in, and out the writer if there is one.
blame_writer_t blame_origin(const soc_replay_t *replay, blame_at_t *at, size_t *effect);

// False: out of memory.
bool blame_walk(soc_replay_t *replay, const blame_at_t *start, size_t depth, blame_chain_t *chain);
void blame_chain_free(blame_chain_t *chain);

// FP64 of a link from its operands; *slack as above. NAN: not of this operation, or of a NaN.
double blame_recompute(const command_t *command, const blame_link_t *link, double *slack);

// An MMAD's products: operand i and operand i + products.
size_t blame_products(const command_t *command);

#endif
