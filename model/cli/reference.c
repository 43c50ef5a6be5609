// SPDX-License-Identifier: Apache-2.0
#include "cli/reference.h"

#include <stdio.h>
#include <string.h>

#include "base/output.h"
#include "cli/option/manual.h"
#include "config/config.h"
#include "hal/command.h"

static void print_pipe_names(unsigned mask) {
  const char *comma = "";
  if (mask == PIPE_ANY) {
    printf("any");
    return;
  }
#define PIPE(name, code, cores, text)  \
  if ((mask & PIPE_BIT_##name) != 0) { \
    printf("%s" #name, comma);         \
    comma = ", ";                      \
  }
#include "hal/pipes.def"
}

static void print_kinds(unsigned mask) {
  const char *comma = "";
#define CORE_KIND(NAME, name, text, groups, each) \
  if ((mask & ON_##NAME) != 0) {                  \
    printf("%s" #name, comma);                    \
    comma = ", ";                                 \
  }
#include "hal/core_kinds.def"
}

static void print_pipes(void) {
  printf("## Pipes\n\n| pipe | code | cores | what it does |\n|---|---|---|---|\n");
#define PIPE(name, code, cores, text)  \
  printf("| %s | %d | ", #name, code); \
  print_kinds(cores);                  \
  printf(" | %s |\n", text);
#include "hal/pipes.def"
}

// The call with which firmware pushes it.
static void print_calls(unsigned opcode) {
  static const struct {
    const char *call;
    unsigned opcode;
  } calls[] = {
#define CALL(text, name) {text, OP_##name},
#include "hal_calls.def"
#undef CALL
  };
  for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
    if (calls[i].opcode == opcode) {
      printf("\n\nCall: `%s`", calls[i].call);
    }
  }
}

// How long it keeps its pipe.
#define COST_FIXED(entry) "`" entry "`"
#define COST_GBPS(entry) "its bytes at `" entry "`, slower beside other moves"
#define COST_BYTES(entry) "its bytes at `" entry "`"
#define COST_OWN(entry) "by a formula with section `" entry "`"
#define COST_NONE(entry) "as the " entry " takes"

static void print_commands(void) {
  printf("\n## Commands\n");
#define COMMAND(upper, lower, cores, pipes, class, data, cost, entry, text) \
  printf("\n### %s\n\nCores: ", #upper);                                    \
  print_kinds(cores);                                                       \
  printf(". Pipe: ");                                                       \
  print_pipe_names(pipes);                                                  \
  printf(". Cycles: %s.", COST_##cost(#entry));                             \
  print_calls(OP_##upper);                                                  \
  printf("\n\n%s.\n\n| field | type | meaning |\n|---|---|---|\n", text);
#define FIELD(type, name, text) printf("| %s | %s | %s |\n", #name, #type, text);
#include "hal/commands.def"
}

static void print_instruction(const char *name, const char *cost, uint32_t types, const char *text) {
  static const char *const names[TYPE_COUNT] = {
#define TYPE(name, bits, text) [TYPE_##name] = #name,
#include "hal/types.def"
  };
  printf("| %s | %s |", name, cost);
  for (uint32_t type = 0; type < TYPE_COUNT; ++type) {
    if ((types >> type & 1) != 0) {
      printf(" %s", names[type]);
    }
  }
  printf(" | %s |\n", text);
}

static void print_operations(void) {
  printf(
      "\n## Operations of VEC\n\n"
      "| operation | cost, in config vector | meaning |\n|---|---|---|\n");
#define VOP(NAME, name, cost, form, types, value, follow, text) printf("| VOP_%s | %s | %s |\n", #NAME, #cost, text);
#include "hal/vector_ops.def"
  printf(
      "\n**Packed results** (ROW_MAX, ROW_SUM, ROW_TREE) are 4 bytes a row: that of row r is at dst + 4 r. dst_pitch "
      "has no "
      "meaning there: it would have to be 4, and every pitch that counts is a multiple of 32. They are read as they "
      "lie by the b of "
      "another operation with `.b_kind = OPERAND_ROW`, which takes b + 4 r for row r, whatever b_pitch. For all else, "
      "operations on "
      "them and copies to memory, they are one row: `.rows = 1, .cols = rows` (`.row_bytes = 4 * rows`), with any "
      "pitch that is a "
      "multiple of 32.\n");
  printf(
      "\n## Instructions of VINST\n\nOne mask or count holds for all operands; each has its steps. The head of "
      "vector_instructions.def has the rules.\n\n"
      "| instruction | cost, in config vector | types | meaning |\n|---|---|---|---|\n");
#define VI(NAME, name, cost, form, types, value, follow, text) print_instruction("VI_" #NAME, #cost, types, text);
#include "hal/vector_instructions.def"
  printf("\n## Types\n\n| type | bits | meaning |\n|---|---|---|\n");
#define TYPE(name, bits, text) printf("| TYPE_%s | %d | %s |\n", #name, bits, text);
#include "hal/types.def"
  printf("\n## Operations of global memory\n\n| operation | code | meaning |\n|---|---|---|\n");
#define GM_OP(name, code, operand, memory, value, follow, text) printf("| GM_%s | %d | %s |\n", #name, code, text);
#include "hal/gm_ops.def"
#undef GM_OP
}

static void print_registers(void) {
  printf(
      "\n## Registers of a scalar core\n\n| register | offset | access | meaning |\n"
      "|---|---|---|---|\n");
#define REG(name, offset, access, text) printf("| %s | 0x%03x | %s | %s |\n", #name, (unsigned)(offset), #access, text);
#include "hal/registers.def"
#undef REG
}

static void print_panics(void) {
  printf(
      "\n## Panics\n\nCodes of HALT, as messages name them; `require` and `panic` are in `lib/panic.h`.\n\n"
      "| panic | code | meaning |\n|---|---|---|\n");
#define PANIC(name, code, text) printf("| PANIC_%s | %d | %s |\n", #name, code, text);
#include "hal/panics.def"
#undef PANIC
}

static void print_parameters(void) {
  printf(
      "\n## Parameters of a machine (config files, --set)\n\n"
      "| parameter | type | range | unit | meaning |\n|---|---|---|---|---|\n");
  for (size_t i = 0; i < CONFIG_PARAMS; ++i) {
    const config_param_t *p = &config_params[i];
    printf("| %s.%s | %s | %g to %g | %s | %s |\n", p->section, p->name, p->whole ? "uint" : "real", p->min, p->max,
           p->unit, p->text);
  }
}

static void help(void) {
  static const manual_row_t files[] = {{"sw/hal/*.def", "commands, operations, registers, pipes"},
                                       {"model/config/config.def", "parameters"},
                                       {"sw/hal/REFERENCE.md", "what this command printed last"},
                                       {NULL, NULL}};
  const manual_t manual = {.name = "commands",
                           .synopsis = "",
                           .about =
                               "reference of commands, registers and machine parameters, in Markdown. Made from "
                               "the .def files that the code itself is made of.",
                           .files = files};
  manual_print(stdout, &manual);
}

int reference(int argc, char **argv) {
  base_error_t error;
  if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
    help();
    return BASE_OK;
  }
  if (argc > 1) {
    base_fail(&error, "commands: unexpected argument '%s'", argv[1]);
    return base_report(BASE_BAD_INPUT, &error);
  }
  printf(
      "# Commands, registers and parameters\n\nGenerated by `amalgam commands` from the .def "
      "files.\n\n");
  print_pipes();
  print_commands();
  print_operations();
  print_registers();
  print_panics();
  print_parameters();
  return output_printed(&error) ? (int)BASE_OK : base_report(BASE_BAD_INPUT, &error);
}
