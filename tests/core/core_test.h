// Shared by the tests of model/core: cmocka with the headers it forgets, a core's memory,
// commands.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TESTS_CORE_CORE_TEST_H
#define AMALGAM_TESTS_CORE_CORE_TEST_H

#include "test.h"
#include "core/core.h"
#include "hal/registers.h"
#include "num/num_format.h"
#include "num/num_rng.h"

// Passes its condition on; for loops of millions.  Prints what was compared when it fails.
#define CHECK(condition, ...)                       \
  do {                                              \
    if (!(condition)) {                             \
      printf("CHECK " #condition ": " __VA_ARGS__); \
      printf("\n");                                 \
      fail();                                       \
    }                                               \
  } while (0)

// COMMAND_OF(MMAD, mmad, M, .m = 1, ...): a command_t for that pipe, other fields 0.
#define COMMAND_OF(NAME, name, PIPE, ...) \
  ((command_t){.name = {.opcode_ = OP_##NAME, .pipe_ = PIPE_##PIPE, __VA_ARGS__}})

static const uint64_t test_bytes[CORE_KIND_COUNT][SPACE_COUNT] = {
    [CORE_CUBE] = {[SPACE_GM] = 1u << 20,
                   [SPACE_L1] = 512u << 10,
                   [SPACE_L0A] = 128u << 10,
                   [SPACE_L0B] = 128u << 10,
                   [SPACE_L0C] = 256u << 10},
    [CORE_VECTOR] = {[SPACE_GM] = 1u << 20, [SPACE_UB] = 192u << 10},
};

// Bytes of a space; that of an attention engine's keys is counted in rows.
static inline uint64_t space_bytes(const core_memory_t *memory, int space) {
  const uint64_t size = memory->bytes[space];
  return space == SPACE_KV && size > 0 ? size * memory->engine->blocks * 2 * memory->engine->d * sizeof(num_bf16_t)
                                       : size;
}

static inline void allocate(core_memory_t *memory) {
  for (int space = 0; space < SPACE_COUNT; ++space) {
    const uint64_t bytes = space_bytes(memory, space);
    if (bytes > 0) {
      memory->base[space] = malloc(bytes);
      if (memory->base[space] == NULL) {
        abort();
      }
      memset(memory->base[space], 0xff, bytes);
    }
  }
}

// Every space on the heap with its exact size, so that a sanitizer sees one byte too much.
static inline core_memory_t make_memory(core_kind_t kind) {
  core_memory_t memory = {0};
  memcpy(memory.bytes, test_bytes[kind], sizeof memory.bytes);
  allocate(&memory);
  return memory;
}

// The memory of an attention engine, which must outlive it.
static inline core_memory_t make_engine_memory(const num_engine_t *engine, uint64_t eb_bytes, uint64_t gm_bytes) {
  core_memory_t memory = {
      .bytes = {[SPACE_GM] = gm_bytes, [SPACE_EB] = eb_bytes, [SPACE_KV] = engine->rows / engine->blocks},
      .engine = engine};
  allocate(&memory);
  return memory;
}

static inline void copy_memory(core_memory_t *to, const core_memory_t *from) {
  for (int space = 0; space < SPACE_COUNT; ++space) {
    if (from->bytes[space] > 0) {
      memcpy(to->base[space], from->base[space], space_bytes(from, space));
    }
  }
}

static inline void free_memory(core_memory_t *memory) {
  for (int space = 0; space < SPACE_COUNT; ++space) {
    free(memory->base[space]);
  }
}

static inline uint32_t random_below(num_rng_t *rng, uint32_t limit) { return (uint32_t)(num_rng_u64(rng) % limit); }

static inline void random_bytes(num_rng_t *rng, uint8_t *to, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    to[i] = (uint8_t)num_rng_u64(rng);
  }
}

// A core's memory, what is expected of it, and random numbers.
typedef struct {
  core_memory_t memory, expected;
  num_rng_t rng;
} fixture_t;

static inline fixture_t *make_fixture(core_kind_t kind, uint64_t seed) {
  fixture_t *f = malloc(sizeof *f);
  if (f == NULL) {
    abort();
  }
  f->memory = make_memory(kind);
  f->expected = make_memory(kind);
  num_rng_seed(&f->rng, seed);
  return f;
}

// Random bytes everywhere.
static inline void fill_memory(fixture_t *f) {
  for (int space = 0; space < SPACE_COUNT; ++space) {
    random_bytes(&f->rng, f->memory.base[space], f->memory.bytes[space]);
  }
  copy_memory(&f->expected, &f->memory);
}

static inline int free_fixture(void **state) {
  fixture_t *f = *state;
  free_memory(&f->memory);
  free_memory(&f->expected);
  free(f);
  return 0;
}

static inline void expect_same(const core_memory_t *got, const core_memory_t *expected, const char *what) {
  for (int space = 0; space < SPACE_COUNT; ++space) {
    const uint64_t bytes = space_bytes(got, space);
    for (uint64_t i = 0; i < bytes; ++i) {
      CHECK(got->base[space][i] == expected->base[space][i], "%s: byte 0x%llx of %s is %02x, not %02x", what,
            (unsigned long long)i, core_space_name((core_space_t)space), got->base[space][i], expected->base[space][i]);
    }
  }
}

// Checks, then executes.
static inline void run(core_kind_t kind, const core_memory_t *memory, const command_t *command) {
  char error[CORE_ERROR_BYTES];
  CHECK(core_check(kind, memory, command, error), "%s", error);
  core_execute(memory, command);
}

static inline uint16_t get16(const uint8_t *bytes, size_t i) {
  uint16_t x;
  memcpy(&x, bytes + 2 * i, sizeof x);
  return x;
}
static inline uint32_t get32(const uint8_t *bytes, size_t i) {
  uint32_t x;
  memcpy(&x, bytes + 4 * i, sizeof x);
  return x;
}
static inline void put16(uint8_t *bytes, size_t i, uint16_t x) { memcpy(bytes + 2 * i, &x, sizeof x); }
static inline void put32(uint8_t *bytes, size_t i, uint32_t x) { memcpy(bytes + 4 * i, &x, sizeof x); }

static inline size_t round_up(size_t x, size_t multiple) { return (x + multiple - 1) / multiple * multiple; }

// Index of element [row][col] in strips: the formula of the layout, written apart from the model.
static inline size_t strip_index(size_t rows, size_t row, size_t col) {
  return (col / 16) * round_up(rows, 16) * 16 + row * 16 + col % 16;
}
// The same of bytes.
static inline size_t byte_index(size_t rows, size_t row, size_t col) {
  return (col / 32) * round_up(rows, 16) * 32 + row * 32 + col % 32;
}

#endif
