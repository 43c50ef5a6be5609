// SPDX-License-Identifier: Apache-2.0
#include "llm/lm/lm_engine.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 64 };

// A query here is a pair of a token and a head.
typedef struct job {
  const num_engine_t *engine;
  const lm_attention_t *attention;
  size_t keys;         // first + n
  num_bf16_t *q;       // [n,heads,d], scaled
  num_bf16_t *k, *v;   // [kv_heads,keys,d]
  uint8_t *valid;      // [2 keys]: ones, then zeros; a mask is the right piece of it
  atomic_size_t next;  // the query to be taken next
  atomic_bool failed;
} job_t;

static void round_queries(job_t *job) {
  const lm_attention_t *a = job->attention;
  const size_t count = a->n * a->shape->num_attention_heads * a->shape->head_dim;
  const float scale = (float)(1.0 / sqrt((double)a->shape->head_dim));
  num_bf16_from_f32_n(a->q, job->q, count);
  for (size_t i = 0; i < count; ++i) {
    job->q[i] = num_bf16_scale(job->q[i], scale);
  }
}

// x [keys,kv_heads,d] rounded to y [kv_heads,keys,d]
static void round_heads(const job_t *job, const float *x, num_bf16_t *y) {
  const size_t kv_heads = job->attention->shape->num_key_value_heads;
  const size_t d = job->engine->d;
  for (size_t j = 0; j < job->keys; ++j) {
    for (size_t h = 0; h < kv_heads; ++h) {
      num_bf16_from_f32_n(x + (j * kv_heads + h) * d, y + (h * job->keys + j) * d, d);
    }
  }
}

// Query index = head * n + token: one after the other they use the same keys.
static void attend(const job_t *job, size_t index, num_bf16_t *result, num_element_t *scratch) {
  const lm_attention_t *a = job->attention;
  const checkpoint_config_t *s = a->shape;
  const size_t head = index / a->n;
  const size_t token = index % a->n;
  const size_t query = (token * s->num_attention_heads + head) * s->head_dim;
  const size_t kv = head / (s->num_attention_heads / s->num_key_value_heads) * job->keys * s->head_dim;
  const size_t seen = a->first + token + 1;
  num_engine_attention(job->engine, job->q + query, job->k + kv, job->v + kv, job->valid + job->keys - seen, job->keys,
                       result, scratch);
  num_bf16_to_f32_n(result, a->out + query, s->head_dim);
}

static void *work(void *argument) {
  job_t *job = argument;
  const size_t d = job->engine->d;
  const size_t queries = job->attention->n * job->attention->shape->num_attention_heads;
  num_bf16_t *result = malloc(d * sizeof *result);
  num_element_t *scratch = malloc(2 * (d + 1) * sizeof *scratch);
  if (result == NULL || scratch == NULL) {
    job->failed = true;
  } else {
    for (size_t i = job->next++; i < queries; i = job->next++) {
      attend(job, i, result, scratch);
    }
  }
  free(result);
  free(scratch);
  return NULL;
}

// Threads that cannot be started leave their share to the others, this one among them.
static void share(job_t *job, size_t threads) {
  pthread_t others[MAX_THREADS];
  size_t started = 0;
  while (started < MAX_THREADS && started + 1 < threads && pthread_create(&others[started], NULL, work, job) == 0) {
    ++started;
  }
  work(job);
  while (started > 0) {
    pthread_join(others[--started], NULL);
  }
}

bool lm_attend_engine(void *context, const lm_attention_t *attention) {
  const lm_engine_t *engine = context;
  const checkpoint_config_t *s = attention->shape;
  if (engine->engine.d != s->head_dim) {
    return false;
  }
  job_t job = {.engine = &engine->engine, .attention = attention, .keys = attention->first + attention->n};
  const size_t kv = job.keys * s->num_key_value_heads * s->head_dim;
  job.q = malloc(attention->n * s->num_attention_heads * s->head_dim * sizeof *job.q);
  job.k = malloc(kv * sizeof *job.k);
  job.v = malloc(kv * sizeof *job.v);
  job.valid = calloc(job.keys, 2);
  if (job.q == NULL || job.k == NULL || job.v == NULL || job.valid == NULL) {
    job.failed = true;
  } else {
    memset(job.valid, 1, job.keys);
    round_queries(&job);
    round_heads(&job, attention->k, job.k);
    round_heads(&job, attention->v, job.v);
    share(&job, engine->threads);
  }
  free(job.q);
  free(job.k);
  free(job.v);
  free(job.valid);
  return !job.failed;
}
