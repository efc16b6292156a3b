// The L2/L3 functions against any bytes, for a station of IPv4, of both versions, and in a VLAN. The
// first byte says which, and which sums and addresses are put right first, so that the search gets past
// them.
//
// Checked besides the sanitizers: a dropped frame is left as it was; a payload lies inside its
// frame, behind the headers; a reply has our addresses and sums that hold; nothing is answered
// twice (two stations could send a reply to a reply to and fro for ever).
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <span>
#include <vector>

#include "l2l3_frames6.h"
#include "net/l2l3.h"
#include "net/udp_address.h"

namespace {

using namespace bayplan::dataplane;
using namespace bayplan::dataplane::test;

void require(bool holds) {
    if (!holds) std::abort();
}

std::size_t ip_header_size(const Frame8& frame) { return (frame[14] & 15u) * std::size_t{4}; }

void put_right6(Frame8& frame, std::uint8_t choice) {
    if (frame.size() < 54) return;
    if ((choice & 4) != 0) std::ranges::copy(kOwnIp6, frame.begin() + 38);
    if ((choice & 8) != 0) set16(frame, 18, static_cast<unsigned>(frame.size() - 54));
    if ((choice & 32) != 0) frame[21] = 255;
    if ((choice & 16) != 0 && frame[20] == 58 && frame.size() >= 58) seal6(frame, 56);
}

// Sets right the fields that the bits of `choice` name, where the frame is long enough.
void put_right(Frame8& frame, std::uint8_t choice) {
    if ((choice & 1) != 0 && frame.size() >= 14) std::ranges::copy(kOwnMac, frame.begin());
    if ((choice & 2) != 0 && frame.size() >= 14) std::ranges::copy(kPeerMac, frame.begin() + 6);
    if (frame.size() >= 14 && get16(frame, 12) == 0x86dd) return put_right6(frame, choice);
    if ((choice & 4) != 0 && frame.size() >= 42) {  // ARP target and IPv4 destination
        const std::size_t at = get16(frame, 12) == 0x0806 ? 38 : 30;
        set16(frame, at, kOwnIp >> 16);
        set16(frame, at + 2, kOwnIp & 0xffff);
    }
    if ((choice & 8) != 0 && frame.size() >= 34) {
        set16(frame, 16, static_cast<unsigned>(frame.size() - 14));
    }
    const bool is_whole =
        frame.size() >= 34 && ip_header_size(frame) >= 20 && frame.size() >= 14 + ip_header_size(frame) + 8;
    if (!is_whole) return;
    const std::size_t body = 14 + ip_header_size(frame);
    const std::size_t end = std::min(frame.size(), std::size_t{14} + get16(frame, 16));
    if ((choice & 16) != 0 && end >= body + 8) seal(frame, body, end - body, body + 2);
    if ((choice & 32) != 0) seal_ip(frame);
}

void check_echo6(const Frame8& reply) {
    require(std::equal(kOwnIp6.begin(), kOwnIp6.end(), reply.begin() + 22));
    require(reply[54] == 129 && sum6_by_the_book(reply, get16(reply, 18)) == 0xffff);
}

// The station that the reply goes to does not answer it.
void check_silence(Frame8& reply) {
    Station other;
    std::copy_n(reply.begin(), 6, other.mac.begin());
    const unsigned type = get16(reply, 12);
    if (type == 0x86dd) {
        std::copy_n(reply.begin() + 38, 16, other.ip6.begin());
    } else {
        other.ip = get32(reply, type == 0x0806 ? 38 : 30);
    }
    const FrameAction action = handle_frame(reply, other).action;
    require(action == FrameAction::drop || action == FrameAction::arp_news || action == FrameAction::ndp_news);
}

void check_reply(Frame8 reply, const Station& own, FrameAction action) {
    require(std::equal(kOwnMac.begin(), kOwnMac.end(), reply.begin() + 6));
    if (own.vlan != 0) {
        require(get32(reply, 12) == (0x81000000u | own.vlan));
        reply.erase(reply.begin() + 12, reply.begin() + 16);
    }
    if (action == FrameAction::arp_reply) {
        require(get16(reply, 20) == 2 && get32(reply, 28) == kOwnIp);
    } else if (get16(reply, 12) == 0x86dd) {
        check_echo6(reply);
    } else {
        const std::size_t body = 14 + ip_header_size(reply);
        require(get32(reply, 26) == kOwnIp);
        require(sum_by_the_book(reply, 14, body - 14) == 0xffff);
        require(sum_by_the_book(reply, body, 14 + get16(reply, 16) - body) == 0xffff);
        require(reply[body] == 0);
    }
    check_silence(reply);
}

void check_answer(const FrameResult& question, const Station& own) {
    Frame8 answer(own.link_bytes() + kNdpBytes);
    build_advertisement(answer, own, question.sender_ip6, question.sender_mac);
    if (own.vlan != 0) answer.erase(answer.begin() + 12, answer.begin() + 16);
    require(sum6_by_the_book(answer, get16(answer, 18)) == 0xffff);
    require((answer[0] & 1) == 0 || question.sender_ip6 == kNobody6);
    if (question.sender_ip6 != kNobody6) check_silence(answer);
}

// A router quotes a packet of ours: the frame holds our address and the remote one side by side, and then both ports.
void check_quote(const Frame8& frame, const Station& own, const UdpAddress& remote) {
    const bool is_ip6 = get16(frame, own.link_bytes() - 2) == 0x86dd;
    Frame8 addresses(own.ip6.begin(), own.ip6.end());
    addresses.insert(addresses.end(), std::begin(remote.ip), std::end(remote.ip));
    if (!is_ip6) {
        addresses.assign(8, 0);
        for (std::size_t at = 0; at < 4; ++at) {
            addresses[at] = static_cast<std::uint8_t>(own.ip >> (24 - 8 * at));
            addresses[4 + at] = static_cast<std::uint8_t>(ipv4_of(remote) >> (24 - 8 * at));
        }
    }
    const auto quote = std::search(frame.begin(), frame.end(), addresses.begin(), addresses.end());
    require(quote != frame.end());
    const Frame8 ports{static_cast<std::uint8_t>(own.udp_port >> 8), static_cast<std::uint8_t>(own.udp_port),
                       static_cast<std::uint8_t>(remote.port >> 8), static_cast<std::uint8_t>(remote.port)};
    require(std::search(quote + std::ssize(addresses), frame.end(), ports.begin(), ports.end()) != frame.end());
}

const Station& station(std::uint8_t choice) {
    if ((choice & 128) != 0) return kTaggedStation;
    return (choice & 64) != 0 ? kStation6 : kStation;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const Station& own = station(data[0]);
    Frame8 frame(data + 1, data + size);
    put_right(frame, data[0]);
    // With both bits the tag is the input's own.
    if ((data[0] & 192) == 128 && frame.size() >= 12) frame = tagged(frame);
    const Frame8 before = frame;
    const FrameResult result = handle_frame(frame, own);
    require(frame.size() == before.size());
    const bool replied = result.action == FrameAction::arp_reply || result.action == FrameAction::icmp_reply;
    require(replied || frame == before);
    switch (result.action) {
        case FrameAction::drop: require(static_cast<std::size_t>(result.reason) < kDropReasonCount); break;
        case FrameAction::datagram:
            require(result.payload.data() >= frame.data() + udp_headers_size(own, result.path));
            require(result.payload.data() + result.payload.size() <= frame.data() + frame.size());
            require(!result.payload.empty() && result.path.remote.port != 0);
            break;
        case FrameAction::arp_news: require(result.sender_ip != 0); break;
        case FrameAction::ndp_news: require(is_usable_host(result.sender_ip6)); break;
        case FrameAction::ndp_question: check_answer(result, own); break;
        case FrameAction::too_big: check_quote(frame, own, result.path.remote); break;
        case FrameAction::arp_reply:
        case FrameAction::icmp_reply: check_reply(frame, own, result.action); break;
    }
    return 0;
}
