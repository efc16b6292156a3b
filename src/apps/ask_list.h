// A doubly linked list of asks through an AskLink of theirs: no memory of its own, removal in constant time.
// `Link` says which.
//
// Thread: the engine's. The asks belong to the AskTable.
#pragma once

#include "apps/ask.h"

namespace bayplan {

struct InApplication {
    template <typename Table>
    auto& operator()(Table& asks, AskId id) const {
        return asks[id].in_application;
    }
};

struct OfSpec {
    template <typename Table>
    auto& operator()(Table& asks, AskId id) const {
        return asks[id].of_spec;
    }
};

struct InWaiting {
    template <typename Table>
    auto& operator()(Table& asks, AskId id) const {
        return asks.waiting(id).in_list;
    }
};

template <typename Link>
class AskList {
public:
    bool empty() const { return head_ == kNone<AskId>; }
    AskId front() const { return head_; }
    AskId back() const { return tail_; }

    template <typename Table>
    AskId next(const Table& asks, AskId id) const {
        return Link{}(asks, id).next;
    }

    template <typename Table>
    void push_back(Table& asks, AskId id) {
        insert_after(asks, tail_, id);
    }

    // `after` = kNone: at the front.
    template <typename Table>
    void insert_after(Table& asks, AskId after, AskId id) {
        AskLink& link = Link{}(asks, id);
        link.previous = after;
        link.next = after == kNone<AskId> ? head_ : Link{}(asks, after).next;
        (link.previous == kNone<AskId> ? head_ : Link{}(asks, link.previous).next) = id;
        (link.next == kNone<AskId> ? tail_ : Link{}(asks, link.next).previous) = id;
    }

    // All of the other's, behind; that has none from then on.
    template <typename Table>
    void append(Table& asks, AskList& other) {
        if (other.empty()) {
            return;
        }
        Link{}(asks, other.head_).previous = tail_;
        (tail_ == kNone<AskId> ? head_ : Link{}(asks, tail_).next) = other.head_;
        tail_ = other.tail_;
        other = AskList();
    }

    template <typename Table>
    void remove(Table& asks, AskId id) {
        AskLink& link = Link{}(asks, id);
        (link.previous == kNone<AskId> ? head_ : Link{}(asks, link.previous).next) = link.next;
        (link.next == kNone<AskId> ? tail_ : Link{}(asks, link.next).previous) = link.previous;
        link = {};
    }

private:
    AskId head_ = kNone<AskId>;
    AskId tail_ = kNone<AskId>;
};

}  // namespace bayplan
