// SPDX-License-Identifier: Apache-2.0
#include "llm/checkpoint/checkpoint_config.h"

#include <stdint.h>
#include <string.h>

#include "base/json.h"

typedef struct reader {
  const char *path;
  const cJSON *root;
  base_error_t *error;
} reader_t;

static const cJSON *find(const cJSON *object, const char *key) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
  return cJSON_IsNull(item) ? NULL : item;
}

// "PATH: KEY is VALUE; expected WHAT"
static bool refuse(const reader_t *reader, const char *key, const cJSON *item, const char *expected) {
  char *value = item == NULL ? NULL : cJSON_PrintUnformatted(item);
  base_fail(reader->error, "%s: %s is %.80s; expected %s", reader->path, key,
            item == NULL    ? "missing"
            : value == NULL ? "?"
                            : value,
            expected);
  cJSON_free(value);
  return false;
}

// --- kinds of keys ----------------------------------------------------------------------------

enum { NEEDED = -1, OR_NULL = -2 };

static bool take_count(const reader_t *reader, const char *key, size_t smallest, size_t largest, long otherwise,
                       size_t *value) {
  char expected[80];
  uint64_t count = 0;
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(reader->root, key);
  if (otherwise >= 0 && (item == NULL || cJSON_IsNull(item))) {
    *value = (size_t)otherwise;
    return true;
  }
  const bool none = otherwise == OR_NULL && cJSON_IsNull(item);
  if (!none && (!json_count(item, &count) || count < smallest || count > largest)) {
    snprintf(expected, sizeof expected, "%zu to %zu%s", smallest, largest, otherwise == OR_NULL ? ", or null" : "");
    return refuse(reader, key, item, expected);
  }
  *value = (size_t)count;
  return true;
}

static bool take_real_of(const reader_t *reader, const cJSON *object, const char *key, double smallest, double largest,
                         double otherwise, double *value) {
  char expected[80];
  const cJSON *item = find(object, key);
  *value = item == NULL ? otherwise : cJSON_IsNumber(item) ? item->valuedouble : -1.0;
  if (!(*value >= smallest && *value <= largest)) {
    snprintf(expected, sizeof expected, "%g to %g", smallest, largest);
    return refuse(reader, key, item, expected);
  }
  return true;
}

static bool take_bool(const reader_t *reader, const char *key, bool otherwise, bool *value) {
  const cJSON *item = find(reader->root, key);
  *value = item == NULL ? otherwise : cJSON_IsTrue(item);
  return item == NULL || cJSON_IsBool(item) || refuse(reader, key, item, "true or false");
}

static bool check_only(const reader_t *reader, const char *key, const char *only) {
  const cJSON *item = find(reader->root, key);
  char *value = item == NULL ? NULL : cJSON_PrintUnformatted(item);
  const bool good = item == NULL || (value != NULL && strcmp(value, only) == 0);
  cJSON_free(value);
  return good || refuse(reader, key, item, only);
}

// --- what takes more than one key -------------------------------------------------------------

// Older files have rope_theta, and rope_scaling beside it, which is null or an object with "type"; transformers 5
// writes both into rope_parameters.
static bool take_rope(const reader_t *reader, checkpoint_config_t *config) {
  static const char *const objects[] = {"rope_scaling", "rope_parameters"};
  static const char *const keys[] = {"type", "rope_type"};
  for (unsigned i = 0; i < 4; ++i) {
    const cJSON *object = find(reader->root, objects[i / 2]);
    const cJSON *type = find(object, keys[i % 2]);
    if (object != NULL && !cJSON_IsObject(object)) {
      return refuse(reader, objects[i / 2], object, "an object or null");
    }
    if (type != NULL && (!cJSON_IsString(type) || strcmp(type->valuestring, "default") != 0)) {
      return refuse(reader, objects[i / 2], type, "no scaling of RoPE (null, or type \"default\")");
    }
  }
  const cJSON *parameters = find(reader->root, objects[1]);
  const bool inside = find(parameters, "rope_theta") != NULL;
  if (config->qk_rope_head_dim % 2 != 0) {
    return refuse(reader, "qk_rope_head_dim", find(reader->root, "qk_rope_head_dim"), "an even number");
  }
  return take_real_of(reader, inside ? parameters : reader->root, "rope_theta", 1.0, 1e12, 10000.0,
                      &config->rope_theta);
}

// Parts of config.json that some families have and others have not.
enum { ALL = 1, MLA = 2, MOE = 4 };

static const struct {
  const char *model_type;
  unsigned parts;
} families[] = {
#define CONFIG_FAMILY(NAME, model_type, table, parts) {model_type, ALL | (parts)},
#include "llm/checkpoint/checkpoint_families.def"
#undef CONFIG_FAMILY
};

static bool take_model_type(const reader_t *reader, checkpoint_config_t *config) {
  const cJSON *type = find(reader->root, "model_type");
  const char *name = cJSON_GetStringValue(type);
  while (config->family < CHECKPOINT_BYTES &&
         (name == NULL || strcmp(name, families[config->family].model_type) != 0)) {
    config->family += 1;
  }
  if (config->family == CHECKPOINT_BYTES) {
    return refuse(reader, "model_type", type, "\"deepseek_v2\" or \"deepseek_v3\"");
  }
  const bool v3 = config->family == CHECKPOINT_DEEPSEEK_V3;
  config->gate = v3 ? CHECKPOINT_GATE_SIGMOID : CHECKPOINT_GATE_SOFTMAX;
  return check_only(reader, "scoring_func", v3 ? "\"sigmoid\"" : "\"softmax\"") &&
         take_bool(reader, "norm_topk_prob", v3, &config->norm_topk_prob);
}

// V2 chooses among all experts (greedy) or within groups, V3 always within groups; one group is all experts.
static bool check_method(const reader_t *reader, checkpoint_config_t *config) {
  const cJSON *item = find(reader->root, "topk_method");
  const char *method = cJSON_GetStringValue(item);
  if (config->gate == CHECKPOINT_GATE_SIGMOID) {
    return check_only(reader, "topk_method", "\"noaux_tc\"");
  }
  if (item == NULL || (method != NULL && strcmp(method, "greedy") == 0)) {
    config->n_group = config->topk_group = 1;
    return true;
  }
  return (method != NULL && strcmp(method, "group_limited_greedy") == 0) ||
         refuse(reader, "topk_method", item, "\"greedy\" or \"group_limited_greedy\"");
}

static bool check_experts(const reader_t *reader, checkpoint_config_t *config) {
  if (config->n_routed_experts == 0) {
    return true;
  }
  if (!check_method(reader, config)) {
    return false;
  }
  const size_t experts = config->n_routed_experts, groups = config->n_group;
  const size_t smallest = config->gate == CHECKPOINT_GATE_SIGMOID && groups > 1 ? 2 : 1;
  if (experts % groups != 0 || experts / groups < smallest || config->topk_group > groups) {
    return base_fail(reader->error,
                     "%s: n_routed_experts %zu, n_group %zu, topk_group %zu; expected groups of the same "
                     "size, %zu or more experts each, and at least topk_group of them",
                     reader->path, experts, groups, config->topk_group, smallest);
  }
  if (config->num_experts_per_tok > experts / groups * config->topk_group) {
    return base_fail(reader->error,
                     "%s: num_experts_per_tok is %zu; expected at most the %zu experts of topk_group groups",
                     reader->path, config->num_experts_per_tok, experts / groups * config->topk_group);
  }
  // DeepSeek's code for V2 divides and then does not multiply, transformers' multiplies and does not divide. No
  // published model has it.
  return config->gate == CHECKPOINT_GATE_SIGMOID || !config->norm_topk_prob || config->routed_scaling_factor == 1.0 ||
         base_fail(reader->error,
                   "%s: norm_topk_prob with routed_scaling_factor %g; expected one of them in a "
                   "deepseek_v2 model",
                   reader->path, config->routed_scaling_factor);
}

// With latents, keys of all heads are made of the same one.
static bool take_heads(const reader_t *reader, checkpoint_config_t *config) {
  const size_t heads = config->num_attention_heads;
  config->head_dim = config->qk_nope_head_dim + config->qk_rope_head_dim;
  return take_count(reader, "num_key_value_heads", heads, heads, (long)heads, &config->num_key_value_heads);
}

static bool take_all(const reader_t *reader, checkpoint_config_t *config) {
  if (!take_model_type(reader, config)) {
    return false;
  }
  const unsigned parts = families[config->family].parts;
  return
#define CONFIG_COUNT(key, part, smallest, largest, default) \
  ((parts & (part)) == 0 || take_count(reader, #key, smallest, largest, default, &config->key)) &&
#define CONFIG_WIDTH CONFIG_COUNT
#define CONFIG_REAL(key, smallest, largest, default) \
  take_real_of(reader, reader->root, #key, smallest, largest, default, &config->key) &&
#define CONFIG_ONLY(key, value) check_only(reader, #key, value) &&
#include "llm/checkpoint/checkpoint_config.def"
#undef CONFIG_COUNT
#undef CONFIG_WIDTH
#undef CONFIG_REAL
#undef CONFIG_ONLY
      take_bool(reader, "tie_word_embeddings", false, &config->tie_word_embeddings) && take_rope(reader, config) &&
      take_heads(reader, config) && check_experts(reader, config);
}

bool checkpoint_config_read(const char *path, checkpoint_config_t *config, base_error_t *error) {
  static const char expected[] = "config.json of a DeepSeek-V2 or V3 model";
  memset(config, 0, sizeof *config);
  cJSON *root = json_read_input(path, expected, error);
  const reader_t reader = {path, root, error};
  const bool good =
      root != NULL && (cJSON_IsObject(root) ? take_all(&reader, config)
                                            : base_fail(error, "%s: no JSON object; expected %s", path, expected));
  cJSON_Delete(root);
  return good;
}
