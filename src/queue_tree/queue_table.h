// The queues of a partition: their names, what the file or a template says of them, and whether they stay. Their usage
// and their order are kept elsewhere by their ids.
//
//   managed    in the file. Gone from it: draining, until it is empty
//   dynamic    made for an application by a placement rule, gone when it is empty; a leaf has what the nearest child
//              template above says
//
// Thread: the engine's. Ids are dense, and used again once a queue is gone.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/seeded_hash.h"
#include "queue_config/access_list.h"
#include "queue_config/model.h"
#include "queue_tree/queue_settings.h"

namespace bayplan::queue_tree {

enum class QueueId : std::uint32_t {};
inline constexpr QueueId kRoot = QueueId{0};
inline constexpr QueueId kNoQueue = QueueId{UINT32_MAX};
inline constexpr std::uint32_t kNoMaker = UINT32_MAX;
constexpr std::uint32_t raw(QueueId id) { return static_cast<std::uint32_t>(id); }

using queue_config::Resources;

enum class QueueStatus : std::uint8_t { active, draining };

// Since when a queue that shrinks to its maximum is over that, and when it sends pods away (rules/quotas.md). For people.
struct OverMax {
    std::int64_t since_ns = 0;
    std::int64_t due_ns = 0;
    bool operator==(const OverMax&) const = default;
};

struct Queue {
    std::string name;
    std::string path;
    QueueId parent = kNoQueue;
    std::vector<QueueId> children;  // in the order in which they came
    bool exists = false;
    bool leaf = false;
    bool managed = false;
    QueueStatus status = QueueStatus::active;
    Properties properties;  // with inherited ones
    QueueSettings settings;
    queue_config::AccessList submit_acl;
    queue_config::AccessList admin_acl;
    Resources guaranteed;
    Resources max;
    std::uint64_t max_applications = 0;  // 0: any number
    std::vector<queue_config::LimitConfig> limits;
    std::shared_ptr<const queue_config::ChildTemplateConfig> child_template;  // its own, or the nearest above
    std::uint32_t applications = 0;                                           // of a leaf
    std::uint32_t maker = kNoMaker;  // of a dynamic queue: for whose application it was made
    std::optional<OverMax> over_max;
};

struct User {
    std::string name;
    std::vector<std::string> groups;
};

class QueueTable {
public:
    // A partition as it was checked. All of it, or nothing: then `why` says what stands against it.
    bool apply(const queue_config::PartitionConfig&, std::string& why);

    const Queue& operator[](QueueId id) const { return queues_[raw(id)]; }
    QueueId parent(QueueId id) const { return parents_[raw(id)]; }
    // Ids below may have no queue (`exists`).
    std::uint32_t end() const { return static_cast<std::uint32_t>(queues_.size()); }
    std::size_t size() const { return by_path_.size(); }
    // kNoQueue: none. The path in lower case.
    QueueId find(std::string_view path) const;
    // The lowest queue that is there, of the path or above.
    QueueId find_lowest(std::string_view path) const;

    bool may_submit(QueueId, const User&) const;

    // The queue of the path and those above, as far as they are not there. kNoQueue: one above is a leaf, `why` names it.
    QueueId create_dynamic(const std::string& path, std::string& why, std::uint32_t maker = kNoMaker);
    // Queues that were made for somebody, and are there.
    std::uint32_t made_for(std::uint32_t maker) const { return maker < made_.size() ? made_[maker] : 0; }
    // Of a dynamic leaf: a namespace's quota. If only one of `max` and `guaranteed` is given, the other becomes empty;
    // without any value nothing changes.
    void set_quota(QueueId, std::optional<Resources> max, std::optional<Resources> guaranteed,
                   std::optional<std::uint64_t> max_applications);

    void set_over_max(QueueId, const std::optional<OverMax>&);

    void application_added(QueueId id) { ++queues_[raw(id)].applications; }
    void application_removed(QueueId id) { --queues_[raw(id)].applications; }

    // Takes away what is empty and draining, or empty and dynamic.
    void clean();

    // From now on ids of queues that were made, changed or taken away are put there too; one may be there twice.
    void note_changes(std::vector<QueueId>* into) { changes_ = into; }

    // Another one after each change of what queues there are, or of what they may have.
    std::uint64_t version() const { return version_; }

private:
    bool may_apply(const queue_config::QueueConfig&, QueueId, std::string& why) const;
    void apply_queue(const queue_config::QueueConfig&, QueueId);
    void drain(QueueId);
    bool clean_below(QueueId);
    void clean_children(QueueId);
    QueueId add(std::string name, QueueId parent);
    void remove(QueueId);
    void set_maker(QueueId, std::uint32_t maker);
    void note(QueueId id) {
        if (changes_ != nullptr) changes_->push_back(id);
    }

    std::vector<QueueId>* changes_ = nullptr;
    std::vector<Queue> queues_;
    std::vector<QueueId> parents_;  // of each, once more: every charge goes this way
    std::vector<QueueId> free_;
    std::vector<std::uint32_t> made_;  // by maker
    boost::unordered_flat_map<std::string, QueueId, TextHash, std::equal_to<>> by_path_;
    std::uint64_t version_ = 0;
};

}  // namespace bayplan::queue_tree
