// Malformed commands, each with what its message must say; and the largest that are well formed.
// SPDX-License-Identifier: Apache-2.0
#include "core_test.h"

// Sizes of the default machine; nothing is executed here.
static const core_memory_t cube_memory = {
    .bytes = {[SPACE_L1] = 512 << 10, [SPACE_L0A] = 64 << 10, [SPACE_L0B] = 64 << 10, [SPACE_L0C] = 128 << 10}};
static const core_memory_t vector_memory = {.bytes = {[SPACE_UB] = 192 << 10}};
static const num_engine_t engine = {.design = NUM_DESIGN_HFA, .d = 64, .blocks = 4, .rows = 1024};
static const core_memory_t engine_memory = {.bytes = {[SPACE_KV] = 256, [SPACE_EB] = 256 << 10}, .engine = &engine};

static bool check(core_kind_t kind, const command_t *command, char *error) {
  static const core_memory_t *const memory[CORE_KIND_COUNT] = {&cube_memory, &vector_memory, &engine_memory};
  return core_check(kind, memory[kind], command, error);
}

typedef struct {
  command_t command;
  const char *message;  // a part of it; NULL: well formed
} case_t;

static void run_table(core_kind_t kind, const case_t *cases, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    char error[CORE_ERROR_BYTES];
    const bool ok = check(kind, &cases[i].command, error);
    if (cases[i].message == NULL) {
      CHECK(ok, "case %zu: %s", i, error);
      CHECK(error[0] == '\0', "case %zu: %s", i, error);
    } else {
      CHECK(!ok, "case %zu passed, expected '%s'", i, cases[i].message);
      CHECK(strstr(error, cases[i].message) != NULL, "case %zu: '%s', expected '%s'", i, error, cases[i].message);
    }
  }
}

#define RUN_TABLE(kind, cases) run_table(kind, cases, ARRAY_LEN(cases))

TEST(headers) {
  char unknown[64];
  snprintf(unknown, sizeof unknown, "opcode=%d: expected 0 to %d", OP_COUNT, OP_COUNT - 1);
  const case_t cube[] = {
      {{.header = {.opcode_ = OP_COUNT}}, unknown},
      {{.header = {.opcode_ = 255}}, "opcode=255"},
      {{.header = {.opcode_ = OP_PIPE_BARRIER, .pipe_ = PIPE_M, .zero_ = 1}}, "bytes 2 to 7"},
      {{.header = {.opcode_ = OP_PIPE_BARRIER, .pipe_ = PIPE_M, .zero2_ = 1}}, "bytes 2 to 7"},
      {{.header = {.opcode_ = OP_PIPE_BARRIER, .pipe_ = PIPE_M}}, NULL},
      {{.header = {.opcode_ = OP_PIPE_BARRIER, .pipe_ = PIPE_V}},
       "PIPE_BARRIER pipe=4 (V): expected a pipe of a cube core"},
      {{.header = {.opcode_ = OP_PIPE_BARRIER, .pipe_ = 200}}, "pipe=200 (?)"},
      {{.header = {.opcode_ = OP_MMAD, .pipe_ = PIPE_MTE1}}, "MMAD pipe=1 (MTE1): expected M"},
      {{.header = {.opcode_ = OP_VEC, .pipe_ = PIPE_V}}, "VEC on a cube core: expected a vector core"},
      {{.header = {.opcode_ = OP_COPY_IN, .pipe_ = PIPE_MTE2}}, "COPY_IN on a cube core: expected a vector core"},
      {{.header = {.opcode_ = OP_COPY_OUT, .pipe_ = PIPE_MTE3}}, "COPY_OUT on a cube core"},
  };
  const case_t vector[] = {
      {{.header = {.opcode_ = OP_LOAD_NZ, .pipe_ = PIPE_MTE2}}, "LOAD_NZ on a vector core: expected a cube core"},
      {{.header = {.opcode_ = OP_MMAD, .pipe_ = PIPE_M}}, "MMAD on a vector core"},
      {{.header = {.opcode_ = OP_VEC, .pipe_ = PIPE_MTE3}}, "VEC pipe=5 (MTE3): expected V"},
      {{.header = {.opcode_ = OP_PIPE_BARRIER, .pipe_ = PIPE_V}}, NULL},
      {{.header = {.opcode_ = OP_ATTN, .pipe_ = PIPE_ATTN}}, "ATTN on a vector core: expected an attention engine"},
      {{.header = {.opcode_ = OP_LOAD_KV, .pipe_ = PIPE_LOAD}}, "LOAD_KV on a vector core"},
  };
  const case_t attention[] = {
      {{.header = {.opcode_ = OP_PIPE_BARRIER, .pipe_ = PIPE_ATTN}}, NULL},
      {{.header = {.opcode_ = OP_PIPE_BARRIER, .pipe_ = PIPE_MTE2}},
       "PIPE_BARRIER pipe=0 (MTE2): expected a pipe of an attention engine"},
      {{.header = {.opcode_ = OP_LOAD_NZ, .pipe_ = PIPE_MTE2}}, "LOAD_NZ on an attention engine: expected a cube core"},
      {{.header = {.opcode_ = OP_COPY_IN, .pipe_ = PIPE_MTE2}},
       "COPY_IN on an attention engine: expected a vector core"},
      {{.header = {.opcode_ = OP_VEC, .pipe_ = PIPE_V}}, "VEC on an attention engine"},
      {{.header = {.opcode_ = OP_ATTN, .pipe_ = PIPE_LOAD}}, "ATTN pipe=6 (LOAD): expected ATTN"},
      {{.header = {.opcode_ = OP_LOAD_KV, .pipe_ = PIPE_ATTN}}, "LOAD_KV pipe=7 (ATTN): expected LOAD"},
      {{.header = {.opcode_ = OP_LOAD_EB, .pipe_ = PIPE_STORE}}, "LOAD_EB pipe=8 (STORE): expected LOAD"},
      {{.header = {.opcode_ = OP_STORE_EB, .pipe_ = PIPE_LOAD}}, "STORE_EB pipe=6 (LOAD): expected STORE"},
  };
  RUN_TABLE(CORE_CUBE, cube);
  RUN_TABLE(CORE_VECTOR, vector);
  RUN_TABLE(CORE_ENGINE, attention);
}

TEST(flags) {
  const case_t cube[] = {
      {COMMAND_OF(SET_FLAG, set_flag, M, .to = PIPE_FIX, .event = 31), NULL},
      {COMMAND_OF(SET_FLAG, set_flag, M, .to = PIPE_FIX, .event = 32), "SET_FLAG event=32: expected 0 to 31"},
      {COMMAND_OF(SET_FLAG, set_flag, M, .to = PIPE_M), "to=M: expected another pipe than its own"},
      {COMMAND_OF(SET_FLAG, set_flag, M, .to = PIPE_V), "to=4: expected a pipe of a cube core"},
      {COMMAND_OF(SET_FLAG, set_flag, M, .to = 0xffffffffu), "to=4294967295"},
      {COMMAND_OF(WAIT_FLAG, wait_flag, M, .from = PIPE_MTE1), NULL},
      {COMMAND_OF(WAIT_FLAG, wait_flag, M, .from = PIPE_M), "WAIT_FLAG from=M: expected another pipe than its own"},
      {COMMAND_OF(WAIT_FLAG, wait_flag, M, .from = PIPE_MTE3), "from=5: expected a pipe"},
      {COMMAND_OF(WAIT_FLAG, wait_flag, M, .from = PIPE_FIX, .event = 100), "event=100"},
      {COMMAND_OF(CROSS_SET, cross_set, FIX, .flag = 15), NULL},
      {COMMAND_OF(CROSS_SET, cross_set, FIX, .flag = 16), "CROSS_SET flag=16: expected 0 to 15"},
      {COMMAND_OF(CROSS_WAIT, cross_wait, MTE2, .flag = 16), "CROSS_WAIT flag=16"},
  };
  const case_t vector[] = {
      {COMMAND_OF(SET_FLAG, set_flag, V, .to = PIPE_MTE3), NULL},
      {COMMAND_OF(SET_FLAG, set_flag, V, .to = PIPE_M), "to=2: expected a pipe of a vector core"},
  };
  const case_t attention[] = {
      {COMMAND_OF(SET_FLAG, set_flag, LOAD, .to = PIPE_STORE), NULL},
      {COMMAND_OF(SET_FLAG, set_flag, ATTN, .to = PIPE_ATTN), "to=ATTN: expected another pipe"},
      {COMMAND_OF(WAIT_FLAG, wait_flag, LOAD, .from = PIPE_MTE2), "from=0: expected a pipe of an attention engine"},
  };
  RUN_TABLE(CORE_CUBE, cube);
  RUN_TABLE(CORE_VECTOR, vector);
  RUN_TABLE(CORE_ENGINE, attention);
}

#define NZ(...) COMMAND_OF(LOAD_NZ, load_nz, MTE2, .gm = GM_BASE, __VA_ARGS__)
#define LA(...) COMMAND_OF(LOAD_A, load_a, MTE1, __VA_ARGS__)
#define LB(...) COMMAND_OF(LOAD_B, load_b, MTE1, __VA_ARGS__)
#define MM(...) COMMAND_OF(MMAD, mmad, M, .type = TYPE_BF16, __VA_ARGS__)
#define FP(...) COMMAND_OF(FIXPIPE, fixpipe, FIX, .gm = GM_BASE, __VA_ARGS__)

#define FL(...) COMMAND_OF(FIX_L1, fix_l1, FIX, __VA_ARGS__)
#define LF(...) COMMAND_OF(LOAD_FRACTALS, load_fractals, MTE1, __VA_ARGS__)

TEST(fractal_commands) {
  const uint32_t huge = 0xffffffffu;
  const case_t cases[] = {
      {LF(.l0_pitch = 512, .repeats = 128), NULL},
      {LF(.l0_pitch = 512, .repeats = 129), "LOAD_FRACTALS l0=0x0: tile of 66048 bytes leaves L0A of 65536 bytes"},
      {LF(.l0_pitch = 512, .repeats = 129, .right = 1), "leaves L0B"},
      {LF(.l0_pitch = 1024, .repeats = 64, .transpose = 1, .element = ELEMENT_8), NULL},
      {LF(.l0_pitch = 512, .repeats = 2, .transpose = 1, .element = ELEMENT_8),
       "l0_pitch=512: expected 1024 or more, the rows written would overlap"},
      {LF(.repeats = 1), NULL},
      {LF(.repeats = 0), "LOAD_FRACTALS repeats=0: expected 1 or more"},
      {LF(.repeats = 1, .right = 2), "right=2: expected 0 to 1"},
      {LF(.repeats = 1, .transpose = 2), "transpose=2: expected 0 to 1"},
      {LF(.repeats = 1, .element = 2), "element=2: expected 0 to 1"},
      {LF(.l1 = 16, .repeats = 1), "l1=0x10: expected a multiple of 32"},
      {LF(.l1_pitch = 40, .repeats = 1), "l1_pitch=40: expected a multiple of 32"},
      {LF(.l1 = 0x7fe00, .l1_pitch = 512, .l0_pitch = 512, .repeats = 2), "leaves L1 of 524288 bytes"},
      {LF(.l1_pitch = huge - 31, .l0_pitch = huge - 31, .repeats = huge), "leaves L1"},
      {NZ(.gm_pitch = 32, .rows = 17, .cols = 16, .strip_pitch = 544), NULL},
      {NZ(.gm_pitch = 64, .rows = 17, .cols = 32, .strip_pitch = 512), "strip_pitch=512: expected 544 or more"},
      {NZ(.gm_pitch = 64, .rows = 17, .cols = 32, .strip_pitch = 550), "strip_pitch=550: expected a multiple of 32"},
      {NZ(.gm_pitch = 64, .rows = 16, .cols = 32, .strip_pitch = 0x80000), "leaves L1"},
      {MM(.m = 128, .n = 128, .k = 256, .fractals = 1), NULL},
      {MM(.m = 128, .n = 128, .k = 257, .fractals = 1), "l0a=0x0: tile of 69632 bytes leaves L0A"},
      {MM(.m = 16, .n = 129, .k = 256, .fractals = 1), "l0b=0x0: tile of 73728 bytes leaves L0B"},
      {MM(.l0c = 64, .m = 128, .n = 256, .k = 16, .fractals = 1), "leaves L0C"},
      {MM(.m = huge, .n = huge, .k = huge, .fractals = 1), "leaves L0A"},
      {MM(.m = 1, .n = 1, .k = 1, .fractals = 2), "MMAD fractals=2: expected 0 to 1"},
      {FP(.m = 16, .n = 20, .gm_pitch = 80, .strip_pitch = 1024), NULL},
      {FP(.m = 16, .n = 20, .gm_pitch = 80, .strip_pitch = 1056), "strip_pitch=1056: expected a multiple of 64"},
      {FP(.m = 16, .n = 32, .gm_pitch = 1024, .strip_pitch = 1024, .nz = 1), NULL},
      {FP(.m = 16, .n = 32, .gm_pitch = 1023 * 4, .strip_pitch = 1024, .nz = 2), "nz=2: expected 0 to 1"},
      {FP(.m = 16, .n = 20, .gm_pitch = 1024, .nz = 1), "n=20: expected a multiple of 16 with nz=1"},
      {FP(.m = 16, .n = 32, .gm_pitch = 512, .nz = 1), "gm_pitch=512: expected 1024 or more"},
      {FP(.m = 16, .n = 16, .gm_pitch = 512, .nz = 1, .type = TYPE_S8, .quant = QUANT_SCALE),
       "type=10: expected elements of 16 or 32 bits with nz=1"},
      {FP(.m = 16, .n = 16, .gm_pitch = 64, .strip_pitch = 1024, .op = GM_ADD_F32), NULL},
      {FP(.m = 16, .n = 16, .gm_pitch = 1024, .nz = 1, .op = GM_ADD_F32), "op=1: expected GM_STORE with nz=1"},
      {FP(.m = 16, .n = 300, .gm_pitch = 1200, .strip_pitch = 0x8000), "leaves L0C"},
      {FL(.m = 17, .n = 32, .l1_pitch = 1088, .strip_pitch = 1088), NULL},
      {FL(.m = 17, .n = 32, .l1_pitch = 1056), "l1_pitch=1056: expected 1088 or more, the rows written"},
      {FL(.m = 17, .n = 32, .l1_pitch = 544, .type = TYPE_F16), NULL},
      {FL(.m = 17, .n = 32, .l1_pitch = 512, .type = TYPE_BF16), "l1_pitch=512: expected 544 or more"},
      {FL(.m = 17, .n = 32, .l1_pitch = 550, .type = TYPE_F16), "l1_pitch=550: expected a multiple of 32"},
      {FL(.m = 1, .n = 16, .l1 = 8), "l1=0x8: expected a multiple of 32"},
      {FL(.m = 1, .n = 20), "FIX_L1 n=20: expected a multiple of 16"},
      {FL(.m = 1, .n = 48, .l1_pitch = 32, .type = TYPE_S8, .quant = QUANT_SCALE),
       "n=48: expected a multiple of 32 of"},
      {FL(.m = 1, .n = 64, .l1_pitch = 32, .type = TYPE_S8, .quant = QUANT_SCALE), NULL},
      {FL(.m = 0, .n = 16), "FIX_L1 m=0: expected 1 or more"},
      {FL(.m = 1, .n = 16, .strip_pitch = 32), "strip_pitch=32: expected a multiple of 64"},
      {FL(.m = 1, .n = 16, .type = TYPE_S32), "FIX_L1 type=3: expected TYPE_F32, TYPE_BF16 or TYPE_F16"},
      {FL(.m = 16, .n = 16, .l1 = 0x7fe20, .l1_pitch = 512, .type = TYPE_F16),
       "l1=0x7fe20: tile of 512 bytes leaves L1"},
      {FL(.m = huge, .n = huge - 31, .l1_pitch = huge - 31), "leaves L0C"},
  };
  RUN_TABLE(CORE_CUBE, cases);
}

TEST(cube_commands) {
  const uint32_t huge = 0xffffffffu;
  const uint32_t huge_32 = 0xffffffe0u;
  const case_t cases[] = {
      {NZ(.gm_pitch = 1152, .rows = 288, .cols = 576), NULL},
      {NZ(.gm_pitch = 2, .rows = 0, .cols = 1), "LOAD_NZ rows=0: expected 1 or more"},
      {NZ(.gm_pitch = 2, .rows = 1, .cols = 0), "LOAD_NZ cols=0: expected 1 or more"},
      {NZ(.gm_pitch = 2, .rows = 1, .cols = 1, .strips = 2), "LOAD_NZ strips=2: expected 0 to 1"},
      {COMMAND_OF(LOAD_NZ, load_nz, MTE2, .gm = GM_BASE + 1, .rows = 1, .cols = 1),
       "LOAD_NZ gm=0x4000000001: expected a multiple of 2"},
      {NZ(.gm_pitch = 3, .rows = 1, .cols = 1), "gm_pitch=3: expected a multiple of 2"},
      {NZ(.gm_pitch = 3, .rows = 1, .cols = 1, .element = ELEMENT_8), NULL},
      {NZ(.rows = 1, .cols = 1, .element = 2), "LOAD_NZ element=2: expected 0 to 1"},
      {NZ(.rows = 16, .cols = 32768, .element = ELEMENT_8), NULL},
      {NZ(.rows = 16, .cols = 32769, .element = ELEMENT_8), "tile of 524800 bytes leaves L1"},
      {NZ(.l1 = 16, .rows = 1, .cols = 1), "LOAD_NZ l1=0x10: expected a multiple of 32"},
      // 512 strips of 16 rows fill L1; one column more needs one strip more
      {NZ(.rows = 16, .cols = 16384), NULL},
      {NZ(.rows = 16, .cols = 16385), "LOAD_NZ l1=0x0: tile of 524800 bytes leaves L1 of 524288 bytes"},
      {NZ(.rows = 17, .cols = 16384), "tile of 1048576 bytes leaves L1"},
      {NZ(.l1 = 32, .rows = 16, .cols = 16384), "l1=0x20: tile of 524288 bytes leaves L1"},
      {NZ(.l1 = huge_32, .rows = 1, .cols = 1), "l1=0xffffffe0: tile of 512 bytes leaves L1"},
      {NZ(.rows = huge, .cols = huge), "leaves L1"},
      {NZ(.l1 = 32, .rows = huge, .cols = huge), "leaves L1"},
      {COMMAND_OF(LOAD_NZ, load_nz, MTE2, .gm = 0xfffffffffffffff0ull, .rows = 1, .cols = 16),
       "gm=0xfffffffffffffff0: tile of 32 bytes leaves the address space"},
      {COMMAND_OF(LOAD_NZ, load_nz, MTE2, .gm = 0xffffffff00000000ull, .gm_pitch = 0xfffffffeu, .rows = 16, .cols = 1),
       "leaves the address space"},

      {LA(.l1_pitch = 4096, .m = 128, .k = 256), NULL},
      {LA(.l1_pitch = 4096, .m = 0, .k = 1), "LOAD_A m=0: expected 1 or more"},
      {LA(.l1_pitch = 4096, .m = 1, .k = 0), "LOAD_A k=0: expected 1 or more"},
      {LA(.l1_pitch = 48, .m = 1, .k = 1), "LOAD_A l1_pitch=48: expected a multiple of 32"},
      {LA(.l1 = 8, .l1_pitch = 32, .m = 1, .k = 1), "LOAD_A l1=0x8: expected a multiple of 32"},
      {LA(.l0a = 31, .l1_pitch = 32, .m = 1, .k = 1), "LOAD_A l0a=0x1f: expected a multiple"},
      {LA(.l1_pitch = 4096, .m = 128, .k = 257), "LOAD_A l0a=0x0: tile of 69632 bytes leaves L0A of 65536 bytes"},
      {LA(.l1_pitch = 4096, .m = 129, .k = 240), "leaves L0A"},
      {LA(.l1_pitch = 4096, .m = 128, .k = 512, .element = ELEMENT_8), NULL},
      {LA(.l1_pitch = 4096, .m = 128, .k = 513, .element = ELEMENT_8), "leaves L0A"},
      {LA(.l1_pitch = 4096, .m = 1, .k = 1, .element = 2), "LOAD_A element=2: expected 0 to 1"},
      // The last strip begins at 512 KiB - 4096: 128 rows fit, from row 1 on 128 do not
      {LA(.l1 = 520192, .l1_pitch = 4096, .m = 128, .k = 16), NULL},
      {LA(.l1 = 520224, .l1_pitch = 4096, .m = 128, .k = 16),
       "LOAD_A l1=0x7f020: tile of 4096 bytes leaves L1 of 524288 bytes"},
      {LA(.l1_pitch = huge_32, .m = 1, .k = 32), "leaves L1"},
      {LA(.l1_pitch = huge_32, .m = huge, .k = huge), "leaves L1"},

      {LB(.l1_pitch = 4096, .k = 128, .n = 256), NULL},
      {LB(.l1_pitch = 8192, .k = 128, .n = 256, .transpose = 1), NULL},
      {LB(.l1_pitch = 4096, .k = 0, .n = 1), "LOAD_B k=0: expected 1 or more"},
      {LB(.l1_pitch = 4096, .k = 1, .n = 0), "LOAD_B n=0: expected 1 or more"},
      {LB(.l1_pitch = 4096, .k = 1, .n = 1, .transpose = 2), "LOAD_B transpose=2: expected 0 to 1"},
      {LB(.l1_pitch = 4096, .k = 129, .n = 256), "LOAD_B l0b=0x0: tile of 73728 bytes leaves L0B of 65536 bytes"},
      {LB(.l1_pitch = 4096, .k = 128, .n = 512, .element = ELEMENT_8), NULL},
      {LB(.l1_pitch = 4096, .k = 128, .n = 513, .element = ELEMENT_8), "leaves L0B"},
      {LB(.l1_pitch = 4096, .k = 1, .n = 1, .element = 7), "LOAD_B element=7: expected 0 to 1"},
      {LB(.l1_pitch = 4096, .l0b = 1, .k = 1, .n = 1), "LOAD_B l0b=0x1: expected a multiple of 32"},
      // [n][k] in L1: 16 strips at 32 KiB fill it for n = 1024
      {LB(.l1_pitch = 32768, .k = 32, .n = 1024, .transpose = 1), NULL},
      {LB(.l1 = 491552, .l1_pitch = 32768, .k = 16, .n = 1024, .transpose = 1),
       "l1=0x78020: tile of 32768 bytes leaves L1"},

      {MM(.m = 128, .n = 256, .k = 128), NULL},
      {MM(.m = 0, .n = 1, .k = 1), "MMAD m=0: expected 1 or more"},
      {MM(.m = 1, .n = 0, .k = 1), "MMAD n=0: expected 1 or more"},
      {MM(.m = 1, .n = 1, .k = 0), "MMAD k=0: expected 1 or more"},
      {MM(.m = 1, .n = 1, .k = 1, .accumulate = 2), "MMAD accumulate=2: expected 0 to 1"},
      {COMMAND_OF(MMAD, mmad, M, .m = 1, .n = 1, .k = 1, .type = TYPE_F32),
       "MMAD type=0: expected TYPE_BF16, TYPE_F16, TYPE_S8 or TYPE_U8"},
      {COMMAND_OF(MMAD, mmad, M, .m = 128, .n = 128, .k = 512, .type = TYPE_S8), NULL},
      {COMMAND_OF(MMAD, mmad, M, .m = 128, .n = 128, .k = 513, .type = TYPE_S8), "leaves L0A"},
      {COMMAND_OF(MMAD, mmad, M, .m = 1, .n = 513, .k = 128, .type = TYPE_U8), "leaves L0B"},
      {MM(.l0c = 0x10000, .m = 128, .n = 128, .k = 1), NULL},
      {MM(.l0c = 0x20000, .m = 128, .n = 128, .k = 1),
       "MMAD l0c=0x20000: tile of 65536 bytes leaves L0C of 131072 bytes"},
      // 129 rows are 144 with padding
      {MM(.m = 129, .n = 256, .k = 16), "MMAD l0c=0x0: tile of 147456 bytes leaves L0C"},
      {MM(.l0a = 0xff00, .m = 16, .n = 16, .k = 16), "MMAD l0a=0xff00: tile of 512 bytes leaves L0A"},
      {MM(.l0b = 0xff00, .m = 16, .n = 16, .k = 16), "MMAD l0b=0xff00: tile of 512 bytes leaves L0B"},
      {MM(.l0c = 4, .m = 1, .n = 1, .k = 1), "MMAD l0c=0x4: expected a multiple of 32"},
      {MM(.m = huge, .n = huge, .k = huge), "leaves L0A"},
      {MM(.m = huge, .n = 1, .k = 1), "leaves L0A"},

      {FP(.m = 128, .n = 256, .gm_pitch = 1024), NULL},
      {FP(.m = 128, .n = 257, .gm_pitch = 1028), "FIXPIPE l0c=0x0: tile of 139264 bytes leaves L0C of 131072 bytes"},
      {FP(.m = 0, .n = 1), "FIXPIPE m=0: expected 1 or more"},
      {FP(.m = 1, .n = 0), "FIXPIPE n=0: expected 1 or more"},
      {FP(.m = 1, .n = 1, .type = TYPE_S32), "FIXPIPE type=3: expected TYPE_F32, TYPE_BF16 or"},
      {FP(.m = 1, .n = 1, .type = TYPE_BF16, .op = GM_ADD_F32),
       "FIXPIPE op=1: expected GM_STORE, or an operation on elements of the type"},
      {FP(.m = 1, .n = 1, .relu = 1, .op = GM_ADD_F32), NULL},
      {FP(.m = 1, .n = 1, .op = GM_OP_COUNT), "FIXPIPE op=21: expected 0 to 20"},
      {FP(.m = 1, .n = 1, .type = TYPE_F16, .op = GM_ADD_F16),
       "FIXPIPE n=1: expected columns of a multiple of 4 bytes with an atomic operation"},
      {FP(.m = 1, .n = 2, .type = TYPE_F16, .op = GM_ADD_F16), NULL},
      {FP(.m = 1, .n = 2, .gm_pitch = 6, .type = TYPE_F16, .op = GM_MAX_F16),
       "FIXPIPE gm_pitch=6: expected a multiple of 4"},
      {FP(.m = 1, .n = 16, .gm_pitch = 32, .type = TYPE_F16, .op = GM_MAX_F16, .nz = 1),
       "FIXPIPE op=10: expected GM_STORE with nz=1"},
      {FP(.m = 1, .n = 4, .from = TYPE_S32, .type = TYPE_S8, .quant = QUANT_SCALE, .op = GM_MIN_S8), NULL},
      {FP(.m = 1, .n = 4, .from = TYPE_S32, .type = TYPE_U8, .quant = QUANT_SCALE, .op = GM_MIN_S8), "FIXPIPE op=20"},
      {FP(.m = 1, .n = 1, .relu = 2), "FIXPIPE relu=2: expected 0 to 1"},
      {FP(.m = 1, .n = 1, .quant = 3), "FIXPIPE quant=3: expected 0 to 2"},
      {FP(.m = 1, .n = 1, .from = TYPE_F16), "FIXPIPE from=2: expected TYPE_F32 or TYPE_S32"},
      {FP(.m = 1, .n = 1, .from = TYPE_S32, .type = TYPE_S32, .op = GM_ADD_S32_RAW), NULL},
      {FP(.m = 1, .n = 1, .from = TYPE_S32, .type = TYPE_S32, .op = GM_ADD_F32), "FIXPIPE op=1"},
      {FP(.m = 1, .n = 1, .from = TYPE_S32, .type = TYPE_F16), "FIXPIPE type=2: expected TYPE_S32 of S32 without"},
      {FP(.m = 1, .n = 1, .from = TYPE_S32, .type = TYPE_BF16, .quant = QUANT_SCALE),
       "FIXPIPE type=1: expected TYPE_F16, TYPE_S8 or TYPE_U8 of S32 with scales"},
      {FP(.m = 1, .n = 1, .type = TYPE_F16, .quant = QUANT_SCALE), "expected TYPE_S8 or TYPE_U8 of F32 with scales"},
      {FP(.m = 1, .n = 1, .type = TYPE_S8), "FIXPIPE type=10: expected TYPE_F32, TYPE_BF16 or TYPE_F16"},
      {FP(.m = 16, .n = 128, .gm_pitch = 128, .type = TYPE_U8, .quant = QUANT_COLUMNS, .scales = 523264), NULL},
      {FP(.m = 16, .n = 129, .gm_pitch = 129, .type = TYPE_U8, .quant = QUANT_COLUMNS, .scales = 523264),
       "FIXPIPE scales=0x7fc00: tile of 1028 bytes leaves L1 of 524288 bytes"},
      {FP(.m = 1, .n = 1, .type = TYPE_S8, .quant = QUANT_COLUMNS, .scales = 8),
       "FIXPIPE scales=0x8: expected a multiple of 32"},
      {FP(.m = 1, .n = 1, .op = GM_ADD_S32), "FIXPIPE op=2"},
      {FP(.m = 1, .n = 1, .op = GM_ADD_F32), NULL},
      {COMMAND_OF(FIXPIPE, fixpipe, FIX, .gm = GM_BASE + 2, .m = 1, .n = 1),
       "FIXPIPE gm=0x4000000002: expected a multiple of 4"},
      {COMMAND_OF(FIXPIPE, fixpipe, FIX, .gm = GM_BASE + 2, .m = 1, .n = 1, .type = TYPE_F16), NULL},
      {FP(.m = 1, .n = 1, .gm_pitch = 2), "FIXPIPE gm_pitch=2: expected a multiple of 4"},
      {FP(.m = 2, .n = 3, .gm_pitch = 8), "gm_pitch=8: expected 12 or more, the rows written"},
      {FP(.m = 1, .n = 3, .gm_pitch = 0), NULL},
  };
  RUN_TABLE(CORE_CUBE, cases);
}

#define IN(...) COMMAND_OF(COPY_IN, copy_in, MTE2, .gm = GM_BASE, __VA_ARGS__)
#define OUT(...) COMMAND_OF(COPY_OUT, copy_out, MTE3, .gm = GM_BASE, __VA_ARGS__)

TEST(copies) {
  const uint32_t huge = 0xffffffffu;
  const case_t cases[] = {
      {IN(.gm_pitch = 3072, .ub_pitch = 3072, .rows = 64, .row_bytes = 3072), NULL},
      {IN(.gm_pitch = 3072, .ub_pitch = 3072, .rows = 65, .row_bytes = 3072),
       "COPY_IN ub=0x0: tile of 199680 bytes leaves UB of 196608 bytes"},
      {IN(.rows = 0, .row_bytes = 1), "COPY_IN rows=0: expected 1 or more"},
      {IN(.rows = 1, .row_bytes = 0), "COPY_IN row_bytes=0: expected 1 or more"},
      {IN(.ub = 4, .rows = 1, .row_bytes = 4), "COPY_IN ub=0x4: expected a multiple of 32"},
      {IN(.ub_pitch = 40, .rows = 1, .row_bytes = 4), "COPY_IN ub_pitch=40: expected a multiple of"},
      {IN(.ub_pitch = 32, .rows = 2, .row_bytes = 33),
       "COPY_IN ub_pitch=32: expected 33 or more, the rows written would overlap"},
      {IN(.rows = 1, .row_bytes = 5, .gm_pitch = 1), NULL},
      {IN(.rows = 4, .row_bytes = 64, .gm_pitch = 0, .ub_pitch = 64), NULL},  // a row, four times
      {IN(.ub = 196608, .rows = 1, .row_bytes = 1), "ub=0x30000: tile of 1 bytes leaves UB"},
      {IN(.ub_pitch = 0xffffffe0u, .rows = huge, .row_bytes = huge), "COPY_IN ub"},

      {OUT(.gm_pitch = 8, .ub_pitch = 32, .rows = 2, .row_bytes = 5), NULL},
      {OUT(.rows = 0, .row_bytes = 4), "COPY_OUT rows=0: expected 1 or more"},
      {OUT(.rows = 1, .row_bytes = 0), "COPY_OUT row_bytes=0: expected 1 or more"},
      {OUT(.rows = 1, .row_bytes = 4, .op = GM_OP_COUNT), "COPY_OUT op=21: expected 0 to 20"},
      {OUT(.rows = 1, .row_bytes = 6, .op = GM_ADD_F16),
       "COPY_OUT row_bytes=6: expected a multiple of 4 with an atomic"},
      {OUT(.rows = 1, .row_bytes = 4, .op = GM_ADD_S16, .skip_zero = 1), NULL},
      {OUT(.rows = 1, .row_bytes = 4, .op = GM_MAX_S16, .skip_zero = 1),
       "COPY_OUT skip_zero=1: expected 0 without an addition of integers"},
      {OUT(.rows = 1, .row_bytes = 6, .op = GM_ADD_F32),
       "COPY_OUT row_bytes=6: expected a multiple of 4 with an atomic"},
      {COMMAND_OF(COPY_OUT, copy_out, MTE3, .gm = GM_BASE + 2, .rows = 1, .row_bytes = 4, .op = GM_ADD_S32),
       "COPY_OUT gm=0x4000000002: expected a multiple of 4"},
      {OUT(.gm_pitch = 6, .rows = 1, .row_bytes = 4, .op = GM_ADD_S32_RAW),
       "COPY_OUT gm_pitch=6: expected a multiple of 4"},
      {OUT(.gm_pitch = 4, .ub_pitch = 32, .rows = 2, .row_bytes = 8), "gm_pitch=4: expected 8 or"},
      {OUT(.ub_pitch = 31, .rows = 1, .row_bytes = 8), "ub_pitch=31: expected a multiple of 32"},
      {OUT(.ub = 196544, .gm_pitch = 64, .ub_pitch = 32, .rows = 2, .row_bytes = 32), NULL},
      {OUT(.ub = 196576, .gm_pitch = 64, .ub_pitch = 32, .rows = 2, .row_bytes = 32),
       "COPY_OUT ub=0x2ffe0: tile of 64 bytes leaves UB"},
      // RESCALE reads an int32 a row: 49152 of them fill UB; ub_pitch may be anything
      {OUT(.gm_pitch = 2048, .ub_pitch = 1, .rows = 49152, .row_bytes = 2048, .op = GM_RESCALE), NULL},
      {OUT(.gm_pitch = 2048, .rows = 49153, .row_bytes = 2048, .op = GM_RESCALE),
       "COPY_OUT ub=0x0: tile of 196612 bytes leaves UB"},
  };
  RUN_TABLE(CORE_VECTOR, cases);
}

#define VECTOR(...) COMMAND_OF(VEC, vec, V, __VA_ARGS__)

TEST(vector_commands) {
  const uint32_t huge = 0xffffffffu;
  char unknown[64];
  snprintf(unknown, sizeof unknown, "VEC op=%d: expected 0 to %d", VOP_COUNT, VOP_COUNT - 1);
  const case_t cases[] = {
      {VECTOR(.op = VOP_ADD, .rows = 1, .cols = 1), NULL},
      {VECTOR(.op = VOP_COUNT, .rows = 1, .cols = 1), unknown},
      {VECTOR(.op = VOP_ADD, .rows = 0, .cols = 1), "VEC ADD rows=0: expected 1 or more"},
      {VECTOR(.op = VOP_ADD, .rows = 1, .cols = 0), "VEC ADD cols=0: expected 1 or more"},
      {VECTOR(.op = VOP_ADD, .rows = 1, .cols = 1, .b_kind = 3), "VEC ADD b_kind=3: expected 0 to 2"},
      {VECTOR(.op = VOP_EXP, .rows = 1, .cols = 1, .b_kind = 3, .b = 1, .c = 1), NULL},  // not used
      {VECTOR(.op = VOP_SUB, .rows = 1, .cols = 1, .a = 4), "VEC SUB a=0x4: expected a multiple of"},
      {VECTOR(.op = VOP_SUB, .rows = 1, .cols = 1, .b = 4), "VEC SUB b=0x4: expected a multiple of"},
      {VECTOR(.op = VOP_SUB, .rows = 1, .cols = 1, .b = 4, .b_kind = OPERAND_SCALAR), NULL},
      {VECTOR(.op = VOP_SUB, .rows = 1, .cols = 1, .b = 4, .b_kind = OPERAND_ROW), "b=0x4"},
      {VECTOR(.op = VOP_SUB, .rows = 1, .cols = 1, .dst = 4), "VEC SUB dst=0x4: expected a multiple"},
      {VECTOR(.op = VOP_SUB, .rows = 1, .cols = 1, .a_pitch = 4), "a_pitch=4: expected a multiple of"},
      {VECTOR(.op = VOP_SUB, .rows = 1, .cols = 1, .b_pitch = 4), "b_pitch=4: expected a multiple of"},
      {VECTOR(.op = VOP_SUB, .rows = 1, .cols = 1, .b_pitch = 4, .b_kind = OPERAND_ROW), NULL},
      {VECTOR(.op = VOP_SUB, .rows = 1, .cols = 1, .dst_pitch = 4), "dst_pitch=4: expected a multiple"},
      {VECTOR(.op = VOP_SUB, .rows = 2, .cols = 9, .dst_pitch = 32),
       "VEC SUB dst_pitch=32: expected 36 or more, the rows written would overlap"},
      {VECTOR(.op = VOP_FMA, .rows = 1, .cols = 1, .c = 8), "VEC FMA c=0x8: expected a multiple of"},
      {VECTOR(.op = VOP_SELECT, .rows = 1, .cols = 1, .c_pitch = 8), "VEC SELECT c_pitch=8"},

      {VECTOR(.op = VOP_MUL, .rows = 96, .cols = 512, .a_pitch = 2048, .b_pitch = 2048, .dst_pitch = 2048), NULL},
      {VECTOR(.op = VOP_MUL, .rows = 97, .cols = 512, .a_pitch = 2048, .b_pitch = 2048, .dst_pitch = 2048),
       "VEC MUL a=0x0: tile of 198656 bytes leaves UB of 196608 bytes"},
      {VECTOR(.op = VOP_MUL, .rows = 2, .cols = 8, .dst_pitch = 32, .b = 196576, .b_pitch = 32),
       "VEC MUL b=0x2ffe0: tile of 64 bytes leaves UB"},
      {VECTOR(.op = VOP_MUL, .rows = 9, .cols = 8, .dst_pitch = 32, .b = 196576, .b_kind = OPERAND_ROW),
       "VEC MUL b=0x2ffe0: tile of 36 bytes leaves UB"},
      {VECTOR(.op = VOP_MUL, .rows = 8, .cols = 8, .dst_pitch = 32, .b = 196576, .b_kind = OPERAND_ROW), NULL},
      {VECTOR(.op = VOP_MUL, .rows = 2, .cols = 8, .dst = 196576, .dst_pitch = 32),
       "VEC MUL dst=0x2ffe0: tile of 64 bytes leaves UB"},
      {VECTOR(.op = VOP_MUL, .rows = huge, .cols = huge, .a_pitch = 0xffffffe0u), "leaves UB"},
      {VECTOR(.op = VOP_FMA, .rows = 1, .cols = 16, .c = 196576), "VEC FMA c=0x2ffe0: tile of 64"},
      // 32 bytes of mask are 256 bits
      {VECTOR(.op = VOP_SELECT, .rows = 1, .cols = 256, .c = 196576), NULL},
      {VECTOR(.op = VOP_SELECT, .rows = 1, .cols = 257, .c = 196576),
       "VEC SELECT c=0x2ffe0: tile of 33 bytes leaves UB"},
      {VECTOR(.op = VOP_CMP_GT, .rows = 1, .cols = 257, .dst = 196576),
       "VEC CMP_GT dst=0x2ffe0: tile of 33 bytes leaves UB"},
      {VECTOR(.op = VOP_CMP_EQ, .rows = 2, .cols = 257, .dst_pitch = 32), "expected 33 or more"},
      {VECTOR(.op = VOP_ROW_MAX, .rows = 8, .cols = 8, .dst = 196576, .dst_pitch = 7), NULL},
      {VECTOR(.op = VOP_ROW_SUM, .rows = 9, .cols = 8, .dst = 196576),
       "VEC ROW_SUM dst=0x2ffe0: tile of 36 bytes leaves UB"},

      {VECTOR(.op = VOP_BROADCAST, .rows = 1, .cols = 1, .b_kind = OPERAND_TILE),
       "VEC BROADCAST b_kind=0: expected OPERAND_ROW or OPERAND_SCALAR"},
      {VECTOR(.op = VOP_BROADCAST, .rows = 1, .cols = 1, .b_kind = OPERAND_ROW, .a = 1), NULL},
      {VECTOR(.op = VOP_BROADCAST, .rows = 1, .cols = 1, .b_kind = 7), "b_kind=7: expected 0 to 2"},

      {VECTOR(.op = VOP_CAST, .rows = 1, .cols = 1, .from = 7), "VEC CAST from=7: expected 0 to 6"},
      {VECTOR(.op = VOP_CAST, .rows = 1, .cols = 1, .to = 7), "VEC CAST to=7: expected 0 to 6"},
      {VECTOR(.op = VOP_CAST, .rows = 1, .cols = 1, .round = 2), "VEC CAST round=2: expected 0 to 1"},
      {VECTOR(.op = VOP_CAST, .rows = 1, .cols = 1, .from = TYPE_BF16, .to = TYPE_F16),
       "VEC CAST from=1 to=2: expected TYPE_F32 on one side"},
      {VECTOR(.op = VOP_CAST, .rows = 1, .cols = 1, .to = TYPE_BF16, .round = ROUND_TRUNC),
       "VEC CAST round=1: expected ROUND_NEAREST"},
      {VECTOR(.op = VOP_CAST, .rows = 1, .cols = 1, .round = ROUND_TRUNC), "round=1: expected"},
      {VECTOR(.op = VOP_CAST, .rows = 1, .cols = 1, .to = TYPE_S32, .round = ROUND_TRUNC), NULL},
      {VECTOR(.op = VOP_CAST, .rows = 1, .cols = 1, .from = TYPE_S32, .round = ROUND_TRUNC), "round=1: expected"},
      // 16 columns are 32 bytes of BF16 and 64 of FP32
      {VECTOR(.op = VOP_CAST, .rows = 1, .cols = 16, .dst = 196576, .to = TYPE_BF16), NULL},
      {VECTOR(.op = VOP_CAST, .rows = 1, .cols = 16, .dst = 196576, .from = TYPE_BF16),
       "VEC CAST dst=0x2ffe0: tile of 64 bytes leaves UB"},
      {VECTOR(.op = VOP_CAST, .rows = 1, .cols = 16, .a = 196576, .from = TYPE_BF16), NULL},

      // Nibbles are only widened, by whole words; 64 of them are 32 bytes.
      {VECTOR(.op = VOP_CAST, .rows = 1, .cols = 64, .a = 196576, .from = TYPE_S4, .to = TYPE_F16), NULL},
      {VECTOR(.op = VOP_CAST, .rows = 1, .cols = 64, .a = 196576, .from = TYPE_U4, .to = TYPE_F32), NULL},
      {VECTOR(.op = VOP_CAST, .rows = 1, .cols = 72, .a = 196576, .from = TYPE_S4, .to = TYPE_F16),
       "VEC CAST a=0x2ffe0: tile of 36 bytes leaves UB"},
      {VECTOR(.op = VOP_CAST, .rows = 1, .cols = 12, .from = TYPE_S4, .to = TYPE_F16),
       "VEC CAST cols=12: expected a multiple of 8 from nibbles"},
      {VECTOR(.op = VOP_CAST, .rows = 1, .cols = 8, .from = TYPE_S4, .to = TYPE_BF16),
       "VEC CAST to=1: expected TYPE_F16 or TYPE_F32 from nibbles"},
      {VECTOR(.op = VOP_CAST, .rows = 1, .cols = 8, .to = TYPE_U4),
       "VEC CAST to=5: expected a type that is not nibbles"},

      // Sums and products of FP16; FMA rounds its FP32 operands' to it.
      {VECTOR(.op = VOP_SUB, .rows = 1, .cols = 16, .a = 196576, .b = 196576, .dst = 196576, .from = TYPE_F16,
              .to = TYPE_F16),
       NULL},
      {VECTOR(.op = VOP_MUL, .rows = 1, .cols = 17, .b = 196576, .from = TYPE_F16, .to = TYPE_F16),
       "VEC MUL b=0x2ffe0: tile of 34 bytes leaves UB"},
      {VECTOR(.op = VOP_MUL, .rows = 9, .cols = 16, .b = 196576, .dst_pitch = 32, .from = TYPE_F16, .to = TYPE_F16),
       NULL},  // one row for all nine
      {VECTOR(.op = VOP_ADD, .rows = 1, .cols = 8, .from = TYPE_F16), "VEC ADD to=0: expected"},
      {VECTOR(.op = VOP_ADD, .rows = 1, .cols = 8, .to = TYPE_F16), "VEC ADD from=0: expected"},
      {VECTOR(.op = VOP_ADD, .rows = 1, .cols = 8, .from = TYPE_S4, .to = TYPE_F16),
       "VEC ADD from=4: expected TYPE_F16 as to"},
      {VECTOR(.op = VOP_MUL, .rows = 1, .cols = 8, .from = TYPE_F16, .to = TYPE_F16, .b_kind = OPERAND_SCALAR),
       "VEC MUL b_kind=2: expected OPERAND_TILE with TYPE_F16"},
      {VECTOR(.op = VOP_FMA, .rows = 1, .cols = 16, .dst = 196576, .to = TYPE_F16), NULL},
      {VECTOR(.op = VOP_FMA, .rows = 1, .cols = 16, .dst = 196576), "VEC FMA dst=0x2ffe0"},
      {VECTOR(.op = VOP_FMA, .rows = 1, .cols = 8, .to = TYPE_BF16), "VEC FMA to=1: expected"},
      // Others have no choice of types, and do not look.
      {VECTOR(.op = VOP_DIV, .rows = 1, .cols = 8, .from = 77, .to = 77), NULL},
  };
  RUN_TABLE(CORE_VECTOR, cases);
}

#define INSTRUCTION(...) COMMAND_OF(VINST, vinst, V, .dst_step = VECTOR_STEP(1, 8), __VA_ARGS__)
#define ONE .repeats = 1, .mask = 1

TEST(vector_instructions) {
  const uint32_t dense = VECTOR_STEP(1, 8);
  char unknown[64];
  snprintf(unknown, sizeof unknown, "VINST op=%d: expected 0 to %d", VI_COUNT, VI_COUNT - 1);
  const case_t cases[] = {
      {INSTRUCTION(.op = VI_ADD, .type = TYPE_S16, ONE), NULL},
      {INSTRUCTION(.op = VI_COUNT, ONE), unknown},
      {INSTRUCTION(.op = VI_ADD, .type = TYPE_BF16, ONE),
       "VINST ADD type=1: expected TYPE_F32 or TYPE_F16 or TYPE_S32 or TYPE_S16"},
      {INSTRUCTION(.op = VI_AND, .type = TYPE_S32, ONE), "VINST AND type=3: expected TYPE_S16 or TYPE_U16"},
      {INSTRUCTION(.op = VI_EXP, .type = 0xffffffffu, ONE), "VINST EXP type=4294967295: expected TYPE_F32 or TYPE_F16"},

      {INSTRUCTION(.op = VI_EXP, .mask = 1), "VINST EXP repeats=0: expected 1 to 255, or a count"},
      {INSTRUCTION(.op = VI_EXP, .mask = 1, .repeats = 255), NULL},
      {INSTRUCTION(.op = VI_EXP, .mask = 1, .repeats = 256), "repeats=256: expected 1 to 255"},
      {INSTRUCTION(.op = VI_EXP, .repeats = 1), "VINST EXP mask: expected a lane that takes part, or a count"},
      {INSTRUCTION(.op = VI_EXP, .repeats = 1, .mask_high = 1), "VINST EXP mask: lane 64 takes part, expected 0 to 63"},
      {INSTRUCTION(.op = VI_EXP, .type = TYPE_F16, .repeats = 1, .mask_high = 1ull << 63), NULL},
      {INSTRUCTION(.op = VI_EXP, .count = 100), NULL},
      {INSTRUCTION(.op = VI_EXP, .count = 100, .repeats = 1), "VINST EXP repeats=1: expected 0 with a count"},
      {INSTRUCTION(.op = VI_EXP, .count = 100, .mask = 1), "VINST EXP mask: expected 0 with a count"},
      {INSTRUCTION(.op = VI_EXP, .count = 100, .mask_high = 1), "VINST EXP mask: expected 0 with a count"},
      {INSTRUCTION(.op = VI_EXP, .count = 49153), "VINST EXP count=49153: expected at most 49152, all of UB"},

      {INSTRUCTION(.op = VI_SHL, .type = TYPE_S16, .scalar = 15, ONE), NULL},
      {INSTRUCTION(.op = VI_SHL, .type = TYPE_S16, .scalar = 16, ONE), "VINST SHL scalar=16: expected 0 to 15"},
      {INSTRUCTION(.op = VI_SHR, .type = TYPE_U32, .scalar = 32, ONE), "VINST SHR scalar=32: expected 0 to 31"},
      {INSTRUCTION(.op = VI_ADDS, .type = TYPE_S16, .scalar = 0xffffffffu, ONE), NULL},

      {INSTRUCTION(.op = VI_ADD, .a = 16, ONE), "VINST ADD a=0x10: expected a multiple of 32"},
      {INSTRUCTION(.op = VI_ADD, .b = 16, ONE), "VINST ADD b=0x10: expected a multiple of 32"},
      {INSTRUCTION(.op = VI_ADDS, .b = 16, ONE), NULL},
      {INSTRUCTION(.op = VI_ADD, .dst = 16, ONE), "VINST ADD dst=0x10: expected a multiple of 32"},
      {COMMAND_OF(VINST, vinst, V, .op = VI_ABS, .repeats = 1, .mask = 0x1ff, .dst_step = VECTOR_STEP(0, 8)),
       "VINST ABS dst_step=0/8: expected blocks apart, they are written at once"},
      {COMMAND_OF(VINST, vinst, V, .op = VI_ABS, .repeats = 1, .mask = 0xff, .dst_step = VECTOR_STEP(0, 8)), NULL},

      {INSTRUCTION(.op = VI_CAST, .to = TYPE_S8, .mode = VECTOR_TRUNC, .count = 8), NULL},
      {INSTRUCTION(.op = VI_CAST, .to = TYPE_S4, .count = 8), "VINST CAST to=4: expected TYPE_F32 or TYPE_BF16 or"},
      {INSTRUCTION(.op = VI_CAST, .type = TYPE_F16, .to = TYPE_F16, .count = 8),
       "VINST CAST to=2: expected another type than that of a"},
      {INSTRUCTION(.op = VI_CAST, .count = 8), NULL},
      {INSTRUCTION(.op = VI_CAST, .to = TYPE_S32, .mode = VECTOR_ROUNDS, .count = 8),
       "VINST CAST mode=6: expected 0 to 5"},
      {INSTRUCTION(.op = VI_CAST, .to = TYPE_S32, .mode = VECTOR_ODD, .count = 8),
       "VINST CAST mode=5: expected VECTOR_ODD with floating point of another type alone"},
      {INSTRUCTION(.op = VI_CAST, .mode = VECTOR_ODD, .count = 8), "mode=5: expected VECTOR_ODD with floating point"},
      {INSTRUCTION(.op = VI_CAST, .to = TYPE_F16, .mode = VECTOR_ODD, .count = 8), NULL},
      {INSTRUCTION(.op = VI_CAST, .to = TYPE_S64, .repeats = 1, .mask = 1ull << 32),
       "VINST CAST mask: lane 32 takes part, expected 0 to 31"},
      {INSTRUCTION(.op = VI_SELECT, .mode = SELECT_COUNT, ONE), "VINST SELECT mode=2: expected 0 to 1"},
      {INSTRUCTION(.op = VI_SELECT, .c = 4, ONE), "VINST SELECT c=0x4: expected a multiple of 32"},
      {INSTRUCTION(.op = VI_SELECTS, .c = 196608, ONE), "VINST SELECTS c=0x30000: 8 bytes leave UB"},
      {INSTRUCTION(.op = VI_WHOLE_MAX, .mode = CHOICE_COUNT, ONE), "VINST WHOLE_MAX mode=4: expected 0 to 3"},
      {INSTRUCTION(.op = VI_WHOLE_MAX, .mode = CHOICE_INDEX, .dst = 4, ONE), NULL},
      {INSTRUCTION(.op = VI_WHOLE_MIN, .mode = CHOICE_VALUE_INDEX, .dst = 4, ONE),
       "VINST WHOLE_MIN dst=0x4: expected a multiple of 8"},
      {INSTRUCTION(.op = VI_WHOLE_SUM, .dst = 2, ONE), "VINST WHOLE_SUM dst=0x2: expected a multiple of 4"},
      {INSTRUCTION(.op = VI_WHOLE_SUM, .type = TYPE_F16, .dst = 196606, ONE), NULL},
      {INSTRUCTION(.op = VI_WHOLE_SUM, .type = TYPE_F16, .dst = 196606, .repeats = 2, .mask = 1),
       "VINST WHOLE_SUM dst=0x2fffe: 18 bytes leave UB"},
      {INSTRUCTION(.op = VI_WHOLE_SUM, .type = TYPE_S32, ONE), "VINST WHOLE_SUM type=3: expected TYPE_F32 or TYPE_F16"},
      {INSTRUCTION(.op = VI_BLOCK_MAX, .dst = 8, ONE), "VINST BLOCK_MAX dst=0x8: expected a multiple of 32"},
      {INSTRUCTION(.op = VI_BLOCK_MIN, .dst = 196576, .repeats = 1, .mask = ~0ull), NULL},
      {INSTRUCTION(.op = VI_PAIR_SUM, .dst = 196576, .repeats = 1, .mask = 0x3ffff),
       "VINST PAIR_SUM dst=0x2ffe0: 36 bytes leave UB"},
      {INSTRUCTION(.op = VI_CMP_LT, .dst = 196600, ONE), "VINST CMP_LT dst=0x2fff8: expected a multiple of 32"},
      {INSTRUCTION(.op = VI_CMP_EQ, .type = TYPE_S32, .dst = 196576, .repeats = 4, .mask = 1), NULL},
      {INSTRUCTION(.op = VI_CMP_EQ, .type = TYPE_S32, .dst = 196576, .repeats = 5, .mask = 1),
       "VINST CMP_EQ dst=0x2ffe0: 40 bytes leave UB"},
      {INSTRUCTION(.op = VI_CMPS_NE, .type = TYPE_S32, ONE), "VINST CMPS_NE type=3: expected TYPE_F32 or TYPE_F16"},
      {INSTRUCTION(.op = VI_BRCB, .repeats = 2), NULL},
      {INSTRUCTION(.op = VI_BRCB, ONE), "VINST BRCB mask, count: expected 0, all lanes take part"},
      {INSTRUCTION(.op = VI_BRCB, .repeats = 1, .count = 1), "VINST BRCB mask, count: expected 0"},
      {INSTRUCTION(.op = VI_BRCB), "VINST BRCB repeats=0: expected 1 to 255"},
      {INSTRUCTION(.op = VI_GATHER, .b = 196576, .scalar = 32, ONE), NULL},
      {INSTRUCTION(.op = VI_GATHER, ONE), "VINST GATHER scalar=0: expected the bytes of the table, a multiple of 4"},
      {INSTRUCTION(.op = VI_GATHER, .scalar = 6, ONE), "VINST GATHER scalar=6: expected the bytes of the table"},
      {INSTRUCTION(.op = VI_GATHER, .b = 196576, .scalar = 36, ONE), "VINST GATHER b=0x2ffe0: 36 bytes leave UB"},
      {INSTRUCTION(.op = VI_SORT32, .repeats = 1, .a = 196480, .b = 64), NULL},
      {INSTRUCTION(.op = VI_SORT32, .repeats = 1, .a = 196512), "VINST SORT32 a=0x2ffa0: 128 bytes leave UB"},
      {INSTRUCTION(.op = VI_SORT32, .repeats = 1, .type = TYPE_F16, .dst = 196384),
       "VINST SORT32 dst=0x2ff20: 256 bytes leave UB"},
      {INSTRUCTION(.op = VI_TRANSPOSE, .repeats = 2, .type = TYPE_F16, .a_step = VECTOR_STEP(1, 16)), NULL},
      {INSTRUCTION(.op = VI_TRANSPOSE, .repeats = 2, .type = TYPE_F16, .a = 196032, .a_step = VECTOR_STEP(1, 16)),
       "VINST TRANSPOSE a=0x2fdc0: 1024 bytes leave UB"},
      {INSTRUCTION(.op = VI_TRANSPOSE, ONE), "VINST TRANSPOSE mask, count: expected 0, all lanes take part"},
      {COMMAND_OF(VINST, vinst, V, .op = VI_TRANSPOSE, .repeats = 1),
       "VINST TRANSPOSE dst_step=0/0: expected blocks apart"},
      {INSTRUCTION(.op = VI_GATHER_MASK, .mode = GATHER_ODD, .count = 3), NULL},
      {INSTRUCTION(.op = VI_GATHER_MASK, .mode = GATHER_ODD, ONE),
       "VINST GATHER_MASK count=0: expected 1 to 32768 elements"},
      {INSTRUCTION(.op = VI_GATHER_MASK, .mode = GATHER_COUNT, .count = 8),
       "VINST GATHER_MASK mode=9: expected 0 to 8"},
      {INSTRUCTION(.op = VI_GATHER_MASK, .mode = GATHER_FOURTH_OF_4, .count = 3),
       "VINST GATHER_MASK count=3: expected more, the pattern takes none of so few"},
      {INSTRUCTION(.op = VI_GATHER_MASK, .b = 196576, .a_step = 1, .count = 256), NULL},
      {INSTRUCTION(.op = VI_GATHER_MASK, .b = 196576, .a_step = 1, .count = 257),
       "VINST GATHER_MASK b=0x2ffe0: 33 bytes leave UB"},
      {INSTRUCTION(.op = VI_GATHER_MASK, .mode = GATHER_ALL, .a = 196544, .a_step = 2, .count = 9),
       "VINST GATHER_MASK a=0x2ffc0: 68 bytes leave UB"},
      {INSTRUCTION(.op = VI_MRG_SORT4, .repeats = 1, .mask = 0x0fff00000001), NULL},
      {INSTRUCTION(.op = VI_MRG_SORT4, .repeats = 1, .mask = 0x100000000000), "mask: 4096 pairs of c, expected 4095"},
      {INSTRUCTION(.op = VI_MRG_SORT4, .repeats = 1), "VINST MRG_SORT4 mask: expected a list that has pairs"},
      {INSTRUCTION(.op = VI_MRG_SORT4, .repeats = 2, .mask = 3), "mask: expected four lists of equal lengths"},
      {INSTRUCTION(.op = VI_MRG_SORT4, .repeats = 2, .mask = 0x0003000300030003, .mode = MERGE_TO_END),
       "VINST MRG_SORT4 mode=1: expected 0 to 0"},
      {INSTRUCTION(.op = VI_MRG_SORT4, .repeats = 1, .mask = 2ull << 48, .scalar = 196592), "scalar=0x2fff0: expected"},
      {INSTRUCTION(.op = VI_MRG_SORT4, .repeats = 1, .mask = 5ull << 48, .scalar = 196576),
       "VINST MRG_SORT4 scalar=0x2ffe0: 40 bytes leave UB"},
      {INSTRUCTION(.op = VI_MRG_SORT4, .repeats = 1, .mask = 1, .count = 1), "count, mask_high: expected 0"},
      {INSTRUCTION(.op = VI_AXPY_WIDE, .type = TYPE_F32, ONE), "VINST AXPY_WIDE type=0: expected TYPE_F16"},
      {INSTRUCTION(.op = VI_MUL_ADD_DST_WIDE, .type = TYPE_F16, .repeats = 1, .mask_high = 1),
       "VINST MUL_ADD_DST_WIDE mask: lane 64 takes part, expected 0 to 63"},
      {INSTRUCTION(.op = VI_SORT32, ONE), "VINST SORT32 mask, count: expected 0, all lanes take part"},
      {INSTRUCTION(.op = VI_DUPLICATE, .type = TYPE_S8, ONE),
       "VINST DUPLICATE type=10: expected TYPE_F32 or TYPE_BF16"},

      // 768 repeats fill UB, with a count; of a mask its last block counts.
      {INSTRUCTION(.op = VI_ABS, .a_step = dense, .count = 49152), NULL},
      {INSTRUCTION(.op = VI_ABS, .a = 32, .a_step = dense, .count = 49152),
       "VINST ABS a=0x20: 196608 bytes leave UB of 196608 bytes"},
      {INSTRUCTION(.op = VI_ABS, .a = 32, .a_step = dense, .count = 49144), NULL},
      {INSTRUCTION(.op = VI_ABS, .dst = 196576, .repeats = 1, .mask = 0xff), NULL},
      {INSTRUCTION(.op = VI_ABS, .dst = 196576, .repeats = 1, .mask = 0x1ff),
       "VINST ABS dst=0x2ffe0: 64 bytes leave UB of 196608 bytes"},
      {INSTRUCTION(.op = VI_ABS, .a = 196576, .a_step = VECTOR_STEP(9, 0), .repeats = 255, .mask = 0xff), NULL},
      {INSTRUCTION(.op = VI_ABS, .a = 196576, .a_step = VECTOR_STEP(9, 1), .repeats = 2, .mask = 0xff),
       "VINST ABS a=0x2ffe0: 64 bytes leave UB"},
      {INSTRUCTION(.op = VI_ADD, .b_step = VECTOR_STEP(65535, 65535), .repeats = 255, .mask = ~0ull),
       "VINST ADD b=0x0: 547348352 bytes leave UB"},
  };
  RUN_TABLE(CORE_VECTOR, cases);
}

#define DIRECT(...) COMMAND_OF(COPY_L1, copy_l1, MTE3, __VA_ARGS__)

TEST(direct_path) {
  const case_t without[] = {
      {DIRECT(.rows = 1, .cols = 1), "COPY_L1 needs the direct path to L1: soc.direct_path is 0"},
  };
  RUN_TABLE(CORE_VECTOR, without);
  const core_memory_t memory = {.bytes = {[SPACE_UB] = 192 << 10, [SPACE_L1] = 512 << 10}};
  const case_t with[] = {
      {DIRECT(.rows = 64, .cols = 256, .ub_pitch = 512, .l1 = 460800, .l1_pitch = 4096), NULL},
      {DIRECT(.rows = 64, .cols = 256, .ub_pitch = 512, .l1 = 460832, .l1_pitch = 4096),
       "COPY_L1 l1=0x70820: tile of 63488 bytes leaves L1"},
      // The last strip's rows are whole.
      {DIRECT(.rows = 1, .cols = 1, .l1 = 524256), NULL},
      {DIRECT(.rows = 2, .cols = 1, .ub_pitch = 32, .l1 = 524256), "tile of 64 bytes leaves L1"},
      {DIRECT(.rows = 7, .cols = 16, .ub = 196416, .ub_pitch = 32), "leaves UB"},
      {DIRECT(.rows = 0, .cols = 1), "rows=0"},
      {DIRECT(.rows = 1, .cols = 0), "cols=0"},
      {DIRECT(.rows = 1, .cols = 1, .ub = 2), "ub=0x2: expected a multiple of 32"},
      {DIRECT(.rows = 1, .cols = 1, .l1 = 16), "l1=0x10: expected a multiple of 32"},
      {DIRECT(.rows = 1, .cols = 17, .l1_pitch = 40), "l1_pitch=40: expected a multiple of 32"},
      {DIRECT(.rows = 2, .cols = 17, .ub_pitch = 64, .l1_pitch = 32),
       "l1_pitch=32: expected 64 or more, the rows written would overlap"},
      {DIRECT(.rows = 1, .cols = 1, .pair = 2), "pair=2: expected 0 to 1"},
      {DIRECT(.rows = 1, .cols = 1, .pair = 1), "pair=1: expected 0 in a run that is not one of pairs"},
  };
  for (size_t i = 0; i < ARRAY_LEN(with); ++i) {
    char error[CORE_ERROR_BYTES];
    const bool ok = core_check(CORE_VECTOR, &memory, &with[i].command, error);
    CHECK(ok == (with[i].message == NULL) && (ok || strstr(error, with[i].message) != NULL),
          "case %zu: '%s', expected '%s'", i, error, ok ? "" : with[i].message);
  }
  core_memory_t paired = memory;
  paired.bytes[SPACE_PAIR_L1] = 256 << 10;
  const command_t inside = DIRECT(.rows = 1, .cols = 1, .l1 = 262112, .pair = 1);
  const command_t outside = DIRECT(.rows = 1, .cols = 1, .l1 = 262144, .pair = 1);
  char error[CORE_ERROR_BYTES];
  assert_true(core_check(CORE_VECTOR, &paired, &inside, error));
  assert_false(core_check(CORE_VECTOR, &paired, &outside, error));
  assert_non_null(strstr(error, "leaves pair's L1 of 262144 bytes"));
  const case_t cube[] = {
      {DIRECT(.rows = 1, .cols = 1), "COPY_L1 on a cube core: expected a vector core"},
  };
  RUN_TABLE(CORE_CUBE, cube);
}

TEST(looks) {
  const case_t cases[] = {
      {COMMAND_OF(READ_GM, read_gm, MTE2, .gm = GM_BASE + 4, .bytes = 3), NULL},
      {COMMAND_OF(READ_GM, read_gm, MTE2, .gm = GM_BASE + 4, .bytes = 0), "READ_GM bytes=0: expected 1 or more"},
      {COMMAND_OF(READ_GM, read_gm, MTE2, .gm = GM_BASE + 2, .bytes = 4), "gm=0x4000000002: expected a multiple of 4"},
      {COMMAND_OF(READ_GM, read_gm, MTE2, .gm = UINT64_MAX - 3, .bytes = 8), "leaves the address space"},
      {COMMAND_OF(MARK, mark, MTE2, .number = UINT32_MAX), NULL},
  };
  RUN_TABLE(CORE_CUBE, cases);
  const case_t vector_values[] = {
      {COMMAND_OF(READ_VALUE, read_value, V, .ub = (192 << 10) - 8, .bytes = 8), NULL},
      {COMMAND_OF(READ_VALUE, read_value, V, .ub = 192 << 10, .bytes = 1),
       "READ_VALUE ub=0x30000: tile of 1 bytes leaves UB"},
      {COMMAND_OF(WRITE_VALUE, write_value, MTE3, .ub = 6, .bytes = 2), NULL},
      {COMMAND_OF(WRITE_VALUE, write_value, MTE3, .ub = 6, .bytes = 4), "WRITE_VALUE ub=0x6: expected a multiple of 4"},
      {COMMAND_OF(WRITE_VALUE, write_value, MTE3, .ub = 6, .bytes = 0), "bytes=0: expected 1, 2, 4 or 8"},
      {COMMAND_OF(WRITE_VALUE, write_value, V, .ub = 192 << 10, .bytes = 4), "tile of 4 bytes leaves UB"},
      {COMMAND_OF(WRITE_VALUE, write_value, M, .bytes = 4), "WRITE_VALUE pipe=2 (M): expected a pipe of a vector core"},
  };
  RUN_TABLE(CORE_VECTOR, vector_values);
  RUN_TABLE(CORE_VECTOR, cases);
  const case_t cube[] = {
      {COMMAND_OF(READ_VALUE, read_value, FIX, .gm = GM_BASE + 1, .bytes = 1), NULL},
      {COMMAND_OF(READ_VALUE, read_value, FIX, .gm = GM_BASE + 4, .bytes = 8),
       "READ_VALUE gm=0x4000000004: expected a multiple of 8"},
      {COMMAND_OF(READ_VALUE, read_value, FIX, .gm = GM_BASE, .bytes = 3), "bytes=3: expected 1, 2, 4 or 8"},
      {COMMAND_OF(READ_VALUE, read_value, M, .gm = GM_BASE, .bytes = 4),
       "READ_VALUE pipe=2 (M): expected one that reaches global memory"},
      {COMMAND_OF(WRITE_VALUE, write_value, S, .gm = GM_BASE + 3, .bytes = 1), NULL},
      {COMMAND_OF(READ_VALUE, read_value, FIX, .bytes = 4), "gm=0: expected an address, a cube core has no UB"},
      {COMMAND_OF(READ_GM, read_gm, FIX, .gm = GM_BASE, .bytes = 4), "READ_GM pipe=3 (FIX): expected MTE2"},
      {COMMAND_OF(MARK, mark, FIX, .number = 1), NULL},
      {COMMAND_OF(MARK, mark, V, .number = 1), "MARK pipe=4 (V): expected a pipe of a cube core"},
  };
  RUN_TABLE(CORE_CUBE, cube);
}

// An engine of D = 64, 4 blocks of 256 rows, 256 KiB of buffer.
#define KV(...) COMMAND_OF(LOAD_KV, load_kv, LOAD, .k_gm = GM_BASE, .v_gm = GM_BASE, __VA_ARGS__)
#define EB(...) COMMAND_OF(LOAD_EB, load_eb, LOAD, .gm = GM_BASE, __VA_ARGS__)
#define ST(...) COMMAND_OF(STORE_EB, store_eb, STORE, .gm = GM_BASE, __VA_ARGS__)
#define AT(...) COMMAND_OF(ATTN, attn, ATTN, __VA_ARGS__)

TEST(engine_moves) {
  const uint32_t huge = 0xffffffffu;
  const uint32_t huge_32 = 0xffffffe0u;
  const uint32_t one = 0x3f800000u;
  const case_t cases[] = {
      {KV(.k_pitch = 128, .v_pitch = 128, .keys = 1024, .stride = 256, .dim = 64), NULL},
      {KV(.keys = 1, .stride = 256, .dim = 64), NULL},  // rows beyond the last key are taken, too
      {KV(.keys = 1, .row = 255, .stride = 1, .dim = 64), NULL},
      {KV(.keys = 0, .stride = 1, .dim = 64), "LOAD_KV keys=0: expected 1 or more"},
      {KV(.keys = 1, .stride = 0, .dim = 64), "LOAD_KV stride=0: expected 1 or more"},
      {KV(.keys = 1, .stride = 1, .dim = 63), "LOAD_KV dim=63: expected 64, this engine's"},
      {KV(.keys = 1, .stride = 1, .dim = 128), "LOAD_KV dim=128: expected 64"},
      {KV(.keys = 4, .stride = 1, .dim = 64), NULL},
      {KV(.keys = 5, .stride = 1, .dim = 64), "LOAD_KV keys=5: expected at most 4 blocks of stride=1"},
      {KV(.keys = 1025, .stride = 256, .dim = 64), "keys=1025: expected at most 4 blocks"},
      {KV(.keys = 1025, .stride = 257, .dim = 64), "LOAD_KV row=0x0: tile of 257 rows leaves KV of 256 rows"},
      {KV(.keys = 1, .row = 255, .stride = 2, .dim = 64), "LOAD_KV row=0xff: tile of 2 rows leaves KV of 256 rows"},
      {KV(.keys = 1, .row = 256, .stride = 1, .dim = 64), "tile of 1 rows leaves KV"},
      {KV(.keys = 1, .row = huge, .stride = 1, .dim = 64), "tile of 1 rows leaves KV"},
      {KV(.keys = huge, .row = huge, .stride = huge, .dim = 64), "leaves KV"},
      {KV(.keys = huge, .stride = 1, .dim = 64), "keys=4294967295: expected at most 4"},
      {KV(.k_pitch = 127, .keys = 1, .stride = 1, .dim = 64), "LOAD_KV k_pitch=127: expected a multiple of 2"},
      {KV(.v_pitch = 1, .keys = 1, .stride = 1, .dim = 64), "LOAD_KV v_pitch=1: expected a multiple of 2"},
      {COMMAND_OF(LOAD_KV, load_kv, LOAD, .k_gm = GM_BASE + 1, .v_gm = GM_BASE, .keys = 1, .stride = 1, .dim = 64),
       "LOAD_KV k_gm=0x4000000001: expected a multiple of 2"},
      {COMMAND_OF(LOAD_KV, load_kv, LOAD, .k_gm = GM_BASE, .v_gm = GM_BASE + 1, .keys = 1, .stride = 1, .dim = 64),
       "LOAD_KV v_gm=0x4000000001: expected a multiple of 2"},
      {COMMAND_OF(LOAD_KV, load_kv, LOAD, .k_gm = GM_BASE, .v_gm = 0xfffffffffffffff0ull, .keys = 1, .stride = 1,
                  .dim = 64),
       "LOAD_KV v_gm=0xfffffffffffffff0: tile of 128 bytes leaves the address space"},

      {EB(.gm_pitch = 128, .eb_pitch = 128, .rows = 2048, .row_bytes = 128), NULL},
      {EB(.gm_pitch = 128, .eb_pitch = 128, .rows = 2049, .row_bytes = 128),
       "LOAD_EB eb=0x0: tile of 262272 bytes leaves EB of 262144 bytes"},
      {EB(.rows = 0, .row_bytes = 1), "LOAD_EB rows=0: expected 1 or more"},
      {EB(.rows = 1, .row_bytes = 0), "LOAD_EB row_bytes=0: expected 1 or more"},
      {EB(.eb = 16, .rows = 1, .row_bytes = 1), "LOAD_EB eb=0x10: expected a multiple of 32"},
      {EB(.eb_pitch = 16, .rows = 1, .row_bytes = 1), "LOAD_EB eb_pitch=16: expected a multiple"},
      {EB(.eb_pitch = 32, .rows = 2, .row_bytes = 33),
       "LOAD_EB eb_pitch=32: expected 33 or more, the rows written would overlap"},
      {EB(.eb = 262112, .rows = 1, .row_bytes = 32), NULL},
      {EB(.eb = 262112, .rows = 1, .row_bytes = 33), "tile of 33 bytes leaves EB"},
      {EB(.eb = huge_32, .eb_pitch = huge_32, .rows = huge, .row_bytes = huge), "LOAD_EB eb"},
      // With a scale the bytes are BF16.
      {EB(.rows = 1, .row_bytes = 3), NULL},
      {EB(.rows = 1, .row_bytes = 3, .scale = one), "LOAD_EB row_bytes=3: expected a multiple of 2 with a scale"},
      {COMMAND_OF(LOAD_EB, load_eb, LOAD, .gm = GM_BASE + 1, .gm_pitch = 3, .rows = 1, .row_bytes = 2), NULL},
      {COMMAND_OF(LOAD_EB, load_eb, LOAD, .gm = GM_BASE + 1, .rows = 1, .row_bytes = 2, .scale = one),
       "LOAD_EB gm=0x4000000001: expected a multiple of 2"},
      {EB(.gm_pitch = 3, .rows = 1, .row_bytes = 2, .scale = one), "LOAD_EB gm_pitch=3: expected a multiple of 2"},

      {ST(.eb = 262112, .gm_pitch = 3, .rows = 1, .row_bytes = 32), NULL},
      {ST(.rows = 0, .row_bytes = 1), "STORE_EB rows=0: expected 1 or more"},
      {ST(.rows = 1, .row_bytes = 0), "STORE_EB row_bytes=0: expected 1 or more"},
      {ST(.eb = 31, .rows = 1, .row_bytes = 1), "STORE_EB eb=0x1f: expected a multiple of 32"},
      {ST(.eb_pitch = 40, .rows = 1, .row_bytes = 1), "STORE_EB eb_pitch=40: expected a multiple"},
      {ST(.eb_pitch = 64, .gm_pitch = 40, .rows = 2, .row_bytes = 41),
       "STORE_EB gm_pitch=40: expected 41 or more, the rows written would overlap"},
      {ST(.gm_pitch = 64, .rows = 2, .row_bytes = 64), NULL},  // a row, twice
      {ST(.eb = 262080, .eb_pitch = 32, .gm_pitch = 64, .rows = 3, .row_bytes = 32),
       "STORE_EB eb=0x3ffc0: tile of 96 bytes leaves EB"},
  };
  RUN_TABLE(CORE_ENGINE, cases);
}

TEST(engine_attention) {
  const uint32_t huge = 0xffffffffu;
  const case_t cases[] = {
      {AT(.queries = 1024, .dim = 64, .stride = 256, .keys = 1024, .share = 1, .final = 1, .out = 0x20000), NULL},
      {AT(.queries = 1, .dim = 64, .row = 255, .stride = 1, .keys = 4, .share = huge, .limit = huge,
          .mask_mode = MASK_LIMIT, .final = 1),
       NULL},
      {AT(.queries = 0, .dim = 64, .stride = 1, .keys = 1, .share = 1), "ATTN queries=0: expected 1 or more"},
      {AT(.queries = 1, .dim = 32, .stride = 1, .keys = 1, .share = 1), "ATTN dim=32: expected 64, this engine's"},
      {AT(.queries = 1, .dim = 64, .stride = 0, .keys = 1, .share = 1), "ATTN stride=0: expected 1 or more"},
      {AT(.queries = 1, .dim = 64, .stride = 1, .keys = 0, .share = 1), "ATTN keys=0: expected 1 or more"},
      {AT(.queries = 1, .dim = 64, .stride = 3, .keys = 13, .share = 1),
       "ATTN keys=13: expected at most 4 blocks of stride=3"},
      {AT(.queries = 1, .dim = 64, .row = 254, .stride = 3, .keys = 1, .share = 1),
       "ATTN row=0xfe: tile of 3 rows leaves KV of 256 rows"},
      {AT(.queries = 1, .dim = 64, .stride = 1, .keys = 1, .share = 0), "ATTN share=0: expected 1 or more"},
      {AT(.queries = 1, .dim = 64, .stride = 1, .keys = 1, .share = 1, .mask_mode = 3),
       "ATTN mask_mode=3: expected 0 to 2"},
      {AT(.queries = 1, .dim = 64, .stride = 1, .keys = 1, .share = 1, .carry = 2), "ATTN carry=2: expected 0 to 1"},
      {AT(.queries = 1, .dim = 64, .stride = 1, .keys = 1, .share = 1, .final = 2), "ATTN final=2: expected 0 to 1"},
      {AT(.q = 4, .queries = 1, .dim = 64, .stride = 1, .keys = 1, .share = 1, .final = 1),
       "ATTN q=0x4: expected a multiple of 32"},
      {AT(.queries = 2049, .dim = 64, .stride = 1, .keys = 1, .share = 1, .final = 1),
       "ATTN q=0x0: tile of 262272 bytes leaves EB of 262144 bytes"},
      {AT(.queries = huge, .dim = 64, .stride = 1, .keys = 1, .share = 1, .final = 1), "ATTN q=0x0: tile of"},
      {AT(.out = 8, .queries = 1, .dim = 64, .stride = 1, .keys = 1, .share = 1, .final = 1),
       "ATTN out=0x8: expected a multiple of 32"},
      {AT(.out = 262144 - 128, .queries = 1, .dim = 64, .stride = 1, .keys = 1, .share = 1, .final = 1), NULL},
      {AT(.out = 262144 - 128, .queries = 2, .dim = 64, .stride = 1, .keys = 1, .share = 1, .final = 1),
       "ATTN out=0x3ff80: tile of 256 bytes leaves EB"},
      // Bits: one row for `share` queries, a byte for 8 keys; not looked at in the other modes.
      {AT(.queries = 1, .dim = 64, .stride = 64, .keys = 256, .share = 1, .final = 1, .mask_mode = MASK_BITS,
          .mask = 262112),
       NULL},
      {AT(.queries = 1, .dim = 64, .stride = 65, .keys = 257, .share = 1, .final = 1, .mask_mode = MASK_BITS,
          .mask = 262112),
       "ATTN mask=0x3ffe0: tile of 33 bytes leaves EB"},
      {AT(.queries = 3, .dim = 64, .stride = 1, .keys = 1, .share = 3, .final = 1, .mask_mode = MASK_BITS,
          .mask = 262112, .mask_pitch = 32),
       NULL},
      {AT(.queries = 4, .dim = 64, .stride = 1, .keys = 1, .share = 3, .final = 1, .mask_mode = MASK_BITS,
          .mask = 262112, .mask_pitch = 32),
       "ATTN mask=0x3ffe0: tile of 33 bytes leaves EB"},
      {AT(.queries = 1, .dim = 64, .stride = 1, .keys = 1, .share = 1, .final = 1, .mask_mode = MASK_BITS, .mask = 1),
       "ATTN mask=0x1: expected a multiple of 32"},
      {AT(.queries = 1, .dim = 64, .stride = 1, .keys = 1, .share = 1, .final = 1, .mask_mode = MASK_BITS,
          .mask_pitch = 8),
       "ATTN mask_pitch=8: expected a multiple of 32"},
      {AT(.queries = 4, .dim = 64, .stride = 1, .keys = 1, .share = 1, .final = 1, .mask_mode = MASK_LIMIT,
          .mask = 262113, .mask_pitch = 1),
       NULL},
      // Triplets: 66 words, read with carry, written without final.
      {AT(.queries = 1, .dim = 64, .stride = 1, .keys = 1, .share = 1, .out = 1, .triplet = 262144 - 288), NULL},
      {AT(.queries = 1, .dim = 64, .stride = 1, .keys = 1, .share = 1, .triplet = 262144 - 256),
       "ATTN triplet=0x3ff00: tile of 264 bytes leaves EB"},
      {AT(.queries = 2, .dim = 64, .stride = 1, .keys = 1, .share = 1, .triplet_pitch = 256),
       "ATTN triplet_pitch=256: expected 264 or more, the rows written would overlap"},
      {AT(.queries = 2, .dim = 64, .stride = 1, .keys = 1, .share = 1, .triplet_pitch = 264),
       "ATTN triplet_pitch=264: expected a multiple of 32"},
      {AT(.queries = 2, .dim = 64, .stride = 1, .keys = 1, .share = 1, .triplet = 256, .triplet_pitch = 288), NULL},
      {AT(.queries = 1, .dim = 64, .stride = 1, .keys = 1, .share = 1, .triplet = 4),
       "ATTN triplet=0x4: expected a multiple of 32"},
      {AT(.queries = 1, .dim = 64, .stride = 1, .keys = 1, .share = 1, .carry = 1, .final = 1, .triplet = 262144),
       "ATTN triplet=0x40000: tile of 264 bytes leaves EB"},
      {AT(.queries = 1, .dim = 64, .stride = 1, .keys = 1, .share = 1, .final = 1, .triplet = 262145,
          .triplet_pitch = 1),
       NULL},
  };
  RUN_TABLE(CORE_ENGINE, cases);
}

// Places where an ATTN may put results and triplets: 4 queries of 128 bytes, triplets of 264.
TEST(engine_results_apart) {
#define FOUR(...) AT(.queries = 4, .dim = 64, .stride = 8, .keys = 32, .share = 1, __VA_ARGS__)
  const case_t cases[] = {
      {FOUR(.q = 512, .out = 512, .final = 1), NULL},  // in place
      {FOUR(.q = 512, .out = 0, .final = 1), NULL},
      {FOUR(.q = 512, .out = 1024, .final = 1), NULL},
      {FOUR(.q = 512, .out = 480, .final = 1), "ATTN out=0x1e0: overlaps q=0x200, which is read"},
      {FOUR(.q = 512, .out = 992, .final = 1), "ATTN out=0x3e0: overlaps q=0x200"},
      {FOUR(.q = 512, .out = 2048, .mask_mode = MASK_BITS, .mask = 2016, .mask_pitch = 32, .final = 1),
       "ATTN out=0x800: overlaps mask=0x7e0"},
      {FOUR(.q = 512, .out = 2048, .mask_mode = MASK_BITS, .mask = 2048, .final = 1),
       "ATTN out=0x800: overlaps mask=0x800"},
      {FOUR(.q = 512, .out = 2048, .mask_mode = MASK_LIMIT, .mask = 2048, .final = 1), NULL},
      {FOUR(.q = 512, .out = 2048, .mask_mode = MASK_BITS, .mask = 1920, .mask_pitch = 32, .final = 1), NULL},
      {FOUR(.q = 512, .out = 2048, .triplet = 2560, .triplet_pitch = 288, .carry = 1, .final = 1), NULL},
      {FOUR(.q = 512, .out = 2048, .triplet = 2528, .triplet_pitch = 288, .carry = 1, .final = 1),
       "ATTN out=0x800: overlaps triplet=0x9e0"},
      {FOUR(.q = 512, .out = 2048, .triplet = 2048, .triplet_pitch = 288, .carry = 1, .final = 1),
       "ATTN out=0x800: overlaps triplet=0x800"},
      {FOUR(.q = 512, .out = 2048, .triplet = 2048, .triplet_pitch = 288, .final = 1), NULL},
      {FOUR(.q = 512, .triplet = 1024, .triplet_pitch = 288, .carry = 1), NULL},
      {FOUR(.q = 512, .triplet = 992, .triplet_pitch = 288, .carry = 1), "ATTN triplet=0x3e0: overlaps q=0x200"},
      {FOUR(.q = 512, .out = 512, .triplet = 512, .triplet_pitch = 288), "ATTN triplet=0x200: overlaps q=0x200"},
  };
#undef FOUR
  RUN_TABLE(CORE_ENGINE, cases);
}

// Elements of a query come in sixteens, whatever the engine's D.
TEST(engine_of_odd_dim) {
  const num_engine_t odd = {.design = NUM_DESIGN_FA2, .d = 40, .blocks = 1, .rows = 8};
  const core_memory_t memory = {.bytes = {[SPACE_KV] = 8, [SPACE_EB] = 1024}, .engine = &odd};
  const command_t load = KV(.keys = 8, .stride = 8, .dim = 40);
  const command_t attn = AT(.queries = 1, .dim = 40, .stride = 8, .keys = 8, .share = 1);
  char error[CORE_ERROR_BYTES];
  assert_true(core_check(CORE_ENGINE, &memory, &load, error));
  assert_false(core_check(CORE_ENGINE, &memory, &attn, error));
  assert_string_equal(error, "ATTN dim=40: expected a multiple of 16");
}

// Any bytes at all: the check ends, and says something if it refuses.
TEST(any_bytes) {
  num_rng_t rng;
  num_rng_seed(&rng, 99);
  for (int i = 0; i < 200000; ++i) {
    union {
      command_t command;
      uint8_t bytes[sizeof(command_t)];
    } any;
    random_bytes(&rng, any.bytes, sizeof any.bytes);
    any.command.header.opcode_ = (uint8_t)random_below(&rng, OP_COUNT + 1);
    any.command.header.pipe_ = (uint8_t)random_below(&rng, PIPE_COUNT + 1);
    any.command.header.zero_ = 0;
    any.command.header.zero2_ = 0;
    if (any.command.header.opcode_ == OP_VEC) {
      any.command.vec.op = random_below(&rng, VOP_COUNT + 1);
      any.command.vec.b_kind = random_below(&rng, OPERAND_COUNT + 1);
    }
    if (any.command.header.opcode_ == OP_LOAD_KV) {
      any.command.load_kv.dim = 64;
    }
    if (any.command.header.opcode_ == OP_ATTN) {
      any.command.attn.dim = 64;
      any.command.attn.mask_mode = random_below(&rng, MASK_MODE_COUNT + 1);
      any.command.attn.carry = random_below(&rng, 3);
      any.command.attn.final = random_below(&rng, 3);
    }
    for (int kind = 0; kind < CORE_KIND_COUNT; ++kind) {
      char error[CORE_ERROR_BYTES];
      const bool ok = check((core_kind_t)kind, &any.command, error);
      CHECK(ok == (error[0] == '\0'), "%s", error);
    }
  }
}
