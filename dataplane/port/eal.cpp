// See eal.h.
//
// Thread: guarded by one mutex; slow path only, but for register_polling_thread(), which is a check
// of a thread-local flag after its first call.
#include "port/eal.h"

#include <rte_bus_vdev.h>
#include <rte_dev.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <rte_log.h>
#include <rte_pdump.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <deque>
#include <mutex>
#include <string_view>
#include <thread>

#include "port/eal_arguments.h"
#include "port/port_log.h"

namespace bayplan::dataplane {
namespace {

// The last lines before a failure are its explanation. Written by any thread that logs.
struct LastLines {
    std::mutex mutex;
    std::deque<std::string> lines;
    bool keep = false;
};

LastLines& last_lines() {
    static LastLines lines;
    return lines;
}

// DPDK writes whole lines, each with one call.
ssize_t write_log(void*, const char* bytes, std::size_t size) {
    std::string_view line(bytes, size);
    while (!line.empty() && line.back() == '\n') line.remove_suffix(1);
    if (!line.empty()) log_of_port(line);
    LastLines& last = last_lines();
    const std::lock_guard lock(last.mutex);
    if (last.keep && !line.empty()) {
        last.lines.emplace_back(line);
        if (last.lines.size() > 4) last.lines.pop_front();
    }
    return static_cast<ssize_t>(size);
}

void keep_last_lines(bool keep) {
    const std::lock_guard lock(last_lines().mutex);
    last_lines().keep = keep;
    if (keep) last_lines().lines.clear();
}

std::string explain() {
    const std::lock_guard lock(last_lines().mutex);
    std::string text;
    for (const std::string& line : last_lines().lines) text += (text.empty() ? "" : "; ") + line;
    return text;
}

void route_logs() {
    cookie_io_functions_t functions{};
    functions.write = write_log;
    static FILE* stream = fopencookie(nullptr, "w", functions);
    if (stream == nullptr) return;
    setvbuf(stream, nullptr, _IOLBF, BUFSIZ);
    rte_openlog_stream(stream);
    rte_log_set_global_level(RTE_LOG_WARNING);
}

struct State {
    std::mutex mutex;
    bool started = false;
    std::atomic<bool> capture{false};
};

State& state() {
    static State value;
    return value;
}

int init(const std::vector<std::string>& arguments) {
    // EAL reorders the array and keeps pointers into the strings: both live as long as the process.
    static std::vector<std::string> kept;
    static std::vector<char*> pointers;
    kept = arguments;
    pointers.clear();
    for (std::string& argument : kept) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    int result = -1;
    std::thread([&] { result = rte_eal_init(static_cast<int>(kept.size()), pointers.data()); }).join();
    return result;
}

bool start_first_time(const std::vector<std::string>& arguments, std::string& error) {
    std::vector<std::string> completed;
    if (!complete_eal_arguments(arguments, first_allowed_cpu(), getpid(), completed, error) ||
        !prepare_runtime_directory(error)) {
        return false;
    }
    const auto is_virtio_user = [](const std::string& vdev) { return vdev.rfind("net_virtio_user", 0) == 0; };
    // A virtio_user peer that vanishes raises SIGPIPE in its driver.
    if (std::ranges::any_of(vdevs_of(arguments), is_virtio_user)) std::signal(SIGPIPE, SIG_IGN);
    route_logs();
    keep_last_lines(true);
    const int result = init(completed);
    keep_last_lines(false);
    if (result < 0) {
        error = "DPDK did not start: " + std::string(rte_strerror(rte_errno));
        if (const std::string why = explain(); !why.empty()) error += " (" + why + ")";
        return false;
    }
    // EAL makes a directory even when it shares no file; an empty one would stay behind for ever.
    rmdir(rte_eal_get_runtime_dir());
    return true;
}

bool bring_up_missing(const std::vector<std::string>& arguments, std::string& error) {
    for (const std::string& vdev : vdevs_of(arguments)) {
        const std::string name = vdev.substr(0, vdev.find(','));
        std::uint16_t port_id = 0;
        if (rte_eth_dev_get_port_by_name(name.c_str(), &port_id) == 0) continue;
        keep_last_lines(true);
        const std::size_t comma = vdev.find(',');
        const char* options = comma == std::string::npos ? "" : vdev.c_str() + comma + 1;
        const int result = rte_vdev_init(name.c_str(), options);
        keep_last_lines(false);
        if (result == 0) continue;
        error = "cannot bring up DPDK device " + vdev + ": " + rte_strerror(-result);
        if (const std::string why = explain(); !why.empty()) error += " (" + why + ")";
        return false;
    }
    return true;
}

}  // namespace

std::vector<std::string> portable_eal_arguments() { return {"--no-huge", "-m", "256", "--no-pci"}; }

bool start_eal(const std::vector<std::string>& arguments, std::string& error) {
    const std::lock_guard lock(state().mutex);
    if (state().started) return bring_up_missing(arguments, error);
    state().started = start_first_time(arguments, error);
    return state().started;
}

bool allow_capture(std::string& error) {
    const std::lock_guard lock(state().mutex);
    if (state().capture) return true;
    if (rte_eal_has_hugepages() == 0) {
        error = "packets can be captured only if DPDK uses hugepages: leave out --no-huge, or capture";
    } else if (rte_pdump_init() != 0) {
        error = "packets cannot be captured: " + std::string(rte_strerror(rte_errno));
    } else {
        state().capture = true;
    }
    return state().capture;
}

void register_polling_thread() {
    struct Registration {
        // An EAL thread, or one registered by its owner, has an id already and keeps it. DPDK lets no other process attach
        // once a thread was registered: where packets may be captured, buffers come without a thread's cache.
        const bool ours = !state().capture && rte_lcore_id() == LCORE_ID_ANY && rte_thread_register() == 0;
        ~Registration() {
            if (ours) rte_thread_unregister();
        }
    };
    thread_local const Registration registration;
    static_cast<void>(registration);
}

}  // namespace bayplan::dataplane
