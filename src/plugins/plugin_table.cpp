// Queries, and verdicts by node; see plugin_table.h.
#include "plugins/plugin_table.h"

#include <algorithm>

#include "base/check.h"

namespace bayplan {

const PluginTable::Known* PluginTable::counting(const Entry& entry, Slot slot) const {
    const auto at = std::ranges::lower_bound(entry.known, slot, {}, &Known::slot);
    return at != entry.known.end() && at->slot == slot && counts(*at) ? &*at : nullptr;
}

const PluginTable::KnownVictims* PluginTable::victims_counting(const Entry& entry, Slot slot) const {
    const auto at = std::ranges::lower_bound(entry.victims, slot, {}, &KnownVictims::slot);
    return at != entry.victims.end() && at->slot == slot && at->moment == moment_of(slot) ? &*at : nullptr;
}

// One of an ask that has none.
std::uint64_t PluginTable::open(AskId id, Entry& entry, std::int64_t now_ns, std::int64_t deadline_ns) {
    BP_CHECK_OP(entry.query, ==, std::uint64_t{0});
    entry.query = ++last_query_;
    entry.since_ns = now_ns;
    entry.deadline_ns = deadline_ns;
    entry.asked.clear();
    open_.emplace_hint(open_.end(), entry.query, id);
    return entry.query;
}

std::uint64_t PluginTable::ask(AskId id, std::span<const Slot> nodes, std::int64_t now_ns, std::int64_t deadline_ns,
                               std::int64_t rank_time_ns) {
    std::unique_ptr<Entry>& made = entries_[id];
    if (made == nullptr) {
        made = std::make_unique<Entry>();
    }
    Entry& entry = *made;
    open(id, entry, now_ns, deadline_ns);
    entry.about_victims = false;
    entry.rank_time_ns = rank_time_ns;
    ++entry.queries;
    for (const Slot slot : nodes) {
        entry.asked.push_back({slot, moment_of(slot)});
    }
    return entry.query;
}

std::uint64_t PluginTable::ask_about_victims(AskId id, Slot slot, Offer offer, std::int64_t now_ns,
                                             std::int64_t deadline_ns) {
    std::unique_ptr<Entry>& made = entries_[id];
    if (made == nullptr) {
        made = std::make_unique<Entry>();
    }
    open(id, *made, now_ns, deadline_ns);
    made->about_victims = true;
    made->offer = std::move(offer);
    made->asked.push_back({slot, moment_of(slot)});
    return made->query;
}

AskId PluginTable::overdue(std::int64_t now_ns) const {
    return !open_.empty() && of(open_.begin()->second)->deadline_ns <= now_ns ? open_.begin()->second : kNone<AskId>;
}

std::int64_t PluginTable::next_time_ns() const {
    return open_.empty() ? INT64_MAX : of(open_.begin()->second)->deadline_ns;
}

// Verdicts that take another's place are counted all the same: the answer is refused a little early.
std::uint64_t PluginTable::bytes_of(const PluginAnswer& answer, bool about_victims) const {
    const std::size_t victims = !about_victims ? 0 : answer.first_victims + answer.victims.size();
    std::uint64_t bytes = (answer.verdicts.size() + victims) * kVerdictBytes;
    for (const PluginReason& reason : answer.reasons) {
        bytes += reason.text.size();
    }
    return bytes;
}

std::uint8_t PluginTable::keep_reason(Entry& entry, std::string_view text) {
    const auto at = std::ranges::find(entry.reasons, text);
    const auto index = static_cast<std::size_t>(at - entry.reasons.begin());
    if (at == entry.reasons.end()) {
        if (entry.reasons.size() >= kReasonsMax) {
            return kNoReason;
        }
        entry.reasons.emplace_back(text);
        entry.bytes += text.size();
    }
    return static_cast<std::uint8_t>(index);
}

// The newest verdict of a node counts. Nodes that had one cost a look each; others a step through all.
void PluginTable::put_in(Entry& entry) {
    std::erase_if(fresh_, [&](const Known& verdict) {
        const auto at = std::ranges::lower_bound(entry.known, verdict.slot, {}, &Known::slot);
        const bool there = at != entry.known.end() && at->slot == verdict.slot;
        if (there) {
            *at = verdict;
        }
        return there;
    });
    std::ranges::sort(fresh_, {}, &Known::slot);
    const auto middle = static_cast<std::ptrdiff_t>(entry.known.size());
    entry.known.insert(entry.known.end(), fresh_.begin(), fresh_.end());
    std::ranges::inplace_merge(entry.known, entry.known.begin() + middle, {}, &Known::slot);
    entry.bytes += fresh_.size() * kVerdictBytes;
    fresh_.clear();
}

void PluginTable::put_in_victims(Entry& entry, const PluginAnswer& answer) {
    const Asked& asked = entry.asked.front();
    const bool refused = answer.verdicts.front() != PluginVerdict::feasible;
    KnownVictims known{.slot = asked.slot,
                       .refused = refused,
                       .reason = keep_reasons(entry, answer).front(),
                       .moment = asked.moment,
                       .go = {}};
    for (std::size_t i = 0; !refused && i < answer.first_victims; ++i) {
        known.go.push_back(entry.offer.victims[i]);
    }
    for (std::size_t i = 0; !refused && i < answer.victims.size(); ++i) {
        known.go.push_back(entry.offer.victims[answer.victims[i]]);
    }
    const auto at = std::ranges::lower_bound(entry.victims, known.slot, {}, &KnownVictims::slot);
    entry.bytes += (1 + known.go.size()) * kVerdictBytes;
    if (at != entry.victims.end() && at->slot == known.slot) {
        entry.bytes -= (1 + at->go.size()) * kVerdictBytes;
        *at = std::move(known);
    } else {
        entry.victims.insert(at, std::move(known));
    }
}

std::vector<std::uint8_t> PluginTable::keep_reasons(Entry& entry, const PluginAnswer& answer) {
    std::vector<std::uint8_t> reasons(entry.asked.size(), kNoReason);
    for (const PluginReason& reason : answer.reasons) {
        if (reason.node < reasons.size() && reasons[reason.node] == kNoReason && !reason.text.empty() &&
            answer.verdicts[reason.node] != PluginVerdict::feasible) {
            reasons[reason.node] = keep_reason(entry, reason.text);
        }
    }
    return reasons;
}

void PluginTable::answered(AskId id, const PluginAnswer& answer) {
    Entry& entry = *entries_.find(id)->second;
    BP_CHECK_OP(answer.verdicts.size(), ==, entry.asked.size());
    if (entry.about_victims) {
        put_in_victims(entry, answer);
        close(id);
        return;
    }
    const std::vector<std::uint8_t> reasons = keep_reasons(entry, answer);
    for (std::size_t i = 0; i < entry.asked.size(); ++i) {
        fresh_.push_back({.slot = entry.asked[i].slot,
                          .verdict = answer.verdicts[i],
                          .lasting = answer.lasting,
                          .reason = reasons[i],
                          .moment = entry.asked[i].moment});
    }
    put_in(entry);
    close(id);
}

void PluginTable::close(AskId id) {
    if (const auto found = entries_.find(id); found != entries_.end() && found->second->query != 0) {
        open_.erase(found->second->query);
        found->second->query = 0;
        found->second->asked.clear();
        found->second->offer = {};
    }
}

void PluginTable::forget(AskId id) {
    close(id);
    entries_.erase(id);
}

}  // namespace bayplan
