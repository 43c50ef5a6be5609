// Files that are no model: refused, each with one line that names the file and what was expected.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "lm_test.h"

#define PATH "test_lm_file.bin"

enum { DIM, HIDDEN, LAYERS, HEADS, KV_HEADS, VOCAB, CONTEXT };

static const made_up_shape_t shape = {
    .dim = 16, .hidden = 12, .layers = 2, .heads = 4, .kv_heads = 2, .vocab = 20, .context = 8};

static void assert_refused(const char *path, const char *expected) {
  char message[200];
  memset(message, 'x', sizeof message);
  assert_null(lm_open(path, 0, message, sizeof message));
  CHECK(memchr(message, '\0', sizeof message) != NULL, "not terminated");
  printf("%s\n", message);
  CHECK(strncmp(message, path, strlen(path)) == 0, "does not name the file");
  CHECK(strchr(message, '\n') == NULL, "more than a line");
  CHECK(strstr(message, expected) != NULL, "does not say: %s", expected);
}

static void assert_bytes_refused(const uint8_t *bytes, size_t size, const char *expected) {
  write_file(PATH, bytes, size);
  assert_refused(PATH, expected);
  remove(PATH);
}

static void good(void **state) {
  const made_up_t *m = *state;
  lm_t *lm = open_made_up(m, PATH, 0);
  const checkpoint_config_t *s = lm_shape(lm);
  assert_int_equal(s->hidden_size, shape.dim);
  assert_int_equal(s->intermediate_size, shape.hidden);
  assert_int_equal(s->num_hidden_layers, shape.layers);
  assert_int_equal(s->num_attention_heads, shape.heads);
  assert_int_equal(s->num_key_value_heads, shape.kv_heads);
  assert_int_equal(s->vocab_size, shape.vocab);
  assert_int_equal(s->max_position_embeddings, shape.context);
  assert_int_equal(s->head_dim, shape.dim / shape.heads);
  assert_int_equal(lm_position(lm), 0);
  lm_close(lm);
  lm_close(NULL);
}

static void context_out_of_range(void **state) {
  const made_up_t *m = *state;
  char message[200];
  write_file(PATH, m->bytes, m->size);
  assert_null(lm_open(PATH, 65537, message, sizeof message));
  remove(PATH);
  assert_non_null(strstr(message, PATH ": context 65537 asked for; at most 65536"));
}

static void no_file(void **state) {
  (void)state;
  assert_refused("no/such/model.bin", "No such file");
  assert_refused(".", "Is a directory");
}

static void wrong_size(void **state) {
  const made_up_t *m = *state;
  assert_bytes_refused(m->bytes, 0, "LMBF");
  assert_bytes_refused(m->bytes, 3, "LMBF");
  assert_bytes_refused(m->bytes, 4, "header of 32 bytes");
  assert_bytes_refused(m->bytes, 31, "header of 32 bytes");
  char expected[40];
  snprintf(expected, sizeof expected, "expected %zu", m->size);
  assert_bytes_refused(m->bytes, 32, expected);
  assert_bytes_refused(m->bytes, m->size - 1, expected);
  uint8_t *longer = allocate(m->size + 1, 1);
  memcpy(longer, m->bytes, m->size);
  assert_bytes_refused(longer, m->size + 1, expected);
  free(longer);
}

static void wrong_magic(void **state) {
  const made_up_t *m = *state;
  for (size_t i = 0; i < 4; ++i) {
    m->bytes[i] ^= 0x20u;
    assert_bytes_refused(m->bytes, m->size, "LMBF");
    m->bytes[i] ^= 0x20u;
  }
}

static void refuse_field(const made_up_t *m, size_t field, uint32_t value, const char *expected) {
  uint8_t *const at = m->bytes + 4 + 4 * field;
  uint8_t before[4];
  memcpy(before, at, 4);
  put_u32(at, value);
  assert_bytes_refused(m->bytes, m->size, expected);
  memcpy(at, before, 4);
}

static void absurd_fields(void **state) {
  const made_up_t *m = *state;
  static const char *const names[] = {"dim", "hidden", "layers", "heads", "kv_heads", "vocab", "context"};
  for (size_t i = 0; i < ARRAY_LEN(names); ++i) {
    refuse_field(m, i, 0, names[i]);
    refuse_field(m, i, 0xffffffffu, names[i]);
    refuse_field(m, i, 0x7fffffffu, names[i]);
    refuse_field(m, i, 0x10001u, names[i]);
  }
  refuse_field(m, VOCAB, 257, "256");  // a token is a byte
  refuse_field(m, HEADS, 3, "dim 16 with 3 heads");
  refuse_field(m, HEADS, 16, "even");  // no pairs to rotate
  refuse_field(m, KV_HEADS, 3, "4 heads with 3 kv_heads");
  refuse_field(m, KV_HEADS, 8, "4 heads with 8 kv_heads");
  refuse_field(m, LAYERS, 65536, "expected");
  refuse_field(m, HIDDEN, 13, "expected");
}

// Everything as large as a header may say, in a file without weights: refused before memory is
// asked for.
static void largest_header(void **state) {
  const made_up_t *m = *state;
  uint8_t header[32];
  memcpy(header, m->bytes, sizeof header);
  for (size_t i = DIM; i <= CONTEXT; ++i) {
    put_u32(header + 4 + 4 * i, i == VOCAB ? 256 : i == HEADS || i == KV_HEADS ? 32768 : 65536);
  }
  assert_bytes_refused(header, sizeof header, "32 bytes; expected");
}

static void short_message(void **state) {
  (void)state;
  char message[11] = "..........";
  assert_null(lm_open("no/such/model.bin", 0, message, 8));
  assert_string_equal(message, "no/such");
  assert_int_equal(message[8], '.');
}

static int setup(void **state) {
  made_up_t *m = allocate(1, sizeof *m);
  *m = make_up(shape, 3);
  *state = m;
  return 0;
}

static int teardown(void **state) {
  made_up_free(*state);
  free(*state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good),          cmocka_unit_test(no_file),
      cmocka_unit_test(wrong_size),    cmocka_unit_test(wrong_magic),
      cmocka_unit_test(absurd_fields), cmocka_unit_test(largest_header),
      cmocka_unit_test(short_message), cmocka_unit_test(context_out_of_range),
  };
  return cmocka_run_group_tests_name("lm_file", tests, setup, teardown);
}
