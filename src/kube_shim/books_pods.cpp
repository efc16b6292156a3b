// The pods of the books: which of them the partition is told of, and as what. See books.h.
#include <utility>

#include "kube_shim/books.h"
#include "kube_shim/same_statement.h"

namespace bayplan::kube_shim {

BookedPod* Books::find(const std::string& key) {
    const auto found = pods_.find(key);
    return found == pods_.end() ? nullptr : &found->second;
}

const BookedPod* Books::find(const std::string& key) const {
    const auto found = pods_.find(key);
    return found == pods_.end() ? nullptr : &found->second;
}

void Books::queue_pod(const std::string& key, BookedPod& pod) {
    if (!pod.queued) {
        pod.queued = true;
        queue(Entry::pod, key);
    }
}

void Books::put_pod(kube::ConvertedPod&& made, PodFacts&& facts) {
    const std::string key = made.key;
    if (const BookedPod* const known = find(key); known != nullptr && known->uid != facts.uid) {
        remove_pod(key);
    }
    const bool bound = made.ask.node != 0;
    // Pending pods of others, and pods that were deleted before they got a node, are nobody's business.
    if (made.finished || (!bound && (!is_ours(made) || made.ask.terminating))) {
        remove_pod(key);
        return;
    }
    classes_.resolve(made, false);
    rules_.apply(made);
    owners_changed(owners_.put(made));
    made.ask.originator = owners_.is_owner(made.key, made.uid);
    const auto [at, fresh] = pods_.try_emplace(key);
    BookedPod& pod = at->second;
    if (fresh) {
        pod.uid = std::move(facts.uid);
        by_uid_.put(*at);
        pod.foreign = bound && !is_ours(made);
        pod.takes_a_name = reusable_.contains(key);
    }
    pod.resource_version = std::move(facts.resource_version);
    join_workload(made, facts.words, pod);
    made.ask.requests = made.requests;
    const bool same = !fresh && same_statement(pod.ask(), made.ask) &&
                      pod.words().numeric_tolerations == facts.words.numeric_tolerations;
    pod.rare = facts.words == PodWords() ? nullptr : std::make_unique<const PodWords>(std::move(facts.words));
    if (!pod.words().numeric_tolerations.empty() && rules_.gates().numeric_tolerations) {
        numeric_pods_.insert(key);
    }
    const bool elsewhere = bound && pod.assumed_node != 0 && made.ask.node != pod.assumed_node;
    if (bound) {
        pod.assumed_node = 0;
    }
    pod.take(made, commons_);
    const bool other_claim = renew_extended_claim(key, pod, made.extended);
    if (elsewhere) {
        take_back(key);
    } else if (!same || other_claim) {
        queue_pod(key, pod);
    }
}

void Books::take_back(const std::string& key) {
    BookedPod* const pod = find(key);
    if (pod == nullptr) {
        return;
    }
    if (pod->stated && !pod->queued) {
        queue(Entry::pod_gone, key);
    } else if (pod->stated) {
        queue_.push_front({Entry::pod_gone, key, {}});  // before the statement that waits already
    }
    pod->stated = false;
    queue_pod(key, *pod);
}

void Books::remove_pod(const std::string& key) {
    owners_changed(owners_.take_out(key));
    const auto found = pods_.find(key);
    if (found == pods_.end()) {
        return;
    }
    const std::string uid = found->second.uid;
    const bool stated = found->second.stated;
    by_uid_.take_out(*found);
    numeric_pods_.erase(key);
    if (const auto all = pods_of_workloads_.find(found->second.words().workload.workload);
        all != pods_of_workloads_.end()) {
        all->second.erase(key);
        if (all->second.empty()) {
            pods_of_workloads_.erase(all);
        }
    }
    const BookedPod gone = std::move(found->second);
    pods_.erase(found);
    if (stated) {
        queue(Entry::pod_gone, key);
        reusable_.insert(key);
    }
    drop_extended_claim(key, gone);
    on_gone_(key, uid);
}

void Books::assume(const std::string& key, std::string_view node) {
    if (BookedPod* const pod = find(key)) {
        pod->assumed_node = converter_.texts().id(node);
    }
}

void Books::nack(const std::string& key, const std::string& why) {
    BookedPod* const pod = find(key);
    if (pod == nullptr || pod->assumed_node == 0) {
        return;
    }
    pod->assumed_node = 0;
    if (pod->stated) {
        queue_.push_back({Entry::nack, key, std::make_unique<const std::string>(why)});
    }
}

void Books::set_preempted(const std::string& key, bool is_so) {
    BookedPod* const pod = find(key);
    if (pod == nullptr || pod->preempted == is_so) {
        return;
    }
    pod->preempted = is_so;
    if (!is_so) {
        queue_pod(key, *pod);  // of the other the partition knows
    }
}

void Books::lost_node(const std::string& key) {
    BookedPod* const pod = find(key);
    if (pod != nullptr && pod->node == 0) {
        pod->assumed_node = 0;
        pod->stated = false;
        queue_pod(key, *pod);
    }
}

void Books::owners_changed(const std::vector<std::string>& owners) {
    for (const std::string& owner : owners) {
        BookedPods::value_type* const found = by_uid_.find(owner);
        if (found == nullptr) {
            continue;
        }
        auto& [key, pod] = *found;
        const bool is_owner = owners_.is_owner(key, pod.uid);
        const bool changed = pod.owns_others != is_owner;
        pod.owns_others = is_owner;
        if (changed && pod.node != 0) {
            queue_pod(key, pod);
        }
    }
}

}  // namespace bayplan::kube_shim
