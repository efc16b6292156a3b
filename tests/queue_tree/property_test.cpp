// Random histories of a tree of queues against the naive one, after every step: who is next, and all sums.
#include <algorithm>
#include <cstdlib>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "naive_tree.h"
#include "queue_tree/queue_tree.h"

namespace bayplan::queue_tree {
namespace {

using queue_config::LimitConfig;
using queue_config::PartitionConfig;
using queue_config::QueueConfig;

const std::vector<std::string> kResources = {"memory", "vcore", "gpu"};
// With these an order has more than it keeps at hand, and the resources that differ most come last.
const std::vector<std::string> kMoreResources = {"c1", "c2", "c3", "c4"};

class History {
public:
    // Wide: a hundred queues, which the naive tree takes its time for.
    explicit History(std::uint32_t seed, bool wide = false) : random_(seed), wide_(wide) {
        if (seed % 4 == 0) resources_.insert(resources_.end(), kMoreResources.begin(), kMoreResources.end());
        naive_.resources = resources_;
        std::ranges::sort(naive_.resources);
        reload();
        change_capacity();
    }

    void run(int steps) {
        for (int step = 0; step < steps && !::testing::Test::HasFailure(); ++step) {
            const int what = below(20);
            if (what < 3) {
                add_application();
            } else if (what < 9) {
                add_ask();
            } else if (what < 14) {
                take();
            } else if (what < 16) {
                change_ask();
            } else if (what < 18) {
                move_ask();
            } else if (what == 18) {
                below(2) == 0 ? change_capacity() : remove_application();
            } else {
                reload();
            }
            // Sometimes several changes come between two looks.
            if (chance(70)) compare(step);
        }
    }

private:
    int below(int most) { return static_cast<int>(random_() % static_cast<unsigned>(most)); }
    bool chance(int percent) { return below(100) < percent; }

    Resources amounts(int most, int percent) {
        Resources resources;
        for (const std::string& name : resources_) {
            if (chance(percent)) resources[name] = below(most);
        }
        return resources;
    }

    queue_config::WrittenResources written(int most, int percent) {
        queue_config::WrittenResources resources;
        resources.amounts = amounts(most, percent);
        return resources;
    }

    LimitConfig limit() {
        LimitConfig limit;
        std::vector<queue_config::Text>& list = chance(50) ? limit.users : limit.groups;
        list.push_back({chance(30) ? "*" : fmt::format("{}{}", &list == &limit.users ? "u" : "g", below(3)), {}});
        limit.max_resources = written(12, 50);
        limit.max_applications = chance(40) ? static_cast<std::uint64_t>(1 + below(2)) : 0;
        return limit;
    }

    QueueConfig queue(const std::string& name, int level) {
        QueueConfig config;
        config.name.text = name;
        if (chance(40)) config.properties["application.sort.priority"] = "disabled";
        if (chance(50)) config.properties["application.sort.policy"] = "fair";
        if (chance(30)) config.properties["priority.offset"] = std::to_string(below(7) - 3);
        if (chance(20)) config.properties["priority.policy"] = "fence";
        if (level > 0) {
            config.resources.guaranteed = written(20, 40);
            config.resources.max = written(30, 30);
        }
        config.max_applications = chance(25) ? static_cast<std::uint64_t>(1 + below(3)) : 0;
        for (int count = below(3); count > 0; --count) config.limits.push_back(limit());
        // The wildcard last, as a file has it.
        std::ranges::stable_sort(config.limits, {}, [](const LimitConfig& of) {
            return (!of.users.empty() && of.users[0].text == "*") || (!of.groups.empty() && of.groups[0].text == "*");
        });
        if (level < 2) {
            config.queues.emplace();
            for (int at = 0; at < (wide_ ? 10 - level : 3); ++at) {
                if (level == 0 || wide_ || chance(80))
                    config.queues->push_back(queue(fmt::format("q{}", at), level + 1));
            }
            config.parent = true;
        }
        return config;
    }

    void reload() {
        PartitionConfig partition;
        partition.queues = {queue("root", 0)};
        std::string why;
        ASSERT_TRUE(tree_.reload(partition, why)) << why;
        for (auto& [path, known] : naive_.queues) in_file_[path] = false;
        keep(partition.root(), "root", "", {});
    }

    // Into the naive tree, with properties as they pass down; queues that are gone stay as they were.
    void keep(const QueueConfig& config, const std::string& path, const std::string& parent, const Properties& above) {
        NaiveTree::Queue& queue = naive_.queues[path];
        queue.config = config;
        queue.config.queues.reset();
        for (const auto& [name, value] : above) {
            if (name != "priority.offset" && name != "priority.policy") queue.config.properties.emplace(name, value);
        }
        queue.parent = parent;
        in_file_[path] = true;
        if (!config.queues) return;
        const Properties own = queue.config.properties;
        for (const QueueConfig& child : *config.queues) keep(child, path + "." + child.name.text, path, own);
    }

    void change_capacity() {
        naive_.total = {{"memory", 30 + below(40)}, {"vcore", 20 + below(40)}};
        if (chance(70)) naive_.total["gpu"] = below(20);
        Resources usable = naive_.total;
        for (auto& [name, value] : usable) value = std::max<std::int64_t>(0, value - below(10));
        naive_.usable.reset();
        if (chance(80)) naive_.usable = usable;
        tree_.set_capacity(naive_.usable, naive_.total);
    }

    void add_application() {
        std::vector<std::string> leaves;
        for (const auto& [path, queue] : naive_.queues) {
            if (in_file_[path] && tree_.queues()[tree_.queues().find(path)].leaf) leaves.push_back(path);
        }
        if (leaves.empty() || naive_.applications.size() > (wide_ ? 80U : 25U)) return;
        NaiveApplication application;
        application.leaf = leaves[static_cast<std::size_t>(below(static_cast<int>(leaves.size())))];
        application.user = fmt::format("u{}", below(3));
        application.groups = {fmt::format("g{}", below(3)), fmt::format("g{}", below(3))};
        ids_.push_back(
            tree_.add_application(tree_.queues().find(application.leaf), {application.user, application.groups}));
        naive_.applications.push_back(application);
    }

    int any_application() {
        std::vector<int> there;
        for (int at = 0; at < static_cast<int>(naive_.applications.size()); ++at) {
            if (naive_.applications[static_cast<std::size_t>(at)].exists) there.push_back(at);
        }
        return there.empty() ? -1 : there[static_cast<std::size_t>(below(static_cast<int>(there.size())))];
    }

    void add_ask() {
        const int application = any_application();
        if (application < 0 || naive_.asks.size() > 150) return;
        // Of few sizes, so that asks share runs, and of few times, so that they come out of order.
        Resources resources = {{"memory", 1 + below(3)}};
        if (chance(50)) resources["vcore"] = 1 + below(3);
        if (chance(10)) resources["gpu"] = 1;
        if (resources_.size() > kResources.size() && chance(10)) resources[kMoreResources[0]] = 1;
        NaiveAsk ask{application, resources, below(4), below(6)};
        NaiveApplication& owner = naive_.applications[static_cast<std::size_t>(application)];
        const AskId id{static_cast<std::uint32_t>(naive_.asks.size())};
        tree_.add_ask(id, ids_[static_cast<std::size_t>(application)], resources, ask.priority, ask.created);
        if (owner.ever_asked && tree_[ids_[static_cast<std::size_t>(application)]].state == ApplicationState::running) {
            owner.running = owner.running || was_completing_[application];
        }
        owner.ever_asked = true;
        was_completing_[application] = false;
        naive_.asks.push_back(ask);
        if (chance(10)) {
            tree_.restore(id);
            naive_.asks.back().charged = true;
            owner.running = true;
        } else if (chance(90)) {
            tree_.insert(id);
            naive_.asks.back().inside = true;
        }
    }

    void take() {
        const std::optional<std::size_t> expected = naive_.next();
        const AskId id = tree_.take();
        ASSERT_EQ(id, expected ? AskId{static_cast<std::uint32_t>(*expected)} : kNone<AskId>);
        if (!expected) return;
        NaiveAsk& ask = naive_.asks[*expected];
        ask.inside = false;
        ask.charged = ask.taken = true;
        naive_.applications[static_cast<std::size_t>(ask.application)].running = true;
        if (chance(40)) settle_taken(*expected);
    }

    void settle_taken(std::size_t at) {
        NaiveAsk& ask = naive_.asks[at];
        const AskId id{static_cast<std::uint32_t>(at)};
        ask.taken = false;
        if (chance(70)) {
            tree_.placed(id);
            return;
        }
        tree_.give_back(id);
        ask.charged = false;
        NaiveApplication& owner = naive_.applications[static_cast<std::size_t>(ask.application)];
        const bool holds = std::ranges::any_of(
            naive_.asks, [&](const NaiveAsk& other) { return other.taken && other.application == ask.application; });
        const bool accepted =
            tree_[ids_[static_cast<std::size_t>(ask.application)]].state == ApplicationState::accepted;
        if (accepted && !holds) owner.running = false;
    }

    // Ends, or another size.
    void change_ask() {
        for (int tries = 0; tries < 5 && !naive_.asks.empty(); ++tries) {
            const auto at = static_cast<std::size_t>(below(static_cast<int>(naive_.asks.size())));
            NaiveAsk& ask = naive_.asks[at];
            if (!ask.exists) continue;
            const AskId id{static_cast<std::uint32_t>(at)};
            if (ask.taken) return settle_taken(at);
            if (ask.inside) tree_.remove(id);
            ask.inside = false;
            if (chance(30)) {
                ask.resources["memory"] = 1 + below(4);
                tree_.resize(id, ask.resources);
                return;
            }
            tree_.release(id);
            ask.exists = false;
            const bool last = std::ranges::none_of(naive_.asks, [&](const NaiveAsk& other) {
                return other.exists && other.application == ask.application;
            });
            if (last) naive_.applications[static_cast<std::size_t>(ask.application)].running = false;
            if (last) was_completing_[ask.application] = true;
            return;
        }
    }

    void move_ask() {
        if (naive_.asks.empty()) return;
        const auto at = static_cast<std::size_t>(below(static_cast<int>(naive_.asks.size())));
        NaiveAsk& ask = naive_.asks[at];
        if (!ask.exists || ask.charged) return;
        ask.inside ? tree_.remove(AskId{static_cast<std::uint32_t>(at)})
                   : tree_.insert(AskId{static_cast<std::uint32_t>(at)});
        ask.inside = !ask.inside;
    }

    void remove_application() {
        const int application = any_application();
        if (application < 0) return;
        for (std::size_t at = 0; at < naive_.asks.size(); ++at) {
            NaiveAsk& ask = naive_.asks[at];
            if (!ask.exists || ask.application != application) continue;
            const AskId id{static_cast<std::uint32_t>(at)};
            if (ask.taken) tree_.placed(id);
            if (ask.inside) tree_.remove(id);
            tree_.release(id);
            ask.exists = ask.inside = ask.taken = false;
        }
        tree_.remove_application(ids_[static_cast<std::size_t>(application)]);
        naive_.applications[static_cast<std::size_t>(application)].exists = false;
    }

    void compare(int step) {
        const std::optional<std::size_t> expected = naive_.next();
        ASSERT_EQ(tree_.peek(), expected ? AskId{static_cast<std::uint32_t>(*expected)} : kNone<AskId>)
            << "step " << step;
        const QueueUsage& usage = tree_.usage();
        for (const auto& [path, queue] : naive_.queues) {
            const QueueId id = tree_.queues().find(path);
            ASSERT_EQ(usage.allocated(id), naive_.allocated(path)) << path << " step " << step;
            ASSERT_EQ(usage.pending(id), naive_.pending(path)) << path << " step " << step;
            ASSERT_EQ(usage.running(id), static_cast<std::uint32_t>(naive_.running(path))) << path << " step " << step;
            const std::int32_t priority = naive_.priority(path).value_or(kNothingPending);
            ASSERT_EQ(usage.published_priority(id), priority) << path << " step " << step;
        }
        if (expected) {
            ASSERT_EQ(tree_.lacking(tree_.peek()), "");
        }
    }

    std::mt19937 random_;
    std::vector<std::string> resources_ = kResources;
    const bool wide_;
    QueueTree tree_;
    NaiveTree naive_;
    std::vector<ApplicationId> ids_;
    std::map<std::string, bool> in_file_;
    std::map<int, bool> was_completing_;
};

int histories() {
    const char* const given = std::getenv("BAYPLAN_HISTORIES");
    return given == nullptr ? 60 : std::atoi(given);
}

TEST(QueueTreeProperty, is_the_naive_tree_after_every_step) {
    for (int seed = 1; seed <= histories() && !HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        History(static_cast<std::uint32_t>(seed)).run(250);
    }
}

TEST(QueueTreeProperty, of_a_hundred_queues_is_the_naive_tree_likewise) {
    for (int seed = 1; seed <= std::max(2, histories() / 30) && !HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        History(static_cast<std::uint32_t>(seed), true).run(120);
    }
}

}  // namespace
}  // namespace bayplan::queue_tree
