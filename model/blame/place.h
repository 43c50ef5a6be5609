// Elements in the memories of a run: from text to bytes, and from bytes to what people call them.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_BLAME_PLACE_H
#define AMALGAM_BLAME_PLACE_H

#include "base/error.h"
#include "core/tensor.h"
#include "soc/replay.h"

// An element, or the byte that it begins with.
typedef struct blame_at {
  const core_memory_t *memory;  // of a core that sees it
  const char *core;             // whose name it is
  core_space_t space;
  uint64_t address;
  uint32_t type;  // as core_tensor_t has it
  unsigned part;  // of a byte: the bit, or the nibble
} blame_at_t;

// A run of bytes that somebody named.
typedef struct blame_place {
  const core_memory_t *memory;
  const char *core;  // "gm", or a core's
  core_space_t space;
  uint64_t address, bytes;
  const soc_buffer_t *array;  // that they are in; NULL: of a buffer
} blame_place_t;

enum { BLAME_NAME_BYTES = 96 };

// gm:NAME[I,J], gm:NAME, gm:ADDRESS+BYTES or CORE.BUFFER:OFFSET+BYTES, as in "gm:out[3,17]" and "cube0.l0c:0+1024".
bool blame_place_parse(const soc_replay_t *replay, const char *option, const char *text, blame_place_t *place,
                       base_error_t *error);

// Could the text be one? Which arrays and cores there are, shows when the run is there.
bool blame_place_check(const char *option, const char *text, base_error_t *error);

// "3,17", as many numbers as the array has dimensions, or one that counts elements.
bool blame_index_parse(const soc_buffer_t *array, const char *option, const char *text, uint64_t *index,
                       base_error_t *error);
uint64_t blame_elements(const soc_buffer_t *array);
uint64_t blame_element_address(const soc_buffer_t *array, uint64_t index);

// The array of that name, NULL: there is none.
const soc_buffer_t *blame_array(const soc_replay_t *replay, const char *name);

const uint8_t *blame_bytes(const blame_at_t *at);
double blame_value(const blame_at_t *at);
// "k[5,17]" or "cube0.l0c:0x40".
void blame_name(const soc_replay_t *replay, const blame_at_t *at, char name[BLAME_NAME_BYTES]);

// Does a command write that byte? Cores that share a memory may call it by other names.
bool blame_writes(const core_memory_t *memory, const command_t *command, const uint8_t *byte);

#endif
