// Which Amalgam this is.
// SPDX-License-Identifier: Apache-2.0
#ifndef CLI_VERSION_H
#define CLI_VERSION_H

// "0.1.0 (6fcd534c0b1e-dirty)": the release, and the commit of a checkout. The commit stands in a file that the build
// writes, not in the program: a sweep's results are not other ones for it.
const char *version_text(void);

#endif
