// SPDX-License-Identifier: Apache-2.0
#include "blame/watch.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hal/registers.h"

typedef struct watch {
  soc_replay_t *replay;
  const blame_place_t *place;  // [places]
  size_t places;
  FILE *file;
  uint8_t **before;  // by place: its bytes before the command
  bool *written;
} watch_t;

static blame_at_t first_byte(const blame_place_t *place) {
  return (blame_at_t){.memory = place->memory,
                      .core = place->core,
                      .space = place->space,
                      .address = place->address,
                      .type = CORE_TYPE_U8};
}

static bool write_touches(const soc_effect_t *effect, const core_access_t *write, const blame_place_t *place) {
  const uint8_t *base = effect->memory->base[write->space];
  const blame_at_t at = first_byte(place);
  const uint8_t *begin = blame_bytes(&at);
  if (write->space == SPACE_KV) {
    return false;
  }
  const uint8_t *row = base + (write->base - (write->space == SPACE_GM ? GM_BASE : 0));
  for (uint64_t r = 0; r < write->rows; ++r, row += write->pitch) {
    if (row < begin + place->bytes && begin < row + write->row_bytes) {
      return true;
    }
  }
  return false;
}

// Does a command's write touch the place?
static bool touches(const soc_effect_t *effect, const command_t *command, const blame_place_t *place) {
  core_access_t access[CORE_MAX_ACCESSES];
  const size_t count = core_accesses(command, access);
  for (size_t i = count; i > 0 && access[i - 1].write; --i) {
    if (write_touches(effect, &access[i - 1], place)) {
      return true;
    }
  }
  return false;
}

static bool before(void *context, size_t index, command_t *command) {
  const watch_t *watch = context;
  const soc_effect_t effect = soc_replay_effect(watch->replay, index);
  for (size_t i = 0; i < watch->places; ++i) {
    watch->written[i] = touches(&effect, command, &watch->place[i]);
    if (watch->written[i]) {
      const blame_at_t at = first_byte(&watch->place[i]);
      memcpy(watch->before[i], blame_bytes(&at), watch->place[i].bytes);
    }
  }
  return true;
}

// The type of what a command left in a place.
static uint32_t type_of(const command_t *command, const blame_place_t *place) {
  core_tensor_t tensor[CORE_MAX_TENSORS];
  const size_t count = core_tensors(command, tensor);
  const uint32_t type = tensor[count - 1].type;
  const bool unknown = type == CORE_TYPE_U8 || type == CORE_TYPE_U16 || type == CORE_TYPE_U32;
  return place->array != NULL && place->array->dims > 0 ? place->array->type
         : unknown && type == CORE_TYPE_U8              ? CORE_TYPE_U32
                                                        : type;
}

static double value_of(const uint8_t *bytes, uint32_t type) {
  uint8_t word[8] = {0};
  const unsigned bits = core_type_bits(type);
  memcpy(word, bytes, bits < 8 ? 1 : bits / 8);
  const core_memory_t memory = {.base = {[SPACE_UB] = word}, .bytes = {[SPACE_UB] = sizeof word}};
  const core_tensor_t one = {.space = SPACE_UB, .type = type, .pitch = 8, .rows = 1, .cols = 1};
  return core_tensor_value(&memory, &one, 0, 0);
}

// The bytes of the place that the command reached: how many elements, and the first that changed, or the first.
typedef struct seen {
  uint64_t count, first;  // elements, and a byte's offset in the place
} seen_t;

static seen_t look(const soc_effect_t *effect, const command_t *command, const blame_place_t *place, const uint8_t *old,
                   unsigned bytes) {
  const blame_at_t at = first_byte(place);
  const uint8_t *now = blame_bytes(&at);
  seen_t seen = {.count = 0};
  bool changed = false;
  for (uint64_t i = 0; i < place->bytes; i += bytes) {
    if (!blame_writes(effect->memory, command, now + i)) {
      continue;
    }
    const uint64_t size = place->bytes - i < bytes ? place->bytes - i : bytes;
    const bool differs = !changed && memcmp(now + i, old + i, size) != 0;
    seen.first = seen.count == 0 || differs ? i : seen.first;
    changed = changed || differs;
    ++seen.count;
  }
  return seen;
}

static const char *value_text(double value, char text[32]) {
  snprintf(text, 32, isnan(value) ? "NaN" : "%.9g", value);
  return text;
}

static void print_one(const watch_t *watch, size_t index, const command_t *command, size_t i) {
  const blame_place_t *place = &watch->place[i];
  const soc_effect_t effect = soc_replay_effect(watch->replay, index);
  const uint32_t type = type_of(command, place);
  const unsigned bytes = core_type_bits(type) < 8 ? 1 : core_type_bits(type) / 8;
  const seen_t seen = look(&effect, command, place, watch->before[i], bytes);
  blame_at_t at = first_byte(place);
  char name[BLAME_NAME_BYTES], who[32], more[48] = "";
  at.address += seen.first;
  at.type = type;
  blame_name(watch->replay, &at, name);
  snprintf(who, sizeof who, "%s.%s", effect.core, core_pipe_name(command->header.pipe_));
  if (place->bytes > bytes) {
    snprintf(more, sizeof more, " (%" PRIu64 " of %" PRIu64 ")", seen.count, (place->bytes + bytes - 1) / bytes);
  }
  char old[32], new[32];
  fprintf(watch->file, "%10" PRIu64 "  %-14s  %-9s  %s %s  %s -> %s%s  %s\n", effect.what->done, who,
          core_command_name(command->header.opcode_), name, core_type_name(type),
          value_text(value_of(watch->before[i] + seen.first, type), old), value_text(blame_value(&at), new), more,
          soc_replay_line(watch->replay, index));
}

static void after(void *context, size_t index, const command_t *command) {
  const watch_t *watch = context;
  for (size_t i = 0; i < watch->places; ++i) {
    if (watch->written[i]) {
      print_one(watch, index, command, i);
    }
  }
}

static bool watch_all(watch_t *watch, base_error_t *error) {
  watch->before = calloc(watch->places, sizeof *watch->before);
  watch->written = calloc(watch->places, sizeof *watch->written);
  bool good = watch->before != NULL && watch->written != NULL;
  for (size_t i = 0; good && i < watch->places; ++i) {
    watch->before[i] = malloc(watch->place[i].bytes + 8);
    good = watch->before[i] != NULL;
  }
  if (good) {
    const soc_replay_look_t hooks = {.context = watch, .before = before, .after = after};
    fprintf(watch->file, "#    cycle  pipe            command    element, before -> after\n");
    soc_replay_run(watch->replay, soc_replay_effects(watch->replay), &hooks);
  }
  for (size_t i = 0; watch->before != NULL && i < watch->places; ++i) {
    free(watch->before[i]);
  }
  free(watch->before);
  free(watch->written);
  return good || base_fail(error, "--watch: out of memory");
}

bool blame_watch(soc_replay_t *replay, const char *const *text, size_t count, FILE *file, base_error_t *error) {
  blame_place_t *place = calloc(count, sizeof *place);
  bool good = place != NULL || base_fail(error, "--watch: out of memory");
  for (size_t i = 0; good && i < count; ++i) {
    good = blame_place_parse(replay, "watch", text[i], &place[i], error);
  }
  if (good) {
    watch_t watch = {.replay = replay, .place = place, .places = count, .file = file};
    good = watch_all(&watch, error);
  }
  free(place);
  return good;
}
