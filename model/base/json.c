// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "host/interrupt.h"
#include "host/utf8.h"
#include "host/version.h"

static void *allocate(size_t bytes) {
  void *memory = malloc(bytes);
  if (memory == NULL) {
    host_out_of_memory();
  }
  return memory;
}

// In new memory; NULL: there is none.
static char *as_utf8(const uint8_t *bytes, size_t count) {
  char *text = malloc(count * strlen(UTF8_UNKNOWN) + 1);
  size_t used = 0;
  for (size_t i = 0; text != NULL && i < count;) {
    const size_t length = utf8_character(bytes + i, count - i);
    const size_t copied = length > 0 ? length : strlen(UTF8_UNKNOWN);
    memcpy(text + used, length > 0 ? (const char *)bytes + i : UTF8_UNKNOWN, copied);
    used += copied;
    i += length > 0 ? length : 1;
  }
  if (text != NULL) {
    text[used] = '\0';
  }
  return text;
}

char *json_utf8(char *text) {
  char *valid = text == NULL ? NULL : as_utf8((const uint8_t *)text, strlen(text));
  cJSON_free(text);
  return valid;
}

void json_needs_memory(void) { cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = allocate, .free_fn = free}); }

bool json_print(FILE *file, const cJSON *root, base_error_t *error) {
  char *text = root == NULL ? NULL : json_utf8(cJSON_Print(root));
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

void json_add_bytes(cJSON *object, const char *name, const uint8_t *bytes, size_t count) {
  char *text = as_utf8(bytes, count);
  if (text == NULL) {
    cJSON_AddNullToObject(object, name);
    return;
  }
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

static int by_name(const void *a, const void *b) {
  return strcmp((*(const cJSON *const *)a)->string, (*(const cJSON *const *)b)->string);
}

// A name that two members of an object have; NULL: none.
static const char *doubled_member(const cJSON *object) {
  const size_t count = (size_t)cJSON_GetArraySize(object);
  const cJSON **members = cJSON_malloc((count + 1) * sizeof(const cJSON *));
  const char *doubled = NULL;
  const cJSON *item;
  size_t n = 0;
  cJSON_ArrayForEach(item, object) { members[n++] = item; }
  qsort(members, n, sizeof *members, by_name);
  for (size_t i = 1; i < n && doubled == NULL; ++i) {
    doubled = by_name(&members[i - 1], &members[i]) == 0 ? members[i]->string : NULL;
  }
  cJSON_free(members);
  return doubled;
}

// No deeper than cJSON reads.
const char *json_doubled(const cJSON *root) {  // NOLINT(misc-no-recursion)
  const char *doubled = cJSON_IsObject(root) ? doubled_member(root) : NULL;
  for (const cJSON *item = root->child; item != NULL && doubled == NULL; item = item->next) {
    doubled = json_doubled(item);
  }
  return doubled;
}

cJSON *json_read_input(const char *path, const char *expected, base_error_t *error) {
  FILE *file = input_open(path, error);
  if (file == NULL) {
    return NULL;
  }
  cJSON *root = read_open(file);
  if (root == NULL) {
    base_fail(error, "%s: no JSON; expected %s", path, expected);
    return NULL;
  }
  const char *doubled = json_doubled(root);
  if (doubled != NULL) {
    base_fail(error, "%s: '%.100s' is given twice in an object; expected once", path, doubled);
    cJSON_Delete(root);
    return NULL;
  }
  return root;
}
