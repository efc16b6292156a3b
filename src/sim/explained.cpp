// See explained.h.
#include "sim/explained.h"

namespace bayplan::sim {

namespace {

// Before its attempt is told, a pod may lose a nomination or a reservation.
bool tells_of_an_attempt(LogLine::Kind kind) {
    switch (kind) {
        case LogLine::Kind::clear:
        case LogLine::Kind::release:
        case LogLine::Kind::unreserve:
        case LogLine::Kind::give_back:
        case LogLine::Kind::reject: return false;
        default: return true;
    }
}

}  // namespace

ExplainedAttempt explain_next(Engine& engine, bool full) {
    const std::optional<Engine::AskName> next = engine.next_ask();
    if (!next) {
        return {};
    }
    return {.pod = next->key,
            .whole = engine.explain(next->shim, next->key, full),
            .all = std::nullopt,
            .on_its_node = engine.explain_on_its_node(next->shim, next->key)};
}

std::optional<Explanation> all_failures(Engine& engine, const std::optional<Explanation>& whole, std::string_view pod) {
    const bool wanted = whole && whole->node.empty() && whole->ends == AttemptEnd::in_a_verdict;
    return wanted ? engine.explain(kShim, pod, true) : std::nullopt;
}

const LogLine* line_of_attempt(const std::vector<LogLine>& lines, std::string_view pod) {
    const LogLine* other = nullptr;
    for (const LogLine& line : lines) {
        if (line.pod == pod && tells_of_an_attempt(line.kind)) {
            return &line;
        }
        if (line.pod == pod && line.kind == LogLine::Kind::unreserve && other == nullptr) {
            other = &line;
        }
    }
    return other;
}

void take_engines_causes(Explained& explained) {
    if (!explained.explanation) {
        return;
    }
    for (const NodeExplanation& node : explained.explanation->nodes) {
        for (const PredicateFailure& failure : node.failures) {
            if (!failure.causes.empty()) {
                std::vector<std::string>& of_node = explained.causes[node.node];
                of_node.insert(of_node.end(), failure.causes.begin(), failure.causes.end());
            }
        }
    }
}

}  // namespace bayplan::sim
