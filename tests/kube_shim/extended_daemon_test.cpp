// An extender behind a shim of a running daemon, another process: queries and answers go over the wire.
#include <fmt/format.h>

#include "certificates.h"
#include "extended_shim.h"
#include "kube_shim/appliance.h"
#include "tests/daemon/process.h"

namespace bayplan::kube_shim::extending {
namespace {

using bayplan::testing::options_of;
using bayplan::testing::Process;
using bayplan::testing::tls_of;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string configuration() {
    const dataplane::TlsFiles tls = tls_of("server");
    return fmt::format(
        "rest_listen: off\n"
        "partitions:\n"
        "  - {{name: default, shims: shim-a, executor: inline, path: inline, plugins: {{deadline: 1h, nodes: 1}}}}\n"
        "data_plane:\n"
        "  address: 127.0.0.1\n"
        "  udp_port: 0\n"
        "  tls: {{certificate: {}, key: {}, authority: {}}}\n",
        tls.certificate, tls.key, tls.authority);
}

class ExtendedDaemon : public ExtendedShim {
protected:
    void SetUp() override { ASSERT_TRUE(daemon_.wait_for_log("msg=\"ready\"")) << daemon_.log(); }
    std::unique_ptr<Partition> make_partition(Books& books, DecisionHandler& handler, std::string& why) override {
        ClientOptions options = options_of("shim-a", daemon_.udp_port());
        return AppliancePartition::open(
            options, books, handler, [](const std::string&) {}, why);
    }

    Process daemon_{configuration()};
};

TEST_F(ExtendedDaemon, asks_the_shim_and_the_shim_its_extender) {
    start({pod_text("a", R"("licensed":"n3")"), pod_text("b", R"("licensed":"n1 n2")"),
           pod_text("c", R"("licensed":"")")},
          "- {urlPrefix: URL/license, filterVerb: filter, nodeCacheCapable: true}\n");
    ASSERT_TRUE(until_bound(2)) << daemon_.log();
    EXPECT_THAT(bodies(binding_of("a")).at(0), HasSubstr(R"("name":"n3")"));
    EXPECT_THAT(bodies(binding_of("b")).at(0),
                ::testing::AnyOf(HasSubstr(R"("name":"n1")"), HasSubstr(R"("name":"n2")")));
    EXPECT_THAT(message("c"), HasSubstr("0/3 nodes are available: 3 no license left"));
    EXPECT_THAT(bodies(binding_of("c")), IsEmpty());
}

}  // namespace
}  // namespace bayplan::kube_shim::extending
