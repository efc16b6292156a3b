// The engine's asks and applications as the tree's. See tree_order.h.
#include "queues/tree_order.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace bayplan {

using queue_tree::RequestId;

TreeOrder::TreeOrder(const AskTable& asks, const ClassTable& classes, const ResourceTable& resources)
    : asks_(asks), classes_(classes), resources_(resources) {
    tree_.set_capacity(std::nullopt, {});
}

// --- queues

bool TreeOrder::reload(const queue_config::PartitionConfig& partition, std::string& why) {
    if (!tree_.reload(partition, why)) {
        return false;
    }
    order_changed();
    return true;
}

void TreeOrder::set_total(const std::vector<std::int64_t>& by_resource) {
    queue_config::Resources total;
    for (std::uint32_t number = 0; number < by_resource.size(); ++number) {
        if (by_resource[number] > 0) {
            total[tree_.resource_name(resource(static_cast<ResourceId>(number)))] += by_resource[number];
        }
    }
    if (tree_.set_capacity(std::nullopt, total)) {
        order_changed();
    }
}

void TreeOrder::clean() {
    const std::uint64_t version = queues().version();
    queues().clean();
    if (queues().version() != version) {
        order_changed();
    }
}

std::string TreeOrder::lacking(AskId id) const {
    tree_.peek();  // brings it up to date
    return tree_.knows(id) ? tree_.lacking(id) : std::string();
}

std::uint32_t TreeOrder::resource(ResourceId id) {
    constexpr std::uint32_t kUnknown = UINT32_MAX;
    const std::string_view name = id == kCpu ? "vcore" : resources_.text(id);
    if (raw(id) >= tree_resources_.size()) {
        tree_resources_.resize(raw(id) + std::size_t{1}, kUnknown);
    }
    std::uint32_t& number = tree_resources_[raw(id)];
    if (number == kUnknown || tree_.resource_name(number) != name) {  // ids of resources are used again
        number = tree_.resource(name);
    }
    return number;
}

// --- applications

void TreeOrder::place_application(ApplicationId id, queue_tree::QueueId leaf, queue_tree::User user) {
    if (raw(id) >= applications_.size()) {
        applications_.resize(raw(id) + std::size_t{1});
    }
    const ApplicationId in_tree = tree_.add_application(leaf, std::move(user));
    if (raw(in_tree) >= of_tree_.size()) {
        of_tree_.resize(raw(in_tree) + std::size_t{1});
    }
    of_tree_[raw(in_tree)] = id;
    applications_[raw(id)].id = in_tree;
    order_changed();
}

std::vector<queue_tree::StateChange> TreeOrder::take_state_changes() {
    std::vector<queue_tree::StateChange> changes = tree_.take_state_changes();
    for (queue_tree::StateChange& change : changes) {
        change.application = of_tree_[raw(change.application)];
    }
    return changes;
}

void TreeOrder::add_application(ApplicationId id, ShimId shim) {
    Application& application = applications_[raw(id)];
    BP_CHECK(application.id != kNone<ApplicationId>);
    if (raw(shim) >= of_shim_.size()) {
        of_shim_.resize(raw(shim) + std::size_t{1});
    }
    application.shim = shim;
    application.index = static_cast<std::uint32_t>(of_shim_[raw(shim)].size());
    of_shim_[raw(shim)].push_back(id);
    tree_.allow(application.id, has_credit(shim));
}

void TreeOrder::rest(ApplicationId id, bool rests) {
    Application& application = applications_[raw(id)];
    application.rests = rests;
    tree_.allow(application.id, has_credit(application.shim) && !rests);
    order_changed();
}

void TreeOrder::remove_application(ApplicationId id) {
    Application& application = applications_[raw(id)];
    std::vector<ApplicationId>& others = of_shim_[raw(application.shim)];
    applications_[raw(others.back())].index = application.index;
    others[application.index] = others.back();
    others.pop_back();
    tree_.remove_application(application.id);
    application = {};
    order_changed();
}

void TreeOrder::credit_changed(ShimId shim) {
    if (raw(shim) >= of_shim_.size()) {
        return;
    }
    for (const ApplicationId id : of_shim_[raw(shim)]) {
        tree_.allow(applications_[raw(id)].id, has_credit(shim) && !applications_[raw(id)].rests);
    }
    order_changed();
}

// --- asks

RequestId TreeOrder::request_of(AskId id) {
    amounts_.clear();
    for (const ResourceAmount& amount : classes_[asks_[id].ask_class].spec->requests) {
        const std::uint32_t number = resource(amount.resource);
        const auto same = std::ranges::find(amounts_, number, &queue_tree::Amount::resource);
        if (same != amounts_.end()) {
            same->value += amount.value;
        } else if (amount.value > 0) {
            amounts_.push_back({number, amount.value});
        }
    }
    std::ranges::sort(amounts_);
    return tree_.request(amounts_);
}

// R-QUEUE-11: the lowest priority there is means in the tree that nothing waits.
std::int32_t TreeOrder::priority_of(AskId id) const { return std::max(asks_[id].priority, INT32_MIN + 1); }

void TreeOrder::ask_comes(AskId id, std::int64_t created_s) {
    if (raw(id) >= created_s_.size()) {
        created_s_.resize(std::max<std::size_t>(raw(id) + std::size_t{1}, 2 * created_s_.size()), 0);
    }
    created_s_[raw(id)] = created_s;
    if (!asks_[id].foreign) {
        tree_.count_ask(applications_[raw(asks_[id].application)].id, +1);
        order_changed();
    }
}

void TreeOrder::know(AskId id) {
    if (tree_.knows(id)) {
        return;
    }
    const PendingKey& key = asks_.waiting(id).key;
    const std::int64_t created_s = raw(id) < created_s_.size() ? created_s_[raw(id)] : 0;
    tree_.add_ask(id, applications_[raw(asks_[id].application)].id, request_of(id),
                  {priority_of(id), created_s, key.number_of_group(), key.sequence});
    if (asks_[id].placeholder) {
        tree_.is_placeholder(id);
    }
    order_changed();
}

void TreeOrder::ask_waits(AskId id) { know(id); }

void TreeOrder::ask_changes(AskId id) {
    ask_holds_anew(id);
    if (tree_.knows(id)) {
        tree_.restate(id, request_of(id), priority_of(id));
        order_changed();
    }
}

void TreeOrder::ask_leaves_group(AskId id) {
    if (tree_.knows(id)) {
        tree_.regroup(id, asks_[id].sequence);
    }
}

void TreeOrder::ask_placed(AskId id) {
    ask_holds_anew(id);
    if (tree_.is_taken(id)) {
        tree_.placed(id);
    }
}

void TreeOrder::ask_leaves(AskId id) {
    if (tree_.knows(id)) {
        tree_.release(id);
        order_changed();
    }
}

void TreeOrder::ask_goes(AskId id) {
    ask_leaves(id);
    holding_version_ += tree_.guarantees().let_go(id) ? 1 : 0;  // its leaf may go before anybody asks
    if (!asks_[id].foreign) {
        tree_.count_ask(applications_[raw(asks_[id].application)].id, -1);
        order_changed();
    }
}

// --- guarantees

// Few are ever asked about: a list of those is enough, each once.
void TreeOrder::ask_holds_anew(AskId id) {
    if (!notes_) {
        return;
    }
    if (raw(id) >= is_noted_.size()) {
        is_noted_.resize(std::max<std::size_t>(raw(id) + std::size_t{1}, 2 * is_noted_.size()), 0);
        noted_.reserve(is_noted_.size());
    }
    if (is_noted_[raw(id)] == 0) {
        is_noted_[raw(id)] = 1;
        noted_.push_back(id);
    }
}

// Most trees have no guarantees, and nobody asks: until somebody does, a placement notes nothing.
void TreeOrder::note_from_now_on() {
    if (std::exchange(notes_, true)) {
        return;
    }
    for (std::uint32_t at = 0; at < asks_.end(); ++at) {
        ask_holds_anew(AskId{at});
    }
}

void TreeOrder::count_holding(AskId id, bool holds) {
    queue_tree::Guarantees& held = tree_.guarantees();
    const bool changed = holds ? held.hold(id, leaf_of(asks_[id].application), request_of(id)) : held.let_go(id);
    holding_version_ += changed ? 1 : 0;
}

void TreeOrder::put(Element element) {
    for (const AskId id : element) {
        know(id);
    }
    tree_.insert(element);
    order_changed();
}

void TreeOrder::charge_changed(Element asks, int sign) {
    for (const AskId id : asks) {
        ask_holds_anew(id);
        if (sign < 0) {
            tree_.give_back(id);
        } else {
            know(id);
            tree_.take(id);
        }
    }
    order_changed();
}

}  // namespace bayplan
