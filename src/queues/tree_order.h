// The pending order of a tree of queues: who is next follows from shares, priorities, maxima and limits (queue_tree), and
// from every charge. Where the order says "outside" for an ask that waits for a time or an event, the tree counts it among
// what its application wants: ask_waits and ask_leaves tell which those are.
//
//   order:   out ----insert---> inside --take--> taken --ask_placed--> charged
//   tree:    none or outside    inside           taken                 allocated
//
// A charge by force is a taking too; a refund is a giving back. So what a transaction does and undoes leaves no trace.
//
// Thread: the engine's. Asks and classes are the tables'; cpu is YuniKorn's vcore in here, and nowhere else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/ask_table.h"
#include "apps/class_table.h"
#include "base/ids.h"
#include "cluster/resources.h"
#include "queue_tree/queue_tree.h"
#include "queues/pending_order.h"

namespace bayplan {

class TreeOrder final : public PendingOrder {
public:
    TreeOrder(const AskTable& asks, const ClassTable& classes, const ResourceTable& resources);

    // --- queues
    // All of it, or nothing, and why.
    bool reload(const queue_config::PartitionConfig&, std::string& why);
    // Capacity of all nodes, which shares are measured by. Nodes alone say what fits: root has no maximum.
    void set_total(const std::vector<std::int64_t>& by_resource);
    // Queues go that are empty and drain, or are empty and dynamic.
    void clean();
    // For placement rules: they may make queues.
    queue_tree::QueueTable& queues() { return tree_.queues(); }
    queue_tree::QueueTree& tree() { return tree_; }
    // Amounts that queues hold of their guarantees, as `holds(ask)` says of each ask that ask_holds_anew() was called for.
    template <typename Holds>
    queue_tree::Guarantees& guarantees(Holds&& holds) {
        note_from_now_on();
        for (const AskId id : noted_) {
            is_noted_[raw(id)] = 0;
            count_holding(id, asks_.contains(id) && !asks_[id].foreign && holds(id));
        }
        noted_.clear();
        tree_.guarantees().settle();
        return tree_.guarantees();
    }
    // Some queue's guarantee names anything.
    bool any_guarantee() {
        tree_.guarantees().settle();
        return tree_.guarantees().any();
    }
    // Another one after guarantees() or ask_goes() has changed what queues hold.
    std::uint64_t holding_version() const { return holding_version_; }
    // Why a pending ask is not selectable, though its shim has credit; empty: queues and limits have room for it.
    std::string lacking(AskId) const;

    // --- applications
    // Where it belongs, before add_application.
    void place_application(ApplicationId, queue_tree::QueueId leaf, queue_tree::User);
    queue_tree::QueueId leaf_of(ApplicationId id) const { return tree_[applications_[raw(id)].id].leaf; }
    const queue_tree::Application& application(ApplicationId id) const { return tree_[applications_[raw(id)].id]; }
    void add_application(ApplicationId, ShimId) override;
    void remove_application(ApplicationId) override;
    // None of its asks is tried while it rests.
    void rest(ApplicationId, bool);
    void complete(ApplicationId id) { tree_.complete(applications_[raw(id)].id); }
    void want_placeholders(ApplicationId id, const queue_config::Resources& resources) {
        tree_.want_placeholders(applications_[raw(id)].id, resources);
    }
    void give_up(ApplicationId id, queue_tree::ApplicationState state) {
        tree_.give_up(applications_[raw(id)].id, state);
    }
    void resume(ApplicationId id) { tree_.resume(applications_[raw(id)].id); }
    // As the tree says.
    void note_states() { tree_.note_states(); }
    std::vector<queue_tree::StateChange> take_state_changes();

    AskId peek() const override { return tree_.peek(); }
    using PendingOrder::selectable;
    bool selectable(Element asks) const override {
        return has_credit(asks_[asks.front()].shim) && tree_.selectable(asks);
    }
    bool before(AskId a, AskId b) const override { return tree_.before(a, b); }

    void ask_comes(AskId, std::int64_t created_s) override;
    void ask_waits(AskId) override;
    void ask_changes(AskId) override;
    void ask_leaves_group(AskId) override;
    void ask_placed(AskId) override;
    bool is_placed(AskId id) const override { return tree_.is_placed(id); }
    void ask_holds_anew(AskId) override;
    void ask_leaves(AskId) override;
    void ask_goes(AskId) override;

private:
    struct Application {
        ApplicationId id = kNone<ApplicationId>;  // in the tree
        ShimId shim = kNone<ShimId>;
        std::uint32_t index = 0;  // among its shim's
        bool rests = false;
    };

    void put(Element) override;
    void take_out(AskId id) override { tree_.remove(id); }
    Element take_first() override { return tree_.take_element(); }
    void charge_changed(Element, int sign) override;
    void credit_changed(ShimId) override;

    void know(AskId);
    void note_from_now_on();
    void count_holding(AskId, bool holds);
    std::uint32_t resource(ResourceId);
    std::int32_t priority_of(AskId) const;
    queue_tree::RequestId request_of(AskId);

    const AskTable& asks_;
    const ClassTable& classes_;
    const ResourceTable& resources_;
    mutable queue_tree::QueueTree tree_;  // to look may bring it up to date
    std::vector<Application> applications_;
    std::vector<ApplicationId> of_tree_;  // by the tree's id
    std::vector<std::vector<ApplicationId>> of_shim_;
    std::vector<std::int64_t> created_s_;        // by AskId
    std::vector<std::uint32_t> tree_resources_;  // by ResourceId: its number in the tree
    std::vector<queue_tree::Amount> amounts_;    // while a request is looked up
    std::vector<AskId> noted_;                   // whether they hold anything must be asked anew
    std::vector<std::uint8_t> is_noted_;         // by AskId
    bool notes_ = false;                         // somebody has asked what queues hold
    std::uint64_t holding_version_ = 0;
};

}  // namespace bayplan
