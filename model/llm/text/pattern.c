// SPDX-License-Identifier: Apache-2.0
#include "llm/text/pattern.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// --- categories -------------------------------------------------------------------------------

enum category {
  LU = 1,
  LL = 2,
  LT = 4,
  LM = 8,
  LO = 16,
  M = 32,
  ND = 64,
  NO = 128,
  P = 256,
  S = 512,
  Z = 1024,
  PAIRS = LU | LL
};
enum { LETTERS = LU | LL | LT | LM | LO, NUMBERS = ND | NO, SPACE = 1 << 11, WORD = 1 << 12 };

static const struct {
  uint32_t first;
  uint16_t more, category;
} ranges[] = {
#define R(first, more, category) {first, more, category},
#include "llm/text/unicode.def"
#undef R
};

static unsigned category_of(uint32_t point) {
  size_t low = 0, high = sizeof ranges / sizeof *ranges;
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    if (ranges[middle].first <= point) {
      low = middle;
    } else {
      high = middle;
    }
  }
  const uint32_t place = point - ranges[low].first;
  if (point < ranges[low].first || place > ranges[low].more) {
    return 0;
  }
  return ranges[low].category == PAIRS ? (place % 2 == 0 ? LU : LL) : ranges[low].category;
}

// White_Space of PropList.txt.
static bool is_space(uint32_t point) {
  return (point >= 9 && point <= 13) || point == 0x85 || point == 0x2028 || point == 0x2029 ||
         (category_of(point) & Z) != 0;
}

static bool is_of(unsigned categories, uint32_t point) {
  const unsigned category = category_of(point);
  return (category & categories) != 0 || ((categories & SPACE) != 0 && is_space(point)) ||
         ((categories & WORD) != 0 && ((category & (LETTERS | M | NUMBERS)) != 0 || point == '_'));
}

// --- patterns as trees ------------------------------------------------------------------------

enum kind { SET, GROUP, LOOK, REPEAT, BEGIN, END };
enum way { GREEDY, LAZY, POSSESSIVE };
enum { MOST_ITEMS = 40, UNBOUNDED = 1 << 28 };

// Code points first .. last, or those of categories; negated: all others.
typedef struct item {
  uint32_t first, last;
  unsigned categories;  // 0: by number
  bool negated;
} item_t;

typedef struct node node_t;
struct node {
  enum kind kind;
  node_t *next;         // what follows
  node_t *child;        // of a GROUP or LOOK: the first alternative; of a REPEAT: what is repeated
  node_t *other;        // the next alternative of the same group, if this is one's head
  bool head;            // an alternative's head, which matches nothing by itself
  bool negated, folds;  // SET, LOOK; letters of both cases
  size_t least, most;   // REPEAT
  enum way way;
  size_t items;
  item_t item[MOST_ITEMS];
  node_t *all;  // of the pattern, for freeing
};

struct llm_pattern {
  node_t *root, *all;
};

typedef struct parser {
  llm_pattern_t *pattern;
  uint32_t *text;
  size_t count, at;
  bool folds;
  const char *problem;  // NULL: none
} parser_t;

static node_t *new_node(parser_t *p, enum kind kind) {
  node_t *node = calloc(1, sizeof *node);
  if (node == NULL) {
    p->problem = "out of memory";
    return NULL;
  }
  node->kind = kind;
  node->folds = p->folds;
  node->all = p->pattern->all;
  p->pattern->all = node;
  return node;
}

static bool next_is(const parser_t *p, const char *text) {
  for (size_t i = 0; text[i] != '\0'; ++i) {
    if (p->at + i >= p->count || p->text[p->at + i] != (uint32_t)text[i]) {
      return false;
    }
  }
  return true;
}

static bool take(parser_t *p, const char *text) {
  const bool there = next_is(p, text);
  p->at += there ? strlen(text) : 0;
  return there;
}

static void add_item(parser_t *p, node_t *set, item_t item) {
  if (set->items == MOST_ITEMS) {
    p->problem = "a set of more than 40 parts";
    return;
  }
  set->item[set->items++] = item;
}

static unsigned category_named(parser_t *p) {
  static const struct {
    const char *name;
    unsigned categories;
  } names[] = {{"{L}", LETTERS}, {"{Lu}", LU},     {"{Ll}", LL}, {"{Lt}", LT}, {"{Lm}", LM}, {"{Lo}", LO},
               {"{M}", M},       {"{N}", NUMBERS}, {"{Nd}", ND}, {"{P}", P},   {"{S}", S},   {"{Z}", Z}};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    if (take(p, names[i].name)) {
      return names[i].categories;
    }
  }
  p->problem = "a category that is not known";
  return 0;
}

// What stands behind a backslash: a class, or a code point.
static item_t take_escape(parser_t *p) {
  static const struct {
    char letter;
    unsigned categories;
    bool negated;
  } classes[] = {{'s', SPACE, false}, {'S', SPACE, true}, {'d', ND, false},
                 {'D', ND, true},     {'w', WORD, false}, {'W', WORD, true}};
  static const char *const controls[] = {"n\n", "r\r", "t\t", "f\f", "v\v"};
  const uint32_t letter = p->at < p->count ? p->text[p->at++] : 0;
  if (letter == 'p' || letter == 'P') {
    return (item_t){.categories = category_named(p), .negated = letter == 'P'};
  }
  for (size_t i = 0; i < sizeof classes / sizeof *classes; ++i) {
    if (letter == (uint32_t)classes[i].letter) {
      return (item_t){.categories = classes[i].categories, .negated = classes[i].negated};
    }
  }
  for (size_t i = 0; i < sizeof controls / sizeof *controls; ++i) {
    if (letter == (uint32_t)controls[i][0]) {
      return (item_t){.first = (uint32_t)controls[i][1], .last = (uint32_t)controls[i][1]};
    }
  }
  if (letter == 0 || (letter < 128 && (category_of(letter) & (LETTERS | NUMBERS)) != 0)) {
    p->problem = "an escape that is not known";
  }
  return (item_t){.first = letter, .last = letter};
}

static item_t take_point(parser_t *p) {
  if (take(p, "\\")) {
    return take_escape(p);
  }
  const uint32_t point = p->text[p->at++];
  return (item_t){.first = point, .last = point};
}

static node_t *take_set(parser_t *p) {
  node_t *set = new_node(p, SET);
  if (set == NULL) {
    return NULL;
  }
  set->negated = take(p, "^");
  while (p->problem == NULL && p->at < p->count && !next_is(p, "]")) {
    if (next_is(p, "[") || next_is(p, "&&")) {
      p->problem = "a set within a set";
      break;
    }
    item_t item = take_point(p);
    if (item.categories == 0 && next_is(p, "-") && p->at + 1 < p->count && p->text[p->at + 1] != ']') {
      p->at++;
      const item_t last = take_point(p);
      p->problem = last.categories != 0 || last.last < item.first ? "a range without order" : p->problem;
      item.last = last.last;
    }
    add_item(p, set, item);
  }
  if (!take(p, "]")) {
    p->problem = p->problem == NULL ? "a set without end" : p->problem;
  }
  return set;
}

static node_t *take_alternatives(parser_t *p);

static node_t *take_group(parser_t *p) {
  const bool folded = p->folds;
  enum kind kind = GROUP;
  bool negated = false;
  if (take(p, "?i:")) {
    p->folds = true;
  } else if (take(p, "?!")) {
    kind = LOOK;
    negated = true;
  } else if (take(p, "?=")) {
    kind = LOOK;
  } else if (!take(p, "?:") && next_is(p, "?")) {
    p->problem = "a group that is not known";
    return NULL;
  }
  node_t *group = new_node(p, kind);
  if (group != NULL) {
    group->negated = negated;
    group->child = take_alternatives(p);
  }
  p->folds = folded;
  if (!take(p, ")")) {
    p->problem = p->problem == NULL ? "a group without end" : p->problem;
  }
  return group;
}

static node_t *take_one(parser_t *p) {
  if (take(p, "(")) {
    return take_group(p);
  }
  if (take(p, "[")) {
    return take_set(p);
  }
  if (next_is(p, "^") || next_is(p, "$")) {
    return new_node(p, take(p, "^") ? BEGIN : (p->at++, END));
  }
  if (next_is(p, "*") || next_is(p, "+") || next_is(p, "?")) {
    p->problem = "a repetition of nothing";
    return NULL;
  }
  node_t *set = new_node(p, SET);
  if (set != NULL && take(p, ".")) {
    set->negated = true;
    add_item(p, set, (item_t){.first = '\n', .last = '\n'});
  } else if (set != NULL) {
    add_item(p, set, take_point(p));
  }
  return set;
}

static size_t take_number(parser_t *p, size_t otherwise) {
  size_t number = 0;
  const size_t first = p->at;
  while (p->at < p->count && p->text[p->at] >= '0' && p->text[p->at] <= '9' && number < UNBOUNDED) {
    number = 10 * number + (p->text[p->at++] - '0');
  }
  return p->at == first ? otherwise : number;
}

// ?, *, + or {n,m}; false: nothing is repeated.
static bool take_times(parser_t *p, size_t *least, size_t *most) {
  *least = 0;
  *most = UNBOUNDED;
  if (take(p, "?")) {
    *most = 1;
  } else if (take(p, "+")) {
    *least = 1;
  } else if (take(p, "{")) {
    *least = take_number(p, 0);
    *most = take(p, ",") ? take_number(p, UNBOUNDED) : *least;
    p->problem = !take(p, "}") || *most < *least ? "times that are not understood" : p->problem;
  } else {
    return take(p, "*");
  }
  return true;
}

static node_t *take_repeated(parser_t *p) {
  node_t *one = take_one(p);
  size_t least, most;
  if (one == NULL || p->problem != NULL || !take_times(p, &least, &most)) {
    return one;
  }
  node_t *repeat = new_node(p, REPEAT);
  if (repeat != NULL) {
    repeat->child = one;
    repeat->least = least;
    repeat->most = most;
    repeat->way = take(p, "+") ? POSSESSIVE : take(p, "?") ? LAZY : GREEDY;
    p->problem = repeat->way == POSSESSIVE && one->kind != SET ? "a possessive group" : p->problem;
  }
  return repeat;
}

// An alternative's head is a group that matches nothing, so that each may be empty.
static node_t *take_alternatives(parser_t *p) {
  node_t *first = NULL, **place = &first;
  do {
    node_t *head = new_node(p, GROUP);
    if (head == NULL) {
      return first;
    }
    head->head = true;
    *place = head;
    place = &head->other;
    node_t **end = &head->next;
    while (p->problem == NULL && p->at < p->count && !next_is(p, "|") && !next_is(p, ")")) {
      node_t *node = take_repeated(p);
      if (node != NULL) {
        *end = node;
        end = &node->next;
      }
    }
  } while (p->problem == NULL && take(p, "|"));
  return first;
}

llm_pattern_t *llm_pattern_compile(const char *text, base_error_t *error) {
  const size_t bytes = strlen(text);
  llm_pattern_t *pattern = calloc(1, sizeof *pattern);
  parser_t p = {.pattern = pattern, .text = malloc((bytes + 1) * sizeof *p.text)};
  if (pattern == NULL || p.text == NULL) {
    p.problem = "out of memory";
  } else {
    p.count = llm_utf8_decode(text, bytes, p.text);
    pattern->root = take_alternatives(&p);
    p.problem = p.problem == NULL && p.at < p.count ? "a group's end without its begin" : p.problem;
  }
  free(p.text);
  if (p.problem != NULL) {
    base_fail(error, "pattern '%.200s': %s", text, p.problem);
    llm_pattern_free(pattern);
    return NULL;
  }
  return pattern;
}

void llm_pattern_free(llm_pattern_t *pattern) {
  while (pattern != NULL && pattern->all != NULL) {
    node_t *node = pattern->all;
    pattern->all = node->all;
    free(node);
  }
  free(pattern);
}

// --- matching ---------------------------------------------------------------------------------

typedef struct matcher {
  const uint32_t *text;
  size_t count;
} matcher_t;

// What there is to match behind a group, or behind one of a repetition's.
typedef struct follow {
  const node_t *node;
  const struct follow *up;
  bool repeats;  // node is a REPEAT, of which there have been `done` up to `began`
  size_t done, began;
} follow_t;

static uint32_t fold(uint32_t point) {
  return point >= 'A' && point <= 'Z' ? point + 32 : point == 0x17f ? 's' : point == 0x212a ? 'k' : point;
}

static bool in_set(const node_t *set, uint32_t point) {
  bool found = false;
  const uint32_t folded = set->folds ? fold(point) : point;
  for (size_t i = 0; !found && i < set->items; ++i) {
    const item_t *item = &set->item[i];
    const uint32_t first = set->folds ? fold(item->first) : item->first;
    const uint32_t last = set->folds ? fold(item->last) : item->last;
    found = item->categories != 0
                ? is_of(item->categories, point) != item->negated
                : (point >= item->first && point <= item->last) || (folded >= first && folded <= last);
  }
  return found != set->negated;
}

static long go(const matcher_t *m, const node_t *node, size_t at, const follow_t *follow);

// The first alternative that matches, with all that follows.
static long any_of(const matcher_t *m, const node_t *alternative, size_t at, const follow_t *follow) {
  long end = LLM_NO_MATCH;
  for (; end == LLM_NO_MATCH && alternative != NULL; alternative = alternative->other) {
    end = go(m, alternative->next, at, follow);
  }
  return end;
}

static long repeat_set(const matcher_t *m, const node_t *node, size_t at, const follow_t *follow) {
  const bool lazy = node->way == LAZY;
  size_t most = 0;
  while (most < node->most && at + most < m->count && in_set(node->child, m->text[at + most])) {
    most++;
  }
  long end = LLM_NO_MATCH;
  for (size_t i = node->least; end == LLM_NO_MATCH && i <= most; ++i) {
    end = go(m, node->next, at + (lazy ? i : most - (i - node->least)), follow);
    if (node->way == POSSESSIVE) {
      break;
    }
  }
  return end;
}

static long repeat_group(const matcher_t *m, const node_t *node, size_t done, size_t at, const follow_t *follow) {
  const follow_t again = {.node = node, .up = follow, .repeats = true, .done = done + 1, .began = at};
  const bool may_end = done >= node->least, lazy = node->way == LAZY;
  long end = may_end && lazy ? go(m, node->next, at, follow) : LLM_NO_MATCH;
  if (end == LLM_NO_MATCH && done < node->most) {
    end = any_of(m, node->child->child, at, &again);
  }
  return end == LLM_NO_MATCH && may_end && !lazy ? go(m, node->next, at, follow) : end;
}

static long go_on(const matcher_t *m, size_t at, const follow_t *follow) {
  if (follow == NULL) {
    return (long)at;
  }
  if (!follow->repeats) {
    return go(m, follow->node, at, follow->up);
  }
  return at == follow->began ? go(m, follow->node->next, at, follow->up)  // nothing, once more: enough
                             : repeat_group(m, follow->node, follow->done, at, follow->up);
}

static long go(const matcher_t *m, const node_t *node, size_t at, const follow_t *follow) {
  if (node == NULL) {
    return go_on(m, at, follow);
  }
  const follow_t behind = {.node = node->next, .up = follow};
  switch (node->kind) {
    case SET:
      return at < m->count && in_set(node, m->text[at]) ? go(m, node->next, at + 1, follow) : LLM_NO_MATCH;
    case GROUP:
      return any_of(m, node->child, at, &behind);
    case LOOK:
      return (any_of(m, node->child, at, NULL) == LLM_NO_MATCH) == node->negated ? go(m, node->next, at, follow)
                                                                                 : LLM_NO_MATCH;
    case REPEAT:
      return node->child->kind == SET ? repeat_set(m, node, at, follow) : repeat_group(m, node, 0, at, follow);
    case BEGIN:
      return at == 0 ? go(m, node->next, at, follow) : LLM_NO_MATCH;
    default:
      return at == m->count ? go(m, node->next, at, follow) : LLM_NO_MATCH;
  }
}

long llm_pattern_match(const llm_pattern_t *pattern, const uint32_t *text, size_t count, size_t at) {
  const matcher_t matcher = {text, count};
  return any_of(&matcher, pattern->root, at, NULL);
}

// --- UTF-8 ------------------------------------------------------------------------------------

// Bytes of the code point that begins there; 1 if it is broken.
static size_t length_of(const uint8_t *text, size_t bytes) {
  const size_t length = text[0] < 0xc2 ? 1 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : text[0] < 0xf5 ? 4 : 1;
  bool good = length <= bytes;
  for (size_t i = 1; good && i < length; ++i) {
    good = (text[i] & 0xc0) == 0x80;
  }
  return good ? length : 1;
}

size_t llm_utf8_decode(const char *text, size_t bytes, uint32_t *out) {
  static const uint32_t masks[] = {0, 0xff, 0x1f, 0x0f, 0x07};
  const uint8_t *in = (const uint8_t *)text;
  size_t count = 0;
  for (size_t at = 0, length; at < bytes; at += length) {
    length = length_of(in + at, bytes - at);
    uint32_t point = in[at] & masks[length];
    for (size_t i = 1; i < length; ++i) {
      point = point << 6 | (in[at + i] & 0x3fu);
    }
    out[count++] = point;
  }
  return count;
}

size_t llm_utf8_encode(uint32_t point, char out[4]) {
  const size_t length = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  static const uint32_t marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
  for (size_t i = length; i-- > 1; point >>= 6) {
    out[i] = (char)(0x80 | (point & 0x3f));
  }
  out[0] = (char)(marks[length] | point);
  return length;
}
