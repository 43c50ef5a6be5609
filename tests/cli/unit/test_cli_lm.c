// Parts of `run lm`: windows of a text and their scores, the best byte, bytes in JSON, the chunk.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "base/json.h"
#include "cli_test.h"
#include "kernel/lm/lm_settings.h"
#include "llm/lm/lm_text.h"
#include "llm/text/score.h"

static base_error_t error;
static const checkpoint_config_t shape = {.vocab_size = 100, .max_position_embeddings = 4};

static bool read_windows(const char *text, size_t size, size_t most, llm_text_t *windows) {
  const llm_vocab_t vocab = lm_vocab(&shape);
  write_file("text", text, size);
  return llm_text_read("text", &vocab, shape.max_position_embeddings, most, windows, &error);
}

// Windows of five bytes; one byte left over is none, two are one.
TEST_WITH(windows_of_a_text, enter_directory, leave_directory) {
  static const char text[] = "ABCDE12345abcab";
  static const struct {
    size_t bytes, most, windows, last;
  } cases[] = {{2, 0, 1, 1},  {5, 0, 1, 4},  {6, 0, 1, 4},  {7, 0, 2, 1},  {10, 0, 2, 4},
               {12, 0, 3, 1}, {15, 0, 3, 4}, {15, 2, 2, 4}, {12, 9, 3, 1}, {7, 1, 1, 4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    llm_text_t windows;
    assert_true(read_windows(text, cases[i].bytes, cases[i].most, &windows));
    assert_int_equal(windows.windows, cases[i].windows);
    for (size_t w = 0; w < windows.windows; ++w) {
      const size_t predictions = llm_window_predictions(&windows, w);
      assert_int_equal(predictions, w + 1 < windows.windows ? 4 : cases[i].last);
      for (size_t t = 0; t <= predictions; ++t) {
        assert_int_equal(llm_window(&windows, w)[t], text[5 * w + t]);
      }
    }
    llm_tokens_free(&windows.tokens);
  }
}

TEST_WITH(texts_that_are_refused, enter_directory, leave_directory) {
  llm_text_t windows;
  assert_false(read_windows("", 0, 0, &windows));
  assert_contains(error.text, "text: 0 bytes; expected at least 2");
  assert_false(read_windows("a", 1, 3, &windows));
  assert_contains(error.text, "text: 1 byte;");
  assert_false(read_windows("abd", 3, 0, &windows));
  assert_contains(error.text, "text: byte 2 is 100; the model knows 0 to 99");
  const llm_vocab_t vocab = lm_vocab(&shape);
  assert_false(llm_text_read("none", &vocab, 4, 0, &windows, &error));
  assert_contains(error.text, "none: No such file");
  assert_null(windows.tokens.list);
}

// Many times what is read at once.
TEST_WITH(a_long_text, enter_directory, leave_directory) {
  enum { BYTES = 1000003 };
  char *text = malloc(BYTES);
  assert_non_null(text);
  for (size_t i = 0; i < BYTES; ++i) {
    text[i] = (char)(i * i % 97);
  }
  llm_text_t windows;
  assert_true(read_windows(text, BYTES, 0, &windows));
  assert_int_equal(windows.windows, BYTES / 5 + 1);
  assert_int_equal(windows.tokens.count, BYTES);
  for (size_t i = 0; i < BYTES; ++i) {
    assert_int_equal(windows.tokens.list[i], text[i]);
  }
  llm_tokens_free(&windows.tokens);
  free(text);
}

TEST(scores) {
  uint32_t bytes[] = {9, 0, 2, 1};
  const llm_text_t text = {.tokens = {bytes, 4, 4}, .context = 3, .windows = 1};
  // 1 : 1 : 2; two equals, which the reference tells apart; certainty.
  const float logits[] = {0, 0, logf(2), 5, 4, 5, 0, 90, 0};
  const float reference[] = {0, 0, 1, 4, 4, 5, 0, 90, 0};
  const lm_score_t score = lm_window_score(&text, 0, 3, logits, reference);
  assert_int_equal(score.predictions, 3);
  assert_int_equal(score.agree, 2);  // the first of equals is best: 0, where the reference says 2
  const double expected = (log(4) + log(2 + exp(-1)) + 0) / 3;
  assert_true(fabs(score.loss - expected) < 1e-6);
  lm_score_t sum = {0};
  lm_score_add(&sum, &(lm_score_t){.predictions = 3, .loss = 1, .agree = 2});
  lm_score_add(&sum, &(lm_score_t){.predictions = 1, .loss = 3, .agree = 1});
  assert_int_equal(sum.predictions, 4);
  assert_int_equal(sum.agree, 3);
  assert_true(fabs(sum.loss - 1.5) < 1e-12);
}

TEST(the_best_byte) {
  static const struct {
    float logits[4];
    uint8_t best;
    double gap;
  } cases[] = {
      {{1, 2, 4, 3}, 2, 1}, {{4, 1, 2, 3}, 0, 1},     {{1, 5, 5, 3}, 1, 0},
      {{1, 2, 3, 7}, 3, 4}, {{-1, -3, -2, -9}, 0, 1}, {{3, 1, 6, 3}, 2, 3},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const llm_choice_t choice = llm_choose(cases[i].logits, 4);
    assert_int_equal(choice.best, cases[i].best);
    assert_true(choice.gap == cases[i].gap);
  }
  assert_true(isinf(llm_choose(cases[0].logits, 1).gap));
}

TEST(bytes_in_json) {
#define NONE "\xef\xbf\xbd"
  static const struct {
    const char *bytes;
    size_t count;
    const char *text;
  } cases[] = {
      {"", 0, ""},
      {"a\n\"b\x7f", 5, "a\n\"b\x7f"},
      {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 9, "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"},
      {"a\0b", 3, "a" NONE "b"},
      {"\x80x\xff", 3, NONE "x" NONE},
      {"\xc3", 1, NONE},  // cut off
      {"\xe2\x82", 2, NONE NONE},
      {"\xe2\x82x", 3, NONE NONE "x"},
      {"\xc1\xbf", 2, NONE NONE},  // longer than needed
      {"\xe0\x9f\xbf", 3, NONE NONE NONE},
      {"\xf0\x8f\xbf\xbf", 4, NONE NONE NONE NONE},
      {"\xed\xa0\x80", 3, NONE NONE NONE},  // half a pair
      {"\xed\x9f\xbf", 3, "\xed\x9f\xbf"},
      {"\xf4\x90\x80\x80", 4, NONE NONE NONE NONE},  // beyond the last
      {"\xf4\x8f\xbf\xbf", 4, "\xf4\x8f\xbf\xbf"},
      {"\xf5\x80", 2, NONE NONE},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    cJSON *object = cJSON_CreateObject();
    json_add_bytes(object, "text", (const uint8_t *)cases[i].bytes, cases[i].count);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(object, "text")), cases[i].text);
    cJSON_Delete(object);
  }
}

TEST(chunks) {
  assert_int_equal(lm_usual_chunk(1024, 4), 512);
  assert_int_equal(lm_usual_chunk(1024, 1), 512);
  assert_int_equal(lm_usual_chunk(12, 4), 4);  // not 6, which 4 blocks do not divide
  assert_int_equal(lm_usual_chunk(24, 4), 12);
  assert_int_equal(lm_usual_chunk(4, 4), 4);
  assert_int_equal(lm_usual_chunk(1, 1), 1);
}
