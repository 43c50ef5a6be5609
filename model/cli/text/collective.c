// SPDX-License-Identifier: Apache-2.0
#include "cli/text/text.h"

// By level of the system's.
static void print_links(FILE *file, const collective_run_t *run) {
  const system_t *system = &run->request.system;
  const soc_result_t *soc = &run->kernel.result.soc;
  for (size_t level = 0; level < system->levels; ++level) {
    uint64_t bytes = 0, messages = 0;
    for (size_t i = 0; i < soc->link_count; ++i) {
      const bool here = system_level_of(system, soc->links[i].from, soc->links[i].to) == level;
      bytes += here ? soc->links[i].bytes : 0;
      messages += here ? soc->links[i].messages : 0;
    }
    if (messages > 0) {
      fprintf(file, "links    %s: %.2f MB in %llu messages\n", system->level[level].name, (double)bytes * 1e-6,
              (unsigned long long)messages);
    }
  }
}

void text_collective(FILE *file, const kernel_run_t *kernel) {
  const collective_run_t *run = (const collective_run_t *)kernel;
  const config_t *config = &run->machine.soc.config;
  const kernel_result_t *result = &kernel->result;
  fprintf(file, "kernel   %s of %llu bytes on %u dies of %s, %u AI cores each\n", collective_name(run->request.op),
          (unsigned long long)run->request.bytes, (unsigned)config->soc.dies, run->request.system_name,
          (unsigned)(config->soc.ai_cores / config->soc.dies));
  if (text_verify(file, result)) {
    fputc('\n', file);
  }
  fprintf(file, "time     %llu cycles = %.1f us at %g MHz, bus bandwidth %.2f GB/s\n",
          (unsigned long long)result->soc.cycles, result->time_us, config->soc.clock_mhz, collective_bus_gbps(run));
  text_traffic(file, config, &result->soc);
  print_links(file, run);
  text_pipes(file, &result->soc, true);
  text_host(file, &result->soc, run->machine.soc.threads);
}
