// See simulate_command.h.
#include "cli/simulate_command.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/dump_notes.h"
#include "cli/dump_reading.h"
#include "cli/exit_status.h"
#include "cli/interrupt.h"
#include "cli/output_file.h"
#include "cli/plugin_process.h"
#include "cli/simulate_arguments.h"
#include "cli/simulate_difference.h"
#include "daemon/queues_file.h"
#include "queue_config/node_scores.h"
#include "sim/map_page.h"
#include "sim/report.h"
#include "sim/simulation.h"
#include "sim/timeline_page.h"
#include "sim/timeline_report.h"
#include "terminal/progress.h"

namespace bayplan::cli {

namespace {

using terminal::Progress;

std::size_t widest(const kube::ClusterDump& dump) {
    std::size_t width = 0;
    for (const std::string_view pod : dump.pending()) {
        width = std::max(width, pod.size());
    }
    return width;
}

// Of pods to come while nodes are drained.
std::size_t widest_replacement(const kube::ClusterDump& dump) {
    const std::vector<std::string>& drained = dump.options().what_if.drain;
    if (drained.empty()) {
        return 0;
    }
    std::size_t width = 0;
    for (const kube::ClusterDump::Pod& pod : dump.bound_pods()) {
        const std::string_view node = dump.texts().text(pod.converted.ask.node);
        if (std::ranges::find(drained, node) != drained.end() && dump.has_replacement(pod.converted)) {
            width = std::max(width, kube::replacement_name(pod.converted.key).size());
        }
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

sim::ReportLook look_for(const kube::ClusterDump& dump) {
    sim::ReportLook look;
    look.pod_width = std::max(widest(dump), widest_replacement(dump));
    look.columns = terminal::size_of(STDOUT_FILENO).columns;
    look.colours = terminal::colours_of(STDOUT_FILENO);
    return look;
}

int judge_one(const SimulateArguments& arguments, const kube::ClusterDump& dump, sim::Simulation& simulation,
              sim::Report& report) {
    const std::optional<sim::SimulatedDecision> decision = simulation.judge(arguments.only);
    if (!decision) {
        const std::string why = dump.why_not_pending(arguments.only);
        const std::string meant = dump.meant(arguments.only);
        return fail(
            "simulate",
            fmt::format(
                "{} {}{}", arguments.only, why.empty() ? "was refused" : why,
                meant.empty() || meant == arguments.only ? "" : fmt::format("; did you mean `--only {}`?", meant)),
            2);
    }
    report.add(*decision);
    sim::Ending ending;
    ending.unused = unused_lines(dump);
    report.finish(ending);
    return 0;
}

// False: a file that is to be written cannot be, which is told before long work.
bool can_write(const SimulateArguments& arguments) {
    for (const std::string& path : {arguments.html, arguments.svg}) {
        const std::string why = path.empty() ? "" : why_not_writable(path);
        if (!why.empty()) {
            fail("simulate", why, 2);
            return false;
        }
    }
    return true;
}

std::string title_of(const SimulateArguments& arguments) {
    const std::string timeline = arguments.timeline.empty() ? "" : " --timeline " + arguments.timeline;
    return fmt::format("bayplan simulate {}{}", fmt::join(arguments.files, " "), timeline);
}

bool write_pictures(const SimulateArguments& arguments, const sim::MapPage& page, const sim::Ending& ending) {
    const bool written = (arguments.html.empty() || page.write_html(arguments.html, title_of(arguments), ending)) &&
                         (arguments.svg.empty() || page.write_svg(arguments.svg, ending));
    if (!written) {
        fail("simulate", fmt::format("the page or the picture cannot be written: {}", std::strerror(errno)), 2);
    }
    return written;
}

// How many pods of one kind are tried at most.
constexpr std::size_t kFitMax = 1'000'000;

int schedule_all(const SimulateArguments& arguments, const kube::ClusterDump& dump,
                 const std::optional<kube::ConvertedPod>& fit, sim::Simulation& simulation, sim::Report& report,
                 Progress& progress) {
    const std::size_t total = dump.counts().pending;
    const bool shared = isatty(STDOUT_FILENO) == 1;  // lines and bar on one screen
    std::size_t done = 0;
    sim::MapPage page(dump);
    const bool pictures = !arguments.html.empty() || !arguments.svg.empty();
    const std::int64_t began = now_ns();
    const auto take = [&](const sim::SimulatedDecision& decision) {
        if (shared) {
            progress.clear();
        }
        report.add(decision);
        if (pictures) {
            page.add(decision);
        }
        done += decision.attempt <= 1 ? 1 : 0;
        if (progress.due(now_ns())) {
            progress.draw(done, total, "pods", fmt::format("{} of {} pods", done, total));
        }
    };
    sim::Ending ending;
    std::string plugin_fault;
    bool whole = false;
    try {
        whole = simulation.run(take, [] { return !Interrupt::came(); });
        if (whole && fit) {
            ending.fit = simulation.fit(*fit, kFitMax);
        }
    } catch (const sim::PluginFault& fault) {
        whole = false;
        plugin_fault = Interrupt::came() ? "" : fmt::format("the plugin {}", fault.what());
    }
    progress.finish();
    ending.queues = simulation.queues();
    ending.use = simulation.use();
    ending.what_if = dump.what_if_lines();
    ending.unused = unused_lines(dump);
    for (std::string& line : simulation.drained()) {
        ending.what_if.push_back(std::move(line));
    }
    if (!whole) {
        ending.interrupted = fmt::format("interrupted after {} of {} pods and {:.1f} s", done, total,
                                         static_cast<double>(now_ns() - began) * 1e-9);
    }
    report.finish(ending);
    if (pictures && !write_pictures(arguments, page, ending)) {
        return 2;
    }
    return !plugin_fault.empty() ? fail("simulate", plugin_fault, 2) : whole ? 0 : 1;
}

// Of the pods that come by events. The classes of all events count from the beginning.
void make_extended_claims(kube::ClusterDump& dump, std::vector<sim::Event>& events) {
    std::vector<ClusterObject*> objects;
    for (sim::Event& event : events) {
        auto* const object = std::get_if<kube::ConvertedObject>(&event.what);
        if (object == nullptr) {
            continue;
        }
        if (auto* const pod = std::get_if<kube::ConvertedPod>(object)) {
            dump.make_extended_claim(*pod);
        } else if (auto* const other = std::get_if<ClusterObject>(object)) {
            objects.push_back(other);
        }
    }
    dump.set_kinds();
    std::ranges::for_each(objects, [&](ClusterObject* object) { dump.set_kinds(*object); });
}

// What the file of events says; false: it cannot be read, or some of it is bad, which is told.
bool read_timeline(const SimulateArguments& arguments, kube::ClusterDump& dump, std::vector<sim::Event>& events) {
    const std::string& path = arguments.timeline;
    std::string text;
    std::string why;
    if (!kube::read_whole(path, text, why)) {
        fail("simulate", fmt::format("{}: {}", path, why), 2);
        return false;
    }
    std::vector<kube::ObjectFault> faults;
    const bool good = sim::read_events(text, path == "-" ? "standard input" : path, dump.converter(), events, faults);
    tell(faults);
    make_extended_claims(dump, events);
    if (!good) {
        fail("simulate", "nothing was run: the timeline has bad lines", 2);
    }
    return good;
}

int run_timeline(const SimulateArguments& arguments, kube::ClusterDump& dump, Progress& progress) {
    std::vector<sim::Event> events;
    if (!read_timeline(arguments, dump, events)) {
        return 2;
    }
    const std::size_t total = events.size();
    sim::ReportLook look = look_for(dump);
    look.pod_width = std::max(look.pod_width, widest(events));
    sim::TimelineOptions options{arguments.simulation.compat,
                                 arguments.simulation.predicates,
                                 arguments.simulation.coscheduling,
                                 arguments.until_ms,
                                 arguments.daemonset.with(arguments.simulation.compat),
                                 arguments.simulation.queues,
                                 arguments.simulation.explain,
                                 arguments.simulation.full,
                                 arguments.simulation.plugin};
    sim::Timeline timeline(dump, std::move(events), options);
    const auto report = sim::make_timeline_report(arguments.format, stdout, look);
    std::size_t decisions = 0;
    std::optional<sim::TimelinePage> page;
    if (!arguments.html.empty()) {
        page.emplace(dump);
        timeline.watch([&](std::int64_t now_ms, const sim::LiveCluster& cluster,
                           const sim::LiveCluster::Changes& changes) { page->see(now_ms, cluster, changes); });
    }
    const bool shared = isatty(STDOUT_FILENO) == 1;
    const sim::TimelineSummary summary = timeline.run(
        [&](const sim::TimelineDecision& decision) {
            if (shared) {
                progress.clear();
            }
            report->add(decision);
            if (page) {
                page->add(decision);
            }
            ++decisions;
        },
        [&](std::int64_t now_ms, std::size_t done) {
            if (progress.due(now_ns())) {
                progress.draw(done, total, "events",
                              fmt::format("{}: {} of {} events, {} decisions", sim::seconds_text(now_ms), done, total,
                                          decisions));
            }
            return !Interrupt::came();
        });
    progress.finish();
    report->finish(summary);
    int code = std::fflush(stdout) == 0 ? 0 : fail("simulate", "standard output cannot be written", 2);
    if (page && !page->write_html(arguments.html, title_of(arguments), summary)) {
        code = fail("simulate", fmt::format("the page cannot be written: {}", std::strerror(errno)), 2);
    }
    if (Interrupt::came()) {
        code = fail("simulate", fmt::format("interrupted after {}", sim::seconds_text(summary.until_ms)),
                    std::max(code, 1));
    }
    if (!arguments.quiet) {
        tell_unused(dump);
        tell(timeline.take_remarks());
    }
    const bool broken = tell_faults(dump, timeline.refused());
    return code == 0 && broken ? 1 : code;
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

// False: something was asked for that cannot be, which is told.
bool can_be(const kube::ClusterDump& dump) {
    for (const std::string& fault : dump.what_if_faults()) {
        fail("simulate", fault, 2);
    }
    return dump.what_if_faults().empty();
}

// False: it cannot be read, or has wishes that cannot be met, which is told.
bool read_scheduler(SimulateArguments& arguments) {
    std::string text;
    std::string why;
    if (!kube::read_whole(arguments.scheduler_config, text, why)) {
        fail("simulate", fmt::format("{}: {}", arguments.scheduler_config, why), 2);
        return false;
    }
    const std::vector<std::string>& ours = arguments.dump.schedulers;
    scheduler_config::SchedulerConfigReading read = scheduler_config::read_scheduler_config(
        std::move(text), arguments.scheduler_config, ours.size() == 1 ? ours.front() : std::string(),
        scheduler_config::ConfigUse::simulation);
    for (const auto* const lines : {&read.faults, &read.remarks}) {
        for (const std::string& line : *lines) {
            fmt::print(stderr, "{}\n", line);
        }
    }
    arguments.simulation.scheduler = std::move(read.config);
    return arguments.simulation.scheduler.has_value();
}

// By which reasons call it.
std::string name_of_plugin(const std::string& command) {
    constexpr std::size_t kShort = 100;
    return command.size() <= kShort && command.find('\n') == std::string::npos ? command : "of --plugin";
}

// False: queues and scheduler say of nodes what cannot both be, which is told.
bool nodes_agree(const SimulateArguments& arguments) {
    std::string why;
    const auto scores = queue_config::node_scores(arguments.simulation.queues, "default", why);
    if (scores && arguments.simulation.scheduler) {
        EngineOptions engine;
        arguments.simulation.scheduler->apply(engine);
        why = scores->in_force(engine) ? "" : "its node sort policy says otherwise than --scheduler-config";
    }
    if (!why.empty()) fmt::print(stderr, "{}: {}\n", arguments.queues, why);
    return why.empty();
}

int run_noting_interrupts(SimulateArguments& arguments) {
    if (const std::string what = contradiction(arguments); !what.empty()) {
        return fail("simulate", what, 2);
    }
    if (!arguments.queues.empty() && !read_queues(arguments.queues, arguments.simulation.queues)) {
        return fail("simulate", "nothing was run: the file of queues is faulty", 2);
    }
    if (!arguments.scheduler_config.empty() && !read_scheduler(arguments)) {
        return fail("simulate", "nothing was run: the scheduler's configuration cannot be met", 2);
    }
    if (!arguments.queues.empty() && !nodes_agree(arguments)) {
        return fail("simulate", "nothing was run: the file of queues cannot be met", 2);
    }
    if (!can_write(arguments)) {
        return 2;
    }
    arguments.dump.applications = !arguments.queues.empty();
    std::optional<PluginProcess> plugin;
    if (!arguments.plugin.empty()) {
        plugin.emplace(arguments.plugin, arguments.plugin_timeout_ns);
        arguments.dump.plugin = name_of_plugin(arguments.plugin);
        arguments.simulation.plugin = {arguments.dump.plugin, &*plugin, arguments.plugin_victims};
    }
    Progress progress(arguments.quiet);
    kube::ClusterDump dump(arguments.dump);
    const bool any = read_files(arguments.files, dump, progress);
    if (!any) {
        tell_faults(dump, {});
        return 2;
    }
    if (!can_be(dump)) {
        return 2;
    }
    std::optional<kube::ConvertedPod> fit;
    if (!arguments.fit.empty() && !(fit = dump.read_one_pod(arguments.fit))) {
        tell_unused(dump);
        tell_faults(dump, {});
        return fail("simulate", "nothing was run: --fit wants a pod", 2);
    }
    if (!arguments.timeline.empty()) {
        return run_timeline(arguments, dump, progress);
    }
    sim::SimulationOptions options = arguments.simulation;
    options.daemonset = arguments.daemonset.with(options.compat);
    if (!arguments.diff.empty()) {
        return simulate_difference(arguments, dump, options, progress);
    }
    sim::Simulation simulation(dump, options);
    const auto report = sim::make_report(arguments.format, stdout, look_for(dump));
    int code = arguments.only.empty() ? schedule_all(arguments, dump, fit, simulation, *report, progress)
                                      : judge_one(arguments, dump, simulation, *report);
    if (std::fflush(stdout) != 0) {
        code = fail("simulate", "standard output cannot be written", 2);
    }
    if (!arguments.quiet) {
        tell_unused(dump);
    }
    const bool broken = tell_faults(dump, simulation.refused());
    return code == 0 && broken ? 1 : code;
}

int run_simulate(SimulateArguments arguments) {
    const Interrupt interrupt;
    try {
        return run_noting_interrupts(arguments);
    } catch (const InterruptedReading&) {
        return fail("simulate", "interrupted while reading: nothing was judged", 1);
    } catch (const sim::PluginFault& fault) {
        return Interrupt::came() ? fail("simulate", "interrupted", 1)
                                 : fail("simulate", fmt::format("the plugin {}", fault.what()), 2);
    }
}

}  // namespace

void add_simulate_command(CLI::App& app, int& exit_code) {
    auto arguments = std::make_shared<SimulateArguments>();
    CLI::App* const simulate = app.add_subcommand(
        "simulate", "what would be decided of the pending pods of a cluster dump; bound pods are its state");
    add_simulate_options(*simulate, *arguments);
    simulate->callback([arguments, &exit_code] { exit_code = run_simulate(*arguments); });
}

}  // namespace bayplan::cli
