// SPDX-License-Identifier: Apache-2.0
#include "kernel/decode/decode_bound.h"

static const double least_share = 0.5;

decode_bound_t decode_bound(const config_t *config, const decode_sums_t *sums) {
  const double seconds = (double)sums->cycles / (config->soc.clock_mhz * 1e6);
  const double peak = 2.0 * config->cube.mac_m * config->cube.mac_n * config->cube.mac_k * config->soc.ai_cores;
  const double faster = (double)config->cube.mac_k_s8 / config->cube.mac_k;
  const double flop = sums->flop - sums->flop_s8 + sums->flop_s8 / faster;
  const double dies = config->soc.dies;
  const decode_bound_t needs[] = {{"hbm", (double)(sums->hbm_read + sums->hbm_write) /
                                              (config->gm.hbm_gbps * config->gm.hbm_efficiency * 1e9 * dies)},
                                  {"l2", (double)sums->l2_read / (config->gm.l2_gbps * 1e9 * dies)},
                                  {"cube", flop / (peak * config->soc.clock_mhz * 1e6)}};
  decode_bound_t most = {"latency", least_share};
  for (size_t i = 0; seconds > 0 && i < sizeof needs / sizeof *needs; ++i) {
    if (needs[i].share / seconds > most.share) {
      most = (decode_bound_t){needs[i].name, needs[i].share / seconds};
    }
  }
  return most;
}
