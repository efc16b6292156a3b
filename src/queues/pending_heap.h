// The pending asks in the order in which they are tried: priority first, then the number of the pod
// group, then arrival (engine/RULES.md, section 5; back-to-back groups: seed 004, QueueSort).
//
//   leaf queue:   heap of applications, keyed by the first element of each
//   application:  heap of elements, keyed (priority, group number)
//   element:      the asks of one group (a plain pod is a group of one), by sequence number
//
// Only the path that changed is reordered: O(log n). An application whose shim has no credit is taken
// out of the leaf's heap and keeps its own.
//
// Thread: the engine's. Ids of asks and applications are the tables'.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "apps/ask_list.h"
#include "apps/ask_table.h"
#include "base/ids.h"
#include "queues/indexed_heap.h"

namespace bayplan {

// What the order of asks is made of; no two asks are equal.
struct PendingKey {
    std::int32_t priority = 0;
    std::uint64_t group_number = 0;
    std::uint64_t sequence = 0;

    bool comes_before(const PendingKey& other) const {
        if (priority != other.priority) {
            return priority > other.priority;
        }
        if (group_number != other.group_number) {
            return group_number < other.group_number;
        }
        return sequence < other.sequence;
    }
};

constexpr PendingKey key_of(const Ask& ask) { return {ask.priority, ask.group_number, ask.sequence}; }

class PendingHeap {
public:
    explicit PendingHeap(AskTable& asks);
    ~PendingHeap();

    void add_application(ApplicationId, bool has_credit);
    void remove_application(ApplicationId);  // must be empty
    void set_credit(ApplicationId, bool has_credit);

    void insert(AskId);  // by the ask's application, priority, group and sequence numbers
    void remove(AskId);

    std::size_t size() const { return size_; }
    // kNone if nothing can be selected.
    AskId top() const;

private:
    struct Element {
        PendingKey key;  // sequence = 0: the element as a whole
        std::uint32_t position = kNotInHeap;
        AskList<&Ask::in_list> asks;
    };
    struct ElementBefore {
        const std::vector<Element>* elements;
        bool operator()(std::uint32_t a, std::uint32_t b) const;
    };
    struct ElementPosition {
        std::vector<Element>* elements;
        std::uint32_t& operator()(std::uint32_t id) const { return (*elements)[id].position; }
    };
    using ElementHeap = IndexedHeap<std::uint32_t, ElementBefore, ElementPosition>;

    struct Application {
        std::unique_ptr<ElementHeap> elements;
        std::uint32_t position = kNotInHeap;
        bool has_credit = true;
    };
    struct ApplicationBefore {
        const PendingHeap* heap;
        bool operator()(ApplicationId a, ApplicationId b) const;
    };
    struct ApplicationPosition {
        PendingHeap* heap;
        std::uint32_t& operator()(ApplicationId id) const { return heap->applications_[raw(id)].position; }
    };
    using Leaf = IndexedHeap<ApplicationId, ApplicationBefore, ApplicationPosition>;

    std::uint32_t element_for(const Ask&);
    std::uint32_t add_element(const Ask&);
    void remove_element(std::uint32_t, const Ask&);
    void settle(ApplicationId);  // brings the application's place in the leaf up to date

    AskTable& asks_;
    std::vector<Element> elements_;
    std::vector<std::uint32_t> free_elements_;
    // Elements of named pod groups by (group number, priority); a plain pod's element is found through
    // the pod.
    boost::unordered_flat_map<std::pair<std::uint64_t, std::int32_t>, std::uint32_t> group_elements_;
    std::vector<Application> applications_;
    Leaf leaf_;
    std::size_t size_ = 0;
};

}  // namespace bayplan
