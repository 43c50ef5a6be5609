// LOAD_KV, LOAD_EB, ATTN and STORE_EB against loops over bytes and attention of whole sequences.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "core_test.h"
#include "num/engine/num_bf16.h"

enum { SEED = 271828, MAX_D = 64 };

static const num_engine_t designs[] = {
    {.design = NUM_DESIGN_HFA},
    {.design = NUM_DESIGN_HFA, .hfa = {.corrected = true}},
    {.design = NUM_DESIGN_FA2},
    {.design = NUM_DESIGN_EXPMUL},
};

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

static void random_bf16(num_rng_t *rng, uint8_t *to, size_t count, double sigma) {
  num_rng_normal_bf16(num_rng_u64(rng), 0, 0, count, sigma, (num_bf16_t *)(void *)to);
}

// --- moves ------------------------------------------------------------------------------------

// Key j: block j / stride, row + j % stride; behind it its value.
TEST(load_kv_places_keys) {
  num_rng_t rng;
  num_rng_seed(&rng, SEED);
  for (int i = 0; i < 300; ++i) {
    const uint32_t d = 16 + random_below(&rng, 3);
    const uint32_t blocks = 1 + random_below(&rng, 5);
    const uint32_t rows = 1 + random_below(&rng, 20);
    const num_engine_t engine = {.d = d, .blocks = blocks, .rows = (size_t)rows * blocks};
    const uint32_t stride = 1 + random_below(&rng, rows);
    const uint32_t row = random_below(&rng, rows - stride + 1);
    const uint32_t keys = 1 + random_below(&rng, blocks * stride);
    const uint32_t k_pitch = 2 * random_below(&rng, 3 * d);
    const uint32_t v_pitch = 2 * random_below(&rng, 3 * d);
    // The last value ends where global memory does.
    const uint64_t v = 2 * random_below(&rng, 9) + (uint64_t)(keys - 1) * k_pitch + 2 * d;
    const uint64_t k = 2 * random_below(&rng, 9);
    const uint64_t k_end = k + (uint64_t)(keys - 1) * k_pitch + 2 * d;
    const uint64_t v_end = v + (uint64_t)(keys - 1) * v_pitch + 2 * d;
    core_memory_t memory = make_engine_memory(&engine, 32, k_end > v_end ? k_end : v_end);
    core_memory_t expected = make_engine_memory(&engine, 32, memory.bytes[SPACE_GM]);
    random_bytes(&rng, memory.base[SPACE_GM], memory.bytes[SPACE_GM]);
    random_bytes(&rng, memory.base[SPACE_KV], space_bytes(&memory, SPACE_KV));
    copy_memory(&expected, &memory);
    const command_t c = COMMAND_OF(LOAD_KV, load_kv, LOAD, .k_gm = GM_BASE + k, .k_pitch = k_pitch, .v_gm = GM_BASE + v,
                                   .v_pitch = v_pitch, .keys = keys, .row = row, .stride = stride, .dim = d);
    run(CORE_ENGINE, &memory, &c);
    uint32_t key = 0;
    for (uint32_t b = 0; b < blocks; ++b) {
      for (uint32_t r = row; r < row + stride && key < keys; ++r, ++key) {
        for (uint32_t c_ = 0; c_ < d; ++c_) {
          const size_t at = ((size_t)b * rows + r) * 2 * d + c_;
          const uint8_t *gm = memory.base[SPACE_GM];
          put16(expected.base[SPACE_KV], at, get16(gm + k + (size_t)key * k_pitch, c_));
          put16(expected.base[SPACE_KV], at + d, get16(gm + v + (size_t)key * v_pitch, c_));
        }
      }
    }
    assert_int_equal(key, keys);
    expect_same(&memory, &expected, "LOAD_KV");
    free_memory(&memory);
    free_memory(&expected);
  }
}

// x * scale as FP32, then the nearer of its two neighbours in BF16, the even one of two as near.
static uint16_t scaled(uint16_t x, float scale) {
  const float product = (float)((double)num_bf16_to_f32(x) * (double)scale);
  if (isnan(product) || isinf(product)) {
    return (uint16_t)(num_f32_bits(product) >> 16);
  }
  const uint16_t below = (uint16_t)(num_f32_bits(product) >> 16);  // towards 0
  const uint16_t above = (uint16_t)(below + 1);
  const double lower = (double)num_bf16_to_f32(below);
  const double upper = (above & 0x7fffu) == 0x7f80u ? copysign(0x1p128, lower) : (double)num_bf16_to_f32(above);
  const double to_lower = fabs((double)product - lower);
  const double to_upper = fabs((double)product - upper);
  return to_lower < to_upper || (to_lower == to_upper && below % 2 == 0) ? below : above;
}

static bool is_nan(uint16_t x) { return (x & 0x7fffu) > 0x7f80u; }

TEST(load_eb_copies_and_scales) {
  static const num_engine_t engine = {.d = 16, .blocks = 1, .rows = 1};
  static const float scales[] = {0, 0.125f, 0.17677669f, 1, -3.3f, 1e-30f, 1e30f};
  num_rng_t rng;
  num_rng_seed(&rng, SEED);
  size_t ties = 0, values = 0;
  for (int i = 0; i < 400; ++i) {
    const float scale = scales[(size_t)i % ARRAY_LEN(scales)];
    const uint32_t rows = 1 + random_below(&rng, 20);
    const uint32_t row_bytes = scale != 0 ? 2 * (1 + random_below(&rng, 150)) : 1 + random_below(&rng, 300);
    const uint32_t eb = 32 * random_below(&rng, 10);
    const uint32_t eb_pitch = (uint32_t)round_up(row_bytes, 32) + 32 * random_below(&rng, 3);
    const uint64_t gm = (scale != 0 ? 2 : 1) * random_below(&rng, 100);
    const uint32_t gm_pitch = (scale != 0 ? 2 : 1) * random_below(&rng, 200);
    core_memory_t memory =
        make_engine_memory(&engine, eb + (rows - 1) * eb_pitch + row_bytes, gm + (rows - 1) * gm_pitch + row_bytes);
    core_memory_t expected = make_engine_memory(&engine, memory.bytes[SPACE_EB], memory.bytes[SPACE_GM]);
    random_bytes(&rng, memory.base[SPACE_GM], memory.bytes[SPACE_GM]);
    copy_memory(&expected, &memory);
    const command_t c =
        COMMAND_OF(LOAD_EB, load_eb, LOAD, .gm = GM_BASE + gm, .gm_pitch = gm_pitch, .eb = eb, .eb_pitch = eb_pitch,
                   .rows = rows, .row_bytes = row_bytes, .scale = num_f32_bits(scale));
    run(CORE_ENGINE, &memory, &c);
    for (uint32_t r = 0; r < rows; ++r) {
      const uint8_t *from = memory.base[SPACE_GM] + gm + (size_t)r * gm_pitch;
      const uint8_t *got = memory.base[SPACE_EB] + eb + (size_t)r * eb_pitch;
      uint8_t *to = expected.base[SPACE_EB] + eb + (size_t)r * eb_pitch;
      memcpy(to, from, row_bytes);
      for (uint32_t e = 0; scale != 0 && e < row_bytes / 2; ++e, ++values) {
        const uint16_t want = scaled(get16(from, e), scale);
        ties += num_f32_bits(num_bf16_to_f32(get16(from, e)) * scale) % 0x10000 == 0x8000;
        put16(to, e, is_nan(want) && is_nan(get16(got, e)) ? get16(got, e) : want);
      }
    }
    expect_same(&memory, &expected, "LOAD_EB");
    free_memory(&memory);
    free_memory(&expected);
  }
  printf("%zu values scaled, %zu of them half way between two\n", values, ties);
  assert_true(ties > 0);
}

TEST(store_eb_copies) {
  static const num_engine_t engine = {.d = 16, .blocks = 1, .rows = 1};
  num_rng_t rng;
  num_rng_seed(&rng, SEED);
  for (int i = 0; i < 200; ++i) {
    const uint32_t rows = 1 + random_below(&rng, 20);
    const uint32_t row_bytes = 1 + random_below(&rng, 300);
    const uint32_t eb = 32 * random_below(&rng, 10);
    const uint32_t eb_pitch = 32 * random_below(&rng, 12);
    const uint32_t gm_pitch = row_bytes + random_below(&rng, 50);
    core_memory_t memory =
        make_engine_memory(&engine, eb + (rows - 1) * eb_pitch + row_bytes, 7 + (rows - 1) * gm_pitch + row_bytes);
    core_memory_t expected = make_engine_memory(&engine, memory.bytes[SPACE_EB], memory.bytes[SPACE_GM]);
    random_bytes(&rng, memory.base[SPACE_EB], memory.bytes[SPACE_EB]);
    random_bytes(&rng, memory.base[SPACE_GM], memory.bytes[SPACE_GM]);
    copy_memory(&expected, &memory);
    const command_t c = COMMAND_OF(STORE_EB, store_eb, STORE, .eb = eb, .eb_pitch = eb_pitch, .gm = GM_BASE + 7,
                                   .gm_pitch = gm_pitch, .rows = rows, .row_bytes = row_bytes);
    run(CORE_ENGINE, &memory, &c);
    for (uint32_t r = 0; r < rows; ++r) {
      for (uint32_t byte = 0; byte < row_bytes; ++byte) {
        expected.base[SPACE_GM][7 + r * gm_pitch + byte] = expected.base[SPACE_EB][eb + r * eb_pitch + byte];
      }
    }
    expect_same(&memory, &expected, "STORE_EB");
    free_memory(&memory);
    free_memory(&expected);
  }
}

// --- attention --------------------------------------------------------------------------------

// Queries over keys, in chunks, with any mask.
typedef struct problem {
  num_engine_t engine;  // rows: of a chunk
  uint32_t queries, keys, share, mode;
  int32_t limit;               // of query 0 over all keys
  uint8_t *q, *k, *v, *valid;  // BF16 [queries][d], [keys][d] each; [ceil(queries/share)][keys]
} problem_t;

static problem_t make_problem(num_rng_t *rng, const num_engine_t *design) {
  problem_t p = {.engine = *design,
                 .queries = 1 + random_below(rng, 9),
                 .keys = 1 + random_below(rng, 70),
                 .share = 1 + random_below(rng, 4),
                 .mode = random_below(rng, MASK_MODE_COUNT)};
  p.engine.d = 16 * (1 + random_below(rng, MAX_D / 16));
  p.engine.blocks = 1 + random_below(rng, 4);
  p.engine.rows = 1 + random_below(rng, 50);
  p.limit = (int32_t)random_below(rng, p.keys + 20) - 15;
  const size_t d = p.engine.d;
  p.q = malloc(p.queries * d * 2);
  p.k = malloc(p.keys * d * 2);
  p.v = malloc(p.keys * d * 2);
  p.valid = malloc((size_t)p.queries * p.keys);
  random_bf16(rng, p.q, p.queries * d, 1);
  random_bf16(rng, p.k, p.keys * d, 1);
  random_bf16(rng, p.v, p.keys * d, 1);
  for (uint32_t row = 0; row < p.queries; ++row) {
    const uint32_t density = random_below(rng, 4);  // from no key to most
    for (uint32_t j = 0; j < p.keys; ++j) {
      p.valid[row * p.keys + j] = p.mode == MASK_NONE    ? 1
                                  : p.mode == MASK_LIMIT ? (int64_t)j < (int64_t)p.limit + row
                                                         : random_below(rng, 4) < density;
    }
  }
  // A key that no query sees holds an infinity; it must not show.
  for (uint32_t j = 0; j < p.keys; ++j) {
    bool seen = false;
    for (uint32_t row = 0; row * p.share < p.queries; ++row) {
      seen = seen || p.valid[row * p.keys + j] != 0;
    }
    if (!seen) {
      put16(p.v, j * d, 0x7f80);
    }
  }
  return p;
}

static void free_problem(problem_t *p) {
  free(p->q);
  free(p->k);
  free(p->v);
  free(p->valid);
}

static void golden(const problem_t *p, uint32_t query, num_bf16_t *out) {
  num_element_t scratch[2 * (MAX_D + 1)];
  num_engine_attention(&p->engine, (const num_bf16_t *)(const void *)p->q + query * p->engine.d,
                       (const num_bf16_t *)(const void *)p->k, (const num_bf16_t *)(const void *)p->v,
                       p->valid + (size_t)(query / p->share) * p->keys, p->keys, out, scratch);
}

// Regions of EB, one behind the other in any order; the last one ends where EB does.
enum { Q, MASK, TRIPLET, OUT, REGIONS };
typedef struct layout {
  uint32_t base[REGIONS], bytes[REGIONS], end;
  uint32_t mask_pitch, triplet_pitch;
} layout_t;

static layout_t make_layout(num_rng_t *rng, const problem_t *p) {
  const uint32_t d = (uint32_t)p->engine.d;
  const uint32_t mask_bytes = ((uint32_t)p->engine.rows + 7) / 8;
  layout_t l = {.mask_pitch = (uint32_t)round_up(mask_bytes, 32) + 32 * random_below(rng, 2),
                .triplet_pitch = (uint32_t)round_up(4 * (d + 2), 32) + 32 * random_below(rng, 2)};
  l.bytes[Q] = l.bytes[OUT] = p->queries * d * 2;
  l.bytes[MASK] = (p->queries - 1) / p->share * l.mask_pitch + mask_bytes;
  l.bytes[TRIPLET] = (p->queries - 1) * l.triplet_pitch + 4 * (d + 2);
  const uint32_t first = random_below(rng, REGIONS);
  for (uint32_t i = 0; i < REGIONS; ++i) {
    const uint32_t region = (first + i) % REGIONS;
    l.base[region] = (uint32_t)round_up(l.end, 32);
    l.end = l.base[region] + l.bytes[region];
  }
  return l;
}

// The bits of a chunk's keys; beyond them ones, which no key answers to.
static void put_mask(const problem_t *p, const layout_t *l, const core_memory_t *memory, uint32_t first,
                     uint32_t keys) {
  uint8_t *mask = memory->base[SPACE_EB] + l->base[MASK];
  memset(mask, 0xff, l->bytes[MASK]);
  for (uint32_t row = 0; row * p->share < p->queries; ++row) {
    for (uint32_t j = 0; j < keys; ++j) {
      if (!p->valid[row * p->keys + first + j]) {
        mask[row * l->mask_pitch + j / 8] &= (uint8_t) ~(1u << j % 8);
      }
    }
  }
}

// Keys from GM (all of k, then all of v) to rows row .. of every block, and an ATTN over them.
static void attend_chunk(const problem_t *p, const layout_t *l, const core_memory_t *memory, uint32_t row,
                         uint32_t first, uint32_t keys) {
  const uint32_t bytes = (uint32_t)p->engine.d * 2;
  const uint32_t stride = (keys + (uint32_t)p->engine.blocks - 1) / (uint32_t)p->engine.blocks;
  const command_t load =
      COMMAND_OF(LOAD_KV, load_kv, LOAD, .k_gm = GM_BASE + (uint64_t)first * bytes,
                 .v_gm = GM_BASE + ((uint64_t)p->keys + first) * bytes, .k_pitch = bytes, .v_pitch = bytes,
                 .keys = keys, .row = row, .stride = stride, .dim = (uint32_t)p->engine.d);
  const command_t attn = COMMAND_OF(
      ATTN, attn, ATTN, .q = l->base[Q], .queries = p->queries, .dim = (uint32_t)p->engine.d, .row = row,
      .stride = stride, .keys = keys, .mask_mode = p->mode, .limit = (uint32_t)p->limit - first, .share = p->share,
      .mask = l->base[MASK], .mask_pitch = l->mask_pitch, .carry = first > 0, .final = first + keys == p->keys,
      .triplet = l->base[TRIPLET], .triplet_pitch = l->triplet_pitch, .out = l->base[OUT]);
  put_mask(p, l, memory, first, keys);
  run(CORE_ENGINE, memory, &load);
  core_memory_t before = make_engine_memory(memory->engine, l->end, memory->bytes[SPACE_GM]);
  copy_memory(&before, memory);
  run(CORE_ENGINE, memory, &attn);
  // Only triplets or results have changed.
  const uint32_t region = attn.attn.final ? OUT : TRIPLET;
  memcpy(before.base[SPACE_EB] + l->base[region], memory->base[SPACE_EB] + l->base[region], l->bytes[region]);
  expect_same(memory, &before, "ATTN");
  free_memory(&before);
}

TEST(attention_of_whole_sequences) {
  num_rng_t rng;
  num_rng_seed(&rng, SEED);
  for (int i = 0; i < 600; ++i) {
    problem_t p = make_problem(&rng, &designs[(size_t)i % ARRAY_LEN(designs)]);
    const layout_t l = make_layout(&rng, &p);
    const uint32_t d = (uint32_t)p.engine.d;
    const uint32_t blocks = (uint32_t)p.engine.blocks;
    const uint32_t chunk = (uint32_t)p.engine.rows;
    // As many rows as a chunk needs, from a row on.
    const uint32_t row = random_below(&rng, 5);
    const uint32_t stride = (chunk + blocks - 1) / blocks;
    num_engine_t machine = p.engine;
    machine.rows = (size_t)blocks * (row + stride);
    core_memory_t memory = make_engine_memory(&machine, l.end, (uint64_t)p.keys * d * 4);
    memcpy(memory.base[SPACE_GM], p.k, p.keys * d * 2);
    memcpy(memory.base[SPACE_GM] + p.keys * d * 2, p.v, p.keys * d * 2);
    memcpy(memory.base[SPACE_EB] + l.base[Q], p.q, l.bytes[Q]);
    for (uint32_t first = 0; first < p.keys; first += chunk) {
      attend_chunk(&p, &l, &memory, row, first, least(chunk, p.keys - first));
    }
    for (uint32_t query = 0; query < p.queries; ++query) {
      num_bf16_t expected[MAX_D];
      golden(&p, query, expected);
      for (uint32_t c = 0; c < d; ++c) {
        const uint16_t got = get16(memory.base[SPACE_EB] + l.base[OUT], query * d + c);
        CHECK(got == expected[c],
              "problem %d: query %u of %u, element %u is %04x, not %04x (%u keys in chunks of %u, "
              "%u blocks, mask mode %u)",
              i, query, p.queries, c, got, expected[c], p.keys, chunk, blocks, p.mode);
      }
    }
    free_memory(&memory);
    free_problem(&p);
  }
}

// Blocks are those of the command's stride, though fewer keys would fill all of them evenly; the last
// ones may be empty.
TEST(stride_cuts_the_blocks) {
  num_rng_t rng;
  num_rng_seed(&rng, SEED);
  for (uint32_t stride = 1; stride <= 12; ++stride) {
    for (uint32_t keys = 1; keys <= 3 * stride; ++keys) {
      num_engine_t engine = designs[keys % ARRAY_LEN(designs)];
      engine.d = 16;
      engine.blocks = 3;
      engine.rows = (size_t)3 * stride;
      core_memory_t memory = make_engine_memory(&engine, 64 + 32, (uint64_t)keys * 64);
      random_bf16(&rng, memory.base[SPACE_GM], keys * 32, 1);
      random_bf16(&rng, memory.base[SPACE_EB], 16, 1);
      const command_t load = COMMAND_OF(LOAD_KV, load_kv, LOAD, .k_gm = GM_BASE, .v_gm = GM_BASE + 32, .k_pitch = 64,
                                        .v_pitch = 64, .keys = keys, .stride = stride, .dim = 16);
      const command_t attn = COMMAND_OF(ATTN, attn, ATTN, .queries = 1, .dim = 16, .stride = stride, .keys = keys,
                                        .share = 1, .final = 1, .out = 64);
      run(CORE_ENGINE, &memory, &load);
      run(CORE_ENGINE, &memory, &attn);
      num_element_t elements[2][17];
      num_triplet_t all = {.o = elements[0]}, one = {.o = elements[1]};
      for (uint32_t b = 0; b < 3; ++b) {
        num_triplet_t *triplet = b == 0 ? &all : &one;
        num_engine_clear(&engine, triplet);
        for (uint32_t j = b * stride; j < least(keys, (b + 1) * stride); ++j) {
          const num_bf16_t *key = (const num_bf16_t *)(const void *)(memory.base[SPACE_GM] + (size_t)j * 64);
          num_engine_fau(&engine, (const num_bf16_t *)(const void *)memory.base[SPACE_EB], key, key + 16, NULL, 1,
                         triplet);
        }
        if (b > 0) {
          num_engine_acc(&engine, &all, &one);
        }
      }
      num_bf16_t expected[16];
      num_engine_divide(&engine, &all, expected);
      CHECK(memcmp(expected, memory.base[SPACE_EB] + 64, sizeof expected) == 0, "%u keys at a stride of %u", keys,
            stride);
      free_memory(&memory);
    }
  }
}

// One key whose score is 0: the maximum is 0, the sum 1, the rest its value.  An infinity in it
// poisons; a query that does not see it keeps the empty triplet.
TEST(triplets_in_the_buffer) {
  static const num_engine_t engine = {.design = NUM_DESIGN_FA2, .d = 16, .blocks = 1, .rows = 1};
  core_memory_t memory = make_engine_memory(&engine, 512, 64);
  memset(memory.base[SPACE_EB], 0, 3 * 32);
  memset(memory.base[SPACE_GM], 0, 32);
  for (uint16_t c = 0; c < 16; ++c) {
    put16(memory.base[SPACE_GM] + 32, c, (uint16_t)(0xbf80 + c));
  }
  const command_t load =
      COMMAND_OF(LOAD_KV, load_kv, LOAD, .k_gm = GM_BASE, .v_gm = GM_BASE + 32, .keys = 1, .stride = 1, .dim = 16);
  command_t attn =
      COMMAND_OF(ATTN, attn, ATTN, .queries = 3, .dim = 16, .stride = 1, .keys = 1, .mask_mode = MASK_LIMIT,
                 .limit = (uint32_t)-1, .share = 1, .triplet = 128, .triplet_pitch = 128);
  run(CORE_ENGINE, &memory, &load);
  run(CORE_ENGINE, &memory, &attn);
  const uint8_t *triplet = memory.base[SPACE_EB] + 128;
  // Queries 0 and 1 see -1 and 0 keys, query 2 sees one.
  for (size_t i = 0; i < 3; ++i) {
    assert_int_equal(get32(triplet + i * 128, 0), i < 2 ? 0xff80 : 0);
    assert_int_equal(get32(triplet + i * 128, 1), i < 2 ? 0 : 0x3f80);
    for (uint32_t c = 0; c < 16; ++c) {
      assert_int_equal(get32(triplet + i * 128, 2 + c), i < 2 ? 0 : 0x10000 + 0x3f80 + c);
    }
    for (uint32_t word = 18; word < 32; ++word) {
      assert_int_equal(get32(triplet + i * 128, word), 0xffffffff);
    }
  }
  put16(memory.base[SPACE_GM] + 32, 15, 0xff80);
  run(CORE_ENGINE, &memory, &load);
  run(CORE_ENGINE, &memory, &attn);
  assert_int_equal(get32(triplet, 0), 0xff80);
  assert_int_equal(get32(triplet + 256, 0) & 0xffff0000u, 0x10000);
  // Once poisoned, always: its result is NaN whatever comes.
  put16(memory.base[SPACE_GM] + 32, 15, 0x3f80);
  run(CORE_ENGINE, &memory, &load);
  attn.attn.carry = 1;
  attn.attn.final = 1;
  attn.attn.limit = 1;
  run(CORE_ENGINE, &memory, &attn);
  for (size_t c = 0; c < 48; ++c) {
    assert_int_equal(is_nan(get16(memory.base[SPACE_EB], c)), c >= 32);
  }
  free_memory(&memory);
}

// Rows streamed for a group of queries: as far as the one that sees most, at least one.
TEST(rows_of_a_group) {
  cmd_attn_t c = {.queries = 10, .keys = 30, .stride = 8, .share = 3, .mask_mode = MASK_NONE};
  assert_int_equal(core_attn_rows(&c, 0, 1), 8);
  c.keys = 5;
  assert_int_equal(core_attn_rows(&c, 0, 4), 5);  // a chunk that does not fill its first block
  c.keys = 30;
  c.mask_mode = MASK_LIMIT;
  c.limit = (uint32_t)-1;
  // Limits -1 -1 -1 0 0 0 1 1 1 2
  static const uint32_t limits[] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 2};
  for (size_t i = 0; i < ARRAY_LEN(limits); ++i) {
    assert_int_equal(core_attn_limit(&c, i), limits[i]);
    assert_int_equal(core_attn_rows(&c, i, 1), limits[i] > 0 ? limits[i] : 1);
  }
  assert_int_equal(core_attn_rows(&c, 4, 4), 1);
  c.share = 1;
  c.limit = (uint32_t)-7;
  assert_int_equal(core_attn_rows(&c, 8, 4), 2);  // queries 8 and 9; there are no others
  c.share = 3;
  c.limit = 29;
  assert_int_equal(core_attn_limit(&c, 0), 29);
  assert_int_equal(core_attn_limit(&c, 9), 30);  // no more than there are
  assert_int_equal(core_attn_rows(&c, 0, 4), 8);
  c.limit = 0x7fffffff;
  assert_int_equal(core_attn_limit(&c, 9), 30);
  c.limit = 0x80000000u;
  assert_int_equal(core_attn_limit(&c, 9), 0);
  c.mask_mode = MASK_BITS;  // the limit does not count, nor do bits shorten the stream
  assert_int_equal(core_attn_rows(&c, 0, 1), 8);
}

int main(void) {
  printf("seed %d\n", SEED);
  return test_run(NULL);
}
