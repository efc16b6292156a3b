// Eligibility, the choice of a node, and the words that follow; see preempting.h.
#include "engine/preempting.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/check.h"
#include "claims/claim_search.h"
#include "predicates/obstacle_texts.h"
#include "predicates/shortage.h"

namespace bayplan {

namespace {

const std::string kNoVictims = "No preemption victims found for incoming pod";
constexpr std::string_view kTooManyVictims = "node(s) had too many pods to choose victims among";

}  // namespace

bool Preempting::waits_for_a_terminating_pod(AskId id) const {
    const Nomination* const nomination = world_.nominations.of(id);
    if (nomination == nullptr) {
        return false;
    }
    const bool marked_only = world_.options.preemption.preempt_again == PreemptAgain::marked;
    for (const AskId pod : world_.nodes[nomination->slot].allocations) {
        const Ask& one = world_.asks[pod];
        const bool below = one.priority < world_.asks[id].priority && (one.preempted || !marked_only);
        const auto is_victim = [&] {
            return nomination->for_guarantee &&
                   std::ranges::find(nomination->victims, world_.asks.handle(pod)) != nomination->victims.end();
        };
        if (one.terminating && (below || is_victim()) && !world_.departures.is_stuck(pod)) {
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
    const bool beyond_amounts = looks_beyond_amounts(tables, pod);
    const bool devices = world_.devices.concern(pod.ask_class);
    if (needs_plugins(world_, id)) {
        search_with_plugins(id, diagnosis, outcome, message, candidates);
    } else if (beyond_amounts && !devices && candidates == nullptr && !gangs_.any_below(pod.ask_class.priority) &&
               world_.options.victim_path != VictimPath::plain &&
               pod.ask_class.requests.size() <= BlockRefusals::kRequestsMax && Obstacles::are_all(tables, pod)) {
        search_past_obstacles(id, diagnosis, outcome, message);
    } else if (beyond_amounts || devices) {
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
        take(slot, finding, outcome, message);
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

void Preempting::take(Slot slot, VictimFinding& finding, PreemptionOutcome& outcome, FailureMessage& message) {
    if (finding.is_error && !outcome.is_error) {
        outcome.text = finding.reasons.front();
        outcome.is_error = true;
    }
    if (!finding.reasons.empty() && finding.reasons.front() == kClaimNotAvailable) {
        outcome.lacking_claims.push_back(slot);
    }
    message.add(finding.reasons);
    outcome.failed_predicates |= finding.failed_predicates;
}

// The verdict that counts; null: none does. A set counts while some pod of it is there.
const PluginTable::KnownVictims* Preempting::said_of(AskId id, Slot slot) const {
    const PluginTable::Entry* const entry = world_.plugins.of(id);
    const PluginTable::KnownVictims* const said =
        entry == nullptr ? nullptr : world_.plugins.victims_counting(*entry, slot);
    const bool counts = said != nullptr && (said->refused || std::ranges::any_of(said->go, [&](AskHandle pod) {
                                                const Ask* const one = world_.asks.find(pod);
                                                return one != nullptr && one->slot == slot;
                                            }));
    return counts ? said : nullptr;
}

// A node of which the plugins have said nothing stands with the pods that must go at the least: if it is the best of all,
// they are asked about it.
void Preempting::search_with_plugins(AskId id, const Diagnosis& diagnosis, PreemptionOutcome& outcome,
                                     FailureMessage& message, std::vector<NodeVictims>* candidates) {
    ++counters_.by_pods;
    counters_.nodes_tried += diagnosis.unschedulable_count;
    for_each_slot(*diagnosis.unschedulable, [&](Slot slot) {
        const PluginTable::KnownVictims* const said = said_of(id, slot);
        VictimFinding finding =
            said != nullptr ? search_.on_node(id, slot, said->go) : search_.at_least_on_node(id, slot);
        if (finding.choice && said != nullptr && said->refused) {
            finding = {std::nullopt, {std::string(PluginTable::reason_of(*world_.plugins.of(id), said->reason))}, 0};
            outcome.refused_by_plugins = true;
        } else if (finding.choice && said == nullptr && search_.pool_size(id, slot) > PluginOptions::kVictimsMax) {
            finding = {std::nullopt, {std::string(kTooManyVictims)}, 0};
        }
        take(slot, finding, outcome, message);
        if (!finding.choice) {
            return;
        }
        if (candidates != nullptr) {
            candidates->push_back(*finding.choice);
        }
        if (!outcome.chosen || finding.choice->cost.better_than(outcome.chosen->cost)) {
            outcome.chosen = std::move(finding.choice);
            outcome.asks = said == nullptr;
        }
    });
}

template <typename Counts>
void Preempting::add_reasons(const AskClass& ask_class, std::uint64_t without_victims, const Counts& short_of,
                             FailureMessage& message) const {
    message.add(kNoVictims, without_victims);
    for (std::size_t k = 0; k < ask_class.requests.size(); ++k) {
        message.add(shortage_of(world_.resources.text(ask_class.requests[k].resource)),
                    static_cast<std::uint64_t>(short_of[k]));
    }
}

void Preempting::search_by_amounts(AskId id, const Diagnosis& diagnosis, PreemptionOutcome& outcome,
                                   FailureMessage& message, std::vector<NodeVictims>* candidates) {
    const AskClass& ask_class = *world_.classes[world_.asks[id].ask_class].spec;
    AmountSearch search(amount_tables(), ask_class);
    if (diagnosis.cache != nullptr && candidates == nullptr && !gangs_.any_below(ask_class.priority) &&
        ask_class.requests.size() <= BlockRefusals::kRequestsMax && world_.options.victim_path != VictimPath::plain) {
        const VictimCandidate best = search_by_columns(ask_class, *diagnosis.cache);
        if (best.slot != kNone<Slot>) {
            outcome.chosen = search.victims(best.slot);
        } else {
            const AllRefusals& refused = diagnosis.cache->refused;
            add_reasons(ask_class, static_cast<std::uint64_t>(refused.without_victims), refused.short_of, message);
        }
        return;
    }
    ++counters_.by_pods;
    counters_.nodes_by_pods += diagnosis.unschedulable_count;
    search.run(*diagnosis.unschedulable, candidates);
    outcome.chosen = search.best();
    add_reasons(ask_class, search.without_victims(), search.short_of(), message);
}

// Nodes without obstacles are judged by columns, the others one by one: which predicate fails them first without the pool must
// be known of each.
void Preempting::search_past_obstacles(AskId id, const Diagnosis& diagnosis, PreemptionOutcome& outcome,
                                       FailureMessage& message) {
    ++counters_.whole;
    const TrialTables& tables = search_.tables();
    const Subject pod = subject_of(tables, world_.asks[id].ask_class);
    tables.predicates.begin(pod);
    const Obstacles obstacles(tables, pod, id);
    bring_up_to_date();
    NodeMask free = *diagnosis.unschedulable;
    NodeMask obstructed(free.size());
    for (std::uint32_t block = 0; block < free.size(); ++block) {
        obstructed[block] = free[block] == 0 ? 0 : obstacles.on(block, free[block]);
        free[block] &= ~obstructed[block];
    }
    VictimCandidate best = cheapest_of(pod.ask_class, free);
    ObstacleSearch search(amount_tables(), obstacles, pod.ask_class);
    for_each_slot(obstructed, [&](Slot slot) { search.judge(slot, best); });
    const ObstacleSearch::Refusals& refusals = search.refusals();
    outcome.failed_predicates = failed_by(obstacles, refusals);
    if (best.slot != kNone<Slot>) {
        const bool is_free = (free[block_of(best.slot)] >> lane_of(best.slot) & 1) != 0;
        outcome.chosen =
            is_free ? AmountSearch(amount_tables(), pod.ask_class).victims(best.slot) : search.victims(best.slot);
        return;
    }
    AllRefusals of_free;
    find_refusals(pod.ask_class, free);
    for (const Found& found : found_) {
        of_free.add(found.refusals, +1);
    }
    add_reasons(pod.ask_class, static_cast<std::uint64_t>(of_free.without_victims), of_free.short_of, message);
    add_reasons(pod.ask_class, refusals.without_victims, refusals.short_of, message);
    message.add(std::string(kPortsTaken), refusals.ports);
    message.add(std::string(kUnwantedPods), refusals.anti_affinity);
    message.add(std::string(kUnwantedByPods), refusals.of_others);
}

// The predicates that failed a node first. (That nodes without obstacles are short of amounts is known from the diagnosis.)
std::uint32_t Preempting::failed_by(const Obstacles& obstacles, const ObstacleSearch::Refusals& refusals) const {
    const PredicateSet& predicates = search_.tables().predicates;
    const bool short_of_any =
        std::any_of(refusals.short_of.begin(), refusals.short_of.end(), [](std::uint64_t nodes) { return nodes > 0; });
    std::uint32_t failed = 0;
    failed |= refusals.ports > 0 ? 1u << obstacles.ports_index() : 0;
    failed |= refusals.anti_affinity + refusals.of_others > 0 ? 1u << obstacles.affinity_index() : 0;
    for (std::uint32_t index = 0; index < predicates.predicates().size(); ++index) {
        failed |= short_of_any && predicates.id(index) == PredicateId::node_resources_fit ? 1u << index : 0;
    }
    return failed;
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
void Preempting::in_one_piece(const AskClass& ask_class, Look&& look) {
    TailSearch search(amount_tables(), world_.pod_tails, world_.budget_tails, kernels_, ask_class);
    look(search);
    const std::lock_guard lock(counting_);
    counters_.nodes_by_columns += search.judged_by_columns();
    counters_.nodes_by_pods += search.judged_by_pods();
    world_.budget_tails.want(search.wanted());
}

template <typename Look>
void Preempting::in_pieces(const AskClass& ask_class, std::size_t blocks, Look&& look) {
    const auto look_at = [&](std::size_t first, std::size_t last) {
        in_one_piece(ask_class, [&](TailSearch& search) { look(search, first, last); });
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

// The block where the last search found its best is looked at first: of most others ranges then tell that they have none
// better.
VictimCandidate Preempting::cheapest_of(const AskClass& ask_class, const NodeMask& nodes) {
    VictimCandidate best;
    const std::uint32_t promising = last_found_ < nodes.size() ? last_found_ : 0;
    const auto look_at_all = [&](auto look) {
        std::mutex merging;
        in_one_piece(ask_class, [&](TailSearch& search) { (search.*look)(promising, nodes[promising], best); });
        in_pieces(ask_class, nodes.size(), [&](TailSearch& search, std::size_t first, std::size_t last) {
            VictimCandidate here;
            {
                const std::lock_guard lock(merging);
                here = best;  // nodes that cannot be better than this need not be looked at
            }
            for (std::size_t block = first; block < last; ++block) {
                if (block != promising) {
                    (search.*look)(static_cast<std::uint32_t>(block), nodes[block], here);
                }
            }
            const std::lock_guard lock(merging);
            if (here.slot != kNone<Slot>) {
                best.take_if_better(here);
            }
        });
    };
    look_at_all(&TailSearch::look_without_violation);
    if (!world_.budgets.empty() && (best.slot == kNone<Slot> || best.cost.budget_violations > 0)) {
        look_at_all(&TailSearch::look_with_violation);
    }
    last_found_ = best.slot == kNone<Slot> ? last_found_ : block_of(best.slot);
    return best;
}

void Preempting::find_refusals(const AskClass& ask_class, const NodeMask& nodes) {
    found_.assign(nodes.size(), {});
    in_pieces(ask_class, nodes.size(), [&](TailSearch& search, std::size_t first, std::size_t last) {
        for (std::size_t block = first; block < last; ++block) {
            found_[block].refusals = search.refusals(static_cast<std::uint32_t>(block), nodes[block]);
        }
    });
}

// Nothing of it is kept but why there is none: then the class will be tried again.
VictimCandidate Preempting::search_all_blocks(const AskClass& ask_class, FailureCache& cache) {
    const VictimCandidate best = cheapest_of(ask_class, cache.unschedulable);
    if (best.slot == kNone<Slot>) {
        find_refusals(ask_class, cache.unschedulable);
        for (std::size_t block = 0; block < found_.size(); ++block) {
            cache.keep_found(static_cast<std::uint32_t>(block), {}, found_[block].refusals);
        }
        note_searched(cache);
    }
    return best;
}

void Preempting::note_searched(FailureCache& cache) const {
    cache.searched = world_.node_state.log().head();
    cache.searched_budgets = world_.budget_tails.log().head();
}

// Since the class's last search, by themselves or by what is left of budgets.
void Preempting::find_changed_blocks(const FailureCache& cache) {
    std::vector<std::uint32_t>& blocks = world_.changed_blocks;
    world_.node_state.changed_since(cache.searched, blocks);
    const std::size_t by_themselves = blocks.size();
    if (by_themselves == cache.unschedulable.size() || cache.searched_budgets == world_.budget_tails.log().head()) {
        return;
    }
    blocks.resize(by_themselves + cache.unschedulable.size());
    blocks.resize(by_themselves + world_.budget_tails.log().list_blocks_after(
                                      cache.searched_budgets, std::span(blocks).subspan(by_themselves)));
    std::sort(blocks.begin(), blocks.end());
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
}

VictimCandidate Preempting::search_changed_blocks(const AskClass& ask_class, FailureCache& cache) {
    find_changed_blocks(cache);
    const std::vector<std::uint32_t>& blocks = world_.changed_blocks;
    found_.assign(blocks.size(), {});
    in_pieces(ask_class, blocks.size(), [&](TailSearch& search, std::size_t first, std::size_t last) {
        for (std::size_t at = first; at < last; ++at) {
            const std::uint64_t lanes = cache.unschedulable[blocks[at]];
            search.look(blocks[at], lanes, found_[at].candidate);
            if (found_[at].candidate.slot == kNone<Slot>) {
                found_[at].refusals = search.refusals(blocks[at], lanes);
            }
        }
    });
    for (std::size_t at = 0; at < blocks.size(); ++at) {
        cache.keep_found(blocks[at], found_[at].candidate, found_[at].refusals);
    }
    note_searched(cache);
    VictimCandidate best;
    for (const VictimCandidate& candidate : cache.candidates) {
        if (candidate.slot != kNone<Slot>) {
            best.take_if_better(candidate);
        }
    }
    return best;
}

void Preempting::bring_up_to_date() {
    world_.pod_tails.bring_up_to_date();
    world_.budget_tails.bring_up_to_date();
}

VictimCandidate Preempting::search_by_columns(const AskClass& ask_class, FailureCache& cache) {
    bring_up_to_date();
    cache.refusals.resize(cache.unschedulable.size());
    if (cache.once) {
        ++counters_.whole;
        return search_all_blocks(ask_class, cache);
    }
    ++counters_.kept;
    return search_changed_blocks(ask_class, cache);
}

}  // namespace bayplan
