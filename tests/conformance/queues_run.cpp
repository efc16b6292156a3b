// Inputs of a case, and the state after them.
#include "queues_run.h"

#include <algorithm>

#include <fmt/format.h>

#include "queue_config/load.h"

namespace bayplan::conformance {
namespace {

json::object without_zeros(const Resources& resources) {
    json::object shown;
    for (const auto& [name, value] : resources) {
        if (value != 0) shown[name] = value;
    }
    return shown;
}

json::array sorted(std::vector<std::string> names) {
    std::ranges::sort(names);
    return json::array(names.begin(), names.end());
}

}  // namespace

std::string QueuesRun::load(const std::string& yaml) {
    queue_config::SchedulerConfig config;
    config::Faults faults;
    if (!queue_config::load_queue_config(yaml, "queues.yaml", config, faults)) return faults.front().to_string();
    std::string why;
    if (!tree_.reload(config.partitions.front(), why)) return why;
    rules_.emplace(config.partitions.front().placement_rules);
    policy_ = config.partitions.front().node_sort_policy;
    return "";
}

json::object QueuesRun::step(const json::object& step, bool nodes_matter) {
    const std::string op = text_of(step, "op");
    put_back();
    json::object seen;
    if (op == "nodes" || op == "drainedNodes") {
        add_nodes(step, op == "nodes");
    } else if (op == "node") {
        change_node(step);
    } else if (op == "app") {
        return add_application(step);
    } else if (op == "asks") {
        return add_asks(step);
    } else if (op == "foreign") {
        nodes_.all.at(text_of(step, "node")).occupied = resources_of(member(step, "resource"));
        capacity_changed();
    } else if (op == "release") {
        release(text_of(step, "id"));
    } else if (op == "removeApp") {
        remove_application(text_of(step, "id"));
    } else if (op == "config") {
        const std::string error = load(text_of(step, "yaml"));
        if (!error.empty()) seen["error"] = error;
    } else if (op == "schedule") {
        seen["order"] = schedule(step);
        seen["state"] = state(nodes_matter);
    } else if (op == "check") {
        seen["state"] = state(nodes_matter);
    } else {
        throw std::runtime_error(fmt::format("'{}' is no step", op));
    }
    return seen;
}

void QueuesRun::capacity_changed() { tree_.set_capacity(nodes_.usable(), nodes_.total()); }

void QueuesRun::add_nodes(const json::object& step, bool schedulable) {
    for (const json::value& value : member(step, "add").as_array()) {
        Node& node = nodes_.all[text_of(value.as_object(), "id")];
        node.capacity = resources_of(member(value.as_object(), "capacity"));
        node.schedulable = schedulable;
    }
    capacity_changed();
}

void QueuesRun::change_node(const json::object& step) {
    const std::string id = text_of(step, "id");
    const std::string action = text_of(step, "action");
    Node& node = nodes_.all.at(id);
    if (action == "update") {
        node.capacity = resources_of(member(step, "capacity"));
    } else if (action == "remove") {
        std::vector<std::string> lost;
        for (auto& [ask_id, ask] : asks_) {
            if (ask.node == id) lost.push_back(ask_id);
            if (ask.reserved == id) unreserve(ask);
        }
        for (const std::string& ask : lost) release(ask);
        nodes_.all.erase(id);
    } else {
        node.schedulable = action == "schedulable";
    }
    capacity_changed();
}

json::object QueuesRun::add_application(const json::object& step) {
    const queue_tree::Submission submission = submission_of(step);
    App& app = applications_[submission.id];
    const queue_tree::Placed placed = rules_->place(submission, tree_.queues());
    if (placed.refusal != queue_tree::Refusal::none) {
        app.refusal = words_of(placed.refusal);
        return {{"rejected", true}, {"error", app.refusal}};
    }
    app.number = tree_.add_application(placed.queue, placed.user);
    return {{"queue", tree_.queues()[placed.queue].path}};
}

json::object QueuesRun::add_asks(const json::object& step) {
    const std::string application = text_of(step, "app");
    const auto found = applications_.find(application);
    json::object rejected;
    for (const json::value& spec : member(step, "asks").as_array()) {
        if (found == applications_.end() || found->second.number == kNone<ApplicationId>) {
            rejected[text_of(spec.as_object(), "id")] = "failed to find application " + application;
        } else {
            add_ask(spec.as_object(), application);
        }
    }
    capacity_changed();
    return rejected.empty() ? json::object() : json::object{{"rejectedAsks", rejected}};
}

void QueuesRun::add_ask(const json::object& spec, const std::string& application) {
    const std::string id = text_of(spec, "id");
    const Resources resources = resources_of(member(spec, "resource"));
    if (const auto there = asks_.find(id); there != asks_.end()) {  // sent again: another size
        Ask& ask = there->second;
        const bool pending = ask.node.empty();
        if (pending) tree_.remove(ask.number);
        tree_.resize(ask.number, resources);
        if (pending) tree_.insert(ask.number);
        if (!pending) nodes_.charge(ask.node, ask.resources, -1);
        if (!pending) nodes_.charge(ask.node, resources, +1);
        ask.resources = resources;
        return;
    }
    Ask& ask = asks_[id];
    ask = {id, application, resources, "", "", "", AskId{next_ask_++}};
    by_number_[ask.number] = id;
    const auto* const priority = spec.if_contains("priority");
    tree_.add_ask(ask.number, applications_.at(application).number, resources,
                  priority == nullptr ? 0 : priority->to_number<std::int32_t>(),
                  member(spec, "created").to_number<std::int64_t>());
    if (spec.contains("requiredNode")) ask.required_node = text_of(spec, "requiredNode");
    if (spec.contains("node")) {
        ask.node = text_of(spec, "node");
        nodes_.charge(ask.node, resources, +1);
        tree_.restore(ask.number);
    } else {
        tree_.insert(ask.number);
    }
}

void QueuesRun::release(const std::string& id) {
    const auto found = asks_.find(id);
    if (found == asks_.end()) return;
    Ask& ask = found->second;
    unreserve(ask);
    if (ask.node.empty()) {
        tree_.remove(ask.number);
    } else {
        nodes_.charge(ask.node, ask.resources, -1);
    }
    tree_.release(ask.number);
    by_number_.erase(ask.number);
    asks_.erase(found);
    capacity_changed();
}

void QueuesRun::remove_application(const std::string& id) {
    std::vector<std::string> own;
    for (const auto& [ask_id, ask] : asks_) {
        if (ask.application == id) own.push_back(ask_id);
    }
    for (const std::string& ask : own) release(ask);
    tree_.remove_application(applications_.at(id).number);
    applications_.erase(id);
}

json::object QueuesRun::application_state(const std::string& id, const App& app) {
    if (app.number == kNone<ApplicationId>) {
        return {{"state", "Rejected"},       {"queue", ""},      {"allocated", json::object()},
                {"pending", json::object()}, {"allocations", 0}, {"rejectedMessage", app.refusal}};
    }
    const queue_tree::Application& application = tree_[app.number];
    const auto count = std::ranges::count_if(
        asks_, [&](const auto& ask) { return ask.second.application == id && !ask.second.node.empty(); });
    return {{"state", queue_tree::to_text(application.state)},
            {"queue", tree_.queues()[application.leaf].path},
            {"allocated", without_zeros(tree_.allocated(app.number))},
            {"pending", without_zeros(tree_.pending(app.number))},
            {"allocations", count}};
}

json::object QueuesRun::queue_states() {
    json::object all;
    const queue_tree::QueueUsage& usage = tree_.usage();
    for (std::uint32_t at = 0; at < tree_.queues().end(); ++at) {
        const queue_tree::QueueId id{at};
        const queue_tree::Queue& queue = tree_.queues()[id];
        if (!queue.exists) continue;
        all[queue.path] =
            json::object{{"allocated", without_zeros(usage.allocated(id))},
                         {"pending", without_zeros(usage.pending(id))},
                         {"headroom", json::value_from(usage.headroom(id))},
                         {"runningApps", usage.running(id)},
                         {"currentPriority", usage.published_priority(id)},
                         {"status", queue.status == queue_tree::QueueStatus::active ? "Active" : "Draining"}};
    }
    return all;
}

json::object QueuesRun::state(bool nodes_matter) {
    json::object applications;
    for (const auto& [id, app] : applications_) applications[id] = application_state(id, app);
    std::vector<std::string> pending;
    std::vector<std::string> allocated;
    std::vector<std::string> reserved;
    json::object allocated_on;
    json::object reserved_on;
    for (const auto& [id, ask] : asks_) {
        (ask.node.empty() ? pending : allocated).push_back(id);
        if (!ask.node.empty()) allocated_on[id] = ask.node;
        if (!ask.reserved.empty()) reserved.push_back(id);
        if (!ask.reserved.empty()) reserved_on[id] = ask.reserved;
    }
    json::object state{{"apps", applications}, {"queues", queue_states()}, {"pendingAsks", sorted(pending)}};
    if (!nodes_matter) {
        state["allocated"] = sorted(allocated);
        state["reservedAsks"] = sorted(reserved);
        return state;
    }
    state["allocated"] = allocated_on;
    state["reservations"] = reserved_on;
    json::object nodes;
    for (const auto& [id, node] : nodes_.all) {
        nodes[id] = json::object{{"allocated", without_zeros(node.allocated)},
                                 {"available", without_zeros(node.available())},
                                 {"occupied", without_zeros(node.occupied)}};
    }
    state["nodes"] = nodes;
    return state;
}

}  // namespace bayplan::conformance
