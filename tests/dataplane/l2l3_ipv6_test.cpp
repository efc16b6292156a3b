// IPv6, neighbour discovery and VLAN tags frame by frame, as l2l3_test does for IPv4 and ARP.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "l2l3_frames6.h"
#include "l2l3_malformed.h"
#include "net/l2l3.h"
#include "net/udp_address.h"

namespace bayplan::dataplane::test {
namespace {

FrameResult handle(Frame8& frame, const Station& own = kStation6) { return handle_frame(frame, own); }

std::string text(std::span<const std::uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

UdpAddress address6(const Ipv6Address& ip, std::uint16_t port) {
    UdpAddress out;
    std::ranges::copy(ip, out.ip);
    out.port = port;
    return out;
}

TEST(L2l3Ipv6, udp_to_our_port_is_a_datagram_with_its_path) {
    Frame8 frame = make_udp6("hello");
    frame.resize(80, 0xee);
    const FrameResult result = handle(frame);
    ASSERT_EQ(result.action, FrameAction::datagram);
    EXPECT_EQ(text(result.payload), "hello");
    EXPECT_EQ(result.path.local, address6(kOwnIp6, kOwnPort));
    EXPECT_EQ(result.path.remote, address6(kPeerIp6, kPeerPort));
    EXPECT_TRUE(std::ranges::equal(result.path.remote_mac, kPeerMac));
}

Frame8 our_packet6() {
    Frame8 frame(62 + 1'452);
    Path path;
    path.local = address6(kOwnIp6, kOwnPort);
    path.remote = address6(kOtherIp6, 50'001);
    build_udp_headers(frame, kStation6, path);
    return frame;
}

TEST(L2l3Ipv6, a_router_that_takes_no_packet_of_ours_so_long_is_heard) {
    Frame8 frame = make_too_big6(our_packet6(), 1'400);
    const FrameResult result = handle(frame);
    ASSERT_EQ(result.action, FrameAction::too_big);
    EXPECT_EQ(result.mtu, 1'400u);
    EXPECT_EQ(result.path.remote, address6(kOtherIp6, 50'001));
    const auto reason_of = [](Frame8 changed) {
        const FrameResult heard = handle(changed);
        return heard.action == FrameAction::drop ? std::string(to_string(heard.reason)) : "heard";
    };
    for (const std::size_t at : {14, 14 + 6, 14 + 8, 14 + 40}) {  // of another's version, protocol, address, port
        Frame8 other = our_packet6();
        other[at] ^= 0x10;
        EXPECT_EQ(reason_of(make_too_big6(other, 1'400)), "icmp_type") << at;
    }
    Frame8 damaged = make_too_big6(our_packet6(), 1'400);
    damaged.back() ^= 1;
    EXPECT_EQ(reason_of(damaged), "icmp_checksum");
    EXPECT_EQ(reason_of(make_icmp6(2, 0, Frame8(4 + 47, 0x60))), "icmp_short");
    EXPECT_EQ(reason_of(make_too_big6(our_packet6(), 1'400, {.to = kAllNodesMac6, .destination = kAllNodes6})),
              "ip_destination");
}

TEST(L2l3Ipv6, a_station_of_both_versions_answers_in_both_and_one_of_ipv6_in_one) {
    Frame8 udp4 = make_udp("four");
    EXPECT_EQ(handle(udp4).action, FrameAction::datagram);
    Station only6 = kStation6;
    only6.ip = 0;
    Frame8 arp = make_arp();
    EXPECT_EQ(handle(udp4, only6).reason, DropReason::ethertype);
    EXPECT_EQ(handle(arp, only6).reason, DropReason::ethertype);
    Frame8 udp6 = make_udp6("six");
    EXPECT_EQ(handle(udp6, only6).action, FrameAction::datagram);
}

TEST(L2l3Ipv6, echo_request_becomes_an_echo_reply_with_a_right_checksum) {
    std::mt19937 random(1);
    for (std::size_t size : {4u, 5u, 60u, 61u, 1452u}) {
        for (int round = 0; round < 50; ++round) {
            Frame8 data(size);
            for (auto& byte : data) byte = static_cast<std::uint8_t>(random());
            Frame8 frame = make_echo6(data);
            ASSERT_EQ(handle(frame).action, FrameAction::icmp_reply);
            EXPECT_EQ(
                frame,
                make_echo6(data, {.to = kPeerMac, .from = kOwnMac, .source = kOwnIp6, .destination = kPeerIp6}, 129));
        }
    }
}

TEST(L2l3Ipv6, a_question_for_our_address_is_to_be_answered) {
    Frame8 to_group = make_ndp();
    Frame8 to_us = make_ndp({.to = kOwnMac, .destination = kOwnIp6, .options = {}});
    Frame8 with_nonce = make_ndp({.options = {1, 1, 2, 0, 0, 0, 0, 1, 14, 1, 9, 9, 9, 9, 9, 9}});
    for (Frame8* frame : {&to_group, &to_us, &with_nonce}) {
        const Frame8 before = *frame;
        const FrameResult result = handle(*frame);
        ASSERT_EQ(result.action, FrameAction::ndp_question);
        EXPECT_EQ(result.sender_ip6, kPeerIp6);
        EXPECT_EQ(result.sender_mac, kPeerMac);
        EXPECT_EQ(*frame, before);
    }
}

TEST(L2l3Ipv6, a_search_for_duplicates_is_answered_to_all_and_teaches_nothing) {
    Frame8 frame = make_ndp({.source = kNobody6, .options = {}});
    const FrameResult result = handle(frame);
    ASSERT_EQ(result.action, FrameAction::ndp_question);
    EXPECT_EQ(result.sender_ip6, kNobody6);
    Frame8 answer(14 + kNdpBytes, 0xee);
    build_advertisement(answer, kStation6, result.sender_ip6, result.sender_mac);
    EXPECT_EQ(sum6_by_the_book(answer, answer.size() - 54), 0xffffu);
    EXPECT_EQ(answer[54 + 4], 0x20) << "not solicited, and what others remember is overridden";
    EXPECT_TRUE(std::equal(kAllNodesMac6.begin(), kAllNodesMac6.end(), answer.begin()));
}

TEST(L2l3Ipv6, our_answer_to_a_question_is_news_to_who_asked) {
    Frame8 frame = make_ndp();
    const FrameResult question = handle(frame);
    Frame8 answer(14 + kNdpBytes, 0xee);
    build_advertisement(answer, kStation6, question.sender_ip6, question.sender_mac);
    Frame8 expected;
    {
        Frame8 rest;
        put32(rest, 0x60000000);  // solicited, override
        put(rest, kOwnIp6);
        append(rest, link_option(2, kOwnMac));
        expected =
            make_icmp6(136, 0, rest,
                       {.to = kPeerMac, .from = kOwnMac, .source = kOwnIp6, .destination = kPeerIp6, .hop_limit = 255});
    }
    EXPECT_EQ(answer, expected);
    Station peer;
    peer.mac = kPeerMac;
    peer.ip6 = kPeerIp6;
    const FrameResult news = handle(answer, peer);
    ASSERT_EQ(news.action, FrameAction::ndp_news);
    EXPECT_EQ(news.sender_ip6, kOwnIp6);
    EXPECT_EQ(news.sender_mac, kOwnMac);
}

TEST(L2l3Ipv6, our_question_is_answered_by_the_other_station_and_no_other) {
    Station peer;
    peer.mac = kPeerMac;
    peer.ip6 = kPeerIp6;
    Frame8 question(14 + kNdpBytes, 0xee);
    build_solicitation(question, kStation6, kPeerIp6);
    EXPECT_EQ(sum6_by_the_book(question, question.size() - 54), 0xffffu);
    const FrameResult taken = handle(question, peer);
    ASSERT_EQ(taken.action, FrameAction::ndp_question);
    EXPECT_EQ(taken.sender_ip6, kOwnIp6);
    EXPECT_EQ(taken.sender_mac, kOwnMac);
    Station other = peer;
    other.ip6 = kOtherIp6;
    EXPECT_EQ(handle(question, other).reason, DropReason::other_mac);
}

TEST(L2l3Ipv6, answers_and_announcements_are_news) {
    Frame8 answer = make_advertisement({.flags = 0x60});
    Frame8 without_option = make_advertisement({.flags = 0x40, .options = {14, 1, 0, 0, 0, 0, 0, 0}});
    Frame8 announcement = make_advertisement({.to = kAllNodesMac6, .destination = kAllNodes6, .flags = 0x20});
    for (Frame8* frame : {&answer, &without_option, &announcement}) {
        const FrameResult result = handle(*frame);
        ASSERT_EQ(result.action, FrameAction::ndp_news) << to_string(result.reason);
        EXPECT_EQ(result.sender_ip6, kPeerIp6);
        EXPECT_EQ(result.sender_mac, kPeerMac);
    }
}

TEST(L2l3Ipv6, every_malformed_frame_is_dropped_with_its_reason_and_left_as_it_is) {
    for (const Malformed& one : malformed_frames6()) {
        Frame8 frame = one.make();
        const Frame8 before = frame;
        const FrameResult result = handle(frame);
        EXPECT_EQ(result.action, FrameAction::drop) << one.what;
        EXPECT_EQ(to_string(result.reason), to_string(one.reason)) << one.what;
        EXPECT_EQ(frame, before) << one.what;
    }
}

TEST(L2l3Ipv6, a_frame_cut_anywhere_is_never_more_than_what_it_holds) {
    for (const Frame8& frame : {make_udp6("payload of some length"), make_echo6(Frame8(30, 7)), make_ndp(),
                                make_advertisement({.flags = 0x60})}) {
        for (std::size_t size = 0; size < frame.size(); ++size) {
            for (const bool with_tag : {false, true}) {
                Frame8 part = with_tag ? tagged(frame) : frame;
                part.resize(size);
                part.shrink_to_fit();
                EXPECT_EQ(handle(part, with_tag ? kTaggedStation : kStation6).action, FrameAction::drop) << size;
            }
        }
    }
}

TEST(L2l3Ipv6, built_headers_are_read_back_by_the_other_side_and_their_sum_holds) {
    Path path;
    path.local = address6(kPeerIp6, kPeerPort);
    path.remote = address6(kOwnIp6, kOwnPort);
    std::ranges::copy(kOwnMac, path.remote_mac);
    Station peer;
    peer.mac = kPeerMac;
    peer.ip6 = kPeerIp6;
    std::mt19937 random(2);
    for (std::size_t size : {1u, 2u, 3u, 7u, 1200u, 1452u}) {
        Frame8 frame(62 + size);
        for (auto& byte : frame) byte = static_cast<std::uint8_t>(random());
        const Frame8 payload(frame.begin() + 62, frame.end());
        ASSERT_EQ(udp_headers_size(peer, path), 62u);
        build_udp_headers(frame, peer, path);
        EXPECT_EQ(sum6_by_the_book(frame, 8 + size), 0xffffu);
        EXPECT_NE(get16(frame, 60), 0u);
        const FrameResult result = handle(frame);
        ASSERT_EQ(result.action, FrameAction::datagram);
        EXPECT_EQ(text(result.payload), text(payload));
        EXPECT_EQ(result.path.remote, path.local);
    }
}

TEST(L2l3Ipv6, a_sum_that_comes_out_as_zero_is_sent_as_its_other_form) {
    Path path;
    path.local = address6(kPeerIp6, kPeerPort);
    path.remote = address6(kOwnIp6, kOwnPort);
    Station peer;
    peer.mac = kPeerMac;
    peer.ip6 = kPeerIp6;
    Frame8 frame(64, 0);
    build_udp_headers(frame, peer, path);
    set16(frame, 62, get16(frame, 60));  // the payload completes the sum
    build_udp_headers(frame, peer, path);
    EXPECT_EQ(get16(frame, 60), 0xffffu);
}

TEST(L2l3Vlan, a_station_in_a_vlan_takes_and_answers_its_frames_only) {
    Frame8 udp = tagged(make_udp("four"), 0xe000 | 42);
    const FrameResult four = handle(udp, kTaggedStation);
    ASSERT_EQ(four.action, FrameAction::datagram) << "whatever its priority";
    EXPECT_EQ(text(four.payload), "four");
    Frame8 udp6 = tagged(make_udp6("six"));
    EXPECT_EQ(text(handle(udp6, kTaggedStation).payload), "six");
    Frame8 untagged = make_udp("x");
    Frame8 others = tagged(make_udp("x"), 43);
    Frame8 service = tagged(make_udp("x"), 42, 0x88a8);
    for (Frame8* frame : {&untagged, &others, &service}) {
        EXPECT_EQ(handle(*frame, kTaggedStation).reason, DropReason::vlan);
    }
    EXPECT_EQ(handle(others, kStation6).reason, DropReason::vlan);
}

TEST(L2l3Vlan, what_it_sends_is_tagged) {
    Frame8 arp = tagged(make_arp());
    ASSERT_EQ(handle(arp, kTaggedStation).action, FrameAction::arp_reply);
    EXPECT_EQ(get32(arp, 12), 0x8100002au);
    EXPECT_EQ(get16(arp, 16), 0x0806u);
    EXPECT_EQ(get16(arp, 24), 2u);
    for (Frame8 echo : {tagged(make_echo(Frame8(8, 1))), tagged(make_echo6(Frame8(8, 1)))}) {
        ASSERT_EQ(handle(echo, kTaggedStation).action, FrameAction::icmp_reply);
        EXPECT_EQ(get32(echo, 12), 0x8100002au);
    }
    Frame8 question(18 + kNdpBytes);
    build_solicitation(question, kTaggedStation, kPeerIp6);
    EXPECT_EQ(get32(question, 12), 0x8100002au);
    Frame8 request(kArpFrameBytes);
    build_arp_request(std::span<std::uint8_t, kArpFrameBytes>(request.data(), kArpFrameBytes), kTaggedStation, kPeerIp);
    EXPECT_EQ(get32(request, 12), 0x8100002au);
    EXPECT_EQ(get32(request, 18 + 24), kPeerIp);

    Path path;
    path.local = ipv4_address(kOwnIp, kOwnPort);
    path.remote = ipv4_address(kPeerIp, kPeerPort);
    Frame8 datagram(udp_headers_size(kTaggedStation, path) + 3, 'x');
    build_udp_headers(datagram, kTaggedStation, path);
    EXPECT_EQ(datagram.size(), 14u + 4 + 20 + 8 + 3);
    EXPECT_EQ(get32(datagram, 12), 0x8100002au);
    EXPECT_EQ(sum_by_the_book(datagram, 18, 20), 0xffffu);
}

TEST(L2l3Ipv6, only_unicast_addresses_are_hosts) {
    EXPECT_TRUE(is_usable_host(kOwnIp6));
    Ipv6Address loopback{};
    loopback[15] = 1;
    Ipv6Address disguised{};
    disguised[10] = disguised[11] = 0xff;
    disguised[12] = 10;
    for (const Ipv6Address& other : {kNobody6, loopback, disguised, kAllNodes6}) {
        EXPECT_FALSE(is_usable_host(other));
    }
}

}  // namespace
}  // namespace bayplan::dataplane::test
