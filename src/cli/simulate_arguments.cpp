// See simulate_arguments.h.
#include "cli/simulate_arguments.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/closest_name.h"
#include "cli/duration.h"
#include "options/predicate_rows.h"

namespace bayplan::cli {

namespace {

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

// Devices for extended resources are all that a scheduler's gate changes of a dump.
void read_feature_gates(const std::string& text, SimulateArguments& arguments) {
    for (const std::string& one : CLI::detail::split(text, ',')) {
        if (one != "DRAExtendedResource=true" && one != "DRAExtendedResource=false") {
            throw CLI::ValidationError("--feature-gates",
                                       fmt::format("'{}' is not DRAExtendedResource=true or =false", one));
        }
        arguments.dump.extended_resources = one.ends_with("=true");
    }
}

}  // namespace

std::string contradiction(const SimulateArguments& arguments) {
    if (const std::string unknown = unknown_predicate(arguments.simulation.predicates); !unknown.empty()) {
        return fmt::format("--predicates: '{}' is none of {}{}", unknown, fmt::join(kPredicateNames, ", "),
                           did_you_mean(unknown, {kPredicateNames.begin(), kPredicateNames.end()}));
    }
    if (arguments.format == sim::Format::csv && arguments.simulation.explain) {
        return "-o csv has a line per decision: no --explain";
    }
    if (arguments.format == sim::Format::csv && (!arguments.fit.empty() || !arguments.diff.empty())) {
        return "-o csv has a line per decision: it goes without --fit and --diff, which json and yaml tell to programs";
    }
    const kube::WhatIf& what_if = arguments.dump.what_if;
    if (what_if.add_nodes > 0 && what_if.like.empty()) {
        return "--add-nodes N goes with --like NODE, the node that they are like";
    }
    if (!what_if.like.empty() && what_if.add_nodes == 0) {
        return "--like NODE goes with --add-nodes N";
    }
    if (!arguments.only.empty() && (!what_if.drain.empty() || !arguments.fit.empty() || !arguments.diff.empty())) {
        return "--only places nothing: it goes without --drain, --fit and --diff";
    }
    if (!arguments.diff.empty() && (!arguments.fit.empty() || arguments.simulation.explain)) {
        return "--diff tells what is decided otherwise: it goes without --fit and --explain";
    }
    if (!arguments.timeline.empty() && (!what_if.drain.empty() || !arguments.fit.empty() || !arguments.diff.empty())) {
        return "--timeline goes without --drain, --fit and --diff: let its events say what happens";
    }
    if (!arguments.scheduler_config.empty() && !arguments.timeline.empty()) {
        return "--timeline goes without --scheduler-config";
    }
    if (!arguments.scheduler_config.empty() && !arguments.simulation.predicates.empty()) {
        return "either --predicates or --scheduler-config says which predicates there are";
    }
    if (!arguments.plugin.empty() && !arguments.only.empty()) {
        return "--only places nothing, and asks no plugin: it goes without --plugin";
    }
    if (arguments.plugin_timeout_ns <= 0) {
        return "--plugin-timeout must be more than 0s";
    }
    const bool pictures = !arguments.html.empty() || !arguments.svg.empty();
    if (pictures && (!arguments.only.empty() || !arguments.diff.empty())) {
        return "--html and --svg show a whole run: they go without --only and --diff";
    }
    if (!arguments.svg.empty() && !arguments.timeline.empty()) {
        return "--svg shows one moment: it goes without --timeline (--html has all of them)";
    }
    if (arguments.timeline.empty()) {
        return arguments.until_ms == sim::kNever ? "" : "--until goes with --timeline";
    }
    if (!arguments.only.empty()) {
        return "--timeline goes without --only";
    }
    if (arguments.format == sim::Format::wide || arguments.format == sim::Format::csv) {
        return "--timeline is told as table, json or yaml";
    }
    const bool dump_too = std::find(arguments.files.begin(), arguments.files.end(), "-") != arguments.files.end();
    return arguments.timeline == "-" && dump_too ? "standard input is either a dump or the timeline" : "";
}

void add_simulate_options(CLI::App& simulate, SimulateArguments& arguments) {
    simulate
        .add_option("FILE", arguments.files,
                    "what `kubectl get nodes,pods,namespaces,priorityclasses,pdb,pvc,pv,storageclasses,csinodes,"
                    "csidrivers,csistoragecapacities,volumeattachments,services,replicasets,statefulsets,"
                    "resourceslices,resourceclaims,deviceclasses -A -o json` (or yaml) prints; `-`: standard input")
        ->required()
        ->type_name("");
    simulate.add_option("--only", arguments.only, "judge this pod against the state as given; place nothing")
        ->type_name("NS/POD");
    simulate.add_flag(
        "--explain", arguments.simulation.explain,
        "with every decision: each node's verdict, predicate, reasons and scores, and its pod group; with --timeline "
        "as of directly before the attempt");
    simulate.add_flag("--full", arguments.simulation.full,
                      "with --explain: all predicates that fail a node, not only the first");
    add_choice<Compat>(simulate, "--compat", arguments.simulation.compat,
                       {{"bayplan", Compat::bayplan}, {"kubernetes-1.35", Compat::kubernetes_1_35}}, "bayplan",
                       "which rules where Bayplan's and today's Kubernetes' differ")
        ->transform(former_compat());
    add_choice<sim::Format>(simulate, "-o,--output", arguments.format,
                            {{"table", sim::Format::table},
                             {"wide", sim::Format::wide},
                             {"csv", sim::Format::csv},
                             {"json", sim::Format::json},
                             {"yaml", sim::Format::yaml}},
                            "table",
                            "form of the answer. table: pods that get a place, why others wait (grouped), how full "
                            "everything is; wide: every decision, in columns that stay and "
                            "are whole, also on a terminal that is narrower; csv: likewise, for programs");
    simulate
        .add_option(
            "--timeline", arguments.timeline,
            "the dump in virtual time, changed by the events of this file: {\"at\":\"1.5s\",\"apply\":{object}} "
            "or {\"at\":\"12s\",\"delete\":{\"kind\":..,\"namespace\":..,\"name\":..},\"now\":true} a line, "
            "sorted by time; `-`: standard input. Every decision is told, with -o json as one object a line")
        ->type_name("EVENTS.jsonl");
    simulate
        .add_option_function<std::string>(
            "--until",
            [&arguments](const std::string& text) {
                const std::optional<std::int64_t> ms = sim::parse_ms(text);
                if (!ms) {
                    throw CLI::ValidationError("--until",
                                               "`" + text + "` is no time in whole milliseconds (10m, 1.5s)");
                }
                arguments.until_ms = *ms;
            },
            "last instant of the timeline (default: when nothing more can happen)")
        ->type_name("TIME");
    simulate
        .add_option_function<std::string>(
            "--coscheduling",
            [&arguments](const std::string& text) {
                arguments.coscheduling = text;
                arguments.dump.groups = text != "off";
                arguments.simulation.coscheduling.mode = text == "off"      ? Coscheduling::off
                                                         : text == "permit" ? Coscheduling::permit
                                                                            : Coscheduling::unit;
            },
            "pod groups: `unit`: tried whole, placed whole or not at all; `permit`: pod by pod, each holding its node "
            "until "
            "the group has its minimum; `off`: their labels mean nothing")
        ->check(CLI::IsMember({"unit", "permit", "off"}))
        ->type_name("")
        ->default_str("unit");
    CoschedulingOptions& groups = arguments.simulation.coscheduling;
    add_duration(simulate, "--group-backoff", groups.backoff_initial_ns, "1s",
                 "how long a group waits after its first failure; doubled with each further one");
    add_duration(simulate, "--group-backoff-max", groups.backoff_max_ns, "10s", "and at most");
    add_duration(simulate, "--permit-timeout", groups.permit_timeout_ns, "10s",
                 "with permit: how long pods hold nodes for a group that lacks its minimum");
    add_duration(simulate, "--permit-timeout-per-member", groups.permit_timeout_per_member_ns, "10ms",
                 "and so much longer for each member; never more than 15m in all");
    add_duration(simulate, "--group-memory", groups.memory_ns, "10m", "how long a group without pods keeps its time");
    add_duration(simulate, "--reserve-after", groups.reserve_after_ns, "60s",
                 "with unit: age of a group's first failure at which nodes are reserved for it; 0s: never");
    add_duration(simulate, "--reserve-for", groups.reserve_for_ns, "300s", "for how long at most");
    simulate
        .add_option("--queues", arguments.queues,
                    "a YuniKorn queues.yaml: applications, queues and users are as YuniKorn's labels and annotations "
                    "of the pods say; a table of the queues comes at the end")
        ->type_name("FILE");
    simulate.add_flag("--defaults", arguments.dump.defaults,
                      "fill in what the API server would (for manifests written by hand)");
    simulate
        .add_option("--scheduler-name", arguments.dump.schedulers,
                    "pods of this scheduler are ours, others foreign; may be repeated (default: all are ours)")
        ->type_name("NAME")
        ->expected(1)
        ->take_all();
    simulate
        .add_option(
            "--scheduler-config", arguments.scheduler_config,
            "a KubeSchedulerConfiguration: plugins, weights and arguments of its profile (of several: of that of "
            "--scheduler-name); a wish that cannot be met is refused by name")
        ->type_name("FILE");
    simulate
        .add_option(
            "--devices", arguments.dump.devices,
            "this resource is devices, 1000 of it each, on every node that has some: a share must fit one device, "
            "whole ones need empty devices; may be repeated")
        ->type_name("RESOURCE")
        ->expected(1)
        ->take_all();
    simulate
        .add_option_function<std::string>(
            "--feature-gates", [&arguments](const std::string& text) { read_feature_gates(text, arguments); },
            "Kubernetes' feature gates that are not as 1.35 has them by default: DRAExtendedResource=true")
        ->type_name("NAME=VALUE,...");
    // One text: a list would take the files behind it for names.
    simulate
        .add_option_function<std::string>(
            "--predicates",
            [&arguments](const std::string& text) { arguments.simulation.predicates = CLI::detail::split(text, ','); },
            "use these alone (default: all)")
        ->type_name("NAME,...");
    simulate
        .add_option("--plugin", arguments.plugin,
                    "a shell command whose program also says which nodes a pod may have. It reads lines as "
                    "{\"query\":7,\"pod\":{object},\"nodes\":[\"n1\",\"n2\"]} and answers, in any order, "
                    "{\"query\":7,\"feasible\":[\"n1\"],\"unschedulable\":{\"n2\":\"why\"},\"unresolvable\":{},"
                    "\"lasting\":false} or "
                    "{\"query\":7,\"error\":\"why\"}")
        ->type_name("COMMAND");
    simulate
        .add_flag("--plugin-victims", arguments.plugin_victims,
                  "with --plugin: the pods may preempt, and the program is asked which pods may go for them")
        ->needs("--plugin");
    add_duration(simulate, "--plugin-timeout", arguments.plugin_timeout_ns, "30s",
                 "with --plugin: how long it may say nothing while it is asked");
    simulate
        .add_option(
            "--html", arguments.html,
            "also a page for a browser, with nothing outside of it: map of the nodes, search, reasons, preemptions")
        ->type_name("FILE");
    simulate.add_option("--svg", arguments.svg, "also a picture of that map")->type_name("FILE");
    add_what_if_options(simulate, arguments);
    add_daemonset_options(simulate, arguments.daemonset);
    simulate.add_flag("--quiet", arguments.quiet, "nothing on standard error but faults");
}

}  // namespace bayplan::cli
