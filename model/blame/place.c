// SPDX-License-Identifier: Apache-2.0
#include "blame/place.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "hal/registers.h"

// --- arrays -----------------------------------------------------------------------------------

static unsigned element_bytes(const soc_buffer_t *array) {
  return array->dims == 0 ? 1 : core_type_bits(array->type) / 8;
}

uint64_t blame_elements(const soc_buffer_t *array) {
  uint64_t count = 1;
  for (unsigned i = 0; i < array->dims; ++i) {
    count *= array->shape[i];
  }
  return array->dims == 0 ? array->bytes : count;
}

static uint64_t row_elements(const soc_buffer_t *array) {
  return array->dims == 0 ? array->bytes : array->shape[array->dims - 1];
}

static uint64_t row_pitch(const soc_buffer_t *array) {
  return array->pitch != 0 ? array->pitch : row_elements(array) * element_bytes(array);
}

uint64_t blame_element_address(const soc_buffer_t *array, uint64_t index) {
  const uint64_t cols = row_elements(array);
  return array->address + index / cols * row_pitch(array) + index % cols * element_bytes(array);
}

const soc_buffer_t *blame_array(const soc_replay_t *replay, const char *name) {
  size_t count;
  const soc_buffer_t *array = soc_replay_arrays(replay, &count);
  for (size_t i = 0; i < count; ++i) {
    if (strcmp(array[i].name, name) == 0) {
      return &array[i];
    }
  }
  return NULL;
}

static const soc_buffer_t *array_at(const soc_replay_t *replay, uint64_t address) {
  size_t count;
  const soc_buffer_t *array = soc_replay_arrays(replay, &count);
  for (size_t i = 0; i < count; ++i) {
    if (address >= array[i].address && address - array[i].address < array[i].bytes) {
      return &array[i];
    }
  }
  return NULL;
}

// --- from text --------------------------------------------------------------------------------

static bool refuse(const char *option, const char *text, base_error_t *error) {
  return base_fail(error,
                   "--%s: expected gm:NAME[I,J], gm:NAME, gm:ADDRESS+BYTES or CORE.BUFFER:OFFSET+BYTES, such as "
                   "gm:out[3,17] or cube0.l0c:0+1024; got '%s'",
                   option, text);
}

// "0x40+64", numbers decimal or hexadecimal; without +BYTES one byte.
static bool read_range(const char *text, uint64_t *first, uint64_t *bytes) {
  char *end;
  if (text[0] < '0' || text[0] > '9') {
    return false;
  }
  *first = strtoull(text, &end, 0);
  *bytes = 1;
  if (*end == '+') {
    const char *number = end + 1;
    *bytes = number[0] >= '0' && number[0] <= '9' ? strtoull(number, &end, 0) : 0;
  }
  return *end == '\0' && *bytes > 0 && *first <= UINT64_MAX - *bytes;
}

static bool read_index(const char *text, size_t length, uint64_t *number, unsigned *count) {
  char word[24];
  *count = 0;
  for (const char *at = text; *count < SOC_MAX_DIMS; ++at) {
    const size_t left = length - (size_t)(at - text);
    const char *comma = memchr(at, ',', left);
    const size_t digits = comma == NULL ? left : (size_t)(comma - at);
    snprintf(word, sizeof word, "%.*s", (int)(digits < sizeof word ? digits : 0), at);
    if (!parse_count(word, &number[(*count)++])) {
      return false;
    }
    at += digits;
    if (comma == NULL) {
      return true;
    }
  }
  return false;
}

static core_space_t find_space(const char *name) {
  static const struct {
    const char *name;
    core_space_t space;
  } spaces[] = {{"l1", SPACE_L1}, {"l0a", SPACE_L0A}, {"l0b", SPACE_L0B}, {"l0c", SPACE_L0C}, {"ub", SPACE_UB}};
  for (size_t i = 0; i < sizeof spaces / sizeof *spaces; ++i) {
    if (strcmp(spaces[i].name, name) == 0) {
      return spaces[i].space;
    }
  }
  return SPACE_COUNT;
}

typedef struct words {
  char core[16], buffer[8];  // of a buffer, else ""
  char array[64];            // of an array, else ""
  uint64_t index[SOC_MAX_DIMS];
  unsigned indices;
  uint64_t first, bytes;  // of a range
} words_t;

static bool split_gm(const char *rest, words_t *words) {
  if (read_range(rest, &words->first, &words->bytes)) {
    return true;
  }
  const size_t name = strcspn(rest, "[");
  const size_t length = strlen(rest);
  if (name == 0 || name >= sizeof words->array || strcspn(rest, "+:") < name) {
    return false;
  }
  snprintf(words->array, sizeof words->array, "%.*s", (int)name, rest);
  return rest[name] == '\0' ||
         (rest[length - 1] == ']' && read_index(rest + name + 1, length - name - 2, words->index, &words->indices));
}

static bool split(const char *text, words_t *words) {
  *words = (words_t){.bytes = 0};
  const char *colon = strchr(text, ':');
  if (colon == NULL) {
    return false;
  }
  if (strncmp(text, "gm:", 3) == 0) {
    return split_gm(colon + 1, words);
  }
  const char *dot = memchr(text, '.', (size_t)(colon - text));
  if (dot == NULL || (size_t)(dot - text) >= sizeof words->core || (size_t)(colon - dot) > sizeof words->buffer) {
    return false;
  }
  snprintf(words->core, sizeof words->core, "%.*s", (int)(dot - text), text);
  snprintf(words->buffer, sizeof words->buffer, "%.*s", (int)(colon - dot - 1), dot + 1);
  return find_space(words->buffer) != SPACE_COUNT && read_range(colon + 1, &words->first, &words->bytes);
}

bool blame_place_check(const char *option, const char *text, base_error_t *error) {
  words_t words;
  return split(text, &words) || refuse(option, text, error);
}

static bool take_index(const soc_buffer_t *array, const char *option, const uint64_t *number, unsigned count,
                       uint64_t *index, base_error_t *error) {
  const uint64_t elements = blame_elements(array);
  *index = number[0];
  if (count > 1 && count != array->dims) {
    return base_fail(error, "--%s: array %s has %u dimensions, got %u numbers", option, array->name, array->dims,
                     count);
  }
  for (unsigned i = 0; count > 1 && i < count; ++i) {
    if (number[i] >= array->shape[i]) {
      return base_fail(error, "--%s: number %u of the element: expected 0 to %" PRIu64 ", got %" PRIu64, option, i + 1,
                       array->shape[i] - 1, number[i]);
    }
    *index = i == 0 ? number[0] : *index * array->shape[i] + number[i];
  }
  return *index < elements || base_fail(error, "--%s: array %s has %" PRIu64 " elements, got %" PRIu64, option,
                                        array->name, elements, *index);
}

bool blame_index_parse(const soc_buffer_t *array, const char *option, const char *text, uint64_t *index,
                       base_error_t *error) {
  uint64_t number[SOC_MAX_DIMS];
  unsigned count;
  return (read_index(text, strlen(text), number, &count) ||
          base_fail(error, "--%s: expected an element as 3,17, got '%s'", option, text)) &&
         take_index(array, option, number, count, index, error);
}

static bool no_array(const soc_replay_t *replay, const char *option, const char *name, base_error_t *error) {
  char names[256] = "";
  size_t count;
  const soc_buffer_t *array = soc_replay_arrays(replay, &count);
  for (size_t i = 0; i < count; ++i) {
    const size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s", i == 0 ? "" : ", ", array[i].name);
  }
  return base_fail(error, "--%s: no array '%s' in this run; there are %s", option, name, names);
}

static bool array_place(const soc_replay_t *replay, const words_t *words, const char *option, blame_place_t *place,
                        base_error_t *error) {
  const soc_buffer_t *array = blame_array(replay, words->array);
  uint64_t index = 0;
  if (array == NULL) {
    return no_array(replay, option, words->array, error);
  }
  if (words->indices > 0 && !take_index(array, option, words->index, words->indices, &index, error)) {
    return false;
  }
  place->array = array;
  place->address = words->indices > 0 ? blame_element_address(array, index) : array->address;
  place->bytes = words->indices > 0 ? element_bytes(array) : array->bytes;
  return true;
}

bool blame_place_parse(const soc_replay_t *replay, const char *option, const char *text, blame_place_t *place,
                       base_error_t *error) {
  words_t words;
  if (!split(text, &words)) {
    return refuse(option, text, error);
  }
  *place = (blame_place_t){.core = "gm", .space = SPACE_GM, .address = words.first, .bytes = words.bytes};
  if (words.core[0] == '\0') {
    place->memory = soc_replay_any_memory(replay);
    if (words.array[0] != '\0') {
      return array_place(replay, &words, option, place, error);
    }
    place->array = array_at(replay, words.first);
    return (place->array != NULL && words.bytes <= place->array->bytes - (words.first - place->array->address)) ||
           base_fail(error, "--%s: %s: not within one array of this run", option, text);
  }
  place->core = words.core;
  place->space = find_space(words.buffer);
  place->memory = soc_replay_memory(replay, words.core, &place->core);
  return (place->memory != NULL && place->memory->bytes[place->space] >= words.first + words.bytes) ||
         base_fail(error, "--%s: %s: no such bytes in a buffer of this machine", option, text);
}

// --- elements ---------------------------------------------------------------------------------

const uint8_t *blame_bytes(const blame_at_t *at) {
  return at->memory->base[at->space] + (at->space == SPACE_GM ? at->address - GM_BASE : at->address);
}

double blame_value(const blame_at_t *at) {
  const core_tensor_t one = {
      .space = at->space, .type = at->type, .base = at->address, .pitch = 8, .rows = 1, .cols = 8};
  return core_tensor_value(at->memory, &one, 0, at->part);
}

static void element_name(const soc_buffer_t *array, uint64_t address, char name[BLAME_NAME_BYTES]) {
  const uint64_t offset = address - array->address;
  const uint64_t pitch = row_pitch(array);
  const uint64_t row = offset / pitch;
  const uint64_t col = offset % pitch / element_bytes(array);
  if (array->dims == 0 || col >= row_elements(array)) {
    snprintf(name, BLAME_NAME_BYTES, "%s+0x%" PRIx64, array->name, offset);
    return;
  }
  uint64_t number[SOC_MAX_DIMS];
  uint64_t rest = row;
  number[array->dims - 1] = col;
  for (unsigned i = array->dims - 1; i-- > 0;) {
    number[i] = i == 0 ? rest : rest % array->shape[i];
    rest /= array->shape[i];
  }
  int used = snprintf(name, BLAME_NAME_BYTES, "%.32s", array->name);
  for (unsigned i = 0; i < array->dims; ++i) {
    used += snprintf(name + used, BLAME_NAME_BYTES - (size_t)used, "%s%" PRIu64, i == 0 ? "[" : ",", number[i]);
  }
  snprintf(name + used, BLAME_NAME_BYTES - (size_t)used, "]");
}

void blame_name(const soc_replay_t *replay, const blame_at_t *at, char name[BLAME_NAME_BYTES]) {
  const soc_buffer_t *array = at->space == SPACE_GM ? array_at(replay, at->address) : NULL;
  if (array != NULL) {
    element_name(array, at->address, name);
    return;
  }
  char space[16];
  snprintf(space, sizeof space, "%s", core_space_name(at->space));
  for (char *c = space; *c != '\0'; ++c) {
    *c = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
  }
  snprintf(name, BLAME_NAME_BYTES, "%s.%s:0x%" PRIx64, at->core, space, at->address);
}

static bool reaches(const core_memory_t *memory, const core_access_t *access, const uint8_t *byte) {
  const uint8_t *base = memory->base[access->space];
  const uint64_t first = access->space == SPACE_GM ? access->base - GM_BASE : access->base;
  if (base == NULL || access->space == SPACE_KV || byte < base + first || byte >= base + memory->bytes[access->space]) {
    return false;
  }
  const uint64_t offset = (uint64_t)(byte - base) - first;
  const uint64_t row = access->pitch == 0 ? 0 : offset / access->pitch;
  const uint64_t last = row < access->rows ? row : access->rows - 1;
  return offset - last * access->pitch < access->row_bytes;
}

bool blame_writes(const core_memory_t *memory, const command_t *command, const uint8_t *byte) {
  core_access_t access[CORE_MAX_ACCESSES];
  for (size_t i = core_accesses(command, access); i > 0 && access[i - 1].write; --i) {
    if (reaches(memory, &access[i - 1], byte)) {
      return true;
    }
  }
  return false;
}
