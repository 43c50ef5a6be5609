// Small models of all kinds against the same computed otherwise: whole matrices, attention in its absorbed form over
// latents, complex rotations, experts by sorting. Then what a walk says of itself, and when it is fed in pieces.
// SPDX-License-Identifier: Apache-2.0
#include "llm/walk/walk.h"

#include <complex.h>
#include <math.h>

#include "llm/checkpoint/safetensors.h"
#include "model_writer.h"

enum {
  TOKENS = 11,
  VOCAB = 40,
  HIDDEN = 16,
  RANK = 8,
  NOPE = 4,
  ROPE = 6,
  VALUE = 5,
  HEADS = 2,
  EXPERTS = 8,
  LAYERS = 3
};

#define SHAPE                                                                                                    \
  "\"vocab_size\":40,\"hidden_size\":16,\"num_hidden_layers\":3,\"max_position_embeddings\":64,"                 \
  "\"num_attention_heads\":2,\"kv_lora_rank\":8,\"qk_nope_head_dim\":4,\"qk_rope_head_dim\":6,\"v_head_dim\":5," \
  "\"first_k_dense_replace\":1,\"intermediate_size\":24,\"moe_intermediate_size\":12,"                           \
  "\"num_experts_per_tok\":3,\"initializer_range\":0.15"
#define V2 "{\"model_type\":\"deepseek_v2\"," SHAPE ","
#define V3 "{\"model_type\":\"deepseek_v3\"," SHAPE ",\"q_lora_rank\":7,\"n_routed_experts\":8,"
#define MIXTURE "\"q_lora_rank\":null,\"n_routed_experts\":8,\"n_shared_experts\":2"

static const char *const configs[] = {
    V2 MIXTURE "}",
    V2 MIXTURE ",\"norm_topk_prob\":true,\"tie_word_embeddings\":true,\"rope_theta\":50}",
    V2 MIXTURE ",\"topk_method\":\"group_limited_greedy\",\"n_group\":2,\"topk_group\":1,\"routed_scaling_factor\":16}",
    V2 "\"q_lora_rank\":9,\"n_routed_experts\":null,\"n_shared_experts\":null}",
    V2 "\"q_lora_rank\":9,\"n_routed_experts\":8,\"n_shared_experts\":null}",
    V3 "\"n_shared_experts\":1,\"n_group\":4,\"topk_group\":2,\"routed_scaling_factor\":2.5}",
    V3 "\"n_shared_experts\":1,\"norm_topk_prob\":false,\"rms_norm_eps\":0.01}",
};

static const uint32_t tokens[TOKENS] = {3, 39, 0, 7, 7, 21, 14, 3, 30, 12, 5};

// --- the reference ----------------------------------------------------------------------------

static const checkpoint_t *model;
static const checkpoint_config_t *config;

static double *load(checkpoint_role_t role, size_t layer, size_t expert) {
  enum { LARGEST = VOCAB * HIDDEN };
  static double all[CHECKPOINT_ROLES][LARGEST];  // of each role the last that was loaded
  float values[LARGEST];
  base_error_t error;
  const checkpoint_tensor_t *tensor = checkpoint_find(model, role, layer, expert);
  if (tensor == NULL) {
    return NULL;
  }
  const size_t count = checkpoint_rows(tensor) * checkpoint_columns(tensor);
  assert_true(count <= LARGEST && checkpoint_read(tensor, 0, count, CHECKPOINT_FP32, values, &error));
  for (size_t i = 0; i < count; ++i) {
    all[role][i] = (double)values[i];
  }
  return all[role];
}

static void apply(const double *w, size_t out, size_t in, const double *x, double *y) {
  for (size_t o = 0; o < out; ++o) {
    y[o] = 0.0;
    for (size_t i = 0; i < in; ++i) {
      y[o] += w[o * in + i] * x[i];
    }
  }
}

static void normalise(const double *w, size_t n, double eps, const double *x, double *y) {
  double squares = 0.0;
  for (size_t i = 0; i < n; ++i) {
    squares += x[i] * x[i] / (double)n;
  }
  for (size_t i = 0; i < n; ++i) {
    y[i] = w[i] * x[i] / sqrt(squares + eps);
  }
}

static void turn(double *x, size_t position) {
  for (size_t p = 0; p < ROPE / 2; ++p) {
    const double complex z =
        (x[2 * p] + x[2 * p + 1] * I) * cexp(I * (double)position / pow(config->rope.theta, (double)p / (ROPE / 2)));
    x[2 * p] = creal(z);
    x[2 * p + 1] = cimag(z);
  }
}

static void reference_query(size_t layer, const double *x, double *q) {
  double latent[HIDDEN];
  const size_t rank = config->q_lora_rank;
  if (rank == 0) {
    apply(load(CHECKPOINT_Q, layer, 0), HEADS * (NOPE + ROPE), HIDDEN, x, q);
    return;
  }
  apply(load(CHECKPOINT_Q_A, layer, 0), rank, HIDDEN, x, latent);
  normalise(load(CHECKPOINT_Q_A_NORM, layer, 0), rank, 1e-6, latent, latent);
  apply(load(CHECKPOINT_Q_B, layer, 0), HEADS * (NOPE + ROPE), rank, latent, q);
}

// One head of one token over cache [count, RANK + ROPE]: q absorbed, attention over latents, then W_UV.
static void reference_head(const double *w, const double *q, double (*cache)[RANK + ROPE], size_t count, double *out) {
  double absorbed[RANK] = {0}, latent[RANK] = {0}, sum = 0.0;
  for (size_t i = 0; i < NOPE * RANK; ++i) {
    absorbed[i % RANK] += q[i / RANK] * w[i];
  }
  for (size_t j = 0; j < count; ++j) {
    double score = 0.0;
    for (size_t i = 0; i < RANK + ROPE; ++i) {
      score += cache[j][i] * (i < RANK ? absorbed[i] : q[NOPE + i - RANK]);
    }
    const double p = exp(score / sqrt(NOPE + ROPE));
    sum += p;
    for (size_t i = 0; i < RANK; ++i) {
      latent[i] += p * cache[j][i];
    }
  }
  apply(w + NOPE * RANK, VALUE, RANK, latent, out);
  for (size_t i = 0; i < VALUE; ++i) {
    out[i] /= sum;
  }
}

static void reference_attention(size_t layer, double x[TOKENS][HIDDEN]) {
  double cache[TOKENS][RANK + ROPE], normed[HIDDEN], q[HEADS * (NOPE + ROPE)], o[HEADS * VALUE], delta[HIDDEN];
  for (size_t t = 0; t < TOKENS; ++t) {
    normalise(load(CHECKPOINT_ATTENTION_NORM, layer, 0), HIDDEN, config->rms_norm_eps, x[t], normed);
    apply(load(CHECKPOINT_KV_A, layer, 0), RANK + ROPE, HIDDEN, normed, cache[t]);
    normalise(load(CHECKPOINT_KV_A_NORM, layer, 0), RANK, 1e-6, cache[t], cache[t]);
    turn(cache[t] + RANK, t);
    reference_query(layer, normed, q);
    for (size_t h = 0; h < HEADS; ++h) {
      turn(q + h * (NOPE + ROPE) + NOPE, t);
      reference_head(load(CHECKPOINT_KV_B, layer, 0) + h * (NOPE + VALUE) * RANK, q + h * (NOPE + ROPE), cache, t + 1,
                     o + h * VALUE);
    }
    apply(load(CHECKPOINT_O, layer, 0), HIDDEN, HEADS * VALUE, o, delta);
    for (size_t i = 0; i < HIDDEN; ++i) {
      x[t][i] += delta[i];
    }
  }
}

// delta += weight * (down silu(gate x) * up x)
static void reference_expert(checkpoint_role_t gate, size_t layer, size_t expert, size_t width, double weight,
                             const double *x, double *delta) {
  double g[24], u[24], d[HIDDEN];
  apply(load(gate, layer, expert), width, HIDDEN, x, g);
  apply(load(gate + 1, layer, expert), width, HIDDEN, x, u);
  for (size_t i = 0; i < width; ++i) {
    g[i] *= u[i] / (1.0 + exp(-g[i]));
  }
  apply(load(gate + 2, layer, expert), HIDDEN, width, g, d);
  for (size_t i = 0; i < HIDDEN; ++i) {
    delta[i] += weight * d[i];
  }
}

typedef struct {
  double choice, score;
  size_t index;
} candidate_t;

static int by_choice(const void *a, const void *b) {
  const double x = ((const candidate_t *)a)->choice, y = ((const candidate_t *)b)->choice;
  return (x < y) - (x > y);
}

static void reference_mixture(size_t layer, const double *x, double *delta) {
  const size_t groups = config->n_group, size = EXPERTS / groups;
  const bool sigmoid = config->gate == CHECKPOINT_GATE_SIGMOID;
  double logits[EXPERTS], all = 0.0, sum = 0.0;
  const double *bias = load(CHECKPOINT_ROUTER_BIAS, layer, 0);
  candidate_t experts[EXPERTS], group[EXPERTS] = {{0, 0, 0}};
  apply(load(CHECKPOINT_ROUTER, layer, 0), EXPERTS, HIDDEN, x, logits);
  for (size_t e = 0; e < EXPERTS; ++e) {
    all += exp(logits[e]);
  }
  for (size_t e = 0; e < EXPERTS; ++e) {
    const double score = sigmoid ? 1.0 / (1.0 + exp(-logits[e])) : exp(logits[e]) / all;
    experts[e] = (candidate_t){score + (sigmoid ? bias[e] : 0.0), score, e};
  }
  for (size_t g = 0; g < groups; ++g) {
    candidate_t best[EXPERTS];
    memcpy(best, experts + g * size, size * sizeof *best);
    qsort(best, size, sizeof *best, by_choice);
    group[g] = (candidate_t){best[0].choice + (sigmoid && groups > 1 ? best[1].choice : 0.0), 0.0, g};
  }
  qsort(group, groups, sizeof *group, by_choice);
  for (size_t g = config->topk_group; g < groups; ++g) {
    for (size_t i = 0; i < size; ++i) {
      experts[group[g].index * size + i].choice = -1e9;
    }
  }
  qsort(experts, EXPERTS, sizeof *experts, by_choice);
  for (size_t i = 0; i < 3; ++i) {
    sum += experts[i].score;
  }
  for (size_t i = 0; i < 3; ++i) {
    const double weight = config->norm_topk_prob ? experts[i].score / sum : experts[i].score;
    reference_expert(CHECKPOINT_EXPERT_GATE, layer, experts[i].index, 12, weight * config->routed_scaling_factor, x,
                     delta);
  }
  if (config->n_shared_experts > 0) {
    reference_expert(CHECKPOINT_SHARED_GATE, layer, 0, config->n_shared_experts * 12, 1.0, x, delta);
  }
}

static void reference_logits(double logits[TOKENS][VOCAB]) {
  double x[TOKENS][HIDDEN], normed[HIDDEN];
  for (size_t t = 0; t < TOKENS; ++t) {
    memcpy(x[t], load(CHECKPOINT_EMBEDDING, 0, 0) + tokens[t] * HIDDEN, sizeof x[t]);
  }
  for (size_t layer = 0; layer < LAYERS; ++layer) {
    reference_attention(layer, x);
    for (size_t t = 0; t < TOKENS; ++t) {
      normalise(load(CHECKPOINT_FFN_NORM, layer, 0), HIDDEN, config->rms_norm_eps, x[t], normed);
      if (layer > 0 && config->n_routed_experts > 0) {
        reference_mixture(layer, normed, x[t]);
      } else {
        reference_expert(CHECKPOINT_GATE, layer, 0, 24, 1.0, normed, x[t]);
      }
    }
  }
  for (size_t t = 0; t < TOKENS; ++t) {
    normalise(load(CHECKPOINT_NORM, 0, 0), HIDDEN, config->rms_norm_eps, x[t], normed);
    apply(load(CHECKPOINT_HEAD, 0, 0), VOCAB, HIDDEN, normed, logits[t]);
  }
}

// --- models -----------------------------------------------------------------------------------

// Random weights have no biases; in a file they may be anything.
static void put_bias(size_t layer) {
  char name[CHECKPOINT_NAME_BYTES];
  uint64_t length = 0;
  base_error_t error;
  checkpoint_name(CHECKPOINT_ROUTER_BIAS, layer, 0, name);
  safetensors_t *tensors = safetensors_open(path_of("model.safetensors"), &error);
  assert_non_null(tensors);
  const safetensors_entry_t *entry = safetensors_find(tensors, name);
  FILE *file = fopen(path_of("model.safetensors"), "r+b");
  assert_true(entry != NULL && file != NULL && fread(&length, sizeof length, 1, file) == 1);
  fseek(file, (long)(8 + length + entry->begin), SEEK_SET);
  for (size_t e = 0; e < EXPERTS; ++e) {
    const float bias = 0.25f * (float)((e * 5 + layer) % EXPERTS) - 0.9f;
    assert_int_equal(fwrite(&bias, sizeof bias, 1, file), 1);
  }
  fclose(file);
  safetensors_close(tensors);
}

static walk_t *open_model(const char *text, checkpoint_t **opened) {
  base_error_t error;
  checkpoint_t *random = made_up(text, 7);
  write_model(random, CHECKPOINT_FP32, 1, NULL);
  for (size_t layer = 1; checkpoint_find(random, CHECKPOINT_ROUTER_BIAS, 1, 0) != NULL && layer < LAYERS; ++layer) {
    put_bias(layer);
  }
  checkpoint_close(random);
  *opened = open_or_fail(&(checkpoint_request_t){.folder = folder});
  model = *opened;
  config = checkpoint_config(model);
  walk_t *walk = walk_open(model, TOKENS, 2, &error);
  assert_non_null(walk);
  return walk;
}

static void close_model(walk_t *walk, checkpoint_t *opened) {
  walk_close(walk);
  checkpoint_close(opened);
}

static double relative_error(const double *x, const double *expected, size_t n) {
  double errors = 0.0, sizes = 0.0;
  for (size_t i = 0; i < n; ++i) {
    errors += (x[i] - expected[i]) * (x[i] - expected[i]);
    sizes += expected[i] * expected[i];
  }
  return sqrt(errors / sizes);
}

static void as_computed_otherwise(void **state) {
  (void)state;
  for (size_t i = 0; i < ARRAY_LEN(configs); ++i) {
    double expected[TOKENS][VOCAB], logits[TOKENS][VOCAB];
    base_error_t error;
    checkpoint_t *opened;
    walk_t *walk = open_model(configs[i], &opened);
    reference_logits(expected);
    CHECK(walk_forward(walk, tokens, TOKENS, &logits[0][0], false, &error), "%s", error.text);
    const double wrong = relative_error(&logits[0][0], &expected[0][0], TOKENS * VOCAB);
    printf("model %zu: %.1e\n", i, wrong);
    CHECK(wrong < 1e-12, "%s", configs[i]);
    close_model(walk, opened);
  }
}

// --- in pieces --------------------------------------------------------------------------------

enum { KEPT = 4 };
static double kept[LAYERS][KEPT][RANK + ROPE];  // the cache of the first tokens

static void keep_cache(void *context, const walk_event_t *event) {
  (void)context;
  if (event->stage == WALK_CACHE) {
    assert_true(event->rows == TOKENS && event->columns == RANK + ROPE);
    memcpy(kept[event->layer], event->values, sizeof kept[0]);
  }
}

static void same_in_pieces(void **state) {
  (void)state;
  double whole[TOKENS][VOCAB], fed[TOKENS][VOCAB];
  base_error_t error;
  checkpoint_t *opened;
  walk_t *walk = open_model(configs[5], &opened);
  walk_observe(walk, keep_cache, NULL);
  assert_true(walk_forward(walk, tokens, TOKENS, &whole[0][0], false, &error));
  walk_observe(walk, NULL, NULL);
  for (size_t step = 1; step < TOKENS; step += 4) {
    assert_true(walk_begin(walk, 0, NULL, &error));
    for (size_t i = 0; i < TOKENS; i += step) {
      assert_int_equal(walk_position(walk), i);
      assert_true(walk_forward(walk, tokens + i, step < TOKENS - i ? step : TOKENS - i, fed[i], false, &error));
    }
    assert_memory_equal(fed, whole, sizeof whole);
  }
  assert_true(walk_begin(walk, KEPT, &kept[0][0][0], &error));
  assert_int_equal(walk_position(walk), KEPT);
  assert_true(walk_forward(walk, tokens + KEPT, TOKENS - KEPT, fed[0], true, &error));
  assert_memory_equal(fed[0], whole[TOKENS - 1], sizeof fed[0]);
  assert_true(walk_begin(walk, 0, NULL, &error) && walk_forward(walk, tokens, TOKENS, NULL, false, &error));
  close_model(walk, opened);
}

// --- ties -------------------------------------------------------------------------------------

static void first_of_equals(void *context, const walk_event_t *event) {
  size_t *seen = context;
  for (size_t i = 0; event->stage == WALK_CHOSEN && i < event->rows * event->columns; ++i) {
    assert_true(event->values[i] == (double)(i % event->columns));
    ++*seen;
  }
}

// Experts that are equal to a gate, as all are without weights: the first ones are taken.
static void ties(void **state) {
  (void)state;
  static const char *const equal[] = {
      V2 MIXTURE "}", V2 MIXTURE ",\"topk_method\":\"group_limited_greedy\",\"n_group\":2,\"topk_group\":1}"};
  for (size_t i = 0; i < ARRAY_LEN(equal); ++i) {
    char text[2048];
    double logits[VOCAB];
    base_error_t error;
    size_t seen = 0;
    snprintf(text, sizeof text, "%s", equal[i]);
    char *range = strstr(text, "\"initializer_range\":0.15");
    memcpy(range + strlen("\"initializer_range\":"), "0.00", 4);
    checkpoint_t *opened = made_up(text, 7);
    walk_t *walk = walk_open(opened, TOKENS, 2, &error);
    CHECK(walk != NULL, "%s", error.text);
    walk_observe(walk, first_of_equals, &seen);
    CHECK(walk_forward(walk, tokens, TOKENS, logits, true, &error), "%s", error.text);
    assert_int_equal(seen, (LAYERS - 1) * TOKENS * 3);
    close_model(walk, opened);
  }
}

// --- stages -----------------------------------------------------------------------------------

typedef struct {
  size_t seen[WALK_STAGES], shared, of_experts;
  double q[TOKENS][HEADS][NOPE + ROPE], latent[TOKENS][HEADS][RANK], chosen[TOKENS][3];
  double logits[TOKENS][VOCAB];
} notes_t;

// Queries and outputs of the absorbed form are those of the other, by way of W_UK and W_UV.
static void check_absorbed(const notes_t *notes, const walk_event_t *event, bool queries) {
  const double *w = load(CHECKPOINT_KV_B, event->layer, 0);
  for (size_t i = 0; i < TOKENS * HEADS; ++i) {
    const double *head = w + i % HEADS * (NOPE + VALUE) * RANK;
    double expected[RANK] = {0};
    for (size_t j = 0; queries && j < NOPE * RANK; ++j) {
      expected[j % RANK] += notes->q[i / HEADS][i % HEADS][j / RANK] * head[j];
    }
    if (!queries) {
      apply(head + NOPE * RANK, VALUE, RANK, notes->latent[i / HEADS][i % HEADS], expected);
    }
    const size_t width = queries ? RANK : VALUE;
    assert_true(relative_error(event->values + i * width, expected, width) < 1e-13);
  }
}

static void check_expert(notes_t *notes, const walk_event_t *event) {
  notes->shared += event->expert == EXPERTS;
  for (size_t r = 0; event->tokens != NULL && r < event->rows; ++r) {
    const double *chosen = notes->chosen[event->tokens[r]];
    const double e = (double)event->expert;
    assert_true(chosen[0] == e || chosen[1] == e || chosen[2] == e);
    notes->of_experts += 1;
  }
}

static void note_nothing(void *context, const walk_event_t *event) {
  (void)context;
  (void)event;
}

static void note(void *context, const walk_event_t *event) {
  notes_t *notes = context;
  notes->seen[event->stage] += 1;
  assert_true(event->first == 0 && (event->rows == TOKENS || event->tokens != NULL));
  const size_t bytes = event->rows * event->columns * sizeof *event->values;
  switch (event->stage) {
    case WALK_Q:
      memcpy(notes->q, event->values, bytes);
      break;
    case WALK_Q_ABSORBED:
      check_absorbed(notes, event, true);
      break;
    case WALK_ATTENTION_LATENT:
      memcpy(notes->latent, event->values, bytes);
      break;
    case WALK_ATTENTION:
      check_absorbed(notes, event, false);
      break;
    case WALK_CHOSEN:
      memcpy(notes->chosen, event->values, bytes);
      break;
    case WALK_DOWN:
      check_expert(notes, event);
      break;
    case WALK_LOGITS:
      memcpy(notes->logits, event->values, bytes);
      break;
    default:
      break;
  }
}

// Stages of models without latents (decoder.def).
static bool of_heads(walk_stage_t s) {
  return s == WALK_K || s == WALK_V || s == WALK_Q_NORM || s == WALK_K_NORM || s == WALK_KEYS || s == WALK_VALUES ||
         s == WALK_POST_ATTENTION_NORM || s == WALK_POST_FFN_NORM;
}

static void stages(void **state) {
  (void)state;
  static notes_t notes;
  static double logits[TOKENS][VOCAB];
  base_error_t error;
  checkpoint_t *opened;
  walk_t *walk = open_model(configs[5], &opened);
  walk_observe(walk, note, &notes);
  assert_true(walk_forward(walk, tokens, TOKENS, &logits[0][0], false, &error));
  for (walk_stage_t s = 0; s < WALK_STAGES; ++s) {
    CHECK((notes.seen[s] == 0) == of_heads(s), "%s", walk_stage_name(s));
  }
  assert_string_equal(walk_stage_name(WALK_FFN_RESIDUAL), "ffn_residual");
  assert_int_equal(notes.seen[WALK_CACHE], LAYERS);
  assert_int_equal(notes.shared, LAYERS - 1);
  assert_int_equal(notes.of_experts, (LAYERS - 1) * TOKENS * 3);  // every token at every expert that it has chosen
  assert_memory_equal(notes.logits, logits, sizeof logits);
  close_model(walk, opened);
}

static void refused(void **state) {
  (void)state;
  static const uint32_t none[] = {VOCAB};
  base_error_t error;
  checkpoint_t *opened;
  walk_t *walk = open_model(configs[0], &opened);
  assert_false(walk_forward(walk, none, 1, NULL, false, &error));
  check_refusal(&error, "token 40", "expected one below 40");
  assert_true(walk_forward(walk, tokens, TOKENS - 1, NULL, false, &error));
  assert_false(walk_forward(walk, tokens, 2, NULL, false, &error));
  check_refusal(&error, "2 tokens after 10", "expected at most 11");
  assert_false(walk_begin(walk, TOKENS + 1, NULL, &error));
  close_model(walk, opened);
  walk_close(NULL);
}

// Each tensor in a file of its own, which ends before it: of a dense model all are read.
static void file_ends(void **state) {
  (void)state;
  enum { TENSORS = 3 + LAYERS * 12 };
  double logits[VOCAB];
  base_error_t error;
  checkpoint_t *random = made_up(configs[3], 7);
  for (unsigned f = 0; f < TENSORS; ++f) {
    char name[32];
    snprintf(name, sizeof name, "part%u.safetensors", f);
    write_model(random, CHECKPOINT_BF16, TENSORS, NULL);
    checkpoint_t *opened = open_or_fail(&(checkpoint_request_t){.folder = folder});
    walk_t *walk = walk_open(opened, TOKENS, 2, &error);
    assert_non_null(walk);
    assert_int_equal(truncate(path_of(name), 100), 0);
    walk_observe(walk, note_nothing, NULL);
    CHECK(!walk_forward(walk, tokens, TOKENS, logits, true, &error), "%s", name);
    check_refusal(&error, name, "shorter");
    assert_int_equal(walk_position(walk), 0);
    close_model(walk, opened);
  }
  checkpoint_close(random);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_computed_otherwise),
                                     cmocka_unit_test(same_in_pieces),
                                     cmocka_unit_test(ties),
                                     cmocka_unit_test(stages),
                                     cmocka_unit_test(refused),
                                     cmocka_unit_test(file_ends)};
  return cmocka_run_group_tests_name("walk", tests, make_folder, remove_folder);
}
