//   magic "\x93NUMPY" | major, minor | header length (2 bytes, version 2: 4) | header | elements
//
// The header is a Python dictionary with exactly the keys descr, fortran_order and shape.
// SPDX-License-Identifier: Apache-2.0
#include "base/npy.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/input.h"

enum { MAGIC_BYTES = 6, MAX_HEADER = 1 << 16, MAX_DESCR = 32 };

static const char magic[MAGIC_BYTES] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

static const struct {
  const char *descr;
  size_t bytes;
} types[] = {
#define NPY_TYPE(name, descr, bytes) {descr, bytes},
    NPY_TYPES(NPY_TYPE)
#undef NPY_TYPE
};
enum { TYPE_COUNT = sizeof types / sizeof *types };

size_t npy_element_bytes(npy_type_t type) { return types[type].bytes; }

size_t npy_count(const npy_array_t *array) {
  size_t count = 1;
  for (size_t i = 0; i < array->dims; ++i) {
    count *= array->shape[i];
  }
  return count;
}

void npy_free(npy_array_t *array) {
  free(array->data);
  memset(array, 0, sizeof *array);
}

// --- the header -------------------------------------------------------------------------------

typedef struct header {
  char descr[MAX_DESCR];
  bool fortran_order;
  size_t dims;
  size_t shape[NPY_MAX_DIMS];
  unsigned seen;  // a bit for each key
} header_t;

static void skip_space(const char **text) { *text += strspn(*text, " \t\n"); }

static bool take(const char **text, const char *token) {
  skip_space(text);
  const size_t length = strlen(token);
  if (strncmp(*text, token, length) != 0) {
    return false;
  }
  *text += length;
  return true;
}

static bool take_string(const char **text, char *string, size_t size) {
  skip_space(text);
  const char quote = **text;
  if (quote != '\'' && quote != '"') {
    return false;
  }
  const char *end = strchr(*text + 1, quote);
  if (end == NULL || (size_t)(end - *text) > size) {
    return false;
  }
  const size_t length = (size_t)(end - *text - 1);
  memcpy(string, *text + 1, length);
  string[length] = '\0';
  *text = end + 1;
  return true;
}

static bool take_size(const char **text, size_t *size) {
  skip_space(text);
  if (!isdigit((unsigned char)**text)) {
    return false;
  }
  char *end;
  errno = 0;
  const unsigned long long number = strtoull(*text, &end, 10);
  *text = end;
  *size = (size_t)number;
  return errno == 0 && number <= SIZE_MAX / 16;
}

static bool take_bool(const char **text, bool *value) {
  *value = take(text, "True");
  return *value || take(text, "False");
}

// "()", "(3,)", "(3, 4)", "(3, 4,)"; more sizes than NPY_MAX_DIMS are counted, not kept.
static bool take_shape(const char **text, header_t *header) {
  if (!take(text, "(")) {
    return false;
  }
  bool comma = true;
  while (!take(text, ")")) {
    size_t size;
    if (!comma || !take_size(text, &size)) {
      return false;
    }
    if (header->dims < NPY_MAX_DIMS) {
      header->shape[header->dims] = size;
    }
    ++header->dims;
    comma = take(text, ",");
  }
  return header->dims != 1 || comma;  // "(3)" is a number in Python
}

static int find_key(const char *key) {
  static const char *const keys[] = {"descr", "fortran_order", "shape"};
  for (int i = 0; i < 3; ++i) {
    if (strcmp(key, keys[i]) == 0) {
      return i;
    }
  }
  return -1;
}

static bool take_entry(const char **text, header_t *header) {
  char name[MAX_DESCR];
  if (!take_string(text, name, sizeof name) || !take(text, ":")) {
    return false;
  }
  const int key = find_key(name);
  if (key < 0 || (header->seen >> key & 1u) != 0) {
    return false;
  }
  header->seen |= 1u << key;
  switch (key) {
    case 0:
      return take_string(text, header->descr, sizeof header->descr);
    case 1:
      return take_bool(text, &header->fortran_order);
    default:
      return take_shape(text, header);
  }
}

static bool parse_header(const char *text, header_t *header) {
  if (!take(&text, "{")) {
    return false;
  }
  bool comma = true;
  while (!take(&text, "}")) {
    if (!comma || !take_entry(&text, header)) {
      return false;
    }
    comma = take(&text, ",");
  }
  skip_space(&text);
  return *text == '\0' && header->seen == 7u;
}

// --- reading ----------------------------------------------------------------------------------

// bytes: how many it took.
static bool read_header_text(FILE *file, const char *path, char text[MAX_HEADER + 1], size_t *bytes,
                             base_error_t *error) {
  unsigned char start[MAGIC_BYTES + 2];
  unsigned char size[4] = {0};
  const bool whole = fread(start, 1, sizeof start, file) == sizeof start;
  if (whole && memcmp(start, "version ", sizeof start) == 0) {
    return base_fail(error, "%s: a pointer of Git LFS; expected the file that it stands for (git lfs pull)", path);
  }
  if (!whole || memcmp(start, magic, MAGIC_BYTES) != 0) {
    return base_fail(error, "%s: not a .npy file", path);
  }
  const unsigned major = start[MAGIC_BYTES];
  const size_t size_bytes = major == 1 ? 2 : 4;
  if (major < 1 || major > 2 || start[MAGIC_BYTES + 1] != 0) {
    return base_fail(error, "%s: .npy version %u.%u; expected 1.0 or 2.0", path, major, start[MAGIC_BYTES + 1]);
  }
  const bool sized = fread(size, 1, size_bytes, file) == size_bytes;
  const size_t length = size[0] | (size_t)size[1] << 8 | (size_t)size[2] << 16 | (size_t)size[3] << 24;
  if (sized && length > MAX_HEADER) {
    return base_fail(error, "%s: header of %zu bytes; expected at most %d", path, length, MAX_HEADER);
  }
  if (!sized || fread(text, 1, length, file) != length) {
    return base_fail(error, "%s: file ends inside of its header", path);
  }
  text[length] = '\0';
  *bytes = sizeof start + size_bytes + length;
  return strlen(text) == length || base_fail(error, "%s: malformed .npy header", path);
}

static void accepted_text(unsigned accepted, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (unsigned i = 0; i < TYPE_COUNT; ++i) {
    if ((accepted >> i & 1u) != 0 && used < size) {
      used += (size_t)snprintf(text + used, size - used, "%s'%s'", used == 0 ? "" : " or ", types[i].descr);
    }
  }
}

static bool find_type(const char *path, const char *descr, unsigned accepted, npy_type_t *type, base_error_t *error) {
  char names[TYPE_COUNT * 12];
  accepted_text(accepted, names, sizeof names);
  if (strcmp(descr, "|V2") == 0 || strcmp(descr, "<V2") == 0) {
    descr = types[NPY_U2].descr;
  }
  for (unsigned i = 0; i < TYPE_COUNT; ++i) {
    if (strcmp(types[i].descr, descr) == 0 && (accepted >> i & 1u) != 0) {
      *type = (npy_type_t)i;
      return true;
    }
  }
  return base_fail(error, "%s: dtype '%s'; expected %s", path, descr, names);
}

static bool count_fits(const header_t *header, size_t element_bytes) {
  size_t bytes = element_bytes;
  for (size_t i = 0; i < header->dims; ++i) {
    if (header->shape[i] != 0 && bytes > SIZE_MAX / 2 / header->shape[i]) {
      return false;
    }
    bytes *= header->shape[i];
  }
  return true;
}

static bool describe(const char *path, const char *text, unsigned accepted, npy_array_t *array, base_error_t *error) {
  header_t header = {0};
  if (!parse_header(text, &header)) {
    return base_fail(error, "%s: malformed .npy header", path);
  }
  if (!find_type(path, header.descr, accepted, &array->type, error)) {
    return false;
  }
  if (header.dims > NPY_MAX_DIMS) {
    return base_fail(error, "%s: %zu dimensions; expected at most %d", path, header.dims, NPY_MAX_DIMS);
  }
  if (header.fortran_order && header.dims > 1) {
    return base_fail(error, "%s: Fortran order; expected C order (numpy.ascontiguousarray)", path);
  }
  if (!count_fits(&header, npy_element_bytes(array->type))) {
    return base_fail(error, "%s: shape too large", path);
  }
  array->dims = header.dims;
  memcpy(array->shape, header.shape, sizeof array->shape);
  return true;
}

// A file that says how large it is must agree with its header before memory is taken for it. header: bytes of it.
static bool check_size(int64_t size, size_t header, const char *path, size_t bytes, base_error_t *error) {
  if (size < (int64_t)header) {
    return true;  // not known
  }
  const size_t left = (size_t)size - header;
  if (left < bytes) {
    return base_fail(error, "%s: truncated: %zu bytes of data, its shape needs %zu", path, left, bytes);
  }
  return left == bytes || base_fail(error, "%s: %zu bytes of trailing data", path, left - bytes);
}

static bool read_elements(FILE *file, const char *path, int64_t size, size_t header, npy_array_t *array,
                          base_error_t *error) {
  const size_t bytes = npy_count(array) * npy_element_bytes(array->type);
  if (!check_size(size, header, path, bytes, error)) {
    return false;
  }
  array->data = malloc(bytes == 0 ? 1 : bytes);
  if (array->data == NULL) {
    return base_fail(error, "%s: out of memory (%zu bytes)", path, bytes);
  }
  const size_t got = fread(array->data, 1, bytes, file);
  if (ferror(file)) {
    return base_fail(error, "%s: %s", path, strerror(errno));
  }
  if (got != bytes) {
    return base_fail(error, "%s: truncated: %zu bytes of data, its shape needs %zu", path, got, bytes);
  }
  if (fgetc(file) != EOF) {
    return base_fail(error, "%s: trailing data", path);
  }
  return !ferror(file) || base_fail(error, "%s: %s", path, strerror(errno));
}

static bool read_open(FILE *file, const char *path, int64_t size, unsigned accepted, npy_array_t *array,
                      base_error_t *error) {
  size_t header = 0;
  char *text = malloc(MAX_HEADER + 1);
  const bool good = text == NULL ? base_fail(error, "out of memory")
                                 : read_header_text(file, path, text, &header, error) &&
                                       describe(path, text, accepted, array, error) &&
                                       read_elements(file, path, size, header, array, error);
  free(text);
  return good;
}

bool npy_read(const char *path, unsigned accepted, npy_array_t *array, base_error_t *error) {
  struct stat status;
  memset(array, 0, sizeof *array);
  FILE *file = input_open(path, error);
  if (file == NULL) {
    return false;
  }
  const bool known = fstat(fileno(file), &status) == 0;
  const bool good =
      known && S_ISDIR(status.st_mode)
          ? base_fail(error, "%s: %s", path, strerror(EISDIR))
          : npy_read_stream(file, path, known && S_ISREG(status.st_mode) ? (int64_t)status.st_size : NPY_UNKNOWN_SIZE,
                            accepted, array, error);
  fclose(file);
  return good;
}

bool npy_read_stream(FILE *file, const char *name, int64_t size, unsigned accepted, npy_array_t *array,
                     base_error_t *error) {
  memset(array, 0, sizeof *array);
  const bool good = read_open(file, name, size, accepted, array, error);
  if (!good) {
    npy_free(array);
  }
  return good;
}

// --- writing ----------------------------------------------------------------------------------

void npy_write(FILE *file, const npy_array_t *array) {
  char shape[NPY_SHAPE_BYTES];
  char text[256];
  const int used = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                            types[array->type].descr, npy_shape_text(array->shape, array->dims, shape));
  // Padded with spaces and a newline so that the elements start at a multiple of 64.
  const unsigned before = MAGIC_BYTES + 4;
  const unsigned total = (before + (unsigned)used + 1 + 63) / 64 * 64;
  const unsigned length = total - before;
  const unsigned char size[4] = {1, 0, (unsigned char)(length & 0xffu), (unsigned char)(length >> 8)};
  fwrite(magic, 1, MAGIC_BYTES, file);
  fwrite(size, 1, sizeof size, file);
  fprintf(file, "%-*s\n", (int)length - 1, text);
  fwrite(array->data, npy_element_bytes(array->type), npy_count(array), file);
}

static const char *list_text(const size_t *values, size_t count, const char *separator, char text[NPY_SHAPE_BYTES]) {
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; i < count && used < NPY_SHAPE_BYTES; ++i) {
    used += (size_t)snprintf(text + used, NPY_SHAPE_BYTES - used, "%s%zu", i == 0 ? "" : separator, values[i]);
  }
  return text;
}

const char *npy_shape_text(const size_t *shape, size_t dims, char text[NPY_SHAPE_BYTES]) {
  char list[NPY_SHAPE_BYTES];
  list_text(shape, dims, ", ", list);
  snprintf(text, NPY_SHAPE_BYTES, "(%.90s%s)", list, dims == 1 ? "," : "");
  return text;
}

const char *npy_index_text(const npy_array_t *array, size_t index, char text[NPY_SHAPE_BYTES]) {
  size_t position[NPY_MAX_DIMS] = {0};
  char list[NPY_SHAPE_BYTES];
  for (size_t i = array->dims; i-- > 0;) {
    position[i] = index % array->shape[i];
    index /= array->shape[i];
  }
  list_text(position, array->dims, ",", list);
  snprintf(text, NPY_SHAPE_BYTES, "[%.90s]", list);
  return text;
}

bool npy_refuse_shape(const char *path, const npy_array_t *array, base_error_t *error, const char *expected, ...) {
  char shape[NPY_SHAPE_BYTES];
  char what[NPY_SHAPE_BYTES];
  va_list arguments;
  va_start(arguments, expected);
  vsnprintf(what, sizeof what, expected, arguments);
  va_end(arguments);
  return base_fail(error, "%s: shape %s%s; expected %s", path, npy_shape_text(array->shape, array->dims, shape),
                   npy_count(array) == 0 ? ", without elements" : "", what);
}
