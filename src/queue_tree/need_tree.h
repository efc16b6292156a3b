// Items in an order, each with what it needs: the first that there is room for is found without a look at those before it.
//
// Every part of the tree knows the least that is needed in it, resource by resource. A part whose least is more than there
// is room for is passed over whole. Where one resource is short, a search looks at O(log n) items; where several are, a part
// may promise what no item in it keeps, and the search tells its caller of each item that it looked at for nothing.
//
// A binary tree kept shallow by a hash of each id (a treap): links stand in the items, nothing is allocated.
//
// Thread: its owner's.
#pragma once

#include <cstdint>
#include <utility>

#include "base/check.h"
#include "base/seeded_hash.h"
#include "queue_tree/room.h"

namespace bayplan::queue_tree {

// In each item. Belongs to the tree.
template <typename Id>
struct NeedNode {
    Id left{UINT32_MAX};
    Id right{UINT32_MAX};
    Id above{UINT32_MAX};
    bool inside = false;
    Room least;  // of the item and all below it
};

// Before: bool(Id, Id), a strict order without ties. NodeOf: NeedNode<Id>&(Id). NeedOf: const Room&(Id).
template <typename Id, typename Before, typename NodeOf, typename NeedOf>
class NeedTree {
public:
    static constexpr Id kNobody{UINT32_MAX};

    NeedTree(Before before, NodeOf node_of, NeedOf need_of)
        : before_(std::move(before)), node_of_(std::move(node_of)), need_of_(std::move(need_of)) {}

    bool empty() const { return root_ == kNobody; }
    bool has(Id id) const { return node_of_(id).inside; }
    Id any() const { return root_; }
    // The first of all, room or not; kNobody: there is none.
    Id front() const {
        Id at = root_;
        while (at != kNobody && node_of_(at).left != kNobody) at = node_of_(at).left;
        return at;
    }
    // More than there ever is, of an empty tree.
    const Room& least() const { return empty() ? kNoRoomEver : node_of_(root_).least; }

    void insert(Id id) {
        BP_CHECK(!has(id));
        NeedNode<Id>& node = node_of_(id);
        node = {};
        node.inside = true;
        node.least = need_of_(id);
        Id above = kNobody;
        for (Id at = root_; at != kNobody;) {
            above = at;
            at = before_(id, at) ? node_of_(at).left : node_of_(at).right;
        }
        node.above = above;
        (above == kNobody ? root_ : before_(id, above) ? node_of_(above).left : node_of_(above).right) = id;
        for (Id at = above; at != kNobody && lower(at, node.least); at = node_of_(at).above) {
        }
        while (node.above != kNobody && rank(id) < rank(node.above)) {
            const Id other = node.above;
            rotate_up(id);
            node.least = node_of_(other).least;
            settle(other);
        }
    }

    // Neither its key nor its need is looked at: they may be others by now.
    void remove(Id id) {
        BP_CHECK(has(id));
        NeedNode<Id>& node = node_of_(id);
        const Id above = node.above;
        while (node.left != kNobody && node.right != kNobody) {
            rotate_up(rank(node.left) < rank(node.right) ? node.left : node.right);
        }
        const Id below = node.left != kNobody ? node.left : node.right;
        if (below != kNobody) node_of_(below).above = node.above;
        link_to(node.above, id) = below;
        // Items that changed places with it are not settled yet.
        bool all_settled = node.above == above;
        for (Id at = node.above; at != kNobody; at = node_of_(at).above) {
            if (!settle(at) && all_settled) break;
            all_settled = all_settled || node_of_(at).above == above;
        }
        node = {};
    }

    // After its key or its need changed.
    void update(Id id) {
        if (is_in_place(id)) {
            settle_from(id);
        } else {
            remove(id);
            insert(id);
        }
    }
    // After its key changed, and nothing else.
    void update_key(Id id) {
        if (is_in_place(id)) return;
        remove(id);
        insert(id);
    }

    // Empties it without a look at its items, which the caller makes new.
    void forget_all() { root_ = kNobody; }
    // After all needs changed.
    void settle_all() { settle_below(root_); }

    // The first, in order, that there is room for and that `suits`; `suits(id, false)` tells of an item without room.
    template <typename Suits>
    Id first(const Room& room, Suits&& suits) const {
        return first(root_, room, suits);
    }

private:
    static std::uint64_t rank(Id id) { return HashSecret::of_process().of_number(static_cast<std::uint32_t>(id)); }

    Id& link_to(Id above, Id id) {
        if (above == kNobody) return root_;
        NeedNode<Id>& node = node_of_(above);
        return node.left == id ? node.left : node.right;
    }

    bool is_in_place(Id id) const {
        const Id before = neighbour(id, &NeedNode<Id>::left, &NeedNode<Id>::right);
        if (before != kNobody && !before_(before, id)) return false;
        const Id after = neighbour(id, &NeedNode<Id>::right, &NeedNode<Id>::left);
        return after == kNobody || before_(id, after);
    }

    // Something that needs so much is below it now; false: that changes nothing.
    bool lower(Id id, const Room& need) {
        Room& least = node_of_(id).least;
        if (need.covers(least)) return false;
        least.lower_to(need);
        return true;
    }

    // Sets the least of the item and all below it; false: it is as it was.
    bool settle(Id id) {
        NeedNode<Id>& node = node_of_(id);
        Room least = need_of_(id);
        for (const Id below : {node.left, node.right}) {
            if (below != kNobody) least.lower_to(node_of_(below).least);
        }
        return std::exchange(node.least, least) != least;
    }

    void settle_from(Id id) {
        while (id != kNobody && settle(id)) id = node_of_(id).above;
    }

    void settle_below(Id id) {
        if (id == kNobody) return;
        settle_below(node_of_(id).left);
        settle_below(node_of_(id).right);
        settle(id);
    }

    // Changes places with the one above; the order stays. Their least needs are the caller's to settle.
    void rotate_up(Id id) {
        NeedNode<Id>& node = node_of_(id);
        const Id above = node.above;
        NeedNode<Id>& other = node_of_(above);
        link_to(other.above, above) = id;
        node.above = std::exchange(other.above, id);
        const bool was_left = other.left == id;
        Id& from = was_left ? node.right : node.left;
        const Id moved = std::exchange(from, above);
        (was_left ? other.left : other.right) = moved;
        if (moved != kNobody) node_of_(moved).above = above;
    }

    // The next towards one side: `towards` is that side's link, `away` the other's.
    Id neighbour(Id id, Id NeedNode<Id>::*towards, Id NeedNode<Id>::*away) const {
        Id at = node_of_(id).*towards;
        if (at != kNobody) {
            while (node_of_(at).*away != kNobody) at = node_of_(at).*away;
            return at;
        }
        for (at = node_of_(id).above; at != kNobody && node_of_(at).*towards == id; at = node_of_(at).above) id = at;
        return at;
    }

    template <typename Suits>
    Id first(Id id, const Room& room, Suits& suits) const {
        if (id == kNobody || !room.covers(node_of_(id).least)) return kNobody;
        const Id earlier = first(node_of_(id).left, room, suits);
        if (earlier != kNobody) return earlier;
        if (suits(id, room.covers(need_of_(id)))) return id;
        return first(node_of_(id).right, room, suits);
    }

    Id root_ = kNobody;
    Before before_;
    NodeOf node_of_;
    NeedOf need_of_;
};

}  // namespace bayplan::queue_tree
