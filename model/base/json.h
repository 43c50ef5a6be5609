// JSON: what cJSON lacks. It prints a number that is none (NAN, an infinity) as null.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_BASE_JSON_H
#define AMALGAM_BASE_JSON_H

#include <cJSON.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

// Makes a failed allocation end this process from here on (host_out_of_memory): some functions of cJSON leave out
// members for which they had no memory, and report nothing.
void json_needs_memory(void);

// A file's. NULL: it cannot be read, or is no JSON.
cJSON *json_read(const char *path);

// Reads a file that somebody named. If it fails, error says why, and that `expected` was expected.
cJSON *json_read_input(const char *path, const char *expected, base_error_t *error);

// root may be NULL: there was no memory for it. A write error shows when the file is closed.
bool json_print(FILE *file, const cJSON *root, base_error_t *error);

// Prints the object that fill(data, root) builds.
typedef void json_fill_fn(const void *data, cJSON *root);
bool json_write(FILE *file, json_fill_fn *fill, const void *data, base_error_t *error);

// A whole number that a double holds exactly, from 0 on. False: it is none; item may be NULL.
bool json_count(const cJSON *item, uint64_t *count);

// A name that an object somewhere in it has twice, of which readers take either; NULL: there is none.
const char *json_doubled(const cJSON *root);

// The text that cJSON has printed, in UTF-8 (json_add_bytes); NULL stays NULL.
char *json_utf8(char *text);

// A member's number or text; 0 and "" where there is none.
double json_number(const cJSON *object, const char *name);
const char *json_text(const cJSON *object, const char *name);

// A new object at the end of a list.
cJSON *json_add_row(cJSON *list);

// {..., name: value}
void json_add_count(cJSON *object, const char *name, uint64_t value);

// {..., "amalgam": {"version": "0.1.0", "commit": "6fcd534c0b1e"}}: which one made it; commit null: not known.
void json_add_amalgam(cJSON *object);

// {..., name: text} from bytes that need not be UTF-8: U+FFFD stands for each that belongs to no
// character, and for 0.
void json_add_bytes(cJSON *object, const char *name, const uint8_t *bytes, size_t count);

#endif
