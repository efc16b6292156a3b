// See daemon_status.h.
#include "cli/daemon_status.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <boost/json.hpp>

namespace bayplan::cli {

namespace json = boost::json;

namespace {

std::optional<std::uint64_t> number(const json::object& object, const char* name) {
    const json::value* const value = object.if_contains(name);
    if (value == nullptr) {
        return std::nullopt;
    }
    if (const std::int64_t* const signed_value = value->if_int64(); signed_value != nullptr) {
        return static_cast<std::uint64_t>(*signed_value);
    }
    const std::uint64_t* const unsigned_value = value->if_uint64();
    return unsigned_value == nullptr ? std::nullopt : std::optional(*unsigned_value);
}

std::string text(const json::object& object, const char* name) {
    const json::value* const value = object.if_contains(name);
    const json::string* const found = value == nullptr ? nullptr : value->if_string();
    return found == nullptr ? std::string() : std::string(found->begin(), found->end());
}

}  // namespace

std::uint64_t DaemonStatus::dropped() const {
    std::uint64_t sum = 0;
    for (const auto& [name, count] : drops) {
        sum += count;
    }
    return sum;
}

std::optional<DaemonStatus> parse_daemon_status(const std::string& content, std::string& error) {
    json::error_code code;
    const json::value parsed = json::parse(content, code);
    if (code || !parsed.is_object()) {
        error = code ? code.message() : "is not a JSON object";
        return std::nullopt;
    }
    const json::object& object = parsed.get_object();
    DaemonStatus status;
    status.digest = text(object, "digest");
    status.port = text(object, "port");
    status.uptime_ms = number(object, "uptime_ms");
    status.attempts = number(object, "attempts");
    status.placed = number(object, "placed");
    status.failed = number(object, "failed");
    status.rx_packets = number(object, "rx_packets");
    status.tx_packets = number(object, "tx_packets");
    status.workers = number(object, "workers");
    status.pid = static_cast<pid_t>(number(object, "pid").value_or(0));
    status.cpus_allowed = number(object, "cpus_allowed");
    if (const json::value* const used = object.if_contains("cpu_seconds"); used != nullptr && used->is_number()) {
        status.cpu_seconds = used->to_number<double>();
    }
    if (const json::value* const drops = object.if_contains("drops"); drops != nullptr && drops->is_object()) {
        for (const auto& [name, value] : drops->get_object()) {
            status.drops.emplace(std::string(name), number(drops->get_object(), std::string(name).c_str()).value_or(0));
        }
    }
    if (const json::value* const cpus = object.if_contains("cpus"); cpus != nullptr) {
        status.cpus = json::serialize(*cpus);
    }
    return status;
}

std::optional<DaemonStatus> read_daemon_status(const std::string& path, std::string& error) {
    std::ifstream file(path);
    std::stringstream content;
    if (!file || !(content << file.rdbuf())) {
        error = fmt::format("{}: {}", path, std::strerror(errno));
        return std::nullopt;
    }
    std::optional<DaemonStatus> status = parse_daemon_status(content.str(), error);
    if (!status) {
        error = fmt::format("{}: {}", path, error);
    }
    return status;
}

}  // namespace bayplan::cli
