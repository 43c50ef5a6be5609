# Constraints of attention_engine, before placement.  For any tool that reads SDC; `period` may be set before:
# the clock's, in the library's unit of time (ns).  SPDX-License-Identifier: Apache-2.0
if {![info exists period]} { set period 2.0 }
create_clock -name clk -period $period [get_ports clk_i]

# The neighbours take 30 % of a cycle, before an input and behind an output.
set_input_delay [expr 0.3 * $period] -clock clk \
  [get_ports {kv_*_i q_i q_*_i carry_*_i mask_i mask_valid_i out_ready_i}]
set_output_delay [expr 0.3 * $period] -clock clk [all_outputs]

# Falls at any time and rises with the clock (rtl/lib/reset_synchroniser.v); its tree comes with placement.
set_false_path -from [get_ports rst_ni]

# The division looks at a triplet for two cycles and loads its quotients in the second (rtl/softmax/divide.v):
# from the registers of the last ACC, or for P = 1 of the FAU, to those of the result.  What starts in control
# has one cycle.  Registers go by their own names or, in netlists, by those of the ports that they drive.
set triplets [get_cells -hierarchical {*u_acc*out_o_* *u_triplet*first_q* *u_fau*out_o_o*}]
set quotients [get_cells -hierarchical {*u_divide*out_o_*}]
set_multicycle_path 2 -setup -from $triplets -to $quotients
set_multicycle_path 1 -hold -from $triplets -to $quotients
