// Output files: whole or not at all, all or none.
// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <sys/stat.h>

#include "base/output.h"
#include "cli_test.h"

static outputs_t outputs;
static base_error_t error;

static size_t files_here(void) {
  size_t count = 0;
  DIR *directory = opendir(".");
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    count += entry->d_name[0] != '.';
  }
  closedir(directory);
  return count;
}

static void assert_holds(const char *path, const char *text) {
  char have[64] = "";
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  have[fread(have, 1, sizeof have - 1, file)] = '\0';
  fclose(file);
  assert_string_equal(have, text);
}

static size_t add_and_write(const char *path, const char *text) {
  size_t index;
  assert_true(outputs_add(&outputs, path, &index, &error));
  FILE *file = outputs_open(&outputs, index, &error);
  assert_non_null(file);
  fputs(text, file);
  return index;
}

static void all_appear(void **state) {
  (void)state;
  write_file("a", "old", 3);
  assert_int_equal(symlink("a", "link"), 0);
  add_and_write("link", "new");
  add_and_write("b", "text");
  assert_holds("a", "old");          // until all are complete
  assert_true(outputs_commit(&outputs, &error));
  assert_holds("a", "new");          // the link's target was replaced, not the link
  assert_holds("b", "text");
  assert_int_equal(files_here(), 3);
  unlink("link");
  unlink("a");
  unlink("b");
}

static void none_appears(void **state) {
  (void)state;
  write_file("kept", "old", 3);
  add_and_write("kept", "new");
  add_and_write("/dev/full", "text");
  add_and_write("c", "text");
  assert_false(outputs_commit(&outputs, &error));
  assert_contains(error.text, "/dev/full: No space left");
  assert_holds("kept", "old");
  assert_int_equal(files_here(), 1);
  unlink("kept");
}

static void discarded(void **state) {
  (void)state;
  add_and_write("d", "text");
  outputs_discard(&outputs);
  assert_int_equal(files_here(), 0);
}

static void refuses(const char *path, const char *why) {
  size_t index;
  assert_false(outputs_add(&outputs, path, &index, &error));
  assert_contains(error.text, why);
}

static void refused(void **state) {
  (void)state;
  size_t index;
  refuses("", "empty file name");
  refuses(".", "directory");
  refuses("none/file", "none/file: No such file");
  refuses("new/", "directory");
  write_file("plain", "", 0);
  refuses("plain/file", "Not a directory");
  assert_true(outputs_add(&outputs, "same", &index, &error));
  refuses("same", "named for two outputs");
  outputs_discard(&outputs);
  unlink("plain");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_appear), cmocka_unit_test(none_appears),
                                     cmocka_unit_test(discarded), cmocka_unit_test(refused)};
  return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
