// Extenders written for kube-scheduler, in another language and another process, behind a whole shim: pods get the nodes that
// they let them have, and binders bind. And what extenders may answer.
#include "kube_shim/extenders.h"

#include <cstdio>

#include <gmock/gmock.h>

#include "kube/document_reader.h"
#include "kube_shim/embedded.h"
#include "kube_shim/resources.h"
#include "kube_shim/shim.h"
#include "world.h"

namespace bayplan::kube_shim::extending {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// --- the program

class ExtenderProgram {
public:
    explicit ExtenderProgram(const std::string& api_server) {
        out_ = popen(("python3 " BAYPLAN_EXTENDER " " + api_server).c_str(), "r");
        char line[256] = {};
        if (out_ == nullptr || std::fgets(line, sizeof line, out_) == nullptr) {
            ADD_FAILURE() << "the extender does not start";
            return;
        }
        url_ = line;
        url_.pop_back();
    }
    ~ExtenderProgram() {
        stop();
        pclose(out_);
    }
    ExtenderProgram(const ExtenderProgram&) = delete;
    ExtenderProgram& operator=(const ExtenderProgram&) = delete;

    const std::string& url() const { return url_; }
    void stop() {
        ApiAccess access;
        access.server = url_;
        HttpClient http(access);
        bool ended = false;
        http.start({.method = "POST", .path = "/quit", .body = {}, .content_type = {}},
                   [&](HttpAnswer&&) { ended = true; });
        until([&] { http.turn(std::chrono::milliseconds(10)); }, [&] { return ended; });
    }

private:
    std::FILE* out_ = nullptr;
    std::string url_;
};

// --- a whole shim

std::string node_text(const std::string& name, const std::string& site) {
    return R"({"metadata":{"name":")" + name + R"(","labels":{"site":")" + site +
           R"("}},"status":{"allocatable":{"cpu":"4","pods":"9","example.com/port":"2"}}})";
}
std::string pod_text(const std::string& name, const std::string& annotations, const std::string& more = {}) {
    return R"({"metadata":{"name":")" + name + R"(","namespace":"ns","uid":"u-)" + name + R"(","annotations":{)" +
           annotations + R"(}},"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1")" + more +
           R"(}}}]}})";
}
std::string binding_of(const std::string& pod) { return "/api/v1/namespaces/ns/pods/" + pod + "/binding"; }

class ExtendedShim : public testing::Test {
protected:
    // `config`: of `extenders`, where URL stands for the program's address.
    void start(const std::vector<std::string>& pods, std::string config) {
        const std::vector<std::string> nodes = {node_text("n1", "north"), node_text("n2", "north"),
                                                node_text("n3", "south")};
        std::vector<Exchange> exchanges;
        for (const Resource& resource : watched_resources()) {
            const auto items = resource.kind == "Node"  ? nodes
                               : resource.kind == "Pod" ? pods
                                                        : std::vector<std::string>();
            exchanges.push_back(listed(std::string(resource.path), list_text(std::string(resource.kind), "1", items)));
            exchanges.push_back(watched(std::string(resource.path), ""));
        }
        server_ = std::make_unique<PlayedServer>(
            std::move(exchanges), [this](const CameIn& came) { return came.method == "GET" ? nullptr : &fine_; });
        program_ = std::make_unique<ExtenderProgram>(server_->url());
        for (std::size_t at = config.find("URL"); at != std::string::npos; at = config.find("URL")) {
            config.replace(at, 3, program_->url());
        }
        ShimOptions options;
        options.access = access_to(*server_);
        options.books.config = read(config);
        ASSERT_TRUE(options.books.config);
        std::string error;
        options.extenders = Extenders::open(options.books.config->extenders, error);
        ASSERT_NE(options.extenders, nullptr) << error;
        shim_ = std::make_unique<Shim>(
            options,
            [](Books& books, DecisionHandler& handler, std::string&) {
                return EmbeddedPartition::stated_by(books, kube_options(), handler,
                                                    [](const std::string& what) { ADD_FAILURE() << what; });
            },
            [](const std::string&) {});
    }
    static std::optional<scheduler_config::SchedulerConfig> read(const std::string& extenders) {
        auto read = scheduler_config::read_scheduler_config(
            "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nextenders:\n" + extenders,
            "config", {});
        EXPECT_THAT(read.faults, IsEmpty());
        return std::move(read.config);
    }
    bool until_there_is(const std::function<bool()>& holds) {
        return until([this] { shim_->turn(std::chrono::milliseconds(1)); }, holds);
    }
    bool until_bound(std::size_t pods) {
        return until_there_is([&] { return shim_->binder().counters().bound == pods; });
    }
    std::vector<std::string> bodies(const std::string& path) const {
        std::vector<std::string> made;
        for (const CameIn& came : server_->requests()) {
            if (came.path() == path) {
                made.push_back(came.body);
            }
        }
        return made;
    }
    // Of the condition of the pod that waits.
    std::string message(const std::string& pod) {
        const std::string path = "/api/v1/namespaces/ns/pods/" + pod + "/status";
        return until_there_is([&] { return !bodies(path).empty(); }) ? bodies(path).back() : "none";
    }

    const PlayedServer::Fault fine_{PlayedServer::Fault::Kind::answer, answer_bytes(200, "{}")};
    std::unique_ptr<PlayedServer> server_;
    std::unique_ptr<ExtenderProgram> program_;
    std::unique_ptr<Shim> shim_;
};

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
