// Output files: whole or not at all, all or none.
// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

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

TEST_GROUP(enter_directory, leave_directory)

TEST(all_appear) {
  write_file("a", "old", 3);
  assert_int_equal(symlink("a", "link"), 0);
  add_and_write("link", "new");
  add_and_write("b", "text");
  assert_holds("a", "old");  // until all are complete
  assert_true(outputs_commit(&outputs, &error));
  assert_holds("a", "new");  // the link's target was replaced, not the link
  assert_holds("b", "text");
  assert_int_equal(files_here(), 3);
  unlink("link");
  unlink("a");
  unlink("b");
}

// Through a link to a file that is not there, that file is written; modes and nodes stay.
TEST(nodes_stay) {
  struct stat status;
  assert_int_equal(mkdir("sub", 0777), 0);
  assert_int_equal(symlink("sub/one", "two"), 0);
  assert_int_equal(symlink("../new", "sub/one"), 0);
  add_and_write("two", "text");
  assert_true(outputs_commit(&outputs, &error));
  assert_holds("new", "text");
  assert_int_equal(lstat("two", &status), 0);
  assert_true(S_ISLNK(status.st_mode));
  assert_int_equal(lstat("sub/one", &status), 0);
  assert_true(S_ISLNK(status.st_mode));
  assert_int_equal(chmod("new", 0600), 0);
  add_and_write("new", "more");
  assert_true(outputs_commit(&outputs, &error));
  assert_int_equal(stat("new", &status), 0);
  assert_int_equal(status.st_mode & 0777, 0600);

  size_t index;
  if (mknod("device", S_IFCHR | 0666, makedev(1, 3)) != 0) {  // not root: whose mistakes cost nobody /dev/null
    assert_int_equal(symlink("/dev/null", "device"), 0);
  }
  assert_int_equal(symlink("device", "null"), 0);
  assert_true(outputs_add(&outputs, "null", &index, &error));
  assert_true(outputs_stage(&outputs, index, &error));
  write_file(outputs_path(&outputs, index), "text", 4);
  outputs_written(&outputs, index);
  add_and_write("null", "a device may be named twice");
  assert_true(outputs_commit(&outputs, &error));
  assert_int_equal(stat("device", &status), 0);
  assert_true(S_ISCHR(status.st_mode));
  assert_int_equal(files_here(), 5);
  unlink("device");
  unlink("null");
  unlink("two");
  unlink("new");
  unlink("sub/one");
  rmdir("sub");
}

// A file that another program may have put where the temporary one goes is not written through.
TEST(no_link_is_followed) {
  char name[64];
  snprintf(name, sizeof name, "out.part-%ld", (long)getpid());
  write_file("precious", "old", 3);
  assert_int_equal(symlink("precious", name), 0);
  add_and_write("out", "new");
  assert_true(outputs_commit(&outputs, &error));
  assert_holds("precious", "old");
  assert_holds("out", "new");
  unlink("precious");
  unlink("out");
}

TEST(none_appears) {
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

TEST(discarded) {
  add_and_write("d", "text");
  outputs_discard(&outputs);
  assert_int_equal(files_here(), 0);
}

static void refuses(const char *path, const char *why) {
  size_t index;
  assert_false(outputs_add(&outputs, path, &index, &error));
  assert_contains(error.text, why);
}

TEST(refused) {
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
  assert_int_equal(link("plain", "hard"), 0);
  assert_int_equal(symlink("hard", "soft"), 0);
  assert_true(outputs_add(&outputs, "plain", &index, &error));
  refuses("hard", "named for two outputs");
  assert_false(output_spares("./soft", &error));
  outputs_discard(&outputs);
  assert_true(output_spares("soft", &error));
  refuses("plain", "is read");
  assert_int_equal(symlink("circle", "circle"), 0);
  refuses("circle", "symbolic links");
  char name[400];
  memset(name, 'x', sizeof name);
  name[300] = '\0';
  refuses(name, "too long");
  name[255] = '\0';  // as long as a name may be
  add_and_write(name, "text");
  assert_true(outputs_commit(&outputs, &error));
  unlink(name);
  unlink("circle");
  unlink("soft");
  unlink("hard");
  unlink("plain");
}
