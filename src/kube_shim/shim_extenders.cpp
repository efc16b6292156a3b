// The part of the shim that serves extenders as plugins of its partition. See shim.h, extenders.h.
#include <utility>

#include "kube_shim/shim.h"

namespace bayplan::kube_shim {

namespace {

PluginVerdict verdict_of(const FilterVerdict& verdict) {
    return verdict.feasible       ? PluginVerdict::feasible
           : verdict.unresolvable ? PluginVerdict::unresolvable
                                  : PluginVerdict::unschedulable;
}

// False: the partition has no room for it.
bool send(Partition& partition, const ExtenderAnswer& answer) {
    std::vector<PluginVerdict> verdicts;
    std::vector<PluginReason> reasons;
    for (const FilterVerdict& one : answer.verdicts) {
        if (!one.reason.empty()) {
            reasons.push_back({static_cast<std::uint32_t>(verdicts.size()), one.reason});
        }
        verdicts.push_back(verdict_of(one));
    }
    if (!answer.failure.empty()) {
        return partition.answer({.query = answer.query, .verdicts = {}, .failure = answer.failure});
    }
    return partition.answer(
        {.query = answer.query, .verdicts = verdicts, .reasons = reasons, .victims = answer.victims});
}

}  // namespace

void Shim::on_query(std::uint64_t query, const std::string& key, std::vector<std::string> nodes,
                    std::vector<std::int64_t> totals) {
    const BookedPod* const pod = books_->find(key);
    if (pod == nullptr || pod->words().object.empty() || extenders_ == nullptr) {
        answers_.push_back({query, {}, "the pod is gone"});
        return;
    }
    extenders_->filter(
        query, books_->plugins_of(*pod), pod->words().object, std::move(nodes), std::move(totals),
        [this](const std::string& name) { return books_->object_of_node(name); },
        [this](const ExtenderAnswer& answer) { answers_.push_back(answer); });
}

// As kube-scheduler asks them: about the pods that go for its own predicates' sake. A node from which nobody does is none where
// preemption helps.
void Shim::on_victims_query(const VictimsQuery& query) {
    const BookedPod* const pod = books_->find(query.key);
    if (pod == nullptr || pod->words().object.empty() || extenders_ == nullptr) {
        answers_.push_back({query.query, {}, "the pod is gone"});
        return;
    }
    if (query.needed == 0) {
        answers_.push_back({query.query, {{false, false, "node(s) were refused, and no pod is in the way"}}, ""});
        return;
    }
    ExtenderVictims victims{.node = query.node, .offered = {}, .go = {}, .violations = query.violations};
    for (const std::string& name : query.victims) {
        victims.offered.push_back(books_->victim(name));
    }
    for (std::uint32_t at = 0; at < query.needed; ++at) {
        if (victims.offered[at].uid.empty()) {
            answers_.push_back({query.query, {}, query.victims[at] + " would go, and is not known"});
            return;
        }
        victims.go.push_back(at);
    }
    extenders_->preempt(query.query, books_->plugins_of(*pod), pod->words().object, std::move(victims),
                        [this](const ExtenderAnswer& answer) { answers_.push_back(answer); });
}

void Shim::turn_extenders() {
    if (extenders_ == nullptr) {
        return;
    }
    moved_ = extenders_->turn() || moved_;
    while (!answers_.empty() && send(*partition_, answers_.front())) {
        answers_.pop_front();
        moved_ = true;
    }
}

bool Shim::bind_by_extender(const PodName& pod, const std::string& node, HttpClient::OnAnswer on_answer) {
    if (!may_work()) {
        HttpAnswer answer;
        answer.error = "this process does not hold the lease";
        on_answer(std::move(answer));  // the pod is looked at later, and posted if it still should be
        return true;
    }
    const BookedPod* const known = books_->find(pod.key);
    return known != nullptr && extenders_->bind(books_->resources_of(*known), pod, node, std::move(on_answer));
}

}  // namespace bayplan::kube_shim
