// Accesses of two AI cores that race, and those that do not.
// SPDX-License-Identifier: Apache-2.0
#include "memory_test.h"
#include "soc/races/gm_owners.h"

namespace {

constexpr uint64_t kLine = 512;

// An access of rows runs of bytes, as the class sees it; the AI core it races with, or -1.
int access(soc::gm_owners &owners, unsigned core, uint32_t syncs, bool write, uint64_t base, uint64_t rows,
           uint64_t row_bytes, uint64_t pitch) {
  core_access_t a = {};
  a.space = SPACE_GM;
  a.write = write;
  a.rows = rows;
  a.row_bytes = row_bytes;
  a.pitch = pitch;
  const auto other = owners.access(core, syncs, a, base);
  return other ? static_cast<int>(*other) : -1;
}

int write(soc::gm_owners &owners, unsigned core, uint64_t base, uint64_t bytes, uint32_t syncs = 0) {
  return access(owners, core, syncs, true, base, 1, bytes, bytes);
}

int read(soc::gm_owners &owners, unsigned core, uint64_t base, uint64_t bytes, uint32_t syncs = 0) {
  return access(owners, core, syncs, false, base, 1, bytes, bytes);
}

TEST(whole_lines) {
  soc::gm_owners owners(100 * kLine);
  assert_int_equal(write(owners, 3, 2 * kLine, 4 * kLine), -1);
  assert_int_equal(write(owners, 3, 2 * kLine, 4 * kLine), -1);
  assert_int_equal(read(owners, 3, 3 * kLine, 10), -1);
  assert_int_equal(read(owners, 4, 6 * kLine, kLine), -1);  // beside it
  assert_int_equal(read(owners, 4, 5 * kLine + 511, 1), 3);
  assert_int_equal(write(owners, 4, 5 * kLine, kLine), 3);
  assert_int_equal(write(owners, 4, 2 * kLine - 8, 9), 3);
}

TEST(parts_of_a_line) {
  soc::gm_owners owners(100 * kLine);
  assert_int_equal(write(owners, 0, 100, 50), -1);
  assert_int_equal(write(owners, 1, 150, 50), -1);  // the same line, other bytes
  assert_int_equal(read(owners, 1, 90, 10), -1);
  assert_int_equal(read(owners, 1, 90, 11), 0);
  assert_int_equal(write(owners, 0, 149, 2), 1);
  assert_int_equal(write(owners, 2, 0, kLine), 0);
}

// A line written as a whole, then in part.
TEST(a_line_and_its_parts) {
  soc::gm_owners owners(100 * kLine);
  write(owners, 0, 0, kLine, 0);
  assert_int_equal(write(owners, 0, 100, 10, 1), -1);
  assert_int_equal(read(owners, 1, 105, 1, 1), 0);  // written again after the SYNC_ALL
  soc::gm_owners others(100 * kLine);
  write(others, 0, 0, kLine, 0);
  assert_int_equal(write(others, 1, 100, 10, 1), -1);
  assert_int_equal(write(others, 2, 200, 10, 1), -1);  // beside it
  assert_int_equal(read(others, 2, 109, 1, 1), 1);
  assert_int_equal(read(others, 3, 300, 10, 0), 0);  // has no SYNC_ALL behind it
}

TEST(rows_with_gaps) {
  soc::gm_owners owners(100 * kLine);
  assert_int_equal(access(owners, 0, 0, true, 0, 8, 64, 256), -1);
  assert_int_equal(access(owners, 1, 0, true, 64, 8, 192, 256), -1);
  assert_int_equal(access(owners, 2, 0, false, 7 * 256 + 63, 1, 1, 1), 0);
  assert_int_equal(access(owners, 2, 0, false, 7 * 256 + 64, 1, 1, 1), 1);
}

// Bytes written before a SYNC_ALL may be read after it; those written after it may not.
TEST(a_sync_orders) {
  soc::gm_owners owners(100 * kLine);
  write(owners, 0, 0, kLine);
  write(owners, 0, kLine + 8, 8);
  assert_int_equal(read(owners, 1, 0, 2 * kLine, 0), 0);
  assert_int_equal(read(owners, 1, 0, 2 * kLine, 1), -1);
  assert_int_equal(write(owners, 1, 0, 2 * kLine, 1), -1);  // now its own
  assert_int_equal(read(owners, 0, 0, 8, 1), 1);
  assert_int_equal(read(owners, 0, kLine + 8, 8, 1), 1);
  assert_int_equal(read(owners, 0, 0, 2 * kLine, 2), -1);
}

}  // namespace
