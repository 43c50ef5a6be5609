# Constraints of all synchronisers (synchroniser.v) in a design, beside those of its top: what comes in has no time of its own.
# `stages` may be set before: STAGES.  For any tool that reads SDC.  SPDX-License-Identifier: Apache-2.0
if {![info exists stages]} { set stages 2 }
set first [expr $stages - 1]
set_false_path -to [get_cells -quiet -hierarchical "*stage_q?${first}?* *stage_q??${first}*"]
