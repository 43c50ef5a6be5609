// SPDX-License-Identifier: Apache-2.0
#include "silicon/gates/liberty_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 32 };

typedef struct reader {
  const char *at;
  const char *path;
  size_t line, depth;
  char *letters;  // the next free one
  base_error_t *error;
} reader_t;

static bool fail(const reader_t *r, const char *what) {
  return base_fail(r->error, "%s: line %zu: %s", r->path, r->line, what);
}

// The end of a comment that begins here; here, if there is no comment.
static const char *comment_end(const char *at) {
  if (at[0] != '/' || (at[1] != '*' && at[1] != '/')) {
    return at;
  }
  const char *end = strstr(at + 2, at[1] == '*' ? "*/" : "\n");
  return end == NULL ? at + strlen(at) : end + (at[1] == '*' ? 2 : 0);
}

// Space, comments, and the backslashes before line breaks.
static void skip(reader_t *r) {
  for (;;) {
    const char *end = comment_end(r->at);
    if (end == r->at && (isspace((unsigned char)*r->at) || *r->at == '\\')) {
      end = r->at + 1;
    }
    if (end == r->at) {
      return;
    }
    for (; r->at < end; ++r->at) {
      r->line += *r->at == '\n';
    }
  }
}

// A word ends before any of `ends`, or is in quotes and may hold anything. NULL: there is none.
static char *read_word(reader_t *r, const char *ends) {
  skip(r);
  const bool quoted = *r->at == '"';
  r->at += quoted;
  char *word = r->letters;
  while (*r->at != '\0' && (quoted ? *r->at != '"' : strchr(ends, *r->at) == NULL)) {
    r->line += *r->at == '\n';
    *r->letters++ = *r->at == '\n' || *r->at == '\\' ? ' ' : *r->at;
    r->at += 1;
  }
  if (quoted ? *r->at != '"' : r->letters == word) {
    return NULL;
  }
  r->at += quoted;
  while (r->letters > word && isspace((unsigned char)r->letters[-1])) {
    r->letters -= 1;
  }
  *r->letters++ = '\0';
  return word;
}

static bool add_word(reader_t *r, lib_node_t *node, char *word) {
  char **list = realloc(node->word, (node->words + 1) * sizeof *list);
  if (list == NULL) {
    return fail(r, "out of memory");
  }
  node->word = list;
  node->word[node->words++] = word;
  return true;
}

static bool read_list(reader_t *r, lib_node_t *node) {
  r->at += 1;  // the parenthesis
  for (skip(r); *r->at != ')'; skip(r)) {
    char *word = read_word(r, ",)\n");
    if (word == NULL) {
      return fail(r, "expected a word or )");
    }
    if (!add_word(r, node, word)) {
      return false;
    }
    skip(r);
    r->at += *r->at == ',';
  }
  r->at += 1;
  return true;
}

static bool read_children(reader_t *r, lib_node_t *node);

// Behind the name: attribute or group.
static bool read_rest(reader_t *r, lib_node_t *node) {
  skip(r);
  if (*r->at == ':') {
    r->at += 1;
    char *word = read_word(r, ";}\n");
    return word == NULL ? fail(r, "expected a value") : add_word(r, node, word);
  }
  if (*r->at != '(') {
    return fail(r, "expected : or (");
  }
  if (!read_list(r, node)) {
    return false;
  }
  skip(r);
  if (*r->at == '{') {
    r->at += 1;
    return read_children(r, node);
  }
  return true;
}

static lib_node_t *add_child(lib_node_t *parent) {
  lib_node_t *node = calloc(1, sizeof *node);
  if (node != NULL) {
    *(parent->child == NULL ? &parent->child : &parent->last_child->next) = node;
    parent->last_child = node;
  }
  return node;
}

// Up to the } of the node, or the end of the text for the root.
static bool read_children(reader_t *r, lib_node_t *node) {
  if (++r->depth > DEPTH_MAX) {
    return fail(r, "groups are nested too deeply");
  }
  for (skip(r); *r->at != '}' && *r->at != '\0'; skip(r)) {
    lib_node_t *child = add_child(node);
    if (child == NULL) {
      return fail(r, "out of memory");
    }
    child->name = read_word(r, " \t\r\n:(){};,");
    if (child->name == NULL) {
      return fail(r, "expected a name");
    }
    if (!read_rest(r, child)) {
      return false;
    }
    for (skip(r); *r->at == ';'; skip(r)) {
      r->at += 1;
    }
  }
  if ((*r->at == '}') != (r->depth > 1)) {
    return fail(r, r->depth > 1 ? "the text ends inside a group" : "} without a group");
  }
  r->at += *r->at == '}';
  r->depth -= 1;
  return true;
}

bool lib_text_parse(const char *text, const char *path, lib_text_t *tree, base_error_t *error) {
  // A word of the text and what ends it are not shorter than the word and its zero; but for the
  // last.
  *tree = (lib_text_t){.letters = malloc(strlen(text) + 2)};
  reader_t r = {.at = text, .path = path, .line = 1, .letters = tree->letters, .error = error};
  const bool good = tree->letters == NULL ? fail(&r, "out of memory") : read_children(&r, &tree->root);
  if (!good) {
    lib_text_free(tree);
  }
  return good;
}

static void free_children(lib_node_t *node) {
  for (lib_node_t *child = node->child; child != NULL;) {
    lib_node_t *next = child->next;
    free_children(child);
    free(child->word);
    free(child);
    child = next;
  }
}

void lib_text_free(lib_text_t *tree) {
  free_children(&tree->root);
  free(tree->letters);
  *tree = (lib_text_t){.letters = NULL};
}

const lib_node_t *lib_node_child(const lib_node_t *node, const char *name, const lib_node_t *after) {
  const lib_node_t *child = after == NULL ? node->child : after->next;
  while (child != NULL && strcmp(child->name, name) != 0) {
    child = child->next;
  }
  return child;
}

const char *lib_node_word(const lib_node_t *node, const char *name) {
  const lib_node_t *child = lib_node_child(node, name, NULL);
  return child == NULL || child->words == 0 ? NULL : child->word[0];
}
