// Limits of users and groups: how much each may use in a queue and below, and how many applications it may run.
//
//   user    the limit that names it in the queue, else the queue's limit of '*', which each user has for itself
//   group   an application counts for one group at most: the first, from its leaf up and in the order of the file, that
//           its user is in, else '*' of that queue, which all share that no other limit there names
//
// An application is bound by a few limits of its path; which, is found once, and again after a reload.
//
// Thread: the engine's. Owner of names and queues: the caller.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "queue_tree/amounts.h"
#include "queue_tree/queue_table.h"

namespace bayplan::queue_tree {

enum class LimitId : std::uint32_t {};
inline constexpr LimitId kNoLimit = LimitId{UINT32_MAX};
constexpr std::uint32_t raw(LimitId id) { return static_cast<std::uint32_t>(id); }

// Of an application: of its user and of its group, in most cases in one queue or two.
using LimitIds = boost::container::small_vector<LimitId, 4>;

class UserLimits {
public:
    UserLimits(const QueueTable& queues, ResourceNames& names) : queues_(queues), names_(names) {}

    // Forgets everything: the caller resolves and charges its applications again.
    void clear();
    // The limits that bind an application, lowest queue first.
    LimitIds resolve(QueueId leaf, const User&);
    // For new resources.
    void fit();

    void charge(std::span<const LimitId>, Request, int sign);
    // kNoLimit: it fits.
    LimitId lacking(std::span<const LimitId>, Request) const;

    void add_running(std::span<const LimitId>, int sign);
    LimitId full(std::span<const LimitId>) const;
    std::int64_t used(LimitId id, std::uint32_t resource) const { return amounts_(kUsed, raw(id))[resource]; }
    std::int64_t maximum(LimitId id, std::uint32_t resource) const { return amounts_(kMax, raw(id))[resource]; }
    std::uint64_t most_running(LimitId id) const { return limits_[raw(id)].max_applications; }

    void fetch(LimitId id) const { amounts_.fetch_row(raw(id)); }

    std::uint32_t end() const { return static_cast<std::uint32_t>(limits_.size()); }
    // For explanations: "user ann in root.a".
    std::string text(LimitId id) const;

private:
    struct Key {
        QueueId queue = kNoQueue;
        bool group = false;
        std::string name;
        auto operator<=>(const Key&) const = default;
    };
    struct Limit {
        Key key;
        std::uint64_t max_applications = 0;
        std::uint32_t running = 0;
    };

    void add(QueueId, bool group, const std::string& name, const queue_config::LimitConfig&, LimitIds&);
    std::string group_of(QueueId leaf, const User&) const;

    const QueueTable& queues_;
    ResourceNames& names_;
    std::map<Key, LimitId> ids_;
    std::vector<Limit> limits_;
    static constexpr std::size_t kUsed = 0, kMax = 1;
    AmountTables<2> amounts_{{0, kUnlimited}};
};

}  // namespace bayplan::queue_tree
