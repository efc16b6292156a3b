// The L2/L3 functions frame by frame: what is good is answered exactly, every malformed variant has
// its own reason, and no function reads or writes outside its bytes (run under ASan on heap
// buffers).
#include "l2l3.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <string>

#include "l2l3_frames.h"
#include "udp_address.h"

namespace bayplan::dataplane::test {
namespace {

FrameResult handle(Frame8& frame) { return handle_frame(frame, kStation); }

TEST(L2l3, udp_to_our_port_is_a_datagram_with_its_path) {
    Frame8 frame = make_udp("hello");
    const FrameResult result = handle(frame);
    ASSERT_EQ(result.action, FrameAction::datagram);
    EXPECT_EQ(std::string(result.payload.begin(), result.payload.end()), "hello");
    EXPECT_EQ(result.payload.data(), frame.data() + kUdpHeadersBytes);
    EXPECT_EQ(result.path.local, ipv4_address(kOwnIp, kOwnPort));
    EXPECT_EQ(result.path.remote, ipv4_address(kPeerIp, kPeerPort));
    EXPECT_TRUE(std::ranges::equal(result.path.remote_mac, kPeerMac));
}

TEST(L2l3, ethernet_padding_and_ip_options_are_not_payload) {
    IpOptions with_options;
    with_options.options = {1, 1, 1, 0};
    Frame8 frame = make_udp("ab", with_options);
    frame.resize(60, 0xee);
    const FrameResult result = handle(frame);
    ASSERT_EQ(result.action, FrameAction::datagram);
    EXPECT_EQ(std::string(result.payload.begin(), result.payload.end()), "ab");
}

TEST(L2l3, a_udp_length_below_the_packet_ends_the_payload) {
    Frame8 frame = make_udp("abcdef");
    set16(frame, 38, 8 + 3);
    const FrameResult result = handle(frame);
    ASSERT_EQ(result.action, FrameAction::datagram);
    EXPECT_EQ(std::string(result.payload.begin(), result.payload.end()), "abc");
}

TEST(L2l3, arp_request_for_us_becomes_our_reply) {
    Frame8 frame = make_arp();
    frame.resize(60, 0xee);
    const FrameResult result = handle(frame);
    ASSERT_EQ(result.action, FrameAction::arp_reply);
    EXPECT_EQ(result.sender_ip, kPeerIp);
    EXPECT_EQ(result.sender_mac, kPeerMac);
    Frame8 expected;
    put(expected, kPeerMac);
    put(expected, kOwnMac);
    for (unsigned word : {0x0806u, 1u, 0x0800u, 0x0604u, 2u}) put16(expected, word);
    put(expected, kOwnMac);
    put32(expected, kOwnIp);
    put(expected, kPeerMac);
    put32(expected, kPeerIp);
    expected.resize(60, 0);
    EXPECT_EQ(frame, expected);
}

TEST(L2l3, arp_probe_is_answered_and_teaches_nothing) {
    Frame8 frame = make_arp({.sender_ip = 0});
    const FrameResult result = handle(frame);
    EXPECT_EQ(result.action, FrameAction::arp_reply);
    EXPECT_EQ(result.sender_ip, 0u);
}

TEST(L2l3, arp_replies_and_announcements_are_news) {
    Frame8 reply = make_arp({.operation = 2, .to = kOwnMac});
    Frame8 announcement = make_arp({.target_ip = kPeerIp});
    Frame8 announcing_reply = make_arp({.operation = 2, .target_ip = kPeerIp});
    for (Frame8* frame : {&reply, &announcement, &announcing_reply}) {
        const Frame8 before = *frame;
        const FrameResult result = handle(*frame);
        EXPECT_EQ(result.action, FrameAction::arp_news);
        EXPECT_EQ(result.sender_ip, kPeerIp);
        EXPECT_EQ(result.sender_mac, kPeerMac);
        EXPECT_EQ(*frame, before);
    }
}

TEST(L2l3, echo_request_becomes_an_echo_reply_with_right_checksums) {
    std::mt19937 random(1);
    for (std::size_t size : {4u, 5u, 60u, 61u, 1472u}) {
        for (int round = 0; round < 50; ++round) {
            Frame8 data(size);
            for (auto& byte : data) byte = static_cast<std::uint8_t>(random());
            Frame8 frame = make_echo(data);
            ASSERT_EQ(handle(frame).action, FrameAction::icmp_reply);
            EXPECT_EQ(
                frame,
                make_echo(
                    data,
                    {.to = kPeerMac, .from = kOwnMac, .source = kOwnIp, .destination = kPeerIp},
                    0));
        }
    }
}

TEST(L2l3, an_echo_of_zeros_has_a_right_checksum_too) {
    const Frame8 zeros(12, 0);
    Frame8 frame = make_echo(zeros);
    ASSERT_EQ(handle(frame).action, FrameAction::icmp_reply);
    EXPECT_EQ(sum_by_the_book(frame, 34, 16), 0xffffu);
}

TEST(L2l3, padding_behind_an_echo_is_cleared) {
    Frame8 frame = make_echo({1, 2, 3, 4});
    const std::size_t used = frame.size();
    frame.resize(60, 0xee);
    ASSERT_EQ(handle(frame).action, FrameAction::icmp_reply);
    EXPECT_TRUE(std::all_of(frame.begin() + static_cast<std::ptrdiff_t>(used), frame.end(),
                            [](std::uint8_t byte) { return byte == 0; }));
}

struct Malformed {
    DropReason reason;
    const char* what;
    std::function<Frame8()> make;
};

Frame8 cut(Frame8 frame, std::size_t size) {
    frame.resize(size);
    return frame;
}

Frame8 changed(Frame8 frame, const std::function<void(Frame8&)>& change) {
    change(frame);
    return frame;
}

const std::vector<Malformed>& malformed_frames() {
    using R = DropReason;
    static const auto udp = [](const std::function<void(Frame8&)>& change) {
        return changed(make_udp("x"), change);
    };
    static const auto arp = [](const std::function<void(Frame8&)>& change) {
        return changed(make_arp(), change);
    };
    static const auto echo = [](const std::function<void(Frame8&)>& change) {
        return changed(make_echo({0, 1, 0, 1}), change);
    };
    static const auto sealed = [](const std::function<void(Frame8&)>& change) {
        return changed(udp(change), seal_ip);
    };
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
        {R::arp_malformed, "lengths",
         [] { return arp([](Frame8& f) { set16(f, 18, 0x0604 + 1); }); }},
        {R::arp_malformed, "operation 0", [] { return make_arp({.operation = 0}); }},
        {R::arp_malformed, "operation 3", [] { return make_arp({.operation = 3}); }},
        {R::arp_malformed, "sender is a group", [] { return make_arp({.sender_mac = kAll}); }},
        {R::arp_malformed, "sender is multicast",
         [] { return make_arp({.sender_ip = 0xe0000001}); }},
        {R::arp_malformed, "reply from 0.0.0.0",
         [] { return make_arp({.operation = 2, .sender_ip = 0}); }},
        {R::arp_other, "for somebody else", [] { return make_arp({.target_ip = kOwnIp + 1}); }},
        {R::arp_conflict, "our address claimed",
         [] { return make_arp({.sender_ip = kOwnIp, .target_ip = kOwnIp}); }},
        {R::ip_short, "33 bytes", [] { return cut(make_udp("x"), 33); }},
        {R::ip_version, "version 6", [] { return sealed([](Frame8& f) { f[14] = 0x65; }); }},
        {R::ip_header_length, "IHL 4", [] { return sealed([](Frame8& f) { f[14] = 0x44; }); }},
        {R::ip_header_length, "IHL beyond the frame",
         [] { return udp([](Frame8& f) { f[14] = 0x4f; }); }},
        {R::ip_total_length, "below the header",
         [] { return sealed([](Frame8& f) { set16(f, 16, 19); }); }},
        {R::ip_total_length, "beyond the frame",
         [] { return sealed([](Frame8& f) { set16(f, 16, 30); }); }},
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
        {R::ip_destination, "somebody else's",
         [] { return make_udp("x", {.destination = kOwnIp + 1}); }},
        {R::ip_destination, "broadcast",
         [] { return make_udp("x", {.to = kAll, .destination = 0xffffffff}); }},
        {R::ip_link_broadcast, "ours, to every station",
         [] { return make_udp("x", {.to = kAll}); }},
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
        {R::udp_length, "beyond the packet",
         [] { return udp([](Frame8& f) { set16(f, 38, 10); }); }},
        {R::udp_length, "only padding covers it",
         [] { return cut(udp([](Frame8& f) { set16(f, 38, 10); }), 60); }},
        {R::udp_source_port, "0", [] { return make_udp("x", {}, 0); }},
        {R::udp_port, "4434", [] { return make_udp("x", {}, kPeerPort, kOwnPort + 1); }},
        {R::udp_empty, "no payload", [] { return make_udp(""); }},
    };
    return all;
}

TEST(L2l3, every_malformed_frame_is_dropped_with_its_reason_and_left_as_it_is) {
    for (const Malformed& one : malformed_frames()) {
        Frame8 frame = one.make();
        const Frame8 before = frame;
        const FrameResult result = handle(frame);
        EXPECT_EQ(result.action, FrameAction::drop) << one.what;
        EXPECT_EQ(to_string(result.reason), to_string(one.reason)) << one.what;
        EXPECT_EQ(frame, before) << one.what;
    }
}

TEST(L2l3, every_reason_has_a_name_of_its_own_and_a_frame_that_causes_it) {
    std::set<DropReason> caused;
    for (const Malformed& one : malformed_frames()) caused.insert(one.reason);
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < kDropReasonCount; ++i) {
        const auto reason = static_cast<DropReason>(i);
        EXPECT_FALSE(to_string(reason).empty());
        names.insert(to_string(reason));
        // The port itself finds this one, from the chain of buffers.
        if (reason == DropReason::frame_segmented) continue;
        EXPECT_TRUE(caused.contains(reason)) << to_string(reason);
    }
    EXPECT_EQ(names.size(), kDropReasonCount);
}

TEST(L2l3, a_frame_cut_anywhere_is_never_more_than_what_it_holds) {
    const Frame8 whole[] = {make_udp("payload of some length"), make_echo(Frame8(30, 7)),
                            make_arp()};
    for (const Frame8& frame : whole) {
        for (std::size_t size = 0; size < frame.size(); ++size) {
            Frame8 part(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(size));
            part.shrink_to_fit();
            EXPECT_EQ(handle(part).action, FrameAction::drop) << size;
        }
    }
}

TEST(L2l3, built_headers_are_read_back_by_the_other_side) {
    Path path;
    path.local = ipv4_address(kPeerIp, kPeerPort);
    path.remote = ipv4_address(kOwnIp, kOwnPort);
    std::ranges::copy(kOwnMac, path.remote_mac);
    for (std::size_t size : {1u, 7u, 1452u, 1472u}) {
        Frame8 frame(kUdpHeadersBytes + size, 0x5a);
        build_udp_headers(std::span<std::uint8_t, kUdpHeadersBytes>(frame.data(), kUdpHeadersBytes),
                          kPeerMac, path, size);
        EXPECT_EQ(sum_by_the_book(frame, 14, 20), 0xffffu);
        EXPECT_EQ(get16(frame, 20), 0x4000u) << "must not be fragmented";
        EXPECT_EQ(get16(frame, 40), 0u) << "no UDP checksum";
        const FrameResult result = handle(frame);
        ASSERT_EQ(result.action, FrameAction::datagram);
        EXPECT_EQ(result.payload.size(), size);
        EXPECT_EQ(result.path.remote, path.local);
        EXPECT_TRUE(std::ranges::equal(result.path.remote_mac, kPeerMac));
    }
}

TEST(L2l3, our_arp_request_is_answered_by_another_station_and_the_answer_is_news) {
    const Station other = {kPeerMac, kPeerIp, 1};
    Frame8 frame(kArpFrameBytes, 0xee);
    const std::span<std::uint8_t, kArpFrameBytes> bytes(frame.data(), kArpFrameBytes);
    build_arp_request(bytes, kStation, kPeerIp);
    ASSERT_EQ(handle_frame(frame, other).action, FrameAction::arp_reply);
    const FrameResult news = handle_frame(frame, kStation);
    ASSERT_EQ(news.action, FrameAction::arp_news);
    EXPECT_EQ(news.sender_mac, kPeerMac);

    build_arp_request(bytes, kStation, kOwnIp);
    const FrameResult announced = handle_frame(frame, other);
    ASSERT_EQ(announced.action, FrameAction::arp_news);
    EXPECT_EQ(announced.sender_ip, kOwnIp);
}

TEST(L2l3, checksum_of_the_example_in_rfc_1071) {
    const Frame8 bytes = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};
    EXPECT_EQ(internet_checksum(bytes), 0xffff - 0xddf2);
    EXPECT_EQ(internet_checksum(Frame8{0x12}), 0xffff - 0x1200);
}

TEST(L2l3, only_unicast_addresses_are_hosts) {
    for (Ipv4Address host : {kOwnIp, 0x01000000u, 0xdfffffffu}) EXPECT_TRUE(is_usable_host(host));
    for (Ipv4Address other : {0u, 0x00ffffffu, 0x7f000001u, 0xe0000000u, 0xffffffffu}) {
        EXPECT_FALSE(is_usable_host(other)) << other;
    }
}

}  // namespace
}  // namespace bayplan::dataplane::test
