#include "queues/pending_heap.h"

#include "base/check.h"

namespace bayplan {

bool PendingHeap::ElementBefore::operator()(std::uint32_t a, std::uint32_t b) const {
    return (*elements)[a].key.comes_before((*elements)[b].key);
}

bool PendingHeap::ApplicationBefore::operator()(ApplicationId a, ApplicationId b) const {
    const auto& applications = heap->applications_;
    const std::uint32_t first = applications[raw(a)].elements->top();
    const std::uint32_t second = applications[raw(b)].elements->top();
    return heap->elements_[first].key.comes_before(heap->elements_[second].key);
}

PendingHeap::PendingHeap(AskTable& asks) : asks_(asks), leaf_(ApplicationBefore{this}, ApplicationPosition{this}) {}

PendingHeap::~PendingHeap() = default;

void PendingHeap::add_application(ApplicationId id, bool has_credit) {
    if (raw(id) >= applications_.size()) {
        applications_.resize(raw(id) + 1);
    }
    Application& application = applications_[raw(id)];
    application.elements = std::make_unique<ElementHeap>(ElementBefore{&elements_}, ElementPosition{&elements_});
    application.has_credit = has_credit;
}

void PendingHeap::remove_application(ApplicationId id) {
    BP_CHECK(applications_[raw(id)].elements->empty());
    applications_[raw(id)] = {};
}

void PendingHeap::set_credit(ApplicationId id, bool has_credit) {
    applications_[raw(id)].has_credit = has_credit;
    settle(id);
}

void PendingHeap::settle(ApplicationId id) {
    Application& application = applications_[raw(id)];
    const bool wanted = application.has_credit && !application.elements->empty();
    if (wanted && application.position == kNotInHeap) {
        leaf_.insert(id);
    } else if (wanted) {
        leaf_.update(id);
    } else if (application.position != kNotInHeap) {
        leaf_.remove(id);
    }
}

std::uint32_t PendingHeap::add_element(const Ask& ask) {
    std::uint32_t id;
    if (free_elements_.empty()) {
        elements_.emplace_back();
        id = static_cast<std::uint32_t>(elements_.size() - 1);
    } else {
        id = free_elements_.back();
        free_elements_.pop_back();
    }
    elements_[id] = Element{};
    elements_[id].key = {ask.priority, ask.group_number, 0};
    applications_[raw(ask.application)].elements->insert(id);
    return id;
}

std::uint32_t PendingHeap::element_for(const Ask& ask) {
    if (ask.group == UINT32_MAX) {
        return add_element(ask);
    }
    const std::pair key{ask.group_number, ask.priority};
    if (const auto found = group_elements_.find(key); found != group_elements_.end()) {
        return found->second;
    }
    const std::uint32_t id = add_element(ask);
    group_elements_.emplace(key, id);
    return id;
}

void PendingHeap::remove_element(std::uint32_t id, const Ask& ask) {
    applications_[raw(ask.application)].elements->remove(id);
    free_elements_.push_back(id);
    if (ask.group != UINT32_MAX) {
        group_elements_.erase(std::pair{ask.group_number, ask.priority});
    }
}

void PendingHeap::insert(AskId id) {
    Ask& ask = asks_[id];
    ask.element = element_for(ask);
    AskList<&Ask::in_list>& members = elements_[ask.element].asks;
    // New asks have the highest sequence number: nearly always the search ends at once.
    AskId after = members.back();
    while (after != kNone<AskId> && asks_[after].sequence > ask.sequence) {
        after = asks_[after].in_list.previous;
    }
    members.insert_after(asks_, after, id);
    ++size_;
    settle(ask.application);
}

void PendingHeap::remove(AskId id) {
    Ask& ask = asks_[id];
    const std::uint32_t element = ask.element;
    BP_CHECK_OP(element, !=, UINT32_MAX);
    ask.element = UINT32_MAX;
    elements_[element].asks.remove(asks_, id);
    if (elements_[element].asks.empty()) {
        remove_element(element, ask);
    }
    --size_;
    settle(ask.application);
}

AskId PendingHeap::top() const {
    if (leaf_.empty()) {
        return kNone<AskId>;
    }
    const std::uint32_t element = applications_[raw(leaf_.top())].elements->top();
    return elements_[element].asks.front();
}

}  // namespace bayplan
