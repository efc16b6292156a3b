// The L2/L3 functions frame by frame: what is good is answered exactly, every malformed variant has
// its own reason, and no function reads or writes outside its bytes (run under ASan on heap
// buffers).
#include "net/l2l3.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include "l2l3_frames.h"
#include "l2l3_malformed.h"
#include "net/udp_address.h"

namespace bayplan::dataplane::test {
namespace {

FrameResult handle(Frame8& frame) { return handle_frame(frame, kStation); }

TEST(L2l3, udp_to_our_port_is_a_datagram_with_its_path) {
    Frame8 frame = make_udp("hello");
    const FrameResult result = handle(frame);
    ASSERT_EQ(result.action, FrameAction::datagram);
    EXPECT_EQ(std::string(result.payload.begin(), result.payload.end()), "hello");
    EXPECT_EQ(result.payload.data(), frame.data() + 42);
    EXPECT_EQ(result.path.local, ipv4_address(kOwnIp, kOwnPort));
    EXPECT_EQ(result.path.remote, ipv4_address(kPeerIp, kPeerPort));
    EXPECT_TRUE(std::ranges::equal(result.path.remote_mac, kPeerMac));
}

Frame8 our_packet() {
    Frame8 frame(42 + 1'452);
    Path path;
    path.local = ipv4_address(kOwnIp, kOwnPort);
    path.remote = ipv4_address(0x0a610007, 50'001);
    build_udp_headers(frame, kStation, path);
    return frame;
}

TEST(L2l3, a_router_that_takes_no_packet_of_ours_so_long_is_heard) {
    Frame8 frame = make_too_big(our_packet(), 1'400);
    const FrameResult result = handle(frame);
    ASSERT_EQ(result.action, FrameAction::too_big);
    EXPECT_EQ(result.mtu, 1'400u);
    EXPECT_EQ(result.path.remote, ipv4_address(0x0a610007, 50'001));
    const auto reason_of = [](Frame8 changed) {
        const FrameResult heard = handle(changed);
        return heard.action == FrameAction::drop ? std::string(to_string(heard.reason)) : "heard";
    };
    for (const std::size_t at : {14 + 12, 14 + 9, 14 + 20}) {  // of another's address, protocol, port
        Frame8 other = our_packet();
        other[at] ^= 1;
        EXPECT_EQ(reason_of(make_too_big(other, 1'400)), "icmp_type") << at;
    }
    Frame8 damaged = make_too_big(our_packet(), 1'400);
    damaged.back() ^= 1;
    EXPECT_EQ(reason_of(damaged), "icmp_checksum");
    Frame8 body = {3, 4, 0, 0, 0, 0, 5, 0, 0x45};
    seal(body, 0, body.size(), 2);
    EXPECT_EQ(reason_of(make_ip(body, {.protocol = 1})), "icmp_short");
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
            EXPECT_EQ(frame,
                      make_echo(data, {.to = kPeerMac, .from = kOwnMac, .source = kOwnIp, .destination = kPeerIp}, 0));
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
    for (const Malformed& one : malformed_frames6()) caused.insert(one.reason);
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
    const Frame8 whole[] = {make_udp("payload of some length"), make_echo(Frame8(30, 7)), make_arp()};
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
        Frame8 frame(42 + size, 0x5a);
        const Station peer = {kPeerMac, kPeerIp, kPeerPort};
        ASSERT_EQ(udp_headers_size(peer, path), 42u);
        build_udp_headers(frame, peer, path);
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
