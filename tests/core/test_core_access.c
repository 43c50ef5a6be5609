// Accesses: some by hand; then for random commands that they tell the truth: nothing outside of
// the writes changes, and nothing outside of the reads has any influence.
// SPDX-License-Identifier: Apache-2.0
#include "core_random.h"

enum { SEED = 31337 };

static void expect_accesses(command_t command, const core_access_t *expected, size_t count) {
  core_access_t access[CORE_MAX_ACCESSES];
  assert_int_equal(core_accesses(&command, access), count);
  for (size_t i = 0; i < count; ++i) {
    const core_access_t *got = &access[i];
    const core_access_t *want = &expected[i];
    CHECK(got->space == want->space && got->write == want->write && got->atomic == want->atomic &&
              got->base == want->base && got->rows == want->rows && got->row_bytes == want->row_bytes &&
              (got->rows == 1 || got->pitch == want->pitch),
          "access %zu of %s: %s write %d atomic %d base %llu, "
          "%llu rows of %llu bytes, pitch %llu",
          i, core_command_name(command.header.opcode_), core_space_name(got->space), got->write, got->atomic,
          (unsigned long long)got->base, (unsigned long long)got->rows, (unsigned long long)got->row_bytes,
          (unsigned long long)got->pitch);
  }
}

#define READ(space_, base_, rows_, row_bytes_, pitch_) \
  { .space = (space_), .base = (base_), .rows = (rows_), .row_bytes = (row_bytes_), .pitch = (pitch_) }
#define WRITE(space_, base_, rows_, row_bytes_, pitch_) \
  { .space = (space_), .write = true, .base = (base_), .rows = (rows_), .row_bytes = (row_bytes_), .pitch = (pitch_) }
#define ATOMIC(base_, rows_, row_bytes_, pitch_)                                                                   \
  {                                                                                                                \
    .space = SPACE_GM, .write = true, .atomic = true, .base = (base_), .rows = (rows_), .row_bytes = (row_bytes_), \
    .pitch = (pitch_)                                                                                              \
  }
#define EXPECT(command, ...)                                   \
  do {                                                         \
    const core_access_t expected_[] = {__VA_ARGS__};           \
    expect_accesses(command, expected_, ARRAY_LEN(expected_)); \
  } while (0)

TEST(by_hand) {
  EXPECT(COMMAND_OF(LOAD_NZ, load_nz, MTE2, .gm = GM_BASE + 2, .gm_pitch = 1152, .l1 = 64, .rows = 20, .cols = 40),
         READ(SPACE_GM, GM_BASE + 2, 20, 80, 1152), WRITE(SPACE_L1, 64, 1, 3 * 32 * 32, 0));
  EXPECT(COMMAND_OF(LOAD_NZ, load_nz, MTE2, .gm = GM_BASE + 2, .gm_pitch = 1152, .l1 = 64, .rows = 20, .cols = 40,
                    .strips = 1),
         READ(SPACE_GM, GM_BASE + 2, 3, 640, 1152), WRITE(SPACE_L1, 64, 1, 3 * 32 * 32, 0));
  // 20 rows of 3 strips are read, 32 of each written
  EXPECT(COMMAND_OF(LOAD_A, load_a, MTE1, .l1 = 96, .l1_pitch = 4096, .l0a = 32, .m = 20, .k = 40),
         READ(SPACE_L1, 96, 3, 640, 4096), WRITE(SPACE_L0A, 32, 1, 3 * 32 * 32, 0));
  // [k][n]: ceil(n/16) strips of k rows; [n][k]: ceil(k/16) strips of n rows
  EXPECT(COMMAND_OF(LOAD_B, load_b, MTE1, .l1_pitch = 4096, .k = 20, .n = 40), READ(SPACE_L1, 0, 3, 640, 4096),
         WRITE(SPACE_L0B, 0, 1, 3 * 32 * 32, 0));
  EXPECT(COMMAND_OF(LOAD_B, load_b, MTE1, .l1_pitch = 4096, .k = 20, .n = 40, .transpose = 1),
         READ(SPACE_L1, 0, 2, 1280, 4096), WRITE(SPACE_L0B, 0, 1, 3 * 32 * 32, 0));
  // 8-bit elements: strips of 32 columns
  EXPECT(COMMAND_OF(LOAD_NZ, load_nz, MTE2, .gm = GM_BASE + 1, .gm_pitch = 1153, .l1 = 64, .rows = 20, .cols = 40,
                    .element = ELEMENT_8),
         READ(SPACE_GM, GM_BASE + 1, 20, 40, 1153), WRITE(SPACE_L1, 64, 1, 2 * 32 * 32, 0));
  EXPECT(COMMAND_OF(LOAD_B, load_b, MTE1, .l1_pitch = 4096, .k = 70, .n = 40, .transpose = 1, .element = ELEMENT_8),
         READ(SPACE_L1, 0, 3, 1280, 4096), WRITE(SPACE_L0B, 0, 1, 2 * 80 * 32, 0));
  EXPECT(COMMAND_OF(MMAD, mmad, M, .m = 20, .n = 40, .k = 50, .type = TYPE_U8), READ(SPACE_L0A, 0, 2, 640, 1024),
         READ(SPACE_L0B, 0, 2, 1600, 2048), WRITE(SPACE_L0C, 0, 20, 160, 192));
  EXPECT(COMMAND_OF(FIXPIPE, fixpipe, FIX, .m = 20, .n = 40, .gm = GM_BASE, .gm_pitch = 512, .type = TYPE_S8,
                    .from = TYPE_S32, .quant = QUANT_COLUMNS, .scales = 64),
         READ(SPACE_L0C, 0, 20, 160, 192), READ(SPACE_L1, 64, 40, 4, 8), WRITE(SPACE_GM, GM_BASE, 20, 40, 512));
  EXPECT(COMMAND_OF(FIX_L1, fix_l1, FIX, .m = 20, .n = 48, .l1 = 96, .l1_pitch = 1024, .type = TYPE_F16,
                    .strip_pitch = 2048),
         READ(SPACE_L0C, 0, 3, 1280, 2048), WRITE(SPACE_L1, 96, 3, 640, 1024));
  EXPECT(COMMAND_OF(READ_GM, read_gm, MTE2, .gm = GM_BASE + 8, .bytes = 12), READ(SPACE_GM, GM_BASE + 8, 1, 12, 0));
  // 20 rows of 3 strips, the last of 8 columns, whole rows of 32 bytes
  EXPECT(
      COMMAND_OF(COPY_L1, copy_l1, MTE3, .ub = 64, .ub_pitch = 96, .l1 = 128, .l1_pitch = 1024, .rows = 20, .cols = 40),
      READ(SPACE_UB, 64, 20, 80, 96), WRITE(SPACE_L1, 128, 3, 640, 1024));
  EXPECT(COMMAND_OF(COPY_L1, copy_l1, MTE3, .ub = 64, .ub_pitch = 96, .l1 = 128, .l1_pitch = 1024, .rows = 20,
                    .cols = 40, .pair = 1),
         READ(SPACE_UB, 64, 20, 80, 96), WRITE(SPACE_PAIR_L1, 128, 3, 640, 1024));
  EXPECT(COMMAND_OF(VEC, vec, V, .op = VOP_CAST, .rows = 3, .cols = 40, .dst_pitch = 96, .a = 256, .a_pitch = 32,
                    .from = TYPE_S4, .to = TYPE_F16),
         READ(SPACE_UB, 256, 3, 20, 32), WRITE(SPACE_UB, 0, 3, 80, 96));
  EXPECT(COMMAND_OF(VEC, vec, V, .op = VOP_MUL, .rows = 3, .cols = 40, .dst_pitch = 96, .a = 512, .a_pitch = 96,
                    .b = 1024, .from = TYPE_F16, .to = TYPE_F16),
         READ(SPACE_UB, 512, 3, 80, 96), READ(SPACE_UB, 1024, 3, 80, 0), WRITE(SPACE_UB, 0, 3, 80, 96));
  // C has rows of 48 floats, 40 of them used
  EXPECT(COMMAND_OF(MMAD, mmad, M, .l0a = 32, .l0b = 64, .l0c = 96, .m = 20, .n = 40, .k = 50, .type = TYPE_F16),
         READ(SPACE_L0A, 32, 4, 640, 1024), READ(SPACE_L0B, 64, 3, 1600, 2048), WRITE(SPACE_L0C, 96, 20, 160, 192));
  EXPECT(COMMAND_OF(MMAD, mmad, M, .m = 16, .n = 16, .k = 32, .accumulate = 1, .type = TYPE_BF16),
         READ(SPACE_L0A, 0, 1, 1024, 0), READ(SPACE_L0B, 0, 1, 1024, 0), READ(SPACE_L0C, 0, 1, 1024, 0),
         WRITE(SPACE_L0C, 0, 1, 1024, 0));
  EXPECT(
      COMMAND_OF(FIXPIPE, fixpipe, FIX, .l0c = 32, .m = 20, .n = 40, .gm = GM_BASE, .gm_pitch = 512, .type = TYPE_BF16),
      READ(SPACE_L0C, 32, 20, 160, 192), WRITE(SPACE_GM, GM_BASE, 20, 80, 512));
  EXPECT(COMMAND_OF(FIXPIPE, fixpipe, FIX, .m = 20, .n = 40, .gm = GM_BASE, .gm_pitch = 512, .op = GM_ADD_F32),
         READ(SPACE_L0C, 0, 20, 160, 192), ATOMIC(GM_BASE, 20, 160, 512));
  EXPECT(COMMAND_OF(COPY_IN, copy_in, MTE2, .gm = GM_BASE, .gm_pitch = 100, .ub = 32, .ub_pitch = 64, .rows = 3,
                    .row_bytes = 50),
         READ(SPACE_GM, GM_BASE, 3, 50, 100), WRITE(SPACE_UB, 32, 3, 50, 64));
  EXPECT(
      COMMAND_OF(COPY_OUT, copy_out, MTE3, .gm = GM_BASE, .gm_pitch = 64, .ub_pitch = 64, .rows = 3, .row_bytes = 64),
      READ(SPACE_UB, 0, 1, 192, 0), WRITE(SPACE_GM, GM_BASE, 1, 192, 0));
  EXPECT(COMMAND_OF(COPY_OUT, copy_out, MTE3, .gm = GM_BASE, .gm_pitch = 2048, .rows = 3, .row_bytes = 64,
                    .op = GM_RESCALE),
         READ(SPACE_UB, 0, 1, 12, 0), ATOMIC(GM_BASE, 3, 64, 2048));
  EXPECT(COMMAND_OF(VEC, vec, V, .op = VOP_FMA, .rows = 4, .cols = 10, .dst = 32, .dst_pitch = 64, .a = 4096,
                    .a_pitch = 96, .b = 8192, .b_kind = OPERAND_ROW, .c = 256, .c_pitch = 160),
         READ(SPACE_UB, 4096, 4, 40, 96), READ(SPACE_UB, 8192, 1, 16, 0), READ(SPACE_UB, 256, 4, 40, 160),
         WRITE(SPACE_UB, 32, 4, 40, 64));
  EXPECT(COMMAND_OF(VEC, vec, V, .op = VOP_SELECT, .rows = 4, .cols = 10, .dst_pitch = 64, .a_pitch = 64,
                    .b_kind = OPERAND_SCALAR, .c = 256, .c_pitch = 32),
         READ(SPACE_UB, 0, 4, 40, 64), READ(SPACE_UB, 256, 4, 2, 32), WRITE(SPACE_UB, 0, 4, 40, 64));
  EXPECT(COMMAND_OF(VEC, vec, V, .op = VOP_ROW_MAX, .rows = 4, .cols = 10, .a_pitch = 64), READ(SPACE_UB, 0, 4, 40, 64),
         WRITE(SPACE_UB, 0, 1, 16, 0));
  EXPECT(COMMAND_OF(VEC, vec, V, .op = VOP_BROADCAST, .b_kind = OPERAND_SCALAR, .rows = 4, .cols = 10, .dst_pitch = 64),
         WRITE(SPACE_UB, 0, 4, 40, 64));
  // Keys and values, and as many rows as the command says, used or not
  EXPECT(COMMAND_OF(LOAD_KV, load_kv, LOAD, .k_gm = GM_BASE, .k_pitch = 256, .v_gm = GM_BASE + 128, .v_pitch = 512,
                    .keys = 10, .row = 7, .stride = 3, .dim = 64),
         READ(SPACE_GM, GM_BASE, 10, 128, 256), READ(SPACE_GM, GM_BASE + 128, 10, 128, 512),
         WRITE(SPACE_KV, 7, 1, 3, 0));
  EXPECT(COMMAND_OF(LOAD_EB, load_eb, LOAD, .gm = GM_BASE + 1, .gm_pitch = 100, .eb = 32, .eb_pitch = 64, .rows = 3,
                    .row_bytes = 50),
         READ(SPACE_GM, GM_BASE + 1, 3, 50, 100), WRITE(SPACE_EB, 32, 3, 50, 64));
  EXPECT(COMMAND_OF(STORE_EB, store_eb, STORE, .gm = GM_BASE, .gm_pitch = 100, .eb = 32, .eb_pitch = 64, .rows = 3,
                    .row_bytes = 50),
         READ(SPACE_EB, 32, 3, 50, 64), WRITE(SPACE_GM, GM_BASE, 3, 50, 100));
  // 5 queries of 32 bytes; triplets of 18 words
  command_t attn =
      COMMAND_OF(ATTN, attn, ATTN, .q = 64, .queries = 5, .dim = 16, .row = 7, .stride = 3, .keys = 10, .share = 2,
                 .mask = 4096, .mask_pitch = 32, .triplet = 1024, .triplet_pitch = 96, .out = 2048, .final = 1);
  EXPECT(attn, READ(SPACE_EB, 64, 1, 160, 0), READ(SPACE_KV, 7, 1, 3, 0), WRITE(SPACE_EB, 2048, 1, 160, 0));
  attn.attn.carry = 1;
  attn.attn.mask_mode = MASK_LIMIT;
  EXPECT(attn, READ(SPACE_EB, 64, 1, 160, 0), READ(SPACE_KV, 7, 1, 3, 0), READ(SPACE_EB, 1024, 5, 72, 96),
         WRITE(SPACE_EB, 2048, 1, 160, 0));
  attn.attn.final = 0;
  attn.attn.mask_mode = MASK_BITS;  // 3 rows for 5 queries, 2 bytes for 10 keys
  EXPECT(attn, READ(SPACE_EB, 64, 1, 160, 0), READ(SPACE_KV, 7, 1, 3, 0), READ(SPACE_EB, 4096, 3, 2, 32),
         READ(SPACE_EB, 1024, 5, 72, 96), WRITE(SPACE_EB, 1024, 5, 72, 96));
  attn.attn.carry = 0;
  EXPECT(attn, READ(SPACE_EB, 64, 1, 160, 0), READ(SPACE_KV, 7, 1, 3, 0), READ(SPACE_EB, 4096, 3, 2, 32),
         WRITE(SPACE_EB, 1024, 5, 72, 96));
  core_access_t access[CORE_MAX_ACCESSES];
  const command_t flag = COMMAND_OF(SET_FLAG, set_flag, M, .to = PIPE_FIX);
  assert_int_equal(core_accesses(&flag, access), 0);
}

// Marks the bytes of an access in a map of the spaces.
static void mark(const core_memory_t *map, const core_access_t *access) {
  if (access->space == SPACE_KV) {
    // Rows of every block.
    const uint64_t row = space_bytes(map, SPACE_KV) / map->bytes[SPACE_KV] / map->engine->blocks;
    for (size_t b = 0; b < map->engine->blocks; ++b) {
      memset(map->base[SPACE_KV] + (b * map->bytes[SPACE_KV] + access->base) * row, 1, access->row_bytes * row);
    }
    return;
  }
  const uint64_t begin = access->space == SPACE_GM ? access->base - GM_BASE : access->base;
  for (uint64_t r = 0; r < access->rows; ++r) {
    assert_true(begin + r * access->pitch + access->row_bytes <= map->bytes[access->space]);
    memset(map->base[access->space] + begin + r * access->pitch, 1, access->row_bytes);
  }
}

static void clear(const core_memory_t *map) {
  for (int space = 0; space < SPACE_COUNT; ++space) {
    if (map->bytes[space] > 0) {
      memset(map->base[space], 0, space_bytes(map, space));
    }
  }
}

static void tell_the_truth(core_kind_t kind, int count) {
  core_memory_t before = memory_of(kind);
  core_memory_t after = memory_of(kind);
  core_memory_t other = memory_of(kind);
  core_memory_t reads = memory_of(kind);
  core_memory_t writes = memory_of(kind);
  num_rng_t rng;
  num_rng_seed(&rng, SEED);
  fill(kind, &before, &rng);
  for (int i = 0; i < count; ++i) {
    const command_t c = random_command(&rng, kind);
    core_access_t access[CORE_MAX_ACCESSES];
    const size_t accesses = core_accesses(&c, access);
    clear(&reads);
    clear(&writes);
    for (size_t j = 0; j < accesses; ++j) {
      mark(access[j].write ? &writes : &reads, &access[j]);
      if (access[j].atomic) {
        mark(&reads, &access[j]);
      }
    }
    // Two memories that agree in nothing but what is read.
    copy_memory(&after, &before);
    for (int space = 0; space < SPACE_COUNT; ++space) {
      for (uint64_t byte = 0; byte < space_bytes(&before, space); ++byte) {
        const uint8_t flip = reads.base[space][byte] ? 0 : 0xff;
        other.base[space][byte] = before.base[space][byte] ^ flip;
      }
    }
    run(kind, &after, &c);
    run(kind, &other, &c);
    for (int space = 0; space < SPACE_COUNT; ++space) {
      for (uint64_t byte = 0; byte < space_bytes(&before, space); ++byte) {
        const uint8_t got = after.base[space][byte];
        if (writes.base[space][byte]) {
          CHECK(got == other.base[space][byte], "%s depends on more than its reads",
                core_command_name(c.header.opcode_));
        } else {
          CHECK(got == before.base[space][byte], "%s writes beside its writes", core_command_name(c.header.opcode_));
        }
      }
    }
  }
  free_memory(&before);
  free_memory(&after);
  free_memory(&other);
  free_memory(&reads);
  free_memory(&writes);
}

TEST(cube_commands_tell_the_truth) { tell_the_truth(CORE_CUBE, 200); }

TEST(vector_commands_tell_the_truth) { tell_the_truth(CORE_VECTOR, 300); }

TEST(engine_commands_tell_the_truth) { tell_the_truth(CORE_ENGINE, 500); }

int main(void) {
  printf("seed %d\n", SEED);
  return test_run(NULL);
}
