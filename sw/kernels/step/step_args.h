// A list of operations, as the host lays it in global memory. The kernel step, on every core, takes them one after the
// other; all effects of an operation are there before the next one begins.
//
// Addresses are bytes of global memory, multiples of 64 unless said otherwise; pitches are bytes from row to row,
// multiples of 32. No operation writes what it reads, unless said otherwise.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_STEP_STEP_ARGS_H
#define AMALGAM_SW_KERNELS_STEP_STEP_ARGS_H

#include <stdint.h>

#include "kernels/attention/attention_args.h"
#include "kernels/flash/flash_args.h"
#include "kernels/fp8/fp8_args.h"
#include "kernels/w4a16/w4a16_args.h"

enum step_op {
#define STEP_OP(NAME, name, cores, text) STEP_##NAME,
#include "kernels/step/step_ops.def"
#undef STEP_OP
  STEP_OPS
};

enum {
  STEP_MAX_EXPERTS = 512,
  STEP_MAX_TOP = 16,
  STEP_MAX_GROUPS = 16,   // of experts
  STEP_MAX_COLS = 16384,  // of a row that a vector core takes whole: NORM, EMBED
  STEP_MAX_HEAD = 512,    // columns of a head, for HEADS
  STEP_GROUP = 128,       // columns of k that share a scale of 4-bit weights
};

typedef struct step_entry {
  uint32_t op;      // enum step_op
  uint32_t number;  // for the host: told back with time and traffic when the operation has ended (MARK); not that of
                    // the entry before
  uint64_t args;    // its step_NAME_args_t
} step_entry_t;

typedef struct step_args {  // at REG_ARGS
  uint64_t entries;         // step_entry_t [count]
  uint32_t count;
} step_args_t;

// Rows of each expert, from GATE's choices. Rows of gathered arrays, "slots", are in order of expert,
// then token, then place; slots of experts that are not here do not exist. All cores work it out for themselves.
typedef struct step_routing {
  uint64_t chosen;  // int32 [tokens][top], packed: numbers of experts; 0: there is no routing
  uint32_t tokens, top;
  uint32_t first, here;  // experts first .. first + here - 1 are here
} step_routing_t;

typedef struct step_embed_args {
  uint64_t tokens;                         // int32 [rows], input: a list of numbers for GATHER_IN
  uint64_t table;                          // [vocab], rows table_pitch bytes apart, of type
  uint64_t x;                              // FP32 [rows][cols], packed
  uint32_t rows, cols, table_pitch, type;  // TYPE_BF16 or TYPE_F16
  uint32_t scale;                          // FP32 bits: what elements are multiplied by
} step_embed_args_t;

// out = x + delta; y = type(f32(out * r) * weight), r = f32(1 / sqrt(mean(out^2) + eps)), as num_step.h says; without
// weight y = type(out)
typedef struct step_norm_args {
  uint64_t x;       // FP32, rows x_pitch bytes apart
  uint64_t delta;   // FP32 [rows][cols], packed; 0: none
  uint64_t out;     // FP32 [rows][cols], packed; may be x if that is packed; 0: not wanted
  uint64_t weight;  // FP32 [cols]; 0: none
  uint64_t y;       // of type, rows y_pitch bytes apart
  uint32_t rows, cols, x_pitch, y_pitch;
  uint32_t type;  // of y: TYPE_F16, TYPE_BF16 or TYPE_F32
  uint32_t eps;   // FP32 bits
} step_norm_args_t;

// c_g = a_g x b_g for g = 0 .. groups - 1: one chain an element (NUMERICS section 2), cast to c_type
typedef struct step_product_args {
  uint64_t a, b, c;           // of group 0; a: [m][k] of type; c: [m][n] of c_type (multiple of 32)
  uint64_t b_group;           // bytes from group to group
  uint64_t a_group, c_group;  // likewise (multiples of 32); with routing not used: group g is expert first + g,
                              // whose rows are its slots, in a and in c
  uint32_t a_pitch, c_pitch;
  uint32_t groups, m, n, k;  // m: with routing not used; n, k multiples of 16
  uint32_t type;             // of a and b: TYPE_F16 or TYPE_BF16
  uint32_t c_type;           // TYPE_F32, TYPE_F16 or TYPE_BF16
  uint32_t tile_cols;        // of a tile of c: a multiple of 16 up to 256, for the host to choose
  step_routing_t routing;
} step_product_args_t;  // b lies as GEMM_NZ: strips of 16 columns, k rows of 32 bytes each

// The same of 8-bit integers: type TYPE_S8, c_type TYPE_S32 (sums modulo 2^32), strips of 32 columns; n, k and
// tile_cols multiples of 32.
typedef step_product_args_t step_product_s8_args_t;

// y = f32(x * factor), scale = f32(max(largest |y| of the row, 2^-100) / 127), out = s8(rint(f32(y / scale))),
// saturating. A row with anything that is not finite: scale is a NaN, out 0.
typedef struct step_quantise_args {
  uint64_t x;                          // [rows] of type, rows x_pitch apart
  uint64_t out;                        // S8 [rows][cols], packed
  uint64_t scale;                      // FP32 [rows], packed
  uint64_t factors;                    // FP32 [cols], of columns; 0: all are 1
  uint32_t rows, cols, x_pitch, type;  // cols a multiple of 32; TYPE_F16 or TYPE_BF16; rows: with routing all slots
  step_routing_t routing;
} step_quantise_args_t;

// c = c_type((f32(sum) * row's scale) * column's scale + bias), each operation rounded to FP32
typedef struct step_dequantise_args {
  uint64_t sums;           // S32, rows sums_pitch apart
  uint64_t scale;          // FP32 [rows], packed
  uint64_t columns, bias;  // FP32 [cols] of group 0; bias 0: none
  uint64_t group_bytes;    // of both, from group to group; with routing group g is expert first + g, else there is one
  uint64_t c;              // rows c_pitch apart
  uint32_t rows, cols;     // rows: with routing not used; cols a multiple of 16
  uint32_t sums_pitch, c_pitch;
  uint32_t c_type;  // TYPE_F32, TYPE_F16 or TYPE_BF16
  step_routing_t routing;
} step_dequantise_args_t;

// code = x / scale in type, saturating, to nearest even; scale = f32(max(largest |x| of the row, 2^-100) / limit),
// limit 127 of TYPE_S8 and 448 of TYPE_E4M3. A row with anything that is not finite has a NaN for a scale.
typedef struct step_pack_args {
  uint64_t x, x_group;  // BF16 [rows][cols], packed; bytes from group to group
  uint64_t out, scale;  // codes and FP32 scale of row 0 of group 0; scale a multiple of 4
  uint64_t out_group, scale_group;
  uint64_t out_run, scale_run;  // bytes from run to run, below 2^32
  uint32_t groups, rows, run;   // rows of a group; `run` of them lie side by side: rows is a multiple of it
  uint32_t cols, type;          // cols a multiple of 32, at most STEP_MAX_HEAD
} step_pack_args_t;

// out = bf16(f32(code * scale))
typedef struct step_unpack_args {
  uint64_t x, scale, out;  // of row 0 of group 0, as for PACK; BF16
  uint64_t x_group, scale_group, out_group;
  uint64_t x_run, scale_run, out_run;
  uint32_t groups, runs, run;  // runs of a group, rows of a run
  uint32_t cols, type;
} step_unpack_args_t;

// A product with b made of nibbles: product.a, .c and the rest as there; product.m with routing not used.
typedef struct step_w4a16_args {
  w4a16_args_t product;                                         // of group 0; splits 1, reduce 0
  uint64_t a_group, c_group, w_group, scale_group, zero_group;  // bytes from group to group
  uint32_t a_pitch, c_pitch;                                    // 0: without gaps
  uint32_t groups;
  step_routing_t routing;
} step_w4a16_args_t;

// q's last rope columns of each head, pairs (2i, 2i + 1) rotated by their token's angles, to BF16
typedef struct step_rope_args {
  uint64_t q;       // FP16 [tokens][heads][q_head bytes], the columns to rotate at q
  uint64_t angles;  // FP32 [tokens][2][rope], of each column: cosine, then sine, negative in even ones; input
  uint64_t out;     // BF16, the first column's place of token 0, head 0
  uint32_t tokens, heads, rope;  // rope a multiple of 16
  uint32_t q_pitch, q_head;      // bytes from token to token, from head to head
  uint32_t out_pitch, out_head;
} step_rope_args_t;

typedef struct step_heads_place {
  uint64_t at;                  // of token 0's first head
  uint64_t entry, token, head;  // bytes from one to the next
} step_heads_place_t;

// out = type(x), x normalised and then rotated: pairs are columns i and rope / 2 + i of a head.
typedef struct step_heads_args {
  step_heads_place_t in;   // FP32
  step_heads_place_t out;  // of type
  uint64_t weight;         // FP32 [dim], of each head's RMSNorm; 0: none
  uint64_t angles;  // FP32 [tokens][2][rope], of each column: cosine, then sine, negative in the first half; input
  uint32_t tokens, tokens_of_entry, heads;
  uint32_t dim;   // of a head: a multiple of 16, at most STEP_MAX_HEAD
  uint32_t rope;  // its first columns, which turn: a multiple of 16; 0: none
  uint32_t type;  // TYPE_F16 or TYPE_BF16
  uint32_t eps;   // FP32 bits
} step_heads_args_t;

enum step_cache_kind { STEP_CACHE_BF16, STEP_CACHE_FP8, STEP_CACHE_FP8_UE8M0 };

// Token t of n a batch entry is at place past + t % n of entry t / n.
typedef struct step_cache_args {
  uint64_t kv;           // FP32 [tokens], rows kv_pitch bytes apart: latent, then rope columns
  uint64_t weight;       // FP32 [latent]: of the norm
  uint64_t angles;       // as for ROPE
  uint64_t cache;        // BF16 [latent + rope] a place, or a token of 656 bytes (fp8_args.h)
  uint64_t batch_bytes;  // from entry to entry
  uint32_t tokens, tokens_of_entry, past;
  uint32_t latent, rope, kv_pitch;  // latent and rope multiples of 16, 1024 together at most
  uint32_t place_bytes;             // from place to place
  uint32_t kind;                    // enum step_cache_kind; FP8: latent 512, rope 64
  uint32_t eps;                     // FP32 bits
} step_cache_args_t;

// Plain: base or amla, as the kernel was built. Heads: flash.
enum step_attention_kind { STEP_ATTENTION_PLAIN, STEP_ATTENTION_FP8, STEP_ATTENTION_HEADS };

typedef struct step_attention_args {
  uint32_t kind;  // enum step_attention_kind
  uint64_t args;  // attention_args_t, fp8_args_t or flash_args_t
} step_attention_args_t;

//   silu     gate / (1 + exp(-gate)) * up
//   gelu     gate / (1 + exp(-2 sqrt(2 / pi) (gate + 0.044715 gate^3))) * up, which is GELU by tanh
//   limited  (up' + 1) * gate' / (1 + exp(-1.702 gate')), gate' = min(gate, limit), up' within -limit .. limit
enum step_gating { STEP_SILU, STEP_GELU, STEP_LIMITED };

typedef struct step_swiglu_args {
  uint64_t in;                               // [rows][2][cols] of type, rows in_pitch apart: gate, then up
  uint64_t out;                              // [rows][cols] of type, rows out_pitch apart
  uint32_t type;                             // TYPE_F16 or TYPE_BF16
  uint32_t gating;                           // enum step_gating
  uint32_t limit;                            // FP32 bits
  uint32_t rows, cols, in_pitch, out_pitch;  // cols a multiple of 16; rows: with routing all slots
  step_routing_t routing;
} step_swiglu_args_t;

enum step_scoring { STEP_SOFTMAX, STEP_SIGMOID };

typedef struct step_gate_args {
  uint64_t logits;   // FP32 [tokens][experts], rows logits_pitch bytes apart
  uint64_t bias;     // FP32 [experts], added for the choice alone; 0: none
  uint64_t chosen;   // int32 [tokens][top], packed: best first, of equal ones the lower number
  uint64_t weights;  // FP32 [tokens][top], packed
  uint32_t tokens, experts, top, logits_pitch;
  uint32_t scoring;    // enum step_scoring
  uint32_t normalise;  // 1: weights are divided by their sum
  uint32_t scale;      // FP32 bits: what weights are multiplied by
  // A token takes experts of its best `kept` of so many groups of the same size, 1 .. STEP_MAX_GROUPS; equal: of all. A
  // group counts as its largest choice, with STEP_SIGMOID as the sum of its two largest.
  uint32_t groups, kept;
} step_gate_args_t;

typedef struct step_gather_args {
  uint64_t x;    // FP16 [tokens], rows pitch bytes apart
  uint64_t out;  // FP16 [slots], likewise
  uint32_t cols, pitch;
  step_routing_t routing;
} step_gather_args_t;

// out[t] = shared[t] + sum over j of weights[t][j] * y[slot of t, j], j ascending
typedef struct step_combine_args {
  uint64_t y;        // FP32 [slots][cols], packed
  uint64_t weights;  // FP32 [tokens][top], packed
  uint64_t shared;   // FP32 [tokens][cols], packed; 0: none
  uint64_t out;      // FP32 [tokens][cols], packed
  uint32_t cols;
  step_routing_t routing;
} step_combine_args_t;

typedef struct step_argmax_args {
  uint64_t x;    // FP32 [rows], rows pitch bytes apart
  uint64_t out;  // int32 [rows], packed: of equal ones the lowest number
  uint32_t rows, cols, pitch;
} step_argmax_args_t;

#endif
