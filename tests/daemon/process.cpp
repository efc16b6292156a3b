// See process.h. BAYPLAN_BAYPLAND is the program's path, set by the build.
#include "process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

namespace bayplan::testing {
namespace {

std::filesystem::path fresh_folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "baypland-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    return pattern;
}

pid_t start(const std::vector<std::string>& arguments, const std::filesystem::path& output) {
    std::vector<std::string> all{BAYPLAN_BAYPLAND};
    all.insert(all.end(), arguments.begin(), arguments.end());
    std::vector<char*> raw;
    for (std::string& each : all) raw.push_back(each.data());
    raw.push_back(nullptr);
    const pid_t pid = fork();
    if (pid != 0) return pid;
    const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    execv(raw[0], raw.data());
    _exit(127);
}

// A process that does not end is ended, and its status then says so.
int exit_status(pid_t pid) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    int status = 0;
    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() > deadline) kill(pid, SIGKILL);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

std::string read_file(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

int run_to_end(const std::vector<std::string>& arguments, std::string& output) {
    const std::filesystem::path folder = fresh_folder();
    const int status = exit_status(start(arguments, folder / "output"));
    output = read_file(folder / "output");
    std::filesystem::remove_all(folder);
    return status;
}

Process::Process(const std::string& configuration, const std::vector<std::string>& arguments)
    : folder_(fresh_folder()) {
    std::ofstream(folder_ / "baypland.yaml") << configuration;
    std::vector<std::string> all{"--config", file("baypland.yaml"), "--status", file("status.json")};
    all.insert(all.end(), arguments.begin(), arguments.end());
    pid_ = start(all, folder_ / "log");
}

Process::~Process() {
    if (pid_ > 0) {
        kill(pid_, SIGKILL);
        exit_status(pid_);
    }
    std::filesystem::remove_all(folder_);
}

bool Process::wait_for_log(const std::string& part) const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (log().find(part) == std::string::npos) {
        siginfo_t info{};
        const bool ended =
            waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid_;
        if (ended || std::chrono::steady_clock::now() > deadline) return log().find(part) != std::string::npos;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
}

std::string Process::log() const { return read_file(folder_ / "log"); }

void Process::signal(int number) const { kill(pid_, number); }

int Process::wait_for_exit() { return exit_status(std::exchange(pid_, -1)); }

std::uint16_t Process::udp_port() const {
    const std::string text = log();
    const std::string key = " udp_port=";
    const std::size_t at = text.find(key);
    return at == std::string::npos ? 0 : static_cast<std::uint16_t>(std::atoi(text.c_str() + at + key.size()));
}

std::multimap<std::string, std::string> Process::affinities() const {
    std::multimap<std::string, std::string> result;
    for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(pid_) + "/task")) {
        std::ifstream status(task.path() / "status");
        std::string line;
        std::string name;
        while (std::getline(status, line)) {
            const auto value = [&line] { return line.substr(line.find('\t') + 1); };
            if (line.starts_with("Name:")) name = value();
            if (line.starts_with("Cpus_allowed_list:")) {
                const bool main = task.path().filename() == std::to_string(pid_);
                result.emplace(main ? "main" : name, value());
            }
        }
    }
    return result;
}

}  // namespace bayplan::testing
