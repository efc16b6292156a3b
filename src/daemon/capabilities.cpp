// See capabilities.h.
#include "daemon/capabilities.h"

#include <fmt/format.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace bayplan::daemon {
namespace {

constexpr std::chrono::seconds kDroppedWithin{5};
constexpr std::chrono::milliseconds kDropPoll{1};
// Nobody else of the process uses a real-time signal.
int signal_of_ours() { return SIGRTMIN + 3; }

// In a signal handler: a system call and nothing else.
void drop_own(int) {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
    syscall(SYS_capset, &header, none);
}

struct Thread {
    pid_t id = 0;
    std::string name;
};

// Threads that may still do something, now or by asking for it.
std::vector<Thread> privileged_threads() {
    std::vector<Thread> found;
    std::error_code ignored;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
        const std::string status = task.path() / "status";
        const std::string permitted = status_field(status, "CapPrm");
        // Empty: it ended meanwhile.
        if (permitted.find_first_not_of('0') == std::string::npos) continue;
        found.push_back({std::stoi(task.path().filename().string()), status_field(status, "Name")});
    }
    return found;
}

}  // namespace

std::string status_field(const std::string& file, const std::string& name) {
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(name + ":")) continue;
        const std::size_t at = line.find_first_not_of(" \t", name.size() + 1);
        return at == std::string::npos ? std::string() : line.substr(at);
    }
    return {};
}

bool drop_capabilities(std::string& error) {
    struct sigaction action {};
    action.sa_handler = drop_own;
    action.sa_flags = SA_RESTART;
    sigaction(signal_of_ours(), &action, nullptr);
    drop_own(0);
    const auto deadline = std::chrono::steady_clock::now() + kDroppedWithin;
    // Again and again: a thread that keeps its own may begin another one.
    std::vector<Thread> left = privileged_threads();
    while (!left.empty()) {
        if (std::chrono::steady_clock::now() >= deadline) {
            error = fmt::format("the thread '{}' keeps its capabilities", left.front().name);
            return false;
        }
        for (const Thread& thread : left) syscall(SYS_tgkill, getpid(), thread.id, signal_of_ours());
        std::this_thread::sleep_for(kDropPoll);
        left = privileged_threads();
    }
    return true;
}

}  // namespace bayplan::daemon
