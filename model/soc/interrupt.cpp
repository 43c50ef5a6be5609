// SPDX-License-Identifier: Apache-2.0
#include "soc/interrupt.h"

#include <csignal>

namespace soc {
namespace {

volatile std::sig_atomic_t caught = 0;
struct sigaction before, before_term;

void note(int) { caught = 1; }

}  // namespace

bool interrupted() { return caught != 0; }

interrupt_guard::interrupt_guard() {
  struct sigaction action = {};
  action.sa_handler = note;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &before);
  sigaction(SIGTERM, &action, &before_term);   // a run may stand in a debugger for long
}

interrupt_guard::~interrupt_guard() {
  sigaction(SIGINT, &before, nullptr);
  sigaction(SIGTERM, &before_term, nullptr);
}

}  // namespace soc
