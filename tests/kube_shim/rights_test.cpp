// The rights of tuning/kubernetes/rbac.yaml are the rights that requests of the program need, and no more.
//
// A request's right is what the API server makes of it: verb, group, resource, and the name where a rule has names.
#include <fstream>
#include <set>
#include <sstream>

#include <gmock/gmock.h>

#include "kube/document_reader.h"
#include "kube_shim/claim_requests.h"
#include "kube_shim/elector.h"
#include "kube_shim/resources.h"
#include "world.h"

namespace bayplan::kube_shim {
namespace {

using Rights = std::set<std::string>;  // "VERB GROUP/RESOURCE", of one name " NAME" behind it

std::vector<std::string> parts_of(const std::string& path) {
    std::vector<std::string> parts;
    std::istringstream in(path.substr(1, path.find('?') - 1));
    for (std::string part; std::getline(in, part, '/');) {
        parts.push_back(part);
    }
    return parts;
}

std::string verb_of(const std::string& method, bool named, bool watches) {
    if (method == "GET") {
        return named ? "get" : watches ? "watch" : "list";
    }
    if (method == "POST") {
        return "create";
    }
    return method == "PATCH" ? "patch" : method == "PUT" ? "update" : named ? "delete" : "deletecollection";
}

// /api/VERSION/... or /apis/GROUP/VERSION/..., then [namespaces/NAME/]RESOURCE[/NAME[/SUBRESOURCE]]
std::string right_of(const std::string& method, const std::string& target) {
    std::vector<std::string> parts = parts_of(target);
    const std::string group = parts[0] == "apis" ? parts[1] : "";
    parts.erase(parts.begin(), parts.begin() + (parts[0] == "apis" ? 3 : 2));
    if (parts[0] == "namespaces" && parts.size() > 2) {
        parts.erase(parts.begin(), parts.begin() + 2);
    }
    const std::string resource = parts.size() > 2 ? parts[0] + "/" + parts[2] : parts[0];
    const bool watches = target.find("watch=1") != std::string::npos;
    std::string right = verb_of(method, parts.size() > 1, watches) + " " + group + "/" + resource;
    if (resource == "leases" && parts.size() > 1) {
        right += " " + parts[1];
    }
    return right;
}

Rights granted() {
    std::ifstream in(BAYPLAN_RIGHTS);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    text.reserve(text.size() + kube::kTextPadding);
    Rights rights;
    std::vector<kube::ObjectFault> faults;
    kube::read_objects(
        text, BAYPLAN_RIGHTS,
        [&](const kube::ReadObject& object) {
            for (const kube::Value& rule : object.value["rules"].items()) {
                const auto names = rule["resourceNames"].items();
                for (const kube::Value& resource : rule["resources"].items()) {
                    for (const kube::Value& verb : rule["verbs"].items()) {
                        const std::string right = std::string(verb.text()) + " " +
                                                  std::string(rule["apiGroups"].items()[0].text()) + "/" +
                                                  std::string(resource.text());
                        EXPECT_EQ(rule["apiGroups"].items().size(), 1u);
                        rights.insert(names.empty() ? right : right + " " + std::string(names[0].text()));
                        EXPECT_LE(names.size(), 1u);
                    }
                }
            }
        },
        faults);
    EXPECT_TRUE(faults.empty());
    return rights;
}

std::string text_of_claim() {
    return R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"namespace":"a","name":"c","uid":"u",)"
           R"("resourceVersion":"1"},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"k"}}]}}})";
}

std::vector<HttpRequest> requests_of_pods_and_claims() {
    const PodName pod{"a/p", "u"};
    DeviceStep step;
    step.claim = "a/c";
    step.devices.push_back({"r", "driver", "pool", "device"});
    StatusChange change;
    change.nominated_node = "n";
    return {get_pod("a/p"),
            bind_pod(pod, "n"),
            delete_pod(pod),
            patch_status(pod, change, "now"),
            mark_victim(pod, "a/q", "s", "now"),
            create_event({.regarding = pod,
                          .resource_version = "1",
                          .related = {},
                          .reason = "r",
                          .action = "a",
                          .note = {},
                          .scheduler = "s"},
                         "name", "instance", "now"),
            get_storage_claim("a/c"),
            get_volume("v"),
            get_resource_claim("a/c"),
            get_device_class("k"),
            give_volume("v", {}, "a/c", {}),
            select_node("a/c", {}, "n"),
            add_finalizer(text_of_claim(), step),
            reserve_claim(text_of_claim(), step, pod, {{"k", R"({"spec":{}})"}}),
            unreserve_claim("a/c", pod),
            clear_resource_claim("a/c", {}),
            create_claim("a/c", pod, {}),
            tell_pod_of_claim(pod, "a/c", {}),
            let_go_of_claim("a/c", text_of_claim()),
            delete_claim("a/c", {})};
}

// A lease that is not there is made, renewed and let go of.
Rights rights_of_an_election() {
    const std::string path = "/apis/coordination.k8s.io/v1/namespaces/bayplan/leases";
    const auto lease = [](const std::string& version) {
        return answer_bytes(200, R"({"kind":"Lease","metadata":{"resourceVersion":")" + version +
                                     R"("},"spec":{"holderIdentity":"me","leaseDurationSeconds":15}})");
    };
    const std::string one = path + "/bayplan-kube";
    PlayedServer server({{"GET", one, {}, {{answer_bytes(404, "{}"), 0}}, true},
                         {"POST", path, {}, {{lease("1"), 0}}, true},
                         {"GET", one, {}, {{lease("1"), 0}}, true},
                         {"PATCH", one, {}, {{lease("2"), 0}}, true},
                         {"PATCH", one, {}, {{lease("3"), 0}}, true}});
    HttpClient http(access_to(server));
    LeaseOptions options;
    options.identity = "me";
    options.retry = std::chrono::milliseconds(5);
    Elector elector(http, options, [](const std::string&) {});
    EXPECT_TRUE(until(
        [&] {
            elector.turn(Clock::now());
            http.turn(std::chrono::milliseconds(1));
        },
        [&] { return server.count("PATCH", one) > 0; }));
    Rights rights;
    for (const CameIn& request : server.requests()) {
        rights.insert(right_of(request.method, request.target));
    }
    return rights;
}

Rights needed() {
    Rights rights = rights_of_an_election();
    std::vector<Resource> resources(watched_resources().begin(), watched_resources().end());
    resources.push_back(kWorkloads);
    for (const Resource& resource : resources) {
        rights.insert(right_of("GET", std::string(resource.path) + "?limit=500"));
        rights.insert(right_of("GET", std::string(resource.path) + "?watch=1"));
    }
    for (const HttpRequest& request : requests_of_pods_and_claims()) {
        rights.insert(right_of(request.method, request.path));
    }
    return rights;
}

// "request NUMBER METHOD TARGET BYTES", of record.py.
Rights recorded(const std::string& file) {
    std::ifstream in(std::string(BAYPLAN_RECORDED) + "/" + file);
    Rights rights;
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string word;
        std::string number;
        std::string method;
        std::string target;
        if (words >> word >> number >> method >> target && word == "request" && target.starts_with("/api")) {
            rights.insert(right_of(method, target));
        }
    }
    return rights;
}

TEST(Rights, of_the_manifest_are_what_requests_need_and_no_more) { EXPECT_EQ(granted(), needed()); }

TEST(Rights, of_recorded_runs_are_granted) {
    const Rights all = granted();
    for (const char* const file : {"preemption.recording", "expired.recording"}) {
        const Rights used = recorded(file);
        EXPECT_GT(used.size(), 38u) << file << ": lists and watches alone are as many";
        for (const std::string& one : used) {
            EXPECT_TRUE(all.contains(one)) << file << ": " << one;
        }
    }
}

TEST(Rights, are_read_off_a_request_as_the_api_server_does) {
    EXPECT_EQ(right_of("GET", "/api/v1/namespaces?limit=2"), "list /namespaces");
    EXPECT_EQ(right_of("GET", "/api/v1/namespaces/a"), "get /namespaces");
    EXPECT_EQ(right_of("GET", "/apis/apps/v1/replicasets?watch=1"), "watch apps/replicasets");
    EXPECT_EQ(right_of("POST", "/api/v1/namespaces/a/pods/p/binding"), "create /pods/binding");
    EXPECT_EQ(right_of("DELETE", "/api/v1/namespaces/a/pods/p"), "delete /pods");
    EXPECT_EQ(right_of("DELETE", "/api/v1/namespaces/a/pods"), "deletecollection /pods");
    EXPECT_EQ(right_of("PUT", "/api/v1/persistentvolumes/v"), "update /persistentvolumes");
}

}  // namespace
}  // namespace bayplan::kube_shim
