// Facts from the host's operating system about this process.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_HOST_HOST_H
#define AMALGAM_HOST_HOST_H

// Seconds of wall-clock time since some moment.
double host_seconds(void);

// Seconds of processors that this process has taken since it began, in all its threads; 0: unknown.
double host_processor_seconds(void);

// The most memory that was ever resident, in MB; 0: unknown.
double host_peak_rss_mb(void);

#endif
