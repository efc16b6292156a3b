// See eal_arguments.h.
//
// Thread: any, at start only (setenv is not safe beside threads that read the environment; the data
// plane is opened before those are started).
#include "port/eal_arguments.h"

#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace bayplan::dataplane {
namespace {

// True for "--name", "--name=value" and, for one letter, "-nvalue".
bool names(const std::string& argument, std::string_view name) {
    if (argument.rfind(name, 0) != 0) return false;
    if (argument.size() == name.size()) return true;
    const bool is_letter = name.size() == 2;
    return is_letter || argument[name.size()] == '=';
}

bool has(const std::vector<std::string>& arguments, std::string_view name) {
    return std::ranges::any_of(arguments, [&](const auto& a) { return names(a, name); });
}

std::string& private_directory() {
    static std::string directory;
    return directory;
}

void remove_private_directory() {
    std::error_code ignored;  // at exit nobody is left to tell
    std::filesystem::remove_all(private_directory(), ignored);
}

}  // namespace

bool complete_eal_arguments(const std::vector<std::string>& given, int first_cpu, int pid,
                            std::vector<std::string>& out, std::string& error) {
    if (has(given, "--no-huge") && has(given, "--in-memory")) {
        error = "EAL arguments --no-huge and --in-memory exclude each other: leave out --in-memory";
        return false;
    }
    out = {"bayplan"};
    out.insert(out.end(), given.begin(), given.end());
    if (!has(given, "-l") && !has(given, "-c") && !has(given, "--lcores")) {
        out.insert(out.end(), {"-l", std::to_string(first_cpu)});
    }
    const bool shared = has(given, "--file-prefix") || has(given, "--proc-type");
    if (!shared) out.push_back("--file-prefix=bayplan_" + std::to_string(pid));
    if (!shared && !has(given, "--in-memory") && !has(given, "--no-shconf")) {
        out.push_back("--no-shconf");
    }
    if (!has(given, "--telemetry") && !has(given, "--no-telemetry")) {
        out.push_back("--no-telemetry");
    }
    return true;
}

std::vector<std::string> vdevs_of(const std::vector<std::string>& arguments) {
    constexpr std::string_view kVdev = "--vdev";
    std::vector<std::string> found;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (!names(arguments[i], kVdev)) continue;
        if (arguments[i].size() > kVdev.size()) {
            found.push_back(arguments[i].substr(kVdev.size() + 1));
        } else if (i + 1 < arguments.size()) {
            found.push_back(arguments[i + 1]);
        }
    }
    return found;
}

int first_allowed_cpu() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &allowed)) return cpu;
    }
    return 0;
}

bool prepare_runtime_directory(std::string& error) {
    // EAL looks at these itself, in this order.
    if (std::getenv("RUNTIME_DIRECTORY") != nullptr) return true;
    if (getuid() != 0) return true;
    constexpr const char* kDefault = "/var/run/dpdk";
    mkdir(kDefault, 0700);  // as EAL would; whether it worked is what the next line asks
    if (access(kDefault, W_OK | X_OK) == 0) return true;
    std::string path = (std::filesystem::temp_directory_path() / "bayplan-dpdk-").string();
    path.append(6, 'X');  // mkdtemp replaces these
    if (mkdtemp(path.data()) == nullptr) {
        error = "cannot write to " + std::string(kDefault) + " nor make " + path +
                ": set RUNTIME_DIRECTORY to a directory that this user may write to";
        return false;
    }
    private_directory() = path;
    std::atexit(remove_private_directory);
    setenv("RUNTIME_DIRECTORY", path.c_str(), 1);
    return true;
}

}  // namespace bayplan::dataplane
