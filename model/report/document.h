// A report's contents: one JSON document, and a template (NAME.md beside NAME.c) that makes Markdown
// and a plot of it:
//
//   {time_us}          a member: text, or a number in full
//   {time_us:1}        with one decimal; {x:+1} with its sign, {x:3g} of 3 significant digits, {x:g} of 6
//   {fu*100:1}         times 100
//   {paper/time_us}    a member's member; of a list {rows/0}
//   {paper/time_us?}   may be missing; without the ? the report then fails
//   @rows | {sq} |     a line for each element of a list; of an object one line; of null none
//   @rows|d=64 ...     for those elements whose d is 64
//   @ | {fu} |         a further line for each, right after such a line
//   ```gnuplot NAME    up to ```: the script of NAME.svg, which is shown here. After the name may stand
//                      "bars", for bars side by side, and "size 960,420"
//
// In the line of an element names are looked for in the element first, then in the document. A number
// that is none (NAN), a null and what is missing leave nothing in Markdown and NaN in a plot. Members
// whose names begin with a dot are for the template alone; the JSON file lacks them.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_REPORT_DOCUMENT_H
#define AMALGAM_REPORT_DOCUMENT_H

#include <cJSON.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/json.h"

// --- the document -----------------------------------------------------------------------------

typedef struct report_member {
  const char *name;  // "paper/time_us": in the object "paper", which is made
  enum { REPORT_NULL, REPORT_NUMBER, REPORT_TEXT, REPORT_FLAG } kind;
  double number;
  const char *text;
} report_member_t;

#define NUMBER(name, value) \
  { (name), REPORT_NUMBER, (double)(value), NULL }
#define TEXT(name, value) \
  { (name), REPORT_TEXT, 0, (value) }
#define FLAG(name, value) \
  { (name), REPORT_FLAG, (value) ? 1 : 0, NULL }
#define NOTHING(name) \
  { (name), REPORT_NULL, 0, NULL }

// report_put(object, NUMBER("sq", 1), TEXT("mode", "splitk"), ...) adds members to the object;
// report_row(list, ...) adds an object with these members to the list. Both return the object.
#define report_put(object, ...) report_put_members((object), (const report_member_t[]){__VA_ARGS__, NOTHING(NULL)})
#define report_row(list, ...) report_put(json_add_row(list), __VA_ARGS__)
cJSON *report_put_members(cJSON *object, const report_member_t *member);

// As TEXT, printed.
void report_put_text(cJSON *object, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

// Deletes all that is for the template alone.
void report_strip(cJSON *item);

// --- the template -----------------------------------------------------------------------------

// const char NAME[]: the file model/report/PATH, in the program.
#define REPORT_TEMPLATE(name, path)                                                                     \
  __asm__(".section .rodata\n" #name ": .incbin \"" REPORT_FOLDER "/" path "\"\n.byte 0\n.previous\n"); \
  extern const char name[]

// The place of the plot's script in a template, and the contents of its first line.
typedef struct report_plot {
  char name[32];  // "fig10"; "": there is no plot
  char size[16];  // "760,380"
  bool bars;
  const char *at, *script, *end, *after;  // the block, its script; what follows the block
} report_plot_t;

// The name may have members of the document.
report_plot_t report_plot(const cJSON *root, const char *text);

// Prints the template up to end as text of the document, with `none` for what is missing. False: it has
// no member of that name (of the given size).
bool report_print(FILE *file, const cJSON *root, const char *text, const char *end, const char *none, char missing[64]);

#endif
