// Tensors of random commands: their elements are the bytes that core_accesses names and no others, values are what
// commands make of them, and an element changes only with the elements that it names as its sources.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "core/tensor.h"
#include "core_random.h"

enum { SEED = 4711, PROBES = 4, LIST = 0x40000, LIST_ENTRIES = 256 };

typedef unsigned long long ull;

// Commands that random_command leaves out: GATHER_IN, whose list must hold numbers, and COPY_L1, which
// needs an L1.
static command_t another_command(num_rng_t *rng, core_kind_t kind) {
  const uint32_t x = 1 + random_below(rng, 40);
  const uint32_t y = 1 + random_below(rng, 70);
  const uint32_t pitch = (uint32_t)round_up(y * 2, 32) + 32 * random_below(rng, 2);
  if (kind != CORE_VECTOR || random_below(rng, 8) != 0) {
    return random_command(rng, kind);
  }
  if (random_below(rng, 2) == 0) {
    return COMMAND_OF(COPY_L1, copy_l1, MTE3, .ub = 32 * random_below(rng, 20), .ub_pitch = pitch, .l1 = 64,
                      .l1_pitch = 4096, .rows = x, .cols = y);
  }
  return COMMAND_OF(GATHER_IN, gather_in, MTE2, .gm = GM_BASE + random_below(rng, 64), .gm_pitch = 200,
                    .list = GM_BASE + LIST, .first = random_below(rng, 100), .page = 1 + random_below(rng, 4), .ub = 64,
                    .ub_pitch = pitch, .rows = x, .row_bytes = y);
}

static core_memory_t memory_with_l1(core_kind_t kind) {
  core_memory_t memory = memory_of(kind);
  if (kind == CORE_VECTOR) {
    memory.bytes[SPACE_L1] = test_bytes[CORE_CUBE][SPACE_L1];
    memory.base[SPACE_L1] = malloc(memory.bytes[SPACE_L1]);
    if (memory.base[SPACE_L1] == NULL) {
      abort();
    }
  }
  return memory;
}

static void fill_all(core_kind_t kind, const core_memory_t *memory, num_rng_t *rng) {
  fill(kind, memory, rng);
  for (uint32_t i = 0; kind == CORE_VECTOR && i < LIST_ENTRIES; ++i) {
    put32(memory->base[SPACE_GM] + LIST, i, random_below(rng, 500) - (i % 9 == 0));
  }
}

static uint8_t *at(const core_memory_t *memory, core_space_t space, uint64_t address) {
  return memory->base[space] + (space == SPACE_GM ? address - GM_BASE : address);
}

// --- bytes ------------------------------------------------------------------------------------

// Is this byte of strips that a command names padding: beyond the last row, or in the last strip beyond the last
// column?
static bool is_padding(const core_tensor_t *tensor, uint64_t address) {
  const uint64_t offset = address - tensor->base;
  const uint64_t strip = offset / tensor->pitch;
  const uint64_t rest = offset % tensor->pitch;
  return rest / 32 >= tensor->rows || (strip * 32 + rest % 32) * 8 / core_type_bits(tensor->type) >= tensor->cols;
}

static bool same_access(const core_tensor_t *tensor, const core_access_t *access) {
  return tensor->space == access->space && tensor->base == access->base &&
         (tensor->write == access->write || access->atomic);
}

// Every byte of the access is one of an element, or padding; every element is in the access.
static void compare_bytes(const core_tensor_t *tensor, const core_access_t *access, const char *name) {
  uint64_t covered = 0;
  for (uint64_t row = 0; row < access->rows; ++row) {
    for (uint64_t i = 0; i < access->row_bytes; ++i) {
      const uint64_t address = access->base + row * access->pitch + i;
      uint64_t r = 0;
      uint64_t c = 0;
      bool high;
      if (core_tensor_element(tensor, address, &r, &c)) {
        const unsigned bits = core_type_bits(tensor->type);
        const uint64_t first = core_tensor_address(tensor, r, c, &high);
        CHECK(address >= first && address - first < (bits + 7) / 8 && !high, "%s %s: 0x%llx is not in [%llu][%llu]",
              name, tensor->field, (ull)address, (ull)r, (ull)c);
        covered++;
      } else {
        CHECK(tensor->layout == CORE_FRACTALS || (tensor->layout == CORE_STRIPS && is_padding(tensor, address)),
              "%s %s: 0x%llx is no element", name, tensor->field, (ull)address);
      }
    }
  }
  const uint64_t row_bytes = (tensor->cols * core_type_bits(tensor->type) + 7) / 8;
  CHECK(covered == tensor->rows * row_bytes, "%s %s: %llu bytes of elements, not %llu", name, tensor->field,
        (ull)covered, (ull)(tensor->rows * row_bytes));
}

// The bytes of elements that take part are those of the accesses; of a VINST, whose accesses are no rectangles.
static void compare_sets(const command_t *c) {
  static uint8_t named[1 << 16], held[sizeof named];
  core_access_t access[CORE_MAX_ACCESSES];
  core_tensor_t tensor[CORE_MAX_TENSORS];
  const size_t accesses = core_accesses(c, access), tensors = core_tensors(c, tensor);
  memset(named, 0, sizeof named);
  memset(held, 0, sizeof held);
  for (size_t i = 0; i < accesses; ++i) {
    for (uint64_t j = 0; j < access[i].rows * access[i].row_bytes; ++j) {
      named[access[i].base + j / access[i].row_bytes * access[i].pitch + j % access[i].row_bytes] |=
          access[i].write ? 2 : 1;
    }
  }
  for (size_t i = 0; i < tensors; ++i) {
    const core_tensor_t *t = &tensor[i];
    for (uint64_t j = 0; j < t->rows * t->cols; ++j) {
      bool high;
      uint64_t r, col;
      const uint64_t first = core_tensor_address(t, j / t->cols, j % t->cols, &high);
      if (core_tensor_has(t, j / t->cols, j % t->cols)) {
        const uint64_t at = t->type == CORE_TYPE_BIT ? j / 8 * 8 : j;  // a byte's first bit
        const bool found = core_tensor_element(t, first, &r, &col) && r * t->cols + col == at;
        CHECK(found || t->pitch == 0, "%s: element %llu is found as another", t->field, (ull)j);
        for (uint64_t b = 0; b < (core_type_bits(t->type) + 7) / 8; ++b) {
          held[first + b] |= t->write ? 2 : 1;
        }
      }
    }
  }
  CHECK(memcmp(named, held, sizeof named) == 0, "%s: other bytes than those of elements",
        core_command_name(c->header.opcode_));
}

static void bytes_of(const command_t *c) {
  if (c->header.opcode_ == OP_VINST) {
    compare_sets(c);
    return;
  }
  const char *name = core_command_name(c->header.opcode_);
  core_access_t access[CORE_MAX_ACCESSES];
  core_tensor_t tensor[CORE_MAX_TENSORS];
  const size_t accesses = core_accesses(c, access);
  const size_t tensors = core_tensors(c, tensor);
  size_t i = 0;
  for (size_t j = 0; j < accesses; ++j) {
    const size_t times = access[j].atomic ? 2 : 1;
    for (size_t k = 0; k < times; ++k, ++i) {
      assert_true(i < tensors);
      CHECK(same_access(&tensor[i], &access[j]), "%s: operand %zu", name, i);
      assert_true(times == 1 || tensor[i].write == (k == 1));
      if (tensor[i].layout == CORE_KEYS) {
        assert_int_equal(tensor[i].pitch, access[j].row_bytes);
      } else if (access[j].rows == 1 || access[j].pitch >= access[j].row_bytes) {
        compare_bytes(&tensor[i], &access[j], name);
      }
    }
  }
  assert_int_equal(i, tensors);
}

// --- values -----------------------------------------------------------------------------------

static bool same_value(double x, double y) { return x == y || (isnan(x) && isnan(y)); }

static double source_value(const core_memory_t *memory, const core_tensor_t *tensor, const core_source_t *source,
                           uint64_t i) {
  return core_tensor_value(memory, &tensor[source->tensor], source->row + i / source->cols,
                           source->col + i % source->cols);
}

// A command's result, from the values of the sources it names; false: this one is not computed here.
static bool expected_value(const core_memory_t *memory, const command_t *c, uint64_t row, uint64_t col, double *value) {
  core_tensor_t tensor[CORE_MAX_TENSORS];
  core_source_t s[CORE_MAX_TENSORS];
  core_tensors(c, tensor);
  const size_t count = core_sources(c, row, col, s);
  const unsigned op = c->header.opcode_;
  if (op == OP_MMAD && (c->mmad.type == TYPE_S8 || c->mmad.type == TYPE_U8)) {
    double sum = count == 3 ? source_value(memory, tensor, &s[2], 0) : 0;
    for (uint64_t k = 0; k < c->mmad.k; ++k) {
      sum += source_value(memory, tensor, &s[0], k) * source_value(memory, tensor, &s[1], k);
    }
    *value = (int32_t)(uint32_t)(int64_t)sum;
    return true;
  }
  if (op == OP_MMAD) {
    float sum = count == 3 ? (float)source_value(memory, tensor, &s[2], 0) : 0.0f;
    for (uint64_t k = 0; k < c->mmad.k; ++k) {
      sum = fmaf((float)source_value(memory, tensor, &s[0], k), (float)source_value(memory, tensor, &s[1], k), sum);
    }
    *value = sum;
    return true;
  }
  if (op == OP_VEC && (c->vec.op == VOP_ROW_SUM || c->vec.op == VOP_SCALE || c->vec.op == VOP_SWAP)) {
    float x = (float)source_value(memory, tensor, &s[0], 0);
    for (uint64_t i = 1; i < s[0].cols; ++i) {
      x += (float)source_value(memory, tensor, &s[0], i);
    }
    *value = c->vec.op == VOP_SCALE ? x * (float)source_value(memory, tensor, &s[1], 0) : x;
    return true;
  }
  const bool moved =
      (op == OP_VEC && c->vec.op == VOP_CAST && c->vec.to == TYPE_F32 && c->vec.from != TYPE_F32 &&
       c->vec.from != TYPE_S32) ||
      op == OP_LOAD_NZ || op == OP_LOAD_A || op == OP_LOAD_B || op == OP_COPY_IN || op == OP_COPY_L1 ||
      op == OP_STORE_EB || op == OP_LOAD_KV || (op == OP_LOAD_EB && c->load_eb.scale == 0) ||
      (op == OP_COPY_OUT && c->copy_out.op == GM_STORE) ||
      (op == OP_FIXPIPE && c->fixpipe.op == GM_STORE && c->fixpipe.type == c->fixpipe.from && c->fixpipe.relu == 0) ||
      (op == OP_FIX_L1 && c->fix_l1.type == c->fix_l1.from && c->fix_l1.relu == 0);
  if (moved) {
    assert_int_equal(count, 1);
    *value = source_value(memory, tensor, &s[0], 0);
  }
  return moved;
}

static size_t values_of(const core_memory_t *before, const core_memory_t *after, const command_t *c) {
  core_tensor_t tensor[CORE_MAX_TENSORS];
  const size_t count = core_tensors(c, tensor);
  const core_tensor_t *written = &tensor[count - 1];
  size_t compared = 0;
  for (uint64_t r = 0; r < written->rows; ++r) {
    for (uint64_t col = 0; col < written->cols; ++col) {
      double expected;
      if (expected_value(before, c, r, col, &expected)) {
        const double got = core_tensor_value(after, written, r, col);
        CHECK(same_value(got, expected), "%s [%llu][%llu]: %g, not %g", core_command_name(c->header.opcode_), (ull)r,
              (ull)col, got, expected);
        compared++;
      }
    }
  }
  return compared;
}

// --- sources ----------------------------------------------------------------------------------

// Other bits in an element.
static void perturb(const core_memory_t *memory, const core_tensor_t *tensor, uint64_t r, uint64_t c) {
  bool high;
  const uint64_t address = core_tensor_address(tensor, r, c, &high);
  const unsigned bits = core_type_bits(tensor->type);
  uint8_t *to =
      tensor->layout == CORE_KEYS
          ? memory->base[SPACE_KV] + ((r / tensor->pitch * memory->bytes[SPACE_KV] + address) * tensor->cols + c) * 2
          : at(memory, tensor->space, address);
  if (bits < 8) {
    to[0] ^= (uint8_t)(bits == 1 ? 1u << c % 8 : high ? 0x50 : 5);
  } else {
    to[bits / 8 - 1] ^= 0x21;  // of the highest bits, where rounding does not hide them
  }
}

// Does a byte belong to several elements?
static bool overlaps(const core_tensor_t *tensor) {
  const uint64_t bytes =
      tensor->layout == CORE_STRIPS ? tensor->rows * 32 : tensor->cols * core_type_bits(tensor->type) / 8;
  return tensor->layout != CORE_KEYS && tensor->layout != CORE_FRACTALS && tensor->pitch < bytes;
}

static bool names(const command_t *c, uint64_t row, uint64_t col, size_t tensor, uint64_t r, uint64_t element) {
  core_source_t s[CORE_MAX_TENSORS];
  const size_t count = core_sources(c, row, col, s);
  for (size_t i = 0; i < count; ++i) {
    if (s[i].tensor == tensor && r - s[i].row < s[i].rows && element - s[i].col < s[i].cols) {
      return true;
    }
  }
  return false;
}

static bool same_bits(const core_memory_t *x, const core_memory_t *y, const core_tensor_t *tensor, uint64_t r,
                      uint64_t c) {
  if (tensor->layout == CORE_KEYS) {
    const double a = core_tensor_value(x, tensor, r, c);
    const double b = core_tensor_value(y, tensor, r, c);
    return memcmp(&a, &b, sizeof a) == 0;
  }
  bool high;
  const uint64_t address = core_tensor_address(tensor, r, c, &high);
  if (tensor->type == CORE_TYPE_BIT) {
    return ((at(x, tensor->space, address)[0] ^ at(y, tensor->space, address)[0]) >> c % 8 & 1) == 0;
  }
  return memcmp(at(x, tensor->space, address), at(y, tensor->space, address), core_type_bits(tensor->type) / 8) == 0;
}

// Does it move bits and nothing else? Then what names a source changes with it.
static bool only_moves(const command_t *c) {
  const unsigned op = c->header.opcode_;
  return op == OP_LOAD_NZ || op == OP_LOAD_A || op == OP_LOAD_B || op == OP_COPY_IN || op == OP_COPY_L1 ||
         op == OP_LOAD_FRACTALS || op == OP_LOAD_KV || op == OP_STORE_EB ||
         (op == OP_COPY_OUT && c->copy_out.op == GM_STORE);
}

// Returns how many elements changed.
static size_t probe(core_kind_t kind, const core_memory_t *before, const core_memory_t *after, core_memory_t *other,
                    const command_t *c, num_rng_t *rng) {
  core_tensor_t tensor[CORE_MAX_TENSORS];
  const size_t count = core_tensors(c, tensor);
  const core_tensor_t *written = &tensor[count - 1];
  if (count < 2) {
    return 0;
  }
  const size_t which = random_below(rng, (uint32_t)count - 1);
  const core_tensor_t *read = &tensor[which];
  const uint64_t r = num_rng_u64(rng) % read->rows;
  const uint64_t col = num_rng_u64(rng) % read->cols;
  if (strcmp(read->field, "list") == 0 || overlaps(read)) {
    return 0;  // any number is none
  }
  copy_memory(other, before);
  perturb(other, read, r, col);
  run(kind, other, c);
  size_t changed = 0;
  for (uint64_t i = 0; i < written->rows; ++i) {
    for (uint64_t j = 0; j < written->cols; ++j) {
      const bool same = same_bits(after, other, written, i, j);
      const bool named = names(c, i, j, which, r, col);
      CHECK(same || named, "%s: [%llu][%llu] changes with %s[%llu][%llu], which it does not name",
            core_command_name(c->header.opcode_), (ull)i, (ull)j, read->field, (ull)r, (ull)col);
      CHECK(!same || !named || !only_moves(c), "%s: [%llu][%llu] names %s[%llu][%llu] and does not change",
            core_command_name(c->header.opcode_), (ull)i, (ull)j, read->field, (ull)r, (ull)col);
      changed += !same;
    }
  }
  return changed;
}

// --- the tests --------------------------------------------------------------------------------

static void hold(core_kind_t kind, int commands) {
  core_memory_t before = memory_with_l1(kind);
  core_memory_t after = memory_with_l1(kind);
  core_memory_t other = memory_with_l1(kind);
  num_rng_t rng;
  num_rng_seed(&rng, SEED);
  fill_all(kind, &before, &rng);
  size_t compared = 0;
  size_t changed = 0;
  for (int i = 0; i < commands; ++i) {
    const command_t c = another_command(&rng, kind);
    bytes_of(&c);
    copy_memory(&after, &before);
    run(kind, &after, &c);
    compared += values_of(&before, &after, &c);
    for (int j = 0; j < PROBES; ++j) {
      changed += probe(kind, &before, &after, &other, &c, &rng);
    }
  }
  printf("%zu values compared, %zu changes seen\n", compared, changed);
  assert_true(compared > 1000 && changed > 500);
  free_memory(&before);
  free_memory(&after);
  free_memory(&other);
}

TEST(cube_tensors) { hold(CORE_CUBE, 150); }

TEST(vector_tensors) { hold(CORE_VECTOR, 250); }

TEST(engine_tensors) { hold(CORE_ENGINE, 200); }

// Cases that executing does not show: types, and commands without elements.
TEST(by_hand) {
  core_tensor_t tensor[CORE_MAX_TENSORS];
  core_source_t source[CORE_MAX_TENSORS];
  const command_t rescale = COMMAND_OF(COPY_OUT, copy_out, MTE3, .ub = 64, .gm = GM_BASE + 256, .gm_pitch = 128,
                                       .rows = 3, .row_bytes = 64, .op = GM_RESCALE);
  assert_int_equal(core_tensors(&rescale, tensor), 3);
  assert_int_equal(tensor[0].type, TYPE_S32);
  assert_int_equal(tensor[0].cols, 1);
  assert_int_equal(tensor[1].type, TYPE_F32);
  assert_false(tensor[1].write);
  assert_true(tensor[2].write);
  assert_int_equal(core_sources(&rescale, 2, 5, source), 2);
  assert_int_equal(source[0].row, 2);
  assert_int_equal(source[0].col, 0);
  assert_int_equal(source[1].col, 5);
  const command_t read = COMMAND_OF(READ_GM, read_gm, MTE2, .gm = GM_BASE + 8, .bytes = 12);
  assert_int_equal(core_tensors(&read, tensor), 1);
  assert_int_equal(core_sources(&read, 0, 0, source), 0);
  const command_t flag = COMMAND_OF(SET_FLAG, set_flag, M, .to = PIPE_FIX);
  assert_int_equal(core_tensors(&flag, tensor), 0);
  assert_int_equal(core_sources(&flag, 0, 0, source), 0);
  // Each row of a load is the same one.
  const command_t same =
      COMMAND_OF(COPY_IN, copy_in, MTE2, .gm = GM_BASE, .gm_pitch = 0, .ub_pitch = 32, .rows = 4, .row_bytes = 8);
  uint64_t r;
  uint64_t c;
  core_tensors(&same, tensor);
  assert_true(core_tensor_element(&tensor[0], GM_BASE + 7, &r, &c));
  assert_int_equal(c, 7);
  assert_false(core_tensor_element(&tensor[0], GM_BASE + 8, &r, &c));
  assert_false(core_tensor_element(&tensor[0], GM_BASE - 1, &r, &c));
  assert_string_equal(core_type_name(TYPE_E4M3), "E4M3");
  assert_string_equal(core_type_name(CORE_TYPE_BIT), "BIT");
}

int main(void) {
  printf("seed %d\n", SEED);
  return test_run(NULL);
}
