// SPDX-License-Identifier: Apache-2.0
#include "kernel/decode/decode_finite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hal/command.h"
#include "num/num_fp8.h"

struct decode_finite {
  char first[DECODE_OP_NAME_BYTES];  // "": none
};

// Elements of so many bytes, of which those that are not finite have all of these bits.
static bool are_finite(const uint8_t *from, size_t count, size_t bytes, uint32_t exponent) {
  bool finite = true;
  for (size_t i = 0; i < count; ++i) {
    uint32_t bits = 0;
    memcpy(&bits, from + i * bytes, bytes);
    finite = finite && (bits & exponent) != exponent;
  }
  return finite;
}

static bool key_is_finite(const uint8_t *token) {
  uint16_t key[NUM_FP8_KEY];
  num_fp8_decode(token, key, 1);
  return are_finite((const uint8_t *)key, NUM_FP8_KEY, sizeof *key, 0x7f80u);
}

static bool row_is_finite(const decode_output_t *o, const uint8_t *row) {
  if (o->type == DECODE_TYPE_FP8) {
    return key_is_finite(row);
  }
  for (size_t part = 0; part < o->parts; ++part) {
    const uint8_t *from = row + part * o->part_bytes;
    const bool good = o->type == TYPE_F32 ? are_finite(from, o->part_cols, 4, 0x7f800000u)
                                          : are_finite(from, o->part_cols, 2, o->type == TYPE_F16 ? 0x7c00u : 0x7f80u);
    if (!good) {
      return false;
    }
  }
  return true;
}

static bool output_is_finite(const decode_machine_t *machine, const decode_op_t *op, const decode_output_t *o) {
  const bool slots = o->expert == DECODE_BY_SLOT;  // one behind the other, as if of one entry
  const size_t rows = op->routing != NULL ? decode_machine_slots(machine, op->routing) : o->rows;
  const size_t of_entry = slots ? rows : o->rows_of_entry;
  const uint8_t *from = decode_machine_look(machine, o->address);
  for (size_t row = 0; row < rows; ++row) {
    if (!row_is_finite(o, from + row / of_entry * o->entry_bytes + row % of_entry * o->pitch)) {
      return false;
    }
  }
  return true;
}

static void ended(void *context, decode_machine_t *machine, size_t index) {
  decode_finite_t *finite = context;
  const decode_op_t *op = &decode_machine_list(machine)->ops[index];
  for (size_t i = 0; i < DECODE_OUTPUTS && finite->first[0] == '\0'; ++i) {
    if (op->output[i].address != 0 && !output_is_finite(machine, op, &op->output[i])) {
      decode_op_name(op, finite->first);
    }
  }
}

decode_finite_t *decode_finite_open(decode_machine_t *machine) {
  decode_finite_t *finite = calloc(1, sizeof *finite);
  if (finite != NULL) {
    decode_machine_watch(machine, ended, finite);
  }
  return finite;
}

void decode_finite_close(decode_finite_t *finite) { free(finite); }

const char *decode_finite_first(const decode_finite_t *finite) {
  return finite->first[0] == '\0' ? NULL : finite->first;
}
