// The objects of the API server, as records, and the queue of changes that the partition has still to be told.
//
// A change is entered here first and queued; flush() states what the books then say. So a statement is never older than the
// books, a statement that finds no room is made later, and stating everything anew (a resync) is queueing everything.
//
//   API server -> put/remove -> records + queue -> flush -> Partition::send
//   decisions  -> assume, nack ------^
//
// Thread: one. Owns the records; texts are ids of its converter.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "kube/object_converter.h"
#include "kube/pod_owners.h"
#include "kube/priority_classes.h"
#include "kube_shim/booked_pod.h"
#include "kube_shim/extender_messages.h"
#include "kube_shim/list_watch.h"
#include "kube_shim/pod_rules.h"
#include "kube_shim/preparer.h"
#include "kube_shim/volume_index.h"

namespace bayplan::kube_shim {

struct BooksOptions {
    std::vector<std::string> schedulers = {"default-scheduler"};  // whose pods are asks
    bool applications = false;                                    // as YuniKorn's labels say; else a namespace is one
    FeatureGates gates = {};
    std::optional<scheduler_config::SchedulerConfig> config = {};  // of the schedulers' profiles
};

class Books final : public ObjectSink {
public:
    using Send = std::function<bool(const StateBody&)>;
    using OnFault = std::function<void(const std::string&)>;
    // A pod that is not one of ours any more, waiting for nothing: gone, finished, or another has its name.
    using OnGone = std::function<void(const std::string& key, const std::string& uid)>;
    // A node went that a pending pod was nominated to; the partition has forgotten that without a word (R-NODE-22).
    using OnNominationLost = std::function<void(const std::string& key)>;

    Books(BooksOptions, OnFault, OnGone, OnNominationLost = {});

    void begin_list(std::string_view kind) override;
    void put(const kube::ReadObject&) override;
    void remove(const kube::ReadObject&) override;
    void end_list(std::string_view kind) override;
    void fault(const std::string& what) override { on_fault_(what); }

    // Long work calls it now and then: a lease has to be renewed meanwhile. It must leave the books alone.
    void call_between(std::function<void()> call) { between_ = std::move(call); }
    // Until then nobody is told anything: what the partition is told first is all that there is by then.
    void hold_until_restated() { held_back_ = true; }
    // True: all that was queued has been stated. `settled`: see Partition.
    bool flush(const Send&, bool settled);
    // Queues everything, in the order in which it may be stated.
    void restate_all();
    // Of that: true when all has been stated; changes since then are left for flush().
    bool state_books(const Send&, const std::function<bool()>& full);

    BookedPod* find(const std::string& key);
    const BookedPod* find(const std::string& key) const;
    // The partition has put the pod there: it counts there from now on.
    void assume(const std::string& key, std::string_view node);
    // The API server has it on another node than the partition put it: there it ends, and is stated where it is.
    void take_back(const std::string& key);
    // Its claims that need something before the pod may be bound there. `devices`: of the decision. Volumes that it chooses
    // are the pod's until release_volumes().
    ClaimSteps claims_to_prepare(const std::string& key, std::string_view node, std::string_view devices);
    StorageState storage_state(const StorageStep&, const std::string& node) const;
    void release_volumes(const std::string& uid);
    // Claims, NAMESPACE/NAME, that the API server has of the pod's extended resources.
    std::vector<std::string> extended_claims_of(const std::string& uid) const;
    // The claim on devices, NAMESPACE/NAME, counts as having nothing, until the API server says something else of it.
    void give_back(const std::string& claim);
    // It could not be given back: it has what the API server says, and the partition is told so.
    void keep(const std::string& claim);
    // It could not be bound there: the partition is told so.
    void nack(const std::string& key, const std::string& why);
    // The partition has chosen it as a victim. `is_so` false: it could not be deleted, and stays.
    void set_preempted(const std::string& key, bool is_so);
    // Forgets texts, specs and applications that no object has any more, here and at the partition, if they may have become
    // as many as those in use. Nothing, while anything has still to be stated. Linear in what there is.
    void forget_unused(const Send&);
    // The partition has let go of it, since its node is gone. It is asked for again unless the API server has it there.
    void lost_node(const std::string& key);

    std::string_view text(Text id) const { return converter_.texts().text(id); }
    kube::ObjectConverter& converter() { return converter_; }
    const std::vector<std::string>& schedulers() const { return options_.schedulers; }
    const BooksOptions& options() const { return options_; }
    std::size_t applications() const { return applications_.size(); }  // that the partition has
    std::size_t pods() const { return pods_.size(); }
    std::size_t nodes() const { return nodes_.size(); }
    bool has_node(std::string_view name) const;
    // Plugins that the shim serves: its extenders, and the pod's own.
    std::vector<std::string> plugins() const;
    std::vector<std::string> plugins_of(const BookedPod&) const;
    std::vector<std::string_view> resources_of(const BookedPod&) const;
    // The node as JSON; its name alone, if it is gone.
    std::string object_of_node(const std::string& name) const;
    // Of SHIM/KEY; without a UID: there is no such pod.
    ExtenderVictim victim(std::string_view name) const;

private:
    enum class Entry : std::uint8_t { node, node_gone, object, object_gone, pod, pod_gone, nack };
    struct Change {
        Entry entry;
        std::string name;  // of an object as NamedObject has it, of a pod its key
        std::unique_ptr<const std::string> why = {};
    };
    struct BookedNode {
        kube::ConvertedNode made;
        bool stated = false;
        bool drained = false;  // as stated last
        std::string object;    // as JSON, for extenders that want whole nodes
        bool queued = false;
    };
    struct BookedObject {
        ClusterObject made;
        bool stated = false;
        bool queued = false;
        bool given_back = false;   // a claim on devices: what it says that it has counts no more
        bool begins_anew = false;  // its next statement follows its removal
    };
    using Seen = boost::unordered_flat_set<std::string>;
    struct Listing {
        bool first = false;  // there was nothing of the kind before, so nothing can have gone
        Seen seen;           // else: what it has named
    };
    static constexpr std::size_t kWalkedAtOnce = 8'192;
    static constexpr std::size_t kTextsKept = 16'384;
    static constexpr std::size_t kSpecsKept = 2'048;

    bool forget_applications(const Send&);
    bool forget_specs(const Send&);
    bool forget_texts(const Send&);
    std::vector<bool> specs_in_use() const;
    std::vector<bool> texts_in_use() const;
    void queue(Entry entry, const std::string& name) {
        if (!held_back_) {
            queue_.push_back({entry, name, {}});
        }
    }
    void pause(std::size_t& walked) const {
        if (++walked % kWalkedAtOnce == 0) {
            between_();
        }
    }
    void leave_lost_nodes();
    bool waits_for_a_name(const Change&) const;
    bool flush_some(const Send&, bool settled, std::size_t entries);
    bool state_run(const Send&, Entry, std::size_t run);
    bool state_nodes(const Send&, std::size_t run);
    bool state_lost_nodes(const Send&, std::size_t run);
    bool state_objects(const Send&, std::size_t run);
    bool state_lost_objects(const Send&, std::size_t run);
    bool state_pods(const Send&, std::size_t run);
    bool state_releases(const Send&, std::size_t run);
    bool state_nacks(const Send&, std::size_t run);
    bool need_applications(const Send&, std::span<BookedPods::value_type* const>);
    AskItem statement(const std::string& key, const BookedPod&);

    void put_node(const std::string& name, kube::ConvertedNode&&, const kube::Value&);
    bool keeps_nodes() const;
    bool keeps_victims() const;
    void put_cluster_object(const std::string& name, ClusterObject&&, const kube::Value&);
    void put_object(const std::string& name, ClusterObject&&);
    void drop_object(const std::string& name);
    bool renew_extended_claim(const std::string& key, BookedPod&, const std::shared_ptr<const kube::PodExtended>& asks);
    void drop_extended_claim(const std::string& key, const BookedPod&);
    void renew_kinds();
    void classes_changed();
    void note_claim_object(const std::string& name, const kube::Value&);
    void forget_claim_object(const std::string& name);
    void put_workload(const std::string& name, const kube::Value&);
    const ClusterObject* object(std::string_view kind, std::string_view name_space, std::string_view name) const;
    template <typename Record>
    const Record* record(std::string_view kind, std::string_view name_space, std::string_view name) const;
    BookedObject* resource_claim(const std::string& claim);
    const kube::ConvertedNode* node_record(std::string_view name) const;
    void add_storage(const BookedPod&, const PodSpec&, std::string_view node, ClaimSteps&);
    void add_devices(const BookedPod&, const PodSpec&, std::string_view node, std::string_view devices, ClaimSteps&);
    void add_extended(const std::string& key, const BookedPod&, std::string_view node, std::string_view devices,
                      ClaimSteps&);
    bool add_device_step(const BookedPod&, const std::string& claim, std::vector<GivenDevice>&&, std::string_view node,
                         ClaimSteps&);
    void limit_nodes(std::string_view node, DeviceStep&) const;
    const ResourceSlice* slice_of(const GivenDevice&, std::string_view node) const;
    void join_workload(kube::ConvertedPod&, const PodWords&, BookedPod&);
    void taints_changed(const std::vector<Taint>& before, const std::vector<Taint>& now);
    void put_pod(kube::ConvertedPod&&, PodFacts&&);
    void queue_pod(const std::string& key, BookedPod&);
    void remove_pod(const std::string& key);
    void remove_named(std::string_view kind, const std::string& name);
    void owners_changed(const std::vector<std::string>& owners);
    bool is_ours(const kube::ConvertedPod&) const;

    const BooksOptions options_;
    OnFault on_fault_;
    OnGone on_gone_;
    OnNominationLost on_nomination_lost_;
    kube::ObjectConverter converter_;
    PodRules rules_;
    kube::PriorityClasses classes_;
    kube::PodOwners owners_;
    // By what NamedObject calls them ("Node /n1", "PersistentVolumeClaim default/c"); pods by their keys.
    std::unordered_map<std::string, BookedNode> nodes_;
    std::unordered_map<std::string, BookedObject> objects_;
    BookedPods pods_;
    PodCommons commons_;
    PodsByUid by_uid_;
    TaintValues taint_values_;
    Seen numeric_pods_;   // keys of those with tolerations by numbers
    Seen extended_pods_;  // keys of pods that ask for extended resources
    boost::unordered_flat_map<std::string, std::string> extended_claims_;  // uids of their pods, by claim
    boost::unordered_flat_map<std::string, Seen> extended_claims_of_;      // claims, by uid
    WorkloadGroups workloads_;
    std::map<std::string, Seen, std::less<>> pods_of_workloads_;  // keys, by "NAMESPACE/NAME"
    std::map<std::string, Listing, std::less<>> lists_;           // that are being read, by kind
    std::map<std::string, Seen, std::less<>> named_;              // by kind: what there is, but for pods
    VolumeIndex volumes_;
    VolumeIndex::Taken taken_volumes_;                                    // by placements that are being prepared
    boost::unordered_flat_map<std::string, std::vector<Text>> taken_by_;  // by the pod's uid
    std::function<void()> between_ = [] {};
    boost::unordered_flat_set<Text> lost_nodes_;  // whose pods have still to be looked for
    bool held_back_ = false;                      // nothing is queued
    std::deque<Change> queue_;
    std::size_t restating_ = 0;                     // leading entries of the queue that a resync has to state
    std::vector<std::string> held_;                 // pods that take a name, until all is settled
    Seen reusable_;                                 // keys of pods that went since the partition was settled
    boost::unordered_flat_set<Text> applications_;  // that the partition has
    std::size_t texts_look_at_ = kTextsKept;        // so many, and it is time for a look at which are in use
    std::size_t specs_look_at_ = kSpecsKept;
    Attribute foreign_tag_[2];  // default, static
};

}  // namespace bayplan::kube_shim
