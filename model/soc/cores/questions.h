// Questions about the machine from other threads, those of debuggers: the simulation's thread answers them while it
// waits for a program.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_CORES_QUESTIONS_H
#define AMALGAM_SOC_CORES_QUESTIONS_H

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace soc {

class questions {
 public:
  struct question {
    std::string core, request, answer;  // core: whose program stands
    bool answered = false;
  };
  using handle = std::shared_ptr<question>;

  // --- who asks ---
  handle ask(const std::string &core, const std::string &request);
  // The answer; or that there is none, if the run is over.
  std::string wait(const handle &asked, const std::function<bool()> &over);

  // --- the simulation's side ---
  // Is there any, and of this core?
  bool any() const { return count_ != 0; }
  bool any(const std::string &core);
  // Answers all.
  void serve();
  std::function<std::string(const question &)> answer;  // null: nobody can

 private:
  std::mutex mutex_;
  std::condition_variable answered_;
  std::vector<handle> waiting_;
  std::atomic<size_t> count_{0};
};

}  // namespace soc

#endif
