// A byte-level language model of the Llama architecture (llm/family/llama.def) in plain C, FP32, its attention
// replaceable.
//
// RMSNorm, rotary embedding on interleaved pairs, grouped heads, SwiGLU, tied output head. Weights are
// BF16 in the file, exact in FP32. The file: "LMBF", seven int32 (dim, hidden, layers, heads,
// kv_heads, vocab, context), then BF16, all little endian: embedding [vocab,dim]; attention norm
// [L,dim]; wq [L,dim,dim], wk, wv [L,kv,dim], wo [L,dim,dim]; ffn norm [L,dim]; w1 [L,hidden,dim],
// w2 [L,dim,hidden], w3 [L,hidden,dim]; final norm [dim]. A matrix is [out,in]. kv = kv_heads * head_dim.
//
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_LLM_LM_LM_H
#define AMALGAM_LLM_LM_LM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "llm/checkpoint/checkpoint_config.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lm lm_t;

// Causal self-attention of n new tokens at positions first .. first+n-1 of one layer. Token i sees
// keys 0 .. first+i. Queries and keys are rotated already; queries are not scaled (the scale is
// 1/sqrt(head_dim)). Query head h uses key/value head h / (heads / kv_heads).
typedef struct lm_attention {
  const checkpoint_config_t *shape;
  size_t layer, first, n;
  const float *q;  // [n,heads,head_dim]
  const float *k;  // [first+n,kv_heads,head_dim]
  const float *v;  // [first+n,kv_heads,head_dim]
  float *out;      // [n,heads,head_dim], to be written
} lm_attention_t;

// Returns false to give up.
typedef bool (*lm_attend_t)(void *context, const lm_attention_t *attention);

// The model's own: softmax in FP32, the context unused.
bool lm_attend_fp32(void *context, const lm_attention_t *attention);

// A product of activations and a weight matrix: c = a . w, or with add c += a . w.
typedef struct lm_gemm {
  size_t m, n, k;
  const float *a;  // [m,k]
  const float *w;  // [k,n], the same address for the same matrix while the model is open
  float *c;        // [m,n]
  bool add;
} lm_gemm_t;

// Returns false to give up.
typedef bool (*lm_multiply_t)(void *context, const lm_gemm_t *product);

// The model's own: FP32, the context unused.
bool lm_multiply_fp32(void *context, const lm_gemm_t *product);

// The functions that compute; where one is NULL it is the model's own in FP32.
typedef struct lm_backend {
  lm_attend_t attend;
  void *attend_context;
  lm_multiply_t multiply;
  void *multiply_context;
} lm_backend_t;

// context: tokens it can hold, 0: as many as the file says. (Rotary embedding has no limit of its own;
// beyond the length of its training the model's predictions get worse.)
// NULL on failure, with one line in message (of size bytes) naming the file and what was expected.
lm_t *lm_open(const char *path, size_t context, char *message, size_t size);
void lm_close(lm_t *lm);
const checkpoint_config_t *lm_shape(const lm_t *lm);  // max_position_embeddings is the context

// Forgets all tokens.
void lm_restart(lm_t *lm);

// Tokens seen since.
size_t lm_position(const lm_t *lm);

// Continues by n tokens (bytes, each < vocab); logits [n,vocab] may be NULL, and with only_last
// only the last row is computed and written, to logits [vocab]. False if context is exceeded, a token
// is none, or the backend gave up; the position is then as before.
__attribute__((warn_unused_result)) bool lm_forward(lm_t *lm, const uint32_t *tokens, size_t n,
                                                    const lm_backend_t *backend, float *logits, bool only_last);

// The weight matrices, for whoever wants to place them before the first product: calls back for each
// with its address as in lm_gemm_t, its rows and columns.
void lm_each_matrix(const lm_t *lm, void (*visit)(void *context, const float *w, size_t k, size_t n), void *context);

#ifdef __cplusplus
}
#endif

#endif  // AMALGAM_LLM_LM_LM_H
