// The version and commit of this Amalgam.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_HOST_VERSION_H
#define AMALGAM_HOST_VERSION_H

// "0.1.0": the release.
const char *version_release(void);

// "6fcd534c0b1e-dirty": the commit of a checkout, "" where there is none. It stands in a file that the build writes,
// not in the program: a sweep's results are not other ones for it.
const char *version_commit(void);

// Both: "0.1.0 (6fcd534c0b1e-dirty)".
const char *version_text(void);

#endif
