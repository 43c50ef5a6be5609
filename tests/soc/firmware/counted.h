// Before each push, firmware/counted.c runs a loop of two instructions so many times. Each is one instruction to
// load.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TESTS_SOC_FIRMWARE_COUNTED_H
#define AMALGAM_TESTS_SOC_FIRMWARE_COUNTED_H

#define COUNTED_LOOPS LOOPS(10) LOOPS(1000) LOOPS(2000) LOOPS(1) LOOPS(1500)

#endif
