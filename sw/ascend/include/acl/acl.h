// Kernels include this for the host's side, which is not theirs here.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_ASCEND_INCLUDE_ACL_ACL_H
#define AMALGAM_SW_ASCEND_INCLUDE_ACL_ACL_H
#endif
