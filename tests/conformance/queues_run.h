// A small run: steps of a case, one after the other, on the tree of queues and a few nodes, and the state after each.
//
// Thread: main.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "queue_config/model.h"
#include "queue_tree/placement.h"
#include "queue_tree/queue_tree.h"
#include "queues_cases.h"
#include "queues_nodes.h"

namespace bayplan::conformance {

class QueuesRun {
public:
    explicit QueuesRun(bool reservations) : reservations_(reservations) {}

    // "" or why the configuration is refused.
    std::string load(const std::string& yaml);
    // Result of the step, in the form of a case's `expect`; empty where nothing is to be seen.
    json::object step(const json::object&, bool nodes_matter);

private:
    struct Ask {
        std::string id;
        std::string application;
        Resources resources;
        std::string required_node;
        std::string node;      // where it runs
        std::string reserved;  // a node that is kept for it
        AskId number{};
    };
    struct App {
        ApplicationId number = kNone<ApplicationId>;
        std::string refusal;  // YuniKorn's words, if it was rejected
    };

    void add_nodes(const json::object& step, bool schedulable);
    void change_node(const json::object& step);
    json::object add_application(const json::object& step);
    json::object add_asks(const json::object& step);
    void add_ask(const json::object& spec, const std::string& application);
    void release(const std::string& id);
    void remove_application(const std::string& id);
    void capacity_changed();

    json::array schedule(const json::object& step);
    // One decision: an ask's id, "reserved" or "unreserved" with nothing before it, or "" if there is none left.
    std::optional<std::string> cycle();
    std::optional<std::string> try_reserved();
    std::optional<std::string> try_ask(Ask&);
    void unreserve(Ask&);
    void allocate(Ask&, const std::string& node);
    void put_back();

    json::object state(bool nodes_matter);
    json::object application_state(const std::string& id, const App&);
    json::object queue_states();

    bool reservations_;
    queue_tree::QueueTree tree_;
    std::optional<queue_tree::PlacementRules> rules_;
    queue_config::NodeSortPolicyConfig policy_;
    Nodes nodes_;
    std::map<std::string, App> applications_;
    std::map<std::string, Ask> asks_;
    std::map<AskId, std::string> by_number_;
    std::vector<std::string> failed_;  // tried, and outside of the order until something changes
    std::uint32_t next_ask_ = 0;
};

}  // namespace bayplan::conformance
