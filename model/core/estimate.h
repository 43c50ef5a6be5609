// Times on a machine, near enough to choose between plans: pipes, moves and scalar cores, all from its config. A plan
// counts a kernel's operations, and asks here how long they take.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CORE_ESTIMATE_H
#define AMALGAM_CORE_ESTIMATE_H

#include "core/core.h"

#ifdef __cplusplus
extern "C" {
#endif

// The share of its pipe's rate that a move of so many bytes gets: all of it, if
// it is large and each of its rows begins at a multiple of gm.align_bytes.
double estimate_efficiency(const config_t *config, double bytes, bool aligned);

// Bytes a microsecond that a pipe of so many GB/s moves, in moves of move_bytes
// each. aligned: the share of the moves whose rows begin so.
double estimate_move_rate(const config_t *config, double gbps, double move_bytes, double aligned);

// Products of all together m x n x k by so many MMADs, each of which has a flag
// to wait for and one to set.
double estimate_mmad_cycles(const config_t *config, double m, double n, double k, double mmads);

// MTE1's way of operands from L1 to L0A and L0B.
double estimate_l0_cycles(const config_t *config, double a_bytes, double b_bytes);

// A vector operation on rows x cols: opcode, kind of b, types as in
// commands.def.
double estimate_vector_cycles(const config_t *config, const cmd_vec_t *operation);

// A scalar core that pushes so many commands. instructions: for each, from its
// firmware's code.
double estimate_scalar_cycles(const config_t *config, double commands, double instructions);

// From a store to another core's first byte of it: write, flag, load.
double estimate_handover_cycles(const config_t *config);

#ifdef __cplusplus
}
#endif

#endif
