// The engine as RTL in Icarus, a second opinion on what the Verilog says. Chunks go through files.
// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine_groups.h"
#include "engine/engine_hex.h"
#include "host/files.h"
#include "host/interrupt.h"
#include "host/places.h"
#include "host/program.h"

enum { DIRECTORY_MAX = 4096 };

typedef struct engine_icarus {
  engine_t engine;
  char directory[DIRECTORY_MAX];
} engine_icarus_t;

// ---------------------------------------------------------------- hexadecimal fields

static unsigned digit(char c) { return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a') + 10u; }

// Bits lsb .. lsb+width-1 of a hexadecimal number.
static uint32_t get(const char *text, size_t lsb, size_t width) {
  const size_t digits = strspn(text, "0123456789abcdef");
  uint32_t value = 0;
  for (size_t i = 0; i < width; ++i) {
    const size_t at = (lsb + i) / HEX_BITS;
    const unsigned nibble = at < digits ? digit(text[digits - 1 - at]) : 0;
    value |= ((nibble >> (lsb + i) % HEX_BITS) & 1u) << i;
  }
  return value;
}

// ---------------------------------------------------------------- the job's files

static void write_rows(FILE *file, const engine_groups_t *groups, hex_bits_t *bits) {
  for (size_t j = 0; j < groups->chunk->n; ++j) {
    const engine_row_t row = engine_groups_row(groups, j);
    fprintf(file, "%x %x ", row.block, row.row);
    hex_vector(file, bits, row.k, groups->shape->num.d);
    fputc(' ', file);
    hex_vector(file, bits, row.v, groups->shape->num.d);
    fputc('\n', file);
  }
}

static void write_group(FILE *file, const engine_groups_t *groups, const engine_group_t *group, hex_bits_t *bits) {
  const size_t queries = groups->shape->queries;
  const size_t d = groups->shape->num.d;
  fprintf(file, "%x %x %x ", group->base, group->rows, group->stride);
  for (size_t n = 0; n < queries; ++n) {
    hex_put(bits, group->limit[n], engine_bits(groups->shape->num.rows + 1));
  }
  hex_write(file, bits);
  fprintf(file, " %d %d %d ", group->use_mask, group->final, group->carry != NULL);
  for (size_t n = 0; n < queries; ++n) {
    hex_put(bits, groups->carry[n].m, 16);
  }
  hex_write(file, bits);
  fputc(' ', file);
  for (size_t n = 0; n < queries; ++n) {
    hex_put(bits, groups->carry[n].poison, 1);
  }
  hex_write(file, bits);
  fputc(' ', file);
  for (size_t n = 0; n < queries; ++n) {
    for (size_t e = 0; e <= d; ++e) {
      hex_put(bits, groups->carry[n].o[e], ELEMENT_BITS);
    }
  }
  hex_write(file, bits);
  fputc(' ', file);
  hex_vector(file, bits, group->q, queries * d);
  fputc('\n', file);
}

static void write_masks(FILE *file, engine_groups_t *groups, size_t first, uint32_t rows, hex_bits_t *bits) {
  for (uint32_t row = 0; row < rows; ++row) {
    engine_groups_make_mask(groups, first, row);
    for (size_t i = 0; i < groups->shape->queries * groups->shape->num.blocks; ++i) {
      hex_put(bits, groups->mask[i], 1);
    }
    hex_write(file, bits);
    fputc('\n', file);
  }
}

static FILE *open_file(const engine_icarus_t *icarus, const char *name, const char *mode) {
  char path[DIRECTORY_MAX + 16];
  snprintf(path, sizeof path, "%s/%s", icarus->directory, name);
  return fopen(path, mode);
}

static bool write_job(const engine_icarus_t *icarus, engine_groups_t *groups, hex_bits_t *bits,
                      engine_cycles_t *cycles) {
  FILE *rows = open_file(icarus, "rows", "w");
  FILE *all = open_file(icarus, "groups", "w");
  FILE *masks = open_file(icarus, "masks", "w");
  bool good = rows != NULL && all != NULL && masks != NULL;
  if (good) {
    write_rows(rows, groups, bits);
    for (size_t first = 0; first < groups->job->sq; first += groups->shape->queries) {
      const engine_group_t group = engine_groups_make(groups, first);
      write_group(all, groups, &group, bits);
      if (group.use_mask) {
        write_masks(masks, groups, first, group.rows, bits);
      }
      cycles->rows += group.rows;
    }
  }
  good = (rows == NULL || fclose(rows) == 0) && good;
  good = (all == NULL || fclose(all) == 0) && good;
  return (masks == NULL || fclose(masks) == 0) && good;
}

// `final m poison o`
static void parse_result(engine_groups_t *groups, char *line) {
  const size_t d = groups->shape->num.d;
  strtok(line, " ");
  const char *m = strtok(NULL, " ");
  const char *poison = strtok(NULL, " ");
  const char *o = strtok(NULL, " \n");
  for (size_t n = 0; o != NULL && n < groups->shape->queries; ++n) {
    groups->result[n].m = (num_bf16_t)get(m, 16 * n, 16);
    groups->result[n].poison = get(poison, n, 1) != 0;
    for (size_t e = 0; e <= d; ++e) {
      groups->result[n].o[e] = get(o, ELEMENT_BITS * ((d + 1) * n + e), ELEMENT_BITS);
    }
  }
}

static bool read_results(const engine_icarus_t *icarus, engine_groups_t *groups, engine_cycles_t *cycles) {
  FILE *file = open_file(icarus, "results", "r");
  if (file == NULL) {
    return false;
  }
  char *line = NULL;
  size_t room = 0;
  size_t first = 0;
  uint64_t count = 0;
  while (getline(&line, &room, file) > 0) {
    if (sscanf(line, "cycles %" SCNu64, &count) != 1 && first < groups->job->sq) {
      parse_result(groups, line);
      engine_groups_store(groups, first);
      first += groups->shape->queries;
    }
  }
  free(line);
  fclose(file);
  cycles->total += count;
  return first >= groups->job->sq && count > 0;
}

// ---------------------------------------------------------------- Icarus

static bool run_program(const char *const argv[], const engine_icarus_t *icarus) {
  char log[DIRECTORY_MAX + 16];
  snprintf(log, sizeof log, "%s/log", icarus->directory);
  const program_t program = {.argv = argv, .folder = places_source(), .out = log};
  return program_run(&program) == PROGRAM_DONE;
}

static bool simulate(const engine_icarus_t *icarus) {
  char unit[DIRECTORY_MAX + 16], directory[DIRECTORY_MAX + 16];
  snprintf(unit, sizeof unit, "%s/unit.vvp", icarus->directory);
  snprintf(directory, sizeof directory, "+dir=%s", icarus->directory);
  return run_program((const char *[]){"vvp", unit, directory, NULL}, icarus);
}

static bool compile(const engine_icarus_t *icarus) {
  const engine_shape_t *shape = &icarus->engine.shape;
  const struct {
    const char *name;
    size_t value;
  } parameters[] = {{"ARITHMETIC", shape->num.design},
                    {"VARIANT", engine_shape_variant(shape)},
                    {"D", shape->num.d},
                    {"P", shape->num.blocks},
                    {"NQ", shape->queries},
                    {"N", shape->num.rows}};
  enum { PARAMETERS = sizeof parameters / sizeof *parameters };
  char unit[DIRECTORY_MAX + 16], kept[DIRECTORY_MAX + 16], set[PARAMETERS][64];
  snprintf(unit, sizeof unit, "%s/unit.vvp", icarus->directory);
  snprintf(kept, sizeof kept, "TMPDIR=%s", icarus->directory);  // its files stay if it is ended
  for (size_t i = 0; i < PARAMETERS; ++i) {
    snprintf(set[i], sizeof set[i], "-Pattention_run.%s=%zu", parameters[i].name, parameters[i].value);
  }
  const char *const argv[] = {"env",         kept,   "iverilog",      "-g2005",
                              "-Wall",       "-I",   "rtl/lib",       "-o",
                              unit,          "-s",   "attention_run", set[0],
                              set[1],        set[2], set[3],          set[4],
                              set[5],        "-y",   "rtl/fp",        "-y",
                              "rtl/lib",     "-y",   "rtl/hfa",       "-y",
                              "rtl/expmul",  "-y",   "rtl/arith",     "-y",
                              "rtl/softmax", "-y",   "rtl/attention", "tb/icarus/attention_run.v",
                              NULL};
  return run_program(argv, icarus);
}

static bool run_chunk(engine_t *engine, const engine_job_t *job, const engine_chunk_t *chunk, num_triplet_t *triplets,
                      engine_cycles_t *cycles, base_error_t *error) {
  const engine_icarus_t *icarus = (const engine_icarus_t *)engine;
  engine_groups_t groups;
  // The widest field is a group's carry.
  hex_bits_t bits = {.nibble = malloc(engine->shape.queries * (engine->shape.num.d + 1) * 5)};
  const bool room = engine_groups_open(&groups, &engine->shape, job, chunk, triplets) && bits.nibble != NULL;
  const bool good =
      room && write_job(icarus, &groups, &bits, cycles) && simulate(icarus) && read_results(icarus, &groups, cycles);
  if (!good) {
    base_fail(error, "Icarus did not run to the end, see %s/log", icarus->directory);
  }
  free(bits.nibble);
  engine_groups_close(&groups);
  return good;
}

static void close_icarus(engine_t *engine) {
  engine_icarus_t *icarus = (engine_icarus_t *)engine;
  host_remove_folder(icarus->directory);
  free(icarus);
}

engine_t *engine_open_icarus(const engine_shape_t *shape, base_error_t *error) {
  if (!engine_shape_check(shape, error)) {
    return NULL;
  }
  engine_icarus_t *icarus = calloc(1, sizeof *icarus);
  if (icarus == NULL) {
    base_fail(error, "out of memory");
    return NULL;
  }
  icarus->engine = (engine_t){.shape = *shape, .run_chunk = run_chunk, .close = close_icarus};
  snprintf(icarus->directory, sizeof icarus->directory, "%s/icarus-XXXXXX", places_kept());
  if (mkdtemp(icarus->directory) != NULL && compile(icarus)) {
    return &icarus->engine;
  }
  base_fail(error, "Icarus cannot compile the RTL, see %s/log", icarus->directory);
  if (host_interrupted()) {
    close_icarus(&icarus->engine);
  } else {
    free(icarus);  // the log stays
  }
  return NULL;
}
