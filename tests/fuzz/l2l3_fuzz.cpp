// The L2/L3 functions against any bytes. The first byte says which sums and addresses are put right
// first, so that the search gets past them.
//
// Checked besides the sanitizers: a dropped frame is left as it was; a payload lies inside its
// frame, behind the headers; a reply has our addresses and sums that hold; nothing is answered
// twice (two stations could send a reply to a reply to and fro for ever).
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "l2l3.h"
#include "l2l3_frames.h"

namespace {

using namespace bayplan::dataplane;
using namespace bayplan::dataplane::test;

void require(bool holds) {
    if (!holds) std::abort();
}

std::size_t ip_header_size(const Frame8& frame) { return (frame[14] & 15u) * std::size_t{4}; }

// What the bits of `choice` ask for, where the frame is long enough.
void put_right(Frame8& frame, std::uint8_t choice) {
    if ((choice & 1) != 0 && frame.size() >= 14) std::ranges::copy(kOwnMac, frame.begin());
    if ((choice & 2) != 0 && frame.size() >= 14) std::ranges::copy(kPeerMac, frame.begin() + 6);
    if ((choice & 4) != 0 && frame.size() >= 42) {  // ARP target and IPv4 destination
        const std::size_t at = get16(frame, 12) == 0x0806 ? 38 : 30;
        set16(frame, at, kOwnIp >> 16);
        set16(frame, at + 2, kOwnIp & 0xffff);
    }
    if ((choice & 8) != 0 && frame.size() >= 34) {
        set16(frame, 16, static_cast<unsigned>(frame.size() - 14));
    }
    const bool is_whole = frame.size() >= 34 && ip_header_size(frame) >= 20 &&
                          frame.size() >= 14 + ip_header_size(frame) + 8;
    if (!is_whole) return;
    const std::size_t body = 14 + ip_header_size(frame);
    const std::size_t end = std::min(frame.size(), std::size_t{14} + get16(frame, 16));
    if ((choice & 16) != 0 && end >= body + 8) seal(frame, body, end - body, body + 2);
    if ((choice & 32) != 0) seal_ip(frame);
}

void check_reply(Frame8 reply, FrameAction action) {
    require(std::equal(kOwnMac.begin(), kOwnMac.end(), reply.begin() + 6));
    if (action == FrameAction::arp_reply) {
        require(get16(reply, 20) == 2 && get32(reply, 28) == kOwnIp);
    } else {
        const std::size_t body = 14 + ip_header_size(reply);
        require(get32(reply, 26) == kOwnIp);
        require(sum_by_the_book(reply, 14, body - 14) == 0xffff);
        require(sum_by_the_book(reply, body, 14 + get16(reply, 16) - body) == 0xffff);
        require(reply[body] == 0);
    }
    // The one it goes to, whoever that is.
    Station other;
    std::copy_n(reply.begin(), 6, other.mac.begin());
    other.ip = get32(reply, action == FrameAction::arp_reply ? 38 : 30);
    const FrameResult result = handle_frame(reply, other);
    require(result.action == FrameAction::drop || result.action == FrameAction::arp_news);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    Frame8 frame(data + 1, data + size);
    put_right(frame, data[0]);
    const Frame8 before = frame;
    const FrameResult result = handle_frame(frame, kStation);
    require(frame.size() == before.size());
    switch (result.action) {
        case FrameAction::drop:
            require(static_cast<std::size_t>(result.reason) < kDropReasonCount);
            require(frame == before);
            break;
        case FrameAction::datagram:
            require(frame == before);
            require(result.payload.data() >= frame.data() + kUdpHeadersBytes);
            require(result.payload.data() + result.payload.size() <= frame.data() + frame.size());
            require(!result.payload.empty() && result.path.remote.port != 0);
            break;
        case FrameAction::arp_news:
            require(frame == before && result.sender_ip != 0);
            break;
        case FrameAction::arp_reply:
        case FrameAction::icmp_reply:
            check_reply(frame, result.action);
            break;
    }
    return 0;
}
