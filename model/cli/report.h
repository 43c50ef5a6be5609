// The command `report`.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CLI_REPORT_H
#define AMALGAM_CLI_REPORT_H

// argv[0] is "report".  Returns the exit code.
int report_command(int argc, char **argv);

#endif
