// SPDX-License-Identifier: Apache-2.0
#include "soc/cores/questions.h"

#include <algorithm>
#include <chrono>

namespace soc {

questions::handle questions::ask(const std::string &core, const std::string &request) {
  const std::lock_guard<std::mutex> lock(mutex_);
  waiting_.push_back(std::make_shared<question>(question{core, request, "", false}));
  count_ = waiting_.size();
  return waiting_.back();
}

std::string questions::wait(const handle &asked, const std::function<bool()> &over) {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!asked->answered && !over()) {
    answered_.wait_for(lock, std::chrono::milliseconds(100));
  }
  return asked->answered ? asked->answer : "the run is over\n";
}

bool questions::any(const std::string &core) {
  if (count_ == 0) {
    return false;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::any_of(waiting_.begin(), waiting_.end(), [&core](const handle &q) { return q->core == core; });
}

void questions::serve() {
  std::vector<handle> list;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    list.swap(waiting_);
    count_ = 0;
  }
  for (const handle &q : list) {
    std::string text = answer ? answer(*q) : "nobody can answer that\n";
    const std::lock_guard<std::mutex> lock(mutex_);
    q->answer = std::move(text);
    q->answered = true;
    answered_.notify_all();
  }
}

}  // namespace soc
