// .npy files: what is read, what is refused, and that a written array comes back.
// SPDX-License-Identifier: Apache-2.0
#include "base/npy.h"
#include "cli_test.h"

// A file of the given version with this header and `data` bytes of zeros.
static void make(const char *path, unsigned version, const char *header, size_t data) {
  unsigned char bytes[1024] = {0x93, 'N', 'U', 'M', 'P', 'Y', (unsigned char)version, 0};
  const size_t length = strlen(header);
  const size_t start = version == 1 ? 10 : 12;
  bytes[8] = (unsigned char)(length & 0xff);
  bytes[9] = (unsigned char)(length >> 8);
  memcpy(bytes + start, header, length);
  write_file(path, bytes, start + length + data);
}

static void accepts(unsigned version, const char *header, size_t data, size_t dims) {
  npy_array_t array;
  base_error_t error;
  make("a.npy", version, header, data);
  if (!npy_read("a.npy", NPY_BIT(U2) | NPY_BIT(F4), &array, &error)) {
    fail_msg("%s: %s", header, error.text);
  }
  assert_int_equal(array.dims, dims);
  assert_int_equal(npy_count(&array) * npy_element_bytes(array.type), data);
  npy_free(&array);
}

static void refuses(unsigned version, const char *header, size_t data, const char *why) {
  npy_array_t array;
  base_error_t error;
  make("a.npy", version, header, data);
  if (npy_read("a.npy", NPY_BIT(U2) | NPY_BIT(F4), &array, &error)) {
    fail_msg("accepted: %s", header);
  }
  assert_contains(error.text, "a.npy: ");
  assert_contains(error.text, why);
  assert_null(array.data);
}

TEST_GROUP(enter_directory, leave_directory)

TEST(headers_in_order) {
  accepts(1, "{'descr': '<u2', 'fortran_order': False, 'shape': (2, 3), }  \n", 12, 2);
  accepts(2, "{'descr': '<u2', 'fortran_order': False, 'shape': (2, 3), }  \n", 12, 2);
  accepts(1, "{\"shape\": (3,), \"descr\": \"<f4\", \"fortran_order\": False}", 12, 1);
  accepts(1, "{'descr': '<u2', 'fortran_order': True, 'shape': (5,), }", 10, 1);
  accepts(1, "{'descr': '<u2', 'fortran_order': False, 'shape': (), }", 2, 0);
  accepts(1, "{'descr': '<u2', 'fortran_order': False, 'shape': (0, 3), }", 0, 2);
}

TEST(headers_out_of_order) {
  const char *const malformed = "malformed";
  refuses(1, "", 0, malformed);
  refuses(1, "{}", 0, malformed);
  refuses(1, "{'descr': '<u2', 'fortran_order': False, }", 4, malformed);
  refuses(1, "{'descr': '<u2', 'fortran_order': False, 'shape': (2) }", 4, malformed);
  refuses(1, "{'descr': '<u2', 'fortran_order': False, 'shape': (-2,) }", 4, malformed);
  refuses(1, "{'descr': '<u2', 'fortran_order': False, 'shape': (2 3) }", 12, malformed);
  refuses(1, "{'descr': '<u2', 'fortran_order': 0, 'shape': (2,) }", 4, malformed);
  refuses(1, "{'descr': '<u2', 'descr': '<u2', 'fortran_order': False, 'shape': (2,) }", 4, malformed);
  refuses(1, "{'descr': '<u2', 'fortran_order': False, 'shape': (2,), 'more': 1}", 4, malformed);
  refuses(1, "{'descr': '<u2', 'fortran_order': False, 'shape': (2,)} x", 4, malformed);
  refuses(1, "{'descr': [('a', '<u2')], 'fortran_order': False, 'shape': (2,)}", 4, malformed);
  refuses(1, "{'descr': '<u2", 0, malformed);
  refuses(3, "{'descr': '<u2', 'fortran_order': False, 'shape': (2,)}", 4, "version 3.0");
}

TEST(contents_refused) {
  refuses(1, "{'descr': '<i4', 'fortran_order': False, 'shape': (1,)}", 4, "'<u2' or '<f4'");
  refuses(1, "{'descr': '>u2', 'fortran_order': False, 'shape': (1,)}", 2, "'>u2'");
  refuses(1, "{'descr': '<u2', 'fortran_order': True, 'shape': (2, 2)}", 8, "Fortran order");
  refuses(1, "{'descr': '<u2', 'fortran_order': False, 'shape': (2,)}", 3, "truncated");
  refuses(1, "{'descr': '<u2', 'fortran_order': False, 'shape': (2,)}", 5, "trailing");
  refuses(1, "{'descr': '<u2', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1)}", 2, "dimensions");
  refuses(1, "{'descr': '<u2', 'fortran_order': False, 'shape': (9000000000, 9000000000, 9000000000)}", 2, "too large");
}

TEST(files_refused) {
  npy_array_t array;
  base_error_t error;
  assert_false(npy_read("none.npy", NPY_BIT(U2), &array, &error));
  assert_contains(error.text, "none.npy: No such file");
  assert_false(npy_read(".", NPY_BIT(U2), &array, &error));
  assert_contains(error.text, "directory");
  write_file("empty.npy", "", 0);
  assert_false(npy_read("empty.npy", NPY_BIT(U2), &array, &error));
  assert_contains(error.text, "not a .npy file");
  write_file("cut.npy", "\x93NUMPY\x01\x00\x76\x00{'descr'", 18);
  assert_false(npy_read("cut.npy", NPY_BIT(U2), &array, &error));
  assert_contains(error.text, "ends inside of its header");
}

TEST(written_comes_back) {
  uint16_t values[24];
  for (uint16_t i = 0; i < 24; ++i) {
    values[i] = (uint16_t)(i * 2741u);
  }
  const npy_array_t array = {.type = NPY_U2, .dims = 3, .shape = {2, 3, 4}, .data = values};
  FILE *file = fopen("w.npy", "wb");
  npy_write(file, &array);
  assert_int_equal(ftell(file) % 64, sizeof values % 64);
  assert_int_equal(fclose(file), 0);

  npy_array_t again;
  base_error_t error;
  char text[NPY_SHAPE_BYTES];
  assert_true(npy_read("w.npy", NPY_BIT(U2), &again, &error));
  assert_string_equal(npy_shape_text(again.shape, again.dims, text), "(2, 3, 4)");
  assert_string_equal(npy_index_text(&again, 23, text), "[1,2,3]");
  assert_memory_equal(again.data, values, sizeof values);
  npy_free(&again);
}
