// JSON and YAML. See report.h; the fields are described in README.md.
#include "sim/report.h"

#include <limits>

#include <fmt/format.h>

#include "sim/claimed_devices.h"
#include "sim/daemonset_report.h"
#include "sim/group_text.h"
#include "sim/markup.h"
#include "sim/queue_report.h"
#include "sim/use_report.h"

namespace bayplan::sim {

namespace {

std::string_view name_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::feasible: return "feasible";
        case Verdict::unschedulable: return "unschedulable";
        case Verdict::unresolvable: return "unresolvable";
    }
    return "";
}

class DocumentReport : public Report {
public:
    explicit DocumentReport(std::unique_ptr<Markup> out) : out_(std::move(out)) {
        out_->begin_object();
        out_->begin_list("decisions");
    }

    void add(const SimulatedDecision& decision) override {
        totals_.add(decision);
        out_->begin_object();
        out_->text("pod", decision.pod);
        out_->text("outcome", to_string(decision.outcome));
        if (decision.attempt > 0) {
            out_->number("attempt", decision.attempt);
        }
        if (decision.outcome == Outcome::scheduled) {
            out_->text("node", decision.node);
            write_devices(*out_, decision.pod, decision.devices);
        } else {
            add_if_any("node", decision.node);
            out_->text("message", decision.message);
        }
        if (decision.outcome == Outcome::reserved) {
            add_list("victims", decision.victims);
        }
        if (decision.outcome == Outcome::nominated) {
            out_->text("nominatedNode", decision.nominated_node);
            add_victims(decision.victims, decision.budget_violations);
        }
        if (decision.explanation) {
            add_explanation(decision, *decision.explanation);
        }
        if (decision.group) {
            write_group(*out_, *decision.group, decision.first_of_group);
        }
        if (decision.daemonset) {
            write_daemonset(*out_, *decision.daemonset);
        }
        out_->end();
    }

    void finish(const Ending& ending) override {
        out_->end();
        out_->begin_object("totals");
        out_->number("scheduled", static_cast<std::int64_t>(totals_.scheduled()));
        out_->number("nominated", static_cast<std::int64_t>(totals_.nominated()));
        out_->number("unschedulable", static_cast<std::int64_t>(totals_.unschedulable()));
        out_->number("gated", static_cast<std::int64_t>(totals_.gated()));
        if (totals_.reserved() > 0) {
            out_->number("reserved", static_cast<std::int64_t>(totals_.reserved()));
        }
        if (totals_.errors() > 0) {
            out_->number("errors", static_cast<std::int64_t>(totals_.errors()));
        }
        if (totals_.queued() > 0) {
            out_->number("queued", static_cast<std::int64_t>(totals_.queued()));
        }
        if (totals_.waiting() > 0) {
            out_->number("waiting", static_cast<std::int64_t>(totals_.waiting()));
        }
        if (totals_.rejected() > 0) {
            out_->number("rejected", static_cast<std::int64_t>(totals_.rejected()));
        }
        out_->end();
        if (!ending.interrupted.empty()) {
            out_->text("interrupted", ending.interrupted);
        }
        if (!ending.unused.empty()) {
            add_list("unused", ending.unused);
        }
        if (!ending.what_if.empty()) {
            add_list("whatIf", ending.what_if);
        }
        write_fit(*out_, ending.fit);
        write_queues(*out_, ending.queues);
        write_use(*out_, ending.use);
        out_->end();
    }

private:
    void add_explanation(const SimulatedDecision& decision, const Explanation& explanation) {
        out_->begin_object("nodes");
        for (const NodeExplanation& node : explanation.nodes) {
            const auto causes = decision.causes.find(node.node);
            add_node(node, causes == decision.causes.end() ? std::vector<std::string>() : causes->second);
        }
        out_->end();
        if (!decision.nearest.empty()) {
            add_list("nearest", decision.nearest);
        }
        if (!explanation.woken_by.empty()) {
            out_->begin_list("wokenBy");
            for (const std::string& text : explanation.woken_by) {
                out_->text({}, text);
            }
            out_->end();
        }
        if (explanation.preemption) {
            add_preemption(*explanation.preemption);
        }
    }

    void add_if_any(std::string_view name, std::string_view text) {
        if (!text.empty()) {
            out_->text(name, text);
        }
    }

    void add_list(std::string_view name, const std::vector<std::string>& texts) { write_list(*out_, name, texts); }

    void add_victims(const std::vector<std::string>& victims, std::int32_t violations) {
        add_list("victims", victims);
        out_->number("pdbViolations", violations);
    }

    void add_preemption(const PreemptionExplanation& preemption) {
        out_->begin_object("preemption");
        out_->begin_object("candidates");
        for (const VictimChoice& choice : preemption.candidates) {
            out_->begin_object(choice.node);
            add_victims(choice.victims, choice.budget_violations);
            out_->number("highestPriority", choice.highest_priority);
            out_->number("prioritySum", choice.priority_sum);
            if (choice.earliest_start_ms != std::numeric_limits<std::int64_t>::max()) {
                out_->number("earliestStartMs", choice.earliest_start_ms);
            }
            out_->end();
        }
        out_->end();
        if (!preemption.text.empty()) {
            out_->text("message", preemption.text);
        }
        if (!preemption.guarantee.empty()) {
            out_->text("guarantee", preemption.guarantee);
        }
        out_->end();
    }

    void add_node(const NodeExplanation& node, const std::vector<std::string>& causes) {
        out_->begin_object(node.node);
        out_->text("verdict", name_of(node.verdict));
        add_if_any("devices", without_claims(node.devices));
        add_if_any("devicesLeft", node.devices_left);
        if (!node.failures.empty()) {
            add_failure(node.failures.front());
        }
        if (!causes.empty()) {
            add_list("causes", causes);
        }
        if (node.failures.size() > 1) {
            out_->begin_list("failures");
            for (const PredicateFailure& failure : node.failures) {
                out_->begin_object();
                out_->text("verdict", name_of(failure.verdict));
                add_failure(failure);
                out_->end();
            }
            out_->end();
        }
        if (node.verdict == Verdict::feasible) {
            add_scores("scores", node, &ScoreShare::weighted);
            out_->number("total", node.total);
            add_scores("normalisedScores", node, &ScoreShare::normalised);
            add_scores("rawScores", node, &ScoreShare::raw);
        }
        out_->end();
    }

    void add_failure(const PredicateFailure& failure) {
        out_->text("predicate", failure.predicate);
        out_->begin_list("reasons");
        for (const std::string& reason : failure.reasons) {
            out_->text({}, reason);
        }
        out_->end();
    }

    void add_scores(std::string_view name, const NodeExplanation& node, std::int64_t ScoreShare::*part) {
        out_->begin_object(name);
        for (const ScoreShare& share : node.scores) {
            out_->number(share.plugin, share.*part);
        }
        out_->end();
    }

    std::unique_ptr<Markup> out_;
    Totals totals_;
};

}  // namespace

void Totals::add(const SimulatedDecision& decision) {
    if (const auto before = without_place_.find(decision.pod); before != without_place_.end()) {
        --counts_[static_cast<std::size_t>(before->second)];
        without_place_.erase(before);
    }
    ++counts_[static_cast<std::size_t>(decision.outcome)];
    if (decision.outcome != Outcome::scheduled) {
        without_place_.emplace(decision.pod, decision.outcome);
    }
}

std::size_t Totals::pods() const {
    std::size_t pods = 0;
    for (const std::size_t count : counts_) {
        pods += count;
    }
    return pods;
}

std::string Totals::text() const {
    const auto if_any = [](std::size_t count, const char* what) {
        return count == 0 ? "" : fmt::format("{} {}, ", count, what);
    };
    return fmt::format("{} {}: {} scheduled, {}{}{}{}{}{}{} unschedulable, {} gated", pods(),
                       pods() == 1 ? "pod" : "pods", scheduled(), if_any(nominated(), "nominated"),
                       if_any(reserved(), "reserved"), if_any(queued(), "queued"), if_any(waiting(), "waiting"),
                       if_any(rejected(), "rejected"), if_any(errors(), "in an error"), unschedulable(), gated());
}

bool finds_room(Outcome outcome) {
    return outcome == Outcome::scheduled || outcome == Outcome::nominated || outcome == Outcome::reserved;
}

std::unique_ptr<Report> make_report(Format format, std::FILE* out, const ReportLook& look) {
    switch (format) {
        case Format::json: return std::make_unique<DocumentReport>(make_json(out));
        case Format::yaml: return std::make_unique<DocumentReport>(make_yaml(out));
        case Format::csv: return make_csv(out);
        case Format::wide: return make_wide(out, look);
        case Format::table: break;
    }
    return make_table(out, look);
}

}  // namespace bayplan::sim
