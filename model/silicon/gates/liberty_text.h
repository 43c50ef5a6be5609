// Liberty text as a tree of groups and attributes, without any meaning yet.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SILICON_GATES_LIBERTY_TEXT_H
#define AMALGAM_SILICON_GATES_LIBERTY_TEXT_H

#include <stddef.h>

#include "base/error.h"

// name : word;   name (word, ...);   name (word, ...) { children }
typedef struct lib_node {
  char *name;   // names and words lie in the tree's letters
  char **word;  // without quotes
  size_t words;
  struct lib_node *child, *last_child, *next;
} lib_node_t;

typedef struct lib_text {
  lib_node_t root;  // its children are what the text has at its outermost level
  char *letters;
} lib_text_t;

// path: for messages. False: nothing to free.
bool lib_text_parse(const char *text, const char *path, lib_text_t *tree, base_error_t *error);
void lib_text_free(lib_text_t *tree);

// The next child of that name behind `after` (NULL: the first). NULL: none.
const lib_node_t *lib_node_child(const lib_node_t *node, const char *name, const lib_node_t *after);

// The first word of the child of that name. NULL: there is none.
const char *lib_node_word(const lib_node_t *node, const char *name);

#endif
