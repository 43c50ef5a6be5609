# Constraints of attention_engine, before placement.  For any tool that reads SDC.  These may be set before:
#   period       the clock's, in the library's unit of time (ns)
#   uncertainty  of its edges, a share of the period
#   slew         of inputs, and half of the longest inside, a share of the period
#   load         on outputs, in the library's unit (pF)
#   driver       a cell of the library, which drives the inputs: none
# SPDX-License-Identifier: Apache-2.0
if {![info exists period]} { set period 2.0 }
if {![info exists uncertainty]} { set uncertainty 0.05 }
if {![info exists slew]} { set slew 0.1 }
if {![info exists load]} { set load 0.02 }
create_clock -name clk -period $period [get_ports clk_i]
set_clock_uncertainty [expr $uncertainty * $period] [get_clocks clk]
set_input_transition [expr $slew * $period] [all_inputs]
if {$slew > 0} { set_max_transition [expr 2 * $slew * $period] [current_design] }
set_load $load [all_outputs]
if {[info exists driver]} { set_driving_cell -lib_cell $driver [all_inputs] }

# The neighbours take 30 % of a cycle, before an input and behind an output.
set_input_delay [expr 0.3 * $period] -clock clk \
  [get_ports {kv_*_i q_i q_*_i carry_*_i mask_i mask_valid_i out_ready_i}]
set_output_delay [expr 0.3 * $period] -clock clk [all_outputs]

# Falls at any time and rises with the clock (rtl/lib/reset_synchroniser.v); its tree comes with placement.
set_input_delay 0 -clock clk [get_ports rst_ni]
set_false_path -from [get_ports rst_ni]

# The division looks at a triplet for two cycles and loads its quotients in the second (rtl/softmax/divide.v):
# from the registers of the last ACC, or for P = 1 of the FAU, to those of the result.  What starts in control
# has one cycle.  Registers go by their own names or, in netlists, by those of the ports that they drive.
set triplets [get_cells -quiet -hierarchical {*u_acc*out_o_* *u_triplet*first_q* *u_fau*out_o_o*}]
set quotients [get_cells -quiet -hierarchical {*u_divide*out_o_* out_o_o* *u_engine.out_o_o*}]
set_multicycle_path 2 -setup -from $triplets -to $quotients
set_multicycle_path 1 -hold -from $triplets -to $quotients
