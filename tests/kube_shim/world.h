// Shared by tests of the shim: a loop with a deadline, objects in a few words, a sink that keeps what it is told.
//
// Thread: one, the test's.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kube_shim/http_client.h"
#include "kube_shim/list_watch.h"
#include "kube_shim/pod_requests.h"
#include "played_server.h"

namespace bayplan::kube_shim {

// Turns until the condition holds; false after half a minute.
inline bool until(const std::function<void()>& turn, const std::function<bool()>& holds) {
    const Clock::time_point deadline = Clock::now() + std::chrono::seconds(30);
    while (!holds()) {
        if (Clock::now() > deadline) {
            return false;
        }
        turn();
    }
    return true;
}

inline ApiAccess access_to(const PlayedServer& server) {
    ApiAccess access;
    access.server = server.url();
    return access;
}

// {"metadata": {...}} and what else is given, as an item of a list or an object of a watch.
inline std::string object_text(const std::string& kind, const std::string& name, const std::string& version,
                               const std::string& more = {}) {
    return R"({"kind":")" + kind + R"(","apiVersion":"v1","metadata":{"name":")" + name +
           R"(","namespace":"default","uid":"u-)" + name + R"(","resourceVersion":")" + version + R"("})" +
           (more.empty() ? "" : "," + more) + "}";
}

inline std::string event_text(const std::string& type, const std::string& object) {
    return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}

inline std::string list_text(const std::string& kind, const std::string& version, const std::vector<std::string>& items,
                             const std::string& rest = {}) {
    std::string text = R"({"kind":")" + kind + R"(List","apiVersion":"v1","metadata":{"resourceVersion":")" + version +
                       R"(","continue":")" + rest + R"("},"items":[)";
    for (std::size_t i = 0; i < items.size(); ++i) {
        text += (i == 0 ? "" : ",") + items[i];
    }
    return text + "]}";
}

// Exchanges of one path.
inline Exchange listed(const std::string& path, const std::string& list) {
    return {"GET", path + "?limit=2", {}, {{answer_bytes(200, list), 0}}, true};
}

// An answer without an end.
inline Exchange watched(const std::string& path, const std::string& events, bool ended = false) {
    return {"GET",
            path + "?watch=1",
            {},
            {{"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n" + events, 0}},
            ended};
}

class KeptObjects final : public ObjectSink {
public:
    void begin_list(std::string_view) override {
        seen_.clear();
        in_list_ = true;
    }
    void put(const kube::ReadObject& object) override {
        const std::string name(object.value["metadata"]["name"].text());
        on_put(name);
        versions[name] = object.value["metadata"]["resourceVersion"].text();
        if (in_list_) {
            seen_[name] = true;
        }
    }
    void remove(const kube::ReadObject& object) override {
        versions.erase(std::string(object.value["metadata"]["name"].text()));
    }
    void end_list(std::string_view) override {
        in_list_ = false;
        ++lists;
        std::erase_if(versions, [&](const auto& one) { return !seen_.contains(one.first); });
    }
    void fault(const std::string& what) override { faults.push_back(what); }

    std::function<void(const std::string& name)> on_put = [](const std::string&) {};
    std::map<std::string, std::string> versions;  // by name
    std::vector<std::string> faults;
    int lists = 0;

private:
    std::map<std::string, bool> seen_;
    bool in_list_ = false;
};

}  // namespace bayplan::kube_shim
