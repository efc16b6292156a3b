// An extender written for kube-scheduler as a program of its own (extender.py), and a whole shim that asks it, before a played
// API server with three nodes.
//
// Thread: one, the test's.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "kube_shim/embedded.h"
#include "kube_shim/extenders.h"
#include "kube_shim/resources.h"
#include "kube_shim/shim.h"
#include "world.h"

namespace bayplan::kube_shim::extending {

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

inline std::string node_text(const std::string& name, const std::string& site) {
    return R"({"metadata":{"name":")" + name + R"(","labels":{"site":")" + site +
           R"("}},"status":{"allocatable":{"cpu":"4","pods":"9","example.com/port":"2"}}})";
}
inline std::string pod_text(const std::string& name, const std::string& annotations, const std::string& more = {}) {
    return R"({"metadata":{"name":")" + name + R"(","namespace":"ns","uid":"u-)" + name + R"(","annotations":{)" +
           annotations + R"(}},"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1")" + more +
           R"(}}}]}})";
}
// It has its node, and may go.
inline std::string running_text(const std::string& name, const std::string& node, const std::string& cpu,
                                const std::string& annotations = {}) {
    return R"({"metadata":{"name":")" + name + R"(","namespace":"ns","uid":"u-)" + name + R"(","annotations":{)" +
           annotations + R"(}},"spec":{"priority":0,"nodeName":")" + node +
           R"(","containers":[{"name":"c","resources":{"requests":{"cpu":")" + cpu +
           R"("}}}]},"status":{"phase":"Running"}})";
}
inline std::string high_text(const std::string& annotations) {
    std::string text = pod_text("high", annotations);
    return text.replace(text.find(R"("spec":{)"), 8, R"("spec":{"priority":10,)");
}
inline std::string binding_of(const std::string& pod) { return "/api/v1/namespaces/ns/pods/" + pod + "/binding"; }

class ExtendedShim : public ::testing::Test {
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
            [this](Books& books, DecisionHandler& handler, std::string& why) {
                return make_partition(books, handler, why);
            },
            [](const std::string&) {});
    }
    virtual std::unique_ptr<Partition> make_partition(Books& books, DecisionHandler& handler, std::string&) {
        return EmbeddedPartition::stated_by(books, kube_options(), handler,
                                            [](const std::string& what) { ADD_FAILURE() << what; });
    }
    static std::optional<scheduler_config::SchedulerConfig> read(const std::string& extenders) {
        auto read = scheduler_config::read_scheduler_config(
            "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nextenders:\n" + extenders,
            "config", {});
        EXPECT_THAT(read.faults, ::testing::IsEmpty());
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
    // Pods that it told the API server to delete, in order of names.
    std::vector<std::string> deleted() const {
        std::set<std::string> names;
        for (const CameIn& came : server_->requests()) {
            if (came.method == "DELETE") {
                names.insert(came.path().substr(came.path().rfind('/') + 1));
            }
        }
        return {names.begin(), names.end()};
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

}  // namespace bayplan::kube_shim::extending
