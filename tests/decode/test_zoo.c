// Models with random weights as Hugging Face writes them, against its own implementation in FP32: hidden states and
// logits.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/npy.h"
#include "host/parallel.h"
#include "llm/walk/walk.h"
#include "num_test.h"

enum { TOKENS = 80 };

static base_error_t error;
#define GOOD(what) CHECK(what, "%s", error.text)

typedef struct model {
  const char *name;
  checkpoint_t *checkpoint;
  npy_array_t hidden, logits;
  uint32_t tokens[TOKENS];
  double furthest;
} model_t;

// DATA_DIR has a few of them; AMALGAM_ZOO may name a folder that has all.
static const char *folder;

static const char *path_of_model(const char *name, const char *file) {
  static char path[256];
  snprintf(path, sizeof path, "%s/%s/%s", folder, name, file);
  return path;
}

static void open_model(model_t *m) {
  m->checkpoint = checkpoint_open(&(checkpoint_request_t){.folder = path_of_model(m->name, "")}, &error);
  GOOD(m->checkpoint != NULL);
  GOOD(npy_read(path_of_model(m->name, "hidden.npy"), NPY_BIT(F4), &m->hidden, &error));
  GOOD(npy_read(path_of_model(m->name, "logits.npy"), NPY_BIT(F4), &m->logits, &error));
  cJSON *reference = json_read_input(path_of_model(m->name, "reference.json"), "tokens", &error);
  GOOD(reference != NULL);
  for (int i = 0; i < TOKENS; ++i) {
    m->tokens[i] = (uint32_t)cJSON_GetNumberValue(cJSON_GetArrayItem(cJSON_GetObjectItem(reference, "tokens"), i));
  }
  cJSON_Delete(reference);
}

static void check_near(model_t *m, const char *what, const double *x, const float *expected, size_t n) {
  double errors = 0.0, sizes = 0.0;
  for (size_t i = 0; i < n; ++i) {
    errors += (x[i] - (double)expected[i]) * (x[i] - (double)expected[i]);
    sizes += (double)expected[i] * (double)expected[i];
  }
  m->furthest = fmax(m->furthest, sqrt(errors / sizes));
  CHECK(sqrt(errors / sizes) < 1e-5, "%s: %s: %g", m->name, what, sqrt(errors / sizes));
}

// The residual stream before each layer, and the last norm.
static void observe(void *context, const walk_event_t *event) {
  model_t *m = context;
  const checkpoint_config_t *config = checkpoint_config(m->checkpoint);
  const size_t index = event->stage == WALK_EMBEDDING ? 0
                       : event->stage == WALK_NORM    ? config->num_hidden_layers
                                                      : event->layer + 1;
  const bool stream = event->stage == WALK_EMBEDDING || event->stage == WALK_FFN_RESIDUAL;
  if ((stream && index < config->num_hidden_layers) || event->stage == WALK_NORM) {
    const size_t count = TOKENS * config->hidden_size;
    char what[32];
    snprintf(what, sizeof what, "hidden state %zu", index);
    assert_true(event->rows * event->columns == count);
    check_near(m, what, event->values, (const float *)m->hidden.data + index * count, count);
  }
}

static void check_model(const char *name) {
  model_t m = {.name = name};
  open_model(&m);
  const size_t vocabulary = checkpoint_config(m.checkpoint)->vocab_size;
  double *found = allocate(TOKENS * vocabulary, sizeof *found);
  walk_t *walk = walk_open(m.checkpoint, TOKENS, parallel_host_threads(), &error);
  GOOD(walk != NULL);
  assert_int_equal(npy_count(&m.logits), TOKENS * vocabulary);
  GOOD(walk_begin(walk, 0, NULL, &error));
  walk_observe(walk, observe, &m);
  GOOD(walk_forward(walk, m.tokens, TOKENS, found, false, &error));
  check_near(&m, "logits", found, m.logits.data, TOKENS * vocabulary);
  printf("%s: relative errors up to %.1e\n", name, m.furthest);
  walk_close(walk);
  free(found);
  npy_free(&m.hidden);
  npy_free(&m.logits);
  checkpoint_close(m.checkpoint);
}

// A folder without that model is skipped.
static void check_family(const char *name) {
  const char *others = getenv("AMALGAM_ZOO");
  folder = DATA_DIR "/zoo";
  if (others != NULL && access(path_of_model(name, "config.json"), R_OK) != 0) {
    folder = others;
  }
  if (access(path_of_model(name, "config.json"), R_OK) != 0) {
    printf("%s: not there, skipped (AMALGAM_ZOO=FOLDER)\n", name);
    return;
  }
  check_model(name);
}

TEST(deepseek_v3) { check_family("deepseek_v3"); }  // experts in groups, YaRN
TEST(llama3) { check_family("llama3"); }            // Llama 3's scaling of RoPE
TEST(qwen2) { check_family("qwen2"); }              // biases, a tied head
TEST(qwen3) { check_family("qwen3"); }              // norms of queries and keys
TEST(mistral) { check_family("mistral"); }          // windows
TEST(qwen3_moe) { check_family("qwen3_moe"); }      // experts
TEST(mixtral) { check_family("mixtral"); }          // experts by other names
TEST(phi3) { check_family("phi3"); }                // fused projections
TEST(olmo2) { check_family("olmo2"); }              // norms behind, norms of all heads
TEST(glm4_moe) { check_family("glm4_moe"); }        // half of each head turns
TEST(gpt_oss) { check_family("gpt_oss"); }          // sinks, experts turned and with biases
TEST(gemma3) { check_family("gemma3"); }            // four norms a layer, two bases of RoPE
