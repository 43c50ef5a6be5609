// Files of tensors: what is in them, and one line for each way to be none.
// SPDX-License-Identifier: Apache-2.0
#include "llm/checkpoint/safetensors.h"

#include "checkpoint_test.h"

#define NAME "t.safetensors"
#define A "\"a\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]}"
#define B "\"b\":{\"dtype\":\"BF16\",\"shape\":[4],\"data_offsets\":[24,32]}"
#define GOOD "{\"__metadata__\":{\"format\":\"pt\"}," B "," A "}  "

static void good(void **state) {
  (void)state;
  base_error_t error;
  uint8_t bytes[4];
  write_tensors(NAME, GOOD, NULL, 32);
  safetensors_t *file = safetensors_open(path_of(NAME), &error);
  CHECK(file != NULL, "%s", error.text);
  assert_int_equal(safetensors_count(file), 2);
  const safetensors_entry_t *a = safetensors_find(file, "a"), *b = safetensors_find(file, "b");
  assert_ptr_equal(a, safetensors_at(file, 0));
  assert_ptr_equal(b, safetensors_at(file, 1));
  assert_null(safetensors_find(file, "c"));
  assert_int_equal(a->type, SAFETENSORS_F32);
  assert_int_equal(a->dims, 2);
  assert_true(a->shape[0] == 2 && a->shape[1] == 3 && a->bytes == 24);
  assert_int_equal(b->type, SAFETENSORS_BF16);
  assert_true(b->dims == 1 && b->shape[0] == 4 && b->bytes == 8);
  assert_true(safetensors_read(file, b, 2, sizeof bytes, bytes, &error));
  assert_memory_equal(bytes, ((const uint8_t[]){26, 27, 28, 29}), sizeof bytes);
  assert_int_equal(truncate(path_of(NAME), 100), 0);  // somebody does so while we read
  assert_false(safetensors_read(file, a, 0, sizeof bytes, bytes, &error));
  check_refusal(&error, NAME, "shorter");
  safetensors_close(file);
  safetensors_close(NULL);
}

// No dimensions, none of an element, and nothing at all.
static void small(void **state) {
  (void)state;
  base_error_t error;
  write_tensors(NAME,
                "{\"e\":{\"dtype\":\"F32\",\"shape\":[0,7],\"data_offsets\":[0,0]},"
                "\"s\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[0,8]}}",
                NULL, 8);
  safetensors_t *file = safetensors_open(path_of(NAME), &error);
  CHECK(file != NULL, "%s", error.text);
  assert_int_equal(safetensors_find(file, "e")->bytes, 0);
  assert_int_equal(safetensors_find(file, "s")->dims, 0);
  safetensors_close(file);
  write_tensors(NAME, "{}", NULL, 0);
  file = safetensors_open(path_of(NAME), &error);
  CHECK(file != NULL, "%s", error.text);
  assert_int_equal(safetensors_count(file), 0);
  safetensors_close(file);
}

static void assert_refused(const char *expected) {
  base_error_t error = {""};
  safetensors_t *file = safetensors_open(path_of(NAME), &error);
  CHECK(file == NULL, "expected '%s'", expected);
  check_refusal(&error, NAME, expected);
}

#define ENTRY(name, dtype, shape, offsets) \
  "\"" name "\":{\"dtype\":" dtype ",\"shape\":" shape ",\"data_offsets\":" offsets "}"

static void bad_headers(void **state) {
  (void)state;
  static const struct {
    const char *header;
    size_t bytes;
    const char *expected;
  } cases[] = {
      {"[]", 0, "no JSON object"},
      {"{", 0, "no JSON object"},
      {" {}", 0, "no JSON object"},
      {"{} {}", 0, "no JSON object"},
      {"{}", 3, "3 bytes of data; its tensors have 0"},
      {"{\"a\":7}", 0, "tensor 'a': no JSON object"},
      {"{\"a\":{}}", 0, "tensor 'a': dtype ''"},
      {"{" ENTRY("a", "\"C64\"", "[2]", "[0,16]") "}", 16,
       "tensor 'a': dtype 'C64'; expected one of BF16 F16 F32 BOOL"},
      {"{" ENTRY("a", "\"F31\"", "[2]", "[0,8]") "}", 8, "tensor 'a': dtype 'F31'; expected one of BF16 F16 F32 BOOL"},
      {"{" ENTRY("a", "7", "[2]", "[0,8]") "}", 8, "dtype ''"},
      {"{" ENTRY("a", "\"F32\"", "2", "[0,8]") "}", 8, "tensor 'a': no shape"},
      {"{" ENTRY("a", "\"F32\"", "[2.5]", "[0,8]") "}", 8, "no shape"},
      {"{" ENTRY("a", "\"F32\"", "[-2]", "[0,8]") "}", 8, "no shape"},
      {"{" ENTRY("a", "\"F32\"", "[\"2\"]", "[0,8]") "}", 8, "no shape"},
      {"{" ENTRY("a", "\"F32\"", "[1,1,1,1,1,1,1,1,2]", "[0,8]") "}", 8, "at most 8 sizes"},
      {"{" ENTRY("a", "\"F32\"", "[2]", "[0]") "}", 8, "no data_offsets"},
      {"{" ENTRY("a", "\"F32\"", "[2]", "[0,8,8]") "}", 8, "no data_offsets"},
      {"{" ENTRY("a", "\"F32\"", "[2]", "[0,1e300]") "}", 8, "no data_offsets"},
      {"{" ENTRY("a", "\"F32\"", "[2]", "[8,0]") "}", 8, "tensor 'a': bytes 8 to 0; the file has 0 to 8"},
      {"{" ENTRY("a", "\"F32\"", "[2]", "[0,9]") "}", 8, "bytes 0 to 9; the file has 0 to 8"},
      {"{" ENTRY("a", "\"F32\"", "[2]", "[0,9007199254740992]") "}", 8, "the file has 0 to 8"},
      {"{" ENTRY("a", "\"F32\"", "[3]", "[0,8]") "}", 8, "8 bytes; its shape and dtype F32 need others"},
      {"{" ENTRY("a", "\"BF16\"", "[4294967296,4294967296,4294967296]", "[0,0]") "}", 0, "need others"},
      {"{" ENTRY("a", "\"U8\"", "[4294967296,4294967296]", "[0,0]") "}", 0, "need others"},
      {"{" ENTRY("a", "\"F32\"", "[2]", "[4,12]") "}", 12, "begins at byte 4, after a hole; expected 0"},
      {"{" ENTRY("a", "\"F32\"", "[2]", "[0,8]") "," ENTRY("b", "\"F32\"", "[2]", "[4,12]") "}", 12,
       "tensor 'b': begins at byte 4, within another; expected 8"},
      {"{" ENTRY("a", "\"F32\"", "[2]", "[0,8]") "," ENTRY("b", "\"F32\"", "[2]", "[0,8]") "}", 8, "within another"},
      {"{" ENTRY("a", "\"F32\"", "[2]", "[0,8]") "," ENTRY("b", "\"F32\"", "[1]", "[12,16]") "}", 16,
       "tensor 'b': begins at byte 12, after a hole"},
      {"{" ENTRY("a", "\"F32\"", "[2]", "[0,8]") "}", 9, "9 bytes of data; its tensors have 8"},
      {"{" ENTRY("a", "\"F32\"", "[2]", "[0,8]") "," ENTRY("a", "\"F32\"", "[2]", "[8,16]") "}", 16,
       "'a' is given twice in its header"},
      {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"shape\":[2],\"data_offsets\":[0,8]}}", 8, "'shape' is given twice"},
      {"{" ENTRY("a", "\"F32\"", "[2]", "[0,8]") ",\"__metadata__\":{\"k\":\"1\",\"k\":\"1\"}}", 8,
       "'k' is given twice"},
      {"{" ENTRY("a\\nb", "\"F32\"", "[1]", "[0,8]") "}", 8, "tensor 'a?b'"},
  };
  for (size_t i = 0; i < ARRAY_LEN(cases); ++i) {
    write_tensors(NAME, cases[i].header, NULL, cases[i].bytes);
    assert_refused(cases[i].expected);
  }
}

static void bad_lengths(void **state) {
  (void)state;
  uint8_t bytes[16] = {0, 0, 0, 0, 0, 0, 0, 0, '{', '}'};
  for (size_t size = 0; size <= 8; ++size) {
    write_bytes(NAME, bytes, size);
    assert_refused("not a safetensors file");
  }
  write_bytes(NAME, bytes, 10);
  assert_refused("header of 0 bytes");
  bytes[0] = 3;
  write_bytes(NAME, bytes, 10);
  assert_refused("header of 3 bytes in a file of 10; expected");
  bytes[7] = 0x80;
  write_bytes(NAME, bytes, 10);
  assert_refused("header of 9223372036854775811 bytes");
  remove(path_of(NAME));
  assert_refused("No such file");
  assert_int_equal(mkdir(path_of(NAME), 0700), 0);
  assert_refused("Is a directory");
  rmdir(path_of(NAME));
}

// A file that is larger than a header may be, but for its holes empty.
static void huge_header(void **state) {
  (void)state;
  const uint8_t length[8] = {0x01, 0xe1, 0xf5, 0x05};  // 100000001
  write_bytes(NAME, length, sizeof length);
  assert_int_equal(truncate(path_of(NAME), 1 << 28), 0);
  assert_refused("header of 100000001 bytes in a file of 268435456; expected 1 to 100000000");
}

// However a good file is broken, it is refused in one line, or everything that it says holds.
static void broken_anyhow(void **state) {
  (void)state;
  uint8_t good_bytes[8 + sizeof GOOD - 1 + 32] = {sizeof GOOD - 1}, bytes[sizeof good_bytes];
  num_rng_t rng;
  num_rng_seed(&rng, 22);
  size_t opened = 0, refused = 0;
  memcpy(good_bytes + 8, GOOD, sizeof GOOD - 1);
  for (int i = 0; i < 2000; ++i) {
    base_error_t error = {""};
    size_t size = sizeof bytes;
    memcpy(bytes, good_bytes, size);
    const uint32_t kind = random_u32(&rng) % 4;
    const size_t at = random_u32(&rng) % size;
    if (kind == 0) {
      size = at;
    } else if (kind == 1) {
      bytes[at] = (uint8_t)random_u32(&rng);
    } else if (kind == 2) {
      bytes[at] ^= (uint8_t)(1u << random_u32(&rng) % 8);
    } else {
      bytes[at] = (uint8_t)("0123456789[]{},:\"-.e"[random_u32(&rng) % 20]);
    }
    write_bytes(NAME, bytes, size);
    safetensors_t *tensors = safetensors_open(path_of(NAME), &error);
    opened += tensors != NULL;
    refused += tensors == NULL;
    CHECK((tensors == NULL) == (error.text[0] != '\0') && strchr(error.text, '\n') == NULL, "%s", error.text);
    uint64_t end = 0;
    for (size_t t = 0; tensors != NULL && t < safetensors_count(tensors); ++t) {
      const safetensors_entry_t *entry = safetensors_at(tensors, t);
      end += entry->bytes;
      assert_true(entry->bytes <= 32 && safetensors_read(tensors, entry, 0, (size_t)entry->bytes, bytes, &error));
    }
    assert_true(tensors == NULL || end == 32);
    safetensors_close(tensors);
  }
  printf("%zu opened, %zu refused\n", opened, refused);
  assert_true(opened > 200 && refused > 200);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good),        cmocka_unit_test(small),       cmocka_unit_test(bad_headers),
      cmocka_unit_test(bad_lengths), cmocka_unit_test(huge_header), cmocka_unit_test(broken_anyhow),
  };
  return cmocka_run_group_tests_name("safetensors", tests, make_folder, remove_folder);
}
