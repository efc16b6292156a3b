// Queries, and verdicts by node; see plugin_table.h.
#include "plugins/plugin_table.h"

#include <algorithm>

#include "base/check.h"

namespace bayplan {

const PluginTable::Known* PluginTable::counting(const Entry& entry, Slot slot) const {
    const auto at = std::ranges::lower_bound(entry.known, slot, {}, &Known::slot);
    return at != entry.known.end() && at->slot == slot && counts(*at) ? &*at : nullptr;
}

std::uint64_t PluginTable::ask(AskId id, std::span<const Slot> nodes, std::int64_t now_ns, std::int64_t deadline_ns,
                               std::int64_t rank_time_ns) {
    std::unique_ptr<Entry>& made = entries_[id];
    if (made == nullptr) {
        made = std::make_unique<Entry>();
    }
    Entry& entry = *made;
    BP_CHECK_OP(entry.query, ==, std::uint64_t{0});
    entry.query = ++last_query_;
    entry.since_ns = now_ns;
    entry.deadline_ns = deadline_ns;
    entry.rank_time_ns = rank_time_ns;
    ++entry.queries;
    entry.asked.clear();
    for (const Slot slot : nodes) {
        entry.asked.push_back({slot, moment_of(slot)});
    }
    open_.emplace_hint(open_.end(), entry.query, id);
    return entry.query;
}

AskId PluginTable::overdue(std::int64_t now_ns) const {
    return !open_.empty() && of(open_.begin()->second)->deadline_ns <= now_ns ? open_.begin()->second : kNone<AskId>;
}

std::int64_t PluginTable::next_time_ns() const {
    return open_.empty() ? INT64_MAX : of(open_.begin()->second)->deadline_ns;
}

// Verdicts that take another's place are counted all the same: the answer is refused a little early.
std::uint64_t PluginTable::bytes_of(const PluginAnswer& answer) const {
    std::uint64_t bytes = answer.verdicts.size() * kVerdictBytes;
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

void PluginTable::answered(AskId id, const PluginAnswer& answer) {
    Entry& entry = *entries_.find(id)->second;
    BP_CHECK_OP(answer.verdicts.size(), ==, entry.asked.size());
    std::vector<std::uint8_t> reasons(entry.asked.size(), kNoReason);
    for (const PluginReason& reason : answer.reasons) {
        if (reason.node < reasons.size() && reasons[reason.node] == kNoReason && !reason.text.empty() &&
            answer.verdicts[reason.node] != PluginVerdict::feasible) {
            reasons[reason.node] = keep_reason(entry, reason.text);
        }
    }
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
    }
}

void PluginTable::forget(AskId id) {
    close(id);
    entries_.erase(id);
}

}  // namespace bayplan
