// Objects one by one, and priority classes that come and go.
#include "kube/object_converter.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "kube/priority_classes.h"

namespace bayplan::kube {
namespace {

struct Converted {
    std::optional<NamedObject> made;
    std::vector<ObjectFault> faults;
};

Converted convert(ObjectConverter& converter, const std::string& text) {
    Converted result;
    std::string padded = text;
    padded.reserve(padded.size() + kTextPadding);
    read_objects(
        padded, "test",
        [&](const ReadObject& object) { result.made = converter.convert(object, "test", result.faults); },
        result.faults);
    return result;
}

const std::string kPod =
    R"({"kind":"Pod","metadata":{"name":"a","namespace":"ns"},"spec":{"priorityClassName":"high"}})";

TEST(ObjectConverter, VersionsOfOneObjectHaveOneName) {
    ObjectConverter converter(false);
    const Converted first = convert(converter, kPod);
    const Converted again =
        convert(converter,
                R"({"kind":"Pod","metadata":{"name":"a","namespace":"ns","annotations":{"bayplan.io/stuck":"true"}}})");
    ASSERT_TRUE(first.made && again.made);
    EXPECT_EQ(first.made->name, again.made->name);
    EXPECT_EQ(first.made->title, "Pod ns/a");
    const auto& pod = std::get<ConvertedPod>(first.made->object);
    EXPECT_EQ(pod.ask.spec, std::get<ConvertedPod>(again.made->object).ask.spec);
    EXPECT_EQ(converter.texts().text(pod.ask.application), "ns");
    EXPECT_FALSE(pod.stuck);
    EXPECT_TRUE(std::get<ConvertedPod>(again.made->object).stuck);
}

TEST(ObjectConverter, BrokenOnesAreNothingAndOtherKindsAreEmpty) {
    ObjectConverter converter(false);
    const Converted broken = convert(converter, R"({"kind":"Pod","metadata":{"name":"a,b"}})");
    EXPECT_FALSE(broken.made);
    EXPECT_EQ(broken.faults.size(), 1u);
    const Converted other = convert(converter, R"({"kind":"ConfigMap","metadata":{"name":"a"}})");
    ASSERT_TRUE(other.made);
    EXPECT_TRUE(std::holds_alternative<std::monostate>(other.made->object));
}

TEST(ObjectConverter, WhatARemovalSaysNamesTheSameObject) {
    ObjectConverter converter(false);
    const std::optional<ClusterObject> removed = named_object(converter.texts(), "PodDisruptionBudget", "ns", "b");
    const Converted given =
        convert(converter, R"({"kind":"PodDisruptionBudget","metadata":{"name":"b","namespace":"ns"}})");
    ASSERT_TRUE(removed && given.made);
    const auto& budget = std::get<PodBudget>(std::get<ClusterObject>(given.made->object));
    EXPECT_EQ(std::get<PodBudget>(*removed).name, budget.name);
    EXPECT_EQ(std::get<PodBudget>(*removed).name_space, budget.name_space);
    EXPECT_FALSE(named_object(converter.texts(), "ConfigMap", "ns", "b"));
}

// The tags of a pod's application, beside its namespace.
std::map<std::string, std::string> quota_tags(ObjectConverter& converter, const std::string& annotations) {
    const std::string name_space =
        R"({"kind":"Namespace","metadata":{"name":"ns","annotations":{)" + annotations + "}}}";
    EXPECT_TRUE(convert(converter, name_space).made);
    const Converted pod = convert(converter, kPod);
    const StatedApplication stated = converter.application_of(std::get<ConvertedPod>(pod.made->object));
    std::map<std::string, std::string> tags;
    for (const Attribute& tag : stated.item.tags) {
        tags[std::string(converter.texts().text(tag.key))] = converter.texts().text(tag.value);
    }
    EXPECT_EQ(tags["namespace"], "ns");
    tags.erase("namespace");
    return tags;
}

TEST(NamespaceQuotas, AreTagsOfApplicationsOfPodsThere) {
    ObjectConverter converter(false, {}, true);
    using Tags = std::map<std::string, std::string>;
    EXPECT_EQ(
        quota_tags(converter,
                   R"("yunikorn.apache.org/namespace.quota":"{\"cpu\":\"1500m\",\"memory\":\"1Ki\",\"x/y\":\"3\"}",)"
                   R"("yunikorn.apache.org/namespace.guaranteed":"{\"cpu\":\"1\"}",)"
                   R"("yunikorn.apache.org/namespace.maxApps":"7","yunikorn.apache.org/parentqueue":"root.teams",)"
                   R"("yunikorn.apache.org/namespace.max.cpu":"9")"),
        (Tags{{"namespace.resourcequota",
               R"({"resources":{"memory":{"value":1024},"vcore":{"value":1500},"x/y":{"value":3}}})"},
              {"namespace.resourceguaranteed", R"({"resources":{"vcore":{"value":1000}}})"},
              {"namespace.resourcemaxapps", "7"},
              {"namespace.parentqueue", "root.teams"}}));
    EXPECT_EQ(
        quota_tags(converter, R"("yunikorn.apache.org/namespace.max.cpu":"2",)"
                              R"("yunikorn.apache.org/namespace.max.memory":"1M")"),
        (Tags{{"namespace.resourcequota", R"({"resources":{"memory":{"value":1000000},"vcore":{"value":2000}}})"}}))
        << "the older annotations, where the newer one is not there";
    EXPECT_EQ(quota_tags(converter, ""), Tags()) << "what a namespace does not say any more";
}

TEST(NamespaceQuotas, ThatCannotBeReadAreNone) {
    ObjectConverter converter(false, {}, true);
    for (const char* const quota :
         {R"({\"cpu\":\"two\"})", R"({\"cpu\":\"1\",\"memory\":5})", R"([\"cpu\"])", R"({\"cpu\")", "2", "{}"}) {
        const std::string annotation =
            R"("yunikorn.apache.org/namespace.quota":")" + std::string(quota) +
            R"(","yunikorn.apache.org/namespace.max.cpu":"1","yunikorn.apache.org/namespace.maxApps":"3")";
        EXPECT_EQ(quota_tags(converter, annotation),
                  (std::map<std::string, std::string>{{"namespace.resourcemaxapps", "3"}}))
            << quota;
    }
}

TEST(PriorityClasses, ComeChangeAndGo) {
    ObjectConverter converter(false);
    const ConvertedPod pod = std::get<ConvertedPod>(convert(converter, kPod).made->object);
    PriorityClasses classes;
    ConvertedPod made = pod;
    EXPECT_FALSE(classes.resolve(made, false));
    EXPECT_EQ(made.ask.priority, 0);
    classes.put({"high", 10, false, false});
    classes.put({"high", 20, false, true});
    EXPECT_TRUE(classes.resolve(made, false));
    EXPECT_EQ(made.ask.priority, 20);
    EXPECT_TRUE(made.ask.never_preempts);
    classes.remove("high");
    made = pod;
    EXPECT_FALSE(classes.resolve(made, false));
}

}  // namespace
}  // namespace bayplan::kube
