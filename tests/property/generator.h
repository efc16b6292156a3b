// Random histories: several shims that register nodes, ask for places, release, refuse, disconnect,
// resync and make every mistake that src/engine/rules names. It looks at the oracle to choose what makes
// sense next, so that most items are valid and real scheduling happens.
//
// Thread: one. Owns its models of the shims. The same seed gives the same history. Errors: none.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "history.h"
#include "odd_world.h"
#include "oracle.h"
#include "random.h"
#include "random_kube.h"
#include "random_queues.h"
#include "random_rights.h"

namespace bayplan::property {

// The settings of one history: those that decide and those that must not, all by chance. Without
// TBB where a sanitizer cannot see into it.
EngineOptions random_options(Random&, bool with_tbb);
// Of the simple preemptor: on most of the time, and with ages that a history reaches.
DaemonsetOptions random_daemonset(Random&);
PluginOptions random_plugins(Random&);
// The numbers behind everything about plugins of a history; the first of them is whether shims serve any.
constexpr std::uint64_t kPluginPercent = 12;
Random plugin_random(std::uint64_t seed);
CoschedulingOptions random_coscheduling(Random&);
// The second group only.
void randomize_execution(EngineOptions&, Random&, bool with_tbb);

// How many queues there are, where there are any.
enum class QueueCount : std::uint8_t { some, hundred };

class Generator {
public:
    Generator(std::uint64_t seed, const EngineOptions&, QueueCount = QueueCount::some);

    // How many events this history has.
    std::uint64_t length() const { return length_; }
    Event next(const oracle::Oracle&);

private:
    Event choose(const oracle::Oracle&);
    // What a shim process would know by itself.
    struct ShimModel {
        std::string name;
        std::map<std::string, DictId> ids;  // every text that it may define, under its usual id
        std::vector<std::string> nodes;     // names it gives to nodes
        std::vector<std::string> applications;
        std::vector<std::string> groups;
        std::map<SpecNumber, std::uint64_t> spec_seeds;  // what each spec says; none: plain pods
        std::map<std::string, SpecNumber> spec_of;       // by key of the ask
        std::uint64_t instance = 1;
        std::uint64_t keys = 0;
        std::deque<Event> plan;  // the rest of a resync under way
        ConnectionId planned_for = 0;
    };
    struct Shape {
        std::vector<std::pair<std::string, std::int64_t>> amounts;
    };

    // generator.cpp: the choice of the next event, connections, the clock.
    void make_shims();
    void make_shapes();
    std::int64_t device_amount();
    void enlarge_shapes();
    Event shim_event(const oracle::Oracle&, ShimModel&);
    Event connection_event(const oracle::Oracle&, ShimModel&);
    Event plain_event(const oracle::Oracle&, ShimModel&);
    Event mistaken_event(const oracle::Oracle&, ShimModel&);
    Event tick(const oracle::Oracle&);
    Event hold(const oracle::Oracle&);
    Event acknowledge(ShimModel&);
    Event run();
    bool wants_dictionary(const oracle::Oracle&, ShimModel&);

    // generator_resync.cpp: a whole resync, planned.
    void plan_resync(const oracle::Oracle&, ShimModel&);
    oracle::OwnedDefine define_missing(const oracle::Oracle&, ShimModel&);
    void restate_nodes(const oracle::Oracle&, ShimModel&);
    void restate_asks(const oracle::Oracle&, ShimModel&);
    void new_nodes(const oracle::Oracle&, ShimModel&);

    // generator_items.cpp: the items of a message.
    DictId id_of(const oracle::Oracle&, const ShimModel&, const std::string& text) const;
    std::vector<Amount> amounts(const oracle::Oracle&, const ShimModel&, const Shape&, std::int64_t permille_low,
                                std::int64_t permille_high);
    std::vector<Amount> amounts_of(const oracle::Oracle&, const ShimModel&, const oracle::Amounts&) const;
    void spoil(std::vector<Amount>&);
    oracle::OwnedNodes node_changes(const oracle::Oracle&, ShimModel&);
    oracle::OwnedNode create_node(const oracle::Oracle&, ShimModel&, const std::string& name);
    void declare_devices(const oracle::Oracle&, const ShimModel&, oracle::OwnedNode&);
    std::string any_devices();
    oracle::OwnedAsk new_ask(const oracle::Oracle&, ShimModel&);
    oracle::OwnedAsk changed_ask(const oracle::Oracle&, ShimModel&, const oracle::Ask&);
    oracle::OwnedAsk restated(const oracle::Oracle&, const ShimModel&, const oracle::Ask&) const;
    void choose_topology(const oracle::Oracle&, const ShimModel&, std::size_t which, oracle::OwnedAsk&);
    void spoil(oracle::OwnedAsk&);
    oracle::OwnedAsks asks(const oracle::Oracle&, ShimModel&);
    oracle::OwnedReleases releases(const oracle::Oracle&, ShimModel&);
    oracle::OwnedReleases confirmations(const oracle::Oracle&, ShimModel&);
    void ask_for_preemption(const oracle::Oracle&, const ShimModel&, oracle::OwnedAsk&);
    void ask_for_its_node(const oracle::Oracle&, const ShimModel&, oracle::OwnedAsk&);
    oracle::OwnedNacks nacks(const oracle::Oracle&, ShimModel&);
    oracle::OwnedDefine define(const oracle::Oracle&, ShimModel&);
    oracle::OwnedForget forget(const oracle::Oracle&, ShimModel&);
    std::string any_node(const oracle::Oracle&);
    std::string stated_node(const oracle::Oracle&, const ShimModel&);
    const oracle::Ask* any_ask(const oracle::Oracle&, const ShimModel&, bool placed);

    // generator_applications.cpp: applications, and what only operators see.
    oracle::OwnedApplications applications(const oracle::Oracle&, ShimModel&);
    void choose_queue(const oracle::Oracle&, const ShimModel&, oracle::OwnedApplication&);
    void tag(const oracle::Oracle&, const ShimModel&, oracle::OwnedApplication&);
    std::string any_application(const oracle::Oracle&, const ShimModel&);

    // generator_placeholders.cpp
    void expect_placeholders(const oracle::Oracle&, const ShimModel&, oracle::OwnedApplication&);
    void join_task_group(const oracle::Oracle&, const ShimModel&, oracle::OwnedAsk&);
    oracle::OwnedReleases placeholders_gone(const oracle::Oracle&, const ShimModel&);
    std::vector<Attribute> tags(const oracle::Oracle&, const ShimModel&);

    // generator_kube.cpp: specs and objects.
    IdOf ids(const oracle::Oracle&, const ShimModel&) const;
    SpecItem spec_record(const oracle::Oracle&, const ShimModel&, SpecNumber) const;
    oracle::OwnedSpecs specs(const oracle::Oracle&, ShimModel&);
    void spoil(SpecItem&);
    oracle::OwnedObjects objects(const oracle::Oracle&, ShimModel&);
    void plan_kube(const oracle::Oracle&, ShimModel&, const IdOf&);
    void ask_for_nodes(const oracle::Oracle&, ShimModel&, oracle::OwnedAsk&);

    // generator_plugins.cpp
    void serve(ConnectEvent&);
    static void name_plugins(ShimModel&);
    void need_plugins(const IdOf&, std::uint64_t seed, PodSpec&) const;
    oracle::OwnedAnswer answer_to(const oracle::Ask&);
    void choose_victims(const oracle::Ask&, oracle::OwnedAnswer&);
    oracle::OwnedAnswers answers(const oracle::Oracle&, const ShimModel&);

    Random random_;
    Random plugin_random_;
    Random give_back_random_;
    Random victim_random_;
    Random placeholder_random_;
    Random topology_random_;
    Random tag_random_;
    Random piece_random_;
    bool pieces_ = false;  // some messages come in pieces
    OddWorld odd_;
    EngineOptions options_;
    const bool wide_;  // a hundred queues
    const std::vector<std::string>& queue_texts_ = wide_ ? wide_queue_texts() : queue_texts();
    std::uint64_t length_ = 0;
    bool large_ = false;       // several blocks of nodes
    bool spread_out_ = false;  // large, and each node of a machine type of its own: a block for each, in many shards
    bool crowded_ = false;     // few nodes, seldom drained, for asks of many priorities
    bool plain_ = false;       // no specs, no objects, no labels beyond place and machine type
    bool sink_refuses_ = false;
    bool has_queues_ = false;
    const bool topologies_ = topology_random_.chance(60);
    const std::size_t topologies_from_ = topology_random_.below(4);  // of groups by number
    bool sink_may_refuse_ = false;
    bool plugins_ = false;       // specs name predicates that shims serve
    bool placeholders_ = false;  // applications have task groups with placeholders, and pods that take them over
    bool devices_ = false;       // nodes have devices, and asks want some
    std::uint64_t spoil_percent_ = 0;
    std::uint64_t confirm_percent_ = 0;  // how soon shims tell that chosen victims are gone
    std::vector<ShimModel> shims_;
    std::vector<Shape> node_shapes_;
    std::vector<Shape> ask_shapes_;
    std::vector<std::int32_t> priorities_;
    std::int64_t clock_ns_ = 0;
};

}  // namespace bayplan::property
