// The cube cores' part of W4A16 of a step.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/step/w4a16/step_w4a16.h"
#include "kernels/w4a16/w4a16_cube_impl.h"

static uint64_t a_of(const w4a16_t *problem, const w4a16_unit_t *unit) {
  return problem->args.a + unit->split * problem->groups->a_gap;
}

static uint64_t c_of(const w4a16_t *problem, const w4a16_unit_t *unit) {
  return problem->args.c + unit->split * problem->groups->c_gap;
}

static uint32_t a_pitch(const w4a16_t *problem) { return problem->groups->a_pitch; }

static uint32_t c_pitch(const w4a16_t *problem) { return problem->groups->c_pitch; }

static const w4a16_cube_hooks_t cube_hooks = {.a = a_of, .c = c_of, .a_pitch = a_pitch, .c_pitch = c_pitch};

void step_w4a16_cube(const step_w4a16_args_t *args) {
  cube_t cube;
  struct w4a16_groups groups;
  step_w4a16_open(&cube.problem, &groups, args);
  multiply(&cube);
}
