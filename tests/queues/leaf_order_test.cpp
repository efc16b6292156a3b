// The order in which pending asks are tried, over applications, groups and credit.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "queues/leaf_order.h"

namespace bayplan {
namespace {

class LeafOrderTest : public ::testing::Test {
protected:
    AskId make(std::uint32_t application, std::int32_t priority, std::uint64_t group_number = 0) {
        const AskId id = asks_.add("ask", ++sequence_);
        asks_[id].application = static_cast<ApplicationId>(application);
        asks_[id].shim = static_cast<ShimId>(application);
        PendingKey& key = asks_.waiting(id).key;
        key.priority = priority;
        key.group_number = group_number == 0 ? sequence_ : group_number;
        return id;
    }

    std::vector<std::uint64_t> drain() {
        std::vector<std::uint64_t> order;
        while (order_.peek() != kNone<AskId>) {
            const AskId id = order_.peek();
            order.push_back(asks_[id].sequence);
            order_.remove(id);
        }
        return order;
    }

    AskTable asks_;
    LeafOrder order_{asks_};
    std::uint64_t sequence_ = 0;
};

TEST_F(LeafOrderTest, priority_first_then_arrival_across_applications) {
    order_.add_application(static_cast<ApplicationId>(0), static_cast<ShimId>(0));
    order_.add_application(static_cast<ApplicationId>(1), static_cast<ShimId>(1));
    for (const AskId id : {make(0, 1), make(1, 5), make(0, 5), make(1, 1), make(1, 9)}) {
        order_.insert(id);
    }
    EXPECT_EQ(drain(), (std::vector<std::uint64_t>{5, 2, 3, 1, 4}));
}

TEST_F(LeafOrderTest, members_of_a_group_come_back_to_back_at_the_place_of_the_first) {
    order_.add_application(static_cast<ApplicationId>(0), static_cast<ShimId>(0));
    std::vector<AskId> asks{make(0, 0, 1), make(0, 0), make(0, 0, 1), make(0, 0, 4), make(0, 0, 1)};
    std::shuffle(asks.begin(), asks.end(), std::mt19937(3));
    for (const AskId id : asks) {
        order_.insert(id);
    }
    EXPECT_EQ(drain(), (std::vector<std::uint64_t>{1, 3, 5, 2, 4}));
}

TEST_F(LeafOrderTest, an_application_without_credit_is_passed_over_and_keeps_its_place) {
    order_.add_application(static_cast<ApplicationId>(0), static_cast<ShimId>(0));
    order_.add_application(static_cast<ApplicationId>(1), static_cast<ShimId>(1));
    order_.set_credit(static_cast<ShimId>(1), false);
    for (const AskId id : {make(1, 9), make(0, 1), make(1, 1)}) {
        order_.insert(id);
    }
    EXPECT_EQ(asks_[order_.peek()].sequence, 2u);
    order_.set_credit(static_cast<ShimId>(1), true);
    EXPECT_EQ(drain(), (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST_F(LeafOrderTest, asks_that_come_back_in_any_order_are_tried_in_theirs) {
    order_.add_application(static_cast<ApplicationId>(0), static_cast<ShimId>(0));
    std::vector<AskId> asks;
    std::vector<std::uint64_t> sorted;
    for (std::uint64_t number = 1; number <= 200; ++number) {
        asks.push_back(make(0, 0));
        order_.insert(asks.back());
        sorted.push_back(number);
    }
    std::vector<AskId> taken(asks.begin(), asks.begin() + 100);
    for (const AskId id : taken) {
        ASSERT_EQ(order_.peek(), id);
        order_.remove(id);
    }
    std::shuffle(taken.begin(), taken.end(), std::mt19937(7));
    for (std::size_t at = 0; at < taken.size(); ++at) {
        order_.insert(taken[at]);
        order_.insert(make(0, 0));  // new ones in between
        sorted.push_back(201 + at);
    }
    EXPECT_EQ(drain(), sorted);
}

TEST_F(LeafOrderTest, agrees_with_sorting_over_random_histories) {
    std::mt19937_64 random(11);
    for (std::uint32_t application = 0; application < 5; ++application) {
        order_.add_application(static_cast<ApplicationId>(application), static_cast<ShimId>(application));
    }
    std::vector<AskId> inside;
    std::vector<AskId> outside;  // taken out, and to come back
    for (int step = 0; step < 20'000; ++step) {
        if (!outside.empty() && random() % 4 == 0) {
            const std::size_t at = random() % outside.size();
            inside.push_back(outside[at]);
            order_.insert(outside[at]);
            outside.erase(outside.begin() + static_cast<std::ptrdiff_t>(at));
        } else if (inside.empty() || random() % 5 < 3) {
            // Group numbers are unique to an application, as the engine gives them.
            const auto application = static_cast<std::uint32_t>(random() % 5);
            const std::uint64_t group = random() % 3 == 0 ? 1'000'000 + application * 4 + random() % 4 : 0;
            inside.push_back(make(application, static_cast<std::int32_t>(random() % 4), group));
            order_.insert(inside.back());
        } else {
            const std::size_t at = random() % inside.size();
            order_.remove(inside[at]);
            if (random() % 2 == 0) {
                outside.push_back(inside[at]);
            }
            inside.erase(inside.begin() + static_cast<std::ptrdiff_t>(at));
        }
        ASSERT_EQ(order_.size(), inside.size());
        if (step % 16 == 0 && !inside.empty()) {
            const AskId first = *std::min_element(inside.begin(), inside.end(), [&](AskId a, AskId b) {
                return asks_.waiting(a).key.comes_before(asks_.waiting(b).key);
            });
            ASSERT_EQ(order_.peek(), first);
        }
    }
}

}  // namespace
}  // namespace bayplan
