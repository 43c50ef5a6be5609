// config.json: what is read of it, and one line for each key that is wrong or not supported.
// SPDX-License-Identifier: Apache-2.0
#include "llm/checkpoint/checkpoint_config.h"

#include <math.h>

#include "base/json.h"
#include "checkpoint_test.h"

#define NAME "config.json"

static const char v2[] =
    "{\"model_type\":\"deepseek_v2\",\"vocab_size\":256,\"hidden_size\":16,\"num_hidden_layers\":3,"
    "\"max_position_embeddings\":64,\"num_attention_heads\":2,\"num_key_value_heads\":2,\"q_lora_rank\":null,"
    "\"kv_lora_rank\":8,\"qk_nope_head_dim\":4,\"qk_rope_head_dim\":6,\"v_head_dim\":5,\"first_k_dense_replace\":1,"
    "\"intermediate_size\":24,\"moe_intermediate_size\":12,\"n_routed_experts\":8,\"n_shared_experts\":2,"
    "\"num_experts_per_tok\":3,\"n_group\":4,\"topk_group\":3,\"topk_method\":\"group_limited_greedy\","
    "\"norm_topk_prob\":false,\"routed_scaling_factor\":16.0,\"rms_norm_eps\":1e-5,\"rope_theta\":5000,"
    "\"rope_scaling\":null,\"hidden_act\":\"silu\",\"tie_word_embeddings\":true,\"initializer_range\":0.5}";

// With one key set to another value, in JSON; "" removes it.
static bool read_with(const char *key, const char *value, checkpoint_config_t *config, base_error_t *error) {
  cJSON *root = cJSON_Parse(v2);
  cJSON_DeleteItemFromObject(root, key);
  if (value[0] != '\0') {
    cJSON *item = cJSON_Parse(value);
    CHECK(item != NULL, "%s", value);
    cJSON_AddItemToObject(root, key, item);
  }
  char *text = cJSON_Print(root);
  write_text(NAME, text);
  cJSON_free(text);
  cJSON_Delete(root);
  error->text[0] = '\0';
  return checkpoint_config_read(path_of(NAME), config, error);
}

static checkpoint_config_t good_with(const char *key, const char *value) {
  checkpoint_config_t config;
  base_error_t error;
  CHECK(read_with(key, value, &config, &error), "%s", error.text);
  return config;
}

static void good(void **state) {
  (void)state;
  const checkpoint_config_t c = good_with("none", "");
  assert_true(c.gate == CHECKPOINT_GATE_SOFTMAX && c.vocab_size == 256 && c.hidden_size == 16);
  assert_true(c.num_hidden_layers == 3 && c.max_position_embeddings == 64 && c.num_attention_heads == 2);
  assert_true(c.q_lora_rank == 0 && c.kv_lora_rank == 8 && c.qk_nope_head_dim == 4 && c.qk_rope_head_dim == 6);
  assert_true(c.v_head_dim == 5 && c.first_k_dense_replace == 1 && c.intermediate_size == 24);
  assert_true(c.moe_intermediate_size == 12 && c.n_routed_experts == 8 && c.n_shared_experts == 2);
  assert_true(c.num_experts_per_tok == 3 && c.n_group == 4 && c.topk_group == 3 && !c.norm_topk_prob);
  assert_true(c.routed_scaling_factor == 16.0 && c.rms_norm_eps == 1e-5 && c.rope.theta == 5000.0);
  assert_true(c.tie_word_embeddings && c.initializer_range == 0.5);
  assert_true(!checkpoint_is_mixture(&c, 0) && checkpoint_is_mixture(&c, 1));
}

// Other spellings, and what is taken for a key that is not there.
static void spellings(void **state) {
  (void)state;
  assert_int_equal(good_with("q_lora_rank", "12").q_lora_rank, 12);
  assert_true(good_with("rope_theta", "").rope.theta == 10000.0);
  assert_true(good_with("rope_parameters", "{\"rope_theta\":77,\"rope_type\":\"default\"}").rope.theta == 77.0);
  assert_true(good_with("rope_parameters", "{\"rope_type\":\"default\"}").rope.theta == 5000.0);
  assert_int_equal(good_with("num_experts_per_tok", "6").num_experts_per_tok, 6);
  assert_int_equal(good_with("num_experts_per_tok", "null").num_experts_per_tok, 1);
  good_with("rope_scaling", "");
  good_with("rope_scaling", "{\"type\":\"default\"}");
  good_with("quantization_config", "null");
  good_with("attention_bias", "false");
  assert_false(good_with("tie_word_embeddings", "").tie_word_embeddings);
  assert_true(good_with("rms_norm_eps", "").rms_norm_eps == 1e-6);
  assert_true(good_with("initializer_range", "").initializer_range == 0.02);
  const checkpoint_config_t greedy = good_with("topk_method", "\"greedy\"");
  assert_true(greedy.n_group == 1 && greedy.topk_group == 1);  // which this method does not look at
  const checkpoint_config_t dense = good_with("n_routed_experts", "null");
  assert_false(checkpoint_is_mixture(&dense, 2));
  assert_int_equal(good_with("n_shared_experts", "null").n_shared_experts, 0);
}

// Turns by the rule as transformers writes it, with wavelengths and masks of pairs.
static double llama3_turn(const checkpoint_rope_t *rope, double turn) {
  const double wave = 2 * 3.14159265358979323846 / turn, trained = rope->original_max_position_embeddings;
  if (wave < trained / rope->high_freq_factor) {
    return turn;
  }
  if (wave > trained / rope->low_freq_factor) {
    return turn / rope->factor;
  }
  const double smooth = (trained / wave - rope->low_freq_factor) / (rope->high_freq_factor - rope->low_freq_factor);
  return (1 - smooth) * turn / rope->factor + smooth * turn;
}

static double yarn_turn(const checkpoint_rope_t *rope, size_t columns, size_t pair, double turn) {
  double edge[2];
  for (unsigned i = 0; i < 2; ++i) {
    const double turns = i == 0 ? rope->beta_fast : rope->beta_slow;
    edge[i] = (double)columns * log(rope->original_max_position_embeddings / (turns * 2 * 3.14159265358979323846)) /
              (2 * log(rope->theta));
    edge[i] = !rope->truncate ? edge[i] : i == 0 ? floor(edge[i]) : ceil(edge[i]);
  }
  edge[0] = fmax(edge[0], 0);
  edge[1] = fmin(edge[1], (double)columns - 1);
  edge[1] += edge[0] == edge[1] ? 0.001 : 0;
  const double ramp = fmin(fmax(((double)pair - edge[0]) / (edge[1] - edge[0]), 0), 1);
  return turn / rope->factor * ramp + turn * (1 - ramp);
}

static void scalings(void **state) {
  (void)state;
  static const char *const texts[] = {
      "{\"rope_type\":\"linear\",\"factor\":4}",
      "{\"rope_type\":\"llama3\",\"factor\":8,\"low_freq_factor\":1,\"high_freq_factor\":4,"
      "\"original_max_position_embeddings\":64}",
      "{\"type\":\"yarn\",\"factor\":40,\"mscale\":0.707,\"mscale_all_dim\":0.707,"
      "\"original_max_position_embeddings\":4096}",
      "{\"type\":\"yarn\",\"factor\":32,\"truncate\":false,\"original_max_position_embeddings\":128}",
      "{\"type\":\"yarn\",\"factor\":4,\"beta_fast\":1,\"attention_factor\":1.5}"};
  for (size_t i = 0; i < ARRAY_LEN(texts); ++i) {
    const checkpoint_rope_t rope = good_with("rope_scaling", texts[i]).rope;
    for (size_t columns = 2; columns <= 128; columns *= 2) {
      for (size_t pair = 0; pair < columns / 2; ++pair) {
        const double plain = pow(5000, -2.0 * (double)pair / (double)columns);
        const double should = i == 0   ? plain / 4
                              : i == 1 ? llama3_turn(&rope, plain)
                                       : yarn_turn(&rope, columns, pair, plain);
        const double got = checkpoint_rope_turn(&rope, columns, pair, 100);
        CHECK(fabs(got / should - 1) < 1e-12, "%s: pair %zu of %zu: %g, expected %g", texts[i], pair, columns / 2, got,
              should);
      }
    }
  }
  const checkpoint_config_t deepseek = good_with("rope_scaling", texts[2]), other = good_with("rope_scaling", texts[3]);
  assert_true(checkpoint_rope_magnitude(&deepseek.rope) == 1.0);
  const double mscale = 0.0707 * log(40) + 1;
  assert_true(fabs(checkpoint_score_scale(&deepseek) / (mscale * mscale / sqrt(10)) - 1) < 1e-12);
  assert_true(fabs(checkpoint_rope_magnitude(&other.rope) - (0.1 * log(32) + 1)) < 1e-12);
  assert_true(fabs(checkpoint_score_scale(&other) * sqrt(10) - 1) < 1e-12);
  assert_true(checkpoint_rope_magnitude(&(checkpoint_rope_t){CHECKPOINT_ROPE_YARN, .attention_factor = 1.5}) == 1.5);
  assert_true(other.rope.beta_fast == 32 && !other.rope.truncate && deepseek.rope.truncate);
  assert_true(good_with("rope_scaling", texts[4]).rope.original_max_position_embeddings == 64);
  const checkpoint_config_t blocks =
      good_with("quantization_config", "{\"quant_method\":\"fp8\",\"fmt\":\"e4m3\",\"weight_block_size\":[64,128]}");
  assert_true(blocks.block_rows == 64 && blocks.block_columns == 128);
}

// Keys of families with heads of keys and values.
#define HEADS                                                                                   \
  "\"vocab_size\":9,\"hidden_size\":16,\"num_hidden_layers\":6,\"max_position_embeddings\":64," \
  "\"num_attention_heads\":4,\"intermediate_size\":24"

static checkpoint_config_t heads_with(const char *keys) {
  char text[1000];
  checkpoint_config_t config;
  base_error_t error;
  snprintf(text, sizeof text, "{" HEADS ",%s}", keys);
  write_text(NAME, text);
  CHECK(checkpoint_config_read(path_of(NAME), &config, &error), "%s", error.text);
  return config;
}

static void heads(void **state) {
  (void)state;
  const checkpoint_config_t llama = heads_with("\"model_type\":\"llama\",\"num_key_value_heads\":2");
  assert_true(llama.head_dim == 4 && llama.rotated == 4 && llama.num_key_value_heads == 2 && !llama.windowed[0]);
  assert_int_equal(heads_with("\"model_type\":\"mistral\"").num_key_value_heads, 4);
  const checkpoint_config_t biased = heads_with("\"model_type\":\"llama\",\"attention_bias\":true");
  assert_true(checkpoint_has(&biased, CHECKPOINT_HAS_QKV_BIAS) && checkpoint_has(&biased, CHECKPOINT_HAS_O_BIAS));
  const checkpoint_config_t partial = heads_with("\"model_type\":\"phi3\",\"partial_rotary_factor\":0.5");
  assert_int_equal(partial.rotated, 2);
  const checkpoint_config_t mistral = heads_with("\"model_type\":\"mistral\",\"sliding_window\":7");
  assert_true(checkpoint_window(&mistral, 0) == 7 && checkpoint_window(&mistral, 5) == 7);
  const checkpoint_config_t unused =
      heads_with("\"model_type\":\"qwen2\",\"sliding_window\":7,\"use_sliding_window\":false");
  assert_int_equal(checkpoint_window(&unused, 5), 0);
  const checkpoint_config_t upper =
      heads_with("\"model_type\":\"qwen3\",\"sliding_window\":7,\"use_sliding_window\":true,\"max_window_layers\":4");
  assert_true(checkpoint_window(&upper, 3) == 0 && checkpoint_window(&upper, 4) == 7);
  const checkpoint_config_t listed = heads_with(
      "\"model_type\":\"qwen3\",\"sliding_window\":7,\"use_sliding_window\":true,\"layer_types\":[\"full_attention\","
      "\"sliding_attention\",\"full_attention\",\"full_attention\",\"full_attention\",\"sliding_attention\"]");
  assert_true(checkpoint_window(&listed, 1) == 7 && checkpoint_window(&listed, 4) == 0);
  // Gemma's published file says little, and has another base for windows.
  const checkpoint_config_t gemma = heads_with(
      "\"model_type\":\"gemma3_text\",\"sliding_window\":7,\"rope_scaling\":{\"rope_type\":\"linear\",\"factor\":8}");
  assert_true(gemma.head_dim == 256 && gemma.num_key_value_heads == 4 && gemma.tie_word_embeddings);
  assert_true(checkpoint_window(&gemma, 4) == 7 && checkpoint_window(&gemma, 5) == 0);
  assert_true(checkpoint_rope_of(&gemma, 5)->theta == 1e6 && checkpoint_rope_of(&gemma, 5)->factor == 8);
  assert_true(checkpoint_rope_of(&gemma, 0)->theta == 1e4 && checkpoint_rope_of(&gemma, 0)->factor == 0);
  const checkpoint_config_t mixtral = heads_with("\"model_type\":\"mixtral\",\"num_local_experts\":8");
  assert_true(mixtral.moe_intermediate_size == 24 && mixtral.num_experts_per_tok == 2 && mixtral.norm_topk_prob);
  const checkpoint_config_t text = heads_with(
      "\"tie_word_embeddings\":true,\"quantization_config\":{\"quant_method\":\"fp8\",\"weight_block_size\":[4,8]},"
      "\"text_config\":{\"model_type\":\"llama\",\"num_nextn_predict_layers\":1,\"use_cache\":true,\"unheard_of\":[1]"
      "," HEADS "}");
  assert_true(text.family == CHECKPOINT_LLAMA && text.tie_word_embeddings && text.block_columns == 8);
  assert_string_equal(text.skipped, "num_nextn_predict_layers, unheard_of");
  const checkpoint_config_t steps = heads_with(
      "\"model_type\":\"qwen3_moe\",\"num_experts\":4,\"moe_intermediate_size\":8,\"mlp_only_layers\":[3],"
      "\"decoder_sparse_step\":2");
  assert_true(!checkpoint_is_mixture(&steps, 0) && checkpoint_is_mixture(&steps, 1) &&
              !checkpoint_is_mixture(&steps, 3));
  assert_int_equal(checkpoint_mixtures(&steps), 2);
  const checkpoint_config_t longrope = heads_with(
      "\"model_type\":\"phi3\",\"original_max_position_embeddings\":16,\"rope_scaling\":{\"type\":\"longrope\","
      "\"short_factor\":[1,2],\"long_factor\":[4,5]}");
  assert_true(checkpoint_rope_turn(&longrope.rope, 4, 0, 16) == 1.0 &&
              checkpoint_rope_turn(&longrope.rope, 4, 0, 17) == 0.25);
  assert_true(fabs(checkpoint_rope_magnitude(&longrope.rope) - sqrt(1.5)) < 1e-12);  // from 16 to 64 tokens
}

static void heads_refused(void **state) {
  (void)state;
  static const struct {
    const char *keys, *expected;
  } cases[] = {
      {"\"model_type\":\"llama\",\"num_key_value_heads\":3", "num_key_value_heads 3; expected a multiple of these"},
      {"\"model_type\":\"llama\",\"hidden_act\":\"gelu\"", "hidden_act is \"gelu\"; expected \"silu\""},
      {"\"model_type\":\"gemma3_text\",\"hidden_activation\":\"silu\"", "hidden_activation is \"silu\""},
      {"\"model_type\":\"gemma3_text\",\"attn_logit_softcapping\":50", "attn_logit_softcapping is 50; expected null"},
      {"\"model_type\":\"phi3\",\"partial_rotary_factor\":0.3", "partial_rotary_factor is 0.3"},
      {"\"model_type\":\"phi3\",\"rope_scaling\":{\"type\":\"longrope\",\"short_factor\":[1,1]}",
       "long_factor is missing; expected 2 positive numbers"},
      {"\"model_type\":\"phi3\",\"rope_scaling\":{\"type\":\"longrope\",\"short_factor\":[1]}",
       "short_factor is [1]; expected 2"},
      {"\"model_type\":\"phi3\",\"rope_scaling\":{\"type\":\"su\",\"short_factor\":[1,0]}", "short_factor is [1,0]"},
      {"\"model_type\":\"llama\",\"embedding_multiplier\":12", "embedding_multiplier is 12; expected 1"},
      {"\"model_type\":\"mistral\",\"attention_bias\":true", "attention_bias is true; expected false"},
      {"\"model_type\":\"llama\",\"use_qk_norm\":true", "use_qk_norm is true; expected false"},
      {"\"model_type\":\"gpt_oss\",\"num_local_experts\":4,\"layer_types\":[\"full_attention\"]", "layer_types is ["},
      {"\"model_type\":\"qwen3_moe\",\"num_experts\":4,\"moe_intermediate_size\":8,\"mlp_only_layers\":[1.5]",
       "mlp_only_layers is 1.5; expected numbers of layers"},
  };
  for (size_t i = 0; i < ARRAY_LEN(cases); ++i) {
    char text[1000];
    checkpoint_config_t config;
    base_error_t error;
    snprintf(text, sizeof text, "{" HEADS ",%s}", cases[i].keys);
    write_text(NAME, text);
    CHECK(!checkpoint_config_read(path_of(NAME), &config, &error), "%s", cases[i].keys);
    check_refusal(&error, NAME, cases[i].expected);
  }
}

static void refused(void **state) {
  (void)state;
  static const struct {
    const char *key, *value, *expected;
  } cases[] = {
      {"model_type", "\"bert\"",
       "model_type is \"bert\"; expected one of \"deepseek_v2\", \"deepseek_v3\", \"kimi_k2\", \"llama\""},
      {"model_type", "", "model_type is missing"},
      {"model_type", "3", "model_type is 3"},
      {"hidden_size", "", "hidden_size is missing; expected 1 to 1048576"},
      {"hidden_size", "null", "hidden_size is null; expected 1"},
      {"hidden_size", "0", "hidden_size is 0; expected 1 to 1048576"},
      {"hidden_size", "1048577", "hidden_size is 1048577"},
      {"hidden_size", "16.5", "hidden_size is 16.5"},
      {"hidden_size", "-16", "hidden_size is -16"},
      {"hidden_size", "\"16\"", "hidden_size is \"16\""},
      {"q_lora_rank", "", "q_lora_rank is missing; expected 0 to 1048576, or null"},
      {"q_lora_rank", "true", "q_lora_rank is true"},
      {"qk_rope_head_dim", "5", "qk_rope_head_dim is 5; expected an even number"},
      {"num_key_value_heads", "1", "num_key_value_heads is 1; expected 2 to 2"},
      {"rms_norm_eps", "-1", "rms_norm_eps is -1; expected 0 to 1"},
      {"rms_norm_eps", "\"1\"", "rms_norm_eps is \"1\""},
      {"routed_scaling_factor", "1e300", "routed_scaling_factor is 1e+300; expected 1e-06 to 1e+06"},
      {"rope_theta", "0", "rope_theta is 0; expected 1 to"},
      {"rope_scaling", "{\"type\":\"dynamic\"}",
       "rope_scaling is \"dynamic\"; expected \"default\", \"linear\", \"llama3\""},
      {"rope_scaling", "{\"type\":\"yarn\",\"factor\":4,\"truncate\":0}", "truncate is 0; expected true or false"},
      {"rope_scaling", "{\"type\":7}", "rope_scaling is 7; expected \"default\""},
      {"rope_scaling", "{\"rope_type\":\"linear\"}", "factor is missing; expected 1 to"},
      {"rope_scaling", "{\"rope_type\":\"yarn\",\"factor\":0.5}", "factor is 0.5; expected 1 to"},
      {"rope_scaling", "{\"rope_type\":\"yarn\",\"factor\":4,\"beta_fast\":0}", "beta_fast is 0; expected 1e-06 to"},
      {"rope_scaling", "{\"rope_type\":\"llama3\",\"factor\":8,\"low_freq_factor\":4,\"high_freq_factor\":4}",
       "high_freq_factor is 4; expected more than low_freq_factor"},
      {"rope_scaling", "4", "rope_scaling is 4; expected an object or null"},
      {"rope_parameters", "{\"rope_type\":\"yarn\"}", "factor is missing"},
      {"rope_parameters", "{\"rope_theta\":\"x\"}", "rope_theta is \"x\""},
      {"rope_interleave", "false", "rope_interleave is false; expected true"},
      {"hidden_act", "\"gelu\"", "hidden_act is \"gelu\"; expected \"silu\""},
      {"attention_bias", "true", "attention_bias is true; expected false"},
      {"mlp_bias", "true", "mlp_bias is true; expected false"},
      {"moe_layer_freq", "2", "moe_layer_freq is 2; expected 1"},
      {"quantization_config", "{\"quant_method\":\"fp8\"}",
       "quantization_config is {\"quant_method\":\"fp8\"}; expected null, or \"quant_method\": \"fp8\" with"},
      {"quantization_config", "{\"quant_method\":\"awq\",\"weight_block_size\":[128,128]}", "quantization_config is {"},
      {"quantization_config", "{\"quant_method\":\"fp8\",\"weight_block_size\":[128,0]}", "quantization_config is {"},
      {"quantization_config",
       "{\"quant_method\":\"compressed-tensors\",\"format\":\"pack-quantized\",\"config_groups\":{\"group_0\":{"
       "\"weights\":{}}}}",
       "quantization_config.format is \"pack-quantized\"; expected \"int-quantized\""},
      {"quantization_config",
       "{\"quant_method\":\"compressed-tensors\",\"format\":\"int-quantized\",\"config_groups\":{\"group_0\":{"
       "\"weights\":{\"type\":\"int\",\"num_bits\":4,\"strategy\":\"channel\"}}}}",
       "num_bits of quantised weights is 4; expected 8"},
      {"quantization_config",
       "{\"quant_method\":\"compressed-tensors\",\"format\":\"int-quantized\",\"config_groups\":{\"group_0\":{"
       "\"weights\":{\"type\":\"int\",\"num_bits\":8,\"strategy\":\"group\",\"group_size\":128}}}}",
       "strategy of quantised weights is \"group\"; expected \"channel\""},
      {"quantization_config",
       "{\"quant_method\":\"compressed-tensors\",\"format\":\"int-quantized\",\"config_groups\":{\"group_0\":{"
       "\"weights\":{\"type\":\"int\",\"num_bits\":8,\"symmetric\":false,\"strategy\":\"channel\"}}}}",
       "symmetric of quantised weights is false; expected true"},
      {"quantization_config",
       "{\"quant_method\":\"compressed-tensors\",\"format\":\"int-quantized\",\"transform_config\":{\"a\":1},\"config_"
       "groups\":{\"group_0\":{\"weights\":{\"type\":\"int\",\"num_bits\":8,\"strategy\":\"channel\"}}}}",
       "transform_config is"},
      {"quantization_config",
       "{\"quant_method\":\"compressed-tensors\",\"format\":\"int-quantized\",\"sparsity_config\":{\"format\":\"sparse-"
       "24-bitmask\"},\"config_groups\":{\"group_0\":{\"weights\":{\"type\":\"int\",\"num_bits\":8,\"strategy\":"
       "\"channel\"}}}}",
       "sparsity_config.format is \"sparse-24-bitmask\"; expected"},
      {"quantization_config", "{\"quant_method\":\"compressed-tensors\",\"format\":\"int-quantized\"}",
       "config_groups is missing"},
      {"tie_word_embeddings", "1", "tie_word_embeddings is 1; expected true or false"},
      {"scoring_func", "\"sigmoid\"", "scoring_func is \"sigmoid\"; expected \"softmax\""},
      {"topk_method", "\"noaux_tc\"", "topk_method is \"noaux_tc\"; expected \"greedy\""},
      {"n_group", "3", "n_routed_experts 8, n_group 3"},
      {"topk_group", "5", "topk_group 5; expected groups"},
      {"num_experts_per_tok", "7", "num_experts_per_tok is 7; expected at most the 6 experts"},
      {"norm_topk_prob", "true", "norm_topk_prob with routed_scaling_factor 16"},
  };
  for (size_t i = 0; i < ARRAY_LEN(cases); ++i) {
    checkpoint_config_t config;
    base_error_t error;
    CHECK(!read_with(cases[i].key, cases[i].value, &config, &error), "%s: %s", cases[i].key, cases[i].value);
    check_refusal(&error, NAME, cases[i].expected);
  }
}

static void of_v3(void **state) {
  (void)state;
  checkpoint_config_t config;
  base_error_t error;
  assert_false(read_with("model_type", "\"deepseek_v3\"", &config, &error));
  check_refusal(&error, NAME, "topk_method is \"group_limited_greedy\"; expected \"noaux_tc\"");
}

static void no_object(void **state) {
  (void)state;
  static const char *const texts[] = {"", "[1]", "7", "{", "{\"hidden_size\":", "\xff"};
  for (size_t i = 0; i < ARRAY_LEN(texts); ++i) {
    checkpoint_config_t config;
    base_error_t error;
    write_text(NAME, texts[i]);
    assert_false(checkpoint_config_read(path_of(NAME), &config, &error));
    check_refusal(&error, NAME, "expected config.json of a language model");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good),  cmocka_unit_test(spellings), cmocka_unit_test(scalings), cmocka_unit_test(refused),
      cmocka_unit_test(of_v3), cmocka_unit_test(no_object), cmocka_unit_test(heads),    cmocka_unit_test(heads_refused),
  };
  return cmocka_run_group_tests_name("checkpoint_config", tests, make_folder, remove_folder);
}
