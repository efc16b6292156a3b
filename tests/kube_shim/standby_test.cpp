// A shim that stands by: an engine in it has been told of everything before the lease is its own, and nothing is written till
// then; a daemon is not spoken to.
#include <gmock/gmock.h>

#include "kube_shim/embedded.h"
#include "kube_shim/resources.h"
#include "kube_shim/shim.h"
#include "world.h"

namespace bayplan::kube_shim {
namespace {

using testing::HasSubstr;

constexpr std::string_view kPods = "/api/v1/pods";
constexpr std::string_view kLease = "/leases/bayplan-kube";

std::string waiting_pod(const std::string& name) {
    return object_text("Pod", name, "7",
                       R"("spec":{"schedulerName":"default-scheduler","containers":[{"name":"c","resources":{)"
                       R"("requests":{"cpu":"1"}}}]})");
}

class StandbyTest : public testing::Test {
protected:
    void start(bool warm) {
        const std::string node =
            object_text("Node", "n1", "3", R"("status":{"allocatable":{"cpu":"4","memory":"1Gi","pods":"9"}})");
        std::vector<Exchange> exchanges;
        for (const Resource& resource : watched_resources()) {
            const auto items = resource.kind == "Node"  ? std::vector<std::string>{node}
                               : resource.kind == "Pod" ? std::vector<std::string>{waiting_pod("early")}
                                                        : std::vector<std::string>();
            exchanges.push_back(listed(std::string(resource.path), list_text(std::string(resource.kind), "9", items)));
            exchanges.push_back(watched(std::string(resource.path), ""));
        }
        server_ = std::make_unique<PlayedServer>(std::move(exchanges),
                                                 [this](const CameIn& came) { return answer_to(came); });
        ShimOptions options;
        options.access = access_to(*server_);
        options.lease = LeaseOptions{.identity = "me", .retry = std::chrono::milliseconds(5)};
        options.warm = warm;
        shim_ = std::make_unique<Shim>(
            options,
            [this](Books& books, DecisionHandler& handler, std::string&) {
                ++made_;
                return EmbeddedPartition::stated_by(books, kube_options(), handler,
                                                    [](const std::string& what) { ADD_FAILURE() << what; });
            },
            [this](const std::string& line) { log_ += line + "\n"; });
    }
    // Of leases: somebody else's, nobody's once `free_`, and ours from then on. All other writes succeed.
    const PlayedServer::Fault* answer_to(const CameIn& came) {
        const bool of_lease = came.target.find(kLease) != std::string::npos;
        if (!of_lease) {
            return came.method == "GET" ? nullptr : &fine_;
        }
        return came.method == "PATCH" ? &ours_ : free_ ? &nobodys_ : &others_;
    }
    bool until_so(const std::function<bool()>& holds) {
        return until([this] { shim_->turn(std::chrono::milliseconds(1)); }, holds);
    }
    static PlayedServer::Fault lease_of(const std::string& holder) {
        return {PlayedServer::Fault::Kind::answer,
                answer_bytes(
                    200, object_text("Lease", "bayplan-kube", "5",
                                     R"("spec":{"leaseDurationSeconds":3600,"holderIdentity":")" + holder + R"("})"))};
    }

    const PlayedServer::Fault fine_{PlayedServer::Fault::Kind::answer, answer_bytes(201, "{}")};
    const PlayedServer::Fault others_ = lease_of("other");
    const PlayedServer::Fault nobodys_ = lease_of("");
    const PlayedServer::Fault ours_ = lease_of("me");
    std::atomic<bool> free_ = false;
    int made_ = 0;
    std::string log_;
    std::unique_ptr<PlayedServer> server_;
    std::unique_ptr<Shim> shim_;
};

TEST_F(StandbyTest, an_engine_in_it_has_been_told_of_everything_and_nothing_is_written) {
    start(true);
    ASSERT_TRUE(until_so([&] { return log_.find("1 nodes and 1 pods are there; stands by") != std::string::npos; }));
    EXPECT_EQ(made_, 1);
    ASSERT_TRUE(until_so([&] { return server_->count("GET", std::string(kPods) + "?watch=1") == 1; }));
    server_->say(std::string(kPods), event_text("ADDED", waiting_pod("late")));
    ASSERT_TRUE(until_so([&] { return shim_->books().pods() == 2; }));
    EXPECT_FALSE(shim_->begun());
    for (int i = 0; i < 20; ++i) {
        shim_->turn(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(shim_->binder().under_way(), 0u) << "nothing is decided yet";
    EXPECT_EQ(server_->count("POST", ""), 0u);
    free_ = true;
    ASSERT_TRUE(until_so([&] { return server_->count("POST", "/binding") == 2; }));
    EXPECT_EQ(made_, 1);
    EXPECT_THAT(log_, HasSubstr("2 pods are there; scheduling begins"));
}

TEST_F(StandbyTest, a_daemon_hears_nothing_of_it_before_it_leads) {
    start(false);
    ASSERT_TRUE(until_so([&] { return log_.find("stands by") != std::string::npos; }));
    for (int i = 0; i < 20; ++i) {
        shim_->turn(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(made_, 0);
    free_ = true;
    ASSERT_TRUE(until_so([&] { return server_->count("POST", "/binding") == 1; }));
    EXPECT_EQ(made_, 1);
}

}  // namespace
}  // namespace bayplan::kube_shim
