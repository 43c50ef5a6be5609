// Models in folders: random ones are written as Hugging Face does, in one file and in several, and read again; then one
// thing is broken.
// SPDX-License-Identifier: Apache-2.0
#include "llm/checkpoint/checkpoint.h"

#include <math.h>

#include "model_writer.h"

#define SHAPE                                                                                                    \
  "\"vocab_size\":40,\"hidden_size\":16,\"num_hidden_layers\":3,\"max_position_embeddings\":64,"                 \
  "\"num_attention_heads\":2,\"kv_lora_rank\":8,\"qk_nope_head_dim\":4,\"qk_rope_head_dim\":6,\"v_head_dim\":5," \
  "\"first_k_dense_replace\":1,\"intermediate_size\":24,\"moe_intermediate_size\":12,\"n_routed_experts\":8,"    \
  "\"n_shared_experts\":2,\"num_experts_per_tok\":3,\"initializer_range\":0.5"
static const char v2[] = "{\"model_type\":\"deepseek_v2\",\"q_lora_rank\":null," SHAPE "}";
static const char v2_tied[] =
    "{\"model_type\":\"deepseek_v2\",\"q_lora_rank\":null,\"tie_word_embeddings\":true," SHAPE "}";
static const char v3[] =
    "{\"model_type\":\"deepseek_v3\",\"q_lora_rank\":7,\"n_group\":4,\"topk_group\":2,\"routed_scaling_factor\":2."
    "5," SHAPE "}";

enum { FILES = 3, LARGEST = 40 * 16 };

// --- what must be so --------------------------------------------------------------------------

// FP32 is exact, and so is FP16 of these numbers unless they are below its range.
static void check_tensor(writer_t *w, const checkpoint_tensor_t *tensor, place_t place) {
  const size_t count = checkpoint_rows(tensor) * checkpoint_columns(tensor);
  static float expected[LARGEST], got[LARGEST];
  base_error_t error;
  char name[CHECKPOINT_NAME_BYTES];
  const checkpoint_tensor_t *again = checkpoint_find(w->model, place.role, place.layer, place.expert);
  checkpoint_name(place.role, place.layer, place.expert, name);
  CHECK(again != NULL, "%s", name);
  assert_int_equal(checkpoint_type(again), w->type);
  assert_int_equal(checkpoint_rows(again), checkpoint_rows(tensor));
  assert_true(count <= LARGEST && checkpoint_read(tensor, 0, count, CHECKPOINT_FP32, expected, &error));
  memset(got, 0xff, sizeof got);
  assert_true(checkpoint_read(again, 0, count / 2, CHECKPOINT_FP32, got, &error));
  assert_true(checkpoint_read(again, count / 2, count - count / 2, CHECKPOINT_FP32, got + count / 2, &error));
  for (size_t i = 0; i < count; ++i) {
    const float should = w->type == CHECKPOINT_FP16 ? num_fp16_to_f32(num_fp16_from_f32(expected[i])) : expected[i];
    CHECK(same_f32(got[i], should), "%s [%zu]: %g, expected %g", name, i, (double)got[i], (double)should);
  }
}

static void check_scaled(writer_t *w, const checkpoint_tensor_t *tensor, place_t place) {
  const checkpoint_config_t *c = checkpoint_config(w->model);
  const size_t rows = checkpoint_rows(tensor), columns = checkpoint_columns(tensor);
  const size_t across = (columns + c->block_columns - 1) / c->block_columns;
  static float got[LARGEST];
  base_error_t error;
  (void)place;
  CHECK(checkpoint_read(tensor, 1, rows * columns - 1, CHECKPOINT_FP32, got + 1, &error), "%s", error.text);
  CHECK(checkpoint_read(tensor, 0, 1, CHECKPOINT_FP32, got, &error), "%s", error.text);
  for (size_t i = 0; rows > 1 && i < rows * columns; ++i) {
    const size_t block = i / columns / c->block_rows * across + i % columns / c->block_columns;
    CHECK(got[i] == scaled_code(c->s8, i) * fp8_scale(block), "[%zu]: %g", i, (double)got[i]);
  }
}

// A row's integers and their scale, if each row has one.
static void check_rows_of_s8(const checkpoint_tensor_t *tensor, size_t block_rows) {
  int8_t row[LARGEST];
  const size_t columns = checkpoint_columns(tensor);
  base_error_t error;
  float scale;
  for (size_t r = 0; r < checkpoint_rows(tensor); ++r) {
    assert_true(checkpoint_read_s8(tensor, r, row, &scale, &error));
    assert_true(scale == fp8_scale(r / block_rows));
    for (size_t i = 0; i < columns; ++i) {
      assert_int_equal(row[i], (int8_t)fp8_code(r * columns + i));
    }
  }
}

static void check_s8(writer_t *w, const checkpoint_tensor_t *tensor, place_t place) {
  const checkpoint_config_t *c = checkpoint_config(w->model);
  check_scaled(w, tensor, place);
  assert_int_equal(checkpoint_is_s8(tensor), c->s8 && checkpoint_rows(tensor) > 1);
  if (checkpoint_is_s8(tensor)) {
    check_rows_of_s8(tensor, c->block_rows);
  }
}

// Matrices in FP8, with scales of blocks that do not divide them; in 8 bits as compressed-tensors writes them.
static void scaled_matrices(void **state) {
  (void)state;
#define COMPRESSED(format, type, more)                            \
  "{\"quant_method\":\"compressed-tensors\",\"format\":\"" format \
  "-quantized\",\"config_groups\":{\"group_0\":"                  \
  "{\"weights\":{\"num_bits\":8,\"symmetric\":true,\"type\":\"" type "\",\"strategy\":" more "}}}}"
  static const char *const quantised[] = {
      "{\"quant_method\":\"fp8\",\"weight_block_size\":[5,6]}",
      COMPRESSED("int", "int", "\"channel\""),
      COMPRESSED("int", "int", "\"tensor\""),
      COMPRESSED("float", "float", "\"channel\""),
      COMPRESSED("float", "float", "\"block\",\"block_structure\":[7,4]"),
  };
  for (size_t i = 0; i < ARRAY_LEN(quantised); ++i) {
    char config[2000];
    snprintf(config, sizeof config,
             "{\"model_type\":\"kimi_k2\",\"q_lora_rank\":7,\"quantization_config\":%s," SHAPE "}", quantised[i]);
    checkpoint_t *model = made_up(config, 5);
    write_model(model, CHECKPOINT_BF16, 1, NULL);
    checkpoint_t *again = open_or_fail(&(checkpoint_request_t){.folder = folder});
    writer_t w = {.model = again};
    each_tensor(again, &w, check_s8);
    checkpoint_close(again);
    checkpoint_close(model);
  }
}

// --- experts in one tensor ---------------------------------------------------------------------

enum { ONE_HIDDEN = 64, ONE_WIDTH = 32, ONE_EXPERTS = 3 };
#define ONE                                                                                          \
  "\"vocab_size\":8,\"hidden_size\":64,\"num_hidden_layers\":1,\"max_position_embeddings\":64,"      \
  "\"num_attention_heads\":2,\"head_dim\":16,\"intermediate_size\":32,\"moe_intermediate_size\":32," \
  "\"num_experts\":3,\"num_experts_per_tok\":2"
static const char gpt_oss[] =
    "{\"model_type\":\"gpt_oss\",\"quantization_config\":{\"quant_method\":\"mxfp4\"}," ONE "}";
static const char qwen3_moe[] = "{\"model_type\":\"qwen3_moe\"," ONE "}";

static void write_all_but_experts(writer_t *w, const checkpoint_tensor_t *tensor, place_t place) {
  if (place.role != CHECKPOINT_EXPERT_GATE && place.role != CHECKPOINT_EXPERT_UP &&
      place.role != CHECKPOINT_EXPERT_DOWN) {
    write_tensor(w, tensor, place);
  }
}

static uint8_t byte_of(size_t i) { return (uint8_t)(i * 73 + i / 256 * 31 + 5); }
static uint8_t scale_of(size_t i) { return (uint8_t)(120 + i % 11); }

static void put_bytes(writer_t *w, const char *name, const char *type, const char *shape, size_t bytes,
                      uint8_t (*value)(size_t i)) {
  for (size_t i = 0; i < bytes; ++i) {
    w->data[0][w->data_used[0] + i] = value(i);
  }
  put_tensor(w, 0, name, type, shape, bytes);
}

static checkpoint_t *write_experts(const char *config, void (*write)(writer_t *w)) {
  checkpoint_t *model = made_up(config, 3);
  writer_t w = {.model = model, .type = CHECKPOINT_BF16, .files = 1, .index = allocate(TEXT_BYTES, 1)};
  w.header[0] = allocate(TEXT_BYTES, 1);
  w.data[0] = allocate(DATA_BYTES, 1);
  each_tensor(model, &w, write_all_but_experts);
  write(&w);
  remove_files();
  put(w.header[0], &w.header_used[0], "}");
  write_tensors("model.safetensors", w.header[0], w.data[0], w.data_used[0]);
  free(w.header[0]);
  free(w.data[0]);
  free(w.index);
  checkpoint_close(model);
  return open_or_fail(&(checkpoint_request_t){.folder = folder});
}

#define EXPERTS(name) "model.layers.0.mlp.experts." name
static void write_mxfp4(writer_t *w) {
  put_bytes(w, EXPERTS("gate_up_proj_blocks"), "U8", "[3,64,2,16]", ONE_EXPERTS * 2 * ONE_WIDTH * ONE_HIDDEN / 2,
            byte_of);
  put_bytes(w, EXPERTS("gate_up_proj_scales"), "U8", "[3,64,2]", ONE_EXPERTS * 2 * ONE_WIDTH * 2, scale_of);
  put_bytes(w, EXPERTS("down_proj_blocks"), "U8", "[3,64,1,16]", ONE_EXPERTS * ONE_HIDDEN * ONE_WIDTH / 2, byte_of);
  put_bytes(w, EXPERTS("down_proj_scales"), "U8", "[3,64,1]", ONE_EXPERTS * ONE_HIDDEN, scale_of);
}

static void write_fused(writer_t *w) {
  put_bytes(w, EXPERTS("gate_up_proj"), "BF16", "[3,64,64]", ONE_EXPERTS * 2 * ONE_WIDTH * ONE_HIDDEN * 2, scale_of);
  put_bytes(w, EXPERTS("down_proj"), "BF16", "[3,64,32]", ONE_EXPERTS * ONE_HIDDEN * ONE_WIDTH * 2, scale_of);
}

// Element `i` of an array: of MXFP4, E2M1 by its definition, times 2^(scale - 127); of BF16 its bytes.
static float mxfp4_of(size_t i) {
  const unsigned code = (unsigned)byte_of(i / 2) >> (i % 2 * 4) & 15u, exponent = code >> 1 & 3u, fraction = code & 1u;
  const float size = exponent == 0 ? 0.5f * (float)fraction : ldexpf(1.0f + 0.5f * (float)fraction, (int)exponent - 1);
  return ldexpf(code >= 8 ? -size : size, scale_of(i / 32) - 127);
}

static float bf16_of(size_t i) { return num_bf16_to_f32((uint16_t)(scale_of(2 * i) | scale_of(2 * i + 1) << 8)); }

// The element of `first`, with rows `step` apart, that is row `row` of `columns`.
static void check_rows(const checkpoint_t *model, checkpoint_role_t role, size_t expert, size_t first, size_t step,
                       float (*value)(size_t i)) {
  const checkpoint_tensor_t *tensor = checkpoint_find(model, role, 0, expert);
  const size_t rows = checkpoint_rows(tensor), columns = checkpoint_columns(tensor);
  float *got = allocate(rows * columns, sizeof *got);
  base_error_t error;
  CHECK(checkpoint_read(tensor, 0, 5, CHECKPOINT_FP32, got, &error), "%s", error.text);
  CHECK(checkpoint_read(tensor, 5, rows * columns - 5, CHECKPOINT_FP32, got + 5, &error), "%s", error.text);
  for (size_t i = 0; i < rows * columns; ++i) {
    const float should = value(first + i / columns * step * columns + i % columns);
    CHECK(same_f32(got[i], should), "role %d, expert %zu [%zu]: %g, expected %g", role, expert, i, (double)got[i],
          (double)should);
  }
  free(got);
}

static void experts_in_one(void **state) {
  (void)state;
  enum { MATRIX = ONE_WIDTH * ONE_HIDDEN };
  checkpoint_t *model = write_experts(gpt_oss, write_mxfp4);
  for (size_t e = 0; e < ONE_EXPERTS; ++e) {  // rows of gate and up take turns
    check_rows(model, CHECKPOINT_EXPERT_GATE, e, e * 2 * MATRIX, 2, mxfp4_of);
    check_rows(model, CHECKPOINT_EXPERT_UP, e, e * 2 * MATRIX + ONE_HIDDEN, 2, mxfp4_of);
    check_rows(model, CHECKPOINT_EXPERT_DOWN, e, e * MATRIX, 1, mxfp4_of);
  }
  checkpoint_close(model);
  model = write_experts(qwen3_moe, write_fused);
  for (size_t e = 0; e < ONE_EXPERTS; ++e) {  // up comes behind gate
    check_rows(model, CHECKPOINT_EXPERT_GATE, e, e * 2 * MATRIX, 1, bf16_of);
    check_rows(model, CHECKPOINT_EXPERT_UP, e, e * 2 * MATRIX + MATRIX, 1, bf16_of);
    check_rows(model, CHECKPOINT_EXPERT_DOWN, e, e * MATRIX, 1, bf16_of);
  }
  checkpoint_close(model);
}

static void same_in_all_types(void **state) {
  (void)state;
  static const char *const configs[] = {v2, v2_tied, v3};
  for (size_t c = 0; c < ARRAY_LEN(configs); ++c) {
    checkpoint_t *model = made_up(configs[c], 5);
    for (unsigned type = CHECKPOINT_BF16; type <= CHECKPOINT_FP32; ++type) {
      for (unsigned files = 1; files <= FILES; files += FILES - 1) {
        write_model(model, (checkpoint_type_t)type, files, NULL);
        checkpoint_t *again = open_or_fail(&(checkpoint_request_t){.folder = folder});
        writer_t w = {.model = again, .type = (checkpoint_type_t)type};
        each_tensor(model, &w, check_tensor);
        assert_non_null(checkpoint_find(again, CHECKPOINT_HEAD, 0, 0));
        checkpoint_close(again);
      }
    }
    checkpoint_close(model);
  }
}

static void names_and_shapes(void **state) {
  (void)state;
  static const struct {
    checkpoint_role_t role;
    size_t layer, expert, rows, columns;
    const char *name;
  } cases[] = {
      {CHECKPOINT_Q_A, 2, 0, 7, 16, "model.layers.2.self_attn.q_a_proj.weight"},
      {CHECKPOINT_Q_A_NORM, 0, 0, 1, 7, "model.layers.0.self_attn.q_a_layernorm.weight"},
      {CHECKPOINT_Q_B, 0, 0, 20, 7, "model.layers.0.self_attn.q_b_proj.weight"},
      {CHECKPOINT_KV_A, 1, 0, 14, 16, "model.layers.1.self_attn.kv_a_proj_with_mqa.weight"},
      {CHECKPOINT_KV_B, 1, 0, 18, 8, "model.layers.1.self_attn.kv_b_proj.weight"},
      {CHECKPOINT_O, 1, 0, 16, 10, "model.layers.1.self_attn.o_proj.weight"},
      {CHECKPOINT_DOWN, 0, 0, 16, 24, "model.layers.0.mlp.down_proj.weight"},
      {CHECKPOINT_ROUTER_BIAS, 1, 0, 1, 8, "model.layers.1.mlp.gate.e_score_correction_bias"},
      {CHECKPOINT_SHARED_GATE, 1, 0, 24, 16, "model.layers.1.mlp.shared_experts.gate_proj.weight"},
      {CHECKPOINT_EXPERT_DOWN, 2, 7, 16, 12, "model.layers.2.mlp.experts.7.down_proj.weight"},
  };
  checkpoint_t *model = made_up(v3, 1);
  for (size_t i = 0; i < ARRAY_LEN(cases); ++i) {
    char name[CHECKPOINT_NAME_BYTES];
    const checkpoint_tensor_t *tensor = checkpoint_find(model, cases[i].role, cases[i].layer, cases[i].expert);
    checkpoint_name(cases[i].role, cases[i].layer, cases[i].expert, name);
    assert_string_equal(name, cases[i].name);
    CHECK(tensor != NULL && checkpoint_rows(tensor) == cases[i].rows && checkpoint_columns(tensor) == cases[i].columns,
          "%s", name);
  }
  assert_null(checkpoint_find(model, CHECKPOINT_Q, 0, 0));
  assert_null(checkpoint_find(model, CHECKPOINT_DOWN, 1, 0));
  assert_null(checkpoint_find(model, CHECKPOINT_ROUTER, 0, 0));
  assert_null(checkpoint_find(model, CHECKPOINT_EXPERT_UP, 1, 8));
  assert_null(checkpoint_find(model, CHECKPOINT_EXPERT_UP, 3, 0));
  checkpoint_close(model);
}

// Random weights: of seed and name alone, normal, and in any pieces the same.
static void random_weights(void **state) {
  (void)state;
  num_bf16_t whole[LARGEST], part[LARGEST];
  base_error_t error;
  double sum = 0.0, squares = 0.0;
  checkpoint_t *model = made_up(v2, 9), *other = made_up(v2, 10);
  checkpoint_t *fewer =
      open_or_fail(&(checkpoint_request_t){.folder = path_of("config.json"), .layers = 2, .random = true, .seed = 9});
  const checkpoint_tensor_t *tensor = checkpoint_find(model, CHECKPOINT_EMBEDDING, 0, 0);
  assert_true(checkpoint_read(tensor, 0, LARGEST, CHECKPOINT_BF16, whole, &error));
  assert_true(
      checkpoint_read(checkpoint_find(fewer, CHECKPOINT_EMBEDDING, 0, 0), 33, 100, CHECKPOINT_BF16, part, &error));
  assert_memory_equal(part, whole + 33, 100 * sizeof *part);
  assert_true(
      checkpoint_read(checkpoint_find(other, CHECKPOINT_EMBEDDING, 0, 0), 0, LARGEST, CHECKPOINT_BF16, part, &error));
  assert_memory_not_equal(part, whole, sizeof whole);
  assert_true(
      checkpoint_read(checkpoint_find(model, CHECKPOINT_HEAD, 0, 0), 0, LARGEST, CHECKPOINT_BF16, part, &error));
  assert_memory_not_equal(part, whole, sizeof whole);
  static const size_t others[][2] = {{1, 1}, {2, 0}};  // of the same role
  assert_true(
      checkpoint_read(checkpoint_find(model, CHECKPOINT_EXPERT_UP, 1, 0), 0, 192, CHECKPOINT_BF16, part, &error));
  for (size_t i = 0; i < ARRAY_LEN(others); ++i) {
    num_bf16_t of_other[192];
    tensor = checkpoint_find(model, CHECKPOINT_EXPERT_UP, others[i][0], others[i][1]);
    assert_true(checkpoint_read(tensor, 0, 192, CHECKPOINT_BF16, of_other, &error));
    assert_memory_not_equal(part, of_other, sizeof of_other);
  }
  for (size_t i = 0; i < LARGEST; ++i) {
    sum += (double)num_bf16_to_f32(whole[i]);
    squares += (double)num_bf16_to_f32(whole[i]) * (double)num_bf16_to_f32(whole[i]);
  }
  CHECK(sum / LARGEST > -0.06 && sum / LARGEST < 0.06, "mean %g", sum / LARGEST);
  CHECK(squares / LARGEST > 0.22 && squares / LARGEST < 0.28, "variance %g", squares / LARGEST);  // 0.5^2
  assert_true(checkpoint_read(checkpoint_find(model, CHECKPOINT_NORM, 0, 0), 0, 16, CHECKPOINT_BF16, part, &error));
  assert_int_equal(part[15], num_bf16_from_f32(1.0f));
  assert_int_equal(checkpoint_config(fewer)->num_hidden_layers, 2);
  assert_null(checkpoint_find(fewer, CHECKPOINT_O, 2, 0));
  checkpoint_close(fewer);
  checkpoint_close(other);
  checkpoint_close(model);
}

static void refuse(size_t layers, const char *file, const char *expected) {
  base_error_t error = {""};
  checkpoint_t *checkpoint = checkpoint_open(&(checkpoint_request_t){.folder = folder, .layers = layers}, &error);
  CHECK(checkpoint == NULL, "expected '%s'", expected);
  check_refusal(&error, file, expected);
}

#define NORM_1 "model.layers.1.input_layernorm.weight"
#define GATE_0 "model.layers.0.mlp.gate_proj.weight"
#define EXPERT "model.layers.2.mlp.experts.5.up_proj.weight"

static void defects(void **state) {
  (void)state;
  static const struct {
    defect_t defect;
    unsigned files;
    const char *file, *expected;
  } cases[] = {
      {{EXPERT, NULL, NULL, NULL, NULL}, 1, "model.safetensors", "no tensor '" EXPERT "'"},
      {{EXPERT, NULL, NULL, NULL, NULL}, FILES, "index.json", "no tensor '" EXPERT "'"},
      {{EXPERT, "x", NULL, NULL, NULL}, FILES, "part", "no tensor '" EXPERT "'"},
      {{NORM_1, NORM_1, "[1,16]", NULL, NULL}, 1, "model.safetensors", "'" NORM_1 "': shape [1, 16]; expected [16]"},
      {{GATE_0, GATE_0, "[16,24]", NULL, NULL},
       1,
       "model.safetensors",
       "'" GATE_0 "': shape [16, 24]; expected [24, 16]"},
      {{GATE_0, GATE_0, "[24,16,1]", NULL, NULL}, 1, "model.safetensors", "shape [24, 16, 1]; expected [24, 16]"},
      {{GATE_0, GATE_0, "[384]", NULL, NULL}, 1, "model.safetensors", "shape [384]; expected [24, 16]"},
      {{GATE_0, GATE_0, NULL, "I16", NULL},
       1,
       "model.safetensors",
       "'" GATE_0 "': dtype I16; expected BF16, F16 or F32"},
      {{GATE_0, GATE_0, "[24,32]", "F8_E4M3", NULL}, 1, "model.safetensors", "dtype F8_E4M3; expected"},
      {{GATE_0, GATE_0, NULL, NULL, "absent.safetensors"}, FILES, "absent.safetensors", "No such file"},
      {{GATE_0, GATE_0, NULL, NULL, "../part0.safetensors"},
       FILES,
       "index.json",
       "'../part0.safetensors'; expected the name"},
      {{GATE_0, GATE_0, NULL, NULL, "/etc/passwd"}, FILES, "index.json", "'/etc/passwd'; expected the name of a file"},
      {{GATE_0, GATE_0, NULL, NULL, ".."}, FILES, "index.json", "'..'"},
      {{GATE_0, GATE_0, NULL, NULL, ""}, FILES, "index.json", "''; expected the name"},
  };
  checkpoint_t *model = made_up(v3, 5);
  for (size_t i = 0; i < ARRAY_LEN(cases); ++i) {
    write_model(model, CHECKPOINT_BF16, cases[i].files, &cases[i].defect);
    refuse(0, cases[i].file, cases[i].expected);
  }
  checkpoint_close(model);
}

static void bad_indices(void **state) {
  (void)state;
  checkpoint_t *model = made_up(v2, 5);
  remove_files();
  refuse(0, "model.safetensors: ", "No such file");
  static const char *const cases[][2] = {
      {"x", "no JSON"},
      {"[]", "no weight_map"},
      {"{\"weight_map\":[]}", "no weight_map"},
      {"{\"weight_map\":{\"a\":7}}", "tensor 'a' in ''"},
      {"{\"weight_map\":{\"a\":\"p\",\"b\":\"p\",\"a\":\"p\"}}", "'a' is given twice in an object; expected once"},
      {"{\"metadata\":[{\"x\":{\"y\":1,\"z\":2,\"y\":1}}],\"weight_map\":{\"a\":\"p\"}}", "'y' is given twice"},
      {"{\"weight_map\":{}}", "no tensor 'model.embed_tokens.weight'"},
  };
  for (size_t i = 0; i < ARRAY_LEN(cases); ++i) {
    write_text("model.safetensors.index.json", cases[i][0]);
    refuse(0, "model.safetensors.index.json", cases[i][1]);
  }
  remove_files();
  write_model(model, CHECKPOINT_BF16, FILES, NULL);
  assert_int_equal(truncate(path_of("part1.safetensors"), 5000), 0);
  refuse(0, "part1.safetensors", "the file has 0 to");
  checkpoint_close(model);
}

// A file that becomes shorter while it is open, read as it is and converted.
static void shrinks(void **state) {
  (void)state;
  static float out[LARGEST];
  base_error_t error;
  checkpoint_t *random = made_up(v2, 5);
  write_model(random, CHECKPOINT_BF16, 1, NULL);
  checkpoint_t *model = open_or_fail(&(checkpoint_request_t){.folder = folder});
  const checkpoint_tensor_t *tensor = checkpoint_find(model, CHECKPOINT_EMBEDDING, 0, 0);
  assert_int_equal(truncate(path_of("model.safetensors"), 5000), 0);
  for (unsigned type = CHECKPOINT_BF16; type <= CHECKPOINT_FP32; ++type) {
    assert_false(checkpoint_read(tensor, 0, LARGEST, (checkpoint_type_t)type, out, &error));
    check_refusal(&error, "model.safetensors", "the file has become shorter");
  }
  checkpoint_close(model);
  checkpoint_close(random);
}

// For a model's first layers, files with none of their tensors need not be there.
static void first_layers(void **state) {
  (void)state;
  static const defect_t defect = {EXPERT, "x", NULL, NULL, "absent.safetensors"};
  checkpoint_t *model = made_up(v3, 5);
  write_model(model, CHECKPOINT_BF16, FILES, &defect);
  checkpoint_close(open_or_fail(&(checkpoint_request_t){.folder = folder, .layers = 2}));
  refuse(3, "absent.safetensors", "No such file");
  refuse(4, "config.json", "num_hidden_layers is 3; expected at least the 4 layers asked for");
  checkpoint_close(model);
  checkpoint_close(NULL);
}

static void count_parameters(writer_t *w, const checkpoint_tensor_t *tensor, place_t place) {
  (void)place;
  w->parameters += checkpoint_rows(tensor) * checkpoint_columns(tensor);
}

// Models as they were published: as many parameters as their authors say (DeepSeek-V3 without its second head), and
// opened without anything of that in memory.
static void published_models(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double billions, within;
  } models[] = {{"deepseek-v2-lite", 15.7, 0.05}, {"deepseek-v2", 236, 0.5}, {"deepseek-v3", 671, 0.5}};
  for (size_t i = 0; i < ARRAY_LEN(models); ++i) {
    char path[256];
    writer_t w = {0};
    float wide[5000];
    num_bf16_t stored[5000];
    base_error_t error;
    snprintf(path, sizeof path, "%s/%s.json", MODELS_DIR, models[i].name);
    checkpoint_t *model = open_or_fail(&(checkpoint_request_t){.folder = path, .random = true});
    each_tensor(model, &w, count_parameters);
    printf("%s: %.3f billion parameters\n", models[i].name, (double)w.parameters * 1e-9);
    CHECK(fabs((double)w.parameters * 1e-9 - models[i].billions) < models[i].within, "%s", models[i].name);
    const checkpoint_tensor_t *head = checkpoint_find(model, CHECKPOINT_HEAD, 0, 0);
    const size_t count = checkpoint_rows(head) * checkpoint_columns(head);
    assert_true(checkpoint_read(head, count - 5000, 5000, CHECKPOINT_FP32, wide, &error));
    assert_true(checkpoint_read(head, count - 5000, 5000, CHECKPOINT_BF16, stored, &error));
    for (size_t j = 0; j < 5000; ++j) {
      assert_true(same_f32(wide[j], num_bf16_to_f32(stored[j])));
    }
    checkpoint_close(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_in_all_types), cmocka_unit_test(names_and_shapes), cmocka_unit_test(random_weights),
      cmocka_unit_test(defects),           cmocka_unit_test(bad_indices),      cmocka_unit_test(first_layers),
      cmocka_unit_test(published_models),  cmocka_unit_test(shrinks),          cmocka_unit_test(scaled_matrices),
      cmocka_unit_test(experts_in_one),
  };
  return cmocka_run_group_tests_name("checkpoint", tests, make_folder, remove_folder);
}
