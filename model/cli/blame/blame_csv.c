// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "cli/blame/blame.h"
#include "cli/text/csv.h"

enum { PATH_BYTES = 4096 };

static const char *const names[BLAME_TABLES] = {"chain", "operands", "changes"};

bool blame_add_tables(const char *name, outputs_t *outputs, size_t table[BLAME_TABLES], base_error_t *error) {
  if (name[0] == '\0' || strcmp(name, "-") == 0) {
    return base_fail(error, "--csv: expected what the files' names begin with, such as r for r.chain.csv, got '%s'",
                     name);
  }
  for (size_t i = 0; i < BLAME_TABLES; ++i) {
    char path[PATH_BYTES];
    const int length = snprintf(path, sizeof path, "%s.%s.csv", name, names[i]);
    if (length >= PATH_BYTES) {
      return base_fail(error, "--csv: name too long");
    }
    if (!outputs_add(outputs, path, &table[i], error)) {
      return false;
    }
  }
  return true;
}

// Takes the operands out of the links: a table of their own, with the number of the link.
static cJSON *take_operands(cJSON *chain) {
  cJSON *all = cJSON_CreateArray();
  cJSON *link;
  uint64_t number = 0;
  cJSON_ArrayForEach(link, chain) {
    cJSON *operands = cJSON_DetachItemFromObjectCaseSensitive(link, "operands");
    const cJSON *operand;
    ++number;
    cJSON_ArrayForEach(operand, operands) {
      cJSON *row = json_add_row(all);
      const cJSON *item;
      json_add_count(row, "link", number);
      cJSON_ArrayForEach(item, operand) { cJSON_AddItemToObject(row, item->string, cJSON_Duplicate(item, true)); }
    }
    cJSON_Delete(operands);
  }
  return all;
}

bool blame_write_tables(const blame_found_t *found, outputs_t *outputs, const size_t table[BLAME_TABLES],
                        base_error_t *error) {
  cJSON *root = cJSON_CreateObject();
  blame_json(found, root);
  cJSON *chain = cJSON_GetObjectItemCaseSensitive(root, "chain");
  cJSON *operands = take_operands(chain);
  const cJSON *const lists[BLAME_TABLES] = {chain, operands, cJSON_GetObjectItemCaseSensitive(root, "changes")};
  bool good = true;
  for (size_t i = 0; good && i < BLAME_TABLES; ++i) {
    FILE *file = outputs_open(outputs, table[i], error);
    good = file != NULL;
    if (good) {
      csv_write(file, lists[i]);
    }
  }
  cJSON_Delete(operands);
  cJSON_Delete(root);
  return good;
}
