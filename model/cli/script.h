// Commands that the script in the checkout's root does itself: here are their pages.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CLI_SCRIPT_H
#define AMALGAM_CLI_SCRIPT_H

int script_firmware(int argc, char **argv);
int script_ascend(int argc, char **argv);
int script_test(int argc, char **argv);
int script_fuzz(int argc, char **argv);
int script_coverage(int argc, char **argv);
int script_mutants(int argc, char **argv);
int script_setup(int argc, char **argv);
int script_build(int argc, char **argv);

#endif
