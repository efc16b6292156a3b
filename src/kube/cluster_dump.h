// A cluster as files of Kubernetes objects describe it, turned into what an engine is told.
//
// read_file and read_text as often as needed, then finish() once, then send_state and send_asks. Bound pods
// are statements of what is; pending pods are asks, oldest first and else in the order of the files.
//
// Thread: one. Owns everything it sends: records are valid while the dump lives.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "bayplan/messages.h"
#include "kube/document_reader.h"
#include "kube/fault.h"
#include "kube/input_notes.h"
#include "kube/known_fields.h"
#include "kube/object_converter.h"
#include "kube/pod_owners.h"
#include "kube/priority_classes.h"
#include "kube/what_if.h"
#include "kube/workloads.h"

namespace bayplan::kube {

struct DumpOptions {
    bool defaults = false;  // fill in what the API server would: see defaults.h
    // Names of schedulers whose pods are ours; none: all pods are.
    std::vector<std::string> schedulers;
    // Resources that are devices, 1000 of the amount each, on every node that has some.
    std::vector<std::string> devices = {};
    bool groups = true;               // labels of pod groups mean something
    bool applications = false;        // are as YuniKorn's labels say; else a namespace is one
    std::string plugin = {};          // that every pod needs; empty: none
    bool extended_resources = false;  // devices stand for them where a class says so
    WhatIf what_if = {};
};

struct DumpCounts {
    std::size_t nodes = 0;
    std::size_t bound = 0;
    std::size_t foreign = 0;  // of the bound ones
    std::size_t pending = 0;
    std::size_t objects = 0;
    std::size_t skipped_finished = 0;  // Succeeded or Failed
    std::size_t skipped_no_node = 0;   // on a node that no file has
    std::size_t skipped_not_ours = 0;  // pending, and another scheduler's
    std::size_t skipped_deleting = 0;  // pending, and being deleted
    std::size_t ignored = 0;           // of kinds that are not looked at
};

class ClusterDump {
public:
    // Called now and then while a text is read: bytes read of it so far.
    using Progress = std::function<void(std::uint64_t bytes)>;
    using Send = std::function<void(const StateBody&)>;

    explicit ClusterDump(DumpOptions options = {})
        : options_(std::move(options)), converter_(options_.defaults, options_.devices, options_.applications) {
        if (!options_.plugin.empty()) {
            converter_.need_plugin(options_.plugin);
        }
        if (options_.extended_resources) {
            converter_.follow_extended_resources();
        }
    }
    ClusterDump(const ClusterDump&) = delete;
    ClusterDump& operator=(const ClusterDump&) = delete;

    // "-" is standard input. False (and a fault): the file cannot be read at all.
    bool read_file(const std::string& path, const Progress& = {});
    // Takes the text since it needs room behind it.
    void read_text(std::string text, const std::string& name, const Progress& = {});
    void finish();

    const std::vector<ObjectFault>& faults() const { return faults_; }
    const DumpCounts& counts() const { return counts_; }
    // Changes that were made to it, as lines; and wishes that cannot be met.
    const std::vector<std::string>& what_if_lines() const { return what_if_lines_; }
    const std::vector<std::string>& what_if_faults() const { return what_if_faults_; }
    // The pod of a file that describes one, or a workload, for trying how many of it fit. None: the faults say why.
    std::optional<ConvertedPod> read_one_pod(const std::string& path);
    // Parts of the input that were not used: whole after finish().
    const InputNotes& notes() const { return notes_; }
    const Texts& texts() const { return converter_.texts(); }

    // For callers that go on from the dump: objects that are converted later share its dictionary and its specs, so
    // send_state defines what they need as well.
    struct Pod {
        ConvertedPod converted;
        std::string file;
    };
    ObjectConverter& converter() { return converter_; }
    const ObjectConverter& converter() const { return converter_; }
    const DumpOptions& options() const { return options_; }
    const std::vector<ConvertedNode>& nodes() const { return nodes_; }
    const std::vector<Pod>& bound_pods() const { return bound_; }
    const std::vector<Pod>& pending_pods() const { return pending_; }
    const std::vector<ClusterObject>& objects() const { return objects_; }
    const PriorityClasses& priority_classes() const { return classes_; }
    const PodOwners& owners() const { return owners_; }
    bool is_ours(const ConvertedPod&) const;
    const PodSpec& spec_of(const ConvertedPod& pod) const {
        return converter_.specs().records()[pod.ask.spec - 1].spec;
    }
    // Of a pending pod that asks for extended resources which devices stand for; its spec names the claim.
    void make_extended_claim(ConvertedPod&);
    // The kinds that a class has of all for which claims were made by now; and of every class of the files.
    void set_kinds(ClusterObject&) const;
    void set_kinds();
    bool has_application(Text name) const;
    // Its controller makes another one when it is gone.
    bool has_replacement(const ConvertedPod&) const;
    std::int64_t newest_s() const;  // when the last pod was created
    // The pod's statement; refers to the pod and to the dump.
    AskItem ask_of(const ConvertedPod&) const;

    // Keys of the pending pods in the order in which they are sent.
    std::vector<std::string_view> pending() const;
    // Its key, or another one, of the pods that are pending, that was probably meant by this text; "": none.
    std::string meant(std::string_view text) const;
    // "" or why there is no ask of this key ("runs on n1", ...).
    std::string why_not_pending(std::string_view key) const;
    // The pods of the dump that wait for scheduling gates.
    std::vector<std::string_view> gated() const;

    // Dictionary, specs, nodes, objects, applications (a namespace is one), bound pods; in messages of at
    // most `items_max` items.
    void send_state(const Send&, std::size_t items_max = 1'000) const;
    void send_asks(const Send&, std::size_t items_max = 1'000) const;

private:
    void take(const ReadObject&, const std::string& file);
    OnObject taker(const std::string& name, const Progress&);  // refers to both
    void look_at_fields(const ReadObject&);
    void look_at_template(const ReadObject& workload);
    // Of a part of the object, which has the fields of `type`; `at`: where it is ("spec.template.").
    void look_at_fields(const ReadObject&, const Value& part, std::string_view type, std::string_view at);
    void take_pod(ConvertedPod&&, const std::string& file);
    void finish_pod(Pod&, const std::vector<Text>& sorted_nodes);
    void sort_out(Pod&&);
    const ConvertedNode* node_or_fault(const std::string& name);
    void add_nodes();
    void remove_nodes();
    void cordon_nodes();
    void scale_workloads();
    void scale_by_pods(const WhatIf::Scale&);
    void expand_workloads();
    void make_replicas(const Workload&, bool told);
    void make_daemon_pods(const Workload&, const std::vector<std::size_t>& own);
    bool make_pod(const Workload&, std::int64_t number, Text node);
    std::vector<AskItem> asks_of(const std::vector<Pod>&) const;

    DumpOptions options_;
    ObjectConverter converter_;
    std::vector<ConvertedNode> nodes_;
    std::vector<ClusterObject> objects_;
    std::vector<Pod> pods_;  // until finish()
    std::vector<Pod> bound_;
    std::vector<Pod> pending_;
    std::vector<ApplicationItem> applications_;  // by their names
    std::vector<std::shared_ptr<const ApplicationLists>> application_lists_;
    PriorityClasses classes_;
    PodOwners owners_;
    std::vector<Workload> workloads_;  // if what_if wants them
    std::vector<std::string> what_if_lines_;
    std::vector<std::string> what_if_faults_;
    std::vector<ObjectFault> faults_;
    boost::unordered_flat_set<std::string> names_;                 // kind namespace/name of what was read
    boost::unordered_flat_map<std::string, std::string> skipped_;  // pods, and why
    DumpCounts counts_;
    InputNotes notes_;
    KnownFields known_fields_;
    Attribute foreign_tag_[2];  // default, static
};

NodeItem node_record(const ConvertedNode&, NodeAction);  // refers to the node
ObjectFault unknown_class(const std::string& file, const ConvertedPod&);

}  // namespace bayplan::kube
