// See explanation_markup.h.
#include "sim/explanation_markup.h"

#include <limits>

#include "sim/claimed_devices.h"
#include "sim/daemonset_report.h"
#include "sim/group_text.h"

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

class ExplanationMarkup {
public:
    explicit ExplanationMarkup(Markup& out) : out_(out) {}

    void add_explanation(const Explained& explained, const Explanation& explanation) {
        out_.begin_object("nodes");
        for (const NodeExplanation& node : explanation.nodes) {
            const auto causes = explained.causes.find(node.node);
            add_node(node, causes == explained.causes.end() ? std::vector<std::string>() : causes->second);
        }
        out_.end();
        if (!explained.nearest.empty()) {
            write_list(out_, "nearest", explained.nearest);
        }
        if (!explanation.woken_by.empty()) {
            out_.begin_list("wokenBy");
            for (const std::string& text : explanation.woken_by) {
                out_.text({}, text);
            }
            out_.end();
        }
        if (explanation.preemption) {
            add_preemption(*explanation.preemption);
        }
    }

private:
    void add_preemption(const PreemptionExplanation& preemption) {
        out_.begin_object("preemption");
        out_.begin_object("candidates");
        for (const VictimChoice& choice : preemption.candidates) {
            out_.begin_object(choice.node);
            write_victims(out_, choice.victims, choice.budget_violations);
            out_.number("highestPriority", choice.highest_priority);
            out_.number("prioritySum", choice.priority_sum);
            if (choice.earliest_start_ms != std::numeric_limits<std::int64_t>::max()) {
                out_.number("earliestStartMs", choice.earliest_start_ms);
            }
            out_.end();
        }
        out_.end();
        if (!preemption.text.empty()) {
            out_.text("message", preemption.text);
        }
        if (!preemption.guarantee.empty()) {
            out_.text("guarantee", preemption.guarantee);
        }
        out_.end();
    }

    void add_node(const NodeExplanation& node, const std::vector<std::string>& causes) {
        out_.begin_object(node.node);
        out_.text("verdict", name_of(node.verdict));
        add_if_any("devices", without_claims(node.devices));
        add_if_any("devicesLeft", node.devices_left);
        if (!node.failures.empty()) {
            add_failure(node.failures.front());
        }
        if (!causes.empty()) {
            write_list(out_, "causes", causes);
        }
        if (node.failures.size() > 1) {
            out_.begin_list("failures");
            for (const PredicateFailure& failure : node.failures) {
                out_.begin_object();
                out_.text("verdict", name_of(failure.verdict));
                add_failure(failure);
                out_.end();
            }
            out_.end();
        }
        if (node.verdict == Verdict::feasible) {
            add_scores("scores", node, &ScoreShare::weighted);
            out_.number("total", node.total);
            add_scores("normalisedScores", node, &ScoreShare::normalised);
            add_scores("rawScores", node, &ScoreShare::raw);
        }
        out_.end();
    }

    void add_if_any(std::string_view name, std::string_view text) {
        if (!text.empty()) {
            out_.text(name, text);
        }
    }

    void add_failure(const PredicateFailure& failure) {
        out_.text("predicate", failure.predicate);
        out_.begin_list("reasons");
        for (const std::string& reason : failure.reasons) {
            out_.text({}, reason);
        }
        out_.end();
    }

    void add_scores(std::string_view name, const NodeExplanation& node, std::int64_t ScoreShare::*part) {
        out_.begin_object(name);
        for (const ScoreShare& share : node.scores) {
            out_.number(share.plugin, share.*part);
        }
        out_.end();
    }

    Markup& out_;
};

}  // namespace

void write_victims(Markup& out, const std::vector<std::string>& victims, std::int32_t budget_violations) {
    write_list(out, "victims", victims);
    out.number("pdbViolations", budget_violations);
}

void write_explained(Markup& out, const Explained& explained, bool waits) {
    if (explained.explanation) {
        ExplanationMarkup(out).add_explanation(explained, *explained.explanation);
    }
    if (explained.group) {
        write_group(out, *explained.group, explained.first_of_group, waits);
    }
    if (explained.daemonset) {
        write_daemonset(out, *explained.daemonset);
    }
}

}  // namespace bayplan::sim
