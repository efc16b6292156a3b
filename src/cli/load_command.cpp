// See load_command.h.
#include "cli/load_command.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <memory>
#include <thread>

#include <fmt/format.h>

#include "base/closest_name.h"
#include "cli/embedded_daemon.h"
#include "cli/exit_status.h"
#include "cli/load_arguments.h"
#include "cli/load_report.h"
#include "cli/load_run.h"
#include "cli/output_file.h"
#include "cli/process_use.h"
#include "cli/workload_list.h"
#include "terminal/text.h"
#include "workload/named_workloads.h"
#include "workload/openb.h"
#include "workload/preemption_workload.h"

namespace bayplan::cli {

namespace {

// By so much the kernel's clock of another process may be behind that process's own.
constexpr double kClockTickS = 0.02;

volatile std::sig_atomic_t g_interrupted = 0;

int list_workloads(bool as_json) {
    std::vector<ListedWorkload> rows;
    for (const workload::NamedWorkload& one : workload::named_workloads()) {
        if (one.sendable()) rows.push_back({std::string(one.name), one.nodes, one.pods, std::string(one.summary)});
    }
    for (const std::string& name : workload::sendable_preemptions()) {
        const workload::PreemptionLoad load = *workload::find_preemption(name);
        rows.push_back({name, load.nodes, load.preemptors, "nodes are full of pods of lower priority"});
    }
    print_workloads(rows, as_json);
    return 0;
}

std::optional<workload::Workload> read_source(const LoadOptions& options, std::string& error) {
    if (!options.openb.empty()) {
        return workload::read_openb(options.openb[0], options.openb[1], error);
    }
    if (!options.workload.empty()) {
        if (const auto preemption = workload::find_preemption(options.workload)) {
            return workload::make_workload(*preemption);
        }
        const workload::NamedWorkload* const named = workload::find_workload(options.workload);
        if (named == nullptr || !named->sendable()) {
            std::vector<std::string_view> names;
            for (const workload::NamedWorkload& one : workload::named_workloads()) {
                if (one.sendable()) names.push_back(one.name);
            }
            error = fmt::format("there is no load `{}`{}; see `bayplan load --list`", options.workload,
                                did_you_mean(options.workload, names));
            return std::nullopt;
        }
        return workload::make_workload(*named);
    }
    if (options.nodes == 0 || options.pods == 0) {
        error = "give a source: --openb, --workload, or --nodes and --pods";
        return std::nullopt;
    }
    const std::string name = fmt::format("Generic/{}Nodes_{}Pods_{}", options.nodes, options.pods, options.classes);
    const std::uint32_t classes = options.classes > 1 ? options.classes : 0;
    return workload::make_workload({name, "", options.nodes, options.pods, classes});
}

// A DaemonSet's pods, asked for last: of the first pod's size, and of the highest priority that there is.
void add_daemons(workload::Workload& load) {
    std::int32_t highest = 0;
    for (const workload::Pod& pod : load.pods) highest = std::max(highest, pod.priority);
    for (std::size_t node = 0; node < load.nodes.size(); ++node) {
        workload::Pod pod;
        pod.name = fmt::format("daemon-{}", load.nodes[node].name);
        pod.node = static_cast<std::int32_t>(node);
        pod.daemonset = true;
        pod.priority = highest;
        load.pods.push_back(std::move(pod));
    }
}

// The daemon writes its status every now and then: waits for a status that was begun after the run had ended, so that
// it knows of all that this run saw.
std::optional<DaemonStatus> final_status(const LoadOptions& options, std::string& error) {
    constexpr int kNewer = 2;  // the first status that differs may have been under way already
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    std::optional<DaemonStatus> status = read_daemon_status(options.daemon_status, error);
    for (int newer = 0; newer < kNewer && std::chrono::steady_clock::now() < deadline;) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        std::optional<DaemonStatus> next = read_daemon_status(options.daemon_status, error);
        newer += next && status && next->uptime_ms != status->uptime_ms ? 1 : 0;
        status = std::move(next);
    }
    return status;
}

// The process whose CPU time the report gives: the daemon, if its status file is of a process of this host.
pid_t daemon_process(const LoadOptions& options) {
    if (!options.daemon_config.empty()) {
        return getpid();
    }
    std::string error;  // said at the end, when the file is read for good
    const auto status = read_daemon_status(options.daemon_status, error);
    const auto used_ns = process_cpu_ns(status ? status->pid : 0);
    if (!used_ns) {
        return 0;
    }
    // A process with this number that has used less than the daemon had is another one.
    const double used_s = static_cast<double>(*used_ns) * 1e-9;
    return used_s + kClockTickS >= status->cpu_seconds.value_or(0) ? status->pid : 0;
}

bool write_json(const std::string& path, const std::string& text) {
    if (path == "-") {
        fmt::print("{}", text);
        return true;
    }
    std::ofstream file(path, std::ios::trunc);
    file << text;
    file.close();
    if (!file) {
        fmt::print(stderr, "bayplan load: {}: {}\n", path, std::strerror(errno));
    }
    return static_cast<bool>(file);
}

int exit_code_of(const LoadResult& result) {
    switch (result.end) {
        case LoadEnd::refused:
        case LoadEnd::unreachable: return kExitNoDaemon;
        default: return result.good() ? 0 : kExitUnwell;
    }
}

bool embed_daemon(LoadOptions& options, std::unique_ptr<EmbeddedDaemon>& daemon, std::string& error) {
    daemon = EmbeddedDaemon::start(options.daemon_config, error);
    if (daemon == nullptr) {
        return false;
    }
    options.client.open_port = [&options, &daemon](dataplane::FrameHandler& shim, std::string& fault) {
        return daemon->open_port(options.client, shim, fault);
    };
    return true;
}

int run_load(LoadArguments& arguments) {
    if (arguments.list) {
        return list_workloads(arguments.output == "json");
    }
    const LoadOptions& options = arguments.options;
    std::string error = complete_load_options(arguments);
    if (!error.empty()) {
        return fail("load", error, kExitInput);
    }
    if (!options.json.empty() && options.json != "-") {
        error = why_not_writable(options.json);
        if (!error.empty()) {
            return fail("load", error, kExitInput);
        }
    }
    std::optional<workload::Workload> load = read_source(options, error);
    if (!load) {
        return fail("load", error, kExitInput);
    }
    for (workload::Node& node : load->nodes) {
        node.name = options.node_prefix + node.name;
    }
    if (options.daemons) {
        add_daemons(*load);
    }
    const std::unique_ptr<LoadRun> run = LoadRun::make(options, *load, error);
    if (run == nullptr) {
        return fail("load", error, kExitInput);
    }
    std::unique_ptr<EmbeddedDaemon> embedded;
    if (!options.daemon_config.empty() && !embed_daemon(arguments.options, embedded, error)) {
        return fail("load", error, kExitInput);
    }
    const std::unique_ptr<Client> client = Client::open(options.client, *run, &run->source(), error);
    if (client == nullptr) {
        return fail("load", error, kExitInput);
    }
    std::signal(SIGINT, [](int) { g_interrupted = 1; });
    std::signal(SIGTERM, [](int) { g_interrupted = 1; });
    run->watch_cpu_of(daemon_process(options));
    const LoadResult result = run->run(*client, [] { return g_interrupted != 0; });

    if (exit_code_of(result) == kExitNoDaemon && client->counters().connects == 0) {
        return fail("load", result.why, kExitNoDaemon);  // there is nothing to report
    }
    std::optional<DaemonStatus> status;
    if (embedded != nullptr) {
        status = parse_daemon_status(embedded->stop(), error);
    } else if (!options.daemon_status.empty()) {
        status = final_status(options, error);
    }
    if (!status && (embedded != nullptr || !options.daemon_status.empty())) {
        fmt::print(stderr, "bayplan load: {}\n", error);
    }
    const bool as_json = arguments.output == "json";
    fmt::print("{}", as_json ? report_json(result, *load, status)
                             : terminal::fitted_lines(report_text(result, *load, status),
                                                      terminal::size_of(STDOUT_FILENO).columns));
    if (!options.json.empty() && !write_json(options.json, report_json(result, *load, status))) {
        return kExitUnwell;
    }
    return exit_code_of(result);
}

}  // namespace

void add_load_command(CLI::App& app, int& exit_code) {
    auto arguments = std::make_shared<LoadArguments>();
    CLI::App* const load = app.add_subcommand("load", "drive a daemon: state a cluster, ask for pods, report");
    add_load_options(*load, *arguments);
    load->callback([arguments, &exit_code] { exit_code = run_load(*arguments); });
}

}  // namespace bayplan::cli
