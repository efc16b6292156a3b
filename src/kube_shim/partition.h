// The partition that a shim drives: an engine in this process, or a daemon at the other end of a connection; and the face for
// its decisions.
//
// Thread: one, the shim's. Decisions are told inside send() and turn().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bayplan/messages.h"
#include "kube/texts.h"
#include "kube_shim/http_client.h"

namespace bayplan::kube_shim {

class DecisionHandler {
public:
    virtual ~DecisionHandler() = default;
    // `devices`: of the node and of its claims (R-CLAIM-20).
    virtual void on_allocated(const std::string& key, std::string_view node, std::string_view devices) = 0;
    virtual void on_released(const std::string& key, Termination, std::string_view text) = 0;
    virtual void on_waiting(const std::string& key, std::string_view text) = 0;
    // Its plugins are asked (R-PLUGIN-36): may it run on these nodes? It would get the first. `totals`: of the nodes
    // (R-PLUGIN-66), or none. Of a partition whose shim serves no plugins it is never called.
    virtual void on_query(std::uint64_t /*query*/, const std::string& /*key*/, std::vector<std::string> /*nodes*/,
                          std::vector<std::int64_t> /*totals*/) {}
    // Likewise, where no node was found: who may go from this one, so that it may run there? `victims`: SHIM/KEY, most easily
    // the first; so many as `needed` go for the partition's own sake.
    struct VictimsQuery {
        std::uint64_t query = 0;
        std::string key;
        std::string node;
        std::vector<std::string> victims;
        std::uint32_t needed = 0;
        std::uint32_t violations = 0;  // of budgets, by these
    };
    virtual void on_victims_query(const VictimsQuery&) {}
    // No node: it has none any more.
    virtual void on_nominated(const std::string& key, std::string_view node, std::string_view text) = 0;
    // The claim, NAMESPACE/NAME, counts as having nothing: the cluster must be told so. `text`: for whom.
    virtual void on_claim_given_back(const std::string& claim, std::string_view text) = 0;
    virtual void on_rejected(DecisionKind, std::string_view name, std::string_view text) = 0;
};

class Partition {
public:
    virtual ~Partition() = default;

    // Texts and specs of the message are numbers of the converter's tables; what the partition does not know of them yet goes
    // ahead of it. False: it cannot be taken now; nothing was.
    virtual bool send(const StateBody&) = 0;
    // Likewise; of a query of an earlier connection it means nothing.
    virtual bool answer(const PluginAnswer&) = 0;
    // All that was sent has been applied: no decision is under way that was made without it.
    virtual bool settled() const = 0;
    // It may be made before that: until then it hears what there is, and decides nothing.
    virtual void decide() {}
    // It could decide at once.
    virtual bool warm() const { return true; }
    // While it is false an engine in this process decides nothing: what it has decided has first to be carried out. A daemon
    // knows nothing of it.
    virtual void may_go_on(bool) {}
    // Does some work. False: there was none.
    virtual bool turn() = 0;
    virtual Clock::time_point next_due() const = 0;
};

}  // namespace bayplan::kube_shim
