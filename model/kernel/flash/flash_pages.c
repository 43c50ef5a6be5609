// Keys and values in pages, as servers keep them.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "kernel/flash/flash.h"
#include "num/num_rng.h"

enum { SEED_PAGES = 0x9a6e5, NOTHING = 0xff };  // NOTHING: bytes of NaNs, where no token is

// Every entry's, in an order that is drawn, of some more than are needed. Entries of the table that nobody reads are 0.
static bool deal_pages(flash_problem_t *problem, uint64_t seed) {
  size_t used = 0;
  for (size_t entry = 0; entry < problem->batch; ++entry) {
    used += ceil_div(flash_length(problem, entry * problem->kv_heads), FLASH_PAGE);
  }
  problem->all_pages = used + used / 8 + 1;
  problem->pages = ceil_div(problem->keys, FLASH_PAGE);
  problem->table = calloc(problem->batch * problem->pages, sizeof *problem->table);
  int32_t *page = malloc(problem->all_pages * sizeof *page);
  if (problem->table == NULL || page == NULL) {
    free(page);
    return false;
  }
  num_rng_t rng;
  num_rng_seed(&rng, seed ^ SEED_PAGES);
  for (size_t i = 0; i < problem->all_pages; ++i) {
    const size_t at = (size_t)(num_rng_u64(&rng) % (i + 1));
    page[i] = page[at];
    page[at] = (int32_t)i;
  }
  size_t next = 0;
  for (size_t entry = 0; entry < problem->batch; ++entry) {
    const size_t needed = ceil_div(flash_length(problem, entry * problem->kv_heads), FLASH_PAGE);
    for (size_t i = 0; i < needed; ++i) {
      problem->table[entry * problem->pages + i] = page[next++];
    }
  }
  free(page);
  return true;
}

// rows: keys or values, of so many elements each. NULL: no room.
static uint16_t *in_pages(const flash_problem_t *problem, const uint16_t *rows, size_t elements) {
  const size_t row = elements * sizeof *rows;
  const size_t bytes = problem->all_pages * problem->kv_heads * FLASH_PAGE * row;
  uint8_t *pages = soc_alloc(bytes);
  if (pages == NULL) {
    return NULL;
  }
  memset(pages, NOTHING, bytes);
  for (size_t entry = 0; entry < flash_entries(problem); ++entry) {
    const int32_t *table = problem->table + entry / problem->kv_heads * problem->pages;
    const size_t length = flash_length(problem, entry);
    for (size_t key = 0; key < length; key += FLASH_PAGE) {
      const size_t tokens = length - key < FLASH_PAGE ? length - key : FLASH_PAGE;
      const size_t head = (size_t)table[key / FLASH_PAGE] * problem->kv_heads + entry % problem->kv_heads;
      memcpy(pages + head * FLASH_PAGE * row, rows + (entry * problem->keys + key) * elements, tokens * row);
    }
  }
  return (uint16_t *)(void *)pages;
}

bool flash_make_pages(flash_problem_t *problem, uint64_t seed, base_error_t *error) {
  if (!deal_pages(problem, seed)) {
    return base_fail(error, "--paged: out of memory");
  }
  if (problem->k == NULL) {
    return true;
  }
  problem->k_pages = in_pages(problem, problem->k, problem->dk);
  problem->v_pages = in_pages(problem, problem->v, problem->dv);
  return (problem->k_pages != NULL && problem->v_pages != NULL) || base_fail(error, "%s", soc_no_room());
}
