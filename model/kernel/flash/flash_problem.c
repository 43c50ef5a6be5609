// SPDX-License-Identifier: Apache-2.0
#include "kernel/flash/flash_problem.h"

#include <stdlib.h>
#include <string.h>

void flash_free(flash_problem_t *problem) {
  if (!problem->in_global_memory) {
    free(problem->q);
    free(problem->k);
    free(problem->v);
  }
  free(problem->length);
  free(problem->visible);
  free(problem->sink);
  free(problem->table);
  memset(problem, 0, sizeof *problem);
}

size_t flash_length(const flash_problem_t *problem, size_t entry) {
  return problem->length == NULL ? problem->keys : (size_t)problem->length[entry / problem->kv_heads];
}

size_t flash_head(const flash_problem_t *problem, size_t entry, size_t row) {
  return entry % problem->kv_heads * (problem->heads / problem->kv_heads) + row / problem->seq_q;
}

size_t flash_seen(const flash_problem_t *problem, size_t entry, size_t row) {
  const size_t length = flash_length(problem, entry);
  const size_t later = problem->causal ? problem->seq_q - 1 - row % problem->seq_q : 0;
  return length > later ? length - later : 0;
}

static void gather_rows(const flash_problem_t *problem, const size_t *row, flash_part_t *part) {
  const num_attn_t *attn = &part->attn;
  const size_t rows = flash_rows(problem);
  for (size_t i = 0; i < attn->rows; ++i) {
    memcpy(part->q + i * attn->dk, problem->q + row[i] * attn->dk, attn->dk * sizeof *part->q);
    part->seen[i] = (uint32_t)flash_seen(problem, row[i] / rows, row[i] % rows);
    if (part->sink != NULL) {
      part->sink[i] = problem->sink[flash_head(problem, row[i] / rows, row[i] % rows)];
    }
    if (part->visible != NULL) {
      const size_t at = row[i] % rows % problem->mask_rows;
      memcpy(part->visible + i * attn->keys, problem->visible + at * problem->keys, attn->keys);
    }
  }
}

bool flash_part(const flash_problem_t *problem, const size_t *row, size_t rows, flash_part_t *part) {
  const size_t entry = row[0] / flash_rows(problem);
  const size_t keys = flash_length(problem, entry);
  *part = (flash_part_t){.attn = {.rows = rows,
                                  .keys = keys,
                                  .dk = problem->dk,
                                  .dv = problem->dv,
                                  .k = problem->k + entry * problem->keys * problem->dk,
                                  .ldk = problem->dk,
                                  .v = problem->v + entry * problem->keys * problem->dv,
                                  .ldv = problem->dv,
                                  .fp16 = problem->fp16,
                                  .scale = problem->scale,
                                  .cap = problem->cap,
                                  .block = problem->block,
                                  .splits = problem->splits},
                         .seen = malloc(rows * sizeof *part->seen),
                         .q = malloc(rows * problem->dk * sizeof *part->q)};
  const bool masked = problem->visible != NULL && keys > 0;
  part->visible = masked ? malloc(rows * keys) : NULL;
  part->sink = problem->sink == NULL ? NULL : malloc(rows * sizeof *part->sink);
  if (part->seen == NULL || part->q == NULL || (masked && part->visible == NULL) ||
      (problem->sink != NULL && part->sink == NULL)) {
    return false;
  }
  gather_rows(problem, row, part);
  part->attn.q = part->q;
  part->attn.seen = part->seen;
  part->attn.visible = part->visible;
  part->attn.sink = part->sink;
  return true;
}

void flash_part_free(flash_part_t *part) {
  free(part->seen);
  free(part->q);
  free(part->visible);
  free(part->sink);
}
