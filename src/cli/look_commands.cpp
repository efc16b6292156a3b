// See look_commands.h.
#include "cli/look_commands.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "cli/duration.h"
#include "cli/exit_status.h"
#include "cli/rest_client.h"
#include "cli/rest_tables.h"
#include "terminal/text.h"

namespace bayplan::cli {

namespace {

namespace json = boost::json;

struct LookArguments {
    std::string command;
    RestTarget target;
    std::string partition = "default";
    std::string output = "table";
    std::string state = "active";  // of applications
    std::string pod;
    bool follow = false;
    std::uint64_t count = 0;  // of events: the latest; of frames of top; 0: all
    std::int64_t interval_ns = 0;

    std::string in_partition(std::string_view what) const {
        return fmt::format("/ws/v1/partition/{}/{}", partition, what);
    }
    bool as_json() const { return output == "json"; }
};

int tell_fault(const LookArguments& arguments, const RestFault& fault) {
    if (fault.any()) fmt::print(stderr, "bayplan {}: {}\n", arguments.command, fault.text);
    return fault.exit_code;
}

RestFault get_json(RestClient& client, const std::string& path, std::string& body, json::value& value) {
    RestFault fault = client.get(path, body);
    if (fault.any()) return fault;
    boost::system::error_code broken;
    value = json::parse(body, broken);
    if (broken) return {kExitNoDaemon, fmt::format("{} is not answered with JSON: {}", path, broken.message())};
    return {};
}

// A list of one endpoint.
int show(const LookArguments& arguments, const std::string& path, terminal::Table (*table_of)(const json::value&)) {
    RestClient client(arguments.target);
    std::string body;
    json::value value;
    const RestFault fault = get_json(client, path, body, value);
    if (fault.any()) return tell_fault(arguments, fault);
    fmt::print("{}", arguments.as_json() ? body : table_of(value).text(terminal::size_of(STDOUT_FILENO).columns));
    return 0;
}

// --- one pod

std::string escaped(std::string_view text) {
    std::string url;
    for (const char byte : text) {
        const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                           (byte >= '0' && byte <= '9') ||
                           std::string_view("-._~").find(byte) != std::string_view::npos;
        url += plain ? std::string(1, byte) : fmt::format("%{:02X}", static_cast<unsigned char>(byte));
    }
    return url;
}

std::string fitting(const std::string& text) {
    return terminal::fitted_lines(text, terminal::size_of(STDOUT_FILENO).columns);
}

int explain(const LookArguments& arguments) {
    RestClient client(arguments.target);
    std::string body;
    json::value found;
    const RestFault fault = get_json(
        client, fmt::format("/bayplan/v1/partition/{}/pods?name={}", arguments.partition, escaped(arguments.pod)), body,
        found);
    if (fault.any()) return tell_fault(arguments, fault);
    const json::array& pods = found.at("pods").as_array();
    if (arguments.as_json()) fmt::print("{}", body);
    for (std::size_t at = 0; !arguments.as_json() && at < pods.size(); ++at) {
        fmt::print("{}{}", at == 0 ? "" : "\n", fitting(pod_lines(pods[at])));
    }
    if (pods.empty()) fmt::print(stderr, "bayplan explain: there is no pod '{}'\n", arguments.pod);
    return pods.empty() ? kExitUnwell : 0;
}

// --- events

void print_event(const LookArguments& arguments, const json::value& event, std::string_view text) {
    if (!event.is_object() || !event.as_object().contains("timestampNano")) return;  // the head of a stream
    if (arguments.as_json()) {
        fmt::print("{}\n", text);
    } else {
        fmt::print("{}\n", fitting(event_line(event)));
    }
}

int follow_events(const LookArguments& arguments) {
    RestClient client(arguments.target);
    std::string fault_told;
    const std::string path = fmt::format("/ws/v1/events/stream?count={}", arguments.count);
    const RestFault fault = client.follow(path, [&](std::string_view line) {
        boost::system::error_code broken;
        const json::value event = json::parse(line, broken);
        if (!broken && event.is_object() && event.as_object().contains("status_code")) {
            fault_told = line;
            return false;
        }
        if (!broken) print_event(arguments, event, line);
        return std::fflush(stdout) == 0;
    });
    if (fault_told.empty()) return tell_fault(arguments, fault);
    return tell_fault(arguments, {kExitNoDaemon, fault_told});
}

int show_events(const LookArguments& arguments) {
    if (arguments.follow) return follow_events(arguments);
    RestClient client(arguments.target);
    std::string body;
    json::value batch;
    RestFault fault = get_json(client, "/ws/v1/events/batch?count=1", body, batch);
    if (fault.any()) return tell_fault(arguments, fault);
    const json::value* const highest = batch.as_object().if_contains("HighestID");
    const std::uint64_t last = highest == nullptr ? 0 : highest->to_number<std::uint64_t>();
    const std::uint64_t first = last + 1 > arguments.count ? last + 1 - arguments.count : 0;
    const std::uint64_t lowest = batch.at("LowestID").to_number<std::uint64_t>();
    fault =
        get_json(client, fmt::format("/ws/v1/events/batch?start={}&count={}", std::max(first, lowest), arguments.count),
                 body, batch);
    if (fault.any()) return tell_fault(arguments, fault);
    if (arguments.as_json()) {
        fmt::print("{}", body);
        return 0;
    }
    const json::value* const records = batch.as_object().if_contains("EventRecords");
    if (records == nullptr || !records->is_array()) return 0;
    for (const json::value& event : records->as_array()) print_event(arguments, event, {});
    return 0;
}

// --- top

struct Frame {
    json::value partitions;
    json::value queues;
    json::value health;
    std::string metrics;
};

RestFault take_frame(RestClient& client, const LookArguments& arguments, Frame& frame) {
    std::string body;
    RestFault fault = get_json(client, "/ws/v1/partitions", body, frame.partitions);
    if (!fault.any()) fault = get_json(client, arguments.in_partition("queues"), body, frame.queues);
    if (!fault.any()) fault = client.get("/ws/v1/metrics", frame.metrics);
    // Health is looked at in the background, and not there before the first time.
    if (!fault.any() && get_json(client, "/ws/v1/scheduler/healthcheck", body, frame.health).any()) frame.health = {};
    return fault;
}

double engine_sum(const Frame& frame, std::string_view name) {
    return metric_sum(frame.metrics, fmt::format("bayplan_engine_{}", name));
}

std::string health_of(const Frame& frame) {
    if (!frame.health.is_object()) return "not known yet";
    return frame.health.at("Healthy").as_bool() ? "healthy" : "NOT HEALTHY: see /ws/v1/scheduler/healthcheck";
}

// A second, since the frame before. The daemon tells its numbers once a second, and of which moment they are.
std::optional<double> rate_of(const Frame& frame, const Frame* before, std::string_view name) {
    const auto told_at = [](const Frame& of) { return metric_sum(of.metrics, "bayplan_uptime_seconds"); };
    const double seconds = before == nullptr ? 0 : told_at(frame) - told_at(*before);
    if (seconds <= 0) return std::nullopt;
    return (engine_sum(frame, name) - engine_sum(*before, name)) / seconds;
}

std::string rate_text(const std::optional<double>& rate) { return rate ? fmt::format("{:.0f}/s", *rate) : "-"; }

// One object a frame, on a line of its own.
std::string json_of(const Frame& frame, const Frame* before) {
    json::object object;
    object["healthy"] = frame.health.is_object() ? frame.health.at("Healthy") : json::value();
    for (const char* const name :
         {"nodes", "nodes_overcommitted", "allocations", "pending", "backoff", "unschedulable"}) {
        object[name] = static_cast<std::uint64_t>(engine_sum(frame, name));
    }
    const auto rate = [&](std::string_view name) {
        const std::optional<double> known = rate_of(frame, before, name);
        return known ? json::value(*known) : json::value();
    };
    object["tried_per_second"] = rate("attempts_total");
    object["placed_per_second"] = rate("placed_total");
    object["queues"] = frame.queues;
    return json::serialize(object) + "\n";
}

std::string head_of(const Frame& frame, const Frame* before, std::size_t width) {
    std::string lines[] = {
        fmt::format("daemon     {}, up {:.0f} s", health_of(frame),
                    metric_sum(frame.metrics, "bayplan_uptime_seconds")),
        fmt::format("nodes      {:.0f}, {:.0f} with more than they have", engine_sum(frame, "nodes"),
                    engine_sum(frame, "nodes_overcommitted")),
        fmt::format("pods       {:.0f} placed, {:.0f} pending, {:.0f} in backoff, {:.0f} unschedulable",
                    engine_sum(frame, "allocations"), engine_sum(frame, "pending"), engine_sum(frame, "backoff"),
                    engine_sum(frame, "unschedulable")),
        fmt::format("decisions  {} tried, {} placed", rate_text(rate_of(frame, before, "attempts_total")),
                    rate_text(rate_of(frame, before, "placed_total"))),
    };
    std::string out;
    for (std::string& line : lines) out += (width == 0 ? line : line.substr(0, width)) + "\n";
    return out + "\n";
}

int top(const LookArguments& arguments) {
    RestClient client(arguments.target);
    std::optional<Frame> before;
    for (std::uint64_t shown = 0;; ++shown) {
        Frame frame;
        const RestFault fault = take_frame(client, arguments, frame);
        if (fault.any()) return tell_fault(arguments, fault);
        const terminal::Size size = terminal::size_of(STDOUT_FILENO);
        constexpr std::size_t kHeadLines = 7;
        const std::size_t rows = size.lines > kHeadLines ? size.lines - kHeadLines : 0;
        const Frame* const last = before ? &*before : nullptr;
        if (arguments.as_json()) {
            fmt::print("{}", json_of(frame, last));
        } else {
            // From the top of an empty terminal.
            fmt::print("{}{}{}", size.columns > 0 ? "\x1b[H\x1b[2J" : "", head_of(frame, last, size.columns),
                       queue_table(frame.queues).text(size.columns, rows));
        }
        std::fflush(stdout);
        if (shown + 1 == arguments.count || (size.columns == 0 && arguments.count == 0 && shown == 1)) return 0;
        before = std::move(frame);
        std::this_thread::sleep_for(std::chrono::nanoseconds(arguments.interval_ns));
    }
}

// --- arguments

using Arguments = std::shared_ptr<LookArguments>;

CLI::App* add(CLI::App& app, const char* name, const char* help, const Arguments& arguments, bool of_partition) {
    arguments->command = name;
    CLI::App* const command = app.add_subcommand(name, help);
    command->add_option("--address", arguments->target.address, "the REST interface of the daemon")
        ->type_name("HOST:PORT")
        ->envname("BAYPLAN_REST")
        ->capture_default_str();
    command->add_option("--token-file", arguments->target.token_file, "file with the token that the daemon asks for")
        ->type_name("FILE")
        ->envname("BAYPLAN_TOKEN_FILE");
    if (of_partition) command->add_option("--partition", arguments->partition, "which")->capture_default_str();
    return command;
}

void add_output(CLI::App& command, const Arguments& arguments) {
    command.add_option("-o,--output", arguments->output, "table, or JSON as the daemon tells it")
        ->check(CLI::IsMember({"table", "json"}))
        ->capture_default_str();
}

void add_list(CLI::App& app, int& exit_code, const char* name, const char* help, const char* path,
              terminal::Table (*table_of)(const json::value&)) {
    const auto arguments = std::make_shared<LookArguments>();
    CLI::App* const command = add(app, name, help, arguments, true);
    add_output(*command, arguments);
    command->callback([=, &exit_code] { exit_code = show(*arguments, arguments->in_partition(path), table_of); });
}

void add_apps(CLI::App& app, int& exit_code) {
    const auto arguments = std::make_shared<LookArguments>();
    CLI::App* const command = add(app, "apps", "applications: pods, what waits and why", arguments, true);
    command->add_option("--state", arguments->state, "which of them")
        ->check(CLI::IsMember({"active", "completed", "rejected"}))
        ->capture_default_str();
    add_output(*command, arguments);
    command->callback([arguments, &exit_code] {
        exit_code = show(*arguments, arguments->in_partition("applications/" + arguments->state), application_table);
    });
}

void add_explain(CLI::App& app, int& exit_code) {
    const auto arguments = std::make_shared<LookArguments>();
    CLI::App* const command = add(app, "explain", "one pod: where it stands, and what it waits for", arguments, true);
    command->add_option("pod", arguments->pod, "its key, its name, or NAMESPACE/NAME")->required();
    add_output(*command, arguments);
    command->callback([arguments, &exit_code] { exit_code = explain(*arguments); });
}

void add_events(CLI::App& app, int& exit_code) {
    const auto arguments = std::make_shared<LookArguments>();
    arguments->count = 50;
    CLI::App* const command = add(app, "events", "the latest events, and with -f all that follow", arguments, false);
    command->add_flag("-f,--follow", arguments->follow, "go on until interrupted");
    command->add_option("--count", arguments->count, "of the latest")
        ->check(CLI::Range(1, 10'000).description("1..10000"))
        ->capture_default_str();
    add_output(*command, arguments);
    command->callback([arguments, &exit_code] { exit_code = show_events(*arguments); });
}

void add_top(CLI::App& app, int& exit_code) {
    const auto arguments = std::make_shared<LookArguments>();
    CLI::App* const command =
        add(app, "top", "nodes, pods, decisions a second and queues, again and again", arguments, true);
    add_output(*command, arguments);
    add_duration(*command, "--interval", arguments->interval_ns, "2s", "between two looks");
    command->add_option("--count", arguments->count, "looks; 0: on a terminal until interrupted, else two")
        ->capture_default_str();
    command->callback([arguments, &exit_code] { exit_code = top(*arguments); });
}

}  // namespace

void add_look_commands(CLI::App& app, int& exit_code) {
    add_top(app, exit_code);
    add_list(app, exit_code, "queues", "queues: what they use, want and may have", "queues", queue_table);
    add_list(app, exit_code, "nodes", "nodes: pods, what is used and what is left", "nodes", node_table);
    add_apps(app, exit_code);
    add_explain(app, exit_code);
    add_events(app, exit_code);
}

}  // namespace bayplan::cli
