// A partition's KubeSchedulerConfiguration: what of it the engine gets, what is refused and where, and that a record has it.
#include <gmock/gmock.h>

#include "config/recorded_partition.h"
#include "config_file.h"
#include "daemon/node_order.h"
#include "daemon/scheduler_files.h"
#include "options/predicate_rows.h"

namespace bayplan::daemon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class SchedulerFiles : public testing::Test {
protected:
    // The partition's further lines, and what follows the head of the scheduler's file from its third line on.
    const config::PartitionConfig& read(const std::string& lines, const std::string& scheduler) {
        folder_.write("k.yaml",
                      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" + scheduler);
        config_ = {};
        config::Faults faults;
        const std::string yaml = "partitions:\n  - name: default\n    scheduler_config: k.yaml\n" + lines +
                                 "data_plane:\n  tls: {certificate: c.pem, key: k.pem, authority: ca.pem}\n";
        const bool sound =
            daemon::load_config(folder_.write("b.yaml", yaml), config::four_cpus_two_allowed(), config_, faults);
        EXPECT_EQ(sound, faults.empty());
        told.clear();
        for (const config::Fault& fault : faults) told.push_back(without_folder(fault.to_string()));
        remarks.clear();
        for (const std::string& remark : config_.remarks) remarks.push_back(without_folder(remark));
        return config_.partitions.front();
    }

    std::vector<std::string> told;  // faults
    std::vector<std::string> remarks;

private:
    std::string without_folder(std::string text) const {
        const std::string prefix = folder_.path().string() + "/";
        for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) {
            text.erase(at, prefix.size());
        }
        return text;
    }

    config::ConfigFolder folder_;
    config::Config config_;
};

const std::string kPacked = R"(podInitialBackoffSeconds: 3
podMaxBackoffSeconds: 30
percentageOfNodesToScore: 50
profiles:
- plugins:
    multiPoint: {disabled: [{name: NodePorts}]}
    score: {disabled: [{name: ImageLocality}], enabled: [{name: NodeAffinity, weight: 9}]}
    postFilter: {disabled: [{name: DefaultPreemption}]}
  pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated}}
)";

TEST_F(SchedulerFiles, what_a_profile_says_is_what_the_engine_has) {
    const EngineOptions& engine = read("", kPacked).engine;
    EXPECT_THAT(told, IsEmpty());
    EXPECT_EQ(engine.predicates.size(), kPredicates - 1);
    EXPECT_THAT(engine.predicates, Not(testing::Contains("NodePorts")));
    EXPECT_EQ(engine.weights[ScoreId::image_locality], 0);
    EXPECT_EQ(engine.weights[ScoreId::node_affinity], 9);
    EXPECT_EQ(engine.weights[ScoreId::taint_toleration], 3);
    EXPECT_EQ(engine.score, ScorePolicy::most_allocated);
    EXPECT_FALSE(engine.preemption.enabled);
    EXPECT_EQ(engine.backoff_initial_ns, 3'000'000'000);
    EXPECT_EQ(engine.backoff_max_ns, 30'000'000'000);
    EXPECT_THAT(remarks, ElementsAre("k.yaml:5: percentageOfNodesToScore: is not looked at: every node is looked at"));
}

TEST_F(SchedulerFiles, a_record_has_it_and_needs_no_file) {
    const config::PartitionConfig& partition = read("", kPacked);
    config::PartitionConfig again;
    config::Faults faults;
    ASSERT_TRUE(config::parse_recorded_text(config::recorded_text(partition), "record", again, faults));
    EXPECT_EQ(config::recorded_text(again), config::recorded_text(partition));
    EXPECT_EQ(again.engine.score, ScorePolicy::most_allocated);
    EXPECT_EQ(again.engine.weights[ScoreId::node_affinity], 9);
    EXPECT_FALSE(again.engine.preemption.enabled);
    EXPECT_EQ(again.scheduler_config, "");
}

TEST_F(SchedulerFiles, a_file_that_says_nothing_leaves_the_defaults) {
    const config::PartitionConfig& partition = read("", "profiles:\n- schedulerName: any\n");
    EXPECT_THAT(told, IsEmpty());
    EXPECT_EQ(config::recorded_text(partition), [] {
        config::PartitionConfig defaults;
        defaults.name = "default";
        return config::recorded_text(defaults);
    }());
}

TEST_F(SchedulerFiles, settings_beside_it_may_say_the_same_and_nothing_else) {
    read("    score: most_allocated\n    score_weights: {NodeAffinity: 9, DevicePacking: 4}\n    batch: 7\n", kPacked);
    EXPECT_THAT(told, IsEmpty());
    const EngineOptions& engine =
        read("    score_weights: {DevicePacking: 4}\n    batch: 7\n", "profiles:\n- schedulerName: any\n").engine;
    EXPECT_EQ(engine.weights[ScoreId::device_packing], 4) << "Kubernetes does not know it";
    EXPECT_EQ(engine.batch, 7u);
    read(
        "    score_weights: {NodeAffinity: 2}\n    predicates: NodeName\n    preemption: {enabled: yes}\n"
        "    backoff_initial: 2s\n",
        kPacked);
    EXPECT_THAT(told, ElementsAre("b.yaml:4:21: 'partitions[0].score_weights.NodeAffinity': k.yaml says otherwise; "
                                  "remove it, or scheduler_config",
                                  HasSubstr("b.yaml:5:5: 'partitions[0].predicates': k.yaml says otherwise"),
                                  HasSubstr("b.yaml:6:18: 'partitions[0].preemption.enabled': "),
                                  HasSubstr("b.yaml:7:5: 'partitions[0].backoff_initial': ")));
    read("    preemption: {enabled: no}\n", "profiles:\n- schedulerName: any\n");
    EXPECT_THAT(told, ElementsAre(HasSubstr("'partitions[0].preemption.enabled': k.yaml says otherwise")));
}

TEST_F(SchedulerFiles, one_profile_of_several_counts_by_its_name) {
    const std::string two =
        "profiles:\n- schedulerName: spread\n- schedulerName: packed\n  pluginConfig:\n  - name: NodeResourcesFit\n"
        "    args: {scoringStrategy: {type: MostAllocated}}\n";
    read("", two);
    EXPECT_THAT(told, ElementsAre("b.yaml:3:5: 'partitions[0].scheduler_config': k.yaml:5: "
                                  "pluginConfig.NodeResourcesFit.scoringStrategy: the profiles `spread` and `packed` "
                                  "differ in it, and one engine has one for all pods"));
    EXPECT_EQ(read("    scheduler_name: packed\n", two).engine.score, ScorePolicy::most_allocated);
    EXPECT_THAT(told, IsEmpty());
    EXPECT_EQ(read("    scheduler_name: spread\n", two).engine.score, ScorePolicy::least_allocated);
    read("    scheduler_name: paked\n", two);
    EXPECT_THAT(told,
                ElementsAre(HasSubstr("k.yaml:3: profiles: none is of the scheduler `paked`; did you mean `packed`?")));
}

TEST_F(SchedulerFiles, what_only_a_shim_can_honour_is_refused_with_its_line) {
    read("", R"(profiles:
- pluginConfig:
  - name: NodeAffinity
    args:
      addedAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
          nodeSelectorTerms:
          - matchExpressions: [{key: of, operator: Exists}]
)");
    EXPECT_THAT(told,
                ElementsAre(HasSubstr("k.yaml:7: pluginConfig.NodeAffinity.addedAffinity: a daemon does not know")));
    const std::string mild =
        "profiles:\n- schedulerName: a\n- schedulerName: b\n  plugins: {postFilter: {disabled: [{name: "
        "DefaultPreemption}]}}\n";
    read("", mild);
    EXPECT_THAT(told, ElementsAre(HasSubstr("k.yaml:5: plugins.postFilter: the profiles `a` and `b` differ")));
    EXPECT_FALSE(read("    scheduler_name: b\n", mild).engine.preemption.enabled);
}

TEST_F(SchedulerFiles, every_fault_is_told_with_file_and_line) {
    read("", R"(extenders:
- urlPrefix: http://x
profiles:
- plugins:
    filter:
      disabled:
      - name: NodeNames
    score: {enabled: [{name: NodeAffinity, weight: 101}]}
  pluginConfig:
  - name: InterPodAffinity
    args:
      hardPodAffinityWeight: 5
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: RequestedToCapacityRatio, requestedToCapacityRatio: {shape: [
       {utilization: 0, score: 0},
       {utilization: 100, score: 11}]}}}
)");
    EXPECT_THAT(told,
                ElementsAre(HasSubstr("k.yaml:3: extenders: shims ask them: leave them out here"),
                            HasSubstr("k.yaml:9: plugins.filter.disabled: there is no plugin `NodeNames` here; did "
                                      "you mean `NodeName`?"),
                            HasSubstr("k.yaml:10: plugins.score.enabled: NodeAffinity: a weight is 0 to 100"),
                            HasSubstr("k.yaml:14: pluginConfig.InterPodAffinity.hardPodAffinityWeight: is always 1"),
                            HasSubstr("k.yaml:18: pluginConfig.NodeResourcesFit")));
    read("", "profiles: [\n");
    EXPECT_THAT(told, ElementsAre(HasSubstr("k.yaml:")));
    read("", "---\nkind: Pod\n");
    EXPECT_THAT(told, ElementsAre(HasSubstr("one KubeSchedulerConfiguration is wanted")));
}

TEST_F(SchedulerFiles, a_name_without_a_file_is_refused) {
    EXPECT_THAT(config::faults_of("partitions:\n  - name: a\n    scheduler_name: x\ndata_plane:\n"
                                  "  tls: {certificate: c.pem, key: k.pem, authority: ca.pem}\n"),
                ElementsAre("b.yaml:3:5: 'partitions[0].scheduler_name' is of no file; give scheduler_config too, or "
                            "remove it"));
}

// A value behind an alias is wrong where it is written; the alias itself is an item of its list.
TEST_F(SchedulerFiles, lines_are_those_of_names_and_items) {
    read("", "profiles:\n- &one\n  schedulerName: a\n  plugin: {}\n- *one\n");
    EXPECT_THAT(told, ElementsAre(HasSubstr("k.yaml:6: profiles[].plugin: is not known"),
                                  HasSubstr("k.yaml:6: profiles[].plugin: is not known"),
                                  HasSubstr("k.yaml:7: profiles: there are two of the scheduler `a`")));
}

class NodeOrders : public testing::Test {
protected:
    // The partition's further lines, and the node sort policy of its queues.
    EngineOptions read(const std::string& lines, const std::string& policy) {
        folder_.write("q.yaml",
                      "partitions: [{name: default, nodesortpolicy: " + policy + ", queues: [{name: root}]}]\n");
        config::Config config;
        config::Faults faults;
        const std::string yaml = "partitions:\n  - name: default\n    queues_file: q.yaml\n" + lines +
                                 "data_plane:\n  tls: {certificate: c.pem, key: k.pem, authority: ca.pem}\n";
        daemon::load_config(folder_.write("b.yaml", yaml), config::four_cpus_two_allowed(), config, faults);
        told.clear();
        for (const config::Fault& fault : faults) told.push_back(fault.to_string());
        partition = config.partitions.front();
        return partition.engine;
    }

    config::PartitionConfig partition;
    std::vector<std::string> told;

private:
    config::ConfigFolder folder_;
};

TEST_F(NodeOrders, of_the_file_of_queues_are_the_engines) {
    const EngineOptions packed = read("", "{type: binpacking, resourceweights: {vcore: 2, memory: 0.5}}");
    EXPECT_THAT(told, IsEmpty());
    EXPECT_EQ(packed.score, ScorePolicy::most_allocated);
    EXPECT_THAT(packed.score_resources, ElementsAre(ScoredResource{"memory", 1}, ScoredResource{"cpu", 4}));
    EXPECT_EQ(read("    score: most_allocated\n", "{}").score, ScorePolicy::most_allocated);
    EXPECT_THAT(told, IsEmpty());
}

TEST_F(NodeOrders, a_setting_that_says_otherwise_is_a_fault_at_its_place) {
    read("    score: least_allocated\n", "{type: binpacking}");
    ASSERT_EQ(told.size(), 1u);
    EXPECT_THAT(told.front(), HasSubstr("b.yaml:3:"));
    EXPECT_THAT(told.front(), HasSubstr("says otherwise than the partition's score"));
    read("", "{resourceweights: {vcore: 1, memory: 0.001}}");
    ASSERT_EQ(told.size(), 1u);
    EXPECT_THAT(told.front(), HasSubstr("whole numbers from 1 to 100"));
}

TEST_F(NodeOrders, another_one_while_the_daemon_runs_is_remarked) {
    read("", "{type: binpacking}");
    const auto text = [](const std::string& policy) {
        return "partitions: [{name: default, nodesortpolicy: {type: " + policy + "}, queues: [{name: root}]}]\n";
    };
    EXPECT_EQ(node_order_remark(text("binpacking"), partition), "");
    EXPECT_THAT(node_order_remark(text("fair"), partition), HasSubstr("once the daemon starts anew"));
    EXPECT_EQ(node_order_remark("partitions: [{name: default, queues: [{name: root}]}]\n", partition), "");
}

}  // namespace
}  // namespace bayplan::daemon
