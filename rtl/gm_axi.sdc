# Constraints of gm_axi, before placement.  For any tool that reads SDC.  These may be set before:
#   period       the clock's, in the library's unit of time (ns)
#   uncertainty  of its edges, a share of the period
#   slew         of inputs, and half of the longest inside, a share of the period
#   load         on outputs, in the library's unit (pF)
#   driver       a cell of the library, which drives the inputs: none
# SPDX-License-Identifier: Apache-2.0
if {![info exists period]} { set period 1.0 }
if {![info exists uncertainty]} { set uncertainty 0.05 }
if {![info exists slew]} { set slew 0.1 }
if {![info exists load]} { set load 0.02 }
create_clock -name clk -period $period [get_ports aclk]
set_clock_uncertainty [expr $uncertainty * $period] [get_clocks clk]
set_input_transition [expr $slew * $period] [all_inputs]
if {$slew > 0} { set_max_transition [expr 2 * $slew * $period] [current_design] }
set_load $load [all_outputs]
if {[info exists driver]} { set_driving_cell -lib_cell $driver [all_inputs] }

# The buses take 30 % of a cycle, before an input and behind an output; the memory 70 % to read, and 50 % for an address.
set_input_delay [expr 0.3 * $period] -clock clk [get_ports {clear_i s_axi_aw*id s_axi_awaddr s_axi_awlen s_axi_awsize
  s_axi_awburst s_axi_awatop s_axi_awuser s_axi_w*valid s_axi_wdata s_axi_wstrb s_axi_wlast s_axi_bready s_axi_ar*id s_axi_araddr
  s_axi_arlen s_axi_arsize s_axi_arburst s_axi_rready}]
set_input_delay [expr 0.7 * $period] -clock clk [get_ports mem_rdata_i]
set_output_delay [expr 0.3 * $period] -clock clk [all_outputs]
set_output_delay [expr 0.5 * $period] -clock clk [get_ports {mem_re_o mem_raddr_o}]

# Falls at any time and rises with the clock (rtl/lib/reset_synchroniser.v); its tree comes with placement.
set_input_delay 0 -clock clk [get_ports aresetn]
set_false_path -from [get_ports aresetn]
