// Extended resources that devices stand for: which class serves which, and the claim that a pod makes by asking for them.
// Requests and mappings are as in Kubernetes' own table (Test_createRequestsAndMappings).
#include "kube/extended_resources.h"

#include <gmock/gmock.h>

#include "objects_in_text.h"

namespace bayplan::kube {
namespace {

using testing::DumpOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Sent;
using testing::with_object;

std::string container(const std::string& name, const std::string& requests, const std::string& more = {}) {
    return R"({"name":")" + name + R"(",)" + more + R"("resources":{"requests":{)" + requests + "}}}";
}

std::string pod(const std::string& containers, const std::string& init = {}) {
    return R"({"kind":"Pod","metadata":{"name":"p","namespace":"ns","uid":"u"},"spec":{"initContainers":[)" + init +
           R"(],"containers":[)" + containers + "]}}";
}

std::string device_class(const std::string& name, const std::string& resource, int created = 0) {
    return R"({"kind":"DeviceClass","apiVersion":"resource.k8s.io/v1","metadata":{"name":")" + name +
           R"(","creationTimestamp":"2026-01-01T00:00:0)" + std::to_string(created) + R"(Z"},"spec":{)" +
           (resource.empty() ? "" : R"("extendedResourceName":")" + resource + "\"") + "}}";
}

class Extended : public ::testing::Test {
protected:
    void take(const std::string& one) {
        const auto faults = with_object(
            one, [&](Converter& convert) { resources.take(convert); }, texts);
        ASSERT_TRUE(faults.empty());
    }
    ExtendedRequests of(const std::string& one) {
        std::vector<ExtendedUse> uses;
        const auto faults = with_object(
            one, [&](Converter& convert) { uses = extended_uses(convert, convert.reader.root()); }, texts);
        EXPECT_TRUE(faults.empty());
        return resources.requests_for(uses, texts);
    }
    static std::vector<std::string> requests(const ExtendedRequests& all) {
        std::vector<std::string> lines;
        for (const ExtendedRequest& one : all.requests) {
            lines.push_back(one.name + " " + one.device_class + " " + std::to_string(one.count));
        }
        return lines;
    }
    std::vector<std::string> mappings(const ExtendedRequests& all) const {
        std::vector<std::string> lines;
        for (const ExtendedMapping& one : all.mappings) {
            lines.push_back(one.container + " " + std::string(texts.text(one.resource)) + " " + one.request);
        }
        return lines;
    }

    Texts texts;
    ExtendedResources resources;
};

TEST_F(Extended, a_class_serves_the_resource_that_it_names_and_one_of_its_own_name) {
    take(device_class("gpu", "example.com/gpu"));
    take(device_class("plain", ""));
    EXPECT_EQ(resources.class_for("example.com/gpu"), "gpu");
    EXPECT_EQ(resources.class_for("deviceclass.resource.kubernetes.io/gpu"), "gpu");
    EXPECT_EQ(resources.class_for("deviceclass.resource.kubernetes.io/plain"), "plain");
    EXPECT_EQ(resources.class_for("example.com/other"), "");
    EXPECT_EQ(resources.class_for(""), "") << "which plain does not name";
    resources.forget("gpu");
    EXPECT_EQ(resources.class_for("example.com/gpu"), "");
}

TEST_F(Extended, of_several_classes_the_newest_counts_and_then_the_first_by_name) {
    take(device_class("b", "example.com/gpu", 1));
    take(device_class("a", "example.com/gpu", 1));
    EXPECT_EQ(resources.class_for("example.com/gpu"), "a");
    take(device_class("c", "example.com/gpu", 2));
    EXPECT_EQ(resources.class_for("example.com/gpu"), "c");
    take(device_class("c", "example.com/other", 2));
    EXPECT_EQ(resources.class_for("example.com/gpu"), "a");
}

TEST_F(Extended, a_request_is_numbered_by_its_container_and_its_place_among_the_containers_resources) {
    take(device_class("class", "example.com/a"));
    take(device_class("class1", "example.com/b"));
    const ExtendedRequests all = of(pod(container("con0", R"("cpu":"1","example.com/b":"2","example.com/a":"1")") +
                                        "," + container("con1", R"("example.com/b":"3","example.com/c":"1")")));
    EXPECT_THAT(requests(all), ElementsAre("container-0-request-1 class 1", "container-0-request-2 class1 2",
                                           "container-1-request-0 class1 3"));
    EXPECT_THAT(mappings(all),
                ElementsAre("con0 example.com/a container-0-request-1", "con0 example.com/b container-0-request-2",
                            "con1 example.com/b container-1-request-0"));
}

TEST_F(Extended, nothing_is_asked_for_without_a_class_or_an_amount) {
    take(device_class("class", "example.com/a"));
    EXPECT_THAT(of(pod(container("c", R"("example.com/b":"2","example.com/a":"0","cpu":"1")"))).requests, IsEmpty());
    EXPECT_THAT(of(pod(R"({"name":"c"})")).requests, IsEmpty());
}

TEST_F(Extended, init_containers_share_the_largest_request) {
    take(device_class("class", "example.com/a"));
    take(device_class("classInit", "example.com/init"));
    const ExtendedRequests all =
        of(pod(container("con0", R"("example.com/a":"1")"), container("init-con0", R"("example.com/init":"1")") + "," +
                                                                container("init-con1", R"("example.com/init":"2")")));
    EXPECT_THAT(requests(all), ElementsAre("container-1-request-0 classInit 2", "container-2-request-0 class 1"));
    EXPECT_THAT(mappings(all), ElementsAre("con0 example.com/a container-2-request-0",
                                           "init-con0 example.com/init container-1-request-0",
                                           "init-con1 example.com/init container-1-request-0"));
}

TEST_F(Extended, an_init_container_uses_what_containers_after_it_have_and_asks_for_the_rest) {
    take(device_class("class", "example.com/a"));
    take(device_class("classInit", "example.com/init"));
    const std::string sidecar = R"("restartPolicy":"Always",)";
    const ExtendedRequests all = of(pod(container("con0", R"("example.com/a":"1")"),
                                        container("init-con0", R"("example.com/init":"1")") + "," +
                                            container("sidecar-con1", R"("example.com/init":"1")", sidecar) + "," +
                                            container("init-con2", R"("example.com/init":"2")")));
    EXPECT_THAT(requests(all), ElementsAre("container-1-request-0 classInit 1", "container-2-request-0 classInit 2",
                                           "container-3-request-0 class 1"));
    EXPECT_THAT(mappings(all), ElementsAre("con0 example.com/a container-3-request-0",
                                           "sidecar-con1 example.com/init container-1-request-0",
                                           "init-con0 example.com/init container-1-request-0",
                                           "init-con2 example.com/init container-2-request-0"));
    const ExtendedRequests partly =
        of(pod(container("con0", R"("example.com/a":"1")"), container("init-con0", R"("example.com/a":"3")")));
    EXPECT_THAT(requests(partly), ElementsAre("container-0-request-0 class 2", "container-1-request-0 class 1"));
    EXPECT_THAT(mappings(partly),
                ElementsAre("con0 example.com/a container-1-request-0", "init-con0 example.com/a container-1-request-0",
                            "init-con0 example.com/a container-0-request-0"));
}

// --- in a dump

std::string dump() {
    return R"({"kind":"List","items":[)" + device_class("gpu", "example.com/gpu") + "," +
           device_class("unused", "example.com/other") + "," + pod(container("c", R"("example.com/gpu":"2")")) + "]}";
}

TEST(ExtendedInADump, a_pods_claim_and_the_kind_of_its_class_are_stated) {
    const DumpOf of(dump(), {.schedulers = {}, .extended_resources = true, .what_if = {}});
    EXPECT_THAT(of.faults(), IsEmpty());
    const Sent sent = of.sent();
    const auto claims = sent.all<ResourceClaim>();
    ASSERT_EQ(claims.size(), 1u);
    EXPECT_EQ(sent.text(claims[0].name_space) + "/" + sent.text(claims[0].name), "ns/<extended-resources>p");
    EXPECT_EQ(sent.text(claims[0].owner_uid), "u");
    ASSERT_EQ(claims[0].requests.size(), 1u);
    const DeviceRequest& request = claims[0].requests[0];
    EXPECT_EQ(sent.text(request.name) + " " + sent.text(request.kind), "container-0-request-0 example.com/gpu");
    EXPECT_EQ(sent.text(request.demands[0].device_class), "gpu");
    EXPECT_EQ(request.demands[0].count, 2);
    EXPECT_EQ(sent.requests("ns/p").at("example.com/gpu"), 2) << "which counts on nodes that have some";
    const PodResourceClaims& of_spec = sent.spec("ns/p").resource_claims;
    ASSERT_EQ(of_spec.claims.size(), 1u);
    EXPECT_EQ(of_spec.claims[0].claim, claims[0].name);
    EXPECT_EQ(of_spec.uid, claims[0].owner_uid);
    for (const DeviceClass& one : sent.all<DeviceClass>()) {
        EXPECT_EQ(one.kinds.size(), sent.text(one.name) == "gpu" ? 1u : 0u) << sent.text(one.name);
    }
}

TEST(ExtendedInADump, nothing_of_it_is_there_without_the_gate) {
    const DumpOf read(dump());
    const Sent sent = read.sent();
    EXPECT_THAT(sent.all<ResourceClaim>(), IsEmpty());
    EXPECT_THAT(sent.spec("ns/p").resource_claims.claims, IsEmpty());
    for (const DeviceClass& one : sent.all<DeviceClass>()) {
        EXPECT_THAT(one.kinds, IsEmpty());
    }
}

}  // namespace
}  // namespace bayplan::kube
