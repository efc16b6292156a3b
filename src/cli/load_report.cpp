// See load_report.h.
#include "cli/load_report.h"

#include <cmath>
#include <set>

#include <fmt/format.h>
#include <boost/json.hpp>

namespace bayplan::cli {

namespace json = boost::json;

namespace {

// Packets and drops as one side counts them.
struct PortFigures {
    std::string port;
    std::uint64_t rx_packets = 0;
    std::uint64_t tx_packets = 0;
    std::uint64_t dropped = 0;
};

PortFigures figures(const LoadResult& result, const std::optional<DaemonStatus>& daemon) {
    if (daemon) {
        return {daemon->port, daemon->rx_packets.value_or(0), daemon->tx_packets.value_or(0), daemon->dropped()};
    }
    PortFigures own{result.port, 0, 0, 0};
    for (const auto& [name, value] : result.port_counters) {
        if (name == "rx_packets") {
            own.rx_packets = value;
        } else if (name == "tx_packets") {
            own.tx_packets = value;
        } else if (name.starts_with("drop_")) {
            own.dropped += value;
        }
    }
    return own;
}

std::string_view to_string(LoadEnd end) {
    switch (end) {
        case LoadEnd::settled: return "settled";
        case LoadEnd::timed_out: return "timed out";
        case LoadEnd::interrupted: return "interrupted";
        case LoadEnd::refused: return "refused by the daemon";
        case LoadEnd::unreachable: return "not connected";
        case LoadEnd::broken: return "broken off";
    }
    return "";
}

std::string latency(double us) {
    return us < 10'000 ? fmt::format("{:.0f} us", us) : fmt::format("{:.1f} ms", us / 1'000);
}

// The reasons without how many nodes each of them holds for: pods differ in these numbers only.
std::string without_counts(std::string_view reason) {
    constexpr std::string_view kMark = " nodes are available: ";
    const std::size_t mark = reason.find(kMark);
    if (mark == std::string_view::npos) {
        return std::string(reason);
    }
    std::string_view rest = reason.substr(mark + kMark.size());
    if (rest.ends_with('.')) {
        rest.remove_suffix(1);
    }
    std::set<std::string_view> parts;
    for (std::size_t end = 0; end != std::string_view::npos;) {
        end = rest.find(", ");
        const std::string_view part = rest.substr(0, end);
        const std::size_t digits = part.find_first_not_of("0123456789");
        parts.insert(digits < part.size() && part[digits] == ' ' ? part.substr(digits + 1) : part);
        rest = end == std::string_view::npos ? rest : rest.substr(end + 2);
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string reasons_text(const LoadResult& result) {
    std::map<std::string, std::uint64_t> groups;
    for (const auto& [reason, count] : result.reasons) {
        groups[without_counts(reason)] += count;
    }
    std::string text;
    for (const auto& [reason, count] : groups) {
        text += fmt::format("            {:6}  {}\n", count, reason);
    }
    return text;
}

std::string faults_text(const LoadResult& result) {
    std::string text;
    if (result.end != LoadEnd::settled) {
        text += fmt::format("end         {}: {}\n", to_string(result.end), result.why);
    }
    if (result.lost > 0) {
        text += fmt::format("LOST        {} asks were taken and never answered\n", result.lost);
    }
    if (result.duplicates > 0) {
        text += fmt::format("DOUBLED     {} allocations of pods that had one, or were gone\n", result.duplicates);
    }
    for (const std::string& node : result.overcommitted) {
        text += fmt::format("OVERFULL    {}\n", node);
    }
    if (result.rejected_other > 0) {
        text +=
            fmt::format("rejected    {} statements, the first: {}\n", result.rejected_other, result.first_rejection);
    }
    return text;
}

double two_digits(double value) { return std::round(value * 100) / 100; }

// The CPUs of the roles: "any", or each role's own.
std::string cpus_text(const std::string& cpus) {
    std::map<std::string, std::string> roles;
    std::set<std::string> different;
    json::error_code code;
    const json::value parsed = json::parse(cpus, code);
    if (code || !parsed.is_object()) {
        return "not known";
    }
    for (const auto& [role, list] : parsed.get_object()) {
        const std::string text = list.is_string() ? std::string(list.get_string()) : "?";
        roles[std::string(role)] = text;
        different.insert(text);
    }
    if (different.size() == 1) {
        return *different.begin();
    }
    std::vector<std::string> each;
    for (const auto& [role, list] : roles) {
        each.push_back(fmt::format("{} {}", role, list));
    }
    return fmt::format("{}", fmt::join(each, ", "));
}

std::string cores_text(const LoadResult& result, const DaemonStatus& daemon) {
    const std::string used = result.daemon_cores ? fmt::format("{:.1f}", *result.daemon_cores) : "not known";
    const std::string allowed = daemon.cpus_allowed ? fmt::format(" of {}", *daemon.cpus_allowed) : "";
    std::string shim;
    if (result.cores_include_shim) {
        shim = ", the shim's own included";
    } else if (result.shim_cores) {
        shim = fmt::format(", the shim {:.1f}", *result.shim_cores);
    }
    return fmt::format("cores used {}{}{} (by role: {})", used, allowed, shim, cpus_text(daemon.cpus));
}

std::string switches_text(const LoadResult& result) {
    const auto text = [](std::optional<std::uint64_t> count) {
        return count ? fmt::format("{}", *count) : std::string("not known");
    };
    const std::string whose =
        result.cores_include_shim
            ? fmt::format("{}, daemon and shim together", text(result.switches_of_shim))
            : fmt::format("daemon {}, shim {}", text(result.switches_of_daemon), text(result.switches_of_shim));
    return fmt::format("switches    {} (involuntary: something else took the CPU)\n", whose);
}

std::string changes_text(const LoadResult& result) {
    std::string text;
    if (result.restored + result.finished + result.renewed + result.nacked + result.nodes_lost > 0) {
        text += fmt::format(
            "changes     {} from the journal, {} released for good, {} asked for anew, {} refused, "
            "{} nodes lost\n",
            result.restored, result.finished, result.renewed, result.nacked, result.nodes_lost);
    }
    if (result.plugin_answers > 0) {
        text += fmt::format("plugin      {} queries answered, {} nodes refused\n", result.plugin_answers,
                            result.plugin_refusals);
    }
    if (const auto& others = result.without_plugin) {
        text += fmt::format("the others  {:.0f} pods/s, latency p50 {}, p99 {}\n", others->pods_per_s,
                            latency(others->p50_us), latency(others->p99_us));
    }
    if (result.claims_given_back > 0) {
        text += fmt::format("claims      {} given back\n", result.claims_given_back);
    }
    if (result.preempted + result.nominations > 0) {
        text += fmt::format("preemption  {} pods told to go, {} nominations\n", result.preempted, result.nominations);
    }
    if (result.client.connects > 1) {
        text += fmt::format("connection  {} times: {} resumed, {} resynchronised; {} repeats skipped\n",
                            result.client.connects, result.client.resumes, result.client.resyncs,
                            result.client.decisions_repeated);
    }
    return text;
}

}  // namespace

std::string report_text(const LoadResult& result, const workload::Workload& load,
                        const std::optional<DaemonStatus>& daemon) {
    const PortFigures port = figures(result, daemon);
    std::string text =
        fmt::format("load        {}: {} nodes, {} pods\n", load.name, load.nodes.size(), load.pods.size());
    text += fmt::format("placed      {}\n", result.placed);
    text += fmt::format("unplaced    {}\n", result.unplaced);
    text += reasons_text(result);
    text += fmt::format("pending     {}\nlost        {}\n", result.pending, result.lost);
    text += fmt::format("rate        {:.0f} pods/s ({} allocations in {:.2f} s)\n", result.pods_per_s,
                        result.allocations, result.seconds);
    text += fmt::format("latency     p50 {}, p99 {}, p99.9 {}\n", latency(result.p50_us), latency(result.p99_us),
                        latency(result.p999_us));
    text += switches_text(result);
    text += fmt::format("port        {} ({}): {} packets received, {} sent, {} dropped\n", port.port,
                        daemon ? "daemon" : "shim", port.rx_packets, port.tx_packets, port.dropped);
    if (daemon) {
        text += fmt::format("daemon      {} workers, {}\ndigest      {}\n", daemon->workers.value_or(0),
                            cores_text(result, *daemon), daemon->digest);
    }
    text += changes_text(result) + faults_text(result);
    for (const std::string& note : load.notes) {
        text += fmt::format("note        {}\n", note);
    }
    return text;
}

std::string report_json(const LoadResult& result, const workload::Workload& load,
                        const std::optional<DaemonStatus>& daemon) {
    const PortFigures port = figures(result, daemon);
    json::object all;
    all["placed"] = result.placed;
    all["unplaced"] = result.unplaced;
    all["pending"] = result.pending;
    all["lost"] = result.lost;
    all["pods_per_s"] = std::llround(result.pods_per_s);
    all["p50_us"] = std::llround(result.p50_us);
    all["p99_us"] = std::llround(result.p99_us);
    all["p999_us"] = std::llround(result.p999_us);
    all["switches_of_daemon"] = json::value_from(result.switches_of_daemon);
    all["switches_of_shim"] = json::value_from(result.switches_of_shim);
    all["digest"] = daemon ? json::value(daemon->digest) : json::value(nullptr);
    all["port"] = port.port;
    all["rx_packets"] = port.rx_packets;
    all["tx_packets"] = port.tx_packets;
    all["dropped"] = port.dropped;
    all["workers"] = daemon && daemon->workers ? json::value(*daemon->workers) : json::value(nullptr);
    all["cores"] = result.daemon_cores ? json::value(two_digits(*result.daemon_cores)) : json::value(nullptr);
    all["shim_cores"] = result.shim_cores ? json::value(two_digits(*result.shim_cores)) : json::value(nullptr);
    all["cores_include_shim"] = result.cores_include_shim;
    all["cpus_allowed"] = daemon && daemon->cpus_allowed ? json::value(*daemon->cpus_allowed) : json::value(nullptr);
    all["cpus"] = daemon && !daemon->cpus.empty() ? json::parse(daemon->cpus) : json::value(nullptr);
    all["load"] = load.name;
    all["nodes"] = load.nodes.size();
    all["asks"] = result.asks;
    all["reasons"] = json::value_from(result.reasons);
    all["duplicates"] = result.duplicates;
    all["overcommitted"] = json::value_from(result.overcommitted);
    all["end"] = std::string(to_string(result.end));
    all["why"] = result.why;
    all["allocations"] = result.allocations;
    all["seconds"] = result.seconds;
    all["restored"] = result.restored;
    all["finished"] = result.finished;
    all["renewed"] = result.renewed;
    all["nacked"] = result.nacked;
    all["plugin_answers"] = result.plugin_answers;
    all["plugin_refusals"] = result.plugin_refusals;
    if (const auto& others = result.without_plugin) {
        all["without_plugin"] = json::object{{"pods_per_s", std::llround(others->pods_per_s)},
                                             {"p50_us", std::llround(others->p50_us)},
                                             {"p99_us", std::llround(others->p99_us)}};
    }
    all["preempted"] = result.preempted;
    all["nominations"] = result.nominations;
    all["claims_given_back"] = result.claims_given_back;
    all["nodes_lost"] = result.nodes_lost;
    all["rejected_statements"] = result.rejected_other;
    all["connects"] = result.client.connects;
    all["resumes"] = result.client.resumes;
    all["resyncs"] = result.client.resyncs;
    all["decisions_repeated"] = result.client.decisions_repeated;
    all["notes"] = json::value_from(load.notes);
    return json::serialize(all) + "\n";
}

}  // namespace bayplan::cli
