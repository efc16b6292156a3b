// What every pending order promises (queues/pending_order.h), tried on each implementation by random histories: elements
// whole, credit, counts, that refunds undo charges, and above all that the version tells when what was taken ahead is no
// longer what is next.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "apps/class_table.h"
#include "partition_of_orders.h"
#include "queues/leaf_order.h"
#include "queues/tree_order.h"
#include "share_order.h"

namespace bayplan {
namespace {

using testing::ShareOrder;
using Asks = std::vector<AskId>;

constexpr std::uint32_t kApplications = 6;
constexpr std::uint32_t kShims = 3;

// A tree of queues with room for all, and one whose maxima, limits and counts of applications are soon reached.
enum class Kind { leaf, share, tree, full_tree };

class OrderContract : public ::testing::TestWithParam<Kind> {
protected:
    OrderContract() {
        order_ = order_of(GetParam());
        for (std::uint32_t id = 0; id < kApplications; ++id) {
            add_application(id);
        }
    }

    std::unique_ptr<PendingOrder> order_of(Kind kind) {
        if (kind == Kind::leaf) {
            return std::make_unique<LeafOrder>(asks_);
        }
        if (kind == Kind::share) {
            return std::make_unique<ShareOrder>(asks_);
        }
        auto order = std::make_unique<TreeOrder>(asks_, classes_, resources_);
        std::string why;
        EXPECT_TRUE(order->reload(testing::partition_of_orders(kind == Kind::full_tree), why)) << why;
        order->set_total({1'000});
        tree_ = order.get();
        return order;
    }

    void add_application(std::uint32_t id) {
        if (tree_ != nullptr) {
            const auto leaf = tree_->queues().find(id % 2 == 0 ? "root.a.x" : id % 3 == 0 ? "root.a.y" : "root.b");
            tree_->place_application(static_cast<ApplicationId>(id), leaf, {id % 2 == 0 ? "ann" : "bob", {"all"}});
        }
        order_->add_application(static_cast<ApplicationId>(id), static_cast<ShimId>(id % kShims));
    }

    std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

    Asks make(std::uint32_t application, std::int32_t priority, std::size_t members = 1) {
        Asks element;
        const std::uint64_t group = sequence_ + 1;
        for (std::size_t at = 0; at < members; ++at) {
            const AskId id = asks_.add("ask", ++sequence_);
            asks_[id].application = static_cast<ApplicationId>(application);
            asks_[id].shim = static_cast<ShimId>(application % kShims);
            PendingKey& key = asks_.waiting(id).key;
            key.priority = priority;
            key.group_number = group;
            key.sequence = sequence_;
            AskClass spec;
            spec.requests = {{kCpu, 1 + static_cast<std::int64_t>(sequence_ % 3)}};
            asks_[id].ask_class = classes_.acquire(std::move(spec));
            element.push_back(id);
        }
        return element;
    }
    Asks make_any() {
        const std::size_t members = below(3) == 0 ? 2 + below(3) : 1;
        return make(static_cast<std::uint32_t>(below(kApplications)), static_cast<std::int32_t>(below(3)), members);
    }

    void insert(Asks element) {
        order_->insert(element);
        inside_.push_back(std::move(element));
    }
    Asks take() {
        const Element element = order_->take();
        Asks taken(element.begin(), element.end());
        std::erase_if(inside_, [&](const Asks& one) { return one == taken; });
        return taken;
    }
    std::vector<Asks> take_up_to(std::size_t count) {
        std::vector<Asks> taken;
        while (taken.size() < count) {
            Asks one = take();
            if (one.empty()) {
                break;
            }
            taken.push_back(std::move(one));
        }
        return taken;
    }
    void give_back(const std::vector<Asks>& taken) {
        for (auto element = taken.rbegin(); element != taken.rend(); ++element) {
            order_->refund(*element);
            insert(*element);
        }
    }

    // Moves a random element from one list to the end of another.
    bool move_any(std::vector<Asks>& from, std::vector<Asks>& to) {
        if (from.empty()) {
            return false;
        }
        const auto at = from.begin() + static_cast<std::ptrdiff_t>(below(from.size()));
        to.push_back(std::move(*at));
        from.erase(at);
        return true;
    }

    void change_something();
    bool inside(AskId id) const {
        return std::any_of(inside_.begin(), inside_.end(),
                           [&](const Asks& one) { return std::find(one.begin(), one.end(), id) != one.end(); });
    }
    static std::size_t count(const std::vector<Asks>& elements) {
        std::size_t asks = 0;
        for (const Asks& one : elements) {
            asks += one.size();
        }
        return asks;
    }
    void expect_counts(const std::vector<Asks>& taken) {
        ASSERT_EQ(order_->size(), count(inside_));
        ASSERT_EQ(order_->charged(), count(taken) + count(placed_));
    }

    AskTable asks_;
    TextTable texts_;
    ResourceTable resources_;
    NameTable<NameId> names_;
    SpecTable specs_{texts_};
    ClassTable classes_{resources_, names_, specs_};
    std::unique_ptr<PendingOrder> order_;
    TreeOrder* tree_ = nullptr;  // the same, if it is one
    std::mt19937_64 random_{17};
    std::uint64_t sequence_ = 0;
    std::vector<Asks> inside_;
    std::vector<Asks> outside_;
    std::vector<Asks> placed_;
    std::vector<Asks> gone_;
};

// Where not everything has room too.
class VersionContract : public OrderContract {};

// One thing that may happen while elements are taken ahead.
void OrderContract::change_something() {
    switch (below(tree_ == nullptr ? 9 : 11)) {
        case 0:
        case 1:
        case 2: insert(make_any()); break;
        case 3:
            if (move_any(outside_, inside_)) {
                order_->insert(inside_.back());
            }
            break;
        case 4:
            if (move_any(inside_, outside_)) {
                for (const AskId id : outside_.back()) {
                    order_->remove(id);
                }
            }
            break;
        case 5:
            if (move_any(placed_, outside_)) {
                order_->refund(outside_.back());
            }
            break;
        case 6:
            if (move_any(outside_, placed_)) {
                order_->charge(placed_.back());
                for (const AskId id : placed_.back()) {
                    order_->ask_placed(id);
                }
            }
            break;
        case 7:
            if (!inside_.empty()) {  // one member leaves, for good
                Asks& element = inside_[below(inside_.size())];
                order_->remove(element.back());
                order_->ask_leaves(element.back());
                element.pop_back();
                std::erase_if(inside_, [](const Asks& one) { return one.empty(); });
            }
            break;
        case 9:
            if (move_any(outside_, gone_)) {
                for (const AskId id : gone_.back()) {
                    order_->ask_leaves(id);
                }
            }
            break;
        case 10: tree_->set_total({static_cast<std::int64_t>(500 + below(3) * 500)}); break;
        default: {
            const auto shim = static_cast<ShimId>(below(kShims));
            order_->set_credit(shim, below(2) == 0);
        }
    }
}

TEST_P(VersionContract, the_version_tells_when_what_was_taken_ahead_is_no_longer_next) {
    std::vector<Asks> taken;
    std::uint64_t version = order_->version();
    std::size_t stayed = 0;
    std::size_t changed = 0;
    for (int step = 0; step < 20'000; ++step) {
        if (order_->version() == version) {
            // What is taken must be what would be taken now; to see it, all is given back once.
            give_back(taken);
            ASSERT_EQ(take_up_to(taken.size()), taken) << "at step " << step;
            ++stayed;
        } else {
            give_back(taken);
            taken.clear();
            ++changed;
        }
        for (Asks& one : take_up_to(8 - std::min<std::size_t>(8, taken.size()))) {
            taken.push_back(std::move(one));
        }
        version = order_->version();
        expect_counts(taken);
        if (!taken.empty() && below(2) == 0) {  // the first is tried
            if (below(4) == 0) {
                order_->refund(taken.front());
                outside_.push_back(taken.front());
            } else {
                for (const AskId id : taken.front()) {
                    order_->ask_placed(id);
                }
                placed_.push_back(taken.front());
            }
            taken.erase(taken.begin());
        } else {
            change_something();
        }
    }
    EXPECT_GT(stayed, 2'000u);
    EXPECT_GT(changed, 2'000u);
}

TEST_P(OrderContract, taking_changes_no_version) {
    for (int number = 0; number < 100; ++number) {
        insert(make_any());
    }
    const std::uint64_t version = order_->version();
    EXPECT_EQ(take_up_to(200).size(), 100u);
    EXPECT_EQ(order_->version(), version);
}

TEST_P(VersionContract, the_first_is_before_all_others_that_are_selectable) {
    for (int step = 0; step < 3'000; ++step) {
        change_something();
        const AskId first = order_->peek();
        if (first == kNone<AskId>) {
            continue;
        }
        ASSERT_TRUE(order_->selectable(first));
        const std::vector<Asks> all = inside_;
        const Asks taken = take();
        ASSERT_EQ(taken.front(), first);
        order_->refund(taken);
        for (const Asks& other : all) {
            if (other != taken && order_->selectable(other.front())) {
                ASSERT_TRUE(order_->before(first, other.front()));
                ASSERT_FALSE(order_->before(other.front(), first));
            }
        }
        insert(taken);
    }
}

TEST_P(VersionContract, before_is_a_strict_order) {
    for (int number = 0; number < 40; ++number) {
        insert(make_any());
        if (number % 4 == 0) {
            change_something();
        }
    }
    for (const Asks& a : inside_) {
        EXPECT_FALSE(order_->before(a.front(), a.front()));
        for (const Asks& b : inside_) {
            EXPECT_EQ(order_->before(a.front(), b.front()), a != b && !order_->before(b.front(), a.front()));
            for (const Asks& c : inside_) {
                const bool follows = order_->before(a.front(), b.front()) && order_->before(b.front(), c.front());
                EXPECT_TRUE(!follows || order_->before(a.front(), c.front()));
            }
        }
    }
}

TEST_P(OrderContract, elements_are_taken_whole_and_in_order_of_their_asks) {
    insert(make(0, 0, 4));
    insert(make(0, 0, 1));
    const Asks gang = inside_[0];
    EXPECT_EQ(order_->peek(), gang[0]);
    EXPECT_EQ(take(), gang);
    EXPECT_EQ(take().size(), 1u);
    EXPECT_TRUE(take().empty());
    EXPECT_EQ(order_->charged(), 5u);
}

TEST_P(OrderContract, an_element_keeps_its_place_when_its_first_ask_leaves_it) {
    const Asks gang = make(0, 0, 3);
    const Asks later = make(0, 0);
    const Asks last = make(0, 0);
    asks_.waiting(gang[1]).key.group_number = 100;
    for (const Asks& element : {last, gang, later}) {
        insert(element);
    }
    order_->remove(gang[0]);
    EXPECT_EQ(order_->peek(), gang[1]);
    EXPECT_EQ(take(), (Asks{gang[1], gang[2]}));
    EXPECT_EQ(take(), later);
    EXPECT_EQ(take(), last);
}

TEST_P(OrderContract, without_credit_an_element_stays_and_is_not_selectable) {
    const Asks first = make(0, 2, 2);
    const Asks second = make(1, 1);
    insert(first);
    insert(second);
    order_->set_credit(static_cast<ShimId>(0), false);
    EXPECT_FALSE(order_->selectable(first[0]));
    EXPECT_EQ(order_->size(), 3u);
    EXPECT_EQ(take(), second);
    EXPECT_EQ(order_->peek(), kNone<AskId>);
    EXPECT_TRUE(take().empty());
    order_->remove(first[1]);
    const std::uint64_t version = order_->version();
    order_->set_credit(static_cast<ShimId>(0), true);
    EXPECT_NE(order_->version(), version) << "what was taken is no longer first";
    EXPECT_EQ(take(), Asks{first[0]});
}

TEST_P(OrderContract, credit_that_goes_while_asks_are_taken_changes_the_version) {
    insert(make(0, 0));
    EXPECT_EQ(take().size(), 1u);
    const std::uint64_t version = order_->version();
    order_->set_credit(static_cast<ShimId>(1), true);
    EXPECT_EQ(order_->version(), version) << "it had credit before";
    order_->set_credit(static_cast<ShimId>(0), false);
    EXPECT_NE(order_->version(), version);
}

TEST_P(OrderContract, applications_come_and_go_and_their_shim_keeps_its_credit) {
    order_->set_credit(static_cast<ShimId>(0), false);
    order_->remove_application(static_cast<ApplicationId>(0));
    add_application(kApplications);
    insert(make(kApplications, 9));
    EXPECT_TRUE(take().empty());
    order_->set_credit(static_cast<ShimId>(0), true);
    EXPECT_EQ(take().size(), 1u);
}

std::string name_of(const ::testing::TestParamInfo<Kind>& param) {
    constexpr std::array kNames = {"leaf", "share", "tree", "full_tree"};
    return kNames[static_cast<std::size_t>(param.param)];
}

INSTANTIATE_TEST_SUITE_P(Orders, OrderContract, ::testing::Values(Kind::leaf, Kind::share, Kind::tree), name_of);
INSTANTIATE_TEST_SUITE_P(Orders, VersionContract,
                         ::testing::Values(Kind::leaf, Kind::share, Kind::tree, Kind::full_tree), name_of);

}  // namespace
}  // namespace bayplan
