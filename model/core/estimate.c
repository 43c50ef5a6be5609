// SPDX-License-Identifier: Apache-2.0
#include "core/estimate.h"

double estimate_efficiency(const config_t *config, double bytes, bool aligned) {
  const config_gm_t *gm = &config->gm;
  const double small = bytes >= gm->move_bytes ? 0 : 1 - bytes / gm->move_bytes;
  return 1 - (1 - gm->worst_efficiency) * (aligned ? small : 1);
}

double estimate_move_rate(const config_t *config, double gbps, double move_bytes, double aligned) {
  return gbps * 1e3 /
         (aligned / estimate_efficiency(config, move_bytes, true) +
          (1 - aligned) / estimate_efficiency(config, move_bytes, false));
}

double estimate_mmad_cycles(const config_t *config, double m, double n, double k, double mmads) {
  const config_cube_t *cube = &config->cube;
  return m / cube->mac_m * n / cube->mac_n * k / cube->mac_k +
         mmads * (cube->mmad_startup + 2 * config->soc.flag_cycles);
}

double estimate_l0_cycles(const config_t *config, double a_bytes, double b_bytes) {
  return a_bytes / config->cube.l0a_bytes_per_cycle + b_bytes / config->cube.l0b_bytes_per_cycle;
}

double estimate_vector_cycles(const config_t *config, const cmd_vec_t *operation) {
  command_t command = {.vec = *operation};
  command.header.opcode_ = OP_VEC;
  return (double)core_cycles(config, &command);
}

double estimate_scalar_cycles(const config_t *config, double commands, double instructions) {
  return commands * (config->scalar.push_cycles + instructions * config->scalar.cpi);
}

double estimate_handover_cycles(const config_t *config) {
  return (config->gm.write_latency_us + config->soc.cross_flag_us + config->gm.l2_latency_us) * config->soc.clock_mhz;
}
