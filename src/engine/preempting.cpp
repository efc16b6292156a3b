// Eligibility, the choice of a node, and the words that follow; see preempting.h.
#include "engine/preempting.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/check.h"
#include "claims/claim_search.h"
#include "predicates/shortage.h"

namespace bayplan {

bool Preempting::waits_for_a_terminating_pod(AskId id) const {
    const Nomination* const nomination = world_.nominations.of(id);
    if (nomination == nullptr) {
        return false;
    }
    const bool marked_only = world_.options.preemption.preempt_again == PreemptAgain::marked;
    for (const AskId pod : world_.nodes[nomination->slot].allocations) {
        const Ask& one = world_.asks[pod];
        if (one.terminating && one.priority < world_.asks[id].priority && (one.preempted || !marked_only) &&
            !world_.departures.is_stuck(pod)) {
            return true;
        }
    }
    return false;
}

std::string Preempting::why_not(AskId id, const Diagnosis& diagnosis) const {
    if (world_.asks[id].never_preempts) {
        return "not eligible due to preemptionPolicy=Never.";
    }
    if (diagnosis.nominated_node != Verdict::unresolvable && waits_for_a_terminating_pod(id)) {
        return "not eligible due to a terminating pod on the nominated node.";
    }
    return {};
}

PreemptionOutcome Preempting::decide(AskId id, const Diagnosis& diagnosis) { return decide(id, diagnosis, nullptr); }

bool Preempting::follows(const Diagnosis& diagnosis) const {
    return world_.options.preemption.enabled && world_.nodes.count() > 0 &&
           (diagnosis.whole != Verdict::unresolvable || diagnosis.claims_refuse_all);
}

PreemptionOutcome Preempting::decide(AskId id, const Diagnosis& diagnosis, std::vector<NodeVictims>* candidates) {
    PreemptionOutcome outcome;
    outcome.tried = follows(diagnosis);
    if (outcome.tried) {
        outcome.text = why_not(id, diagnosis);
        if (outcome.text.empty()) {
            search(id, diagnosis, outcome, candidates);
        }
    }
    return outcome;
}

PreemptionOutcome Preempting::decide_for_gang(AskId id, const Diagnosis& diagnosis) {
    PreemptionOutcome outcome;
    outcome.tried = follows(diagnosis);
    if (outcome.tried) {
        search(id, diagnosis, outcome, nullptr);
    }
    return outcome;
}

void Preempting::search(AskId id, const Diagnosis& diagnosis, PreemptionOutcome& outcome,
                        std::vector<NodeVictims>* candidates) {
    outcome.eligible = true;
    workers_.seen().note_this_thread();
    FailureMessage message;
    message.add("Preemption is not helpful for scheduling", world_.nodes.count() - diagnosis.unschedulable_count);
    const TrialTables& tables = search_.tables();
    const Subject pod = subject_of(tables, world_.asks[id].ask_class);
    if (looks_beyond_amounts(tables, pod) || world_.devices.concern(pod.ask_class)) {
        search_on_trial(id, diagnosis, outcome, message, candidates);
    } else {
        search_by_amounts(id, diagnosis, outcome, message, candidates);
    }
    outcome.is_error = outcome.is_error && !outcome.chosen;
    if (!outcome.chosen && !outcome.is_error) {
        outcome.text = message.text(world_.nodes.count());
    }
    if (outcome.chosen) {
        add_whole_gangs(*outcome.chosen);
    }
    if (candidates != nullptr) {
        std::for_each(candidates->begin(), candidates->end(), [&](NodeVictims& one) { add_whole_gangs(one); });
    }
}

void Preempting::add_whole_gangs(NodeVictims& found) const {
    const std::vector<AskId> others = gangs_.others_of_broken(found.victims);
    found.victims.insert(found.victims.end(), others.begin(), others.end());
}

void Preempting::search_on_trial(AskId id, const Diagnosis& diagnosis, PreemptionOutcome& outcome,
                                 FailureMessage& message, std::vector<NodeVictims>* candidates) {
    ++counters_.by_pods;
    counters_.nodes_tried += diagnosis.unschedulable_count;
    for_each_slot(*diagnosis.unschedulable, [&](Slot slot) {
        VictimFinding finding = search_.on_node(id, slot);
        if (finding.is_error && !outcome.is_error) {
            outcome.text = finding.reasons.front();
            outcome.is_error = true;
        }
        if (!finding.reasons.empty() && finding.reasons.front() == kClaimNotAvailable) {
            outcome.lacking_claims.push_back(slot);
        }
        message.add(finding.reasons);
        outcome.failed_predicates |= finding.failed_predicates;
        if (!finding.choice) {
            return;
        }
        BP_CHECK(!finding.choice->victims.empty());
        if (candidates != nullptr) {
            candidates->push_back(*finding.choice);
        }
        // In order of slots: of equals the first stands.
        if (!outcome.chosen || finding.choice->cost.better_than(outcome.chosen->cost)) {
            outcome.chosen = std::move(finding.choice);
        }
    });
}

void Preempting::search_by_amounts(AskId id, const Diagnosis& diagnosis, PreemptionOutcome& outcome,
                                   FailureMessage& message, std::vector<NodeVictims>* candidates) {
    const AskClass& ask_class = *world_.classes[world_.asks[id].ask_class].spec;
    AmountSearch search(amount_tables(), ask_class);
    if (diagnosis.cache != nullptr && candidates == nullptr && world_.budgets.empty() &&
        !gangs_.any_below(ask_class.priority) && world_.options.victim_path != VictimPath::plain) {
        const VictimCandidate best = search_by_columns(ask_class, *diagnosis.cache);
        if (best.slot != kNone<Slot>) {
            outcome.chosen = search.victims(best.slot);
            return;
        }
        // None: what the message says of the nodes is counted one by one.
    }
    ++counters_.by_pods;
    counters_.nodes_by_pods += diagnosis.unschedulable_count;
    search.run(*diagnosis.unschedulable, candidates);
    outcome.chosen = search.best();
    message.add("No preemption victims found for incoming pod", search.without_victims());
    for (std::size_t k = 0; k < ask_class.requests.size(); ++k) {
        message.add(shortage_of(world_.resources.text(ask_class.requests[k].resource)), search.short_of()[k]);
    }
}

AmountSearch::Tables Preempting::amount_tables() const {
    return {world_.view, world_.budgets, world_.victim_index, gangs_};
}

VictimCounters Preempting::counters() const {
    VictimCounters counters = counters_;
    counters.pieces_by_workers = workers_.pieces_by_workers();
    return counters;
}

// Waking the workers takes some 20 us, as does a hundred blocks.
bool Preempting::worth_the_workers(std::size_t blocks) const {
    constexpr std::size_t kBlocksMin = 512;
    switch (world_.options.victim_path) {
        case VictimPath::workers: return workers_.count() > 0;
        case VictimPath::automatic: return workers_.count() > 0 && blocks >= kBlocksMin;
        case VictimPath::inline_:
        case VictimPath::plain: break;
    }
    return false;
}

template <typename Look>
void Preempting::in_pieces(const AskClass& ask_class, std::size_t blocks, Look&& look) {
    std::mutex counting;
    const auto look_at = [&](std::size_t first, std::size_t last) {
        TailSearch search(amount_tables(), world_.pod_tails, kernels_, ask_class);
        look(search, first, last);
        const std::lock_guard lock(counting);
        counters_.nodes_by_columns += search.judged_by_columns();
        counters_.nodes_by_pods += search.judged_by_pods();
    };
    if (!worth_the_workers(blocks)) {
        look_at(0, blocks);
        return;
    }
    ++counters_.parallel;
    // More pieces than threads: a thread that is held up has a small piece.
    const std::size_t pieces = std::min<std::size_t>(blocks, 4 * (workers_.count() + 1));
    workers_.run(static_cast<std::uint32_t>(pieces),
                 [&](std::uint32_t piece) { look_at(blocks * piece / pieces, blocks * (piece + 1) / pieces); });
}

VictimCandidate Preempting::search_by_columns(const AskClass& ask_class, FailureCache& cache) {
    world_.pod_tails.bring_up_to_date();
    VictimCandidate best;
    if (cache.once) {
        ++counters_.whole;
        std::mutex merging;
        in_pieces(ask_class, cache.unschedulable.size(), [&](TailSearch& search, std::size_t first, std::size_t last) {
            VictimCandidate here;
            {
                const std::lock_guard lock(merging);
                here = best;  // nodes that cannot be better than this need not be looked at
            }
            for (std::size_t block = first; block < last; ++block) {
                search.look(static_cast<std::uint32_t>(block), cache.unschedulable[block], here);
            }
            const std::lock_guard lock(merging);
            if (here.slot != kNone<Slot>) {
                best.take_if_better(here);
            }
        });
        return best;
    }
    ++counters_.kept;
    cache.candidates.resize(cache.unschedulable.size());
    world_.node_state.changed_since(cache.searched, world_.changed_blocks);
    const std::vector<std::uint32_t>& blocks = world_.changed_blocks;
    in_pieces(ask_class, blocks.size(), [&](TailSearch& search, std::size_t first, std::size_t last) {
        for (std::size_t at = first; at < last; ++at) {
            VictimCandidate& candidate = cache.candidates[blocks[at]];
            candidate = {};
            search.look(blocks[at], cache.unschedulable[blocks[at]], candidate);
        }
    });
    cache.searched = world_.node_state.log().head();
    for (const VictimCandidate& candidate : cache.candidates) {
        if (candidate.slot != kNone<Slot>) {
            best.take_if_better(candidate);
        }
    }
    return best;
}

}  // namespace bayplan
