// Extenders written for kube-scheduler, in another language and another process, behind a whole shim: pods get the nodes that
// they let them have, and binders bind. And what extenders may answer.
#include "extended_shim.h"

namespace bayplan::kube_shim::extending {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kBoth =
    "- {urlPrefix: URL/license, filterVerb: filter, nodeCacheCapable: true}\n"
    "- {urlPrefix: URL/site/, filterVerb: filter, bindVerb: bind}\n";

TEST_F(ExtendedShim, a_pod_gets_a_node_that_all_filters_let_it_have_and_the_binder_binds_it) {
    start({pod_text("a", R"("licensed":"n2 n3","attested":"n1 n3","site":"south")")}, std::string(kBoth));
    ASSERT_TRUE(until_bound(1));
    ASSERT_EQ(bodies(binding_of("a")).size(), 1u);
    EXPECT_THAT(bodies(binding_of("a"))[0], HasSubstr(R"("target": {"kind": "Node", "name": "n3"})"))
        << "as the extender writes JSON";
}

TEST_F(ExtendedShim, pods_without_a_node_say_which_extender_refused_how_many_and_why) {
    start({pod_text("a", R"("licensed":"n1 n3","attested":"n1 n3","site":"west")")}, std::string(kBoth));
    const std::string told = message("a");
    EXPECT_THAT(told, HasSubstr("0/3 nodes are available"));
    EXPECT_THAT(told, HasSubstr("1 no license left"));
    EXPECT_THAT(told, HasSubstr("2 of another site"));
    EXPECT_THAT(bodies(binding_of("a")), IsEmpty());
}

TEST_F(ExtendedShim, only_pods_with_a_managed_resource_are_asked_about) {
    start({pod_text("a", ""), pod_text("b", R"("licensed":"n2")", R"(,"example.com/port":"1")")},
          "- {urlPrefix: URL/license, filterVerb: filter, nodeCacheCapable: true, managedResources: [{name: "
          "example.com/port}]}\n");
    ASSERT_TRUE(until_bound(2));
    EXPECT_THAT(bodies(binding_of("a")), ElementsAre(HasSubstr(R"("apiVersion":"v1")"))) << "by the shim itself";
    EXPECT_THAT(bodies(binding_of("b")), ElementsAre(HasSubstr(R"("name":"n2")")));
}

TEST_F(ExtendedShim, a_pod_waits_while_its_extender_is_down_unless_that_may_be_ignored) {
    start({pod_text("a", R"("licensed":"n2")")},
          "- {urlPrefix: \"http://127.0.0.1:1/down\", filterVerb: filter, ignorable: true}\n"
          "- {urlPrefix: URL/nothing, filterVerb: filter, managedResources: [{name: none}]}\n"
          "- {urlPrefix: URL/license, filterVerb: filter, nodeCacheCapable: true}\n");
    ASSERT_TRUE(until_bound(1)) << "the first may be ignored";
    start({pod_text("a", R"("licensed":"n2")")}, "- {urlPrefix: URL/nothing, filterVerb: filter}\n");
    EXPECT_THAT(message("a"), HasSubstr("/nothing: status 404"));
    EXPECT_THAT(bodies(binding_of("a")), IsEmpty());
}

// --- answers

HttpAnswer answered(const std::string& body, int status = 200) {
    HttpAnswer answer;
    answer.status = status;
    answer.body = body;
    return answer;
}

std::string told(const std::string& body, bool takes_names = true) {
    const std::vector<std::string> nodes = {"n1", "n2"};
    std::vector<FilterVerdict> verdicts;
    std::string text = read_filter_answer(answered(body), nodes, takes_names, verdicts);
    if (!text.empty()) {
        return text;
    }
    for (const FilterVerdict& one : verdicts) {
        text += one.feasible ? "yes;" : (one.unresolvable ? "never " : "no ") + one.reason + ";";
    }
    return text;
}

TEST(FilterAnswers, are_read_as_kube_scheduler_reads_them) {
    EXPECT_EQ(told(R"({"NodeNames":["n2"],"FailedNodes":{"n1":"full"}})"), "no full;yes;");
    EXPECT_EQ(told(R"({"nodenames":["n2","n1"],"error":null})"), "yes;yes;") << "names in any case";
    EXPECT_EQ(told(R"({"NodeNames":[]})"), "no ;no ;") << "no reason is said";
    EXPECT_EQ(told(R"({"NodeNames":["n1"],"FailedAndUnresolvableNodes":{"n2":"other arch","n9":"x"}})"),
              "yes;never other arch;");
    EXPECT_EQ(told(R"({"NodeNames":["n1"],"FailedNodes":{"n2":"a"},"FailedAndUnresolvableNodes":{"n2":"b"}})"),
              "yes;never b;");
    EXPECT_EQ(told(R"({"NodeNames":["n1"]})", false), "no ;no ;") << "it gets whole nodes, and answers with them";
    EXPECT_EQ(told(R"({"Nodes":{"items":[{"metadata":{"name":"n1"}}]}})", false), "yes;no ;");
    EXPECT_EQ(told(R"({"Nodes":{"items":[{"metadata":{"name":"n1"}}]}})"), "yes;no ;") << "names are not there";
}

TEST(FilterAnswers, that_are_none_are_failures) {
    EXPECT_EQ(told(R"({"NodeNames":["n3"]})"), "it names node n3, which it was not asked about");
    EXPECT_EQ(told(R"({"NodeNames":["n1"],"Error":"no database"})"), "no database");
    for (const char* const nonsense : {"", "[]", "null", "nonsense", R"({"NodeNames":[)"}) {
        EXPECT_EQ(told(nonsense), "its answer is no JSON object") << nonsense;
    }
    EXPECT_EQ(told(R"({"NodeNames":{"n1":1}})"), "NodeNames is no list");
    EXPECT_EQ(told(R"({"NodeNames":[7]})"), "it names node , which it was not asked about");
    std::vector<FilterVerdict> verdicts;
    EXPECT_EQ(read_filter_answer(answered("{}", 500), {}, true, verdicts), "status 500");
}

TEST(BindAnswers, are_an_API_servers) {
    EXPECT_TRUE(read_bind_answer(answered(R"({"Error":""})")).ok());
    const HttpAnswer refused = read_bind_answer(answered(R"({"Error":"the switch has no port"})"));
    EXPECT_EQ(refused.status, 422);
    EXPECT_THAT(refused.body, HasSubstr("the switch has no port"));
    EXPECT_EQ(read_bind_answer(answered("", 503)).status, 503);
}

}  // namespace
}  // namespace bayplan::kube_shim::extending
