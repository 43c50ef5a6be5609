// config.json: what is read of it, and one line for each key that is wrong or not supported.
// SPDX-License-Identifier: Apache-2.0
#include "llm/checkpoint/checkpoint_config.h"

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
  assert_true(c.routed_scaling_factor == 16.0 && c.rms_norm_eps == 1e-5 && c.rope_theta == 5000.0);
  assert_true(c.tie_word_embeddings && c.initializer_range == 0.5);
  assert_true(!checkpoint_is_mixture(&c, 0) && checkpoint_is_mixture(&c, 1));
}

// Other spellings, and what is taken for a key that is not there.
static void spellings(void **state) {
  (void)state;
  assert_int_equal(good_with("q_lora_rank", "12").q_lora_rank, 12);
  assert_true(good_with("rope_theta", "").rope_theta == 10000.0);
  assert_true(good_with("rope_parameters", "{\"rope_theta\":77,\"rope_type\":\"default\"}").rope_theta == 77.0);
  assert_true(good_with("rope_parameters", "{\"rope_type\":\"default\"}").rope_theta == 5000.0);
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

static void refused(void **state) {
  (void)state;
  static const struct {
    const char *key, *value, *expected;
  } cases[] = {
      {"model_type", "\"llama\"", "model_type is \"llama\"; expected \"deepseek_v2\" or \"deepseek_v3\""},
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
      {"rope_scaling", "{\"type\":\"yarn\",\"factor\":40}", "rope_scaling is \"yarn\"; expected no scaling of RoPE"},
      {"rope_scaling", "{\"rope_type\":\"linear\"}", "rope_scaling is \"linear\""},
      {"rope_scaling", "4", "rope_scaling is 4; expected an object or null"},
      {"rope_parameters", "{\"rope_type\":\"yarn\"}", "rope_parameters is \"yarn\""},
      {"rope_parameters", "{\"rope_theta\":\"x\"}", "rope_theta is \"x\""},
      {"rope_interleave", "false", "rope_interleave is false; expected true"},
      {"hidden_act", "\"gelu\"", "hidden_act is \"gelu\"; expected \"silu\""},
      {"attention_bias", "true", "attention_bias is true; expected false"},
      {"mlp_bias", "true", "mlp_bias is true; expected false"},
      {"moe_layer_freq", "2", "moe_layer_freq is 2; expected 1"},
      {"quantization_config", "{\"quant_method\":\"fp8\"}",
       "quantization_config is {\"quant_method\":\"fp8\"}; expected null"},
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
    check_refusal(&error, NAME, "expected config.json of a DeepSeek-V2 or V3 model");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good),  cmocka_unit_test(spellings), cmocka_unit_test(refused),
      cmocka_unit_test(of_v3), cmocka_unit_test(no_object),
  };
  return cmocka_run_group_tests_name("checkpoint_config", tests, make_folder, remove_folder);
}
