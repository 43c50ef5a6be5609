// The log of changes: declared signals, the window, and the blocks on their way to the file.
// SPDX-License-Identifier: Apache-2.0
#include "waves/waves.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "waves/waves_internal.h"

enum {
  BLOCK_WORDS = 1 << 16,
  MOST_WAITING = 256,  // blocks that the simulation may be ahead of the writer
  MOST_SCOPES = 64,
  TIME_WORDS = 3,
};

struct waves {
  struct waves_head head;
  waves_options_t options;
  waves_port_t port;
  bool matched[MOST_SCOPES];

  waves_name_t *names;
  size_t name_count, name_room;
  waves_variable_t *variables;  // 0 is none
  size_t variable_count, variable_room;

  uint64_t time, written_time;  // of the current cycle; of the last record
  bool any_time;
  waves_block_t *block;  // being filled
  uint32_t *falling;     // clocks that are up in the current cycle
  size_t falling_count, falling_room;

  waves_file_t *file;
  bool failed;  // out of memory: what comes is lost

  // Everything is written: blocks for the writer, under mutex.
  pthread_t thread;
  bool running, ending;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  waves_block_t *first, *last;  // or, with keep, the ring
  size_t waiting;

  // With keep: values before the ring, at value_at[variable]; known if ever set.
  uint32_t *values;
  size_t *value_at;
  bool *known;
};

// --- declarations -----------------------------------------------------------------------------

static void *grown(void *array, size_t count, size_t *room, size_t size) {
  if (count < *room) {
    return array;
  }
  const size_t more = *room == 0 ? 256 : 2 * *room;
  void *larger = realloc(array, more * size);
  if (larger != NULL) {
    *room = more;
  }
  return larger;
}

// A glob names a signal, or a scope with all that is in it.
static bool matches(const char *glob, const char *name) {
  char path[1024];
  snprintf(path, sizeof path, "%s", name);
  for (;;) {
    if (fnmatch(glob, path, 0) == 0) {
      return true;
    }
    char *dot = strrchr(path, '.');
    if (dot == NULL) {
      return false;
    }
    *dot = '\0';
  }
}

// fnmatch takes "[3]" for one of a set of characters; here it is an element.
static void literal_brackets(char *to, size_t size, const char *glob) {
  size_t used = 0;
  for (; *glob != '\0' && used + 2 < size; ++glob) {
    if (*glob == '[' || *glob == ']') {
      to[used++] = '\\';
    }
    to[used++] = *glob;
  }
  to[used] = '\0';
}

static bool wanted(waves_t *waves, const char *name) {
  bool any = waves->options.scope_count == 0;
  for (size_t i = 0; i < waves->options.scope_count; ++i) {
    char glob[1024];
    literal_brackets(glob, sizeof glob, waves->options.scopes[i]);
    if (matches(glob, name)) {
      waves->matched[i] = true;
      any = true;
    }
  }
  return any;
}

static uint32_t add_variable(waves_t *waves, unsigned bits) {
  waves_variable_t *all = grown(waves->variables, waves->variable_count, &waves->variable_room, sizeof *all);
  if (all == NULL) {
    waves->failed = true;
    return 0;
  }
  waves->variables = all;
  all[waves->variable_count] = (waves_variable_t){.bits = bits, .words = bits == 0 ? 2 : (bits + 31) / 32};
  return (uint32_t)waves->variable_count++;
}

static char *copy(const char *text, size_t length) {
  char *bytes = malloc(length + 1);
  if (bytes != NULL) {
    memcpy(bytes, text, length);
    bytes[length] = '\0';
  }
  return bytes;
}

// leaf_note: " [31:0]" or "".
static uint32_t add_name(waves_t *waves, const char *name, const char *leaf_note, unsigned bits, unsigned direction,
                         uint32_t same_as, const char *const *labels) {
  if (!wanted(waves, name)) {
    return 0;
  }
  waves_name_t *all = grown(waves->names, waves->name_count, &waves->name_room, sizeof *all);
  const uint32_t variable = same_as != 0 ? same_as : add_variable(waves, bits);
  if (all == NULL || variable == 0) {
    waves->failed = true;
    return 0;
  }
  waves->names = all;
  const char *dot = strrchr(name, '.');
  const char *leaf = dot == NULL ? name : dot + 1;
  char full[512];
  snprintf(full, sizeof full, "%s%s", leaf, leaf_note);
  waves_name_t *to = &all[waves->name_count];
  *to = (waves_name_t){.scope = copy(name, dot == NULL ? 0 : (size_t)(dot - name)),
                       .leaf = copy(full, strlen(full)),
                       .variable = variable,
                       .direction = direction,
                       .labels = labels,
                       .order = waves->name_count};
  waves->failed |= to->scope == NULL || to->leaf == NULL;
  ++waves->name_count;
  return variable;
}

uint32_t waves_signal(waves_t *waves, const char *name, unsigned bits, const char *const *labels) {
  char note[32] = "";
  if (bits > 1) {
    snprintf(note, sizeof note, " [%u:0]", bits - 1);
  }
  return add_name(waves, name, note, bits, 0, 0, labels);
}

uint32_t waves_real(waves_t *waves, const char *name) { return add_name(waves, name, "", 0, 0, 0, NULL); }

static uint32_t port_declare(void *of, const waves_declared_t *signal) {
  char note[32] = "";
  if (signal->bus) {
    snprintf(note, sizeof note, " [%d:%d]", signal->msb, signal->lsb);
  }
  return add_name(of, signal->name, note, signal->bits, signal->direction, signal->same_as, NULL);
}

// --- blocks -----------------------------------------------------------------------------------

static waves_block_t *new_block(size_t words) {
  const size_t size = words > BLOCK_WORDS ? words : BLOCK_WORDS;
  waves_block_t *block = malloc(sizeof *block + size * sizeof block->words[0]);
  if (block != NULL) {
    *block = (waves_block_t){.size = size};
  }
  return block;
}

static void append(waves_t *waves, waves_block_t *block) {
  if (waves->last == NULL) {
    waves->first = block;
  } else {
    waves->last->next = block;
  }
  waves->last = block;
}

static waves_block_t *take_first(waves_t *waves) {
  waves_block_t *block = waves->first;
  waves->first = block->next;
  if (waves->first == NULL) {
    waves->last = NULL;
  }
  return block;
}

static void *write_blocks(void *of) {
  waves_t *waves = of;
  pthread_mutex_lock(&waves->mutex);
  for (;;) {
    while (waves->first == NULL && !waves->ending) {
      pthread_cond_wait(&waves->changed, &waves->mutex);
    }
    if (waves->first == NULL) {
      break;
    }
    waves_block_t *block = take_first(waves);
    --waves->waiting;
    pthread_cond_broadcast(&waves->changed);
    pthread_mutex_unlock(&waves->mutex);
    waves_file_write(waves->file, block->words, block->used);
    free(block);
    pthread_mutex_lock(&waves->mutex);
  }
  pthread_mutex_unlock(&waves->mutex);
  return NULL;
}

// Brings the values before the ring up to a time; returns the words that are before it.
static size_t pass_over(waves_t *waves, const waves_block_t *block, uint64_t until) {
  size_t i = 0;
  while (i < block->used) {
    const uint32_t *record = block->words + i;
    if (record[0] == 0) {
      if ((record[1] | (uint64_t)record[2] << 32) >= until) {
        return i;
      }
      i += TIME_WORDS;
    } else {
      const uint32_t words = waves->variables[record[0]].words;
      memcpy(waves->values + waves->value_at[record[0]], record + 1, words * sizeof *record);
      waves->known[record[0]] = true;
      i += 1 + words;
    }
  }
  return i;
}

static uint64_t kept_from(const waves_t *waves) {
  const double kept = (double)waves->options.keep * waves->options.per_cycle;
  return kept >= (double)waves->time ? 0 : waves->time - (uint64_t)kept;
}

static void turn_ring(waves_t *waves) {
  const uint64_t from = kept_from(waves);
  while (waves->first->next != NULL && waves->first->next->first_time <= from) {
    waves_block_t *block = take_first(waves);
    pass_over(waves, block, UINT64_MAX);
    free(block);
  }
}

static void hand_over(waves_t *waves) {
  waves_block_t *block = waves->block;
  waves->block = NULL;
  if (block == NULL || block->used == 0) {
    free(block);
    return;
  }
  if (waves->options.keep != 0) {
    append(waves, block);
    turn_ring(waves);
    return;
  }
  pthread_mutex_lock(&waves->mutex);
  while (waves->waiting >= MOST_WAITING) {
    pthread_cond_wait(&waves->changed, &waves->mutex);
  }
  append(waves, block);
  ++waves->waiting;
  pthread_cond_broadcast(&waves->changed);
  pthread_mutex_unlock(&waves->mutex);
}

// --- changes ----------------------------------------------------------------------------------

// Room for words of changes at a time, which is the last or a later one.
static uint32_t *room(waves_t *waves, uint64_t time, size_t words) {
  const size_t need = words + TIME_WORDS;
  if (waves->block == NULL || waves->block->size - waves->block->used < need) {
    hand_over(waves);
    waves->block = new_block(need);
    if (waves->block == NULL) {
      waves->failed = true;
      return NULL;
    }
    waves->any_time = false;  // a block begins with its time
    waves->block->first_time = time;
  }
  waves_block_t *block = waves->block;
  if (!waves->any_time || waves->written_time != time) {
    block->words[block->used++] = 0;
    block->words[block->used++] = (uint32_t)time;
    block->words[block->used++] = (uint32_t)(time >> 32);
    waves->written_time = time;
    waves->any_time = true;
  }
  return block->words + block->used;
}

static void clocks_fall(waves_t *waves) {
  const uint64_t middle = waves->time + (uint64_t)(waves->options.per_cycle / 2);
  uint32_t *to = waves->falling_count == 0 ? NULL : room(waves, middle, 2 * waves->falling_count);
  for (size_t i = 0; to != NULL && i < waves->falling_count; ++i) {
    *to++ = waves->falling[i];
    *to++ = 0;
    waves->block->used += 2;
  }
  waves->falling_count = 0;
}

void waves_at(waves_t *waves, uint64_t cycle) {
  const uint64_t time = (uint64_t)llround((double)cycle * waves->options.per_cycle);
  if (time > waves->time) {
    clocks_fall(waves);
    waves->time = time;
  }
}

static uint32_t *port_room(void *of, size_t words) {
  waves_t *waves = of;
  return room(waves, waves->time, words);
}

static void port_done(void *of, uint32_t *end) {
  waves_block_t *block = ((waves_t *)of)->block;
  block->used = (size_t)(end - block->words);
}

static void port_clock(void *of, uint32_t signal) {
  waves_t *waves = of;
  uint32_t *all = grown(waves->falling, waves->falling_count, &waves->falling_room, sizeof *all);
  if (all != NULL) {
    waves->falling = all;
    all[waves->falling_count++] = signal;
    waves_set(waves, signal, 1);
  } else {
    waves->failed = true;
  }
}

void waves_set(waves_t *waves, uint32_t signal, uint64_t value) {
  if (signal == 0 || !waves->head.open) {
    return;
  }
  uint32_t *to = room(waves, waves->time, 3);
  if (to != NULL) {
    to[0] = signal;
    to[1] = (uint32_t)value;
    to[2] = (uint32_t)(value >> 32);
    waves->block->used += 1 + waves->variables[signal].words;
  }
}

void waves_set_real(waves_t *waves, uint32_t signal, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  waves_set(waves, signal, bits);
}

void waves_open_window(waves_t *waves, bool open) { waves->head.open = open; }

// --- begin and end ----------------------------------------------------------------------------

waves_t *waves_new(const waves_options_t *options) {
  waves_t *waves = calloc(1, sizeof *waves);
  if (waves == NULL) {
    return NULL;
  }
  waves->options = *options;
  if (options->scope_count > MOST_SCOPES) {
    waves->options.scope_count = MOST_SCOPES;
  }
  waves->port = (waves_port_t){waves, port_declare, port_room, port_done, port_clock};
  waves->head.open = true;
  pthread_mutex_init(&waves->mutex, NULL);
  pthread_cond_init(&waves->changed, NULL);
  add_variable(waves, 1);  // number 0
  return waves;
}

const waves_port_t *waves_port(waves_t *waves) { return &waves->port; }

static bool open_file(waves_t *waves) {
  waves->file = waves_file_open(waves->options.path, waves->options.unit, waves->names, waves->name_count,
                                waves->variables, waves->variable_count);
  return waves->file != NULL;
}

static bool begin_ring(waves_t *waves) {
  size_t words = 0;
  waves->value_at = calloc(waves->variable_count, sizeof *waves->value_at);
  waves->known = calloc(waves->variable_count, sizeof *waves->known);
  for (size_t i = 0; waves->value_at != NULL && i < waves->variable_count; ++i) {
    waves->value_at[i] = words;
    words += waves->variables[i].words;
  }
  waves->values = calloc(words, sizeof *waves->values);
  return waves->value_at != NULL && waves->known != NULL && waves->values != NULL;
}

bool waves_begin(waves_t *waves, char message[WAVES_MESSAGE_BYTES]) {
  for (size_t i = 0; i < waves->options.scope_count; ++i) {
    if (!waves->matched[i]) {
      snprintf(message, WAVES_MESSAGE_BYTES, "--trace-scope %.160s: no signal or scope matches",
               waves->options.scopes[i]);
      return false;
    }
  }
  if (waves->failed || (waves->options.keep != 0 && !begin_ring(waves))) {
    snprintf(message, WAVES_MESSAGE_BYTES, "trace: out of memory");
    return false;
  }
  if (waves->options.keep != 0) {
    return true;
  }
  if (!open_file(waves)) {
    snprintf(message, WAVES_MESSAGE_BYTES, "trace: cannot write: %s", strerror(errno));
    return false;
  }
  waves->running = pthread_create(&waves->thread, NULL, write_blocks, waves) == 0;
  if (!waves->running) {
    snprintf(message, WAVES_MESSAGE_BYTES, "trace: cannot start a thread");
  }
  return waves->running;
}

// The values at the ring's beginning, as records.
static void write_values(waves_t *waves, uint64_t time) {
  const uint32_t stamp[TIME_WORDS] = {0, (uint32_t)time, (uint32_t)(time >> 32)};
  waves_file_write(waves->file, stamp, TIME_WORDS);
  for (uint32_t i = 1; i < waves->variable_count; ++i) {
    uint32_t *value = waves->values + waves->value_at[i];
    if (waves->known[i]) {
      // In front of a variable's words stands the last one of the variable before it.
      const uint32_t before = value[-1];
      value[-1] = i;
      waves_file_write(waves->file, value - 1, 1 + waves->variables[i].words);
      value[-1] = before;
    }
  }
}

static bool write_ring(waves_t *waves) {
  const uint64_t from = kept_from(waves);
  if (!open_file(waves)) {
    return false;
  }
  bool inside = false;
  for (const waves_block_t *block = waves->first; block != NULL; block = block->next) {
    const size_t before = inside ? 0 : pass_over(waves, block, from);
    if (!inside && (before < block->used || block->next == NULL)) {
      write_values(waves, from);
      inside = true;
    }
    waves_file_write(waves->file, block->words + before, block->used - before);
  }
  return true;
}

bool waves_end(waves_t *waves, bool badly) {
  clocks_fall(waves);
  hand_over(waves);
  bool good = true;
  if (waves->running) {
    pthread_mutex_lock(&waves->mutex);
    waves->ending = true;
    pthread_cond_broadcast(&waves->changed);
    pthread_mutex_unlock(&waves->mutex);
    pthread_join(waves->thread, NULL);
    waves->running = false;
  } else if (waves->options.keep != 0 && badly) {
    good = write_ring(waves);
  }
  if (waves->file != NULL) {
    good = waves_file_close(waves->file);
    waves->file = NULL;
  }
  if (good && waves->failed) {
    errno = ENOMEM;
  }
  return good && !waves->failed;
}

void waves_delete(waves_t *waves) {
  if (waves == NULL) {
    return;
  }
  while (waves->first != NULL) {
    free(take_first(waves));
  }
  for (size_t i = 0; i < waves->name_count; ++i) {
    free(waves->names[i].scope);
    free(waves->names[i].leaf);
  }
  free(waves->names);
  free(waves->variables);
  free(waves->falling);
  free(waves->block);
  free(waves->values);
  free(waves->value_at);
  free(waves->known);
  pthread_mutex_destroy(&waves->mutex);
  pthread_cond_destroy(&waves->changed);
  free(waves);
}
