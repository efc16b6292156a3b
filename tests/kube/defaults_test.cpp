// Fields that `--defaults` fills in, and that nothing is filled in without it.
#include "objects_in_text.h"

#include <gmock/gmock.h>

namespace bayplan::kube {
namespace {

using testing::DumpOf;
using ::testing::IsEmpty;
using testing::Sent;
using Amounts = std::map<std::string, std::int64_t>;

std::string pod(const std::string& spec, const std::string& metadata = "") {
    return R"({"kind":"Pod","metadata":{"name":"p","namespace":"ns")" + metadata + R"(},"spec":)" + spec + "}";
}

struct Both {
    explicit Both(const std::string& text)
        : plain_dump(text),
          full_dump(text, {.defaults = true, .schedulers = {}}),
          plain(plain_dump.sent()),
          full(full_dump.sent()) {
        EXPECT_THAT(plain_dump.faults(), IsEmpty());
        EXPECT_THAT(full_dump.faults(), IsEmpty());
    }
    DumpOf plain_dump;
    DumpOf full_dump;
    Sent plain;
    Sent full;
};

TEST(Defaults, LimitsBecomeRequestsWhereTheseAreMissing) {
    const Both made(pod(R"({"initContainers":[{"resources":{"limits":{"memory":"9"}}}],
        "containers":[{"resources":{"limits":{"cpu":"2","memory":"8"},"requests":{"cpu":"1"}}}]})"));
    EXPECT_EQ(made.plain.requests("ns/p"), (Amounts{{"cpu", 1'000}, {"pods", 1}}));
    EXPECT_EQ(made.full.requests("ns/p"), (Amounts{{"cpu", 1'000}, {"memory", 9}, {"pods", 1}}));
}

TEST(Defaults, PodLevelLimitsBecomeRequestsOfThePod) {
    const Both limits_only(pod(R"({"containers":[{}],"resources":{"limits":{"cpu":"2"}}})"));
    EXPECT_EQ(limits_only.plain.requests("ns/p"), (Amounts{{"pods", 1}}));
    EXPECT_EQ(limits_only.full.requests("ns/p"), (Amounts{{"cpu", 2'000}, {"pods", 1}}));
    // Requests of containers come first.
    const Both with_containers(pod(R"({"containers":[{"resources":{"requests":{"cpu":"300m"}}}],
        "resources":{"limits":{"cpu":"2"}}})"));
    EXPECT_EQ(with_containers.full.requests("ns/p"), (Amounts{{"cpu", 300}, {"pods", 1}}));
    EXPECT_EQ(with_containers.full.ask("ns/p").node_cpu, 300);
    // And what the pod requests itself before both.
    const Both given(pod(R"({"containers":[{"resources":{"requests":{"cpu":"300m"}}}],
        "resources":{"limits":{"cpu":"2"},"requests":{"cpu":"1"}}})"));
    EXPECT_EQ(given.full.requests("ns/p"), (Amounts{{"cpu", 1'000}, {"pods", 1}}));
}

TEST(Defaults, PortsOfTheHostsNetworkAreHostPorts) {
    const std::string containers = R"("containers":[{"ports":[{"containerPort":80},{"containerPort":81,
        "hostPort":82}]}]})";
    const Both host(pod(R"({"hostNetwork":true,)" + containers));
    EXPECT_EQ(host.plain.spec("ns/p").ports.size(), 1u);
    ASSERT_EQ(host.full.spec("ns/p").ports.size(), 2u);
    EXPECT_EQ(host.full.spec("ns/p").ports[0].port, 80);
    EXPECT_EQ(host.full.spec("ns/p").ports[1].port, 82);
    EXPECT_EQ(Both(pod("{" + containers)).full.spec("ns/p").ports.size(), 1u);
}

TEST(Defaults, LabelKeysJoinTheSelectors) {
    const std::string term = R"({"topologyKey":"z","labelSelector":{"matchLabels":{"app":"web"}},
        "matchLabelKeys":["hash","absent"],
        "mismatchLabelKeys":["tenant"]})";
    const std::string no_selector = R"({"topologyKey":"z","matchLabelKeys":["hash"]})";
    const Both made(pod(R"({"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[)" + term +
                            "," + no_selector +
                            R"(]},"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":
                            [{"weight":1,"podAffinityTerm":)" +
                            term + R"(}]}},"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"z",
        "whenUnsatisfiable":"DoNotSchedule",
        "labelSelector":{},"matchLabelKeys":["hash"]}]})",
                        R"(,"labels":{"hash":"h1","tenant":"t1"})"));
    const auto selector = [](const Sent& sent, const std::optional<LabelSelector>& one) {
        std::string text;
        for (const LabelRequirement& part : one.value().requirements) {
            text += sent.text(part.key) + (part.op == LabelOperator::in ? "=" : "!");
            text += sent.text(part.values.at(0)) + " ";
        }
        return text;
    };
    const PodSpec& plain = made.plain.spec("ns/p");
    const PodSpec& full = made.full.spec("ns/p");
    EXPECT_EQ(selector(made.plain, plain.affinity.at(0).selector), "app=web ");
    EXPECT_EQ(selector(made.full, full.affinity.at(0).selector), "app=web hash=h1 tenant!t1 ");
    EXPECT_FALSE(full.affinity.at(1).selector.has_value());
    EXPECT_EQ(selector(made.full, full.preferred_anti_affinity.at(0).term.selector), "app=web hash=h1 tenant!t1 ");
    EXPECT_EQ(selector(made.full, full.spread.at(0).selector), "hash=h1 ");
    EXPECT_EQ(selector(made.plain, plain.spread.at(0).selector), "");
    EXPECT_EQ(full.spread.at(0).match_label_keys.size(), 1u);
}

TEST(Defaults, NodesClassesNamespacesAndPools) {
    const Both made(R"({"kind":"List","items":[{"kind":"Node","metadata":{"name":"n"},
        "status":{"capacity":{"cpu":"2"}}},
        {"kind":"StorageClass","metadata":{"name":"s"}},{"kind":"Namespace","metadata":{"name":"a"}},)" +
                    pod(R"({"volumes":[{"rbd":{"image":"i"}}]})") + "]}");
    EXPECT_TRUE(made.plain.nodes.at(0).capacity.empty());
    EXPECT_EQ(made.full.amounts(made.full.nodes.at(0).capacity), (Amounts{{"cpu", 2'000}}));
    EXPECT_FALSE(made.plain.all<StorageClass>().at(0).has_binding_mode);
    EXPECT_TRUE(made.full.all<StorageClass>().at(0).has_binding_mode);
    EXPECT_TRUE(made.plain.all<Namespace>().at(0).labels.empty());
    EXPECT_EQ(made.full.text(made.full.all<Namespace>().at(0).labels.at(0).value), "a");
    EXPECT_EQ(made.plain.spec("ns/p").volumes.at(0).pool, 0u);
    EXPECT_EQ(made.full.text(made.full.spec("ns/p").volumes.at(0).pool), "rbd");
}

TEST(Defaults, ThePriorityOfTheDefaultClass) {
    const Both made(R"({"kind":"List","items":[{"kind":"PriorityClass","metadata":{"name":"x"},"value":5,
        "globalDefault":true,
        "preemptionPolicy":"Never"},)" +
                    pod("{}") + "]}");
    EXPECT_EQ(made.plain.ask("ns/p").priority, 0);
    EXPECT_EQ(made.full.ask("ns/p").priority, 5);
    EXPECT_TRUE(made.full.ask("ns/p").never_preempts);
}

TEST(Defaults, AStatedPriorityStays) {
    const Both made(R"({"kind":"List","items":[{"kind":"PriorityClass","metadata":{"name":"low"},"value":5,
        "globalDefault":true,"preemptionPolicy":"Never"},)" +
                    pod(R"({"priorityClassName":"high","priority":1000})") + "]}");
    EXPECT_EQ(made.full.ask("ns/p").priority, 1'000);
    EXPECT_FALSE(made.full.ask("ns/p").never_preempts);
}

TEST(Defaults, OfSeveralDefaultClassesTheLowestCounts) {
    const auto priority_class = [](const std::string& name, const std::string& value) {
        return R"({"kind":"PriorityClass","metadata":{"name":")" + name + R"("},"globalDefault":true,"value":)" +
               value + "},";
    };
    const Both made(R"({"kind":"List","items":[)" + priority_class("a", "7") + priority_class("b", "-5") +
                    priority_class("c", "6") + pod("{}") + "]}");
    EXPECT_EQ(made.full.ask("ns/p").priority, -5);
}

TEST(Defaults, BrokenFieldsAreFoundAllTheSame) {
    const DumpOf of(pod(R"({"containers":[{"resources":{"limits":{"cpu":"x"}},"ports":7}],"affinity":[]})"),
                    {.defaults = true, .schedulers = {}});
    EXPECT_THAT(of.faults(), ::testing::Not(IsEmpty()));
    EXPECT_TRUE(of.dump.pending().empty());
}

}  // namespace
}  // namespace bayplan::kube
