// Host ports by table. `::` is no wildcard.

#include <gtest/gtest.h>

#include "base/text_table.h"
#include "cluster/host_ports.h"

namespace bayplan {
namespace {

using enum Protocol;

struct PortCase {
    const char* why;
    const char* used_address;  // of port 80, TCP
    HostPort wanted;           // address: 0, or filled in from wanted_address
    const char* wanted_address;
    bool conflicts;
};

TEST(HostPorts, conflicts) {
    const PortCase cases[] = {
        {"loopback against every address", "", {80, tcp}, "127.0.0.1", true},
        {"loopback against another address", "10.0.0.1", {80, tcp}, "127.0.0.1", false},
        {"the same address", "10.0.0.1", {80, tcp}, "10.0.0.1", true},
        {"every address against one", "10.0.0.1", {80, tcp}, "", true},
        {"every address twice", "", {80, tcp}, "", true},
        {"another protocol", "", {80, udp}, "", false},
        {"a third protocol", "", {80, sctp}, "", false},
        {"another port", "", {81, tcp}, "", false},
        {"one port less", "", {79, tcp}, "", false},
        {":: wanted", "10.0.0.1", {80, tcp}, "::", false},
        {":: in use", "::", {80, tcp}, "10.0.0.1", false},
        {":: is an address like others", "::", {80, tcp}, "::", true},
        {":: against every address", "", {80, tcp}, "::", true},
        {"port 0 is no use", "", {0, tcp}, "", false},
    };
    for (const PortCase& one : cases) {
        TextTable texts;
        HostPorts ports;
        const HostPort used{80, tcp, texts.acquire(one.used_address)};
        ports.add(std::span(&used, 1));
        HostPort wanted = one.wanted;
        wanted.address = texts.acquire(one.wanted_address);
        EXPECT_EQ(ports.conflicts(std::span(&wanted, 1)), one.conflicts) << one.why;
        ports.remove(std::span(&used, 1));
        EXPECT_FALSE(ports.conflicts(std::span(&wanted, 1))) << one.why << ", after removal";
        EXPECT_TRUE(ports.empty());
    }
}

TEST(HostPorts, any_of_the_wanted_ports_decides) {
    HostPorts ports;
    const HostPort used[] = {{443, tcp, 0}, {53, udp, 7}};
    ports.add(used);
    const HostPort free[] = {{80, tcp, 0}, {53, tcp, 0}, {53, udp, 8}};
    EXPECT_FALSE(ports.conflicts(free));
    const HostPort third[] = {{80, tcp, 0}, {53, tcp, 0}, {53, udp, 7}};
    EXPECT_TRUE(ports.conflicts(third));
    EXPECT_FALSE(ports.conflicts({}));
}

TEST(HostPorts, uses_are_counted) {
    HostPorts ports;
    const HostPort twice[] = {{80, tcp, 0}, {80, tcp, 0}};
    ports.add(twice);
    EXPECT_EQ(ports.uses().size(), 1u);
    ports.remove(std::span(twice, 1));
    EXPECT_TRUE(ports.conflicts(std::span(twice, 1)));
    ports.remove(std::span(twice, 1));
    EXPECT_FALSE(ports.conflicts(std::span(twice, 1)));
    EXPECT_TRUE(ports.empty());
}

TEST(HostPorts, order_does_not_matter) {
    const HostPort a{80, tcp, 3};
    const HostPort b{80, tcp, 0};
    const HostPort c{79, udp, 5};
    HostPorts one;
    HostPorts other;
    for (const HostPort& port : {a, b, c}) {
        one.add(std::span(&port, 1));
    }
    for (const HostPort& port : {c, b, a}) {
        other.add(std::span(&port, 1));
    }
    EXPECT_EQ(one, other);
}

}  // namespace
}  // namespace bayplan
