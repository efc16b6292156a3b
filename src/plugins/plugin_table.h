// Asks that wait for their shims' plugins, and what plugins have said of nodes since (rules/plugins.md). Few asks have
// an entry: those whose specs name plugins, from their first query until they are placed, fail, or are stated again.
//
// Thread: the engine's. Owner: World. An entry is valid until the table changes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/ids.h"
#include "bayplan/messages.h"

namespace bayplan {

// A node at one moment: how often pods on it, or itself, had changed, and which node of its slot it was.
struct NodeMoment {
    std::uint32_t changes = 0;
    std::uint32_t comings = 0;
    bool operator==(const NodeMoment&) const = default;
};

class PluginTable {
public:
    struct Known {
        Slot slot = kNone<Slot>;
        PluginVerdict verdict = PluginVerdict::unknown;
        bool lasting = false;
        std::uint8_t reason = kNoReason;
        NodeMoment moment;  // of the query
    };
    struct Asked {
        Slot slot = kNone<Slot>;
        NodeMoment moment;
    };
    // Of an ask that plugins are asked about a node for: it has its nomination again if it loses that.
    struct RestingNomination {
        Slot slot = kNone<Slot>;
        std::uint32_t comings = 0;  // of the node
        std::vector<AskHandle> victims;
        bool for_guarantee = false;
    };
    // Pods that may go from a node, most easily first.
    struct Offer {
        std::vector<AskHandle> victims;
        std::uint32_t needed = 0;  // so many of them go for the predicates' sake
    };
    // Pods that the plugins let go from a node, so that the ask may have it.
    struct KnownVictims {
        Slot slot = kNone<Slot>;
        bool refused = false;  // nobody's end helps
        std::uint8_t reason = kNoReason;
        NodeMoment moment;
        std::vector<AskHandle> go;
    };
    struct Entry {
        std::uint64_t query = 0;  // open; 0: none
        std::int64_t since_ns = 0;
        std::int64_t deadline_ns = 0;
        std::int64_t rank_time_ns = 0;  // of its place in the order
        std::uint32_t queries = 0;      // since it has this entry
        std::vector<Asked> asked;       // of the open query; the first is its node
        bool about_victims = false;     // the open query: it has no node, and `offer` is who may go
        Offer offer;
        std::optional<RestingNomination> nomination;  // while it has a node
        std::vector<Known> known;                     // sorted by slot
        std::vector<KnownVictims> victims;            // likewise
        std::vector<std::string> reasons;
        std::uint64_t bytes = 0;  // R-PLUGIN-24
    };
    // Distinct reasons that are kept of an ask; a further one reads kAnyReason.
    static constexpr std::size_t kReasonsMax = 16;
    static constexpr std::uint8_t kNoReason = 255;
    static constexpr std::uint64_t kVerdictBytes = 32;
    static constexpr std::string_view kAnyReason = "node(s) were refused by a plugin";

    // Null: it has no entry.
    const Entry* of(AskId id) const {
        const auto found = entries_.find(id);
        return found == entries_.end() ? nullptr : found->second.get();
    }
    std::size_t open() const { return open_.size(); }
    bool empty() const { return entries_.empty(); }
    // The verdict on the node that counts now; null: there is none.
    const Known* counting(const Entry&, Slot) const;
    const KnownVictims* victims_counting(const Entry&, Slot) const;
    template <typename Each>
    void for_each_counting(const Entry& entry, Each&& each) const {
        for (const Known& known : entry.known) {
            if (counts(known)) {
                each(known);
            }
        }
    }
    static std::string_view reason_of(const Entry& entry, std::uint8_t reason) {
        return reason == kNoReason ? kAnyReason : std::string_view(entry.reasons[reason]);
    }
    static std::string_view reason_of(const Entry& entry, const Known& known) { return reason_of(entry, known.reason); }

    // --- queries
    // Opens one, the ask's only one. Returns its number.
    std::uint64_t ask(AskId, std::span<const Slot>, std::int64_t now_ns, std::int64_t deadline_ns,
                      std::int64_t rank_time_ns);
    // The same about who may go from the node.
    std::uint64_t ask_about_victims(AskId, Slot, Offer, std::int64_t now_ns, std::int64_t deadline_ns);
    // Of an ask with an open query.
    void rest(AskId id, std::optional<RestingNomination> nomination) {
        entries_.find(id)->second->nomination = std::move(nomination);
    }
    AskId asked_with(std::uint64_t query) const {
        const auto found = open_.find(query);
        return found == open_.end() ? kNone<AskId> : found->second;
    }
    // The first ask whose time is up, or kNone.
    AskId overdue(std::int64_t now_ns) const;
    std::int64_t next_time_ns() const;
    // The bytes that the ask's entry would have more with the answer.
    std::uint64_t bytes_of(const PluginAnswer&, bool about_victims) const;
    // The answer to the open query, which ends. It has a verdict for each node, and victims as they were offered.
    void answered(AskId, const PluginAnswer&);
    // The open query ends without an answer. Fine if there is none.
    void close(AskId);
    // The entry goes. Fine if there is none.
    void forget(AskId);

    // --- nodes. Changes of a node while nobody had an entry mean nothing to any verdict.
    void node_changed(Slot slot) {
        if (!entries_.empty()) {
            ++moment(slot).changes;
        }
    }
    void node_goes(Slot slot) {
        if (!entries_.empty()) {
            ++moment(slot).comings;
        }
    }
    NodeMoment moment_of(Slot slot) const { return raw(slot) < moments_.size() ? moments_[raw(slot)] : NodeMoment{}; }

private:
    bool counts(const Known& known) const {
        const NodeMoment now = moment_of(known.slot);
        return now.comings == known.moment.comings && (known.lasting || now == known.moment);
    }
    std::uint64_t open(AskId, Entry&, std::int64_t now_ns, std::int64_t deadline_ns);
    static void put_in_victims(Entry&, const PluginAnswer&);
    NodeMoment& moment(Slot slot) {
        if (raw(slot) >= moments_.size()) {
            moments_.resize(raw(slot) + std::size_t{1});
        }
        return moments_[raw(slot)];
    }
    static std::uint8_t keep_reason(Entry&, std::string_view);
    static std::vector<std::uint8_t> keep_reasons(Entry&, const PluginAnswer&);
    void put_in(Entry&);

    boost::unordered_flat_map<AskId, std::unique_ptr<Entry>> entries_;
    std::map<std::uint64_t, AskId> open_;  // by number, which is the order of the deadlines
    std::vector<NodeMoment> moments_;      // by slot
    std::vector<Known> fresh_;             // of the answer at hand
    std::uint64_t last_query_ = 0;
};

}  // namespace bayplan
