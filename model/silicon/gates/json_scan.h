// Reads JSON from front to back without keeping it: netlists are too long for a tree.
// SPDX-License-Identifier: Apache-2.0
#ifndef SILICON_GATES_JSON_SCAN_H
#define SILICON_GATES_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>

typedef struct json_scan {
  char *at;                // in text of the caller, which is cut up
  bool good;               // no mistake so far; after one, all loops end
} json_scan_t;

//   for (bool more = json_open(s, '{'); more; more = json_more(s, '}')) {
//     name = json_string(s); json_colon(s); ...
//   }
//
// goes through an object, and the same with [ ] and without names through an array.
bool json_open(json_scan_t *scan, char bracket);
bool json_more(json_scan_t *scan, char bracket);

// A string, as it stands between its quotes; escapes stay, but \\ ends up as one. "" after a
// mistake.
char *json_string(json_scan_t *scan);
void json_colon(json_scan_t *scan);

// A number or a string of digits; -1: neither, e.g. "x".
long json_number(json_scan_t *scan);

void json_skip(json_scan_t *scan);   // a value of any kind

#endif
