// What a language model consists of: filled in by lm_file.c, run by lm.c.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_LLM_LM_LM_INTERNAL_H
#define AMALGAM_LLM_LM_LM_INTERNAL_H

#include "llm/lm/lm.h"

// Matrices are kept as [in,out], the transpose of the file's, so that x . W is num_matmul's
// product; kv = kv_heads * head_dim.
typedef struct lm_weights {
  const float *embedding;       // [dim,vocab]: column t is token t; as a matrix the output head
  const float *attention_norm;  // [layers,dim]
  const float *wq;              // [layers,dim,dim]
  const float *wk, *wv;         // [layers,dim,kv]
  const float *wo;              // [layers,dim,dim]
  const float *ffn_norm;        // [layers,dim]
  const float *w1;              // [layers,dim,hidden]
  const float *w2;              // [layers,hidden,dim]
  const float *w3;              // [layers,dim,hidden]
  const float *norm;            // [dim]
} lm_weights_t;

struct lm {
  lm_shape_t shape;
  lm_weights_t weights;
  size_t position;
  float *turn;   // [context,head_dim]: see lm_rope_turn()
  float *k, *v;  // [layers,context,kv]: of all tokens so far
  // Of the tokens at work:
  float *x;          // [context,dim]: the residual stream
  float *h;          // [context,dim]: x normed; attention's output
  float *q;          // [context,dim]
  float *gate, *up;  // [context,hidden]
  float *memory;     // holds all of the above and the weights
};

#endif  // AMALGAM_LLM_LM_LM_INTERNAL_H
