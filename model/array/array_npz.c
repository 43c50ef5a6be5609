// NumPy's archives: zip files whose members are NAME.npy, stored or deflated. libzip reads them.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "array/array_internal.h"
#include "base/input.h"

static ssize_t read_member(void *member, char *bytes, size_t count) { return (ssize_t)zip_fread(member, bytes, count); }

static int close_member(void *member) { return zip_fclose(member); }

// As an array is called: without .npy.
static const char *member_name(const void *archive, size_t index) {
  static char name[64];
  const char *full = zip_get_name((zip_t *)(uintptr_t)archive, index, 0);
  snprintf(name, sizeof name, "%.60s", full == NULL ? "?" : full);
  char *ending = strrchr(name, '.');
  if (ending != NULL && strcmp(ending, ".npy") == 0) {
    *ending = '\0';
  }
  return name;
}

static bool no_such(zip_t *archive, const array_name_t *name, base_error_t *error) {
  char list[ARRAY_LIST_BYTES];
  const zip_int64_t members = zip_get_num_entries(archive, 0);
  array_list(archive, members < 0 ? 0 : (size_t)members, member_name, list);
  return name->array[0] == '\0'
             ? base_fail(error, "%.200s: an archive; expected %.80s:NAME%s", name->file, name->file, list)
             : base_fail(error, "%.200s: no array '%.80s'%s", name->file, name->array, list);
}

// Python's zipfile takes the last of several members of a name, other readers the first.
static bool is_one(zip_t *archive, const char *member, const array_name_t *name, base_error_t *error) {
  const zip_int64_t members = zip_get_num_entries(archive, 0);
  size_t count = 0;
  for (zip_int64_t i = 0; i < members; ++i) {
    const char *other = zip_get_name(archive, (zip_uint64_t)i, 0);
    count += other != NULL && strcmp(other, member) == 0;
  }
  return count == 1 || base_fail(error, "%.200s: %zu arrays of that name; expected one", name->whole, count);
}

static bool read_one(zip_t *archive, zip_uint64_t index, const array_name_t *name, unsigned accepted,
                     npy_array_t *array, base_error_t *error) {
  zip_stat_t status;
  zip_file_t *member = zip_fopen_index(archive, index, 0);
  if (member == NULL || zip_stat_index(archive, index, 0, &status) != 0 || (status.valid & ZIP_STAT_SIZE) == 0) {
    if (member != NULL) {
      zip_fclose(member);
    }
    return base_fail(error, "%s: %.100s; expected an archive as np.savez writes it", name->whole,
                     zip_strerror(archive));
  }
  FILE *stream = fopencookie(member, "rb", (cookie_io_functions_t){.read = read_member, .close = close_member});
  if (stream == NULL) {
    zip_fclose(member);
    return base_fail(error, "%s: out of memory", name->whole);
  }
  bool good = npy_read_stream(stream, name->whole, (int64_t)status.size, accepted, array, error);
  if (zip_error_code_zip(zip_file_get_error(member)) != ZIP_ER_OK) {  // such as a checksum, whatever else is wrong
    good = base_fail(error, "%s: %s", name->whole, zip_file_strerror(member));
    npy_free(array);
  }
  fclose(stream);
  return good;
}

static bool read_archive(zip_t *archive, const array_name_t *name, unsigned accepted, npy_array_t *array,
                         base_error_t *error) {
  char member[512];
  const int length = snprintf(member, sizeof member, "%s.npy", name->array);
  zip_int64_t index = length < (int)sizeof member && name->array[0] != '\0' ? zip_name_locate(archive, member, 0) : -1;
  if (index < 0 && name->array[0] != '\0') {
    index = zip_name_locate(archive, name->array, 0);
  }
  return index < 0 ? no_such(archive, name, error)
                   : is_one(archive, zip_get_name(archive, (zip_uint64_t)index, 0), name, error) &&
                         read_one(archive, (zip_uint64_t)index, name, accepted, array, error);
}

bool array_read_npz(const array_name_t *name, unsigned accepted, npy_array_t *array, base_error_t *error) {
  int code = 0;
  if (!input_check(name->file, error)) {
    return false;
  }
  zip_t *archive = zip_open(name->file, ZIP_RDONLY, &code);
  if (archive == NULL) {
    zip_error_t reason;
    zip_error_init_with_code(&reason, code);
    base_fail(error, "%s: %s; expected an archive as np.savez writes it", name->file, zip_error_strerror(&reason));
    zip_error_fini(&reason);
    return false;
  }
  const bool good = read_archive(archive, name, accepted, array, error);
  zip_discard(archive);
  return good;
}
