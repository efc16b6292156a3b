// A server's QUIC against any packets: of strangers, into a handshake, and into an established
// connection, from its client's address and from others.
//
// Encryption would keep a fuzzer out of all that lies behind it, so while an input runs the server
// takes packets as if they had been decrypted: the harness stands in for the two callbacks of the
// crypto library that open packets. The handshake before that is real.
//
// An input is a series of packets: kind, size, bytes. Checked besides the sanitizers and ngtcp2's
// own assertions: each attempt has exactly one outcome, and a client that comes afterwards is
// served.
#include <dlfcn.h>
#include <gnutls/gnutls.h>
#include <ngtcp2/ngtcp2.h>
#include <ngtcp2/ngtcp2_crypto.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "net/udp_address.h"
#include "quic_world.h"

namespace {

bool open_packets = false;

void require(bool holds) {
    if (!holds) std::abort();
}

}  // namespace

extern "C" int ngtcp2_crypto_decrypt_cb(std::uint8_t* dest, const ngtcp2_crypto_aead* aead,
                                        const ngtcp2_crypto_aead_ctx* context, const std::uint8_t* cipher,
                                        std::size_t size, const std::uint8_t* nonce, std::size_t nonce_size,
                                        const std::uint8_t* more, std::size_t more_size) {
    if (open_packets) {
        if (size < 16) return NGTCP2_ERR_DECRYPT;
        std::memmove(dest, cipher, size - 16);
        return 0;
    }
    static const auto real =
        reinterpret_cast<decltype(&ngtcp2_crypto_decrypt_cb)>(dlsym(RTLD_NEXT, "ngtcp2_crypto_decrypt_cb"));
    return real(dest, aead, context, cipher, size, nonce, nonce_size, more, more_size);
}

extern "C" int ngtcp2_crypto_hp_mask_cb(std::uint8_t* dest, const ngtcp2_crypto_cipher* cipher,
                                        const ngtcp2_crypto_cipher_ctx* context, const std::uint8_t* sample) {
    if (open_packets) {
        std::memset(dest, 0, NGTCP2_HP_MASKLEN);
        return 0;
    }
    static const auto real =
        reinterpret_cast<decltype(&ngtcp2_crypto_hp_mask_cb)>(dlsym(RTLD_NEXT, "ngtcp2_crypto_hp_mask_cb"));
    return real(dest, cipher, context, sample);
}

namespace {

using namespace bayplan::dataplane;
using namespace bayplan::dataplane::testing;
using Bytes = std::vector<std::uint8_t>;

const UdpAddress kServer = ipv4_address(0x0a000001, 4433);
const UdpAddress kClient = ipv4_address(0x0a000002, 50'000);

// Takes everything, says something now and then.
class Peer final : public FrameHandler {
public:
    void on_open(DataPlane&, ConnectionId id, const bayplan::dataplane::Peer&) override { open = id; }
    bool on_frame(DataPlane& plane, ConnectionId id, Stream, Frame& frame) override {
        plane.send(id, Stream::decisions, frame.bytes());
        return ++frames % 5 != 0;
    }
    void on_close(DataPlane&, ConnectionId, std::string_view) override { open = 0; }
    void on_refused(std::string_view, std::string_view) override {}
    std::size_t on_turn(DataPlane&) override { return 0; }
    ConnectionId open = 0;
    std::size_t frames = 0;
};

struct Session {
    Session() {
        auto options = world.options(true);
        options.transport.handshakes.retry_above = 2;
        server = &world.add(options, peer);
        client = &world.add(world.options(false), world.client_user);
        world.network.tap = [this](const UdpAddress& from, const Bytes& bytes) {
            if (from != kClient) return;
            recorded.push_back(bytes);
            if ((bytes[0] & 0x80) == 0) server_cid.assign(bytes.begin() + 1, bytes.begin() + 17);
        };
        world.connect(*client);
        world.client_user.send_series(Stream::state, {3, 100, 100});
        world.client_user.send_series(Stream::control, {1, 100, 100});
        require(world.run_until([&] { return peer.frames > 3 && !server_cid.empty(); }));
        world.run_for(50'000'000);
        world.network.tap = nullptr;
        world.pause(*client);
    }

    Bytes short_packet(std::span<const std::uint8_t> frames) {
        Bytes packet{static_cast<std::uint8_t>(0x43 | (frames.empty() ? 0 : frames[0] & 0x24))};
        packet.insert(packet.end(), server_cid.begin(), server_cid.end());
        ++number;
        for (int shift = 24; shift >= 0; shift -= 8) packet.push_back(static_cast<std::uint8_t>(number >> shift));
        packet.insert(packet.end(), frames.begin() + (frames.empty() ? 0 : 1), frames.end());
        packet.resize(std::max<std::size_t>(packet.size() + 16, 40));  // where the tag would be
        return packet;
    }
    Bytes long_packet(std::uint8_t type, std::span<const std::uint8_t> frames) {
        Bytes packet{static_cast<std::uint8_t>(0xc3 | (type & 3) << 4), 0, 0, 0, 1, 8};
        for (int i = 0; i < 8; ++i) packet.push_back(static_cast<std::uint8_t>(ids >> (8 * i)));
        packet.insert(packet.end(), {4, 1, 2, 3, 4});
        if ((type & 3) == 0) packet.push_back(0);  // no token
        const std::size_t rest = std::max<std::size_t>(1200 - packet.size() - 2, 0);
        packet.push_back(static_cast<std::uint8_t>(0x40 | rest >> 8));
        packet.push_back(static_cast<std::uint8_t>(rest));
        packet.insert(packet.end(), {0, 0, 0, static_cast<std::uint8_t>(++initials)});
        packet.insert(packet.end(), frames.begin(), frames.end());
        packet.resize(1200);  // PADDING frames are zeros
        return packet;
    }

    void play(std::uint8_t kind, std::span<const std::uint8_t> bytes) {
        const UdpAddress other = ipv4_address(0x0a000060u + kind / 16 % 4, 999);
        const UdpAddress from = kind & 8 ? other : kClient;
        switch (kind % 8) {
            case 0: return inject(from, {bytes.begin(), bytes.end()});
            case 1:
            case 2:
            case 3: return inject(from, short_packet(bytes));
            case 4: return inject(from, long_packet(0, bytes));
            case 5:
                if (!bytes.empty()) ids = ids * 31 + bytes[0];
                return inject(other, long_packet(bytes.empty() ? 0 : bytes[0], bytes));
            case 6: {
                Bytes copy = recorded[bytes.empty() ? 0 : bytes[0] % recorded.size()];
                for (std::size_t i = 1; i + 1 < bytes.size(); i += 2) copy[bytes[i] % copy.size()] ^= bytes[i + 1];
                return inject(from, std::move(copy));
            }
            default: return world.run_for((bytes.empty() ? 1u : bytes[0]) * 2'000'000ull);
        }
    }
    void inject(const UdpAddress& from, Bytes bytes) {
        world.network.inject(from, kServer, std::move(bytes));
        world.run_for(20'000);
    }

    World world;
    Peer peer;
    DataPlane* server = nullptr;
    DataPlane* client = nullptr;
    std::vector<Bytes> recorded;
    Bytes server_cid;
    std::uint32_t number = 1000;
    std::uint64_t ids = 0x1122334455667788;
    std::uint32_t initials = 0;
};

void check(Session& session) {
    const auto count = [&](std::string_view name) { return counter(*session.server, name); };
    require(count("handshake_attempts") == count("attempts_accepted") + count("attempts_retried") +
                                               count("attempts_refused") + count("attempts_lost"));
    require(count("attempts_accepted") ==
            count("handshakes_ok") + count("handshakes_refused") + count("handshakes_pending"));
}

// Two handshakes cost more than most inputs: a session serves many, until one of them ends it. A finding that its
// own input does not bring about again is one of the up to 63 before it, too.
constexpr int kInputsOfSession = 64;
std::unique_ptr<Session> session;
int inputs = 0;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (!session || session->peer.open == 0) {
        session.reset();
        session = std::make_unique<Session>();
    }
    std::span<const std::uint8_t> input(data, size);
    open_packets = true;
    while (input.size() >= 2) {
        const std::uint8_t kind = input[0];
        const std::size_t length = std::min<std::size_t>(input[1] * 5u, input.size() - 2);
        session->play(kind, input.subspan(2, length));
        input = input.subspan(2 + length);
    }
    session->world.run_for(5'000'000);
    open_packets = false;
    check(*session);
    if (++inputs % kInputsOfSession == 0) {
        SeriesPeer later;
        session->world.connect(
            session->world.add_at(ipv4_address(0x0a0000c8, 50'000), session->world.options(false), later));
        require(session->world.run_until([&] { return !later.open.empty(); }));
        session.reset();
    }
    return 0;
}
