// The main() of programs that have none of their own.
// SPDX-License-Identifier: Apache-2.0
#include "test.h"

int main(int argc, char **argv) { return test_run(argc > 1 ? argv[1] : NULL); }
