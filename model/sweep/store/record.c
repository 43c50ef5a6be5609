// SPDX-License-Identifier: Apache-2.0
#include "sweep/store/record.h"

#include <math.h>
#include <string.h>

#include "base/json.h"

// The item of a.b[2].c; NULL: there is none.
static const cJSON *follow(const cJSON *item, const char *path) {
  char name[256];
  while (item != NULL && *path != '\0') {
    if (*path == '[') {
      int index = 0;
      for (++path; *path != ']'; ++path) {
        index = 10 * index + (*path - '0');
      }
      item = cJSON_IsArray(item) ? cJSON_GetArrayItem(item, index) : NULL;
      ++path;
      continue;
    }
    path += *path == '.';
    const size_t length = strcspn(path, ".[");
    if (length >= sizeof name) {
      return NULL;
    }
    memcpy(name, path, length);
    name[length] = '\0';
    item = cJSON_GetObjectItemCaseSensitive(item, name);
    path += length;
  }
  return item;
}

static double number(const cJSON *item) {
  return cJSON_IsNumber(item) ? item->valuedouble : cJSON_IsBool(item) ? cJSON_IsTrue(item) : (double)NAN;
}

static const char *text_of(const cJSON *root, const char *name, arena_t *arena) {
  const char *text = json_text(root, name);
  return text[0] == '\0' ? "" : arena_text(arena, text);
}

static bool fill_record(const cJSON *root, const study_t *study, arena_t *arena, record_t *record) {
  const cJSON *run = cJSON_GetObjectItemCaseSensitive(root, "run");
  const cJSON *code = cJSON_GetObjectItemCaseSensitive(root, "exit");
  if (!cJSON_IsNumber(code)) {
    return false;
  }
  *record = (record_t){.failed = code->valueint != 0,
                       .exit = code->valueint,
                       .attempts = (unsigned)json_number(root, "attempts"),
                       .seconds = json_number(root, "seconds"),
                       .peak_mb = json_number(root, "peak_mb"),
                       .limit_seconds = json_number(root, "limit_seconds"),
                       .limit_mb = json_number(root, "limit_mb"),
                       .error = text_of(root, "error", arena),
                       .host = text_of(root, "host", arena),
                       .metric = arena_bytes(arena, study->metrics, sizeof *record->metric)};
  for (size_t i = 0; i < study->metrics; ++i) {
    const char *path = study->metric[i].json;
    record->metric[i] = path == NULL ? (double)NAN : number(follow(run, path));
  }
  return true;
}

bool record_read(const char *path, const study_t *study, arena_t *arena, record_t *record) {
  cJSON *root = json_read(path);
  const bool good = fill_record(root, study, arena, record);
  cJSON_Delete(root);
  return good;
}

bool record_parse(const char *text, const study_t *study, arena_t *arena, record_t *record) {
  cJSON *root = cJSON_Parse(text);
  const bool good = fill_record(root, study, arena, record);
  cJSON_Delete(root);
  return good;
}

char *record_write(const record_t *record, const record_facts_t *facts, const char *run) {
  cJSON *root = cJSON_CreateObject();
  cJSON_AddStringToObject(root, "command", facts->command);
  cJSON_AddNumberToObject(root, "exit", record->exit);
  json_add_bytes(root, "error", (const uint8_t *)record->error, strlen(record->error));
  cJSON_AddStringToObject(root, "version", facts->version);
  cJSON_AddStringToObject(root, "host", record->host);
  cJSON_AddNumberToObject(root, "seconds", record->seconds);
  cJSON_AddNumberToObject(root, "peak_mb", record->peak_mb);
  json_add_count(root, "attempts", record->attempts);
  if (record->limit_seconds > 0) {
    cJSON_AddNumberToObject(root, "limit_seconds", record->limit_seconds);
  }
  if (record->limit_mb > 0) {
    cJSON_AddNumberToObject(root, "limit_mb", record->limit_mb);
  }
  if (run[0] != '\0') {
    cJSON_AddRawToObject(root, "run", run);
  }
  char *text = json_utf8(cJSON_Print(root));
  cJSON_Delete(root);
  return text;
}
