// Made-up models, most of them with grouped heads, against the textbook formulas in double: no
// tiles, no caches, matrices as the file has them. The arguments of an attention hook. Requests that are
// refused.
// SPDX-License-Identifier: Apache-2.0
#include <complex.h>
#include <math.h>

#include "lm_test.h"

#define PATH "test_lm_forward.bin"

// FP32's rounding, 6e-8, grown through a few layers to 2e-6, in sums of up to 108 products.
static const double TOLERANCE = 5e-5;

// --- the reference ----------------------------------------------------------------------------

// Arrays of all layers, tokens, heads; [layers,n,heads,head_dim] each.
typedef struct {
  size_t n;
  double *q, *k, *v;
  double *logits;  // [n,vocab]
} reference_t;

static void multiply(const double *w, size_t out, size_t in, const double *x, double *y) {
  for (size_t o = 0; o < out; ++o) {
    y[o] = 0.0;
    for (size_t i = 0; i < in; ++i) {
      y[o] += w[o * in + i] * x[i];
    }
  }
}

static void normalise(const double *x, const double *weight, size_t dim, double *y) {
  double mean = 1e-5;
  for (size_t i = 0; i < dim; ++i) {
    mean += x[i] * x[i] / (double)dim;
  }
  for (size_t i = 0; i < dim; ++i) {
    y[i] = x[i] / sqrt(mean) * weight[i];
  }
}

// Neighbours 2i and 2i + 1 of a head are a complex number.
static void turn(double *x, size_t heads, size_t head_dim, size_t position) {
  for (size_t i = 0; i < heads * head_dim; i += 2) {
    const double rate = pow(1e4, -(double)(i % head_dim) / (double)head_dim);
    const complex double z = (x[i] + x[i + 1] * I) * cexp((double)position * rate * I);
    x[i] = creal(z);
    x[i + 1] = cimag(z);
  }
}

// One head of one token: q [d]; k, v [keys] rows, `stride` apart.
static void attend(const double *q, const double *k, const double *v, size_t keys, size_t stride, size_t d,
                   double *out) {
  double sum = 0.0;
  memset(out, 0, d * sizeof *out);
  for (size_t j = 0; j < keys; ++j) {
    double score = 0.0;
    for (size_t i = 0; i < d; ++i) {
      score += q[i] * k[j * stride + i];
    }
    const double p = exp(score / sqrt((double)d));
    sum += p;
    for (size_t i = 0; i < d; ++i) {
      out[i] += p * v[j * stride + i];
    }
  }
  for (size_t i = 0; i < d; ++i) {
    out[i] /= sum;
  }
}

static void add_product(const double *w, size_t out, size_t in, const double *x, double *y) {
  double *product = allocate(out, sizeof *product);
  multiply(w, out, in, x, product);
  for (size_t o = 0; o < out; ++o) {
    y[o] += product[o];
  }
  free(product);
}

static void attention_layer(const made_up_t *m, size_t layer, const reference_t *r, double *x) {
  const made_up_shape_t *s = &m->shape;
  const size_t d = s->dim / s->heads;
  const size_t kv = s->kv_heads * d;
  const size_t group = s->heads / s->kv_heads;
  double *const q = r->q + layer * r->n * s->dim;
  double *const k = r->k + layer * r->n * kv;
  double *const v = r->v + layer * r->n * kv;
  double *y = allocate(s->dim, sizeof *y);
  for (size_t t = 0; t < r->n; ++t) {
    normalise(x + t * s->dim, m->attention_norm + layer * s->dim, s->dim, y);
    multiply(m->wq + layer * s->dim * s->dim, s->dim, s->dim, y, q + t * s->dim);
    multiply(m->wk + layer * kv * s->dim, kv, s->dim, y, k + t * kv);
    multiply(m->wv + layer * kv * s->dim, kv, s->dim, y, v + t * kv);
    turn(q + t * s->dim, s->heads, d, t);
    turn(k + t * kv, s->kv_heads, d, t);
  }
  for (size_t t = 0; t < r->n; ++t) {
    for (size_t h = 0; h < s->heads; ++h) {
      attend(q + t * s->dim + h * d, k + h / group * d, v + h / group * d, t + 1, kv, d, y + h * d);
    }
    add_product(m->wo + layer * s->dim * s->dim, s->dim, s->dim, y, x + t * s->dim);
  }
  free(y);
}

static void ffn_layer(const made_up_t *m, size_t layer, size_t n, double *x) {
  const made_up_shape_t *s = &m->shape;
  const size_t matrix = layer * s->dim * s->hidden;
  double *y = allocate(s->dim, sizeof *y);
  double *gate = allocate(s->hidden, sizeof *gate);
  double *up = allocate(s->hidden, sizeof *up);
  for (size_t t = 0; t < n; ++t) {
    normalise(x + t * s->dim, m->ffn_norm + layer * s->dim, s->dim, y);
    multiply(m->w1 + matrix, s->hidden, s->dim, y, gate);
    multiply(m->w3 + matrix, s->hidden, s->dim, y, up);
    for (size_t i = 0; i < s->hidden; ++i) {
      up[i] *= gate[i] / (1.0 + exp(-gate[i]));
    }
    add_product(m->w2 + matrix, s->dim, s->hidden, up, x + t * s->dim);
  }
  free(y);
  free(gate);
  free(up);
}

static reference_t refer(const made_up_t *m, const uint32_t *tokens, size_t n) {
  const made_up_shape_t *s = &m->shape;
  const size_t kv = s->dim / s->heads * s->kv_heads;
  reference_t r = {.n = n};
  r.q = allocate(s->layers * n * s->dim, sizeof *r.q);
  r.k = allocate(s->layers * n * kv, sizeof *r.k);
  r.v = allocate(s->layers * n * kv, sizeof *r.v);
  r.logits = allocate(n * s->vocab, sizeof *r.logits);
  double *x = allocate(n * s->dim, sizeof *x);
  double *y = allocate(s->dim, sizeof *y);
  for (size_t t = 0; t < n; ++t) {
    memcpy(x + t * s->dim, m->embedding + tokens[t] * s->dim, s->dim * sizeof *x);
  }
  for (size_t layer = 0; layer < s->layers; ++layer) {
    attention_layer(m, layer, &r, x);
    ffn_layer(m, layer, n, x);
  }
  for (size_t t = 0; t < n; ++t) {
    normalise(x + t * s->dim, m->norm, s->dim, y);
    multiply(m->embedding, s->vocab, s->dim, y, r.logits + t * s->vocab);
  }
  free(x);
  free(y);
  return r;
}

static void reference_free(reference_t *r) {
  free(r->q);
  free(r->k);
  free(r->v);
  free(r->logits);
}

// --- the tests --------------------------------------------------------------------------------

static double worst(const float *x, const double *expected, size_t n) {
  double most = 0.0;
  for (size_t i = 0; i < n; ++i) {
    const double error = fabs((double)x[i] - expected[i]) / (1.0 + fabs(expected[i]));
    most = error <= most ? most : error;  // a NaN gets in
  }
  return most;
}

static const made_up_shape_t shapes[] = {
    {.dim = 24, .hidden = 20, .layers = 2, .heads = 4, .kv_heads = 2, .vocab = 11, .context = 30},
    {.dim = 64, .hidden = 100, .layers = 3, .heads = 2, .kv_heads = 1, .vocab = 256, .context = 40},
    {.dim = 40, .hidden = 17, .layers = 1, .heads = 1, .kv_heads = 1, .vocab = 5, .context = 20},
    {.dim = 108, .hidden = 64, .layers = 2, .heads = 6, .kv_heads = 3, .vocab = 70, .context = 50},
};

static void draw_tokens(uint32_t *tokens, size_t n, size_t vocab, uint64_t seed) {
  num_rng_t rng;
  num_rng_seed(&rng, seed);
  for (size_t i = 0; i < n; ++i) {
    tokens[i] = (uint32_t)(random_u32(&rng) % vocab);
  }
}

static void logits_are_the_references(void **state) {
  (void)state;
  for (size_t i = 0; i < ARRAY_LEN(shapes); ++i) {
    const made_up_shape_t s = shapes[i];
    made_up_t m = make_up(s, 10 + i);
    lm_t *lm = open_made_up(&m, PATH, 0);
    uint32_t *tokens = allocate(s.context, sizeof *tokens);
    float *logits = allocate(s.context * s.vocab, sizeof *logits);
    draw_tokens(tokens, s.context, s.vocab, 20 + i);
    reference_t r = refer(&m, tokens, s.context);
    assert_true(lm_forward(lm, tokens, s.context, &fp32, logits, false));
    const double error = worst(logits, r.logits, s.context * s.vocab);
    printf("dim %zu, %zu layers, heads %zu/%zu, %zu tokens: worst %.2e\n", s.dim, s.layers, s.heads, s.kv_heads,
           s.context, error);
    CHECK(error <= TOLERANCE, "%g", error);
    reference_free(&r);
    free(logits);
    free(tokens);
    lm_close(lm);
    made_up_free(&m);
  }
}

typedef struct {
  const checkpoint_config_t *shape;
  const reference_t *reference;
  size_t first, n;  // expected in the next calls
  size_t calls;
  size_t give_up_at;  // the call that does
} hook_t;

static bool hook(void *context, const lm_attention_t *a) {
  hook_t *expected = context;
  const checkpoint_config_t *s = expected->shape;
  const size_t kv = s->num_key_value_heads * s->head_dim;
  const reference_t *r = expected->reference;
  assert_ptr_equal(a->shape, s);
  assert_int_equal(a->layer, expected->calls % s->num_hidden_layers);
  assert_int_equal(a->first, expected->first);
  assert_int_equal(a->n, expected->n);
  const double *q = r->q + (a->layer * r->n + a->first) * s->hidden_size;
  const double *k = r->k + a->layer * r->n * kv;
  const double *v = r->v + a->layer * r->n * kv;
  assert_true(worst(a->q, q, a->n * s->hidden_size) <= TOLERANCE);
  assert_true(worst(a->k, k, (a->first + a->n) * kv) <= TOLERANCE);
  assert_true(worst(a->v, v, (a->first + a->n) * kv) <= TOLERANCE);
  return expected->calls++ != expected->give_up_at && lm_attend_fp32(NULL, a);
}

typedef struct {
  made_up_t made_up;
  lm_t *lm;
  uint32_t tokens[32];
  reference_t reference;
  hook_t hook;
  float logits[32 * 16];
} fixture_t;

static int setup(void **state) {
  fixture_t *f = allocate(1, sizeof *f);
  f->made_up = make_up(shapes[0], 30);
  f->lm = open_made_up(&f->made_up, PATH, 0);
  draw_tokens(f->tokens, shapes[0].context, shapes[0].vocab, 31);
  f->reference = refer(&f->made_up, f->tokens, shapes[0].context);
  f->hook = (hook_t){.shape = lm_shape(f->lm), .reference = &f->reference, .give_up_at = SIZE_MAX};
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture_t *f = *state;
  reference_free(&f->reference);
  lm_close(f->lm);
  made_up_free(&f->made_up);
  free(f);
  return 0;
}

static bool feed(fixture_t *f, size_t n, float *logits) {
  f->hook.first = lm_position(f->lm);
  f->hook.n = n;
  const lm_backend_t backend = {.attend = hook, .attend_context = &f->hook};
  return lm_forward(f->lm, f->tokens + lm_position(f->lm), n, &backend, logits, false);
}

static void hook_sees_what_is_documented(void **state) {
  fixture_t *f = *state;
  const size_t vocab = shapes[0].vocab;
  size_t fed = 0;
  const size_t pieces[] = {5, 1, 0, 17};
  size_t calls = 0;
  for (size_t i = 0; i < ARRAY_LEN(pieces); ++i) {
    assert_true(feed(f, pieces[i], f->logits + fed * vocab));
    fed += pieces[i];
    calls += pieces[i] > 0 ? shapes[0].layers : 0;
    assert_int_equal(lm_position(f->lm), fed);
    assert_int_equal(f->hook.calls, calls);
  }
  assert_true(worst(f->logits, f->reference.logits, fed * vocab) <= TOLERANCE);
}

// The hook's result is used.
static bool silent(void *context, const lm_attention_t *a) {
  (void)context;
  memset(a->out, 0, a->n * a->shape->hidden_size * sizeof *a->out);
  return true;
}

static void hook_replaces_attention(void **state) {
  fixture_t *f = *state;
  const lm_backend_t backend = {.attend = silent};
  float after_seven[16], alone[16];
  assert_true(lm_forward(f->lm, f->tokens, 8, &backend, after_seven, true));
  lm_restart(f->lm);
  assert_true(lm_forward(f->lm, f->tokens + 7, 1, &backend, alone, true));
  assert_memory_equal(after_seven, alone, shapes[0].vocab * sizeof *alone);
  lm_restart(f->lm);
  assert_true(lm_forward(f->lm, f->tokens, 8, &fp32, alone, true));
  assert_memory_not_equal(after_seven, alone, shapes[0].vocab * sizeof *alone);
}

static void giving_up_changes_nothing(void **state) {
  fixture_t *f = *state;
  float undisturbed[32 * 16];
  const size_t vocab = shapes[0].vocab;
  assert_true(feed(f, 4, undisturbed) && feed(f, 6, undisturbed + 4 * vocab));
  for (size_t layer = 0; layer < shapes[0].layers; ++layer) {
    lm_restart(f->lm);
    assert_true(feed(f, 4, f->logits));
    f->hook.give_up_at = f->hook.calls + layer;
    assert_false(feed(f, 9, NULL));
    assert_int_equal(f->hook.calls, f->hook.give_up_at + 1);
    assert_int_equal(lm_position(f->lm), 4);
    f->hook.calls = 0;
    f->hook.give_up_at = SIZE_MAX;
    assert_true(feed(f, 6, f->logits + 4 * vocab));
    assert_memory_equal(f->logits, undisturbed, 10 * vocab * sizeof *undisturbed);
  }
}

// --- products ---------------------------------------------------------------------------------

typedef struct {
  const float *w;
  size_t k, n;
  size_t products;  // so far
} matrix_t;

enum { MATRICES = 7 * 2 + 1 };  // two layers of shapes[0] and the head

typedef struct {
  matrix_t matrix[MATRICES];
  size_t matrices;
  size_t m;  // expected of every product but the head's
  size_t calls;
  size_t give_up_at;
} multiply_t;

static void note(void *context, const float *w, size_t k, size_t n) {
  multiply_t *expected = context;
  assert_true(expected->matrices < MATRICES);
  expected->matrix[expected->matrices++] = (matrix_t){.w = w, .k = k, .n = n};
}

static matrix_t *find(multiply_t *expected, const float *w) {
  for (size_t i = 0; i < MATRICES; ++i) {
    if (expected->matrix[i].w == w) {
      return &expected->matrix[i];
    }
  }
  fail_msg("a product with a matrix that lm_each_matrix has not shown");
  return NULL;
}

static bool multiply_hook(void *context, const lm_gemm_t *p) {
  multiply_t *expected = context;
  matrix_t *matrix = find(expected, p->w);
  const bool head = matrix == &expected->matrix[MATRICES - 1];
  assert_int_equal(p->k, matrix->k);
  assert_int_equal(p->n, matrix->n);
  assert_true(head || p->m == expected->m);
  matrix->products++;
  return expected->calls++ != expected->give_up_at && lm_multiply_fp32(NULL, p);
}

// Once for each matrix and call, and the result is the model's.
static void every_product_is_the_backends(void **state) {
  fixture_t *f = *state;
  multiply_t expected = {.m = 9, .give_up_at = SIZE_MAX};
  const lm_backend_t backend = {.multiply = multiply_hook, .multiply_context = &expected};
  const size_t vocab = shapes[0].vocab;
  lm_each_matrix(f->lm, note, &expected);
  assert_int_equal(expected.matrices, MATRICES);
  assert_true(lm_forward(f->lm, f->tokens, 9, &backend, f->logits, false));
  assert_true(worst(f->logits, f->reference.logits, 9 * vocab) <= TOLERANCE);
  for (size_t i = 0; i < MATRICES; ++i) {
    assert_int_equal(expected.matrix[i].products, 1);
  }
  expected.m = 2;
  assert_true(lm_forward(f->lm, f->tokens + 9, 2, &backend, NULL, false));
  for (size_t i = 0; i < MATRICES; ++i) {
    assert_int_equal(expected.matrix[i].products, i == MATRICES - 1 ? 1 : 2);
  }
}

// The hook's result is used: without the second half of a layer, x stays what it was.
static bool no_sum(void *context, const lm_gemm_t *p) {
  (void)context;
  return p->add || lm_multiply_fp32(NULL, p);
}

static void multiply_replaces_products(void **state) {
  fixture_t *f = *state;
  const lm_backend_t backend = {.multiply = no_sum};
  float after_seven[16], alone[16];
  assert_true(lm_forward(f->lm, f->tokens, 8, &backend, after_seven, true));
  lm_restart(f->lm);
  assert_true(lm_forward(f->lm, f->tokens + 7, 1, &backend, alone, true));
  assert_memory_equal(after_seven, alone, shapes[0].vocab * sizeof *alone);
}

static void giving_up_in_a_product_changes_nothing(void **state) {
  fixture_t *f = *state;
  float undisturbed[32 * 16];
  const size_t vocab = shapes[0].vocab;
  multiply_t expected = {.m = 5, .give_up_at = SIZE_MAX};
  const lm_backend_t backend = {.multiply = multiply_hook, .multiply_context = &expected};
  lm_each_matrix(f->lm, note, &expected);
  assert_true(feed(f, 4, undisturbed) && feed(f, 6, undisturbed + 4 * vocab));
  for (size_t i = 0; i < MATRICES; ++i) {
    lm_restart(f->lm);
    assert_true(feed(f, 4, f->logits));
    expected.calls = 0;
    expected.give_up_at = i;
    assert_false(lm_forward(f->lm, f->tokens + 4, 5, &backend, undisturbed + 10 * vocab, false));
    assert_int_equal(expected.calls, i + 1);
    assert_int_equal(lm_position(f->lm), 4);
    assert_true(feed(f, 6, f->logits + 4 * vocab));
    assert_memory_equal(f->logits, undisturbed, 10 * vocab * sizeof *undisturbed);
    f->hook.calls = 0;
  }
}

// --- sizes ------------------------------------------------------------------------------------

// The file's 30 tokens have the same bits, and those beyond are the reference's, which has no limit.
static void context_is_the_callers(void **state) {
  fixture_t *f = *state;
  enum { LONGER = 47 };
  const size_t context = shapes[0].context;
  const size_t vocab = shapes[0].vocab;
  lm_t *lm = open_made_up(&f->made_up, PATH, LONGER);
  uint32_t tokens[LONGER + 1];
  float logits[LONGER * 16];
  draw_tokens(tokens, LONGER + 1, vocab, 33);
  reference_t r = refer(&f->made_up, tokens, LONGER);
  assert_int_equal(lm_shape(lm)->max_position_embeddings, LONGER);
  assert_false(lm_forward(lm, tokens, LONGER + 1, &fp32, NULL, false));
  assert_true(lm_forward(lm, tokens, LONGER, &fp32, logits, false));
  assert_true(worst(logits, r.logits, LONGER * vocab) <= TOLERANCE);
  assert_true(lm_forward(f->lm, tokens, context, &fp32, f->logits, false));
  assert_memory_equal(f->logits, logits, context * vocab * sizeof *logits);
  reference_free(&r);
  lm_close(lm);
  lm = open_made_up(&f->made_up, PATH, 3);
  assert_false(lm_forward(lm, tokens, 4, &fp32, NULL, false));
  assert_true(lm_forward(lm, tokens, 3, &fp32, f->logits, false));
  assert_memory_equal(f->logits, logits, 3 * vocab * sizeof *logits);
  lm_close(lm);
}

static void too_many_and_unknown_tokens(void **state) {
  fixture_t *f = *state;
  const size_t context = shapes[0].context;
  assert_false(feed(f, context + 1, NULL));
  assert_true(feed(f, context - 1, NULL));
  assert_false(feed(f, 2, NULL));
  assert_false(feed(f, SIZE_MAX, NULL));
  assert_true(feed(f, 1, NULL));
  assert_false(feed(f, 1, NULL));
  assert_true(feed(f, 0, NULL));
  assert_int_equal(lm_position(f->lm), context);
  lm_restart(f->lm);
  assert_int_equal(lm_position(f->lm), 0);
  const size_t calls = f->hook.calls;
  for (size_t i = 0; i < 3; ++i) {
    const uint32_t token = f->tokens[i];
    f->tokens[i] = (uint32_t)shapes[0].vocab;
    assert_false(feed(f, 3, NULL));
    f->tokens[i] = token;
  }
  assert_int_equal(f->hook.calls, calls);
  assert_int_equal(lm_position(f->lm), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(logits_are_the_references),
      cmocka_unit_test_setup_teardown(hook_sees_what_is_documented, setup, teardown),
      cmocka_unit_test_setup_teardown(hook_replaces_attention, setup, teardown),
      cmocka_unit_test_setup_teardown(giving_up_changes_nothing, setup, teardown),
      cmocka_unit_test_setup_teardown(every_product_is_the_backends, setup, teardown),
      cmocka_unit_test_setup_teardown(multiply_replaces_products, setup, teardown),
      cmocka_unit_test_setup_teardown(giving_up_in_a_product_changes_nothing, setup, teardown),
      cmocka_unit_test_setup_teardown(context_is_the_callers, setup, teardown),
      cmocka_unit_test_setup_teardown(too_many_and_unknown_tokens, setup, teardown),
  };
  return cmocka_run_group_tests_name("lm_forward", tests, NULL, NULL);
}
