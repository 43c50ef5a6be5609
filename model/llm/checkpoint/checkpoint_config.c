// SPDX-License-Identifier: Apache-2.0
#include "llm/checkpoint/checkpoint_config.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/json.h"

typedef struct reader {
  const char *path;
  cJSON *root;         // of the language model
  const cJSON *outer;  // of all; it may be the same
  bool shapes;         // alone are wanted
  base_error_t *error;
} reader_t;

static const cJSON *find(const cJSON *object, const char *key) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
  return cJSON_IsNull(item) ? NULL : item;
}

// A key by its usual name, or the one that some families have for it, which goes to `name`.
static const cJSON *find_named(const cJSON *object, const char *key, const char **name) {
  static const struct {
    const char *key, *alias;
  } aliases[] = {
#define CONFIG_COUNT(key, part, smallest, largest, default)
#define CONFIG_WIDTH(key, part, smallest, largest, default)
#define CONFIG_REAL(key, smallest, largest, default)
#define CONFIG_ONLY(key, part, value)
#define CONFIG_ALIAS(key, alias) {#key, #alias},
#include "llm/checkpoint/checkpoint_config.def"
#undef CONFIG_COUNT
#undef CONFIG_WIDTH
#undef CONFIG_REAL
#undef CONFIG_ONLY
#undef CONFIG_ALIAS
  };
  *name = key;
  for (size_t i = 0; i < sizeof aliases / sizeof *aliases; ++i) {
    if (strcmp(key, aliases[i].key) == 0 && !cJSON_HasObjectItem(object, key) &&
        cJSON_HasObjectItem(object, aliases[i].alias)) {
      *name = aliases[i].alias;
    }
  }
  return cJSON_GetObjectItemCaseSensitive(object, *name);
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
  const cJSON *item = find_named(reader->root, key, &key);
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

static bool take_bool_of(const reader_t *reader, const cJSON *object, const char *key, bool otherwise, bool *value) {
  const cJSON *item = find(object, key);
  *value = item == NULL ? otherwise : cJSON_IsTrue(item);
  return item == NULL || cJSON_IsBool(item) || refuse(reader, key, item, "true or false");
}

static bool take_bool(const reader_t *reader, const char *key, bool otherwise, bool *value) {
  return take_bool_of(reader, reader->root, key, otherwise, value);
}

static bool check_only(const reader_t *reader, const char *key, const char *only) {
  const cJSON *item = find_named(reader->root, key, &key);
  item = cJSON_IsNull(item) ? NULL : item;
  char *value = item == NULL ? NULL : cJSON_PrintUnformatted(item);
  const bool good = item == NULL || (value != NULL && strcmp(value, only) == 0);
  cJSON_free(value);
  return good || refuse(reader, key, item, only);
}

// --- what takes more than one key -------------------------------------------------------------

static const char *const rope_types[CHECKPOINT_ROPE_TYPES] = {"default", "linear", "llama3", "yarn", "longrope"};

// "type" in older files; both stand in some.
static bool take_rope_type(const reader_t *reader, const char *name, const cJSON *object, bool phi3,
                           checkpoint_rope_t *rope) {
  const cJSON *type = find(object, find(object, "rope_type") != NULL ? "rope_type" : "type");
  const char *text = type == NULL ? "default" : cJSON_GetStringValue(type);
  if (phi3 && text != NULL && (strcmp(text, "su") == 0 || strcmp(text, "yarn") == 0)) {
    text = "longrope";  // its names before it was called that
  }
  for (rope->type = 0; rope->type < CHECKPOINT_ROPE_TYPES; rope->type += 1) {
    if (text != NULL && strcmp(text, rope_types[rope->type]) == 0) {
      return true;
    }
  }
  return refuse(reader, name, type, "\"default\", \"linear\", \"llama3\", \"yarn\" or \"longrope\"");
}

// A number for each pair of columns.
static bool take_factors(const reader_t *reader, const cJSON *object, const char *key, size_t pairs, float *factors) {
  char expected[80];
  const cJSON *list = find(object, key), *item;
  size_t count = 0;
  bool good = cJSON_IsArray(list) && (size_t)cJSON_GetArraySize(list) == pairs && pairs <= CHECKPOINT_MOST_PAIRS;
  for (item = good ? list->child : NULL; item != NULL; item = item->next) {
    good = good && cJSON_IsNumber(item) && item->valuedouble > 0.0;
    factors[count++] = (float)item->valuedouble;
  }
  snprintf(expected, sizeof expected, "%zu positive numbers, one for each pair of columns that turns", pairs);
  return good || refuse(reader, key, list, expected);
}

static bool take_scaling(const reader_t *reader, const char *name, const cJSON *object,
                         const checkpoint_config_t *config, checkpoint_rope_t *rope) {
  if (object != NULL && !cJSON_IsObject(object)) {
    return refuse(reader, name, object, "an object or null");
  }
  if (!take_rope_type(reader, name, object, config->family == CHECKPOINT_PHI3, rope)) {
    return false;
  }
  static const char original[] = "original_max_position_embeddings";
  const bool llama3 = rope->type == CHECKPOINT_ROPE_LLAMA3, yarn = rope->type == CHECKPOINT_ROPE_YARN,
             longrope = rope->type == CHECKPOINT_ROPE_LONG;
  const double context = (double)config->max_position_embeddings;
  if ((llama3 || yarn || longrope) &&
      !take_real_of(reader, find(object, original) != NULL ? object : reader->root, original, 1.0, 1e9, context,
                    &rope->original_max_position_embeddings)) {
    return false;
  }
  const double stretch = context / rope->original_max_position_embeddings;
  // Where a key must be there, what is taken in its place is refused.
  const struct {
    bool has;
    const char *key;
    double smallest, largest, otherwise, *value;
  } keys[] = {
      {rope->type != CHECKPOINT_ROPE_DEFAULT, "factor", longrope ? 0.0 : 1.0, 1e6,
       longrope || (yarn && find(object, original) != NULL) ? stretch : -1.0, &rope->factor},
      {llama3, "low_freq_factor", 1e-6, 1e6, -1.0, &rope->low_freq_factor},
      {llama3, "high_freq_factor", 1e-6, 1e6, -1.0, &rope->high_freq_factor},
      {yarn, "beta_fast", 1e-6, 1e6, 32.0, &rope->beta_fast},
      {yarn, "beta_slow", 1e-6, 1e6, 1.0, &rope->beta_slow},
      {yarn || longrope, "attention_factor", 0.0, 1e6, 0.0, &rope->attention_factor},
      {yarn, "mscale", 0.0, 1e6, 0.0, &rope->mscale},
      {yarn, "mscale_all_dim", 0.0, 1e6, 0.0, &rope->mscale_all_dim},
  };
  for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
    if (keys[i].has && !take_real_of(reader, object, keys[i].key, keys[i].smallest, keys[i].largest, keys[i].otherwise,
                                     keys[i].value)) {
      return false;
    }
  }
  if (!take_bool_of(reader, object, "truncate", true, &rope->truncate) ||
      (longrope && !(take_factors(reader, object, "short_factor", config->rotated / 2, rope->short_factor) &&
                     take_factors(reader, object, "long_factor", config->rotated / 2, rope->long_factor)))) {
    return false;
  }
  return !llama3 || rope->high_freq_factor > rope->low_freq_factor ||
         refuse(reader, "high_freq_factor", find(object, "high_freq_factor"), "more than low_freq_factor");
}

// Columns that turn: those of qk_rope_head_dim, or a share of head_dim.
static bool take_rotated(const reader_t *reader, const cJSON *parameters, checkpoint_config_t *config) {
  double share = 1.0;
  if (config->kv_lora_rank > 0) {
    config->rotated = config->qk_rope_head_dim;
    return config->rotated % 2 == 0 ||
           refuse(reader, "qk_rope_head_dim", find(reader->root, "qk_rope_head_dim"), "an even number");
  }
  const cJSON *object = find(parameters, "partial_rotary_factor") != NULL ? parameters : reader->root;
  if (!take_real_of(reader, object, "partial_rotary_factor", 0.0, 1.0, 1.0, &share)) {
    return false;
  }
  config->rotated = (size_t)((double)config->head_dim * share);
  return (config->rotated % 2 == 0 && config->rotated > 0) ||
         refuse(reader, "partial_rotary_factor", find(object, "partial_rotary_factor"),
                "a share of head_dim that is an even number");
}

// Older files have rope_theta, and rope_scaling beside it, which may be null; transformers 5 writes both into
// rope_parameters.
static bool take_one_rope(const reader_t *reader, const cJSON *parameters, const checkpoint_config_t *config,
                          checkpoint_rope_t *rope) {
  const char *name = parameters == NULL ? "rope_scaling" : "rope_parameters";
  if (reader->shapes) {
    *rope = (checkpoint_rope_t){.type = CHECKPOINT_ROPE_DEFAULT, .theta = 10000.0};
    return true;
  }
  return take_scaling(reader, name, parameters == NULL ? find(reader->root, name) : parameters, config, rope) &&
         take_real_of(reader, find(parameters, "rope_theta") != NULL ? parameters : reader->root, "rope_theta", 1.0,
                      1e12, config->family == CHECKPOINT_GEMMA3 ? 1e6 : 10000.0, &rope->theta);
}

// Gemma has another base for layers with windows: in rope_parameters by kinds of layers, or rope_local_base_freq.
static bool take_rope(const reader_t *reader, checkpoint_config_t *config) {
  const cJSON *parameters = find(reader->root, "rope_parameters");
  const cJSON *full = find(parameters, "full_attention"), *window = find(parameters, "sliding_attention");
  const cJSON *usual = full != NULL ? full : parameters;
  if (!take_rotated(reader, usual, config) || !take_one_rope(reader, usual, config, &config->rope)) {
    return false;
  }
  config->window_rope = config->rope;
  if (window != NULL) {
    return take_one_rope(reader, window, config, &config->window_rope);
  }
  if (config->family == CHECKPOINT_GEMMA3) {
    config->window_rope = (checkpoint_rope_t){.type = CHECKPOINT_ROPE_DEFAULT};
    return take_real_of(reader, reader->root, "rope_local_base_freq", 1.0, 1e12, 10000.0, &config->window_rope.theta);
  }
  return true;
}

double checkpoint_score_scale(const checkpoint_config_t *config) {
  const double width = config->query_pre_attn_scalar > 0.0 ? config->query_pre_attn_scalar : (double)config->head_dim;
  return (config->kv_lora_rank > 0 ? checkpoint_rope_score_factor(&config->rope) : 1.0) / sqrt(width);
}

// --- windows ----------------------------------------------------------------------------------

static bool take_layer_types(const reader_t *reader, const cJSON *types, checkpoint_config_t *config) {
  size_t layer = 0;
  const cJSON *item;
  cJSON_ArrayForEach(item, types) {
    const char *type = cJSON_GetStringValue(item);
    const bool window = type != NULL && strcmp(type, "sliding_attention") == 0;
    if (!window && (type == NULL || strcmp(type, "full_attention") != 0)) {
      return refuse(reader, "layer_types", item, "\"full_attention\" or \"sliding_attention\" of each layer");
    }
    if (layer < config->num_hidden_layers) {
      config->windowed[layer++] = window;
    }
  }
  return layer == config->num_hidden_layers || refuse(reader, "layer_types", types, "one for each hidden layer");
}

// Files that do not say it layer by layer.
static bool is_windowed(const checkpoint_config_t *config, size_t layer, size_t pattern, size_t full_layers) {
  switch (config->family) {
    case CHECKPOINT_GPT_OSS:
      return layer % 2 == 0;
    case CHECKPOINT_GEMMA3:
      return (layer + 1) % pattern != 0;
    case CHECKPOINT_QWEN2:
    case CHECKPOINT_QWEN3:
      return layer >= full_layers;
    default:
      return true;
  }
}

static bool take_windows(const reader_t *reader, checkpoint_config_t *config) {
  const bool chooses = config->family == CHECKPOINT_QWEN2 || config->family == CHECKPOINT_QWEN3 ||
                       config->family == CHECKPOINT_QWEN3_MOE;
  const cJSON *types = find(reader->root, "layer_types");
  size_t pattern, full_layers;
  bool uses;
  if (!take_bool(reader, "use_sliding_window", !chooses, &uses) ||
      !take_count(reader,
                  cJSON_HasObjectItem(reader->root, "sliding_window_pattern") ? "sliding_window_pattern"
                                                                              : "_sliding_window_pattern",
                  1, 1 << 10, 6, &pattern) ||
      !take_count(reader, "max_window_layers", 0, 1 << 10, 28, &full_layers)) {
    return false;
  }
  config->sliding_window = uses ? config->sliding_window : 0;
  if (types != NULL) {
    return take_layer_types(reader, types, config);
  }
  for (size_t layer = 0; config->sliding_window > 0 && layer < config->num_hidden_layers; ++layer) {
    config->windowed[layer] = is_windowed(config, layer, pattern, full_layers);
  }
  return true;
}

// --- quantisation -----------------------------------------------------------------------------

static bool take_block(const cJSON *block, checkpoint_config_t *config) {
  uint64_t rows = 0, columns = 0;
  if (cJSON_GetArraySize(block) != 2 || !json_count(cJSON_GetArrayItem(block, 0), &rows) ||
      !json_count(cJSON_GetArrayItem(block, 1), &columns) || rows < 1 || columns < 1) {
    return false;
  }
  config->block_rows = (size_t)rows;
  config->block_columns = (size_t)columns;
  return true;
}

static bool is_text(const cJSON *item, const char *text) {
  const char *value = cJSON_GetStringValue(item);
  return value != NULL && strcmp(value, text) == 0;
}

// Weights of a group of compressed-tensors: 8 bits, symmetric, a scale for each row, block or matrix.
static bool take_group(const reader_t *reader, const cJSON *weights, checkpoint_config_t *config) {
  const cJSON *strategy = find(weights, "strategy"), *type = find(weights, "type"), *bits = find(weights, "num_bits");
  const bool s8 = is_text(type, "int");
  if (!s8 && !is_text(type, "float")) {
    return refuse(reader, "type of quantised weights", type, "\"int\" or \"float\"");
  }
  if (!cJSON_IsNumber(bits) || bits->valuedouble != 8) {
    return refuse(reader, "num_bits of quantised weights", bits, "8");
  }
  if (cJSON_IsFalse(find(weights, "symmetric"))) {
    return refuse(reader, "symmetric of quantised weights", find(weights, "symmetric"), "true");
  }
  config->s8 = s8;
  config->block_rows = is_text(strategy, "channel") ? 1 : CHECKPOINT_WHOLE;
  config->block_columns = CHECKPOINT_WHOLE;
  return is_text(strategy, "channel") || is_text(strategy, "tensor") ||
         (is_text(strategy, "block") && take_block(find(weights, "block_structure"), config)) ||
         refuse(reader, "strategy of quantised weights", strategy,
                "\"channel\", \"tensor\", or \"block\" with block_structure [rows, columns]");
}

// What is there and changes no weight: activations quantised by scales of the whole matrix, scales of a cache.
static void skip(const cJSON *item, bool skipped, checkpoint_config_t *config) {
  const size_t used = strlen(config->skipped);
  if (item != NULL && skipped && strstr(config->skipped, item->string) == NULL) {
    snprintf(config->skipped + used, sizeof config->skipped - used, "%s%s", used > 0 ? ", " : "", item->string);
  }
}

// As compressed-tensors and llm-compressor write them (github.com/vllm-project/compressed-tensors,
// "QuantizationConfig"): what is not quantised is found in its own type. With --weights w8a8 each token has a scale of
// its own.
static bool take_compressed(const reader_t *reader, const cJSON *object, checkpoint_config_t *config) {
  const cJSON *format = find(object, "format"), *groups = find(object, "config_groups"), *group;
  const cJSON *cache = find(object, "kv_cache_scheme");
  const cJSON *sparsity = find(find(object, "sparsity_config"), "format"), *turned = find(object, "transform_config");
  if (!is_text(format, "int-quantized") && !is_text(format, "float-quantized") && !is_text(format, "naive-quantized")) {
    return refuse(reader, "quantization_config.format", format,
                  "\"int-quantized\", \"float-quantized\" or \"naive-quantized\"");
  }
  if (sparsity != NULL && !is_text(sparsity, "dense")) {
    return refuse(reader, "sparsity_config.format", sparsity, "\"dense\"");
  }
  if (turned != NULL && turned->child != NULL) {
    return refuse(reader, "transform_config", turned, "{}");
  }
  if (!cJSON_IsObject(groups) || groups->child == NULL) {
    return refuse(reader, "config_groups", groups, "groups of weights");
  }
  config->scale_suffix = "_scale";
  skip(cache, true, config);
  cJSON_ArrayForEach(group, groups) {
    const cJSON *activations = find(group, "input_activations");
    const checkpoint_config_t before = *config;
    skip(activations, cJSON_IsFalse(find(activations, "dynamic")), config);
    if (!take_group(reader, find(group, "weights"), config)) {
      return false;
    }
    if (group != groups->child && (before.s8 != config->s8 || before.block_rows != config->block_rows ||
                                   before.block_columns != config->block_columns)) {
      return refuse(reader, "config_groups", groups, "weights of all groups quantised alike");
    }
  }
  return true;
}

// FP8 with a scale for each block, as DeepSeek publishes V3; activations do not matter here, which are not quantised.
static bool take_quantisation(const reader_t *reader, checkpoint_config_t *config) {
  static const char expected[] =
      "null, or \"quant_method\": \"fp8\" with \"weight_block_size\": [rows, columns], or \"compressed-tensors\"";
  const cJSON *inner = find(reader->root, "quantization_config");
  const cJSON *object = inner != NULL ? inner : find(reader->outer, "quantization_config");
  const char *method = cJSON_GetStringValue(find(object, "quant_method")),
             *format = cJSON_GetStringValue(find(object, "fmt"));
  if (object == NULL || reader->shapes) {
    return true;
  }
  config->mxfp4 = method != NULL && strcmp(method, "mxfp4") == 0 && config->family == CHECKPOINT_GPT_OSS;
  if (config->mxfp4) {
    return true;
  }
  if (method != NULL && strcmp(method, "compressed-tensors") == 0) {
    return take_compressed(reader, object, config);
  }
  config->scale_suffix = "_scale_inv";
  return (method != NULL && strcmp(method, "fp8") == 0 && (format == NULL || strcmp(format, "e4m3") == 0) &&
          take_block(find(object, "weight_block_size"), config)) ||
         refuse(reader, "quantization_config", object, expected);
}

// Parts of config.json that some families have and others have not.
enum { ALL = 1, MLA = 2, MOE = 4, GQA = 8, WINDOW = 16 };

enum {
#define CONFIG_TRAIT(NAME, text) NAME = CHECKPOINT_HAS_##NAME,
#include "llm/checkpoint/checkpoint_traits.def"
#undef CONFIG_TRAIT
};

static const struct {
  const char *model_type;
  unsigned parts, traits;
} families[] = {
#define CONFIG_FAMILY(NAME, model_type, table, parts, traits) {model_type, ALL | (parts), traits},
#include "llm/checkpoint/checkpoint_families.def"
#undef CONFIG_FAMILY
};

static bool take_model_type(const reader_t *reader, checkpoint_config_t *config) {
  const cJSON *type = find(reader->root, "model_type");
  const char *name = cJSON_GetStringValue(type);
  char expected[400] = "";
  for (; config->family < CHECKPOINT_BYTES; config->family += 1) {
    const size_t used = strlen(expected);
    if (name != NULL && strcmp(name, families[config->family].model_type) == 0) {
      config->traits = families[config->family].traits;
      return true;
    }
    snprintf(expected + used, sizeof expected - used, "%s\"%s\"", used > 0 ? ", " : "one of ",
             families[config->family].model_type);
  }
  return refuse(reader, "model_type", type, expected);
}

// --- mixtures ---------------------------------------------------------------------------------

static bool take_gate(const reader_t *reader, checkpoint_config_t *config) {
  const bool sigmoid = checkpoint_has(config, CHECKPOINT_HAS_SIGMOID);
  config->gate = sigmoid ? CHECKPOINT_GATE_SIGMOID : CHECKPOINT_GATE_SOFTMAX;
  config->norm_topk_prob = true;
  return check_only(reader, "scoring_func", sigmoid ? "\"sigmoid\"" : "\"softmax\"") &&
         (checkpoint_has(config, CHECKPOINT_HAS_NORMED_WEIGHTS) ||
          take_bool(reader, "norm_topk_prob", sigmoid, &config->norm_topk_prob));
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

// The first layers are dense, and those that Qwen's files name or pass over.
static bool take_mixtures(const reader_t *reader, checkpoint_config_t *config) {
  const cJSON *list = find(reader->root, "mlp_only_layers"), *item;
  size_t step;
  if (config->family != CHECKPOINT_QWEN3_MOE) {
    list = NULL;
    step = 1;
  } else if (!take_count(reader, "decoder_sparse_step", 1, 1 << 10, 1, &step)) {
    return false;
  }
  for (size_t layer = config->first_k_dense_replace; layer < config->num_hidden_layers; ++layer) {
    config->mixture[layer] = config->n_routed_experts > 0 && (layer + 1) % step == 0;
  }
  cJSON_ArrayForEach(item, list) {
    uint64_t layer;
    if (!json_count(item, &layer)) {
      return refuse(reader, "mlp_only_layers", item, "numbers of layers");
    }
    if (layer < config->num_hidden_layers) {
      config->mixture[layer] = false;
    }
  }
  return list == NULL || cJSON_IsArray(list) || refuse(reader, "mlp_only_layers", list, "a list of layers");
}

// With latents, keys of all heads are made of the same one.
static bool take_heads(const reader_t *reader, checkpoint_config_t *config) {
  const size_t heads = config->num_attention_heads;
  if (config->kv_lora_rank > 0) {
    config->head_dim = config->qk_nope_head_dim + config->qk_rope_head_dim;
    return take_count(reader, "num_key_value_heads", heads, heads, (long)heads, &config->num_key_value_heads);
  }
  if (config->head_dim == 0 && config->hidden_size % heads != 0) {
    return base_fail(reader->error, "%s: hidden_size %zu, num_attention_heads %zu; expected heads of a whole number",
                     reader->path, config->hidden_size, heads);
  }
  config->head_dim = config->head_dim == 0 ? config->hidden_size / heads : config->head_dim;
  config->v_head_dim = config->head_dim;
  config->num_key_value_heads = config->num_key_value_heads == 0 ? heads : config->num_key_value_heads;
  return heads % config->num_key_value_heads == 0 ||
         base_fail(reader->error, "%s: num_attention_heads %zu, num_key_value_heads %zu; expected a multiple of these",
                   reader->path, heads, config->num_key_value_heads);
}

// What config.json says of traits.
static bool take_traits(const reader_t *reader, checkpoint_config_t *config) {
  bool biases, norms;
  const bool known = checkpoint_has(config, CHECKPOINT_HAS_QKV_BIAS) || families[config->family].parts & MLA;
  if (known) {
    return true;
  }
  if (!take_bool(reader, "attention_bias", config->family == CHECKPOINT_GPT_OSS, &biases) ||
      !take_bool(reader, "use_qk_norm", false, &norms)) {
    return false;
  }
  const bool may = config->family == CHECKPOINT_GLM4_MOE || checkpoint_has(config, CHECKPOINT_HAS_O_MAY_HAVE_BIAS);
  if (biases && !may) {
    return refuse(reader, "attention_bias", find(reader->root, "attention_bias"), "false");
  }
  if (norms && config->family != CHECKPOINT_GLM4_MOE && !checkpoint_has(config, CHECKPOINT_HAS_QK_NORM)) {
    return refuse(reader, "use_qk_norm", find(reader->root, "use_qk_norm"), "false");
  }
  config->traits |= biases && may ? CHECKPOINT_HAS_QKV_BIAS : 0u;
  config->traits |= biases && checkpoint_has(config, CHECKPOINT_HAS_O_MAY_HAVE_BIAS) ? CHECKPOINT_HAS_O_BIAS : 0u;
  config->traits |= norms && config->family == CHECKPOINT_GLM4_MOE ? CHECKPOINT_HAS_QK_NORM : 0u;
  return true;
}

static bool check_activation(const reader_t *reader, const checkpoint_config_t *config) {
  return (families[config->family].parts & MLA) != 0 ||
         check_only(reader, "hidden_act",
                    checkpoint_has(config, CHECKPOINT_HAS_GELU) ? "\"gelu_pytorch_tanh\"" : "\"silu\"");
}

// An expert is as wide as a dense layer would be.
static void widen_experts(checkpoint_config_t *config) {
  if (checkpoint_has(config, CHECKPOINT_HAS_ALL_EXPERTS)) {
    config->moe_intermediate_size = config->intermediate_size;
    config->first_k_dense_replace = 0;
  }
}

static void add_usual(cJSON *root, checkpoint_family_t family) {
#define CONFIG_USUAL(FAMILY, key, value)                                   \
  if (family == CHECKPOINT_##FAMILY && !cJSON_HasObjectItem(root, #key)) { \
    cJSON_AddNumberToObject(root, #key, value);                            \
  }
#include "llm/checkpoint/checkpoint_usual.def"
#undef CONFIG_USUAL
}

static bool take_all(const reader_t *reader, checkpoint_config_t *config) {
  if (!take_model_type(reader, config)) {
    return false;
  }
  add_usual(reader->root, config->family);
  const unsigned parts = families[config->family].parts;
  static const char tied[] = "tie_word_embeddings";
  const long expert_width = checkpoint_has(config, CHECKPOINT_HAS_ALL_EXPERTS) ? 16 : NEEDED;
  const bool good =
#define CONFIG_COUNT(key, part, smallest, largest, default) \
  ((parts & (part)) == 0 || take_count(reader, #key, smallest, largest, default, &config->key)) &&
#define CONFIG_WIDTH CONFIG_COUNT
#define CONFIG_REAL(key, smallest, largest, default) \
  take_real_of(reader, reader->root, #key, smallest, largest, default, &config->key) &&
#define CONFIG_ONLY(key, part, value) ((parts & (part)) == 0 || check_only(reader, #key, value)) &&
#define CONFIG_ALIAS(key, alias)
#include "llm/checkpoint/checkpoint_config.def"
#undef CONFIG_COUNT
#undef CONFIG_WIDTH
#undef CONFIG_REAL
#undef CONFIG_ONLY
#undef CONFIG_ALIAS
      take_bool_of(reader, find(reader->root, tied) != NULL ? reader->root : reader->outer, tied,
                   config->family == CHECKPOINT_GEMMA3, &config->tie_word_embeddings);
  widen_experts(config);
  return good && take_heads(reader, config) && take_traits(reader, config) && check_activation(reader, config) &&
         take_rope(reader, config) && take_windows(reader, config) && take_quantisation(reader, config) &&
         take_gate(reader, config) && check_experts(reader, config) && take_mixtures(reader, config);
}

// --- keys that nobody reads -------------------------------------------------------------------

// Is it one of checkpoint_config.def's that this reader looks at, or one that says nothing about results?
static bool is_known(const checkpoint_config_t *config, const char *key) {
  const unsigned parts = families[config->family].parts;
  static const char *const others[] = {
#define CONFIG_OTHER(key) #key,
#include "llm/checkpoint/checkpoint_others.def"
#undef CONFIG_OTHER
  };
  bool known = false;
#define CONFIG_COUNT(name, part, smallest, largest, default) \
  known = known || ((parts & (part)) != 0 && strcmp(key, #name) == 0);
#define CONFIG_WIDTH CONFIG_COUNT
#define CONFIG_REAL(name, smallest, largest, default) known = known || strcmp(key, #name) == 0;
#define CONFIG_ONLY(name, part, value) known = known || strcmp(key, #name) == 0;
#define CONFIG_ALIAS(name, alias) known = known || strcmp(key, #alias) == 0;
#include "llm/checkpoint/checkpoint_config.def"
#undef CONFIG_COUNT
#undef CONFIG_WIDTH
#undef CONFIG_REAL
#undef CONFIG_ONLY
#undef CONFIG_ALIAS
  for (size_t i = 0; !known && i < sizeof others / sizeof *others; ++i) {
    known = strcmp(key, others[i]) == 0;
  }
  return known;
}

// Null, false, 0, [] and {} say that there is none of it.
static bool says_something(const cJSON *item) {
  return cJSON_IsTrue(item) || (cJSON_IsString(item) && item->valuestring[0] != '\0') ||
         (cJSON_IsNumber(item) && item->valuedouble != 0.0) || item->child != NULL;
}

static void note_skipped(const reader_t *reader, checkpoint_config_t *config) {
  const cJSON *item;
  cJSON_ArrayForEach(item, reader->root) {
    const size_t used = strlen(config->skipped);
    if (says_something(item) && !is_known(config, item->string)) {
      snprintf(config->skipped + used, sizeof config->skipped - used, "%s%s", used > 0 ? ", " : "", item->string);
    }
  }
}

static bool read_config(const char *path, bool shapes, checkpoint_config_t *config, base_error_t *error) {
  static const char expected[] = "config.json of a language model";
  memset(config, 0, sizeof *config);
  cJSON *root = json_read_input(path, expected, error);
  cJSON *text = cJSON_GetObjectItemCaseSensitive(root, "text_config");  // of a model that sees pictures, too
  const reader_t reader = {path, cJSON_IsObject(text) ? text : root, root, shapes, error};
  const bool good =
      root != NULL && (cJSON_IsObject(root) ? take_all(&reader, config)
                                            : base_fail(error, "%s: no JSON object; expected %s", path, expected));
  if (good) {
    note_skipped(&reader, config);
  }
  cJSON_Delete(root);
  return good;
}

bool checkpoint_config_read(const char *path, checkpoint_config_t *config, base_error_t *error) {
  return read_config(path, false, config, error);
}

bool checkpoint_config_shapes(const char *path, checkpoint_config_t *config, base_error_t *error) {
  return read_config(path, true, config, error);
}
