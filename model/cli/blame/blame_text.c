// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "cli/blame/blame.h"

enum { VALUE_BYTES = 32 };

static const char *value_text(double value, char text[VALUE_BYTES]) {
  snprintf(text, VALUE_BYTES, isnan(value) ? "NaN" : "%.7g", value);
  return text;
}

static void print_element(FILE *file, const blame_found_t *found) {
  char name[BLAME_NAME_BYTES], have[VALUE_BYTES], want[VALUE_BYTES];
  blame_name(found->replay, &found->at, name);
  fprintf(file, "element  %s = %s", name, value_text(found->have, have));
  if (found->expected.want != NULL && found->index < found->expected.count) {
    fprintf(file, ", expected %s (%s)\noff      %" PRIu64 " of %" PRIu64 " elements",
            value_text(found->expected.want[found->index], want), found->expected.by, found->off, found->elements);
  }
  fputc('\n', file);
}

// Prints the place that an operand comes from, past the moves.
static void print_operand(FILE *file, const blame_found_t *found, const blame_link_t *link, size_t i) {
  const blame_operand_t *operand = &link->operand[i];
  char name[BLAME_NAME_BYTES], origin[BLAME_NAME_BYTES], value[VALUE_BYTES];
  blame_at_t at = operand->at;
  size_t effect = link->effect;
  blame_name(found->replay, &operand->at, name);
  const blame_writer_t from = blame_origin(found->replay, &at, &effect);
  blame_name(found->replay, &at, origin);
  fprintf(file, "%s %s = %s", operand->field, name, value_text(operand->value, value));
  if (from == BLAME_INPUT) {
    fprintf(file, ", input %s", origin);
  } else if (from == BLAME_NOBODY) {
    fprintf(file, ", %s: never written", origin);
  }
}

static double term_size(const blame_link_t *link, size_t products, size_t i) {
  const double term = link->operand[i].value * (products > 0 ? link->operand[i + products].value : 1);
  return isnan(term) ? INFINITY : fabs(term);
}

static void print_term(FILE *file, const blame_found_t *found, const blame_link_t *link, size_t products, size_t i) {
  char value[VALUE_BYTES];
  fprintf(file, "       %c ",
          link->followed == (long)i || (products > 0 && link->followed == (long)(i + products)) ? '>' : ' ');
  print_operand(file, found, link, i);
  if (products > 0) {
    fprintf(file, "  x  ");
    print_operand(file, found, link, i + products);
    fprintf(file, "  =  %s", value_text(link->operand[i].value * link->operand[i + products].value, value));
  }
  fputc('\n', file);
}

// The largest terms.
static void print_terms(FILE *file, const blame_found_t *found, const blame_link_t *link, size_t products) {
  const size_t terms = products > 0 ? products : link->operands;
  double below = INFINITY;
  size_t last = SIZE_MAX;
  fprintf(file, "         %zu %s; the largest:\n", terms, products > 0 ? "products" : "terms");
  for (size_t shown = 0; shown < found->terms && shown < terms; ++shown) {
    size_t next = SIZE_MAX;
    for (size_t i = 0; i < terms; ++i) {
      const double size = term_size(link, products, i);
      const bool later = size < below || (size == below && (last == SIZE_MAX || i > last));
      if (later && (next == SIZE_MAX || size > term_size(link, products, next))) {
        next = i;
      }
    }
    if (next == SIZE_MAX) {
      return;
    }
    print_term(file, found, link, products, next);
    below = term_size(link, products, next);
    last = next;
  }
}

static void print_operands(FILE *file, const blame_found_t *found, const blame_link_t *link, const command_t *command) {
  const size_t products = blame_products(command);
  if (products > 0 || link->operands > 4) {
    print_terms(file, found, link, products);
    if (link->operands > 2 * products && products > 0) {
      fprintf(file, "       %c ", link->followed == (long)(2 * products) ? '>' : ' ');
      print_operand(file, found, link, 2 * products);
      fprintf(file, ", to which they are added\n");
    }
    return;
  }
  for (size_t i = 0; i < link->operands; ++i) {
    print_term(file, found, link, 0, i);
  }
}

static void print_link(FILE *file, const blame_found_t *found, size_t i) {
  const blame_link_t *link = &found->chain.link[i];
  const soc_effect_t effect = soc_replay_effect(found->replay, link->effect);
  char name[BLAME_NAME_BYTES], value[VALUE_BYTES], again[VALUE_BYTES], text[512];
  const command_t *command = &effect.what->command;
  blame_name(found->replay, &link->at, name);
  core_disassemble(command, text, sizeof text);
  fprintf(file, "%4zu  %s %s = %s", i + 1, name, core_type_name(link->at.type), value_text(link->after, value));
  if (!isnan(link->again)) {
    fprintf(file, "   in FP64 from its operands %s%s", value_text(link->again, again), link->leaves ? "  <-- OFF" : "");
  }
  fprintf(file, "\n      cycle %" PRIu64 ", %s %s, %s\n      %.200s\n", effect.what->done, effect.core,
          core_pipe_name(command->header.pipe_), soc_replay_line(found->replay, link->effect), text);
  if (link->note[0] != '\0') {
    fprintf(file, "         %s\n", link->note);
  }
  print_operands(file, found, link, command);
}

static void print_end(FILE *file, const blame_found_t *found) {
  char name[BLAME_NAME_BYTES];
  const blame_chain_t *chain = &found->chain;
  blame_name(found->replay, &chain->end, name);
  if (chain->from == BLAME_INPUT) {
    fprintf(file, "      %s is an input\n", name);
  } else if (chain->from == BLAME_NOBODY) {
    fprintf(file, "      %s: no command has written it\n", name);
  } else if (chain->links > 0 && chain->link[chain->links - 1].followed != BLAME_NO_OPERAND) {
    fprintf(file, "      ... (--depth)\n");
  }
}

static void print_repairs(FILE *file, const blame_found_t *found) {
  const blame_repairs_t *repairs = &found->repairs;
  if (!found->repaired) {
    return;
  }
  fprintf(file, "changes  %zu tried%s", repairs->tried, repairs->all ? "" : ", not all that there are");
  fputs(repairs->count == 0 ? "; none makes half of the elements right\n" : "; elements still off with the best:\n",
        file);
  for (size_t i = 0; i < repairs->count; ++i) {
    fprintf(file, "%10" PRIu64 "  %s: %s\n", repairs->list[i].off,
            soc_replay_line(found->replay, repairs->list[i].effect), repairs->list[i].change);
  }
}

void blame_text(FILE *file, const blame_found_t *found) {
  print_element(file, found);
  if (found->line[0] != '\0') {
    fprintf(file, "to blame %s\n         %s\n", found->line, found->why);
  } else if (found->why[0] != '\0') {
    fprintf(file, "to blame %s\n", found->why);
  }
  print_repairs(file, found);
  fputs("the chain, from the element back\n", file);
  for (size_t i = 0; i < found->chain.links; ++i) {
    print_link(file, found, i);
  }
  print_end(file, found);
}
