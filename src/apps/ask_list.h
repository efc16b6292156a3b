// A doubly linked list of asks through one of their AskLink members: no memory of its own, removal in
// constant time.
//
// Thread: the engine's. The asks belong to the AskTable.
#pragma once

#include "apps/ask.h"

namespace bayplan {

template <AskLink Ask::*Link>
class AskList {
public:
    bool empty() const { return head_ == kNone<AskId>; }
    AskId front() const { return head_; }
    AskId back() const { return tail_; }

    template <typename Table>
    AskId next(const Table& asks, AskId id) const {
        return (asks[id].*Link).next;
    }

    template <typename Table>
    void push_back(Table& asks, AskId id) {
        insert_after(asks, tail_, id);
    }

    // `after` = kNone: at the front.
    template <typename Table>
    void insert_after(Table& asks, AskId after, AskId id) {
        AskLink& link = asks[id].*Link;
        link.previous = after;
        link.next = after == kNone<AskId> ? head_ : (asks[after].*Link).next;
        (link.previous == kNone<AskId> ? head_ : (asks[link.previous].*Link).next) = id;
        (link.next == kNone<AskId> ? tail_ : (asks[link.next].*Link).previous) = id;
    }

    template <typename Table>
    void remove(Table& asks, AskId id) {
        AskLink& link = asks[id].*Link;
        (link.previous == kNone<AskId> ? head_ : (asks[link.previous].*Link).next) = link.next;
        (link.next == kNone<AskId> ? tail_ : (asks[link.next].*Link).previous) = link.previous;
        link = {};
    }

private:
    AskId head_ = kNone<AskId>;
    AskId tail_ = kNone<AskId>;
};

}  // namespace bayplan
