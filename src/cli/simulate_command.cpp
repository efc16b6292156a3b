// See simulate_command.h.
#include "cli/simulate_command.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/daemonset_options.h"
#include "cli/duration.h"
#include "cli/progress.h"
#include "daemon/queues_file.h"
#include "options/predicate_rows.h"
#include "sim/report.h"
#include "sim/simulation.h"
#include "sim/timeline_report.h"

namespace bayplan::cli {

namespace {

constexpr std::size_t kFaultsShown = 100;

struct SimulateArguments {
    std::vector<std::string> files;
    std::string only;
    sim::SimulationOptions simulation;
    DaemonsetArguments daemonset;
    kube::DumpOptions dump;
    sim::Format format = sim::Format::table;
    std::string coscheduling = "unit";
    std::string queues;    // file; empty: none
    std::string timeline;  // empty: none
    std::int64_t until_ms = sim::kNever;
    bool quiet = false;
};

std::int64_t now_ns() { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); }

int fail(const std::string& what, int code) {
    fmt::print(stderr, "bayplan simulate: {}\n", what);
    return code;
}

// Of a pipe, or of what is not there, 0.
std::uint64_t size_of(const std::string& path) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    return error ? 0 : size;
}

// False: none of the files can be read.
bool read_files(const SimulateArguments& arguments, kube::ClusterDump& dump, Progress& progress) {
    std::uint64_t total = 0;
    for (const std::string& path : arguments.files) {
        total += size_of(path);
    }
    std::uint64_t before = 0;
    bool any = false;
    for (const std::string& path : arguments.files) {
        any = dump.read_file(path, [&](std::uint64_t bytes) {
            if (progress.due(now_ns())) {
                progress.draw(std::min(before + bytes, total), total, "read " + path);
            }
        }) || any;
        before += size_of(path);
    }
    progress.finish();
    dump.finish();
    return any;
}

std::size_t widest(const kube::ClusterDump& dump) {
    std::size_t width = 0;
    for (const std::string_view pod : dump.pending()) {
        width = std::max(width, pod.size());
    }
    return width;
}

std::size_t widest(const std::vector<sim::Event>& events) {
    std::size_t width = 0;
    for (const sim::Event& event : events) {
        const auto* const object = std::get_if<kube::ConvertedObject>(&event.what);
        if (const auto* const pod = object == nullptr ? nullptr : std::get_if<kube::ConvertedPod>(object)) {
            width = std::max(width, pod->key.size());
        }
    }
    return width;
}

void tell(const std::vector<kube::ObjectFault>& faults) {
    for (std::size_t index = 0; index < std::min(faults.size(), kFaultsShown); ++index) {
        fmt::print(stderr, "{}\n", faults[index].to_string());
    }
    if (faults.size() > kFaultsShown) {
        fmt::print(stderr, "... and {} more\n", faults.size() - kFaultsShown);
    }
}

// Says what was broken or refused; true if anything was.
bool tell_faults(const kube::ClusterDump& dump, const std::vector<std::string>& refused) {
    std::size_t told = 0;
    for (const kube::ObjectFault& fault : dump.faults()) {
        if (told++ < kFaultsShown) {
            fmt::print(stderr, "{}\n", fault.to_string());
        }
    }
    for (const std::string& line : refused) {
        if (told++ < kFaultsShown) {
            fmt::print(stderr, "refused: {}\n", line);
        }
    }
    if (told > kFaultsShown) {
        fmt::print(stderr, "... and {} more\n", told - kFaultsShown);
    }
    return told > 0;
}

void tell_skipped(const kube::DumpCounts& counts, bool quiet) {
    const std::pair<std::size_t, const char*> kinds[] = {{counts.skipped_no_node, "on nodes that no file has"},
                                                         {counts.skipped_not_ours, "pending, but another scheduler's"},
                                                         {counts.skipped_deleting, "pending, but being deleted"}};
    for (const auto& [count, what] : kinds) {
        if (count > 0 && !quiet) {
            fmt::print(stderr, "left out: {} pods {}\n", count, what);
        }
    }
}

int judge_one(const SimulateArguments& arguments, const kube::ClusterDump& dump, sim::Simulation& simulation,
              sim::Report& report) {
    const std::optional<sim::SimulatedDecision> decision = simulation.judge(arguments.only);
    if (!decision) {
        const std::string why = dump.why_not_pending(arguments.only);
        return fail(fmt::format("{} {}", arguments.only, why.empty() ? "was refused" : why), 2);
    }
    report.add(*decision);
    report.finish({});
    return 0;
}

int schedule_all(const kube::ClusterDump& dump, sim::Simulation& simulation, sim::Report& report, Progress& progress) {
    const std::size_t total = dump.counts().pending;
    std::size_t done = 0;
    simulation.run([&](const sim::SimulatedDecision& decision) {
        report.add(decision);
        done += decision.attempt <= 1 ? 1 : 0;
        if (progress.due(now_ns())) {
            progress.draw(done, total, fmt::format("{} of {} pods", done, total));
        }
    });
    progress.finish();
    report.finish(simulation.queues());
    return 0;
}

// What the file of events says; false: it cannot be read, or some of it is bad, which is told.
bool read_timeline(const SimulateArguments& arguments, kube::ClusterDump& dump, std::vector<sim::Event>& events) {
    const std::string& path = arguments.timeline;
    std::string text;
    if (!kube::read_whole(path, text)) {
        fail(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)), 2);
        return false;
    }
    std::vector<kube::ObjectFault> faults;
    const bool good = sim::read_events(text, path == "-" ? "standard input" : path, dump.converter(), events, faults);
    tell(faults);
    if (!good) {
        fail("nothing was run: the timeline has bad lines", 2);
    }
    return good;
}

int run_timeline(const SimulateArguments& arguments, kube::ClusterDump& dump, Progress& progress) {
    std::vector<sim::Event> events;
    if (!read_timeline(arguments, dump, events)) {
        return 2;
    }
    const std::size_t total = events.size();
    const std::size_t width = std::max(widest(dump), widest(events));
    sim::TimelineOptions options{arguments.simulation.compat,
                                 arguments.simulation.predicates,
                                 arguments.simulation.coscheduling,
                                 arguments.until_ms,
                                 arguments.daemonset.with(arguments.simulation.compat),
                                 arguments.simulation.queues};
    sim::Timeline timeline(dump, std::move(events), options);
    const auto report = sim::make_timeline_report(arguments.format, stdout, width);
    std::size_t decisions = 0;
    const sim::TimelineSummary summary = timeline.run(
        [&](const sim::TimelineDecision& decision) {
            report->add(decision);
            ++decisions;
        },
        [&](std::int64_t now_ms, std::size_t done) {
            if (progress.due(now_ns())) {
                progress.draw(done, total,
                              fmt::format("{}: {} of {} events, {} decisions", sim::seconds_text(now_ms), done, total,
                                          decisions));
            }
        });
    progress.finish();
    report->finish(summary);
    const int code = std::fflush(stdout) == 0 ? 0 : fail("standard output cannot be written", 2);
    tell_skipped(dump.counts(), arguments.quiet);
    if (!arguments.quiet) {
        tell(timeline.take_remarks());
    }
    const bool broken = tell_faults(dump, timeline.refused());
    return code == 0 && broken ? 1 : code;
}

// "" or what does not go together.
std::string contradiction(const SimulateArguments& arguments) {
    if (arguments.timeline.empty()) {
        return arguments.until_ms == sim::kNever ? "" : "--until goes with --timeline";
    }
    if (!arguments.only.empty() || arguments.simulation.explain || arguments.simulation.full) {
        return "--timeline goes without --only, --explain and --full";
    }
    const bool dump_too = std::find(arguments.files.begin(), arguments.files.end(), "-") != arguments.files.end();
    return arguments.timeline == "-" && dump_too ? "standard input is either a dump or the timeline" : "";
}

// False: the file of queues cannot be read, or is faulty, which is told.
bool read_queues(const std::string& file, std::string& text) {
    std::vector<std::string> faults;
    const bool sound = daemon::read_queues_file(file, text, faults);
    for (const std::string& fault : faults) {
        fmt::print(stderr, "{}\n", fault);
    }
    return sound;
}

int run_simulate(SimulateArguments arguments) {
    if (const std::string what = contradiction(arguments); !what.empty()) {
        return fail(what, 2);
    }
    if (arguments.coscheduling == "permit") {
        return fail("--coscheduling permit: this release has unit and off", 2);
    }
    if (const std::string unknown = unknown_predicate(arguments.simulation.predicates); !unknown.empty()) {
        return fail(fmt::format("--predicates: '{}' is none of {}", unknown, fmt::join(kPredicateNames, ", ")), 2);
    }
    if (!arguments.queues.empty() && !read_queues(arguments.queues, arguments.simulation.queues)) {
        return fail("nothing was run: the file of queues is faulty", 2);
    }
    arguments.dump.applications = !arguments.queues.empty();
    Progress progress(arguments.quiet);
    kube::ClusterDump dump(arguments.dump);
    const bool any = read_files(arguments, dump, progress);
    if (!any) {
        tell_faults(dump, {});
        return 2;
    }
    if (!arguments.timeline.empty()) {
        return run_timeline(arguments, dump, progress);
    }
    sim::SimulationOptions options = arguments.simulation;
    options.daemonset = arguments.daemonset.with(options.compat);
    sim::Simulation simulation(dump, options);
    const auto report = sim::make_report(arguments.format, stdout, widest(dump));
    int code = arguments.only.empty() ? schedule_all(dump, simulation, *report, progress)
                                      : judge_one(arguments, dump, simulation, *report);
    if (std::fflush(stdout) != 0) {
        code = fail("standard output cannot be written", 2);
    }
    tell_skipped(dump.counts(), arguments.quiet || !arguments.only.empty());
    const bool broken = tell_faults(dump, simulation.refused());
    return code == 0 && broken ? 1 : code;
}

template <typename Value>
CLI::Option* add_choice(CLI::App& app, const std::string& name, Value& setting,
                        const std::map<std::string, Value>& choices, const std::string& preset,
                        const std::string& help) {
    std::vector<std::string> names;
    for (const auto& [text, value] : choices) {
        names.push_back(text);
    }
    return app
        .add_option_function<std::string>(
            name, [&setting, choices](const std::string& text) { setting = choices.at(text); }, help)
        ->check(CLI::IsMember(names))
        ->type_name("")
        ->default_str(preset);
}

// The name that `bayplan` had in earlier releases is taken still, and not offered.
CLI::Validator former_compat() {
    return CLI::Validator(
        [](std::string& text) {
            if (text == "seed") {
                text = "bayplan";
            }
            return std::string();
        },
        "");
}

}  // namespace

void add_simulate_command(CLI::App& app, int& exit_code) {
    auto arguments = std::make_shared<SimulateArguments>();
    CLI::App* const simulate = app.add_subcommand(
        "simulate", "what would be decided of the pending pods of a cluster dump; bound pods are its state");
    simulate
        ->add_option("FILE", arguments->files,
                     "what `kubectl get nodes,pods,namespaces,priorityclasses,pdb,pvc,pv,storageclasses,csinodes,"
                     "csidrivers,csistoragecapacities,volumeattachments,services,replicasets,statefulsets -A -o json` "
                     "(or yaml) prints; `-`: standard input")
        ->required()
        ->type_name("");
    simulate->add_option("--only", arguments->only, "judge this pod against the state as given; place nothing")
        ->type_name("NS/POD");
    simulate->add_flag("--explain", arguments->simulation.explain,
                       "with every decision: each node's verdict, predicate, reasons and scores");
    simulate->add_flag("--full", arguments->simulation.full,
                       "with --explain: all predicates that fail a node, not only the first");
    add_choice<Compat>(*simulate, "--compat", arguments->simulation.compat,
                       {{"bayplan", Compat::bayplan}, {"kubernetes-1.35", Compat::kubernetes_1_35}}, "bayplan",
                       "which rules where Bayplan's and today's Kubernetes' differ")
        ->transform(former_compat());
    add_choice<sim::Format>(*simulate, "-o,--output", arguments->format,
                            {{"table", sim::Format::table}, {"json", sim::Format::json}, {"yaml", sim::Format::yaml}},
                            "table", "form of the answer");
    simulate
        ->add_option(
            "--timeline", arguments->timeline,
            "the dump in virtual time, changed by the events of this file: {\"at\":\"1.5s\",\"apply\":{object}} "
            "or {\"at\":\"12s\",\"delete\":{\"kind\":..,\"namespace\":..,\"name\":..},\"now\":true} a line, "
            "sorted by time; `-`: standard input. Every decision is told, with -o json as one object a line")
        ->type_name("EVENTS.jsonl");
    simulate
        ->add_option_function<std::string>(
            "--until",
            [arguments](const std::string& text) {
                const std::optional<std::int64_t> ms = sim::parse_ms(text);
                if (!ms) {
                    throw CLI::ValidationError("--until",
                                               "`" + text + "` is no time in whole milliseconds (10m, 1.5s)");
                }
                arguments->until_ms = *ms;
            },
            "last instant of the timeline (default: when nothing more can happen)")
        ->type_name("TIME");
    simulate
        ->add_option_function<std::string>(
            "--coscheduling",
            [arguments](const std::string& text) {
                arguments->coscheduling = text;
                arguments->dump.groups = text != "off";
                arguments->simulation.coscheduling.mode = text == "off" ? Coscheduling::off : Coscheduling::unit;
            },
            "pod groups: `unit`: tried whole, placed whole or not at all; `off`: their labels mean nothing")
        ->check(CLI::IsMember({"unit", "permit", "off"}))
        ->type_name("")
        ->default_str("unit");
    CoschedulingOptions& groups = arguments->simulation.coscheduling;
    add_duration(*simulate, "--group-backoff", groups.backoff_initial_ns, "1s",
                 "how long a group waits after its first failure; doubled with each further one");
    add_duration(*simulate, "--group-backoff-max", groups.backoff_max_ns, "10s", "and at most");
    add_duration(*simulate, "--group-memory", groups.memory_ns, "10m", "how long a group without pods keeps its time");
    simulate
        ->add_option_function<std::string>(
            "--reserve-after",
            [](const std::string& text) {
                if (sim::parse_ms(text) != 0) {
                    throw CLI::ValidationError("--reserve-after", "this release reserves nothing for groups: 0s alone");
                }
            },
            "age of a group's first failure at which nodes are reserved for it; 0s: never, which is all there is yet")
        ->type_name("TIME");
    simulate
        ->add_option("--queues", arguments->queues,
                     "a YuniKorn queues.yaml: applications, queues and users are as YuniKorn's labels and annotations "
                     "of the pods say; a table of the queues comes at the end")
        ->type_name("FILE");
    simulate->add_flag("--defaults", arguments->dump.defaults,
                       "fill in what the API server would (for manifests written by hand)");
    simulate
        ->add_option("--scheduler-name", arguments->dump.schedulers,
                     "pods of this scheduler are ours, others foreign; may be repeated (default: all are ours)")
        ->type_name("NAME")
        ->expected(1)
        ->take_all();
    simulate
        ->add_option(
            "--devices", arguments->dump.devices,
            "this resource is devices, 1000 of it each, on every node that has some: a share must fit one device, "
            "whole ones need empty devices; may be repeated")
        ->type_name("RESOURCE")
        ->expected(1)
        ->take_all();
    // One text: a list would take the files behind it for names.
    simulate
        ->add_option_function<std::string>(
            "--predicates",
            [arguments](const std::string& text) { arguments->simulation.predicates = CLI::detail::split(text, ','); },
            "use these alone (default: all)")
        ->type_name("NAME,...");
    add_daemonset_options(*simulate, arguments->daemonset);
    simulate->add_flag("--quiet", arguments->quiet, "no progress on standard error");
    simulate->callback([arguments, &exit_code] { exit_code = run_simulate(*arguments); });
}

}  // namespace bayplan::cli
