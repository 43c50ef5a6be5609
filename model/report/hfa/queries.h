// Queries that the reports on the attention engines' arithmetic are made of: made-up ones, and those
// of the shipped language model.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_REPORT_HFA_QUERIES_H
#define AMALGAM_REPORT_HFA_QUERIES_H

#include "host/parallel.h"
#include "kernel/lm/lm_capture.h"
#include "num/engine/num_hfa_sources.h"

typedef struct report_query {
  const num_bf16_t *q;       // [d], not scaled
  const num_bf16_t *scaled;  // [d]
  const num_bf16_t *k, *v;   // [keys,d]
  size_t keys;
  double *golden;  // [d], attention in FP64
} report_query_t;

enum { REPORT_WINDOWS = 8 };  // of the language model's text

typedef struct report_queries {
  report_query_t *list;
  size_t count, d;
  char text[160];  // what they are, for people
  // Owned:
  num_bf16_t *made_up, *scaled;
  double *golden;
  lm_capture_t window[REPORT_WINDOWS];
} report_queries_t;

// per_seed queries for each of the seeds 0 .. seeds - 1, over keys and values N(0,1) of that seed;
// queries N(0,sigma^2).
bool report_queries_normal(size_t d, size_t keys, double sigma, size_t seeds, size_t per_seed,
                           report_queries_t *queries, base_error_t *error);

// The queries that H-FA's approximations are judged by: normal ones of d 64 over 1024 keys, eight
// for each seed; and the language model's, eight of every layer's every head, evenly spread over
// each of the text's first windows of 1024 tokens, query i with keys 0 .. i.
typedef enum report_set { REPORT_NORMAL, REPORT_LM, REPORT_SETS } report_set_t;

extern const char *const report_set_names[REPORT_SETS];

// seeds: of the normal ones.
bool report_queries_set(report_set_t set, size_t seeds, report_queries_t *queries, base_error_t *error);

void report_queries_free(report_queries_t *queries);

// fn(context, first, end) over ranges of the list, on all processors.
bool report_queries_each(const report_queries_t *queries, parallel_fn *fn, void *context, base_error_t *error);

// For such an fn: H-FA with those approximations, P = blocks, of queries first .. end - 1; their
// results to out [count,d], unless that is NULL. False: out of memory.
bool report_queries_hfa(const report_queries_t *queries, size_t first, size_t end, const num_hfa_sources_t *sources,
                        size_t blocks, num_bf16_t *out);

#endif
