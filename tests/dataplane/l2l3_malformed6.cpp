// See l2l3_malformed.h.
#include "l2l3_frames6.h"
#include "l2l3_malformed.h"

namespace bayplan::dataplane::test {
namespace {

Frame8 cut(Frame8 frame, std::size_t size) {
    frame.resize(size);
    return frame;
}

Frame8 changed(Frame8 frame, const std::function<void(Frame8&)>& change) {
    change(frame);
    return frame;
}

const Frame8 kData = {0, 1, 0, 1};

// Headers and addresses.
std::vector<Malformed> broken_packets() {
    using R = DropReason;
    static const auto udp = [](const std::function<void(Frame8&)>& change) { return changed(make_udp6("x"), change); };
    static constexpr Ipv6Address kLoopback = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    return {
        {R::vlan, "tagged", [] { return tagged(make_udp6("x")); }},
        {R::other_mac, "somebody else's group",
         [] {
             return make_udp6("x", {.to = {0x33, 0x33, 0xff, 0, 0, 9}});
         }},
        {R::other_mac, "IPv4 to an IPv6 group", [] { return make_udp("x", {.to = kOwnGroupMac}); }},
        {R::ip_short, "39 bytes", [] { return cut(make_udp6("x"), 53); }},
        {R::ip_version, "version 4", [] { return udp([](Frame8& f) { f[14] = 0x45; }); }},
        {R::ip_total_length, "beyond the frame", [] { return udp([](Frame8& f) { set16(f, 18, 10); }); }},
        {R::ip_destination, "somebody else's", [] { return make_udp6("x", {.destination = kOtherIp6}); }},
        {R::ip_destination, "UDP to all nodes",
         [] { return make_udp6("x", {.to = kAllNodesMac6, .destination = kAllNodes6}); }},
        {R::ip_destination, "echo to all nodes",
         [] { return make_echo6(kData, {.to = kAllNodesMac6, .destination = kAllNodes6}); }},
        {R::ip_link_broadcast, "ours, to a group", [] { return make_udp6("x", {.to = kOwnGroupMac}); }},
        {R::ip_link_broadcast, "ours, to every station", [] { return make_udp6("x", {.to = kAll}); }},
        {R::ip_ttl, "hop limit 0", [] { return make_udp6("x", {.hop_limit = 0}); }},
        {R::ip_source, "UDP from nobody", [] { return make_udp6("x", {.source = kNobody6}); }},
        {R::ip_source, "echo from nobody", [] { return make_echo6(kData, {.source = kNobody6}); }},
        {R::ip_source, "from loopback", [] { return make_udp6("x", {.source = kLoopback}); }},
        {R::ip_source, "from a group", [] { return make_udp6("x", {.source = kAllNodes6}); }},
        {R::ip_source, "from an IPv4 address",
         [] {
             return make_udp6("x", {.source = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 1}});
         }},
        {R::ip_source, "UDP from ourselves", [] { return make_udp6("x", {.source = kOwnIp6}); }},
        {R::ip_source, "echo from ourselves", [] { return make_echo6(kData, {.source = kOwnIp6}); }},
        {R::ip_hop_by_hop, "router alert",
         [] {
             return make_ip6({17, 0, 5, 2, 0, 0, 1, 0}, {.next = 0});
         }},
        {R::ip_fragment, "a fragment",
         [] {
             return make_ip6({17, 0, 0, 1, 0, 0, 0, 1}, {.next = 44});
         }},
        {R::ip_protocol, "routing header", [] { return make_ip6(Frame8(8, 0), {.next = 43}); }},
        {R::ip_protocol, "destination options", [] { return make_ip6(Frame8(8, 0), {.next = 60}); }},
        {R::ip_protocol, "TCP", [] { return make_ip6(Frame8(20, 0), {.next = 6}); }},
        {R::udp_short, "7 bytes", [] { return make_ip6(Frame8(7, 1)); }},
        {R::udp_short, "no body", [] { return make_ip6({}); }},
        {R::udp_length, "7", [] { return udp([](Frame8& f) { set16(f, 58, 7); }); }},
        {R::udp_length, "only padding covers it", [] { return cut(udp([](Frame8& f) { set16(f, 58, 10); }), 70); }},
        {R::udp_source_port, "0", [] { return make_udp6("x", {}, 0); }},
        {R::udp_port, "4434", [] { return make_udp6("x", {}, kPeerPort, kOwnPort + 1); }},
        {R::udp_no_checksum, "0", [] { return udp([](Frame8& f) { set16(f, 60, 0); }); }},
        {R::udp_empty, "no payload", [] { return make_udp6(""); }},
    };
}

std::vector<Malformed> broken_messages() {
    using R = DropReason;
    return {
        {R::icmp_short, "7 bytes",
         [] {
             return make_icmp6(128, 0, {0, 1, 0});
         }},
        {R::icmp_type, "echo reply", [] { return make_echo6(kData, {}, 129); }},
        {R::icmp_type, "router advertisement",
         [] {
             return make_icmp6(134, 0, Frame8(12, 0),
                               {.to = kAllNodesMac6, .destination = kAllNodes6, .hop_limit = 255});
         }},
        {R::icmp_type, "redirect", [] { return make_icmp6(137, 0, Frame8(36, 0), {.hop_limit = 255}); }},
        {R::icmp_type, "code 1", [] { return make_icmp6(128, 1, kData); }},
        {R::icmp_checksum, "one bit off", [] { return changed(make_echo6(kData), [](Frame8& f) { f[58] ^= 1; }); }},
        {R::icmp_checksum, "a question, one bit off",
         [] { return changed(make_ndp(), [](Frame8& f) { f[60] ^= 1; }); }},
        {R::ndp_malformed, "passed on by a router", [] { return make_ndp({.hop_limit = 254}); }},
        {R::ndp_malformed, "no target", [] { return make_icmp6(135, 0, Frame8(19, 0), {.hop_limit = 255}); }},
        {R::ndp_malformed, "target is a group", [] { return make_ndp({.target = kAllNodes6}); }},
        {R::ndp_malformed, "option of size 0", [] { return make_ndp({.options = Frame8(8, 0)}); }},
        {R::ndp_malformed, "option beyond the packet",
         [] {
             return make_ndp({.options = {1, 2, 2, 0, 0, 0, 0, 1}});
         }},
        {R::ndp_malformed, "half an option",
         [] {
             return make_ndp({.options = {1, 1, 2, 0}});
         }},
        {R::ndp_malformed, "a group as link address", [] { return make_ndp({.options = link_option(1, kAll)}); }},
        {R::ndp_malformed, "a long link address",
         [] {
             return make_ndp({.options = {1, 2, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}});
         }},
        {R::ndp_malformed, "a search that names its sender", [] { return make_ndp({.source = kNobody6}); }},
        {R::ndp_malformed, "a search that is not for the group",
         [] { return make_ndp({.to = kOwnMac, .source = kNobody6, .destination = kOwnIp6, .options = {}}); }},
        {R::ndp_malformed, "solicited, to all",
         [] { return make_advertisement({.to = kAllNodesMac6, .destination = kAllNodes6, .flags = 0x40}); }},
        {R::ndp_malformed, "an announcement of nothing",
         [] {
             return make_advertisement(
                 {.to = kAllNodesMac6, .destination = kAllNodes6, .options = {14, 1, 0, 0, 0, 0, 0, 0}});
         }},
        {R::ndp_malformed, "an advertisement of nobody", [] { return make_advertisement({.target = kNobody6}); }},
        {R::ndp_other, "for somebody of our group",
         [] {
             return make_ndp({.target = {0xfd, 0x98, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xab, 0xcd, 2}});
         }},
        {R::ip_source, "a question from ourselves", [] { return make_ndp({.source = kOwnIp6}); }},
        {R::ndp_conflict, "our address claimed",
         [] {
             return make_ndp({.type = 136,
                              .to = kAllNodesMac6,
                              .source = kOwnIp6,
                              .destination = kAllNodes6,
                              .flags = 0x20,
                              .options = link_option(2, kPeerMac)});
         }},
    };
}

}  // namespace

const std::vector<Malformed>& malformed_frames6() {
    static const std::vector<Malformed> all = [] {
        std::vector<Malformed> both = broken_packets();
        for (Malformed& one : broken_messages()) both.push_back(std::move(one));
        return both;
    }();
    return all;
}

}  // namespace bayplan::dataplane::test
