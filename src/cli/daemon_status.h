// Figures of a run that only the daemon knows, read from the file that `baypland --status` writes.
//
// Thread: any. Errors: as text; a field that is not there stays empty.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <sys/types.h>

namespace bayplan::cli {

struct DaemonStatus {
    std::string digest;
    std::string port;
    std::optional<std::uint64_t> uptime_ms;  // when it was written
    std::optional<std::uint64_t> attempts;
    std::optional<std::uint64_t> placed;
    std::optional<std::uint64_t> failed;
    std::optional<std::uint64_t> rx_packets;
    std::optional<std::uint64_t> tx_packets;
    std::optional<std::uint64_t> workers;
    pid_t pid = 0;  // 0: not told
    std::optional<double> cpu_seconds;
    std::optional<std::uint64_t> cpus_allowed;   // how many its process may use
    std::map<std::string, std::uint64_t> drops;  // by name
    std::string cpus;                            // of all roles, as JSON

    std::uint64_t dropped() const;
};

std::optional<DaemonStatus> parse_daemon_status(const std::string& text, std::string& error);
std::optional<DaemonStatus> read_daemon_status(const std::string& path, std::string& error);

}  // namespace bayplan::cli
