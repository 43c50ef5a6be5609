// Names and disassembly.
// SPDX-License-Identifier: Apache-2.0
#include "core_test.h"

static void expect_text(command_t command, const char *expected) {
  char text[512];
  core_disassemble(&command, text, sizeof text);
  assert_string_equal(text, expected);
}

TEST(names) {
  assert_string_equal(core_pipe_name(PIPE_MTE2), "MTE2");
  assert_string_equal(core_pipe_name(PIPE_MTE3), "MTE3");
  assert_string_equal(core_pipe_name(PIPE_COUNT), "?");
  assert_string_equal(core_command_name(OP_LOAD_NZ), "LOAD_NZ");
  assert_string_equal(core_command_name(OP_COUNT), "?");
  assert_int_equal(core_command_pipes(OP_LOAD_NZ), PIPE_BIT_MTE2);
  assert_int_equal(core_command_pipes(OP_COUNT), 0);
  assert_string_equal(core_space_name(SPACE_L0C), "L0C");
  assert_string_equal(core_pipe_name(PIPE_ATTN), "ATTN");
  assert_string_equal(core_command_name(OP_STORE_EB), "STORE_EB");
  assert_string_equal(core_space_name(SPACE_KV), "KV");
  assert_string_equal(core_space_name(SPACE_EB), "EB");
  assert_string_equal(core_space_name(SPACE_COUNT), "?");
}

TEST(commands) {
  expect_text(COMMAND_OF(LOAD_NZ, load_nz, MTE2, .gm = 0x4000001000ull, .gm_pitch = 1152, .l1 = 0x2000, .rows = 128,
                         .cols = 576),
              "LOAD_NZ gm=0x4000001000 gm_pitch=1152 l1=0x2000 rows=128 cols=576 strips=0");
  expect_text(COMMAND_OF(SET_FLAG, set_flag, MTE2, .to = PIPE_MTE1, .event = 3), "SET_FLAG to=MTE1 event=3");
  expect_text(COMMAND_OF(PIPE_BARRIER, pipe_barrier, V, .zero_ = 0), "PIPE_BARRIER");
  expect_text(COMMAND_OF(MMAD, mmad, M, .l0a = 0x8000, .m = 128, .n = 64, .k = 96, .accumulate = 1, .type = TYPE_BF16),
              "MMAD l0a=0x8000 l0b=0x0 l0c=0x0 m=128 n=64 k=96 accumulate=1 type=BF16");
  expect_text(COMMAND_OF(LOAD_A, load_a, MTE1, .l1 = 32, .l1_pitch = 512, .m = 4, .k = 64, .element = ELEMENT_8),
              "LOAD_A l1=0x20 l1_pitch=512 l0a=0x0 m=4 k=64 element=8");
  expect_text(COMMAND_OF(FIXPIPE, fixpipe, FIX, .m = 4, .n = 5, .gm = GM_BASE, .gm_pitch = 16, .type = TYPE_F16),
              "FIXPIPE l0c=0x0 m=4 n=5 gm=0x4000000000 gm_pitch=16 type=F16 op=STORE");
  expect_text(COMMAND_OF(FIX_L1, fix_l1, FIX, .m = 4, .n = 32, .l1 = 64, .l1_pitch = 128, .type = TYPE_S8,
                         .quant = QUANT_SCALE, .scale = 0x3f000000u),
              "FIX_L1 l0c=0x0 m=4 n=32 l1=0x40 l1_pitch=128 type=S8 quant=SCALE scale=0.5");
  expect_text(COMMAND_OF(FIXPIPE, fixpipe, FIX, .m = 4, .n = 5, .gm = GM_BASE, .gm_pitch = 16, .type = TYPE_S8,
                         .from = TYPE_S32, .relu = 1, .quant = QUANT_SCALE, .scale = 0x3f000000u, .scales = 32),
              "FIXPIPE l0c=0x0 m=4 n=5 gm=0x4000000000 gm_pitch=16 type=S8 op=STORE from=S32 relu=1 quant=SCALE "
              "scale=0.5");
  expect_text(COMMAND_OF(COPY_OUT, copy_out, MTE3, .ub = 64, .gm = GM_BASE, .gm_pitch = 2048, .rows = 4,
                         .row_bytes = 2048, .op = GM_RESCALE),
              "COPY_OUT ub=0x40 ub_pitch=0 gm=0x4000000000 gm_pitch=2048 rows=4 row_bytes=2048 "
              "op=RESCALE skip_zero=0");
}

TEST(instructions) {
  const uint32_t step = VECTOR_STEP(1, 8);
  expect_text(COMMAND_OF(VINST, vinst, V, .op = VI_ADDS, .type = TYPE_F16, .count = 300, .dst = 0x40, .dst_step = step,
                         .a = 0x800, .a_step = step, .b = 7, .scalar = 0x3e00),
              "VINST op=ADDS type=F16 count=300 dst=0x40 dst_step=1/8 a=0x800 a_step=1/8 scalar=1.5");
  expect_text(COMMAND_OF(VINST, vinst, V, .op = VI_OR, .type = TYPE_U16, .repeats = 3, .mask = ~0ull, .dst_step = step,
                         .a_step = VECTOR_STEP(0, 4), .b = 32, .b_step = step, .scalar = 7),
              "VINST op=OR type=U16 repeats=3 mask=0xffffffffffffffff mask_high=0x0 dst=0x0 dst_step=1/8 a=0x0 "
              "a_step=0/4 b=0x20 b_step=1/8");
  expect_text(COMMAND_OF(VINST, vinst, V, .op = VI_CAST, .to = TYPE_S64, .mode = VECTOR_CEIL, .count = 3),
              "VINST op=CAST type=F32 to=S64 mode=CEIL count=3 dst=0x0 dst_step=0/0 a=0x0 a_step=0/0");
  expect_text(COMMAND_OF(VINST, vinst, V, .op = VI_SELECTS, .mode = SELECT_SAME, .count = 3, .c = 64),
              "VINST op=SELECTS type=F32 mode=SAME count=3 dst=0x0 dst_step=0/0 a=0x0 a_step=0/0 c=0x40 scalar=0");
  expect_text(COMMAND_OF(VINST, vinst, V, .op = VI_WHOLE_MAX, .mode = CHOICE_INDEX, .count = 3),
              "VINST op=WHOLE_MAX type=F32 mode=INDEX count=3 dst=0x0 dst_step=0/0 a=0x0 a_step=0/0");
  expect_text(COMMAND_OF(VINST, vinst, V, .op = VI_BRCB, .type = TYPE_BF16, .repeats = 3, .dst_step = step),
              "VINST op=BRCB type=BF16 repeats=3 dst=0x0 dst_step=1/8 a=0x0");
  expect_text(COMMAND_OF(VINST, vinst, V, .op = 999, .type = TYPE_S32, .count = 1, .scalar = 20),
              "VINST op=999 type=S32 count=1 dst=0x0 dst_step=0/0 a=0x0 a_step=0/0 b=0x0 b_step=0/0 scalar=0x14");
}

TEST(engine_commands) {
  expect_text(COMMAND_OF(LOAD_KV, load_kv, LOAD, .k_gm = GM_BASE, .v_gm = GM_BASE + 128, .k_pitch = 256, .v_pitch = 512,
                         .keys = 100, .row = 8, .stride = 25, .dim = 64),
              "LOAD_KV k_gm=0x4000000000 v_gm=0x4000000080 k_pitch=256 v_pitch=512 keys=100 row=8 "
              "stride=25 dim=64");
  expect_text(COMMAND_OF(LOAD_EB, load_eb, LOAD, .gm = GM_BASE, .gm_pitch = 128, .eb = 0x40, .eb_pitch = 160, .rows = 3,
                         .row_bytes = 128, .scale = 0x3e000000u),
              "LOAD_EB gm=0x4000000000 gm_pitch=128 eb=0x40 eb_pitch=160 rows=3 row_bytes=128 "
              "scale=0.125");
  expect_text(COMMAND_OF(ATTN, attn, ATTN, .q = 0x20, .queries = 7, .dim = 64, .row = 8, .stride = 25, .keys = 100,
                         .mask_mode = MASK_LIMIT, .limit = -3u, .share = 4, .mask = 0x60, .mask_pitch = 32, .carry = 1,
                         .triplet = 0x4000, .triplet_pitch = 288, .out = 0x8000),
              "ATTN q=0x20 queries=7 dim=64 row=8 stride=25 keys=100 mask_mode=LIMIT limit=-3 "
              "share=4 mask=0x60 mask_pitch=32 carry=1 final=0 triplet=0x4000 triplet_pitch=288 "
              "out=0x8000");
  expect_text(COMMAND_OF(STORE_EB, store_eb, STORE, .eb = 0x8000, .eb_pitch = 128, .gm = GM_BASE, .gm_pitch = 512,
                         .rows = 7, .row_bytes = 128),
              "STORE_EB eb=0x8000 eb_pitch=128 gm=0x4000000000 gm_pitch=512 rows=7 row_bytes=128");
  expect_text(COMMAND_OF(WAIT_FLAG, wait_flag, STORE, .from = PIPE_ATTN, .event = 1), "WAIT_FLAG from=ATTN event=1");
}

TEST(direct_path) {
  expect_text(COMMAND_OF(COPY_L1, copy_l1, MTE3, .ub = 0x40, .ub_pitch = 512, .l1 = 0x20000, .l1_pitch = 4096,
                         .rows = 64, .cols = 256),
              "COPY_L1 ub=0x40 ub_pitch=512 l1=0x20000 l1_pitch=4096 rows=64 cols=256 pair=0");
}

TEST(looks) {
  expect_text(COMMAND_OF(READ_VALUE, read_value, V, .ub = 64, .bytes = 4), "READ_VALUE gm=0x0 ub=0x40 bytes=4");
  expect_text(COMMAND_OF(WRITE_VALUE, write_value, V, .ub = 64, .bytes = 2, .value = 258),
              "WRITE_VALUE gm=0x0 ub=0x40 bytes=2 value=0x102");
  expect_text(COMMAND_OF(READ_GM, read_gm, MTE2, .gm = GM_BASE + 512, .bytes = 48), "READ_GM gm=0x4000000200 bytes=48");
  expect_text(COMMAND_OF(MARK, mark, FIX, .number = 7), "MARK number=7");
}

// A VEC shows the fields its operation reads.
TEST(vector_fields) {
  command_t c = COMMAND_OF(VEC, vec, V, .op = VOP_MUL, .rows = 64, .cols = 512, .dst = 0x100, .dst_pitch = 2048,
                           .a = 0x200, .a_pitch = 2048, .b_kind = OPERAND_SCALAR, .scalar = 0x3e000000u);
  expect_text(c,
              "VEC op=MUL rows=64 cols=512 dst=0x100 dst_pitch=2048 a=0x200 a_pitch=2048 "
              "b_kind=SCALAR scalar=0.125");
  c.vec.op = VOP_ROW_MAX;
  expect_text(c, "VEC op=ROW_MAX rows=64 cols=512 dst=0x100 a=0x200 a_pitch=2048");
  c.vec.op = VOP_CAST;
  c.vec.to = TYPE_S32;
  c.vec.round = ROUND_TRUNC;
  expect_text(c,
              "VEC op=CAST rows=64 cols=512 dst=0x100 dst_pitch=2048 a=0x200 a_pitch=2048 "
              "from=F32 to=S32 round=TRUNC");
  c.vec.op = VOP_CAST;
  c.vec.from = TYPE_S4;
  c.vec.to = TYPE_F16;
  c.vec.round = ROUND_NEAREST;
  expect_text(c,
              "VEC op=CAST rows=64 cols=512 dst=0x100 dst_pitch=2048 a=0x200 a_pitch=2048 "
              "from=S4 to=F16 round=NEAREST");
  c.vec.op = VOP_FMA;
  c.vec.b_kind = OPERAND_TILE;
  c.vec.from = TYPE_F32;
  expect_text(c,
              "VEC op=FMA rows=64 cols=512 dst=0x100 dst_pitch=2048 a=0x200 a_pitch=2048 "
              "b=0x0 b_pitch=0 c=0x0 c_pitch=0 b_kind=TILE from=F32 to=F16");
  c.vec.op = VOP_SELECT;
  c.vec.b_kind = OPERAND_TILE;
  expect_text(c,
              "VEC op=SELECT rows=64 cols=512 dst=0x100 dst_pitch=2048 a=0x200 a_pitch=2048 "
              "b=0x0 b_pitch=0 c=0x0 c_pitch=0 b_kind=TILE");
}

TEST(malformed) {
  expect_text((command_t){.header = {.opcode_ = 99}}, "? opcode=99");
  expect_text(COMMAND_OF(FIXPIPE, fixpipe, FIX, .m = 1, .n = 1, .type = 99, .op = 99),
              "FIXPIPE l0c=0x0 m=1 n=1 gm=0x0 gm_pitch=0 type=99 op=99");
  command_t c = COMMAND_OF(VEC, vec, V, .op = 0xffffffffu, .round = 9);
  char text[64];
  core_disassemble(&c, text, sizeof text);  // cut, and ended
  assert_memory_equal(text, "VEC op=4294967295 rows=0", 24);
  assert_int_equal(strlen(text), sizeof text - 1);
  text[1] = 'x';
  core_disassemble(&c, text, 1);
  assert_string_equal(text, "");
  assert_int_equal(text[1], 'x');
  core_disassemble(&c, text, 0);
}
