// SPDX-License-Identifier: Apache-2.0
#include "silicon/gates/json_scan.h"

#include <stdlib.h>
#include <string.h>

static void space(json_scan_t *scan) { scan->at += strspn(scan->at, " \t\r\n"); }

static bool take(json_scan_t *scan, char mark) {
  space(scan);
  if (*scan->at != mark) {
    return false;
  }
  scan->at += 1;
  return true;
}

static void expect(json_scan_t *scan, char mark) { scan->good = scan->good && take(scan, mark); }

bool json_open(json_scan_t *scan, char bracket) {
  expect(scan, bracket);
  return scan->good && !take(scan, bracket == '{' ? '}' : ']');
}

bool json_more(json_scan_t *scan, char bracket) {
  if (!scan->good || take(scan, ',')) {
    return scan->good;
  }
  expect(scan, bracket);
  return false;
}

char *json_string(json_scan_t *scan) {
  static char none[1];
  expect(scan, '"');
  if (!scan->good) {
    return none;
  }
  char *start = scan->at, *out = scan->at;
  for (; *scan->at != '"' && *scan->at != '\0'; ++scan->at) {
    scan->at += scan->at[0] == '\\' && scan->at[1] != '\0';
    *out++ = *scan->at;
  }
  scan->good = *scan->at == '"';
  scan->at += scan->good;
  *out = '\0';
  return start;
}

void json_colon(json_scan_t *scan) { expect(scan, ':'); }

long json_number(json_scan_t *scan) {
  space(scan);
  char *end;
  if (*scan->at == '"') {
    const char *text = json_string(scan);
    const long number = strtol(text, &end, 10);
    return *text == '\0' || *end != '\0' ? -1 : number;
  }
  const long number = strtol(scan->at, &end, 10);
  scan->good = scan->good && end != scan->at;
  scan->at = end;
  return number;
}

void json_skip(json_scan_t *scan) {
  size_t depth = 0;
  do {
    space(scan);
    switch (*scan->at) {
      case '\0': scan->good = false; return;
      case '"': json_string(scan); break;
      case '{': case '[': depth += 1; scan->at += 1; break;
      case '}': case ']': depth -= 1; scan->at += 1; break;
      case ',': case ':': scan->at += 1; break;
      default: scan->at += strcspn(scan->at, ",:]} \t\r\n"); break;
    }
  } while (depth > 0 && scan->good);
}
