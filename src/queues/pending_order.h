// The pending order. One interface, so that the pipeline selects ahead without knowing how asks are ranked: by arrival
// and priority alone (leaf_order.h), or later by the shares of a tree of queues.
//
// The order ranks *elements*: one ask, or n asks that are tried together (a gang). The asks of an element
// are of one application. It has the rank of its first ask at its insert, and keeps it while it is inside, even if
// members leave it. It is taken whole, and given back whole.
//
//   out --insert--> inside --take (charges)--> taken --tried, placed--> its asks stay charged until they end
//    ^                |                          |
//    +----remove------+                          +--refund--> out   (it failed, or was selected too far ahead)
//
// An ask is *charged* while it is taken or has its node: a queue's share is the sum over the charged asks of their
// requests. take() charges as if the element were placed, so the next take() is already what comes after it. An ask
// that gets a node without take() (stated by its shim, tried early) is charged by charge(). refund() ends the charge:
// the attempt failed, the ask was given back or withdrawn, or its allocation ended. Requests and application of an ask do
// not change while it is inside or charged, nor its key while it is inside.
//
// Foreign pods are never in the order, and never charged. Rules: rules/credit.md, rules/attempt.md.
//
// Thread: the engine's. Errors: a call that the state above forbids is a fault of the caller, and checked.
// Cost: version(), has_credit() and the counts are reads of a member; everything else is a virtual call.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/check.h"
#include "base/ids.h"

namespace bayplan {

// The asks of an element in the order in which they are tried.
using Element = std::span<const AskId>;

class PendingOrder {
public:
    PendingOrder() = default;
    virtual ~PendingOrder() = default;
    PendingOrder(const PendingOrder&) = delete;
    PendingOrder& operator=(const PendingOrder&) = delete;

    // --- applications: there before their first ask, empty when they go
    virtual void add_application(ApplicationId, ShimId) = 0;
    virtual void remove_application(ApplicationId) = 0;

    // --- credit: an element of a shim without credit stays inside, and is not selectable. Every shim begins with it.
    void set_credit(ShimId id, bool credit) {
        if (credit != has_credit(id)) {
            without_credit_.resize(std::max<std::size_t>(without_credit_.size(), raw(id) + std::size_t{1}), 0);
            without_credit_[raw(id)] = credit ? 0 : 1;
            credit_changed(id);
        }
    }
    bool has_credit(ShimId id) const { return raw(id) >= without_credit_.size() || without_credit_[raw(id)] == 0; }

    // --- what an order may want to know of asks that it does not hold; an order without a use for them leaves them as they are
    // The ask is there from now on; `created_s`: when its pod was made, or the first of its pod group.
    virtual void ask_comes(AskId, std::int64_t /*created_s*/) {}
    // It waits outside, for a time or an event. (A gated ask wants nothing, nor one whose node is awaited.)
    virtual void ask_waits(AskId) {}
    // Its request or priority is another one; it is not inside, nor taken.
    virtual void ask_changes(AskId) {}
    // It has left its plain pod group; it is not inside, nor taken.
    virtual void ask_leaves_group(AskId) {}
    // It has its node for good: its transaction has ended well.
    virtual void ask_placed(AskId) {}
    // That was told, and its charge has not ended. False of an order without a use for it.
    virtual bool is_placed(AskId) const { return false; }
    // Whether it is on a node, terminates or is nominated may be otherwise from now on.
    virtual void ask_holds_anew(AskId) {}
    // It is gated, or its node is awaited: it wants nothing. It is neither inside nor charged. Fine if nothing was told of it.
    virtual void ask_leaves(AskId) {}
    // Likewise, and there is no such ask from now on.
    virtual void ask_goes(AskId) {}

    // --- what waits
    // O(log n) at most, for asks in order of arrival O(1).
    void insert(Element element) {
        BP_CHECK(!element.empty());
        size_ += element.size();
        put(element);
    }
    void insert(AskId id) { insert(Element(&id, 1)); }
    // One ask that is inside; an element goes with its last one.
    void remove(AskId id) {
        --size_;
        take_out(id);
    }
    // Asks that are inside.
    std::size_t size() const { return size_; }

    // --- selecting
    // The first ask of what take() would give, or kNone if nothing inside is selectable.
    virtual AskId peek() const = 0;
    // Takes the first selectable element out, and charges it. Empty if there is none. Valid until the next call.
    Element take() {
        const Element element = take_first();
        size_ -= element.size();
        charged_ += element.size();
        return element;
    }
    // May the element be selected, were it inside? No: its shim has no credit, or its queue no room for all of it. Of an ask
    // that is inside with others: of its whole element.
    virtual bool selectable(Element) const = 0;
    bool selectable(AskId id) const { return selectable(Element(&id, 1)); }
    // Two asks of different elements that wait, inside or not: would a be taken before b by the charges of now? A strict
    // order until anything is taken or charged; for asks of one application, for good. Not for lists that must stay
    // sorted (nominations): those go by the asks' own keys.
    virtual bool before(AskId a, AskId b) const = 0;

    // --- charges (see above)
    void charge(Element asks) {
        charged_ += asks.size();
        charge_changed(asks, +1);
    }
    void charge(AskId id) { charge(Element(&id, 1)); }
    void refund(Element asks) {
        BP_CHECK_OP(charged_, >=, asks.size());
        charged_ -= asks.size();
        charge_changed(asks, -1);
    }
    void refund(AskId id) { refund(Element(&id, 1)); }
    // Asks that are charged.
    std::size_t charged() const { return charged_; }

    // Another version means: elements taken and not tried yet may no longer be those take() would give, were they all
    // given back. A caller that takes ahead then refunds and inserts all of them, the last first, before anything is
    // tried or taken. insert, remove, charge, refund, credit and limits may change it; take() never does.
    std::uint64_t version() const { return version_; }

protected:
    void order_changed() { ++version_; }

private:
    virtual void put(Element) = 0;
    virtual void take_out(AskId) = 0;
    virtual Element take_first() = 0;
    // The asks are charged (+1) or not any more (-1). Not called for take().
    virtual void charge_changed(Element, int sign) = 0;
    virtual void credit_changed(ShimId) = 0;

    std::vector<std::uint8_t> without_credit_;  // by ShimId; shims beyond have credit
    std::size_t size_ = 0;
    std::size_t charged_ = 0;
    std::uint64_t version_ = 0;
};

}  // namespace bayplan
