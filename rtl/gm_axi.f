// What gm_axi is made of; from modules.sh, by filelists.sh.  SPDX-License-Identifier: Apache-2.0
+incdir+lib
axi/axi_burst.v
axi/gm_axi.v
axi/gm_axi_read.v
fp/fp32_add.v
gm/gm_atomic.v
gm/gm_choose.v
gm/gm_lane_alu.v
gm/gm_s32_guard.v
lib/delay_line.v
lib/fifo.v
lib/pipe_cut.v
