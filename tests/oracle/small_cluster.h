// A hand-driven cluster for unit tests of the oracle: one call per message, ids fixed by name, so
// that a test reads like the rule that it checks.
//
// Thread: one. Owns its oracle. Errors: none; a wrong call shows as a wrong decision.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "oracle.h"
#include "owned.h"

namespace bayplan::oracle {

constexpr std::int64_t kSecond = 1'000'000'000;  // in ns

// Texts by id, the same for every shim. The tests name ids by these constants.
enum Text : DictId {
    kCpu = 1,
    kMemory,
    kPods,
    kGpu,
    kZone,
    kType,
    kEast,
    kWest,
    kBig,
    kAppA,
    kAppB,
    kGroupG,
    kGroupH,
    kNode1 = 101,
    kNode2,
    kNode3,
    kNode4,
    kNowhere = 150,
    kUnknown = 999,
};

// For tests of anything else: what an attempt finds is all that follows from it, and nobody is tried
// before it is time.
inline EngineOptions without_preemption() {
    EngineOptions options;
    options.preemption.enabled = false;
    options.backoff_early = false;
    return options;
}

class SmallCluster {
public:
    explicit SmallCluster(EngineOptions options = without_preemption()) : oracle(options) {}

    // A shim that has defined all texts and finished its resync with applications a and b.
    void ready(const std::string& shim = "s");

    ConnectionId connect(const std::string& shim, std::uint64_t instance = 7, std::uint64_t daemon_instance = 0,
                         std::uint64_t received = 0);
    void send(const OwnedBody& body, const std::string& shim = "s");
    void send_as(std::uint64_t sequence, const OwnedBody& body, const std::string& shim = "s");
    void define(const std::string& shim = "s");
    void node(DictId id, std::vector<Amount> capacity, const std::string& shim = "s",
              std::vector<Attribute> attributes = {});
    void node_action(DictId id, NodeAction action, std::vector<Amount> capacity = {}, const std::string& shim = "s");
    void ask(OwnedAsk ask, const std::string& shim = "s");
    void release(const std::string& key, DictId application = 0, const std::string& shim = "s");
    void nack(const std::string& key, const std::string& shim = "s");
    void acknowledge(std::uint64_t up_to, const std::string& shim = "s");
    void tick(std::int64_t now_ns) { oracle.apply(Tick{now_ns}); }
    void hold(std::uint64_t owner, const std::string& node, std::int32_t below,
              std::vector<std::pair<std::string_view, std::int64_t>> amounts);
    void drop(std::uint64_t owner) { oracle.apply(HoldDrop{owner}); }

    // The last decision of a shim as `NUMBER kind name/node/text`, and all since the last call.
    std::string last(const std::string& shim = "s") const;
    std::string state(const std::string& key, const std::string& shim = "s") const;

    Oracle oracle;
    std::map<std::string, ConnectionId> connection;

private:
    ConnectionId last_connection_ = 0;
};

std::string to_text(const NumberedDecision&);

}  // namespace bayplan::oracle
