// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "host/interrupt.h"
#include "host/version.h"

static void *allocate(size_t bytes) {
  void *memory = malloc(bytes);
  if (memory == NULL) {
    host_out_of_memory();
  }
  return memory;
}

void json_needs_memory(void) { cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = allocate, .free_fn = free}); }

bool json_print(FILE *file, const cJSON *root, base_error_t *error) {
  char *text = root == NULL ? NULL : cJSON_Print(root);
  if (text == NULL) {
    return base_fail(error, "JSON: out of memory");
  }
  fprintf(file, "%s\n", text);
  cJSON_free(text);
  return true;
}

bool json_write(FILE *file, json_fill_fn *fill, const void *data, base_error_t *error) {
  cJSON *root = cJSON_CreateObject();
  if (root != NULL) {
    fill(data, root);
  }
  const bool good = json_print(file, root, error);
  cJSON_Delete(root);
  return good;
}

double json_number(const cJSON *object, const char *name) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
  return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

const char *json_text(const cJSON *object, const char *name) {
  const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
  return text == NULL ? "" : text;
}

bool json_count(const cJSON *item, uint64_t *count) {
  const double value = cJSON_IsNumber(item) ? item->valuedouble : -1.0;
  if (!(value >= 0.0 && value <= 0x1p53) || value != floor(value)) {
    return false;
  }
  *count = (uint64_t)value;
  return true;
}

cJSON *json_add_row(cJSON *list) {
  cJSON *row = cJSON_CreateObject();
  cJSON_AddItemToArray(list, row);
  return row;
}

void json_add_count(cJSON *object, const char *name, uint64_t value) {
  cJSON_AddNumberToObject(object, name, (double)value);
}

void json_add_amalgam(cJSON *object) {
  cJSON *amalgam = cJSON_AddObjectToObject(object, "amalgam");
  const char *commit = version_commit();
  cJSON_AddStringToObject(amalgam, "version", version_release());
  cJSON_AddItemToObject(amalgam, "commit", commit[0] == '\0' ? cJSON_CreateNull() : cJSON_CreateString(commit));
}

// Bytes of the UTF-8 character that x [n] begins with; 0: none. The lowest second bytes keep out
// what could be said shorter, and surrogates; U+0000 has no place in cJSON's strings.
static size_t character(const uint8_t *x, size_t n) {
  const unsigned lead = x[0];
  const size_t length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (lead == 0 || lead > 0xf4 || length == 0 || length > n) {
    return 0;
  }
  const unsigned low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  for (size_t i = 1; i < length; ++i) {
    if (x[i] < (i == 1 ? low : 0x80) || x[i] > (i == 1 ? high : 0xbf)) {
      return 0;
    }
  }
  return length;
}

void json_add_bytes(cJSON *object, const char *name, const uint8_t *bytes, size_t count) {
  static const char unknown[] = "\xef\xbf\xbd";
  char *text = malloc(count * strlen(unknown) + 1);
  size_t used = 0;
  if (text == NULL) {
    cJSON_AddNullToObject(object, name);
    return;
  }
  for (size_t i = 0; i < count;) {
    const size_t length = character(bytes + i, count - i);
    const size_t copied = length > 0 ? length : strlen(unknown);
    memcpy(text + used, length > 0 ? (const char *)bytes + i : unknown, copied);
    used += copied;
    i += length > 0 ? length : 1;
  }
  text[used] = '\0';
  cJSON_AddStringToObject(object, name, text);
  free(text);
}

static cJSON *read_open(FILE *file) {
  cJSON *root = NULL;
  fseek(file, 0, SEEK_END);
  const long length = ftell(file);
  char *text = length < 0 ? NULL : malloc((size_t)length + 1);
  rewind(file);
  if (text != NULL && fread(text, 1, (size_t)length, file) == (size_t)length) {
    text[length] = '\0';
    root = cJSON_Parse(text);
  }
  free(text);
  fclose(file);
  return root;
}

cJSON *json_read(const char *path) {
  FILE *file = fopen(path, "r");
  return file == NULL ? NULL : read_open(file);
}

cJSON *json_read_input(const char *path, const char *expected, base_error_t *error) {
  FILE *file = input_open(path, error);
  if (file == NULL) {
    return NULL;
  }
  cJSON *root = read_open(file);
  if (root == NULL) {
    base_fail(error, "%s: no JSON; expected %s", path, expected);
  }
  return root;
}
