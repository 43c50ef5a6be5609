// A sweep on a Slurm cluster: its workers are jobs there. All that they have in common with the sweep, and with each
// other, is the store: which points are left is read from it, and who runs them is the workers' own affair
// (store/claim.h). So nothing is lost with a job, a node, the controller or the sweep itself, but what was under way.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SWEEP_CLUSTER_H
#define AMALGAM_SWEEP_CLUSTER_H

#include "sweep/sweep.h"

typedef struct sweep_cluster {
  const char *partition, *time;  // as sbatch has them; NULL: the cluster's own
  uint64_t memory_mb;            // of a worker; 0: the same
  uint32_t most;                 // workers at a time, 0: no limit
  uint32_t chunk;                // points that a worker runs before it ends, at least 1
  const char *const *option;     // others for sbatch (slurm_options)
} sweep_cluster_t;

// Has all points run that are left, until the last has a result. An interrupt ends the workers that this process has
// started. Others that run the same may come and go, and what they have started is counted, too.
// BASE_OK: also if points failed. BASE_INTERRUPTED; BASE_BAD_INPUT: error says why.
base_exit_t sweep_cluster(sweep_t *sweep, const sweep_cluster_t *settings, base_error_t *error);

#endif
