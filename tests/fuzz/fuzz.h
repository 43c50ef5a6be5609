// The parts of a harness of libFuzzer. Each is one file, FORMAT.c or FORMAT.cpp; replay.c runs it on
// given files without libFuzzer.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TESTS_FUZZ_FUZZ_H
#define AMALGAM_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// One input: whatever it is, nothing crashes, hangs, leaks or takes much memory. 0.
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

// The name of a file in memory that holds these bytes, until the next call.
const char *fuzz_file(const uint8_t *bytes, size_t size);

// Ends the process with a message, for libFuzzer to keep the input: an expectation that did not hold.
#define FUZZ_EXPECT(what) ((what) ? (void)0 : fuzz_broken(__FILE__, __LINE__, #what))
void fuzz_broken(const char *file, int line, const char *what) __attribute__((noreturn));

#ifdef __cplusplus
}
#endif

#endif
