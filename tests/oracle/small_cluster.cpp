// The hand-driven cluster of the oracle's unit tests.
//
// Thread and errors: see small_cluster.h.
#include "small_cluster.h"

namespace bayplan::oracle {

std::string to_text(const NumberedDecision& decision) {
    static const char* const kinds[] = {"",
                                        "node_accepted",
                                        "node_rejected",
                                        "application_accepted",
                                        "application_rejected",
                                        "ask_rejected",
                                        "allocated",
                                        "released",
                                        "ask_waiting",
                                        "message_rejected",
                                        "nominated"};
    return std::to_string(decision.number) + " " + kinds[static_cast<int>(decision.kind)] + " " + decision.name + "/" +
           decision.node + "/" + decision.text;
}

void SmallCluster::ready(const std::string& shim) {
    connect(shim);
    define(shim);
    send(OwnedResyncBegin{}, shim);
    send(OwnedApplications{{{kAppA, 0, 0}, {kAppB, 0, 0}}, {}}, shim);
    send(OwnedResyncEnd{}, shim);
    acknowledge(oracle.shims().at(shim).last_number, shim);
}

ConnectionId SmallCluster::connect(const std::string& shim, std::uint64_t instance, std::uint64_t daemon_instance,
                                   std::uint64_t received) {
    connection[shim] = ++last_connection_;
    oracle.apply(Connect{last_connection_, shim, instance, daemon_instance, received});
    return last_connection_;
}

void SmallCluster::send(const OwnedBody& body, const std::string& shim) {
    send_as(oracle.shims().at(shim).applied + 1, body, shim);
}

void SmallCluster::send_as(std::uint64_t sequence, const OwnedBody& body, const std::string& shim) {
    const Borrowed borrowed(body);
    oracle.apply(StateMessage{connection.at(shim), sequence, borrowed.body()});
}

void SmallCluster::define(const std::string& shim) {
    send(OwnedDefine{{{kCpu, "cpu"},
                      {kMemory, "memory"},
                      {kPods, "pods"},
                      {kGpu, "gpu"},
                      {kZone, "zone"},
                      {kType, "instance-type"},
                      {kEast, "east"},
                      {kWest, "west"},
                      {kBig, "big"},
                      {kAppA, "a"},
                      {kAppB, "b"},
                      {kGroupG, "g"},
                      {kGroupH, "h"},
                      {kNode1, "n1"},
                      {kNode2, "n2"},
                      {kNode3, "n3"},
                      {kNode4, "n4"},
                      {kNowhere, "nowhere"}}},
         shim);
}

void SmallCluster::node(DictId id, std::vector<Amount> capacity, const std::string& shim,
                        std::vector<Attribute> attributes) {
    send(OwnedNodes{{{id, NodeAction::create, std::move(capacity), std::move(attributes)}}}, shim);
}

void SmallCluster::node_action(DictId id, NodeAction action, std::vector<Amount> capacity, const std::string& shim) {
    send(OwnedNodes{{{id, action, std::move(capacity), {}}}}, shim);
}

void SmallCluster::ask(OwnedAsk ask, const std::string& shim) { send(OwnedAsks{{std::move(ask)}}, shim); }

void SmallCluster::release(const std::string& key, DictId application, const std::string& shim) {
    send(OwnedReleases{{{key, application}}}, shim);
}

void SmallCluster::nack(const std::string& key, const std::string& shim) { send(OwnedNacks{{key}}, shim); }

void SmallCluster::acknowledge(std::uint64_t up_to, const std::string& shim) {
    oracle.apply(Acknowledge{connection.at(shim), up_to});
}

void SmallCluster::hold(std::uint64_t owner, const std::string& node, std::int32_t below,
                        std::vector<std::pair<std::string_view, std::int64_t>> amounts) {
    oracle.apply(HoldPlace{owner, node, below, amounts});
}

std::string SmallCluster::last(const std::string& shim) const {
    const auto& decisions = oracle.decisions(shim);
    return decisions.empty() ? "none" : to_text(decisions.back());
}

std::string SmallCluster::state(const std::string& key, const std::string& shim) const {
    return oracle.ask_state(shim, key);
}

}  // namespace bayplan::oracle
