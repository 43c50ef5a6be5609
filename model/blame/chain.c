// SPDX-License-Identifier: Apache-2.0
#include "blame/chain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hal/registers.h"

// --- who wrote it -----------------------------------------------------------------------------

bool blame_last_writer(const soc_replay_t *replay, const blame_at_t *at, size_t end, size_t *effect,
                       blame_writer_t *writer) {
  const uint8_t *byte = blame_bytes(at);
  for (size_t i = end; i-- > 0;) {
    const soc_effect_t e = soc_replay_effect(replay, i);
    if (blame_writes(e.memory, &e.what->command, byte)) {
      *effect = i;
      *writer = BLAME_COMMAND;
      return true;
    }
  }
  size_t count;
  const soc_buffer_t *array = soc_replay_arrays(replay, &count);
  *writer = BLAME_NOBODY;
  for (size_t i = 0; at->space == SPACE_GM && i < count; ++i) {
    if (at->address >= array[i].address && at->address - array[i].address < array[i].bytes && array[i].init != NULL) {
      *writer = BLAME_INPUT;
    }
  }
  return false;
}

// --- what it was computed from ----------------------------------------------------------------

static bool is_bytes(uint32_t type) { return type == CORE_TYPE_U8 || type == CORE_TYPE_U16; }

// The element of a command's result that holds this byte. False: padding.
static bool element_of(const soc_effect_t *effect, const blame_at_t *at, core_tensor_t *written, uint64_t *r,
                       uint64_t *c) {
  core_tensor_t tensor[CORE_MAX_TENSORS];
  const size_t count = core_tensors(&effect->what->command, tensor);
  const uint64_t offset = (uint64_t)(blame_bytes(at) - effect->memory->base[tensor[count - 1].space]);
  *written = tensor[count - 1];
  if (!core_tensor_element(written, offset + (written->space == SPACE_GM ? GM_BASE : 0), r, c)) {
    return false;
  }
  const unsigned bits = core_type_bits(written->type);
  *c += bits < 8 ? at->part : 0;
  return *c < written->cols;
}

static bool add_operand(blame_link_t *link, const soc_effect_t *effect, const core_tensor_t *tensor, uint64_t r,
                        uint64_t c, uint32_t type) {
  bool high;
  blame_operand_t *more = realloc(link->operand, (link->operands + 1) * sizeof *more);
  if (more == NULL) {
    return false;
  }
  link->operand = more;
  blame_operand_t *operand = &more[link->operands++];
  *operand =
      (blame_operand_t){.field = tensor->field,
                        .at = {.memory = effect->memory, .core = effect->core, .space = tensor->space, .type = type}};
  operand->at.address = core_tensor_address(tensor, r, c, &high);
  const unsigned bits = core_type_bits(tensor->type);
  operand->at.part = bits == 1 ? (unsigned)(c % 8) : high ? 1 : 0;
  return true;
}

// A row of a GATHER_IN, as its list, which nobody writes, says.
static bool gathered(blame_link_t *link, const soc_effect_t *effect, uint64_t r, uint64_t c) {
  const cmd_gather_in_t *command = &effect->what->command.gather_in;
  uint64_t from;
  if (core_gather_row(effect->memory, command, (uint32_t)r, &from) != CORE_GATHER_ROW) {
    snprintf(link->note, sizeof link->note, "a row that the list has no number for: zeros");
    return true;
  }
  const core_tensor_t row = {.field = "gm",
                             .space = SPACE_GM,
                             .type = CORE_TYPE_U8,
                             .base = from,
                             .pitch = command->row_bytes,
                             .rows = 1,
                             .cols = command->row_bytes};
  return add_operand(link, effect, &row, 0, c, link->at.type) && (link->operand[0].at.part = link->at.part, true);
}

static bool add_operands(blame_link_t *link, const soc_effect_t *effect) {
  core_tensor_t tensor[CORE_MAX_TENSORS], written;
  core_source_t source[CORE_MAX_TENSORS];
  uint64_t r, c;
  const command_t *command = &effect->what->command;
  if (!element_of(effect, &link->at, &written, &r, &c)) {
    snprintf(link->note, sizeof link->note, "padding: zero");
    return true;
  }
  if (command->header.opcode_ == OP_GATHER_IN) {
    return gathered(link, effect, r, c);
  }
  if (!is_bytes(written.type) && written.type != CORE_TYPE_U32 && written.type != link->at.type) {
    snprintf(link->note, sizeof link->note, "written as %s, and read as %s", core_type_name(written.type),
             core_type_name(link->at.type));
    link->at.type = written.type;
  }
  core_tensors(command, tensor);
  const size_t sources = core_sources(command, r, c, source);
  for (size_t s = 0; s < sources; ++s) {
    const core_tensor_t *from = &tensor[source[s].tensor];
    const bool moved = is_bytes(from->type) || from->type == CORE_TYPE_U32;
    for (uint64_t i = 0; i < source[s].rows * source[s].cols; ++i) {
      const uint64_t row = source[s].row + i / source[s].cols, col = source[s].col + i % source[s].cols;
      if (!core_tensor_has(from, row, col)) {
        continue;  // the mask leaves it out
      }
      if (!add_operand(link, effect, from, row, col, moved ? link->at.type : from->type)) {
        return false;
      }
      if (moved) {
        link->operand[link->operands - 1].at.part = link->at.part;
      }
    }
  }
  return true;
}

// --- its values -------------------------------------------------------------------------------

static bool before_link(void *context, size_t index, command_t *command) {
  blame_link_t *link = context;
  (void)command;
  if (index == link->effect) {
    link->before = blame_value(&link->at);
    for (size_t i = 0; i < link->operands; ++i) {
      link->operand[i].value = blame_value(&link->operand[i].at);
    }
  }
  return true;
}

static void after_link(void *context, size_t index, const command_t *command) {
  blame_link_t *link = context;
  (void)command;
  if (index == link->effect) {
    link->after = blame_value(&link->at);
  }
}

static void take_values(soc_replay_t *replay, blame_link_t *link) {
  const soc_replay_look_t look = {.context = link, .before = before_link, .after = after_link};
  const soc_effect_t effect = soc_replay_effect(replay, link->effect);
  soc_replay_run(replay, link->effect + 1, &look);
  link->again = blame_recompute(&effect.what->command, link, &link->slack);
  link->leaves = !isnan(link->again) && !(fabs(link->after - link->again) <= link->slack) &&
                 !(isinf(link->again) && link->again == link->after);
}

// --- where to go on ---------------------------------------------------------------------------

static bool is_input(const soc_replay_t *replay, const blame_link_t *link, size_t operand) {
  blame_at_t at = link->operand[operand].at;
  size_t effect = link->effect;
  return blame_origin(replay, &at, &effect) == BLAME_INPUT;
}

// The largest term of a sum; of a product the left side, unless that is an input.
static long largest_term(const soc_replay_t *replay, const command_t *command, const blame_link_t *link) {
  const size_t products = blame_products(command);
  const size_t terms = products > 0 ? products : link->operands;
  size_t largest = 0;
  double size = -1;
  for (size_t i = 0; i < terms; ++i) {
    const double term = fabs(link->operand[i].value * (products > 0 ? link->operand[i + products].value : 1));
    if (term > size) {
      size = term;
      largest = i;
    }
  }
  if (products > 0 && link->operands > 2 * products && fabs(link->operand[2 * products].value) > size) {
    return (long)(2 * products);
  }
  return products > 0 && is_input(replay, link, largest) && !is_input(replay, link, largest + products)
             ? (long)(largest + products)
             : (long)largest;
}

// The first operand that is a NaN, or infinite; BLAME_NO_OPERAND: none is.
static long not_finite(const blame_link_t *link) {
  long infinite = BLAME_NO_OPERAND;
  for (size_t i = link->operands; i-- > 0;) {
    infinite = isinf(link->operand[i].value) ? (long)i : infinite;
  }
  for (size_t i = 0; i < link->operands; ++i) {
    if (isnan(link->operand[i].value)) {
      return (long)i;
    }
  }
  return infinite;
}

// The operand that an operation chose as its result.
static long chosen(const blame_link_t *link) {
  for (size_t i = 0; i < link->operands; ++i) {
    if (link->operand[i].value == link->after) {
      return (long)i;
    }
  }
  return 0;
}

// The operand of a command that a search goes on with.
typedef enum follow { FOLLOW_FIRST, FOLLOW_CHOICE, FOLLOW_SUM } follow_t;

static follow_t follow_of(const command_t *command, const blame_link_t *link) {
  static const follow_t of_vec[VOP_COUNT] = {
#define VOP(NAME, name, cost, form, types, value, follow, text) [VOP_##NAME] = FOLLOW_##follow,
#include "hal/vector_ops.def"
  };
  static const follow_t of_vinst[VI_COUNT] = {
#define VI(NAME, name, cost, form, types, value, follow, text) [VI_##NAME] = FOLLOW_##follow,
#include "hal/vector_instructions.def"
  };
  static const follow_t of_memory[GM_OP_COUNT] = {
#define GM_OP(name, code, operand, memory, value, follow, text) [code] = FOLLOW_##follow,
#include "hal/gm_ops.def"
#undef GM_OP
  };
  switch (command->header.opcode_) {
    case OP_VEC:
      return of_vec[command->vec.op];
    case OP_VINST:
      return of_vinst[command->vinst.op];
    case OP_MMAD:
      return FOLLOW_SUM;
    default:
      return link->operands == 2 ? of_memory[core_gm_op(command)] : FOLLOW_FIRST;
  }
}

static long choose(const soc_replay_t *replay, const command_t *command, const blame_link_t *link) {
  if (link->operands == 0) {
    return BLAME_NO_OPERAND;
  }
  if (!isfinite(link->after) && not_finite(link) != BLAME_NO_OPERAND) {
    return not_finite(link);
  }
  switch (follow_of(command, link)) {
    case FOLLOW_CHOICE:
      return chosen(link);
    case FOLLOW_SUM:
      return largest_term(replay, command, link);
    case FOLLOW_FIRST:
      break;
  }
  return 0;
}

// --- the chain --------------------------------------------------------------------------------

// Does it leave elements what they are?
static bool is_move(const command_t *command) {
  const core_data_t data = core_command_data(command->header.opcode_);
  cmd_fixpipe_t tile;
  const bool converts = (core_tile_out(command, &tile) && (tile.type != tile.from || tile.relu != 0)) ||
                        (command->header.opcode_ == OP_LOAD_EB && command->load_eb.scale != 0);
  return (data == DATA_COPY || data == DATA_MOVE) && !core_is_atomic(command) && !converts;
}

blame_writer_t blame_origin(const soc_replay_t *replay, blame_at_t *at, size_t *effect) {
  blame_writer_t writer;
  size_t found;
  while (blame_last_writer(replay, at, *effect, &found, &writer)) {
    const soc_effect_t e = soc_replay_effect(replay, found);
    blame_link_t link = {.at = *at};
    *effect = found;
    if (!is_move(&e.what->command) || !add_operands(&link, &e) || link.operands == 0) {
      free(link.operand);
      return BLAME_COMMAND;
    }
    *at = link.operand[0].at;
    free(link.operand);
  }
  return writer;
}

static bool add_link(blame_chain_t *chain, size_t effect, const blame_at_t *at) {
  blame_link_t *more = realloc(chain->link, (chain->links + 1) * sizeof *more);
  if (more == NULL) {
    return false;
  }
  chain->link = more;
  blame_link_t *link = &more[chain->links++];
  *link = (blame_link_t){.effect = effect, .at = *at, .followed = BLAME_NO_OPERAND};
  const soc_effect_t e = soc_replay_effect(chain->replay, effect);
  if (!add_operands(link, &e)) {
    return false;
  }
  take_values(chain->replay, link);
  link->followed = choose(chain->replay, &e.what->command, link);
  return true;
}

bool blame_walk(soc_replay_t *replay, const blame_at_t *start, size_t depth, blame_chain_t *chain) {
  *chain = (blame_chain_t){.replay = replay, .end = *start, .from = BLAME_COMMAND};
  size_t effect = soc_replay_effects(replay);
  while (blame_last_writer(replay, &chain->end, effect, &effect, &chain->from) && chain->links < depth) {
    if (!add_link(chain, effect, &chain->end)) {
      return false;
    }
    const blame_link_t *link = &chain->link[chain->links - 1];
    if (link->followed == BLAME_NO_OPERAND) {
      break;
    }
    chain->end = link->operand[link->followed].at;
  }
  return true;
}

void blame_chain_free(blame_chain_t *chain) {
  for (size_t i = 0; i < chain->links; ++i) {
    free(chain->link[i].operand);
  }
  free(chain->link);
  chain->link = NULL;
  chain->links = 0;
}
