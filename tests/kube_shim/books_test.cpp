// The books: which changes are stated, as what, in which order; and that an engine takes them so.
#include "kube_shim/books.h"

#include <gmock/gmock.h>

#include "kube_shim/embedded.h"
#include "world.h"

namespace bayplan::kube_shim {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string node_text(const std::string& name, const std::string& more = {}) {
    return R"({"kind":"Node","metadata":{"name":")" + name + R"("},"status":{"allocatable":{"cpu":"2","pods":"10"}})" +
           more + "}";
}

struct PodText {
    std::string name = "a";
    std::string uid = "u1";
    std::string node = {};
    std::string scheduler = "default-scheduler";
    std::string cpu = "1";
    std::string metadata = {};
    std::string status = {};

    std::string text() const {
        return R"({"kind":"Pod","metadata":{"name":")" + name + R"(","namespace":"ns","uid":")" + uid + "\"" +
               metadata + R"(},"spec":{"schedulerName":")" + scheduler + R"(","nodeName":")" + node +
               R"(","containers":[{"name":"c","resources":{"requests":{"cpu":")" + cpu + R"("}}}]},"status":{)" +
               status + "}}";
    }
};

// The messages as short lines.
class Told {
public:
    explicit Told(Books& books) : books_(books) {}

    bool take(const StateBody& body) {
        if (room == 0) {
            return false;
        }
        --room;
        if (const auto* const nodes = std::get_if<NodesMessage>(&body)) {
            for (const NodeItem& item : nodes->nodes) {
                static constexpr const char* kActions[] = {"",        "create",      "update", "drain", "decommission",
                                                           "undrain", "create_drain"};
                line(std::string(kActions[static_cast<int>(item.action)]) + " " + text(item.node));
            }
        } else if (const auto* const asks = std::get_if<AsksMessage>(&body)) {
            for (const AskItem& item : asks->asks) {
                line("pod " + std::string(item.key) + (item.node == 0 ? "" : " on " + text(item.node)) +
                     (item.foreign ? " foreign" : "") + (item.terminating ? " terminating" : ""));
            }
        } else if (const auto* const releases = std::get_if<ReleasesMessage>(&body)) {
            for (const ReleaseItem& item : releases->releases) {
                line("release " + std::string(item.key));
            }
        } else if (const auto* const nacks = std::get_if<NacksMessage>(&body)) {
            for (const NackItem& item : nacks->nacks) {
                line("nack " + std::string(item.key) + ": " + std::string(item.reason));
            }
        } else if (const auto* const objects = std::get_if<ObjectsMessage>(&body)) {
            for (const ObjectItem& item : objects->objects) {
                line(item.removed ? "object gone" : "object");
            }
        } else if (const auto* const applications = std::get_if<ApplicationsMessage>(&body)) {
            for (const ApplicationItem& item : applications->add) {
                std::string tags;
                for (const Attribute& tag : item.tags) {
                    tags += " " + text(tag.key) + "=" + text(tag.value);
                }
                line("application " + text(item.application) + tags);
            }
        }
        return true;
    }
    std::vector<std::string> lines() { return std::exchange(lines_, {}); }

    std::size_t room = 1'000'000;  // messages

private:
    std::string text(Text id) const { return std::string(books_.text(id)); }
    void line(std::string text) { lines_.push_back(std::move(text)); }

    Books& books_;
    std::vector<std::string> lines_;
};

class BooksTest : public testing::Test {
protected:
    void with(const std::string& text, const std::function<void(const kube::ReadObject&)>& call) {
        std::string padded = text;
        padded.reserve(padded.size() + kube::kTextPadding);
        std::vector<kube::ObjectFault> faults;
        kube::read_objects(padded, "test", call, faults);
        EXPECT_TRUE(faults.empty()) << text << faults[0].to_string();
    }
    void put(const std::string& text) {
        with(text, [this](const kube::ReadObject& object) { books.put(object); });
    }
    void put(const PodText& pod) { put(pod.text()); }
    void remove(const std::string& text) {
        with(text, [this](const kube::ReadObject& object) { books.remove(object); });
    }
    std::vector<std::string> flush(bool settled = true) {
        books.flush([this](const StateBody& body) { return told.take(body); }, settled);
        return told.lines();
    }

    std::vector<std::string> faults;
    std::vector<std::string> gone;
    std::vector<std::string> lost;
    Books books{BooksOptions{}, [this](const std::string& what) { faults.push_back(what); },
                [this](const std::string& key, const std::string& uid) { gone.push_back(key + " " + uid); },
                [this](const std::string& key) { lost.push_back(key); }};
    Told told{books};
};

TEST_F(BooksTest, heartbeats_and_conditions_state_nothing) {
    put(node_text("n1"));
    put(PodText{});
    EXPECT_THAT(flush(), ElementsAre("create n1", "application ns", "pod ns/a"));
    put(node_text("n1", R"(,"extra":1)"));
    PodText again;
    again.status = R"("conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"m"}],)"
                   R"("nominatedNodeName":"n1")";
    put(again);
    EXPECT_THAT(flush(), IsEmpty());
    EXPECT_EQ(books.find("ns/a")->words().condition.message, "m");
    EXPECT_EQ(books.find("ns/a")->words().nominated_node, "n1");
}

// As the namespace says when the application comes, whichever of the two came first.
TEST_F(BooksTest, an_application_brings_the_quota_of_its_namespace) {
    Books of_queues{BooksOptions{.applications = true}, {}, {}, {}};
    Told of_those{of_queues};
    const auto application_of = [&](const std::string& app, const std::string& annotations) {
        const auto take = [&](const kube::ReadObject& object) { of_queues.put(object); };
        with(R"({"kind":"Pod","metadata":{"name":")" + app + R"(","namespace":"ns","uid":"u-)" + app +
                 R"(","labels":{"applicationId":")" + app + R"("}},"spec":{"containers":[{"name":"c"}]}})",
             take);
        with(R"({"kind":"Namespace","metadata":{"name":"ns","annotations":{)" + annotations + "}}}", take);
        of_queues.flush([&](const StateBody& body) { return of_those.take(body); }, true);
        return of_those.lines();
    };
    const std::string quota = R"("yunikorn.apache.org/namespace.max.cpu":"2")";
    const std::string tag = R"( namespace.resourcequota={"resources":{"vcore":{"value":2000}}})";
    EXPECT_THAT(application_of("one", quota), testing::Contains("application one namespace=ns" + tag));
    EXPECT_THAT(application_of("two", quota), testing::Contains("application two namespace=ns" + tag));
    EXPECT_THAT(application_of("three", ""), testing::Contains("application three namespace=ns"));
    application_of("four", quota);
    with(R"({"kind":"Namespace","metadata":{"name":"ns"}})",
         [&](const kube::ReadObject& one) { of_queues.remove(one); });
    std::size_t texts = 0;
    of_queues.converter().quotas().visit_texts([&](Text) { ++texts; });
    EXPECT_EQ(texts, 0u) << "nothing is kept of a namespace that has gone";
}

TEST_F(BooksTest, each_kind_of_change_of_a_node_is_stated) {
    put(node_text("n1", R"(,"spec":{"unschedulable":true})"));
    EXPECT_THAT(flush(), ElementsAre("create_drain n1"));
    put(node_text("n1"));
    EXPECT_THAT(flush(), ElementsAre("update n1", "undrain n1"));
    put(node_text("n1", R"(,"spec":{"taints":[{"key":"k","effect":"NoSchedule"}]})"));
    EXPECT_THAT(flush(), ElementsAre("update n1"));
    remove(node_text("n1"));
    EXPECT_THAT(flush(), ElementsAre("decommission n1"));
    put(node_text("n2"));
    remove(node_text("n2"));
    EXPECT_THAT(flush(), IsEmpty()) << "it came and went unseen";
}

TEST_F(BooksTest, pending_pods_of_others_are_nobodys_and_bound_ones_are_foreign) {
    PodText other{.scheduler = "theirs"};
    put(other);
    EXPECT_THAT(flush(), IsEmpty());
    other.node = "n1";
    put(other);
    EXPECT_THAT(flush(), ElementsAre("pod ns/a on n1 foreign"));
    remove(other.text());
    EXPECT_THAT(flush(), ElementsAre("release ns/a"));
}

TEST_F(BooksTest, a_pod_counts_where_it_is_being_bound) {
    put(PodText{});
    flush();
    books.assume("ns/a", "n1");
    put(PodText{.cpu = "1500m"});
    EXPECT_THAT(flush(), ElementsAre("pod ns/a on n1")) << "though nobody has stated that node";
    put(node_text("n1"));
    put(PodText{.metadata = R"(,"labels":{"x":"y"})"});
    EXPECT_THAT(flush(), ElementsAre("create n1", "pod ns/a on n1"));
    put(PodText{.node = "n1"});
    EXPECT_THAT(flush(), ElementsAre("pod ns/a on n1"));
    EXPECT_EQ(books.find("ns/a")->assumed_node, 0u);
}

TEST_F(BooksTest, a_pod_that_somebody_else_bound_elsewhere_is_taken_from_its_node_first) {
    put(PodText{});
    flush();
    books.assume("ns/a", "n1");
    put(PodText{.node = "n2"});
    EXPECT_THAT(flush(), ElementsAre("release ns/a", "pod ns/a on n2"));
}

TEST_F(BooksTest, a_pod_whose_decision_came_too_late_is_taken_back_before_it_is_stated_again) {
    put(PodText{});
    flush();
    put(PodText{.node = "n2"});
    EXPECT_THAT(flush(), ElementsAre("pod ns/a on n2")) << "which an engine that has it on n1 rejects";
    books.take_back("ns/a");
    EXPECT_THAT(flush(), ElementsAre("release ns/a", "pod ns/a on n2"));
    put(PodText{.node = "n2", .cpu = "2"});
    books.take_back("ns/a");
    EXPECT_THAT(flush(), ElementsAre("release ns/a", "pod ns/a on n2"));
}

TEST_F(BooksTest, a_nomination_to_a_node_that_goes_is_told) {
    put(node_text("n1"));
    put(PodText{});
    flush();
    books.find("ns/a")->nominated_node = books.converter().texts().id("n1");
    remove(node_text("n1"));
    flush();
    EXPECT_THAT(lost, ElementsAre("ns/a"));
    EXPECT_EQ(books.find("ns/a")->nominated_node, 0u);
}

TEST_F(BooksTest, a_pod_under_an_old_name_is_another_pod) {
    put(PodText{});
    flush();
    put(PodText{.uid = "u2"});
    EXPECT_THAT(gone, ElementsAre("ns/a u1"));
    EXPECT_THAT(flush(false), ElementsAre("release ns/a")) << "a decision on the old one may still be under way";
    EXPECT_THAT(flush(false), IsEmpty());
    EXPECT_THAT(flush(true), ElementsAre("pod ns/a"));
}

TEST_F(BooksTest, a_pending_pod_that_is_deleted_is_not_asked_for) {
    put(PodText{});
    flush();
    put(PodText{.metadata = R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")"});
    EXPECT_THAT(flush(), ElementsAre("release ns/a"));
    put(PodText{.name = "b", .metadata = R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")"});
    EXPECT_THAT(flush(), IsEmpty());
    put(PodText{.name = "c", .node = "n1", .metadata = R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")"});
    EXPECT_THAT(flush(), ElementsAre("pod ns/c on n1 terminating"));
}

TEST_F(BooksTest, a_victim_terminates_from_the_decision_on) {
    put(PodText{.node = "n1"});
    flush();
    books.set_preempted("ns/a", true);
    EXPECT_THAT(flush(), IsEmpty()) << "the partition knows";
    PodText marked{.node = "n1"};
    marked.status = R"("conditions":[{"type":"DisruptionTarget","status":"True","reason":"PreemptionByScheduler"}])";
    put(marked);
    EXPECT_THAT(flush(), ElementsAre("pod ns/a on n1 terminating"));
    books.set_preempted("ns/a", false);
    EXPECT_THAT(flush(), ElementsAre("pod ns/a on n1")) << "it could not be deleted";
}

TEST_F(BooksTest, an_object_that_a_new_list_does_not_name_is_gone) {
    const std::string service =
        R"({"kind":"Service","metadata":{"name":"s","namespace":"ns"},"spec":{"selector":{"a":"b"}}})";
    books.begin_list("Service");
    put(service);
    books.end_list("Service");
    books.begin_list("Pod");
    put(PodText{});
    put(PodText{.name = "b", .uid = "u2"});
    books.end_list("Pod");
    EXPECT_THAT(flush(), ElementsAre("object", "application ns", "pod ns/a", "pod ns/b"));
    books.begin_list("Pod");
    put(PodText{.name = "b", .uid = "u2"});
    books.end_list("Pod");
    books.begin_list("Service");
    books.end_list("Service");
    EXPECT_THAT(flush(), ElementsAre("release ns/a", "object gone"));
    put(service);
    put(service);
    EXPECT_THAT(flush(), ElementsAre("object"));
}

TEST_F(BooksTest, a_pod_that_cannot_be_read_any_more_is_not_placed_by_its_old_words) {
    put(PodText{});
    flush();
    put(PodText{.cpu = "much"});
    EXPECT_THAT(flush(), ElementsAre("release ns/a"));
    EXPECT_THAT(faults, Contains(HasSubstr("cpu")));
}

TEST_F(BooksTest, what_finds_no_room_is_stated_later_in_its_order) {
    put(node_text("n1"));
    put(PodText{});
    told.room = 2;
    EXPECT_THAT(flush(), ElementsAre("create n1", "application ns"));
    remove(node_text("n1"));
    EXPECT_THAT(flush(), IsEmpty());
    told.room = 100;
    EXPECT_THAT(flush(), ElementsAre("pod ns/a", "decommission n1"));
}

TEST_F(BooksTest, a_resync_states_everything_once_more_in_portions) {
    put(node_text("n1"));
    put(PodText{.name = "waits", .uid = "u2"});
    put(PodText{.name = "runs", .node = "n1"});
    flush();
    books.restate_all();
    const auto send = [this](const StateBody& body) { return told.take(body); };
    EXPECT_FALSE(books.state_books(send, [] { return true; }));
    remove(node_text("n1"));
    EXPECT_THAT(flush(), IsEmpty()) << "nothing but the books until they are stated";
    EXPECT_TRUE(books.state_books(send, [] { return false; }));
    EXPECT_THAT(told.lines(), ElementsAre("application ns", "pod ns/runs on n1", "pod ns/waits"));
}

// --- with an engine

class WithEngine : public BooksTest, public DecisionHandler {
protected:
    void on_allocated(const std::string& key, std::string_view node, std::string_view) override {
        books.assume(key, node);
        decisions.push_back(key + " on " + std::string(node));
    }
    void on_released(const std::string& key, Termination, std::string_view) override {
        decisions.push_back("released " + key);
        books.lost_node(key);
    }
    void on_waiting(const std::string& key, std::string_view text) override {
        decisions.push_back(key + " waits: " + std::string(text));
    }
    void on_nominated(const std::string& key, std::string_view node, std::string_view) override {
        decisions.push_back(key + " nominated " + std::string(node));
    }
    void on_claim_given_back(const std::string& claim, std::string_view text) override {
        decisions.push_back(claim + " given back " + std::string(text));
    }
    void on_rejected(DecisionKind, std::string_view name, std::string_view text) override {
        ADD_FAILURE() << name << ": " << text;
    }
    std::vector<std::string> run() {
        do {
            books.flush([this](const StateBody& body) { return engine.send(body); }, true);
        } while (engine.turn());
        std::vector<std::string> broken;
        engine.engine().audit(broken);
        EXPECT_THAT(broken, IsEmpty());
        return std::exchange(decisions, {});
    }
    void SetUp() override {
        engine.begin();
        engine.stated();
    }

    std::vector<std::string> decisions;
    EmbeddedPartition engine{
        embedded_options(kube_options()), books.converter(), {}, *this, [](const std::string& what) {
            ADD_FAILURE() << what;
        }};
};

TEST_F(WithEngine, nothing_is_decided_while_it_may_not_go_on) {
    put(node_text("n1"));
    put(PodText{});
    engine.may_go_on(false);
    EXPECT_THAT(run(), IsEmpty());
    engine.may_go_on(true);
    EXPECT_THAT(run(), ElementsAre("ns/a on n1"));
}

TEST_F(WithEngine, a_pod_that_could_not_be_bound_is_placed_again_elsewhere) {
    put(node_text("n1"));
    put(node_text("n2"));
    put(PodText{});
    EXPECT_THAT(run(), ElementsAre("ns/a on n1"));
    books.nack("ns/a", "no");
    std::vector<std::string> again = run();
    for (const Clock::time_point deadline = Clock::now() + std::chrono::seconds(30);
         again.empty() && Clock::now() < deadline;) {
        again = run();  // after its backoff
    }
    EXPECT_THAT(again, Contains("ns/a on n2")) << "the node that refused it is avoided";
}

TEST_F(WithEngine, a_pod_whose_node_goes_while_it_is_bound_is_asked_for_again) {
    put(node_text("n1"));
    put(PodText{});
    EXPECT_THAT(run(), ElementsAre("ns/a on n1"));
    remove(node_text("n1"));
    EXPECT_THAT(run(), ElementsAre("released ns/a", "ns/a waits: no nodes available to schedule pods"));
    put(node_text("n2"));
    EXPECT_THAT(run(), Contains("ns/a on n2"));
}

TEST_F(WithEngine, a_pod_on_a_node_that_went_counts_when_the_node_is_back) {
    put(node_text("n1"));
    put(PodText{.node = "n1", .cpu = "2"});
    run();
    remove(node_text("n1"));
    run();
    put(node_text("n1"));
    put(PodText{.name = "b", .uid = "u2"});
    EXPECT_THAT(run(), Contains(HasSubstr("ns/b waits: 0/1 nodes are available: 1 Insufficient cpu")));
    remove(PodText{}.text());
    EXPECT_THAT(run(), Contains("ns/b on n1"));
}

TEST_F(WithEngine, nothing_of_a_cluster_that_is_gone_stays) {
    for (int i = 0; i < 5; ++i) {
        put(node_text("n" + std::to_string(i)));
        put(PodText{.name = "p" + std::to_string(i), .uid = "u" + std::to_string(i)});
    }
    EXPECT_EQ(run().size(), 5u);
    for (const char* const kind : {"Pod", "Node"}) {
        books.begin_list(kind);
        books.end_list(kind);
    }
    run();
    const EngineCounters counters = engine.engine().counters();
    EXPECT_EQ(counters.nodes, 0u);
    EXPECT_EQ(counters.allocations + counters.pending + counters.unschedulable + counters.waiting_for_node, 0u);
}

}  // namespace
}  // namespace bayplan::kube_shim
