// Profiles of a KubeSchedulerConfiguration and feature gates: what they make of pods, and what is refused by name.
#include <gmock/gmock.h>

#include "kube_shim/feature_gates.h"
#include "scheduler_config/scheduler_config.h"
#include "small_cluster.h"

namespace bayplan::kube_shim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> faults_of(const std::string& config) {
    const std::string head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
    return scheduler_config::read_scheduler_config(head + config, "c", {}).faults;
}

const std::string kAffinity = R"(profiles:
- schedulerName: a
  pluginConfig:
  - name: NodeAffinity
    args:
      addedAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
          nodeSelectorTerms:
          - matchExpressions: [{key: of, operator: In, values: [a]}]
          - matchExpressions: [{key: of, operator: In, values: [all]}]
- schedulerName: b
)";

TEST(Profiles, a_profile_adds_its_affinity_to_its_own_pods_alone) {
    SmallCluster cluster(kAffinity);
    cluster.node("n1");
    cluster.node("n2", R"("of":"a","disk":"slow")");
    cluster.node("n3", R"("of":"all","disk":"fast")");
    cluster.pod("plain", R"("schedulerName":"b")");
    EXPECT_EQ(cluster.of("plain"), "n1");
    cluster.pod("added", R"("schedulerName":"a")", "2");
    EXPECT_EQ(cluster.of("added"), "n2");
    const std::string fast =
        R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[)"
        R"({"matchExpressions":[{"key":"none","operator":"Exists"}]},)"
        R"({"matchExpressions":[{"key":"disk","operator":"In","values":["fast"]}]}]}}})";
    cluster.pod("both", R"("schedulerName":"a",)" + fast);
    EXPECT_EQ(cluster.of("both"), "n3") << "one of its own terms and one of the profile's";
    cluster.remove(R"({"kind":"Node","metadata":{"name":"n3"}})");
    cluster.node("n4", R"("disk":"fast")");
    cluster.pod("neither", R"("schedulerName":"a",)" + fast);
    EXPECT_THAT(cluster.of("neither"), HasSubstr("didn't match Pod's node affinity/selector"));
}

TEST(Profiles, a_preference_that_a_profile_adds_counts_beside_the_pods_own) {
    SmallCluster cluster(R"(profiles:
- pluginConfig:
  - name: NodeAffinity
    args:
      addedAffinity:
        preferredDuringSchedulingIgnoredDuringExecution:
        - weight: 10
          preference: {matchExpressions: [{key: of, operator: Exists}]}
)");
    cluster.node("n1");
    cluster.node("n2", R"("of":"a")");
    cluster.pod("p");
    EXPECT_EQ(cluster.of("p"), "n2");
}

TEST(Profiles, pods_of_a_profile_without_preemption_never_preempt) {
    SmallCluster cluster(R"(profiles:
- schedulerName: mild
  plugins: {postFilter: {disabled: [{name: DefaultPreemption}]}}
- schedulerName: wild
)");
    cluster.node("n1");
    cluster.pod("low", R"("schedulerName":"mild","priority":1)", "2");
    EXPECT_EQ(cluster.of("low"), "n1");
    cluster.pod("high", R"("schedulerName":"mild","priority":5)", "2");
    cluster.run();
    EXPECT_EQ(cluster.of("low"), "n1");
    cluster.pod("higher", R"("schedulerName":"wild","priority":6)", "2");
    cluster.run();
    EXPECT_EQ(cluster.of("low"), "preempted");
}

TEST(Profiles, without_any_filter_every_pod_fits_everywhere) {
    SmallCluster cluster("profiles:\n- plugins: {multiPoint: {disabled: [{name: \"*\"}]}}\n");
    cluster.node("n1", {}, R"({"key":"k","effect":"NoSchedule"})");
    cluster.pod("large", R"("nodeSelector":{"no":"such"})", "100");
    EXPECT_EQ(cluster.of("large"), "n1");
}

TEST(Profiles, what_one_engine_has_once_may_not_differ) {
    EXPECT_THAT(faults_of("profiles:\n- schedulerName: a\n- schedulerName: b\n"
                          "  plugins: {score: {disabled: [{name: ImageLocality}]}}\n"),
                ElementsAre(HasSubstr("plugins.score: the profiles `a` and `b` differ in it")));
    EXPECT_THAT(faults_of("profiles:\n- schedulerName: a\n- schedulerName: b\n"
                          "  plugins: {filter: {disabled: [{name: NodePorts}]}}\n"),
                ElementsAre(HasSubstr("plugins.filter: the profiles `a` and `b` differ in it")));
    EXPECT_THAT(faults_of("profiles:\n- schedulerName: a\n- schedulerName: a\n"),
                ElementsAre(HasSubstr("there are two of the scheduler `a`")));
}

TEST(Profiles, what_cannot_be_met_is_refused_by_its_name) {
    const auto with = [](const std::string& plugin, const std::string& args) {
        return faults_of("profiles:\n- pluginConfig:\n  - name: " + plugin + "\n    args: " + args + "\n");
    };
    EXPECT_THAT(with("InterPodAffinity", "{hardPodAffinityWeight: 7}"),
                ElementsAre(HasSubstr("InterPodAffinity.hardPodAffinityWeight: is always 1")));
    EXPECT_THAT(with("PodTopologySpread", "{defaultingType: List}"),
                ElementsAre(HasSubstr("pluginConfig.PodTopologySpread")));
    EXPECT_THAT(with("VolumeBinding", "{bindTimeoutSeconds: -1}"), ElementsAre(HasSubstr("bindTimeoutSeconds")));
    EXPECT_THAT(with("NodeAffinity", "{addedAfinity: {}}"), ElementsAre(HasSubstr("did you mean `addedAffinity`?")));
    EXPECT_THAT(with("NodeAffinity",
                     "{addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                     "{nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Inn, values: [b]}]}]}}}"),
                ElementsAre(HasSubstr("'Inn' is no operator here")));
    EXPECT_THAT(faults_of("extenders: [{urlPrefix: \"http://x\", filterVerb: f}]\n"), IsEmpty());
    EXPECT_THAT(
        faults_of("extenders: [{urlPrefix: \"http://x\", prioritizeVerb: p, weight: 3, managedResources: [{name: r, "
                  "ignoredByScheduler: true}]}]\n"),
        IsEmpty());
    EXPECT_THAT(
        faults_of("extenders:\n"
                  "- {urlPrefix: x, filterVerb: f, prioritizeVerb: p, weight: 0, preemptVerb: q, httpTimeout: 5}\n"
                  "- {urlPrefix: \"http://y/\", enableHTTPS: true, bindVerb: b, nodeCacheCapeable: true}\n"
                  "- {urlPrefix: \"http://y\", bindVerb: b, tlsConfig: {serverName: z},\n"
                  "   managedResources: [{name: r, ignoredByScheduler: true}]}\n"),
        ElementsAre(HasSubstr("extenders.urlPrefix: must begin with http:// or https://"),
                    HasSubstr("extenders.weight: must be 1 to 1000000 where nodes get scores"),
                    HasSubstr("extenders.httpTimeout: must be a duration"),
                    HasSubstr("extenders.nodeCacheCapeable: is not known; did you mean `nodeCacheCapable`?"),
                    HasSubstr("extenders.enableHTTPS: its urlPrefix begins with http://"),
                    HasSubstr("extenders.tlsConfig.serverName: must be the name in urlPrefix"),
                    HasSubstr("extenders.bindVerb: one extender binds, not two"),
                    HasSubstr("extenders.urlPrefix: there are two of this")));
    EXPECT_THAT(faults_of(kAffinity), IsEmpty());
}

std::string strategy(const std::string& type, const std::string& resources) {
    return "profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args: {scoringStrategy: {type: " + type +
           ", resources: [" + resources + "]}}\n";
}

TEST(Profiles, kinds_of_resources_count_by_their_weights) {
    const auto node = [](const std::string& name, const std::string& amounts) {
        return R"({"kind":"Node","metadata":{"name":")" + name + R"("},"status":{"allocatable":{"pods":"10",)" +
               amounts + "}}}";
    };
    const std::string few = node("few", R"("cpu":"16","memory":"4Gi","example.com/gpu":"2")");
    const std::string many = node("many", R"("cpu":"4","memory":"16Gi","example.com/gpu":"8")");
    const std::string gpu = R"("containers":[{"name":"g","resources":{"requests":{"cpu":"1","example.com/gpu":"1"}}}])";
    const auto placed = [&](const std::string& resources, const std::string& type = "LeastAllocated") {
        SmallCluster cluster(strategy(type, resources));
        cluster.put(few);
        cluster.put(many);
        cluster.put(R"({"kind":"Pod","metadata":{"name":"p","namespace":"ns","uid":"u"},"spec":{)" + gpu + "}}");
        return cluster.of("p");
    };
    EXPECT_EQ(placed("{name: cpu, weight: 1}"), "few");
    EXPECT_EQ(placed("{name: cpu}, {name: example.com/gpu, weight: 20}"), "many");
    EXPECT_EQ(placed("{name: cpu}, {name: example.com/gpu, weight: 20}", "MostAllocated"), "few");
    EXPECT_EQ(placed("{name: cpu, weight: 20}, {name: example.com/gpu}"), "few");
}

TEST(Profiles, kinds_and_weights_that_cannot_be_scored_are_refused_by_their_names) {
    const auto faults = [](const std::string& resources) { return faults_of(strategy("LeastAllocated", resources)); };
    EXPECT_THAT(faults("{name: pods}"), ElementsAre(HasSubstr("resources: `pods` is no kind that is scored")));
    EXPECT_THAT(faults("{name: cpu, weight: 101}"), ElementsAre(HasSubstr("`cpu` has no weight of 1 to 100")));
    EXPECT_THAT(faults("{name: cpu, weight: -1}"), ElementsAre(HasSubstr("`cpu` has no weight of 1 to 100")));
    EXPECT_THAT(faults("{name: cpu}, {name: cpu}"), ElementsAre(HasSubstr("`cpu` is there twice")));
    EXPECT_THAT(faults("{name: cpu}, {name: memory}, {name: ephemeral-storage, weight: 3}, {name: hugepages-2Mi}"),
                IsEmpty());
    EXPECT_THAT(
        faults_of("profiles:\n- schedulerName: a\n- schedulerName: b\n  pluginConfig:\n  - name: NodeResourcesFit\n"
                  "    args: {scoringStrategy: {resources: [{name: cpu}]}}\n"),
        ElementsAre(HasSubstr("NodeResourcesFit.scoringStrategy: the profiles `a` and `b` differ in it")));
}

TEST(Profiles, a_daemon_is_left_alone_only_by_what_concerns_pods) {
    const auto leaves = [](const std::string& config) {
        const std::string head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
        return scheduler_config::read_scheduler_config(head + config, "c", {}).config->leaves_engine_alone();
    };
    EXPECT_TRUE(leaves(kAffinity));
    EXPECT_FALSE(leaves("podInitialBackoffSeconds: 2\n"));
    EXPECT_FALSE(leaves(strategy("LeastAllocated", "{name: cpu, weight: 2}, {name: memory}")));
    EXPECT_TRUE(leaves(strategy("LeastAllocated", "{name: memory, weight: 2}, {name: cpu, weight: 2}"))) << "alike";
    EXPECT_FALSE(leaves("profiles:\n- plugins: {score: {disabled: [{name: ImageLocality}]}}\n"));
    EXPECT_FALSE(leaves("profiles:\n- plugins: {postFilter: {disabled: [{name: DefaultPreemption}]}}\n"));
}

// --- feature gates

TEST(FeatureGates, unknown_ones_are_refused_by_name) {
    FeatureGates gates;
    std::vector<std::string> faults;
    EXPECT_TRUE(read_feature_gates("SchedulerAsyncPreemption=false,NodeInclusionPolicyInPodTopologySpread=false", gates,
                                   faults));
    EXPECT_FALSE(gates.spread_inclusion);
    EXPECT_FALSE(read_feature_gates("DRADeviceTaints=true,SchedulerAsyncPremption=true,GangScheduling", gates, faults));
    EXPECT_THAT(faults, ElementsAre(HasSubstr("`DRADeviceTaints`: is not known here"),
                                    HasSubstr("did you mean `SchedulerAsyncPreemption`?"),
                                    HasSubstr("`GangScheduling`: is NAME=true or NAME=false")));
    faults.clear();
    EXPECT_FALSE(read_feature_gates("GangScheduling=true", gates, faults));
    EXPECT_THAT(faults, ElementsAre(HasSubstr("needs GenericWorkload=true")));
}

const std::string kZones =
    R"("topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule",)"
    R"("labelSelector":{"matchExpressions":[{"key":"other","operator":"DoesNotExist"}]},"nodeTaintsPolicy":"Honor"}])";

TEST(FeatureGates, without_its_gate_a_policy_of_a_spread_constraint_means_nothing) {
    for (const bool on : {true, false}) {
        SmallCluster cluster({}, on ? "" : "NodeInclusionPolicyInPodTopologySpread=false");
        cluster.node("n1", R"("zone":"a")");
        cluster.node("n2", R"("zone":"b")", R"({"key":"k","effect":"NoSchedule"})");
        cluster.pod("p1", kZones);
        EXPECT_EQ(cluster.of("p1"), "n1");
        cluster.pod("p2", kZones);
        EXPECT_EQ(cluster.of("p2") == "n1", on) << "the tainted zone, empty, counts only where taints do not";
    }
}

std::string numeric(const std::string& op, const std::string& value) {
    return R"("tolerations":[{"key":"level","operator":")" + op + R"(","value":")" + value +
           R"(","effect":"NoSchedule"}])";
}
std::string level(const std::string& value) {
    return R"({"key":"level","value":")" + value + R"(","effect":"NoSchedule"})";
}

TEST(NumericTolerations, are_compared_with_the_taints_of_the_day) {
    SmallCluster cluster({}, "TaintTolerationComparisonOperators=true");
    cluster.node("n1", {}, level("100"));
    cluster.node("n2", {}, level("word"));
    cluster.pod("above", numeric("Gt", "99"));
    EXPECT_EQ(cluster.of("above"), "n1");
    cluster.pod("equal", numeric("Gt", "100"));
    EXPECT_THAT(cluster.of("equal"), HasSubstr("2 node(s) had untolerated taint(s)"));
    cluster.pod("below", numeric("Lt", "-5"));
    EXPECT_THAT(cluster.of("below"), HasSubstr("untolerated"));
    cluster.node("n3", {}, level("-6"));  // a value that nobody had before
    EXPECT_EQ(cluster.of("below"), "n3");
    cluster.node("n2", {}, level("101"));
    EXPECT_EQ(cluster.of("equal"), "n2");
}

TEST(NumericTolerations, tolerate_nothing_without_their_gate) {
    SmallCluster cluster;
    cluster.node("n1", {}, level("100"));
    cluster.pod("above", numeric("Gt", "99"));
    EXPECT_THAT(cluster.of("above"), HasSubstr("untolerated"));
}

TEST(NumericTolerations, numbers_are_spelled_in_one_way) {
    EXPECT_EQ(decimal_integer("0"), 0);
    EXPECT_EQ(decimal_integer("-17"), -17);
    EXPECT_EQ(decimal_integer("9223372036854775807"), INT64_MAX);
    for (const char* const text : {"", "-", "+1", "007", "-0", "1.5", " 1", "9223372036854775808", "1k"}) {
        EXPECT_EQ(decimal_integer(text), std::nullopt) << text;
    }
}

// --- Workloads

std::string member(const std::string& group) { return R"("workloadRef":{"name":"w","podGroup":")" + group + R"("})"; }
const std::string kWorkload =
    R"({"kind":"Workload","apiVersion":"scheduling.k8s.io/v1alpha1","metadata":{"name":"w","namespace":"ns"},)"
    R"("spec":{"podGroups":[{"name":"gang","policy":{"gang":{"minCount":2}}},{"name":"loose","policy":{"basic":{}}}]}})";

TEST(Workloads, a_gang_waits_for_its_workload_and_for_its_minimum) {
    SmallCluster cluster({}, "GenericWorkload=true,GangScheduling=true");
    cluster.node("n1");
    cluster.pod("p1", member("gang"));
    cluster.pod("p2", member("loose"));
    cluster.pod("p3", member("nameless"));
    EXPECT_THAT(cluster.run(), IsEmpty()) << "nobody is told of pods without their Workload";
    cluster.put(kWorkload);
    EXPECT_EQ(cluster.of("p2"), "n1");
    EXPECT_THAT(cluster.of("p1"), HasSubstr("quorum not reached: 1 of 2"));
    EXPECT_EQ(cluster.of("p3"), "");
    cluster.pod("p4", member("gang"));
    EXPECT_THAT(cluster.of("p1"), HasSubstr("minimum not reached"));
    cluster.node("n2");
    EXPECT_NE(cluster.of("p1"), "");
    EXPECT_THAT(cluster.of("p4"), testing::StartsWith("n"));
    EXPECT_THAT(cluster.of("p1"), testing::StartsWith("n"));
}

TEST(Workloads, mean_nothing_without_their_gates) {
    SmallCluster cluster;
    cluster.node("n1");
    cluster.pod("p1", member("gang"));
    EXPECT_EQ(cluster.of("p1"), "n1");
}

}  // namespace
}  // namespace bayplan::kube_shim
