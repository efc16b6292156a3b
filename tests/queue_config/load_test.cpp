// A queues.yaml: what is sound and how it is normalised; each fault in its place; all of them at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "queue_file.h"

namespace bayplan::queue_config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(QueueFile, nothing_at_all_is_sound) {
    EXPECT_THAT(faults_of(""), IsEmpty());
    EXPECT_THAT(faults_of("# a comment\n"), IsEmpty());
    EXPECT_THAT(faults_of("partitions:\n"), IsEmpty());
}

TEST(QueueFile, root_is_inserted_above_anything_else) {
    const PartitionConfig alone = partition_of("partitions:\n- queues:\n  - {name: Wharf}\n");
    EXPECT_EQ(alone.name.text, "default");
    ASSERT_EQ(alone.queues->size(), 1U);
    EXPECT_EQ(alone.root().name.text, "root");
    EXPECT_EQ(alone.root().queues->front().name.text, "wharf");
    const PartitionConfig two = partition_of("partitions:\n- queues: [{name: root}, {name: quay}]\n");
    EXPECT_EQ(two.root().queues->size(), 2U);
    const PartitionConfig own = partition_of(with_queues("    - {name: a}\n"));
    EXPECT_EQ(own.root().queues->front().name.text, "a");
    EXPECT_TRUE(own.root().is_parent());
}

TEST(QueueFile, limits_of_a_partition_are_those_of_root) {
    const PartitionConfig partition =
        partition_of("partitions:\n- queues: [{name: root}]\n  limits: [{users: [ann], maxapplications: 3}]\n");
    ASSERT_EQ(partition.root().limits.size(), 1U);
    EXPECT_EQ(partition.root().limits[0].max_applications, 3U);
}

TEST(QueueFile, all_faults_at_once_in_order_of_place) {
    const std::string yaml =
        "partitions:\n"
        "- name: default\n"
        "  nodesortpolicy: {type: round}\n"
        "  queues:\n"
        "  - name: root\n"
        "    queues:\n"
        "    - name: a.b\n"
        "      submitacl: u g x\n"
        "      weight: 3\n"
        "    - name: c\n"
        "      resources:\n"
        "        guaranteed: {memory: 3G}\n"
        "        max: {memory: 2G, vcore: 1.5}\n"
        "  placementrules:\n"
        "  - {name: fixed, value: nowhere}\n";
    EXPECT_THAT(faults_of(yaml), ElementsAre(StartsWith("q.yaml:3:26: 'round' is no node sort policy"),
                                             StartsWith("q.yaml:7:13: 'a.b' of queue root is no name of a queue"),
                                             StartsWith("q.yaml:8:18: submitacl of queue root.a.b is 'u g x'"),
                                             StartsWith("q.yaml:9:7: unknown key 'weight' in queue root.a.b"),
                                             StartsWith("q.yaml:12:21: queue root.c guarantees {memory: 3000000000}"),
                                             StartsWith("q.yaml:13:34: vcore of 'max' of queue root.c is '1.5'"),
                                             HasSubstr("names queue root.nowhere, which does not exist")));
}

struct Case {
    const char* queues;
    const char* fault;
};

void expect_each(const std::vector<Case>& cases) {
    for (const Case& each : cases) EXPECT_THAT(faults_of(with_queues(each.queues)), ElementsAre(HasSubstr(each.fault)));
}

TEST(QueueFile, names_and_keys) {
    expect_each({
        {"    - {name: a}\n    - {name: A}\n", "q.yaml:7:14: queue root has two children named 'A'"},
        {"    - {name: '@recovery@'}\n", "q.yaml:6:14: the name @recovery@ is reserved"},
        {"    - {name: a, name: b}\n", "q.yaml:6:17: 'name' is given twice in a queue of root, first on line 6"},
        {"    - {name: a, Parent: true}\n", "unknown key 'Parent' in queue root.a; did you mean 'parent'?"},
        {"    - {name: a, parent: 'true'}\n", "q.yaml:6:25: 'parent' of queue root.a is 'true'; give true or false"},
        {"    - {name: a, maxapplications: 2.5}\n", "'maxapplications' of queue root.a is '2.5'"},
    });
}

TEST(QueueFile, resources_along_the_tree) {
    expect_each({
        {"    - name: p\n      resources: {max: {memory: 5}}\n      queues:\n      - name: m\n        queues:\n"
         "        - {name: c, resources: {max: {memory: 6}}}\n",
         "q.yaml:11:38: max {memory: 6} of queue root.p.m.c is more than {memory: 5}"},
        {"    - name: p\n      resources: {guaranteed: {vcore: 3}}\n      queues:\n"
         "      - {name: c, resources: {guaranteed: {vcore: 2}}}\n      - {name: d, resources: {guaranteed: {vcore: "
         "2}}}\n",
         "q.yaml:7:31: the children of queue root.p are guaranteed {vcore: 4000m} together, more than its own {vcore: "
         "3000m}"},
        {"    - name: p\n      parent: true\n      childtemplate: {resources: {max: {memory: -1}}}\n",
         "which is no quantity"},
        {"    - name: p\n      maxapplications: 4\n      queues:\n      - {name: c}\n",
         "queue root.p.c has no maxapplications, or 0, but its parent has 4"},
    });
    EXPECT_THAT(faults_of(with_queues("    - {name: leaf, childtemplate: {resources: {max: {memory: -1}}}}\n")),
                IsEmpty());
}

TEST(QueueFile, limits) {
    expect_each({
        {"    - {name: a, limits: [{users: ['*', ann], maxapplications: 1}]}\n",
         "user 'ann' of queue root.a comes behind"},
        {"    - {name: a, limits: [{groups: ['*'], maxapplications: 1}]}\n", "limits group '*' without a limit"},
        {"    - {name: a, limits: [{users: [ann]}]}\n", "limits nothing"},
        {"    - name: p\n      limits: [{users: [ann], maxresources: {memory: 5}}]\n      queues:\n"
         "      - {name: c, limits: [{users: [ann], maxresources: {memory: 6}}]}\n",
         "user ann has maxresources {memory: 6} in queue root.p.c, more than {memory: 5} for the same name"},
        {"    - name: p\n      limits: [{users: ['*'], maxapplications: 5}]\n      queues:\n"
         "      - {name: c, limits: [{users: [ann], maxresources: {memory: 6}}]}\n",
         "user ann has maxapplications 0 (none) in queue root.p.c, more than 5 for the wildcard"},
    });
    // The lowest bound of the path counts, past a queue that says nothing.
    EXPECT_THAT(faults_of(with_queues(
                    "    - name: p\n      limits: [{users: [ann], maxresources: {memory: 5}}]\n      queues:\n"
                    "      - name: m\n        queues:\n"
                    "        - {name: c, limits: [{users: [ann], maxresources: {memory: 6}}]}\n")),
                ElementsAre(HasSubstr("queue root.p.m.c")));
}

TEST(QueueFile, aliases_are_expanded_and_bounded) {
    const PartitionConfig partition = partition_of(
        with_queues("    - {name: a, resources: &r {max: {memory: 7}}}\n    - {name: b, resources: *r}\n"));
    EXPECT_EQ(partition.root().queues->at(1).resources.max.or_none().at("memory"), 7);
    std::string many = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int level = 1; level < 9; ++level) {
        const std::string below = "*a" + std::to_string(level - 1);
        many += "a" + std::to_string(level) + ": &a" + std::to_string(level) + " [" + below;
        for (int count = 1; count < 10; ++count) many += ", " + below;
        many += "]\n";
    }
    EXPECT_THAT(faults_of(many), Contains(HasSubstr("name more than can be read")));
    EXPECT_THAT(faults_of("partitions: &p [*p]\n"), ElementsAre(HasSubstr("inside of what it names")));
}

TEST(QueueFile, a_comma_has_something_before_it) {
    EXPECT_THAT(faults_of("partitions: [,]\n"),
                ElementsAre(HasSubstr("q.yaml:1:14: there is nothing before this comma")));
    EXPECT_THAT(faults_of(", x\n"), Contains(HasSubstr("q.yaml:1:1: there is nothing before this comma")));
    EXPECT_THAT(faults_of("\xEF\xBB\xBF# \xC3\xBC,\xC3\xBC,\xC3\xBC,\npartitions: [\n  , ]\n"),
                ElementsAre(HasSubstr("q.yaml:3:3: there is nothing")));
    // A null item is none; the letters before it take two bytes each, and a comma stands where bytes would be counted.
    EXPECT_THAT(faults_of("partitions: [~] # x\nchecksum: a,a,a,\xC3\xBC\n"), IsEmpty());
    EXPECT_THAT(faults_of("# \xC3\xBC\xC3\xBC\npartitions:\n-\n- \n#,,,,\n"), IsEmpty());
    EXPECT_THAT(faults_of("{checksum: , partitions: []}\n"), IsEmpty());
}

TEST(QueueFile, merge_keys_fill_in_what_is_not_there) {
    const PartitionConfig partition = partition_of(with_queues(
        "    - {name: a, properties: &p {x: '1', y: '2'}}\n    - {name: b, properties: {<<: *p, x: '3'}}\n"));
    EXPECT_THAT(partition.root().queues->at(1).properties, ElementsAre(std::pair("x", "3"), std::pair("y", "2")));
}

TEST(QueueFile, the_checksum_is_of_the_text_without_checksums) {
    // Of the empty text; and of "partitions: []\n" followed by a newline, by sha256sum.
    EXPECT_EQ(checksum_of(""), "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855");
    EXPECT_EQ(checksum_of("partitions: []\nchecksum: 12\n"), checksum_of("partitions: []\n\n"));
    EXPECT_NE(checksum_of("partitions: []\n"), checksum_of("partitions: [ ]\n"));
}

}  // namespace
}  // namespace bayplan::queue_config
