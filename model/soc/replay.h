// A run's effects on memories, done again: the recorded commands are carried out one after the other, in the order in
// which they took effect, on the machine's own memories, which begin as they did. There is no time in it, and no
// firmware; a command may be looked at before and after, changed, or left out.
//
// There with soc_options.watch.replay, for a kernel that soc_run has run: of its first launch, or up to where it was
// stopped. Atomic stores are carried out by the C model. Arrays and results that were copied out stay as they are.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_REPLAY_H
#define AMALGAM_SOC_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/core.h"
#include "core/tensor.h"
#include "soc/soc.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct soc_replay soc_replay_t;

// A command that writes memory. Effects are numbered from 0, in the order in which they are carried out.
typedef struct soc_effect {
  const soc_command_t *what;
  const core_memory_t *memory;  // its core's
  const char *core;             // "cube0"
  core_kind_t kind;
} soc_effect_t;

size_t soc_replay_effects(const soc_replay_t *replay);
soc_effect_t soc_replay_effect(const soc_replay_t *replay, size_t index);

// "attention_cube.c:120 (load_stripe)": the line of the kernel that pushed it. Stays as long as the replay.
const char *soc_replay_line(soc_replay_t *replay, size_t index);

// Was its command at work within soc_options.watch.dump_window, as --log has it?
bool soc_replay_in_window(const soc_replay_t *replay, size_t index);

// The memory of a core by its name, and that name for good; NULL: there is none.
const core_memory_t *soc_replay_memory(const soc_replay_t *replay, const char *core, const char **name);
// The memory of some core: all see the same global memory.
const core_memory_t *soc_replay_any_memory(const soc_replay_t *replay);

// The arrays in global memory, in the order of their addresses.
const soc_buffer_t *soc_replay_arrays(const soc_replay_t *replay, size_t *count);

typedef struct soc_replay_look {
  void *context;
  // Before an effect: the command may be changed, into one that passes soc_replay_legal. False: it is left out. NULL:
  // nobody looks.
  bool (*before)(void *context, size_t index, command_t *command);
  void (*after)(void *context, size_t index, const command_t *command);
  bool types;  // soc_replay_typed will be asked for
} soc_replay_look_t;

// Carries out effects 0 .. end - 1 on memories as they were at the start.
void soc_replay_run(soc_replay_t *replay, size_t end, const soc_replay_look_t *look);

// In `after`: an operand with its type, if that is known of what was last written there; a move does not say what it
// moves.
core_tensor_t soc_replay_typed(const soc_replay_t *replay, size_t index, const core_tensor_t *tensor);
// Its elements as --dump writes them, row after row; values has room for 4 bytes of each.
soc_dump_type_t soc_replay_values(const soc_replay_t *replay, size_t index, const core_tensor_t *tensor, void *values);

// Would this command have been let through where the effect was: by core_check, and by the bounds of arrays?
bool soc_replay_legal(soc_replay_t *replay, size_t index, const command_t *command);

// Bytes that soc_replay_run sets before it begins.
uint64_t soc_replay_cleared(const soc_replay_t *replay);

#ifdef __cplusplus
}
#endif

#endif
