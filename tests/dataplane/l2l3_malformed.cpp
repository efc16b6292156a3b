// See l2l3_malformed.h.
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

}  // namespace

const std::vector<Malformed>& malformed_frames() {
    using R = DropReason;
    static const auto udp = [](const std::function<void(Frame8&)>& change) { return changed(make_udp("x"), change); };
    static const auto arp = [](const std::function<void(Frame8&)>& change) { return changed(make_arp(), change); };
    static const auto echo = [](const std::function<void(Frame8&)>& change) {
        return changed(make_echo({0, 1, 0, 1}), change);
    };
    static const auto sealed = [](const std::function<void(Frame8&)>& change) { return changed(udp(change), seal_ip); };
    static const std::vector<Malformed> all = {
        {R::frame_short, "nothing", [] { return Frame8{}; }},
        {R::frame_short, "13 bytes", [] { return cut(make_udp("x"), 13); }},
        {R::vlan, "802.1Q", [] { return udp([](Frame8& f) { set16(f, 12, 0x8100); }); }},
        {R::vlan, "802.1ad", [] { return udp([](Frame8& f) { set16(f, 12, 0x88a8); }); }},
        {R::source_mac, "from a group", [] { return make_udp("x", {.from = kAll}); }},
        {R::source_mac, "from nobody", [] { return make_udp("x", {.from = MacAddress{}}); }},
        {R::other_mac, "somebody else's", [] { return make_udp("x", {.to = kPeerMac}); }},
        {R::other_mac, "multicast",
         [] {
             return make_udp("x", {.to = {1, 0, 0x5e, 0, 0, 1}});
         }},
        {R::ethertype, "IPv6", [] { return udp([](Frame8& f) { set16(f, 12, 0x86dd); }); }},
        {R::ethertype, "802.3 length", [] { return udp([](Frame8& f) { set16(f, 12, 40); }); }},
        {R::arp_short, "41 bytes", [] { return cut(make_arp(), 41); }},
        {R::arp_malformed, "hardware", [] { return arp([](Frame8& f) { set16(f, 14, 6); }); }},
        {R::arp_malformed, "protocol", [] { return arp([](Frame8& f) { set16(f, 16, 0x86dd); }); }},
        {R::arp_malformed, "lengths", [] { return arp([](Frame8& f) { set16(f, 18, 0x0604 + 1); }); }},
        {R::arp_malformed, "operation 0", [] { return make_arp({.operation = 0}); }},
        {R::arp_malformed, "operation 3", [] { return make_arp({.operation = 3}); }},
        {R::arp_malformed, "sender is a group", [] { return make_arp({.sender_mac = kAll}); }},
        {R::arp_malformed, "sender is multicast", [] { return make_arp({.sender_ip = 0xe0000001}); }},
        {R::arp_malformed, "reply from 0.0.0.0", [] { return make_arp({.operation = 2, .sender_ip = 0}); }},
        {R::arp_other, "for somebody else", [] { return make_arp({.target_ip = kOwnIp + 1}); }},
        {R::arp_other, "a probe for nothing", [] { return make_arp({.sender_ip = 0, .target_ip = 0}); }},
        {R::arp_conflict, "our address claimed", [] { return make_arp({.sender_ip = kOwnIp, .target_ip = kOwnIp}); }},
        {R::ip_short, "33 bytes", [] { return cut(make_udp("x"), 33); }},
        {R::ip_version, "version 6", [] { return sealed([](Frame8& f) { f[14] = 0x65; }); }},
        {R::ip_header_length, "IHL 4", [] { return sealed([](Frame8& f) { f[14] = 0x44; }); }},
        {R::ip_header_length, "IHL beyond the frame", [] { return udp([](Frame8& f) { f[14] = 0x4f; }); }},
        {R::ip_total_length, "below the header", [] { return sealed([](Frame8& f) { set16(f, 16, 19); }); }},
        {R::ip_total_length, "beyond the frame", [] { return sealed([](Frame8& f) { set16(f, 16, 30); }); }},
        {R::ip_checksum, "one bit off", [] { return udp([](Frame8& f) { f[25] ^= 1; }); }},
        {R::ip_fragment, "first fragment", [] { return make_udp("x", {.fragment = 0x2000}); }},
        {R::ip_fragment, "last fragment", [] { return make_udp("x", {.fragment = 0x0001}); }},
        {R::ip_fragment, "far offset", [] { return make_udp("x", {.fragment = 0x1fff}); }},
        {R::ip_ttl, "ttl 0", [] { return make_udp("x", {.ttl = 0}); }},
        {R::ip_source, "from 0.0.0.0", [] { return make_udp("x", {.source = 0}); }},
        {R::ip_source, "from loopback", [] { return make_udp("x", {.source = 0x7f000001}); }},
        {R::ip_source, "from multicast", [] { return make_udp("x", {.source = 0xe0000001}); }},
        {R::ip_source, "from broadcast", [] { return make_udp("x", {.source = 0xffffffff}); }},
        {R::ip_source, "from ourselves", [] { return make_udp("x", {.source = kOwnIp}); }},
        {R::ip_destination, "somebody else's", [] { return make_udp("x", {.destination = kOwnIp + 1}); }},
        {R::ip_destination, "broadcast", [] { return make_udp("x", {.to = kAll, .destination = 0xffffffff}); }},
        {R::ip_link_broadcast, "ours, to every station", [] { return make_udp("x", {.to = kAll}); }},
        {R::ip_protocol, "TCP", [] { return make_udp("x", {.protocol = 6}); }},
        {R::icmp_short, "7 bytes", [] { return make_ip(Frame8(7, 0), {.protocol = 1}); }},
        {R::icmp_type, "echo reply",
         [] {
             return make_echo({0, 1, 0, 1}, {}, 0);
         }},
        {R::icmp_type, "redirect",
         [] {
             return make_echo({0, 1, 0, 1}, {}, 5);
         }},
        {R::icmp_type, "code 1", [] { return echo([](Frame8& f) { f[35] = 1; }); }},
        {R::icmp_options, "source route",
         [] {
             return make_echo({0, 1, 0, 1}, {.options = {131, 3, 4, 0}});
         }},
        {R::icmp_checksum, "one bit off", [] { return echo([](Frame8& f) { f[38] ^= 1; }); }},
        {R::udp_short, "7 bytes", [] { return make_ip(Frame8(7, 1)); }},
        {R::udp_length, "7", [] { return udp([](Frame8& f) { set16(f, 38, 7); }); }},
        {R::udp_length, "beyond the packet", [] { return udp([](Frame8& f) { set16(f, 38, 10); }); }},
        {R::udp_length, "only padding covers it", [] { return cut(udp([](Frame8& f) { set16(f, 38, 10); }), 60); }},
        {R::udp_source_port, "0", [] { return make_udp("x", {}, 0); }},
        {R::udp_port, "4434", [] { return make_udp("x", {}, kPeerPort, kOwnPort + 1); }},
        {R::udp_empty, "no payload", [] { return make_udp(""); }},
    };
    return all;
}

}  // namespace bayplan::dataplane::test
