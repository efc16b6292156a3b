// See bench_command.h.
#include "cli/bench_command.h"

#include <unistd.h>

#include <cstring>
#include <fstream>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "base/closest_name.h"
#include "cli/bench_report.h"
#include "cli/exit_status.h"
#include "cli/interrupt.h"
#include "cli/wire_bench.h"
#include "cli/workload_list.h"
#include "measure/measure.h"
#include "terminal/progress.h"
#include "terminal/text.h"
#include "workload/bench_catalogue.h"

namespace bayplan::cli {

namespace {

struct BenchArguments {
    std::vector<std::string> names;
    bool list = false;
    std::string output = "table";
    std::string svg;
    bool quiet = false;
    bool no_scan = false;
    bool no_latency = false;
    std::string executor = "tbb";
    std::string path = "automatic";
    std::string teller = "thread";
    measure::MeasureOptions options;
};

int list_cases(bool as_json) {
    std::vector<ListedWorkload> rows;
    for (const workload::BenchCase& one : workload::bench_catalogue()) {
        rows.push_back({one.name, one.nodes, one.pods, one.summary});
    }
    print_workloads(rows, as_json);
    return 0;
}

std::string no_workload(const std::string& name) {
    const std::vector<workload::BenchCase> all = workload::bench_catalogue();
    std::vector<std::string_view> names;
    for (const workload::BenchCase& one : all) names.push_back(one.name);
    return fmt::format("there is no workload `{}`{}", name, did_you_mean(name, names));
}

void complete(BenchArguments& arguments) {
    const std::map<std::string, ExecutorKind> executors = {
        {"tbb", ExecutorKind::tbb}, {"threads", ExecutorKind::threads}, {"inline", ExecutorKind::inline_}};
    const std::map<std::string, BatchPath> paths = {
        {"automatic", BatchPath::automatic}, {"inline", BatchPath::inline_}, {"graph", BatchPath::graph}};
    arguments.options.executor = executors.at(arguments.executor);
    arguments.options.path = paths.at(arguments.path);
    arguments.options.teller = arguments.teller == "thread" ? TellerMode::thread : TellerMode::inline_;
    arguments.options.scan = !arguments.no_scan;
    arguments.options.latency = !arguments.no_latency;
}

// Out of the row at work, between two of its runs.
struct Interrupted {};

std::vector<measure::Measurement> measure_all(const std::vector<workload::BenchCase>& cases,
                                              const BenchArguments& arguments) {
    terminal::Progress progress(arguments.quiet);
    std::vector<measure::Measurement> all;
    for (const workload::BenchCase& one : cases) {
        const measure::Tell tell = [&](const std::string& what) {
            progress.draw(all.size(), cases.size(), "rows", fmt::format("{}: {}", one.name, what));
        };
        const measure::Tell tell_or_end = [&](const std::string& what) {
            if (Interrupt::came()) throw Interrupted();
            tell(what);
        };
        measure::Measurement done;
        try {
            tell_or_end("begins");
            done = measure::measure(one, arguments.options, tell_or_end);
        } catch (const Interrupted&) {
            break;
        }
        if (const auto* const wire = std::get_if<workload::WireLoad>(&one.load)) {
            std::string error;
            done.wire = measure_wire(*wire, arguments.options.runs, tell, error);
            if (!done.wire) done.fault = "wire to wire: " + error;
        }
        const std::string fault = done.fault.empty() ? "" : ", FAULT: " + done.fault;
        const std::string by_wire = done.wire ? fmt::format(", {:.0f}/s wire to wire", done.wire->per_s) : "";
        progress.say(fmt::format("{}: {:.0f}/s{}{}", one.name, done.per_s_wall, by_wire, fault));
        all.push_back(std::move(done));
    }
    progress.finish();
    return all;
}

bool write_file(const std::string& path, const std::string& text) {
    std::ofstream file(path, std::ios::trunc);
    file << text;
    file.flush();
    if (!file) fmt::print(stderr, "bayplan bench: {}: {}\n", path, std::strerror(errno));
    return static_cast<bool>(file);
}

int run(BenchArguments& arguments) {
    if (arguments.list) return list_cases(arguments.output == "json");
    complete(arguments);
    std::string unknown;
    const std::vector<workload::BenchCase> cases = workload::choose_cases(arguments.names, unknown);
    if (!unknown.empty() || cases.empty()) {
        const std::string what = unknown.empty() ? "give names of workloads" : no_workload(unknown);
        fmt::print(stderr, "bayplan bench: {}; see `bayplan bench --list`\n", what);
        return kExitInput;
    }
    if (!arguments.svg.empty() && !write_file(arguments.svg, "")) return kExitInput;  // before the long work
    const Interrupt interrupt;
    const std::vector<measure::Measurement> all = measure_all(cases, arguments);
    fmt::print("{}", arguments.output == "json" ? bench_json(all)
                                                : bench_table(all, terminal::size_of(STDOUT_FILENO).columns));
    bool good = arguments.svg.empty() || write_file(arguments.svg, bench_svg(all));
    for (const measure::Measurement& one : all) good = good && one.fault.empty();
    if (all.size() < cases.size()) {
        fmt::print(stderr, "bayplan bench: interrupted after {} of {} rows\n", all.size(), cases.size());
        good = false;
    }
    return good ? 0 : kExitUnwell;
}

}  // namespace

void add_bench_command(CLI::App& app, int& exit_code) {
    CLI::App* const command = app.add_subcommand(
        "bench", "measure decisions in process and wire to wire, with a plain scan of all nodes as the peer");
    const auto arguments = std::make_shared<BenchArguments>();
    command->add_option("names", arguments->names, "workloads; `*` stands for anything: 'Filled/*'")->type_name("NAME");
    command->add_flag("--list", arguments->list, "the workloads there are");
    command->add_option("-o,--output", arguments->output, "table, or json")
        ->check(CLI::IsMember({"table", "json"}))
        ->capture_default_str();
    command->add_option("--svg", arguments->svg, "also bars of the ratio to the scan, into this file")
        ->type_name("FILE");
    command->add_option("--runs", arguments->options.runs, "runs of each; the least times count")
        ->check(CLI::Range(1, 1'000).description(""))
        ->capture_default_str();
    command->add_option("--executor", arguments->executor, "who makes proposals: tbb, threads or inline")
        ->check(CLI::IsMember({"tbb", "threads", "inline"}))
        ->capture_default_str();
    command->add_option("--path", arguments->path, "of batches: automatic, inline or graph")
        ->check(CLI::IsMember({"automatic", "inline", "graph"}))
        ->capture_default_str();
    command
        ->add_option("--teller", arguments->teller, "who formats and hashes decisions: thread (a second one) or inline")
        ->check(CLI::IsMember({"thread", "inline"}))
        ->capture_default_str();
    command->add_option("--workers", arguments->options.workers, "proposal workers")
        ->check(CLI::Range(1, 256).description(""))
        ->capture_default_str();
    command->add_flag("--no-scan", arguments->no_scan, "without the peer (no ratio)");
    command->add_flag("--no-latency", arguments->no_latency, "without the run message by message");
    command->add_flag("--quiet", arguments->quiet, "no progress on stderr");
    command->footer(
        "Exit status: 0 all runs agree with one another and with the scan, 1 a fault or interrupted (finished rows are "
        "printed), 2 wrong input.");
    command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace bayplan::cli
