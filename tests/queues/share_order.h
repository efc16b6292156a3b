// A second implementation of the pending order, for tests: applications take turns by what is charged to them, as
// queues with fair shares do, so that every charge may change who is next. Slow and short.
//
//   the first:    of the applications with something selectable, the one with the least charge by its weight (ties: the
//                 lowest id); of its elements, the one whose key comes first
//
// It remembers what was taken since its version changed last, with the charges of then: an insert changes the version
// only if the new element would have been taken before one of those; any charge, refund or credit does.
//
// Thread: the test's.
#pragma once

#include <map>
#include <vector>

#include "apps/ask_table.h"
#include "queues/pending_order.h"

namespace bayplan::testing {

// The amount that an ask is charged, and an application's weight: made up, different enough that turns are uneven.
inline std::int64_t amount_of(const Ask& ask) { return 1 + static_cast<std::int64_t>(ask.sequence * 7 % 5); }
inline std::int64_t weight_of(ApplicationId id) { return 1 + raw(id) % 3; }

class ShareOrder final : public PendingOrder {
public:
    explicit ShareOrder(AskTable& asks) : asks_(asks) {}

    void add_application(ApplicationId id, ShimId shim) override { queues_[id].shim = shim; }
    void remove_application(ApplicationId id) override {
        BP_CHECK(queues_.at(id).elements.empty() && queues_.at(id).charged == 0);
        queues_.erase(id);
    }

    AskId peek() const override {
        const ApplicationId id = first();
        return id == kNone<ApplicationId> ? kNone<AskId> : queues_.at(id).elements.begin()->second.front();
    }
    using PendingOrder::selectable;
    bool selectable(Element asks) const override { return has_credit(asks_[asks.front()].shim); }
    bool before(AskId a, AskId b) const override {
        const ApplicationId of_a = asks_[a].application;
        const ApplicationId of_b = asks_[b].application;
        return of_a == of_b ? asks_.waiting(a).key.comes_before(asks_.waiting(b).key)
                            : turn_before(of_a, queues_.at(of_a).charged, of_b, queues_.at(of_b).charged);
    }

private:
    struct KeyBefore {
        bool operator()(const PendingKey& a, const PendingKey& b) const { return a.comes_before(b); }
    };
    struct Queue {
        ShimId shim = kNone<ShimId>;
        std::map<PendingKey, std::vector<AskId>, KeyBefore> elements;
        std::int64_t charged = 0;
    };
    struct Taken {
        ApplicationId application;
        std::int64_t charged;  // before it was taken
        PendingKey key;
    };

    static bool turn_before(ApplicationId a, std::int64_t charged_a, ApplicationId b, std::int64_t charged_b) {
        const std::int64_t left = charged_a * weight_of(b);
        const std::int64_t right = charged_b * weight_of(a);
        return left != right ? left < right : a < b;
    }

    ApplicationId first() const {
        ApplicationId best = kNone<ApplicationId>;
        for (const auto& [id, queue] : queues_) {
            if (!queue.elements.empty() && has_credit(queue.shim) &&
                (best == kNone<ApplicationId> || turn_before(id, queue.charged, best, queues_.at(best).charged))) {
                best = id;
            }
        }
        return best;
    }

    void put(Element element) override {
        const ApplicationId application = asks_[element.front()].application;
        const PendingKey key = asks_.waiting(element.front()).key;
        queues_.at(application).elements.emplace(key, std::vector<AskId>(element.begin(), element.end()));
        for (const AskId id : element) {
            key_of_[id] = key;
        }
        if (comes_before_what_was_taken(application, key)) {
            changed();
        }
    }

    bool comes_before_what_was_taken(ApplicationId application, const PendingKey& key) const {
        std::int64_t charged = queues_.at(application).charged;
        for (auto taken = taken_.rbegin(); taken != taken_.rend(); ++taken) {
            const bool own = taken->application == application;
            charged = own ? taken->charged : charged;
            if (own ? key.comes_before(taken->key)
                    : turn_before(application, charged, taken->application, taken->charged)) {
                return true;
            }
        }
        return false;
    }

    void take_out(AskId id) override {
        auto& elements = queues_.at(asks_[id].application).elements;
        const auto element = elements.find(key_of_.at(id));
        std::erase(element->second, id);
        if (element->second.empty()) {
            elements.erase(element);
        }
        key_of_.erase(id);
    }

    Element take_first() override {
        last_.clear();
        const ApplicationId id = first();
        if (id == kNone<ApplicationId>) {
            return last_;
        }
        Queue& queue = queues_.at(id);
        taken_.push_back({id, queue.charged, queue.elements.begin()->first});
        last_ = queue.elements.begin()->second;
        queue.elements.erase(queue.elements.begin());
        for (const AskId ask : last_) {
            key_of_.erase(ask);
            queue.charged += amount_of(asks_[ask]);
        }
        return last_;
    }

    void charge_changed(Element asks, int sign) override {
        for (const AskId id : asks) {
            queues_.at(asks_[id].application).charged += sign * amount_of(asks_[id]);
        }
        changed();
    }
    void credit_changed(ShimId) override { changed(); }

    void changed() {
        taken_.clear();
        order_changed();
    }

    AskTable& asks_;
    std::map<ApplicationId, Queue> queues_;
    std::map<AskId, PendingKey> key_of_;  // of its element, while inside
    std::vector<Taken> taken_;            // since the version changed last
    std::vector<AskId> last_;
};

}  // namespace bayplan::testing
