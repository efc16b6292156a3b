// Statements of the shim that the daemon has not yet applied: translated to records, numbered,
// encoded once and kept until `state_applied` covers them, so that a resume sends exactly the
// missing ones again.
//
//   | applied (dropped) | sent, kept | unsent, kept |
//                       ^ kept_[0]   ^ kept_[next_]
//
// Thread: the caller serialises (the session's lock). Owns dictionary, encoder and the kept bytes.
// Statements are within limits (statement_limits.h) when they come here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "bayplan/client.h"
#include "client/dictionary.h"
#include "wire/codec.h"

namespace bayplan::client {

class StateWindow {
public:
    explicit StateWindow(std::size_t kept_bytes_max) : kept_bytes_max_(kept_bytes_max) {}

    // The bound is looked at before a batch, so the excess is at most one batch of the caller.
    bool has_room() const { return kept_bytes_ < kept_bytes_max_; }
    bool empty() const { return kept_.empty(); }
    std::size_t kept_messages() const { return kept_.size(); }
    std::size_t kept_bytes() const { return kept_bytes_; }
    std::uint64_t last_sequence() const { return last_sequence_; }

    void specs(std::span<const SpecItem> define, const TextOf&, std::span<const SpecNumber> forget);
    void objects(std::span<const ObjectItem>, const TextOf&);
    void nodes(std::span<const NodeStatement>);
    void applications(std::span<const ApplicationStatement>, std::span<const std::string_view> remove);
    void pods(std::span<const PodStatement>);
    void releases(std::span<const ReleaseStatement>);
    void nacks(std::span<const NackItem>);
    void answers(std::span<const PluginAnswer>);
    void forget(std::span<const std::string_view> texts);

    // Forgets all it has, numbering and dictionary included, and begins anew.
    void begin_resync();
    void end_resync();

    // Drops what was applied and sends the rest again. False: the number is not one of ours.
    bool resume_after(std::uint64_t applied);
    void applied(std::uint64_t up_to);

    std::span<const std::byte> next_unsent() const;  // empty: all sent
    void mark_sent() { ++next_; }

private:
    struct Kept {
        std::uint64_t sequence = 0;
        std::vector<std::byte> bytes;
    };

    template <typename Statement, typename AppendChunk>
    void in_chunks(std::span<const Statement>, AppendChunk);
    void nodes_chunk(std::span<const NodeStatement>);
    void pods_chunk(std::span<const PodStatement>);
    template <typename Record>
    std::vector<Record> translated(std::span<const Record>, const TextOf&);
    std::span<const Taint> translate(std::span<const NamedTaint>);
    std::span<const Amount> translate(std::span<const NamedAmount>);
    std::span<const Attribute> translate(std::span<const NamedAttribute>);
    void append(const StateBody&);
    void append_definitions();
    void encode(const StateBody&);

    const std::size_t kept_bytes_max_;
    Dictionary dictionary_;
    wire::Encoder encoder_;
    std::deque<Kept> kept_;
    std::size_t next_ = 0;
    std::size_t kept_bytes_ = 0;
    std::uint64_t last_sequence_ = 0;

    // Arrays that the records of one chunk point into; reserved before they are filled.
    std::vector<Amount> amounts_;
    std::vector<Attribute> attributes_;
    std::vector<Taint> taints_;
    std::vector<DictId> devices_;
};

}  // namespace bayplan::client
