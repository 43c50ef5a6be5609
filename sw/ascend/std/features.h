// What the host's C++ headers ask of a C library that firmware has not got.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_ASCEND_STD_FEATURES_H
#define AMALGAM_SW_ASCEND_STD_FEATURES_H

#define __GLIBC_PREREQ(major, minor) 0

#endif
