// The vector cores' part of W4A16 of a step: dequantisation.
//
// A row of a tile of 64 columns is half a register wide, and an operation takes as long for it as for 128. So two rows
// are taken as one, with scales and zeros twice, one beside the other.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/step/w4a16/step_w4a16.h"
#include "kernels/w4a16/w4a16_dequant_impl.h"

enum { NARROW = 64, COPIES = 2 };

static uint64_t w_of(const w4a16_t *problem, const w4a16_unit_t *unit) {
  return problem->args.w + unit->split * problem->groups->w_group;
}

static uint64_t scale_of(const w4a16_t *problem, const w4a16_unit_t *unit) {
  return problem->args.scale + unit->split * problem->groups->scale_group;
}

static uint64_t zero_of(const w4a16_t *problem, const w4a16_unit_t *unit) {
  return problem->args.zero + unit->split * problem->groups->zero_group;
}

// Rows of a whole tile of so many columns follow each other without gaps.
static bool in_pairs(const dequant_t *d, const job_t *job) {
  const w4a16_args_t *args = &d->problem->args;
  return args->tile_cols == NARROW && job->cols == NARROW && args->zeros != W4A16_ANY_ZEROS;
}

// A row twice is two rows with no pitch.
static void load_scales(const dequant_t *d, const job_t *job, uint64_t gm, uint32_t ub, uint32_t rows) {
  const uint32_t pitch = 2 * d->problem->args.n;
  if (!in_pairs(d, job)) {
    data_copy_gm_to_ub(.gm = gm, .gm_pitch = pitch, .ub = ub, .ub_pitch = d->scale_pitch, .rows = rows,
                       .row_bytes = 2 * job->cols);
    return;
  }
  for (uint32_t i = 0; i < rows; ++i) {
    data_copy_gm_to_ub(.gm = gm + (uint64_t)i * pitch, .gm_pitch = 0, .ub = ub + i * d->scale_pitch,
                       .ub_pitch = d->scale_pitch / COPIES, .rows = COPIES, .row_bytes = 2 * NARROW);
  }
}

static void scale_rows(const dequant_t *d, const job_t *job, const segment_t *s) {
  const uint32_t scale = ring_slot(&d->in, job->use) + d->w_bytes + s->offset;
  const uint32_t rows = ring_slot(&d->out, job->use) + s->row * d->out_pitch;
  const uint32_t pitch = COPIES * d->out_pitch;
  if (!in_pairs(d, job) || s->rows % COPIES != 0) {
    scale_half(d, job, s);
    return;
  }
  if (d->problem->args.zeros == W4A16_HALF_ZEROS) {
    vector_op(.op = VOP_SUB, .rows = s->rows / COPIES, .cols = COPIES * NARROW, .dst = rows, .dst_pitch = pitch,
              .a = rows, .a_pitch = pitch, .b = scale + d->scale_bytes, .from = TYPE_F16, .to = TYPE_F16);
  }
  vector_op(.op = VOP_MUL, .rows = s->rows / COPIES, .cols = COPIES * NARROW, .dst = rows, .dst_pitch = pitch,
            .a = rows, .a_pitch = pitch, .b = scale, .from = TYPE_F16, .to = TYPE_F16);
}

static const w4a16_dequant_hooks_t dequant_hooks = {
    .w = w_of,
    .scale = scale_of,
    .zero = zero_of,
    .load_scales = load_scales,
    .scale_copies = COPIES,
    .scale_half = scale_rows,
};

void step_w4a16_vector(const step_w4a16_args_t *args) {
  w4a16_t problem;
  struct w4a16_groups groups;
  step_w4a16_open(&problem, &groups, args);
  dequantise(&problem);
}
