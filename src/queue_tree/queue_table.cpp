// Queues made, changed and taken away.
//
// Thread: the engine's.
#include "queue_tree/queue_table.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "queue_config/characters.h"
#include "queue_config/placement_rules.h"

namespace bayplan::queue_tree {

using queue_config::ChildTemplateConfig;
using queue_config::QueueConfig;

namespace {

bool has_template(const ChildTemplateConfig& child_template) {
    return child_template.max_applications != 0 || !child_template.properties.empty() ||
           child_template.resources.guaranteed.amounts || child_template.resources.max.amounts;
}

std::string child_path(const Queue& queue, const std::string& name) { return queue.path + "." + name; }

}  // namespace

bool QueueTable::apply(const queue_config::PartitionConfig& partition, std::string& why) {
    const QueueConfig& root = partition.root();
    if (queues_.empty()) {
        add(std::string(queue_config::kRootName), kNoQueue);
    } else if (!may_apply(root, kRoot, why)) {
        return false;
    }
    apply_queue(root, kRoot);
    ++version_;
    return true;
}

// A leaf cannot become a parent while it has applications: they would be in no leaf.
bool QueueTable::may_apply(const QueueConfig& config, QueueId id, std::string& why) const {
    const Queue& queue = (*this)[id];
    if (queue.leaf && queue.applications > 0 && config.is_parent()) {
        why = fmt::format("queue {} has applications and cannot become a parent", queue.path);
        return false;
    }
    if (!config.queues) return true;
    return std::ranges::all_of(*config.queues, [&](const QueueConfig& child) {
        const QueueId there = find(child_path(queue, child.name.text));
        return there == kNoQueue || may_apply(child, there, why);
    });
}

void QueueTable::apply_queue(const QueueConfig& config, QueueId id) {
    std::vector<QueueId> gone = queues_[raw(id)].children;
    if (config.queues) {
        for (const QueueConfig& child : *config.queues) {
            const QueueId there = find(child_path(queues_[raw(id)], child.name.text));
            std::erase(gone, there);
            if (there == kNoQueue) add(child.name.text, id);
        }
    }
    Queue& queue = queues_[raw(id)];
    const Queue* const parent = queue.parent == kNoQueue ? nullptr : &queues_[raw(queue.parent)];
    note(id);
    set_maker(id, kNoMaker);
    queue.managed = true;
    queue.status = QueueStatus::active;
    queue.leaf = !config.is_parent() && queue.children.empty();
    queue.properties = inherited(parent == nullptr ? Properties() : parent->properties, config.properties);
    queue.settings = settings_of(queue.properties);
    queue.submit_acl = *queue_config::AccessList::parse(config.submit_acl.text);
    queue.admin_acl = *queue_config::AccessList::parse(config.admin_acl.text);
    queue.guaranteed = config.resources.guaranteed.or_none();
    queue.max = config.resources.max.or_none();
    queue.max_applications = config.max_applications;
    queue.limits = config.limits;
    if (has_template(config.child_template)) {
        queue.child_template = std::make_shared<const ChildTemplateConfig>(config.child_template);
    } else {
        queue.child_template = parent == nullptr ? nullptr : parent->child_template;
    }
    if (config.queues) {
        for (const QueueConfig& child : *config.queues) {
            apply_queue(child, find(child_path(queues_[raw(id)], child.name.text)));
        }
    }
    for (const QueueId child : gone) {
        if ((*this)[child].managed) drain(child);
    }
}

void QueueTable::drain(QueueId id) {
    Queue& queue = queues_[raw(id)];
    note(id);
    queue.status = QueueStatus::draining;
    for (const QueueId child : queue.children) {
        if ((*this)[child].managed) drain(child);
    }
}

QueueId QueueTable::find(std::string_view path) const {
    const auto found = by_path_.find(path);
    return found == by_path_.end() ? kNoQueue : found->second;
}

QueueId QueueTable::find_lowest(std::string_view path) const {
    for (;;) {
        const QueueId id = find(path);
        const std::size_t dot = path.rfind('.');
        if (id != kNoQueue || dot == std::string_view::npos) return id;
        path = path.substr(0, dot);
    }
}

bool QueueTable::may_submit(QueueId id, const User& user) const {
    for (; id != kNoQueue; id = (*this)[id].parent) {
        const Queue& queue = (*this)[id];
        if (queue.submit_acl.allows(user.name, user.groups) || queue.admin_acl.allows(user.name, user.groups))
            return true;
    }
    return false;
}

QueueId QueueTable::create_dynamic(const std::string& path, std::string& why, std::uint32_t maker) {
    QueueId id = find_lowest(path);
    BP_CHECK(id != kNoQueue);
    if ((*this)[id].leaf) {
        why = fmt::format("queue {} cannot be made below {}, which is a leaf", path, (*this)[id].path);
        return kNoQueue;
    }
    const std::string rest = path.substr((*this)[id].path.size() + 1);
    for (const std::string& name : queue_config::parts_of(rest)) {
        id = add(name, id);
        note(id);
        set_maker(id, maker);
    }
    Queue& leaf = queues_[raw(id)];
    leaf.leaf = true;
    // Whatever stands at root does not reach the recovery queue: nothing may keep a running pod out.
    if (leaf.child_template != nullptr &&
        path != fmt::format("{}.{}", queue_config::kRootName, queue_config::kRecoveryName)) {
        leaf.properties = leaf.child_template->properties;
        leaf.settings = settings_of(leaf.properties);
        leaf.guaranteed = leaf.child_template->resources.guaranteed.or_none();
        leaf.max = leaf.child_template->resources.max.or_none();
        leaf.max_applications = leaf.child_template->max_applications;
    }
    return id;
}

void QueueTable::set_quota(QueueId id, std::optional<Resources> max, std::optional<Resources> guaranteed,
                           std::optional<std::uint64_t> max_applications) {
    Queue& queue = queues_[raw(id)];
    BP_CHECK(!queue.managed && queue.leaf);
    note(id);
    const auto take = [&](auto& now, auto given) {
        version_ += now == given ? 0 : 1;
        now = std::move(given);
    };
    if (max || guaranteed) {
        take(queue.max, max.value_or(Resources()));
        take(queue.guaranteed, guaranteed.value_or(Resources()));
    }
    if (max_applications) take(queue.max_applications, *max_applications);
}

void QueueTable::set_over_max(QueueId id, const std::optional<OverMax>& over) {
    if (queues_[raw(id)].over_max == over) return;
    queues_[raw(id)].over_max = over;
    note(id);
}

void QueueTable::clean() {
    if (!queues_.empty()) clean_children(kRoot);
}

// Of many that go, the list is made once.
void QueueTable::clean_children(QueueId id) {
    std::vector<QueueId> children = std::exchange(queues_[raw(id)].children, {});
    std::erase_if(children, [this](QueueId child) { return clean_below(child); });
    queues_[raw(id)].children = std::move(children);
}

// True: the queue is gone; its parent forgets it.
bool QueueTable::clean_below(QueueId id) {
    clean_children(id);
    const Queue& queue = (*this)[id];
    const bool may_go = !queue.managed || queue.status == QueueStatus::draining;
    if (!may_go || !queue.children.empty() || queue.applications > 0) return false;
    remove(id);
    return true;
}

// Noted by the caller: of a file's queues each comes behind its parent and what stands before it, with all below.
QueueId QueueTable::add(std::string name, QueueId parent) {
    QueueId id = kNoQueue;
    if (free_.empty()) {
        id = QueueId{static_cast<std::uint32_t>(queues_.size())};
        queues_.emplace_back();
        parents_.emplace_back();
    } else {
        id = free_.back();
        free_.pop_back();
    }
    Queue& queue = queues_[raw(id)];
    queue = Queue();
    queue.exists = true;
    queue.path = parent == kNoQueue ? name : child_path(queues_[raw(parent)], name);
    queue.name = std::move(name);
    queue.parent = parents_[raw(id)] = parent;
    if (parent != kNoQueue) {
        Queue& above = queues_[raw(parent)];
        above.children.push_back(id);
        queue.child_template = above.child_template;
    }
    by_path_.emplace(queue.path, id);
    ++version_;
    return id;
}

void QueueTable::set_maker(QueueId id, std::uint32_t maker) {
    const std::uint32_t before = std::exchange(queues_[raw(id)].maker, maker);
    if (before != kNoMaker) --made_[before];
    if (maker == kNoMaker) return;
    made_.resize(std::max<std::size_t>(made_.size(), std::size_t{maker} + 1));
    ++made_[maker];
}

void QueueTable::remove(QueueId id) {
    Queue& queue = queues_[raw(id)];
    set_maker(id, kNoMaker);
    by_path_.erase(queue.path);
    queue = Queue();
    free_.push_back(id);
    note(id);
    ++version_;
}

}  // namespace bayplan::queue_tree
