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

// --- scores

constexpr std::string_view kScores =
    "- {urlPrefix: URL/license, filterVerb: filter, prioritizeVerb: prioritize, weight: 1, nodeCacheCapable: true}\n"
    "- {urlPrefix: URL/site, prioritizeVerb: prioritize, weight: 4}\n";

TEST_F(ExtendedShim, a_pod_gets_the_node_with_the_best_sum_of_scores_times_weights) {
    const auto with = [&](const std::string& annotations) {
        start({pod_text("a", annotations)}, std::string(kScores));
        return until_bound(1) ? bodies(binding_of("a")) : std::vector<std::string>();
    };
    EXPECT_THAT(with(R"("licensed":"n1 n2 n3","likes":"n2=7 n3=5","favours":"n1=1")"),
                ElementsAre(HasSubstr(R"("name":"n2")")))
        << "7 are more than 1 times 4";
    EXPECT_THAT(with(R"("licensed":"n1 n2 n3","likes":"n2=7","favours":"n3=2")"),
                ElementsAre(HasSubstr(R"("name":"n3")")))
        << "2 times 4 are more than 7";
    EXPECT_THAT(with(R"("licensed":"n1 n2","likes":"n1=1","favours":"n3=10")"),
                ElementsAre(HasSubstr(R"("name":"n1")")))
        << "among nodes that it may have";
}

// A tenth of the range of an extender's scores is as much as a tenth of that of all scores of the partition.
TEST_F(ExtendedShim, scores_of_extenders_are_added_to_those_of_the_partition) {
    const auto with = [&](const std::string& likes) {
        start({running_text("r2", "n2", "3"), running_text("r3", "n3", "3"),
               pod_text("a", R"("licensed":"n1 n2 n3","likes":")" + likes + R"(")")},
              "- {urlPrefix: URL/license, prioritizeVerb: prioritize, weight: 1, nodeCacheCapable: true}\n");
        return until_bound(1) ? bodies(binding_of("a")) : std::vector<std::string>();
    };
    EXPECT_THAT(with("n3=1"), ElementsAre(HasSubstr(R"("name":"n1")"))) << "10 do not outweigh three cores of four";
    EXPECT_THAT(with("n3=100"), ElementsAre(HasSubstr(R"("name":"n3")")));
}

TEST_F(ExtendedShim, an_extender_that_cannot_score_has_no_say) {
    start({pod_text("a", R"("licensed":"n1 n2 n3","favours":"n2=1")")},
          "- {urlPrefix: URL/nothing, prioritizeVerb: prioritize, weight: 1}\n"
          "- {urlPrefix: URL/site, prioritizeVerb: prioritize, weight: 1}\n");
    ASSERT_TRUE(until_bound(1));
    EXPECT_THAT(bodies(binding_of("a")), ElementsAre(HasSubstr(R"("name":"n2")")));
}

TEST_F(ExtendedShim, a_resource_that_an_extender_has_ignored_is_looked_for_nowhere_and_the_extender_binds) {
    const std::string absent = R"(,"example.com/absent":"3")";
    start({pod_text("a", "", absent)},
          "- {urlPrefix: URL/site, bindVerb: bind, managedResources: [{name: example.com/absent, ignoredByScheduler: "
          "true}]}\n");
    ASSERT_TRUE(until_bound(1));
    EXPECT_THAT(bodies(binding_of("a")), ElementsAre(HasSubstr(R"("target": {"kind")")))
        << "as the extender writes JSON";
    start({pod_text("a", "", absent)},
          "- {urlPrefix: URL/site, bindVerb: bind, managedResources: [{name: example.com/absent}]}\n");
    EXPECT_THAT(message("a"), HasSubstr("3 Insufficient example.com/absent"));
}

// --- preemption

constexpr std::string_view kPreempts =
    "- {urlPrefix: URL/license, filterVerb: filter, preemptVerb: preempt, nodeCacheCapable: true}\n";
const std::vector<std::string> kFull = {running_text("r1", "n1", "4"), running_text("r2", "n2", "4"),
                                        running_text("r3", "n3", "3"), running_text("r4", "n3", "1")};

std::vector<std::string> full_nodes_and(const std::string& pod) {
    std::vector<std::string> pods = kFull;
    pods.push_back(pod);
    return pods;
}

TEST_F(ExtendedShim, a_pod_preempts_on_the_first_node_on_which_its_extender_lets_pods_go) {
    start(full_nodes_and(high_text(R"("licensed":"n3")")), std::string(kPreempts));
    ASSERT_TRUE(until_there_is([&] { return !deleted().empty(); }));
    EXPECT_THAT(deleted(), ElementsAre("r4"));
}

TEST_F(ExtendedShim, other_pods_go_if_the_extender_names_them) {
    start(full_nodes_and(high_text(R"("licensed":"n3","beside":"u-r3")")), std::string(kPreempts));
    ASSERT_TRUE(until_there_is([&] { return deleted().size() == 2; }));
    EXPECT_THAT(deleted(), ElementsAre("r3", "r4"));
}

TEST_F(ExtendedShim, nobody_goes_where_no_extender_agrees_and_a_pod_that_was_not_offered_is_a_failure) {
    start(full_nodes_and(high_text(R"("licensed":"")")), std::string(kPreempts));
    EXPECT_THAT(message("high"), HasSubstr("node(s) were refused by a plugin"));
    EXPECT_THAT(deleted(), IsEmpty());
    start(full_nodes_and(high_text(R"("licensed":"n1","beside":"u-r3")")), std::string(kPreempts));
    EXPECT_THAT(message("high"), HasSubstr("it names pod u-r3 on node n1, which may not go"));
    EXPECT_THAT(deleted(), IsEmpty());
}

TEST_F(ExtendedShim, an_extender_that_wants_whole_pods_gets_them_and_one_without_a_word_is_not_asked) {
    start({running_text("r1", "n1", "4"), running_text("r2", "n2", "4", R"("spare":"yes")"),
           running_text("r3", "n3", "4"), high_text("")},
          "- {urlPrefix: URL/site, preemptVerb: preempt}\n");
    ASSERT_TRUE(until_there_is([&] { return !deleted().empty(); }));
    EXPECT_THAT(deleted(), ElementsAre("r2"));
    start(full_nodes_and(high_text(R"("licensed":"n1 n2 n3")")),
          "- {urlPrefix: URL/license, filterVerb: filter, nodeCacheCapable: true}\n");
    ASSERT_TRUE(until_there_is([&] { return !deleted().empty(); }));
    EXPECT_EQ(deleted().size(), 1u) << "as kube-scheduler has it";
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

std::string scores_told(const std::string& body, std::int64_t weight = 2) {
    const std::vector<std::string> nodes = {"n1", "n2"};
    std::vector<std::int64_t> totals = {100, 0};
    scheduler_config::Extender extender;
    extender.weight = weight;
    const std::string fault = add_scores(answered(body), extender, nodes, totals);
    return fault.empty() ? std::to_string(totals[0]) + " " + std::to_string(totals[1]) : fault;
}

TEST(Scores, are_read_as_kube_scheduler_reads_them) {
    EXPECT_EQ(scores_told(R"([{"Host":"n2","Score":3},{"Host":"n1","Score":1}])"), "120 60");
    EXPECT_EQ(scores_told(R"([{"host":"n2","score":3},{"Host":"n9","Score":7},{"Host":"n1"},{}])"), "100 60");
    EXPECT_EQ(scores_told(R"([{"Host":"n1","Score":-4}])"), "20 0");
    EXPECT_EQ(scores_told("[]"), "100 0");
    EXPECT_EQ(scores_told(R"([{"Host":"n2","Score":9223372036854775807}])", 1'000'000), "100 10000000000000000")
        << "a score beyond all reason is cut";
    for (const char* const nonsense : {"", "{}", "null", "nonsense", R"([{"Host":)"}) {
        EXPECT_EQ(scores_told(nonsense), "its answer is no JSON list") << nonsense;
    }
    EXPECT_EQ(scores_told(R"([{"Host":"n1","Score":"7"}])"), "it has a score that is no whole number");
    EXPECT_EQ(scores_told(R"([{"Host":"n1","Score":1.5}])"), "it has a score that is no whole number");
}

ExtenderVictims offered() {
    return {.node = "n1", .offered = {{"u1", R"({"a":1})"}, {"u2", R"({"b":2})"}}, .go = {0}, .violations = 3};
}

std::string victims_told(const std::string& body) {
    ExtenderVictims victims = offered();
    bool refused = false;
    const std::string fault = read_preempt_answer(answered(body), victims, refused);
    if (!fault.empty() || refused) {
        return fault.empty() ? "no" : fault;
    }
    std::string text = std::to_string(victims.violations) + ":";
    for (const std::uint32_t at : victims.go) {
        text += " " + victims.offered[at].uid;
    }
    return text;
}

TEST(PreemptAnswers, are_read_as_kube_scheduler_reads_them) {
    EXPECT_EQ(
        victims_told(R"({"NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"u2"},{"UID":"u1"}],"NumPDBViolations":1}}})"),
        "1: u2 u1");
    EXPECT_EQ(victims_told(R"({"nodenametometavictims":{"n1":{"pods":[{"uid":"u2"},{"uid":"u2"}]}}})"), "0: u2");
    EXPECT_EQ(victims_told(R"({"NodeNameToMetaVictims":{}})"), "no");
    EXPECT_EQ(victims_told("{}"), "no");
}

TEST(PreemptAnswers, that_are_none_are_failures) {
    EXPECT_EQ(victims_told(R"({"NodeNameToMetaVictims":{"n2":{"Pods":[{"UID":"u2"}]}}})"),
              "it names node n2, which it was not asked about");
    EXPECT_EQ(victims_told(R"({"NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"u9"}]}}})"),
              "it names pod u9 on node n1, which may not go");
    EXPECT_EQ(victims_told(R"({"NodeNameToMetaVictims":{"n1":{"Pods":[]}}})"), "it names no pod on node n1");
    EXPECT_EQ(victims_told(R"({"NodeNameToMetaVictims":{"n1":null}})"), "it names no pod on node n1");
    EXPECT_EQ(victims_told(R"({"NodeNameToMetaVictims":[]})"), "NodeNameToMetaVictims is no object");
    EXPECT_EQ(victims_told(R"({"Error":"down"})"), "down");
    EXPECT_EQ(victims_told("nonsense"), "its answer is no JSON object");
}

TEST(PreemptRequests, have_victims_by_uid_or_whole) {
    scheduler_config::Extender extender;
    extender.preempt_verb = "preempt";
    EXPECT_EQ(
        preempt_request(extender, "{}", offered()).body,
        R"({"Pod":{},"NodeNameToMetaVictims":null,"NodeNameToVictims":{"n1":{"Pods":[{"a":1}],"NumPDBViolations":3}}})");
    extender.takes_names = true;
    EXPECT_EQ(
        preempt_request(extender, "{}", offered()).body,
        R"({"Pod":{},"NodeNameToVictims":null,"NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"u1"}],"NumPDBViolations":3}}})");
    EXPECT_EQ(preempt_request(extender, "{}", offered()).path, "/preempt");
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
