// Members of the configuration that do more than hold a value: globs of shims, options of the data plane, the REST interface.
#include <gtest/gtest.h>

#include <cstdint>

#include "config/load.h"
#include "config_file.h"

namespace bayplan::config {
namespace {

Config load(const std::string& file) {
    Config config;
    Faults faults;
    EXPECT_TRUE(load_config(file, four_cpus_two_allowed(), config, faults));
    for (const Fault& fault : faults) ADD_FAILURE() << fault.to_string();
    return config;
}

TEST(Partition, shims_are_allowed_by_glob_and_by_default_none) {
    PartitionConfig partition;
    EXPECT_FALSE(partition.allows("yunikorn-1"));
    partition.shims = {"yunikorn-*", "exact"};
    EXPECT_TRUE(partition.allows("yunikorn-1"));
    EXPECT_TRUE(partition.allows("exact"));
    EXPECT_FALSE(partition.allows("exactly"));
    EXPECT_FALSE(partition.allows(""));
}

TEST(Partition, shims_of_the_first_of_several_globs_alone_have_rights_unless_some_are_given) {
    const ConfigFolder folder;
    const auto rights_with = [&folder](const std::string& shims) {
        std::string text(kSoundConfig);
        const std::string any = "shims: \"*\"\n";
        text.replace(text.find(any), any.size(), shims);
        return load(folder.write("b.yaml", text)).partitions.at(0).engine.shim_rights;
    };
    EXPECT_EQ(rights_with("shims: [\"yunikorn-*\", other, another]\n"),
              (std::vector<ShimRights>{{"yunikorn-*", INT32_MAX, true, true}}));
    EXPECT_EQ(rights_with("shims: [\"yunikorn-*\", other]\n    shim_rights: [{shim: other, priority_max: 5}]\n"),
              (std::vector<ShimRights>{{"other", 5, false, false}}));
    EXPECT_EQ(rights_with("shims: \"yunikorn-*\"\n"), std::vector<ShimRights>()) << "then all shims have all";
}

TEST(DataPlane, options_carry_the_address_for_either_port) {
    const ConfigFolder folder;
    const Config config = load(folder.write(
        "b.yaml", std::string(kSoundConfig) +
                      "  port: dpdk\n  address: 10.99.0.2\n  udp_port: 8000\n  eal: [--no-huge, -m, \"256\"]\n"
                      "  address6: \"fd99::2\"\n  prefix_length: 24\n  gateway: 10.99.0.1\n  prefix_length6: 64\n"
                      "  gateway6: \"fd99::1\"\n  vlan: 42\n  idle: poll\n  telemetry: yes\n  capture: yes\n"
                      "  connections_max: 7\n  unadmitted_max: 5\n"));
    const dataplane::DataPlaneOptions options = data_plane_options(config.data_plane);
    EXPECT_EQ(options.port, dataplane::PortKind::dpdk);
    EXPECT_EQ(options.dpdk.address, "10.99.0.2");
    EXPECT_EQ(options.kernel.address, "10.99.0.2");
    EXPECT_EQ(options.dpdk.udp_port, 8000);
    EXPECT_EQ(options.dpdk.address6, "fd99::2");
    EXPECT_EQ(options.dpdk.prefix_length, 24);
    EXPECT_EQ(options.dpdk.prefix_length6, 64);
    EXPECT_EQ(options.dpdk.gateway, "10.99.0.1");
    EXPECT_EQ(options.dpdk.gateway6, "fd99::1");
    EXPECT_EQ(options.dpdk.vlan, 42);
    EXPECT_TRUE(options.dpdk.telemetry);
    EXPECT_TRUE(options.dpdk.capture);
    EXPECT_EQ(options.transport.connections_max, 12u) << "the gateway holds each kind to its part";
    EXPECT_EQ(options.dpdk.eal_arguments, (std::vector<std::string>{"--no-huge", "-m", "256"}));
    EXPECT_EQ(options.idle, dataplane::IdlePolicy::poll);
    EXPECT_TRUE(options.server);
}

TEST(RestSettings, an_address_and_a_port) {
    const auto parsed = [](std::string_view text) {
        const std::optional<ListenAt> at = parse_listen(text);
        return at ? at->address + " " + std::to_string(at->port) : "none";
    };
    EXPECT_EQ(parsed("127.0.0.1:9080"), "127.0.0.1 9080");
    EXPECT_EQ(parsed("0.0.0.0:0"), "0.0.0.0 0");
    EXPECT_EQ(parsed("[::1]:65535"), "::1 65535");
    for (const char* bad : {"", ":", "9080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1",
                            "127.0.0.1:80x", "localhost:80", "::1:80", "[127.0.0.1]:80", "[]:80", "[::1:80"}) {
        EXPECT_EQ(parsed(bad), "none") << bad;
    }
}

TEST(RestSettings, off_is_said_and_printed) {
    const ConfigFolder folder;
    EXPECT_EQ(load(folder.write("b.yaml", kSoundConfig)).rest.listen, "127.0.0.1:9080");
    const Config config =
        load(folder.write("b.yaml", std::string(kSoundConfig) + "rest_listen: off\nrest_cors: off\n"));
    EXPECT_EQ(config.rest.listen, "");
    EXPECT_EQ(config.rest.cors, "");
    const std::string printed = print_config(config);
    EXPECT_NE(printed.find("rest_listen: off\n"), std::string::npos) << printed;
    EXPECT_NE(printed.find("rest_cors: off\n"), std::string::npos) << printed;
}

TEST(RestSettings, faults_have_their_place) {
    const ConfigFolder folder;
    const auto fault_of = [&folder](const std::string& line) {
        Config config;
        Faults faults;
        EXPECT_FALSE(load_config(folder.write("b.yaml", std::string(kSoundConfig) + line), four_cpus_two_allowed(),
                                 config, faults));
        const std::string text = faults.at(0).to_string();
        return text.substr(text.find("b.yaml"));
    };
    EXPECT_EQ(fault_of("rest_listen: 9080\n"),
              "b.yaml:6:14: 'rest_listen': '9080' is not an address with a port; give one such as 127.0.0.1:9080 or "
              "\"[::1]:9080\", or off");
    EXPECT_EQ(fault_of("rest_tls_cert: c.pem\n"),
              "b.yaml:6:1: 'rest_tls_cert' is given without 'rest_tls_key'; give both, or neither for no TLS");
    EXPECT_EQ(fault_of("rest_tls_key: k.pem\n"),
              "b.yaml:6:1: 'rest_tls_key' is given without 'rest_tls_cert'; give both, or neither for no TLS");
}

}  // namespace
}  // namespace bayplan::config
