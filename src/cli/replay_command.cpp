// See replay_command.h.
#include "cli/replay_command.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "cli/exit_status.h"
#include "cli/output_option.h"
#include "cli/replay.h"
#include "config/recorded_partition.h"

namespace bayplan::cli {

namespace {

struct ReplayArguments {
    std::string record;
    std::optional<ExecutorKind> executor;
    std::optional<BatchPath> path;
    std::optional<VictimPath> victim_path;
    std::optional<std::uint32_t> workers;
    std::optional<std::uint32_t> victim_workers;
    std::optional<TellerMode> teller;
    std::optional<std::uint32_t> batch;
    std::optional<std::uint32_t> shards;
    std::optional<std::uint32_t> depth;
    std::string log;
    std::string inputs;
    std::string preemptions;
    std::string output = "table";
};

struct CloseFile {
    void operator()(std::FILE* file) const {
        if (file != stdout) {
            std::fclose(file);
        }
    }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

bool open_output(const std::string& path, File& file) {
    if (path.empty()) {
        return true;
    }
    file.reset(path == "-" ? stdout : std::fopen(path.c_str(), "w"));
    if (file == nullptr) {
        fail("replay", fmt::format("{}: {}", path, std::strerror(errno)), 2);
    }
    return file != nullptr;
}

bool written(const std::string& path, const File& file) {
    if (file != nullptr && std::fflush(file.get()) != 0) {
        fail("replay", fmt::format("{}: {}", path, std::strerror(errno)), 2);
        return false;
    }
    return true;
}

void override_settings(const ReplayArguments& arguments, EngineOptions& engine) {
    engine.teller = arguments.teller.value_or(TellerMode::inline_);
    engine.executor = arguments.executor.value_or(engine.executor);
    engine.path = arguments.path.value_or(engine.path);
    engine.workers = arguments.workers.value_or(engine.workers);
    engine.victim_path = arguments.victim_path.value_or(engine.victim_path);
    engine.victim_workers = arguments.victim_workers.value_or(engine.victim_workers);
    engine.batch = arguments.batch.value_or(engine.batch);
    engine.shards = arguments.shards.value_or(engine.shards);
    engine.depth = arguments.depth.value_or(engine.depth);
    engine.preemption_reports = !arguments.preemptions.empty();
}

std::string report_json(const ReplayResult& result, const std::string& digest, const EngineCounters& counters) {
    const boost::json::object batches{{"inline", counters.batches_inline},
                                      {"graph", counters.batches_graph},
                                      {"overlapped", counters.batches_overlapped},
                                      {"cut", counters.batches_cut}};
    return boost::json::serialize(boost::json::object{{"digest", digest},
                                                      {"inputs", result.inputs},
                                                      {"attempts", result.attempts},
                                                      {"placed", counters.placed},
                                                      {"failed", counters.failed},
                                                      {"batches", batches},
                                                      {"seconds", result.seconds},
                                                      {"fault", result.fault}});
}

// With `-` for one of the files it has stdout for itself, to be compared or piped.
void report(const ReplayArguments& arguments, const ReplayResult& result, const Engine& engine) {
    const auto takes_stdout = {arguments.log, arguments.inputs, arguments.preemptions};
    std::FILE* const out = std::ranges::count(takes_stdout, "-") > 0 ? stderr : stdout;
    const EngineCounters counters = engine.counters();
    if (arguments.output == "json") {
        fmt::print(out, "{}\n", report_json(result, engine.digest(), counters));
        return;
    }
    fmt::print(out, "digest      {}\n", engine.digest());
    fmt::print(out, "attempts    {}\nplaced      {}\nfailed      {}\n", result.attempts, counters.placed,
               counters.failed);
    fmt::print(out, "batches     {} inline, {} graph, {} overlapped, {} cut\n", counters.batches_inline,
               counters.batches_graph, counters.batches_overlapped, counters.batches_cut);
    fmt::print(out, "time        {:.3f} s for {} inputs ({:.0f} attempts/s)\n", result.seconds, result.inputs,
               result.seconds > 0 ? static_cast<double>(result.attempts) / result.seconds : 0.0);
}

int run_replay(const ReplayArguments& arguments) {
    std::string error;
    const auto record = recorder::RecordingReader::open(arguments.record, error);
    if (record == nullptr) {
        return fail("replay", error, 2);
    }
    config::PartitionConfig partition;
    config::Faults faults;
    if (!config::parse_recorded_text(std::string(record->configuration()), arguments.record, partition, faults)) {
        for (const config::Fault& fault : faults) {
            fail("replay", fault.to_string(), 2);
        }
        return 2;
    }
    override_settings(arguments, partition.engine);
    File log;
    File inputs;
    File preemptions;
    if (!open_output(arguments.log, log) || !open_output(arguments.inputs, inputs) ||
        !open_output(arguments.preemptions, preemptions)) {
        return 2;
    }
    ReplaySink sink(log.get(), preemptions.get());
    Engine engine(partition.engine, sink);
    const ReplayResult result = replay(*record, engine, inputs.get());
    engine.settle();
    if (!written(arguments.log, log) || !written(arguments.inputs, inputs) ||
        !written(arguments.preemptions, preemptions)) {
        return 2;
    }
    report(arguments, result, engine);
    return result.fault.empty() ? 0 : fail("replay", result.fault, 1);
}

// An option that overrides a setting of the record; what is not given stays as it was recorded.
template <typename Value>
void add_choice(CLI::App& app, const std::string& name, std::optional<Value>& setting,
                const std::map<std::string, Value>& choices, const std::string& help,
                const std::string& otherwise = "as recorded") {
    std::vector<std::string> names;
    for (const auto& [text, value] : choices) {
        names.push_back(text);
    }
    app.add_option_function<std::string>(
           name, [&setting, choices](const std::string& text) { setting = choices.at(text); }, help)
        ->check(CLI::IsMember(names))
        ->type_name("")
        ->default_str(otherwise);
}

void add_number(CLI::App& app, const std::string& name, std::optional<std::uint32_t>& setting, std::uint32_t max,
                const std::string& help, std::uint32_t min = 1) {
    app.add_option(name, setting, help)
        ->type_name("N")
        ->check(CLI::Range(min, max).description(fmt::format("{}..{}", min, max)))
        ->default_str("as recorded");
}

}  // namespace

void add_replay_command(CLI::App& app, int& exit_code) {
    auto arguments = std::make_shared<ReplayArguments>();
    CLI::App* const replay =
        app.add_subcommand("replay", "drive an engine through the record of a live run; prints the decision digest");
    replay->add_option("FILE", arguments->record, "record, written by `baypland --record`")->required()->type_name("");
    add_choice<ExecutorKind>(
        *replay, "--executor", arguments->executor,
        {{"inline", ExecutorKind::inline_}, {"threads", ExecutorKind::threads}, {"tbb", ExecutorKind::tbb}},
        "who runs the proposals");
    add_choice<BatchPath>(
        *replay, "--path", arguments->path,
        {{"automatic", BatchPath::automatic}, {"inline", BatchPath::inline_}, {"graph", BatchPath::graph}},
        "which way batches take");
    add_number(*replay, "--workers", arguments->workers, 1'024, "proposal workers");
    add_number(*replay, "--victim-workers", arguments->victim_workers, 1'024, "threads that look for victims", 0);
    add_choice<VictimPath>(*replay, "--victim-path", arguments->victim_path,
                           {{"automatic", VictimPath::automatic},
                            {"inline", VictimPath::inline_},
                            {"workers", VictimPath::workers},
                            {"plain", VictimPath::plain}},
                           "who looks for victims, and how");
    add_choice<TellerMode>(*replay, "--teller", arguments->teller,
                           {{"inline", TellerMode::inline_}, {"thread", TellerMode::thread}},
                           "who formats and hashes decisions", "inline");
    add_number(*replay, "--batch", arguments->batch, 65'536, "asks selected at a time");
    add_number(*replay, "--shards", arguments->shards, 4'096, "shards of the node state");
    add_number(*replay, "--depth", arguments->depth, 2, "batches under way");
    replay->add_option("--log", arguments->log, "write the decision log (`-`: stdout)")->type_name("FILE");
    replay->add_option("--inputs", arguments->inputs, "write the inputs, with the attempts before each (`-`: stdout)")
        ->type_name("FILE");
    replay
        ->add_option("--preemptions", arguments->preemptions,
                     "write a line of JSON for each preemption of a DaemonSet pod: candidates, filtered pods, classes, "
                     "strategy, victims (`-`: stdout)")
        ->type_name("FILE");
    add_output_option(*replay, arguments->output);
    replay->callback([arguments, &exit_code] { exit_code = run_replay(*arguments); });
}

}  // namespace bayplan::cli
