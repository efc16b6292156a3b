// See timeline_report.h.
#include "sim/timeline_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/claimed_devices.h"
#include "sim/explanation_markup.h"
#include "sim/explanation_text.h"
#include "sim/markup.h"
#include "sim/queue_report.h"
#include "sim/reason_groups.h"

namespace bayplan::sim {

namespace {

constexpr std::size_t kTimelinePodWidthMax = 60;
constexpr std::size_t kTimeWidth = 9;
constexpr std::size_t kOutcomeWidth = 18;

void write(Markup& out, const TimelineDecision& decision) {
    out.begin_object();
    out.text("at", seconds_text(decision.at_ms));
    out.text("pod", decision.pod);
    if (!decision.group.empty()) {
        out.text("group", decision.group);
    }
    out.text("outcome", to_string(decision.outcome));
    if (!decision.node.empty()) {
        out.text("node", decision.node);
    }
    if (!decision.nominated_node.empty()) {
        out.text("nominatedNode", decision.nominated_node);
    }
    if (!decision.victims.empty()) {
        out.begin_list("victims");
        for (const std::string& victim : decision.victims) {
            out.text({}, victim);
        }
        out.end();
    }
    write_devices(out, decision.pod, decision.devices);
    if (!decision.message.empty()) {
        out.text("message", decision.message);
    }
    write_explained(out, decision.explained, decision.outcome == TimelineOutcome::waiting);
    out.end();
}

void write(Markup& out, const TimelineSummary& summary) {
    const auto number = [&](std::string_view name, std::uint64_t value) {
        out.number(name, static_cast<std::int64_t>(value));
    };
    out.begin_object("summary");
    out.text("until", seconds_text(summary.until_ms));
    if (summary.interrupted) {
        out.text("interrupted", fmt::format("interrupted after {}", seconds_text(summary.until_ms)));
    }
    number("placed", summary.placed);
    out.begin_list("pending");
    for (const TimelineSummary::Pending& pod : summary.pending) {
        out.begin_object();
        out.text("pod", pod.pod);
        if (!pod.group.empty()) {
            out.text("group", pod.group);
        }
        if (!pod.message.empty()) {
            out.text("message", pod.message);
        }
        if (!pod.nominated_node.empty()) {
            out.text("nominatedNode", pod.nominated_node);
        }
        if (!pod.reserved_node.empty()) {
            out.text("reservedNode", pod.reserved_node);
        }
        out.end();
    }
    out.end();
    number("gone", summary.gone);
    number("preemptions", summary.preemptions);
    number("victims", summary.victims);
    if (summary.groups) {
        out.begin_object("groups");
        number("complete", summary.groups->complete);
        number("partial", summary.groups->partial);
        number("pending", summary.groups->pending);
        out.end();
    }
    write_queues(out, summary.queues);
    out.begin_object("utilisation");
    for (const auto& [kind, share] : summary.utilisation) {
        out.ratio(kind, share);
    }
    out.end();
    out.end();
}

class JsonLines : public TimelineReport {
public:
    explicit JsonLines(std::FILE* out) : out_(make_json_lines(out)) {}
    void add(const TimelineDecision& decision) override { write(*out_, decision); }
    void finish(const TimelineSummary& summary) override {
        out_->begin_object();
        write(*out_, summary);
        out_->end();
    }

private:
    std::unique_ptr<Markup> out_;
};

class YamlDocument : public TimelineReport {
public:
    explicit YamlDocument(std::FILE* out) : out_(make_yaml(out)) {
        out_->begin_object();
        out_->begin_list("decisions");
    }
    void add(const TimelineDecision& decision) override { write(*out_, decision); }
    void finish(const TimelineSummary& summary) override {
        out_->end();
        write(*out_, summary);
        out_->end();
    }

private:
    std::unique_ptr<Markup> out_;
};

class TimelineTable : public TimelineReport {
public:
    TimelineTable(std::FILE* out, const ReportLook& look)
        : out_(out), look_(look), width_(std::clamp<std::size_t>(look.pod_width, 3, kTimelinePodWidthMax)) {
        if (look.columns > 0) {
            width_ = std::min(width_, std::max<std::size_t>(look.columns / 3, 10));
        }
    }

    void add(const TimelineDecision& decision) override {
        if (!headed_) {
            fmt::print(out_, "{:>{}}  {:<{}}  {:<{}}  {}\n", "TIME", kTimeWidth, "POD", width_, "OUTCOME",
                       kOutcomeWidth, "WHERE OR WHY");
            headed_ = true;
        }
        const std::string pod = look_.columns == 0 ? decision.pod : terminal::cut(decision.pod, width_);
        fmt::print(out_, "{:>{}}  {:<{}}  {:<{}}  {}\n", seconds_text(decision.at_ms), kTimeWidth, pod, width_,
                   to_string(decision.outcome), kOutcomeWidth, fitting(what(decision)));
        if (!decision.victims.empty()) {
            fmt::print(out_, "{}{}\n", std::string(before(), ' '),
                       fitting(fmt::format("takes the place of {}", fmt::join(decision.victims, ", "))));
        }
        if (decision.explained.explanation) {
            print_explained(out_, decision.explained, decision.node, decision.outcome == TimelineOutcome::waiting,
                            look_.columns);
            fmt::print(out_, "\n");
        }
    }

    void finish(const TimelineSummary& summary) override {
        fmt::print(out_, "{}{} {}: {} placed, {} pending, {} gone; {} preemptions with {} victims\n",
                   headed_ ? "\n" : "", summary.interrupted ? "interrupted at" : "at", seconds_text(summary.until_ms),
                   summary.placed, summary.pending.size(), summary.gone, summary.preemptions, summary.victims);
        for (const auto& [kind, share] : summary.utilisation) {
            fmt::print(out_, "  {} {:.1f}% in use\n", kind, 100 * share);
        }
        ReasonGroups reasons;
        for (const TimelineSummary::Pending& pod : summary.pending) {
            const std::string place = !pod.reserved_node.empty() ? fmt::format(" (reserved on {})", pod.reserved_node)
                                      : !pod.nominated_node.empty()
                                          ? fmt::format(" (nominated to {})", pod.nominated_node)
                                          : "";
            reasons.add_waiting(pod.pod + place, Outcome::unschedulable,
                                pod.message.empty() ? "not tried yet" : pod.message);
        }
        print_reasons(out_, reasons.groups(), ReasonOutcomes::left_unsaid, look_.columns, look_.colours);
        print_queues(out_, summary.queues, look_.columns);
    }

private:
    // Columns in front of what the decision says.
    std::size_t before() const { return kTimeWidth + 2 + width_ + 2 + kOutcomeWidth + 2; }

    // Nothing is left out of a reason: it is wrapped below itself.
    std::string fitting(const std::string& text) const { return terminal::wrapped(text, look_.columns, before()); }

    static std::string what(const TimelineDecision& decision) {
        if (decision.outcome == TimelineOutcome::scheduled) {
            return decision.node + (decision.devices.empty() ? "" : " with " + decision.devices);
        }
        if (decision.outcome == TimelineOutcome::claim_given_back || decision.outcome == TimelineOutcome::reserved ||
            decision.outcome == TimelineOutcome::reservation_cleared) {
            return decision.message;
        }
        if (decision.outcome == TimelineOutcome::waiting) {
            return decision.node + ": " + decision.message;
        }
        const bool waits = decision.outcome != TimelineOutcome::nominated && !decision.nominated_node.empty();
        const std::string node = waits ? "(waits for " + decision.nominated_node + ") " : decision.nominated_node;
        return decision.outcome == TimelineOutcome::nominated ? node : node + decision.message;
    }

    std::FILE* out_;
    ReportLook look_;
    std::size_t width_;
    bool headed_ = false;
};

}  // namespace

std::unique_ptr<TimelineReport> make_timeline_report(Format format, std::FILE* out, const ReportLook& look) {
    switch (format) {
        case Format::json: return std::make_unique<JsonLines>(out);
        case Format::yaml: return std::make_unique<YamlDocument>(out);
        case Format::wide:
        case Format::csv:
        case Format::table: break;
    }
    return std::make_unique<TimelineTable>(out, look);
}

}  // namespace bayplan::sim
