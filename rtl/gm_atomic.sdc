# Constraints of gm_atomic, before placement.  For any tool that reads SDC; `period` may be set before: the
# clock's, in the library's unit of time (ns).  SPDX-License-Identifier: Apache-2.0
if {![info exists period]} { set period 1.0 }
create_clock -name clk -period $period [get_ports clk_i]

# The neighbours take 30 % of a cycle, before an input and behind an output; the memory 70 % to read, and 50 %
# for an address.
set_input_delay [expr 0.3 * $period] -clock clk [get_ports {clear_i req_*_i rsp_ready_i}]
set_input_delay [expr 0.7 * $period] -clock clk [get_ports mem_rdata_i]
set_output_delay [expr 0.3 * $period] -clock clk [all_outputs]
set_output_delay [expr 0.5 * $period] -clock clk [get_ports {mem_re_o mem_raddr_o}]

# Falls at any time and rises with the clock (rtl/lib/reset_synchroniser.v); its tree comes with placement.
set_false_path -from [get_ports rst_ni]
