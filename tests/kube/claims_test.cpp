// Slices, classes and claims, and the claims that a pod names, field by field.
#include "objects_in_text.h"

#include <gmock/gmock.h>

namespace bayplan::kube {
namespace {

using testing::DumpOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Sent;

std::string object(const std::string& kind, const std::string& rest) {
    return R"({"apiVersion":"resource.k8s.io/v1","kind":")" + kind + R"(","metadata":{"name":"x"},)" + rest + "}";
}

template <typename Object>
Object only(const Sent& sent) {
    const std::vector<Object> all = sent.all<Object>();
    EXPECT_EQ(all.size(), 1u);
    return all.empty() ? Object() : all[0];
}

TEST(ClaimConversion, slices) {
    const DumpOf of(object("ResourceSlice", R"("spec":{"driver":"d.example.com","nodeName":"n1",
        "pool":{"name":"p","generation":3,"resourceSliceCount":2},
        "devices":[{"name":"gpu-0","attributes":{"model":{"string":"m"},"index":{"int":-7},"ok":{"bool":true},
        "other.example.com/v":{"version":"1.2.3"}},"capacity":{"memory":{"value":"40Gi"}}},
        {"name":"gpu-1","bindingConditions":["c"]}]})"));
    EXPECT_THAT(of.faults(), IsEmpty());
    const Sent sent = of.sent();
    const ResourceSlice slice = only<ResourceSlice>(sent);
    EXPECT_EQ(sent.text(slice.driver) + " " + sent.text(slice.pool) + " " + sent.text(slice.node),
              "d.example.com p n1");
    EXPECT_EQ(slice.reach, SliceReach::node);
    EXPECT_EQ(slice.generation, 3);
    EXPECT_EQ(slice.pool_slices, 2);
    EXPECT_FALSE(slice.hidden);
    ASSERT_EQ(slice.devices.size(), 2u);
    const SliceDevice& device = slice.devices[0];
    ASSERT_EQ(device.attributes.size(), 4u);
    EXPECT_EQ(device.attributes[0].type, AttributeType::text);
    EXPECT_EQ(sent.text(device.attributes[0].text), "m");
    EXPECT_EQ(device.attributes[1].type, AttributeType::number);
    EXPECT_EQ(device.attributes[1].number, -7);
    EXPECT_EQ(device.attributes[2].type, AttributeType::boolean);
    EXPECT_EQ(device.attributes[2].number, 1);
    EXPECT_EQ(device.attributes[3].type, AttributeType::version);
    EXPECT_EQ(sent.text(device.attributes[3].name) + "=" + sent.text(device.attributes[3].text),
              "other.example.com/v=1.2.3");
    EXPECT_EQ(sent.text(device.capacities.at(0).name) + "=" + sent.text(device.capacities.at(0).quantity),
              "memory=40Gi");
    EXPECT_FALSE(device.withheld);
    EXPECT_TRUE(slice.devices[1].withheld);
}

TEST(ClaimConversion, long_expressions_go_in_pieces_between_characters) {
    const std::string expression = "'" + std::string(510, 'a') + "\u00e4" + std::string(700, 'b') + "' != ''";
    const DumpOf of(object("DeviceClass", R"("spec":{"selectors":[{"cel":{"expression":")" + expression +
                                              R"("}},{"cel":{"expression":"true"}}]})"));
    EXPECT_THAT(of.faults(), IsEmpty());
    const Sent sent = of.sent();
    const DeviceClass made = only<DeviceClass>(sent);
    ASSERT_EQ(made.selectors.size(), 6u);
    EXPECT_EQ(made.selectors[1] + made.selectors[3], 0u);
    EXPECT_EQ(sent.text(made.selectors[0]).size(), 511u);  // the next character has two bytes
    EXPECT_EQ(sent.text(made.selectors[2]).size(), 512u);
    std::string all;
    for (const std::size_t at : {0, 2, 4}) {
        all += sent.text(made.selectors[at]);
    }
    EXPECT_EQ(all, "'" + std::string(510, 'a') + "ä" + std::string(700, 'b') + "' != ''");
    EXPECT_EQ(sent.text(made.selectors[5]), "true");
}

TEST(ClaimConversion, where_a_slice_is_seen) {
    const auto slice = [](const std::string& where) {
        const DumpOf of(object("ResourceSlice", R"("spec":{"driver":"d","pool":{"name":"p"},)" + where + "}"));
        return only<ResourceSlice>(of.sent());
    };
    EXPECT_EQ(slice(R"("allNodes":true)").reach, SliceReach::all_nodes);
    EXPECT_EQ(slice(R"("allNodes":false)").reach, SliceReach::nowhere);
    const ResourceSlice selected = slice(
        R"("nodeSelector":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"zone","operator":"In","values":["a"]}]}]})");
    EXPECT_EQ(selected.reach, SliceReach::selected_nodes);
    EXPECT_EQ(selected.nodes.labels.size(), 1u);
    EXPECT_TRUE(slice(R"("allNodes":true,"perDeviceNodeSelection":false)").hidden);
    EXPECT_TRUE(slice(R"("allNodes":true,"sharedCounters":[{"name":"c"}])").hidden);
}

TEST(ClaimConversion, claims) {
    const DumpOf of(
        R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"c","namespace":"ns",
        "ownerReferences":[{"kind":"Pod","name":"web","uid":"u1","controller":true}]},
        "spec":{"devices":{"requests":[
          {"name":"one","exactly":{"deviceClassName":"gpu","allocationMode":"ExactCount","count":2,
           "selectors":[{"cel":{"expression":"true"}}]}},
          {"name":"every","exactly":{"deviceClassName":"gpu","allocationMode":"All","adminAccess":true}},
          {"name":"list","firstAvailable":[{"name":"a","deviceClassName":"big"},{"name":"b","deviceClassName":"small"}]}],
         "constraints":[{"requests":["one"],"matchAttribute":"d/x"}]}},
        "status":{"allocation":{"devices":{"results":[{"request":"list/b","driver":"d","pool":"p","device":"x",
         "adminAccess":true}]},"nodeSelector":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name",
         "operator":"In","values":["n1"]}]}]}},"reservedFor":[{"resource":"pods","name":"web","uid":"u1"}]}})");
    EXPECT_THAT(of.faults(), IsEmpty());
    const Sent sent = of.sent();
    const ResourceClaim claim = only<ResourceClaim>(sent);
    EXPECT_EQ(sent.text(claim.name_space) + "/" + sent.text(claim.name) + " " + sent.text(claim.owner_uid), "ns/c u1");
    ASSERT_EQ(claim.requests.size(), 3u);
    EXPECT_EQ(claim.requests[0].demands.at(0).count, 2);
    EXPECT_EQ(sent.text(claim.requests[0].demands[0].selectors.at(0)), "true");
    EXPECT_TRUE(claim.requests[1].demands.at(0).all);
    EXPECT_TRUE(claim.requests[1].demands[0].admin_access);
    EXPECT_FALSE(claim.requests[1].prioritised);
    EXPECT_TRUE(claim.requests[2].prioritised);
    EXPECT_EQ(sent.text(claim.requests[2].demands.at(1).name), "b");
    EXPECT_EQ(claim.requests[2].demands[1].count, 1);
    EXPECT_EQ(sent.text(claim.constraints.at(0).attribute), "d/x");
    ASSERT_TRUE(claim.allocation.has_value());
    EXPECT_EQ(sent.text(claim.allocation->devices.at(0).request), "list/b");
    EXPECT_TRUE(claim.allocation->devices[0].admin_access);
    EXPECT_EQ(claim.allocation->nodes->at(0).fields.size(), 1u);
    EXPECT_EQ(sent.text(claim.reserved_for.at(0)), "u1");
    const DumpOf bad(object("ResourceClaim", R"("spec":{"devices":{"requests":[{"name":"r","exactly":
        {"deviceClassName":"c","allocationMode":"Some"}}]}})"));
    EXPECT_THAT(bad.faults(), ElementsAre("test: ResourceClaim x: "
                                          "spec.devices.requests[0].exactly.allocationMode: "
                                          "'Some' is no allocation mode"));
}

TEST(ClaimConversion, claims_of_a_pod) {
    const DumpOf of(R"({"kind":"Pod","metadata":{"name":"web","namespace":"ns","uid":"u1"},
        "spec":{"containers":[],"resourceClaims":[{"name":"a","resourceClaimName":"one"},
        {"name":"b","resourceClaimTemplateName":"t"},{"name":"c","resourceClaimTemplateName":"t"},
        {"name":"d","resourceClaimTemplateName":"t"},{"name":"e"}]},
        "status":{"resourceClaimStatuses":[{"name":"b","resourceClaimName":"web-b-x"},{"name":"c"}]}})");
    EXPECT_THAT(of.faults(), IsEmpty());
    const Sent sent = of.sent();
    const PodResourceClaims& claims = sent.spec("ns/web").resource_claims;
    EXPECT_EQ(sent.text(claims.pod) + " " + sent.text(claims.uid), "web u1");
    ASSERT_EQ(claims.claims.size(), 4u);  // c needs none
    EXPECT_EQ(claims.claims[0].source, ClaimSource::named);
    EXPECT_EQ(sent.text(claims.claims[0].claim), "one");
    EXPECT_EQ(claims.claims[1].source, ClaimSource::made);
    EXPECT_EQ(sent.text(claims.claims[1].claim), "web-b-x");
    EXPECT_EQ(claims.claims[2].source, ClaimSource::not_made);
    EXPECT_EQ(sent.text(claims.claims[2].entry), "d");
    EXPECT_EQ(claims.claims[3].source, ClaimSource::unset);
}

}  // namespace
}  // namespace bayplan::kube
