// Memory of objects that are gone: texts, specs and applications stay within a factor of what there is, however much comes and
// goes; and a number that is used anew means what it says.
#include <gmock/gmock.h>

#include "small_cluster.h"

namespace bayplan::kube_shim {
namespace {

using testing::HasSubstr;

std::string large_node(const std::string& name, const std::string& labels = {}) {
    return R"({"kind":"Node","metadata":{"name":")" + name + R"(","labels":{)" + labels +
           R"(}},"status":{"allocatable":{"cpu":"100000","memory":"4Ti","pods":"100000"}}})";
}

// A pod of which nearly every text is its own: namespace, labels, a claim, a selector.
std::string own_pod(const std::string& name, const std::string& more = {}) {
    return R"({"kind":"Pod","metadata":{"name":")" + name + R"(","namespace":"space-)" + name + R"(","uid":"u-)" +
           name + R"(","labels":{"key-)" + name + R"(":"value-)" + name +
           R"("}},"spec":{"nodeSelector":{"disk":"disk-)" + name + R"("},)" + more +
           R"("containers":[{"name":"c","resources":{"requests":{"cpu":"1m"}}}]}})";
}

constexpr int kRounds = 60;
constexpr int kPods = 300;

// In each round pods, nodes and namespaces of names that nobody had before come, and all of them go.
void churn(SmallCluster& cluster, int round) {
    std::vector<std::string> objects;
    for (int i = 0; i < kPods; ++i) {
        const std::string name = std::to_string(round) + "-" + std::to_string(i);
        objects.push_back(own_pod(name));
        if (i % 10 == 0) {
            objects.push_back(large_node("node-" + name, R"("disk":"disk-)" + name + "\""));
            objects.push_back(R"({"kind":"Namespace","metadata":{"name":"space-)" + name + R"(","labels":{"of-)" +
                              name + R"(":"v"}}})");
        }
    }
    for (const std::string& one : objects) {
        cluster.put(one);
    }
    cluster.run();
    for (const std::string& one : objects) {
        cluster.remove(one);
    }
    cluster.forget_unused();
}

struct Sizes {
    std::size_t texts = 0;
    std::size_t largest_text = 0;
    std::size_t specs = 0;
    std::size_t largest_spec = 0;
    std::size_t applications = 0;
};
Sizes sizes_of(SmallCluster& cluster) {
    const kube::ObjectConverter& tables = cluster.books().converter();
    return {tables.texts().in_use(), tables.texts().size(), tables.specs().in_use(), tables.specs().records().size(),
            cluster.books().applications()};
}

TEST(BooksMemory, does_not_grow_with_what_has_gone) {
    SmallCluster cluster;
    cluster.node("stays", R"("disk":"fast")");
    cluster.pod("waits", R"("nodeSelector":{"disk":"slow"})");
    Sizes most;
    for (int round = 0; round < kRounds; ++round) {
        churn(cluster, round);
        const Sizes now = sizes_of(cluster);
        most.texts = std::max(most.texts, now.texts);
        most.largest_text = std::max(most.largest_text, now.largest_text);
        most.specs = std::max(most.specs, now.specs);
        most.largest_spec = std::max(most.largest_spec, now.largest_spec);
        most.applications = std::max(most.applications, now.applications);
    }
    EXPECT_GT(kRounds * kPods * 4, 3 * 16'384) << "it must be enough that forgetting matters";
    EXPECT_LT(most.texts, 16'384u + 6 * kPods);
    EXPECT_LT(most.largest_text, 16'384u + 6 * kPods) << "numbers are used anew";
    EXPECT_LT(most.specs, 2'048u + 2 * kPods);
    EXPECT_LT(most.largest_spec, 2'048u + 2 * kPods);
    EXPECT_LT(most.applications, 2'048u + 2 * kPods);
    EXPECT_EQ(cluster.books().pods(), 1u);
    EXPECT_EQ(cluster.books().nodes(), 1u);
    std::vector<std::string> broken;
    cluster.engine().audit(broken);
    EXPECT_THAT(broken, testing::IsEmpty());
}

TEST(BooksMemory, what_stays_keeps_its_meaning_and_a_number_that_is_used_anew_has_its_new_one) {
    SmallCluster cluster;
    cluster.put(large_node("stays", R"("disk":"fast","zone":"a")"));
    const std::string other =
        R"("affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"zone",)"
        R"("labelSelector":{"matchExpressions":[{"key":"app","operator":"DoesNotExist"}]}}]}})";
    cluster.pod("first", other);
    EXPECT_EQ(cluster.of("first"), "stays");
    cluster.pod("waits", R"("nodeSelector":{"disk":"slow"})");
    EXPECT_THAT(cluster.of("waits"), HasSubstr("didn't match Pod's node affinity/selector"));
    for (int round = 0; round < 20; ++round) {
        churn(cluster, round);
    }
    cluster.pod("alike", other);
    EXPECT_THAT(cluster.of("alike"), HasSubstr("anti-affinity")) << "of the pod that stayed";
    cluster.put(large_node("fresh", R"("disk":"slow")"));
    EXPECT_EQ(cluster.of("waits"), "fresh");
    cluster.put(large_node("new", R"("disk":"disk-new")"));
    cluster.put(own_pod("new"));
    cluster.put(own_pod("none"));
    const auto& now = cluster.run();
    EXPECT_EQ(now.at("space-new/new"), "new");
    EXPECT_THAT(now.at("space-none/none"), HasSubstr("didn't match Pod's node affinity/selector"));
}

TEST(BooksMemory, tolerations_by_numbers_keep_the_spec_that_they_were_stated_by) {
    SmallCluster cluster({}, "TaintTolerationComparisonOperators=true");
    const std::string taint = R"({"key":"level","value":"100","effect":"NoSchedule"})";
    cluster.node("n1", {}, taint);
    cluster.pod("above", R"("tolerations":[{"key":"level","operator":"Gt","value":"99","effect":"NoSchedule"}])");
    EXPECT_EQ(cluster.of("above"), "n1");
    for (int round = 0; round < 20; ++round) {
        churn(cluster, round);
    }
    cluster.node("n2", {}, R"({"key":"level","value":"101","effect":"NoSchedule"})");
    cluster.pod("more", R"("tolerations":[{"key":"level","operator":"Gt","value":"100","effect":"NoSchedule"}])");
    EXPECT_EQ(cluster.of("more"), "n2");
    EXPECT_EQ(cluster.of("above"), "n1");
}

TEST(BooksMemory, nothing_is_forgotten_that_the_partition_has_no_room_to_hear_of) {
    SmallCluster cluster;
    std::vector<std::string> pods;
    for (int i = 0; i < 6'000; ++i) {
        pods.push_back(own_pod(std::to_string(i)));
        cluster.put(pods.back());
    }
    cluster.run();
    for (const std::string& one : pods) {
        cluster.remove(one);
    }
    cluster.run();
    const Sizes before = sizes_of(cluster);
    std::size_t asked = 0;
    cluster.books().forget_unused([&](const StateBody&) { return ++asked > 100; });
    EXPECT_EQ(asked, 1u);
    const Sizes refused = sizes_of(cluster);
    EXPECT_EQ(refused.texts, before.texts);
    EXPECT_EQ(refused.specs, before.specs);
    EXPECT_EQ(refused.applications, before.applications);
    cluster.forget_unused();
    EXPECT_EQ(sizes_of(cluster).applications, 0u);
    EXPECT_EQ(sizes_of(cluster).specs, 0u);
    EXPECT_LT(sizes_of(cluster).texts, 10u) << "of the program itself";
}

}  // namespace
}  // namespace bayplan::kube_shim
