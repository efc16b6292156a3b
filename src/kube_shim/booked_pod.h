// A pod in the books: small, since there are millions. Its key is the books' own.
//
// Thread: one; plain data.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "kube_shim/pod_commons.h"
#include "kube_shim/pod_facts.h"

namespace bayplan::kube_shim {

struct BookedPod {
    std::string uid;
    std::string resource_version;
    // As the API server has it.
    std::shared_ptr<const PodCommon> common;
    std::unique_ptr<const PodWords> rare;  // null: nothing of that
    // Extended resources that it asks for, where these are followed, and its claim on devices for them. Null: it asks for none.
    struct Extended {
        std::shared_ptr<const kube::PodExtended> asks;
        kube::ExtendedRequests claim;  // no requests: there is none
    };
    std::unique_ptr<Extended> extended;
    std::int64_t created_s = 0;
    std::int64_t started_ms = 0;
    Text node = 0;
    Text said_nomination = 0;
    SpecNumber spec = 0;
    // By the partition: until the API server says so.
    Text nominated_node = 0;
    Text assumed_node = 0;
    SpecNumber stated_spec = 0;  // that the partition knows it by
    bool terminating : 1 = false;
    bool said_preempted : 1 = false;
    bool owns_others : 1 = false;
    // The partition chose it as a victim: it terminates, though the API server may not say so yet.
    bool preempted : 1 = false;
    bool foreign : 1 = false;  // stated as such, which stays
    bool stated : 1 = false;   // the partition knows it
    bool queued : 1 = false;
    bool takes_a_name : 1 = false;     // of a pod that is gone, whose decisions may still come
    bool awaits_workload : 1 = false;  // which is not there: the partition is not told of the pod

    const PodWords& words() const {
        static const PodWords kNone;
        return rare == nullptr ? kNone : *rare;
    }
    bool has_extended_claim() const { return extended != nullptr && !extended->claim.requests.empty(); }
    const std::string& scheduler() const { return common->scheduler; }

    // The pod as the API server has it now.
    void take(const kube::ConvertedPod& made, PodCommons& commons) {
        const AskItem& ask = made.ask;
        common = commons.of(made);
        node = ask.node;
        said_nomination = ask.nominated_node;
        spec = ask.spec;
        created_s = ask.created_s;
        started_ms = ask.started_ms;
        terminating = ask.terminating;
        said_preempted = ask.preempted;
        owns_others = ask.originator;
    }
    // That again, but for the facts that only the shim needs.
    kube::ConvertedPod made(const std::string& key) const {
        kube::ConvertedPod made;
        made.key = key;
        made.uid = uid;
        made.requests = common->requests;
        made.application = common->application;
        made.lists = common->lists;
        made.scheduler = common->scheduler;
        made.topology_mode_fault = common->topology_mode_fault;
        made.ask = ask();
        return made;
    }
    // Its key is for the caller to say.
    AskItem ask() const {
        AskItem ask = common->ask;
        ask.requests = common->requests;
        ask.node = node;
        ask.nominated_node = said_nomination;
        ask.spec = spec;
        ask.created_s = created_s;
        ask.started_ms = started_ms;
        ask.terminating = terminating;
        ask.preempted = said_preempted;
        ask.originator = owns_others;
        return ask;
    }
};

using BookedPods = std::unordered_map<std::string, BookedPod>;  // by key; they stay where they are

// The pods by namespace and uid. Hashes are kept: when the table grows, a million pods need not be looked at.
class PodsByUid {
public:
    void put(BookedPods::value_type& pod) { pods_.insert(Entry{hash_of(name_of(pod)), &pod}); }
    void take_out(BookedPods::value_type& pod) { pods_.erase(Entry{hash_of(name_of(pod)), &pod}); }
    // "NAMESPACE/UID", as PodOwners has it; null: none.
    BookedPods::value_type* find(std::string_view name) const {
        const auto found = pods_.find(Name{before_slash(name), name.substr(name.find('/') + 1)});
        return found == pods_.end() ? nullptr : found->pod;
    }

private:
    using Name = std::pair<std::string_view, std::string_view>;
    struct Entry {
        std::size_t hash;
        BookedPods::value_type* pod;
    };
    static std::string_view before_slash(std::string_view text) { return text.substr(0, text.find('/')); }
    static Name name_of(const BookedPods::value_type& pod) { return {before_slash(pod.first), pod.second.uid}; }
    static std::size_t hash_of(const Name& name) { return boost::hash_value(name); }
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(const Entry& entry) const { return entry.hash; }
        std::size_t operator()(const Name& name) const { return hash_of(name); }
    };
    struct Equal {
        using is_transparent = void;
        bool operator()(const Entry& one, const Entry& other) const { return one.pod == other.pod; }
        bool operator()(const Entry& entry, const Name& name) const { return name_of(*entry.pod) == name; }
        bool operator()(const Name& name, const Entry& entry) const { return name_of(*entry.pod) == name; }
    };
    boost::unordered_flat_set<Entry, Hash, Equal> pods_;
};

}  // namespace bayplan::kube_shim
