// Random legal commands of every kind of core, and memories full of bytes for them.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TESTS_CORE_CORE_RANDOM_H
#define AMALGAM_TESTS_CORE_CORE_RANDOM_H

#include "instruction_random.h"

static const num_engine_t engine = {.design = NUM_DESIGN_HFA, .d = 16, .blocks = 4, .rows = 80};

// LOAD_KV with as many keys as its rows hold, so that it writes all of them.
static inline command_t random_engine_command(num_rng_t *rng) {
  const uint32_t stride = 1 + random_below(rng, 20);
  const uint32_t row = random_below(rng, 21 - stride);
  const uint32_t rows = 1 + random_below(rng, 20);
  const uint32_t bytes = 2 * (1 + random_below(rng, 40));
  const uint32_t pitch = (uint32_t)round_up(bytes, 32) + 32 * random_below(rng, 2);
  const uint32_t eb = 32 * random_below(rng, 20);
  const uint64_t gm = GM_BASE + 2 * random_below(rng, 20);
  switch (random_below(rng, 4)) {
    case 0:
      return COMMAND_OF(LOAD_KV, load_kv, LOAD, .k_gm = gm, .k_pitch = 32 + bytes, .v_gm = GM_BASE + 0x4000,
                        .v_pitch = bytes, .keys = 4 * stride, .row = row, .stride = stride, .dim = 16);
    case 1:
      return COMMAND_OF(LOAD_EB, load_eb, LOAD, .gm = gm, .gm_pitch = bytes + 6, .eb = eb, .eb_pitch = pitch,
                        .rows = rows, .row_bytes = bytes, .scale = random_below(rng, 2) ? 0x3e800000u : 0);
    case 2:
      return COMMAND_OF(STORE_EB, store_eb, STORE, .gm = gm, .gm_pitch = bytes + 6, .eb = eb, .eb_pitch = pitch,
                        .rows = rows, .row_bytes = bytes);
    default:
      return COMMAND_OF(ATTN, attn, ATTN, .q = eb, .queries = rows, .dim = 16, .row = row, .stride = stride,
                        .keys = 1 + random_below(rng, 4 * stride), .mask_mode = random_below(rng, MASK_MODE_COUNT),
                        .limit = random_below(rng, 60) - 20, .share = 1 + random_below(rng, 4), .mask = 0x3000,
                        .mask_pitch = 32 + 32 * random_below(rng, 2), .carry = random_below(rng, 2),
                        .final = random_below(rng, 2), .triplet = 0x1000,
                        .triplet_pitch = 96 + 32 * random_below(rng, 2), .out = 0x2000 + eb);
  }
}

// Nibbles, FP16 arithmetic, and a result in FP16.
static inline command_t random_narrow(num_rng_t *rng, uint32_t x, uint32_t y, uint32_t offset, uint32_t wide) {
  static const struct {
    uint32_t op, from, to;
  } forms[] = {
      {VOP_CAST, TYPE_S4, TYPE_F16}, {VOP_CAST, TYPE_U4, TYPE_F32}, {VOP_ADD, TYPE_F16, TYPE_F16},
      {VOP_SUB, TYPE_F16, TYPE_F16}, {VOP_MUL, TYPE_F16, TYPE_F16}, {VOP_FMA, TYPE_F32, TYPE_F16},
  };
  const uint32_t form = random_below(rng, ARRAY_LEN(forms));
  const uint32_t cols = forms[form].op == VOP_CAST ? (uint32_t)round_up(y, 8) : y;
  return COMMAND_OF(VEC, vec, V, .op = forms[form].op, .rows = x, .cols = cols, .dst = offset, .dst_pitch = wide + 32,
                    .a = 0x8000, .a_pitch = wide, .b = 0x10000, .b_pitch = random_below(rng, 2) * wide, .c = 0x18000,
                    .c_pitch = random_below(rng, 2) * wide, .from = forms[form].from, .to = forms[form].to);
}

static inline command_t random_fixpipe(num_rng_t *rng, uint32_t m, uint32_t n, uint32_t l0c, uint64_t gm,
                                       uint32_t gm_pitch) {
  static const struct {
    uint32_t from, type, op;
    bool scaled;
  } forms[] = {{TYPE_F32, TYPE_F32, GM_STORE, false},       {TYPE_F32, TYPE_BF16, GM_STORE, false},
               {TYPE_F32, TYPE_F16, GM_STORE, false},       {TYPE_F32, TYPE_F32, GM_ADD_F32, false},
               {TYPE_F32, TYPE_S8, GM_STORE, true},         {TYPE_S32, TYPE_S32, GM_STORE, false},
               {TYPE_S32, TYPE_S32, GM_ADD_S32_RAW, false}, {TYPE_S32, TYPE_F16, GM_STORE, true},
               {TYPE_S32, TYPE_S8, GM_STORE, true},         {TYPE_S32, TYPE_U8, GM_STORE, true},
               {TYPE_F32, TYPE_F16, GM_ADD_F16, false},     {TYPE_F32, TYPE_BF16, GM_MAX_BF16, false},
               {TYPE_S32, TYPE_S8, GM_MIN_S8, true},        {TYPE_S32, TYPE_F16, GM_MIN_F16, true}};
  const uint32_t form = random_below(rng, ARRAY_LEN(forms));
  const bool stored = forms[form].op == GM_STORE;
  const bool nz = stored && forms[form].type != TYPE_S8 && forms[form].type != TYPE_U8 && random_below(rng, 2) != 0;
  if (stored && random_below(rng, 3) == 0) {
    n = (uint32_t)round_up(n, 32);
    return COMMAND_OF(
        FIX_L1, fix_l1, FIX, .l0c = l0c, .m = m, .n = n, .l1 = 0x5000 + l0c,
        .l1_pitch = 64 * m + 32 * random_below(rng, 3), .type = forms[form].type, .from = forms[form].from,
        .relu = random_below(rng, 2), .quant = forms[form].scaled ? QUANT_SCALE + random_below(rng, 2) : QUANT_NONE,
        .scale = 0x3d800000u, .scales = 0x4000, .strip_pitch = random_below(rng, 2) * 64 * (m + random_below(rng, 3)));
  }
  n = nz ? (uint32_t)round_up(n, 16) : stored ? n : (uint32_t)round_up(n, 4);
  gm_pitch = nz ? m * 64 + 4 * random_below(rng, 3) : stored ? gm_pitch : 4 * (n + random_below(rng, 3));
  return COMMAND_OF(FIXPIPE, fixpipe, FIX, .l0c = l0c, .m = m, .n = n, .gm = gm, .gm_pitch = gm_pitch,
                    .type = forms[form].type, .op = forms[form].op, .from = forms[form].from,
                    .relu = random_below(rng, 2),
                    .quant = forms[form].scaled ? QUANT_SCALE + random_below(rng, 2) : QUANT_NONE, .scale = 0x3d800000u,
                    .scales = 0x4000, .nz = nz, .strip_pitch = random_below(rng, 2) * 64 * (m + random_below(rng, 3)));
}

static inline command_t random_fractals(num_rng_t *rng, uint32_t offset) {
  const uint32_t transpose = random_below(rng, 2), element = random_below(rng, 2);
  const uint32_t bytes = transpose != 0 && element == ELEMENT_8 ? 1024 : 512;
  return COMMAND_OF(LOAD_FRACTALS, load_fractals, MTE1, .l1 = offset, .l1_pitch = 32 * random_below(rng, 40),
                    .l0 = offset, .l0_pitch = bytes + 32 * random_below(rng, 40), .right = random_below(rng, 2),
                    .repeats = 1 + random_below(rng, 20), .transpose = transpose, .element = element);
}

static inline command_t random_command(num_rng_t *rng, core_kind_t kind) {
  if (kind == CORE_ENGINE) {
    return random_engine_command(rng);
  }
  const uint32_t x = 1 + random_below(rng, 70);
  const uint32_t y = 1 + random_below(rng, 70);
  const uint32_t z = 1 + random_below(rng, 70);
  const uint32_t offset = 32 * random_below(rng, 20);
  const uint64_t gm = GM_BASE + 4 * random_below(rng, 20);
  const uint32_t gm_pitch = 4 * (y + random_below(rng, 3));
  const uint32_t wide = (uint32_t)round_up(y * 4, 32) + 32 * random_below(rng, 2);
  if (kind == CORE_CUBE) {
    switch (random_below(rng, 6)) {
      case 5:
        return random_fractals(rng, offset);
      case 0:
        return COMMAND_OF(LOAD_NZ, load_nz, MTE2, .gm = gm, .gm_pitch = gm_pitch, .l1 = offset, .rows = x, .cols = y,
                          .strips = random_below(rng, 2), .element = random_below(rng, 2),
                          .strip_pitch = random_below(rng, 2) * 32 * (x + random_below(rng, 3)));
      case 1:
        return COMMAND_OF(LOAD_A, load_a, MTE1, .l1 = offset, .l1_pitch = 4096, .l0a = offset, .m = x, .k = y,
                          .element = random_below(rng, 2));
      case 2:
        return COMMAND_OF(LOAD_B, load_b, MTE1, .l1 = offset, .l1_pitch = 4096, .l0b = offset, .k = x, .n = y,
                          .transpose = random_below(rng, 2), .element = random_below(rng, 2));
      case 3: {
        static const uint32_t types[] = {TYPE_BF16, TYPE_F16, TYPE_S8, TYPE_U8};
        return COMMAND_OF(MMAD, mmad, M, .l0a = offset, .l0b = 64, .l0c = offset, .m = x, .n = y, .k = z,
                          .accumulate = random_below(rng, 2), .type = types[random_below(rng, 4)],
                          .fractals = random_below(rng, 2));
      }
      default:
        return random_fixpipe(rng, x, y, offset, gm, gm_pitch);
    }
  }
  switch (random_below(rng, 5)) {
    case 4: {
      const uint32_t bytes = 1u << random_below(rng, 4);
      return COMMAND_OF(WRITE_VALUE, write_value, V, .ub = bytes * random_below(rng, 500), .bytes = bytes,
                        .value = num_rng_u64(rng));
    }
    case 3:
      return random_instruction(rng, 0x10000, true);
    case 0:
      return COMMAND_OF(COPY_IN, copy_in, MTE2, .gm = gm, .gm_pitch = gm_pitch, .ub = offset, .ub_pitch = wide,
                        .rows = x, .row_bytes = y * 4);
    case 1:
      return COMMAND_OF(COPY_OUT, copy_out, MTE3, .ub = offset, .ub_pitch = wide, .gm = gm, .gm_pitch = gm_pitch,
                        .rows = x, .row_bytes = y * 4, .op = random_below(rng, GM_OP_COUNT));
    default: {
      const uint32_t op = random_below(rng, VOP_COUNT);
      const uint32_t type = random_below(rng, TYPE_S4 + 1);
      const uint32_t other = type == TYPE_S4 ? TYPE_E4M3 : type;
      const bool from_wide = random_below(rng, 2) != 0;
      if (random_below(rng, 4) == 0) {
        return random_narrow(rng, x, y, offset, wide);
      }
      const bool cast = op == VOP_CAST;
      return COMMAND_OF(VEC, vec, V, .op = op, .rows = x, .cols = op == VOP_SWAP ? y + y % 2 : y, .dst = offset,
                        .dst_pitch = wide, .a = 0x8000, .a_pitch = wide, .b = 0x10000, .b_pitch = wide + 32,
                        .c = 0x18000, .c_pitch = wide, .scalar = 0x3f800000u,
                        .b_kind = op == VOP_BROADCAST ? 1 + random_below(rng, 2) : random_below(rng, 3),
                        .from = cast && !from_wide ? other : TYPE_F32, .to = cast && from_wide ? other : TYPE_F32);
    }
  }
}

static inline core_memory_t memory_of(core_kind_t kind) {
  return kind == CORE_ENGINE ? make_engine_memory(&engine, 0x4000, 0x8000) : make_memory(kind);
}

// Any bytes; for an attention engine BF16 from 2^-7 to 4, as an infinity or NaN would hide all else.
static inline void fill(core_kind_t kind, const core_memory_t *memory, num_rng_t *rng) {
  for (int space = 0; space < SPACE_COUNT; ++space) {
    const uint64_t bytes = space_bytes(memory, space);
    random_bytes(rng, memory->base[space], bytes);
    for (uint64_t i = 0; kind == CORE_ENGINE && i < bytes / 2; ++i) {
      put16(memory->base[space], i, (get16(memory->base[space], i) & 0x83ffu) | 0x3c00u);
    }
  }
}

#endif
