// The FST file: scopes, signals and values through GTKWave's writer, which Verilator ships.
// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <gtkwave/fstapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "waves/fst_guard.h"
#include "waves/waves_internal.h"

enum { MAX_LABELS = 64, LABEL_BITS = 8 };

struct waves_file {
  fst_guard_t guard;
  void *fst;
  const waves_variable_t *variables;
  char *text;               // bits of the widest value
  uint64_t spread_of[256];  // a byte's bits as text
};

// --- scopes and signals -----------------------------------------------------------------------

static int by_scope(const void *a, const void *b) {
  const waves_name_t *x = a;
  const waves_name_t *y = b;
  const int order = strcmp(x->scope, y->scope);
  return order != 0 ? order : (x->order > y->order) - (x->order < y->order);
}

// Bytes of the scopes that two names share, up to a dot or an end.
static size_t common(const char *a, const char *b) {
  size_t shared = 0;
  for (size_t i = 0;; ++i) {
    const bool a_ends = a[i] == '\0' || a[i] == '.';
    const bool b_ends = b[i] == '\0' || b[i] == '.';
    if (a_ends && b_ends) {
      shared = i;
    }
    if (a[i] != b[i] || a[i] == '\0') {
      return shared;
    }
  }
}

static void leave_scopes(void *fst, const char *scope, size_t down_to) {
  for (size_t i = strlen(scope); i > down_to; --i) {
    if (i - 1 == 0 || scope[i - 1] == '.') {
      fstWriterSetUpscope(fst);
    }
  }
}

static void enter_scopes(void *fst, const char *scope, size_t from) {
  while (scope[from] != '\0') {
    from += scope[from] == '.';
    const size_t length = strcspn(scope + from, ".");
    char name[256];
    snprintf(name, sizeof name, "%.*s", (int)length, scope + from);
    fstWriterSetScope(fst, FST_ST_VCD_MODULE, name, NULL);
    from += length;
  }
}

static void write_labels(void *fst, const waves_name_t *name, unsigned bits) {
  const char *labels[MAX_LABELS];
  const char *values[MAX_LABELS];
  char digits[MAX_LABELS][LABEL_BITS + 1];
  unsigned count = 0;
  for (; count < MAX_LABELS && name->labels[count] != NULL; ++count) {
    for (unsigned bit = 0; bit < bits; ++bit) {
      digits[count][bit] = (count >> (bits - 1 - bit) & 1) != 0 ? '1' : '0';
    }
    digits[count][bits] = '\0';
    labels[count] = name->labels[count];
    values[count] = digits[count];
  }
  // A table's name ends at a space, so the range stays out of it.
  char table[320];
  const int leaf = (int)strcspn(name->leaf, " ");
  snprintf(table, sizeof table, "%s.%.*s", name->scope, leaf, name->leaf);
  fstWriterEmitEnumTableRef(fst, fstWriterCreateEnumTable(fst, table, count, bits, labels, values));
}

static void write_name(void *fst, const waves_name_t *name, waves_variable_t *variable) {
  if (name->labels != NULL && variable->bits <= LABEL_BITS) {
    write_labels(fst, name, variable->bits);
  }
  const bool real = variable->bits == 0;
  const fstHandle handle =
      fstWriterCreateVar(fst, real ? FST_VT_VCD_REAL : FST_VT_VCD_WIRE, (enum fstVarDir)name->direction,
                         real ? 8 : variable->bits, name->leaf, variable->handle);
  if (variable->handle == 0) {
    variable->handle = handle;
  }
}

static void write_names(void *fst, const waves_name_t *names, size_t count, waves_variable_t *variables) {
  const char *scope = "";
  for (size_t i = 0; i < count; ++i) {
    const size_t shared = common(scope, names[i].scope);
    leave_scopes(fst, scope, shared);
    enter_scopes(fst, names[i].scope, shared);
    scope = names[i].scope;
    write_name(fst, &names[i], &variables[names[i].variable]);
  }
  leave_scopes(fst, scope, 0);
}

// Eight bits as text, highest first.
static uint64_t spread(uint32_t byte) {
  uint64_t bits = 0;
  for (unsigned i = 0; i < 8; ++i) {
    bits |= (uint64_t)(byte >> (7 - i) & 1) << (8 * i);
  }
  return bits | 0x3030303030303030u;
}

typedef struct opening {
  waves_file_t *file;
  const char *path, *unit;
  waves_name_t *names;
  size_t name_count;
  waves_variable_t *variables;
} opening_t;

static void create(void *context) {
  const opening_t *opening = context;
  void *fst = opening->file->fst = fstWriterCreate(opening->path, 1);
  if (fst != NULL) {
    fstWriterSetPackType(fst, FST_WR_PT_LZ4);
    fstWriterSetTimescaleFromString(fst, opening->unit);
    write_names(fst, opening->names, opening->name_count, opening->variables);
  }
}

waves_file_t *waves_file_open(const char *path, const char *unit, waves_name_t *names, size_t name_count,
                              waves_variable_t *variables, size_t variable_count) {
  waves_file_t *file = calloc(1, sizeof *file);
  uint32_t widest = 64;
  for (size_t i = 0; i < variable_count; ++i) {
    widest = variables[i].bits > widest ? variables[i].bits : widest;
  }
  char *text = malloc(widest + 32);
  if (file == NULL || text == NULL) {
    free(text);
    free(file);
    errno = ENOMEM;
    return NULL;
  }
  file->variables = variables;
  file->text = text;
  for (uint32_t byte = 0; byte < 256; ++byte) {
    file->spread_of[byte] = spread(byte);
  }
  qsort(names, name_count, sizeof *names, by_scope);
  opening_t opening = {file, path, unit, names, name_count, variables};
  if (!fst_guarded(&file->guard, create, &opening)) {
    waves_file_close(file);
    return NULL;
  }
  return file;
}

// --- values -----------------------------------------------------------------------------------

static void write_bits(const waves_file_t *file, const waves_variable_t *variable, const uint32_t *value) {
  const unsigned bytes = (variable->bits + 7) / 8;
  for (unsigned i = 0; i < bytes; ++i) {
    const unsigned byte = bytes - 1 - i;
    memcpy(file->text + 8 * (size_t)i, &file->spread_of[value[byte / 4] >> 8 * (byte % 4) & 0xFF], 8);
  }
  fstWriterEmitValueChange(file->fst, variable->handle, file->text + 8 * bytes - variable->bits);
}

static void write_value(const waves_file_t *file, const waves_variable_t *variable, const uint32_t *value) {
  if (variable->bits != 0) {
    write_bits(file, variable, value);
  } else {
    double real;
    memcpy(&real, value, sizeof real);
    fstWriterEmitValueChange(file->fst, variable->handle, &real);
  }
}

typedef struct records {
  const waves_file_t *file;
  const uint32_t *words;
  size_t count;
} records_t;

static void write_records(void *context) {
  const records_t *records = context;
  const waves_file_t *file = records->file;
  const uint32_t *words = records->words;
  for (size_t i = 0; i < records->count;) {
    const uint32_t number = words[i++];
    if (number == 0) {
      fstWriterEmitTimeChange(file->fst, words[i] | (uint64_t)words[i + 1] << 32);
      i += 2;
    } else {
      write_value(file, &file->variables[number], words + i);
      i += file->variables[number].words;
    }
  }
}

bool waves_file_write(waves_file_t *file, const uint32_t *words, size_t count) {
  records_t records = {file, words, count};
  return fst_guarded(&file->guard, write_records, &records);
}

bool waves_file_close(waves_file_t *file) {
  const bool good = fst_guarded(&file->guard, fstWriterClose, file->fst);
  const int why = file->guard.why;
  fst_guard_end(&file->guard);
  free(file->text);
  free(file);
  errno = why;
  return good;
}
