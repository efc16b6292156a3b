// See quic_world.h.
#include "quic_world.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "net/udp_address.h"

namespace bayplan::dataplane::testing {

// --- certificates

namespace {

struct CertificateDirectory {
    CertificateDirectory() {
        std::string pattern = (std::filesystem::temp_directory_path() / "bayplan-certs-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
        path = pattern;
        const std::string command = std::string("'") + BAYPLAN_MAKE_CERTS + "' '" + path + "' shim-a shim-b brief-shim";
        if (std::system(command.c_str()) != 0) throw std::runtime_error("make_certs failed");
    }
    ~CertificateDirectory() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
    std::string path;
};

}  // namespace

const std::string& certificates() {
    static const CertificateDirectory directory;
    return directory.path;
}

TlsFiles tls_of(std::string_view name) {
    const std::string stem = certificates() + "/" + std::string(name);
    return {stem + ".pem", stem + ".key", certificates() + "/ca.pem"};
}

TlsFiles tls_without_certificate() { return {"", "", certificates() + "/ca.pem"}; }

// --- the network

class FakePort final : public PacketPort {
public:
    FakePort(Network& network, const UdpAddress& local, std::size_t queue = 0, std::size_t queues = 1)
        : network_(network), local_(local), queue_(queue), queues_(queues) {
        network_.attached_.push_back(local);
    }
    ~FakePort() override { std::erase(network_.attached_, local_); }

    std::size_t receive(DatagramSink& sink) override {
        std::size_t count = 0;
        auto& arrivals = network_.arrivals_;
        for (auto it = arrivals.begin(); it != arrivals.end() && it->first <= network_.now_ && count < 32;) {
            if (!(it->second.to == local_) || queue_of(it->second.from) != queue_) {
                ++it;
                continue;
            }
            const Network::Datagram datagram = std::move(it->second);
            it = arrivals.erase(it);
            Path path;
            path.local = local_;
            path.remote = datagram.from;
            sink.on_datagram(path, datagram.bytes);
            ++count;
        }
        return count;
    }
    std::span<std::uint8_t> begin_send() override { return buffer_; }
    void commit_send(const Path& path, std::size_t size) override {
        if (size == 0) return;
        network_.carry({local_, path.remote, {buffer_, buffer_ + size}});
    }
    void flush() override {}
    void wait(std::int64_t) override {}
    void wake() override {}
    bool resolve(const UdpAddress& remote, Path& path) override {
        path = Path{};
        path.local = local_;
        path.remote = remote;
        return true;
    }
    UdpAddress local() const override { return local_; }
    std::string name() const override { return "memory"; }
    void append_counters(std::vector<Counter>&) const override {}

private:
    std::size_t queue_of(const UdpAddress& from) const {
        return queues_ == 1 ? 0 : (from.ip[15] * 31u + from.port) % queues_;
    }

    Network& network_;
    UdpAddress local_;
    std::size_t queue_;
    std::size_t queues_;  // that packets are spread over
    std::uint8_t buffer_[2048] = {};
};

std::unique_ptr<PacketPort> Network::attach(const UdpAddress& address) {
    return std::make_unique<FakePort>(*this, address);
}

PortSet Network::attach_queues(const UdpAddress& address, std::size_t count, bool one_receives) {
    PortSet set;
    set.one_receives = one_receives;
    for (std::size_t i = 0; i < count; ++i)
        set.ports.push_back(std::make_unique<FakePort>(*this, address, i, one_receives ? 1 : count));
    return set;
}

bool Network::chance(double probability) {
    return probability > 0 && std::uniform_real_distribution<double>(0, 1)(random_) < probability;
}

void Network::inject(const UdpAddress& from, const UdpAddress& to, std::vector<std::uint8_t> bytes) {
    arrivals_.emplace(now_, Datagram{from, to, std::move(bytes)});
}

void Network::carry(Datagram datagram) {
    ++carried;
    for (const Move& move : moved_) {
        if (datagram.from == move.port) {
            datagram.from = move.seen_at;
        } else if (datagram.to == move.seen_at) {
            datagram.to = move.port;
        } else if (datagram.to == move.port) {
            datagram.to = {};
        }
    }
    if (tap) tap(datagram.from, datagram.bytes);
    if (tap_to) tap_to(datagram.to, datagram.bytes);
    const bool nobody = std::find(attached_.begin(), attached_.end(), datagram.to) == attached_.end();
    if (nobody || datagram.bytes.size() > weather.bytes_max || chance(weather.loss)) {
        ++lost;
        return;
    }
    const int copies = chance(weather.duplicate) ? 2 : 1;
    for (int i = 0; i < copies; ++i) {
        Datagram copy = datagram;
        if (chance(weather.corrupt)) {
            const std::size_t at = random_() % copy.bytes.size();
            copy.bytes[at] ^= static_cast<std::uint8_t>(1 + random_() % 255);
        }
        const std::uint64_t jitter = weather.jitter_ns == 0 ? 0 : random_() % weather.jitter_ns;
        arrivals_.emplace(now_ + weather.delay_ns + jitter, std::move(copy));
    }
}

// --- frames

std::vector<std::byte> numbered_frame(std::uint64_t number, std::size_t size) {
    std::vector<std::byte> out(std::max<std::size_t>(size, 8));
    std::memcpy(out.data(), &number, 8);
    for (std::size_t i = 8; i < out.size(); ++i) {
        out[i] = static_cast<std::byte>((number * 131 + i * 7) & 0xff);
    }
    return out;
}

bool check_numbered(std::span<const std::byte> bytes, std::uint64_t expected, std::string& fault) {
    std::uint64_t number = 0;
    if (bytes.size() >= 8) std::memcpy(&number, bytes.data(), 8);
    if (bytes.size() < 8 || number != expected) {
        fault = "expected frame " + std::to_string(expected) + ", got " + std::to_string(number) + " of " +
                std::to_string(bytes.size()) + " bytes";
        return false;
    }
    for (std::size_t i = 8; i < bytes.size(); ++i) {
        if (bytes[i] != static_cast<std::byte>((number * 131 + i * 7) & 0xff)) {
            fault = "frame " + std::to_string(number) + " differs at byte " + std::to_string(i);
            return false;
        }
    }
    return true;
}

// --- the user

void SeriesPeer::on_open(DataPlane&, ConnectionId id, const Peer& peer) {
    open.push_back(id);
    peers.push_back(peer);
}

bool SeriesPeer::on_frame(DataPlane&, ConnectionId, Stream stream, Frame& frame) {
    if (refuse_frames) {
        ++refusals;
        return false;
    }
    if (check_content) {
        if (reinterpret_cast<std::uintptr_t>(frame.data()) % 8 != 0) fault = "a frame is not aligned";
        if (!check_numbered(frame.bytes(), incoming_[static_cast<int>(stream)], fault)) return true;
    } else {
        kept.emplace_back(frame.bytes().begin(), frame.bytes().end());
    }
    ++incoming_[static_cast<int>(stream)];
    return true;
}

void SeriesPeer::on_close(DataPlane&, ConnectionId, std::string_view why) { closed.emplace_back(why); }

void SeriesPeer::on_refused(std::string_view address, std::string_view why) {
    refused.emplace_back(why);
    refused_addresses.emplace_back(address);
}

void SeriesPeer::send_series(Stream stream, Series series) { outgoing_[static_cast<int>(stream)].series = series; }

bool SeriesPeer::all_sent() const {
    for (const auto& outgoing : outgoing_) {
        if (outgoing.next < outgoing.series.count) return false;
    }
    return true;
}

std::size_t SeriesPeer::on_turn(DataPlane& plane) {
    std::size_t work = 0;
    if (open.empty() || !closed.empty()) return 0;
    for (int i = 0; i < kStreamCount; ++i) {
        auto& outgoing = outgoing_[i];
        for (int burst = 0; burst < 256 && outgoing.next < outgoing.series.count; ++burst) {
            if (outgoing.pending.empty()) {
                const std::size_t spread = outgoing.series.size_max - outgoing.series.size_min + 1;
                outgoing.pending = numbered_frame(outgoing.next, outgoing.series.size_min + outgoing.sizes() % spread);
            }
            if (!plane.send(open.back(), static_cast<Stream>(i), outgoing.pending)) {
                ++sends_refused;
                break;
            }
            outgoing.pending.clear();
            ++outgoing.next;
            ++work;
        }
    }
    return work;
}

// --- the world

World::World(std::uint64_t seed) : network(seed) {}

DataPlaneOptions World::options(bool server) const {
    DataPlaneOptions out;
    out.server = server;
    out.transport.tls = tls_of(server ? "server" : "shim-a");
    return out;
}

DataPlane& World::add(const DataPlaneOptions& options, FrameHandler& handler) {
    const std::uint32_t host = options.server ? 1 : next_host_++;
    return add_at(ipv4_address(0x0a000000u + host, options.server ? 4433 : 50'000), options, handler);
}

DataPlane& World::add_at(const UdpAddress& address, const DataPlaneOptions& options, FrameHandler& handler) {
    std::string error;
    auto plane = make_data_plane(options, handler, network.attach(address), error,
                                 [this] { return network.now() + static_cast<std::uint64_t>(clock_offset_ns); });
    if (!plane) throw std::runtime_error(error);
    planes_.push_back(std::move(plane));
    return *planes_.back();
}

std::vector<DataPlane*> World::add_lcores(const DataPlaneOptions& options, std::vector<FrameHandler*> handlers,
                                          bool one_receives) {
    std::string error;
    PortSet set = network.attach_queues(ipv4_address(0x0a000001, 4433), handlers.size(), one_receives);
    auto made = make_data_planes(options, handlers, std::move(set), error, [this] { return network.now(); });
    if (made.empty()) throw std::runtime_error(error);
    std::vector<DataPlane*> out;
    for (auto& plane : made) {
        out.push_back(plane.get());
        planes_.push_back(std::move(plane));
    }
    return out;
}

void World::step() {
    std::size_t work = 0;
    for (auto& plane : planes_) {
        if (plane.get() != paused_) work += plane->turn();
    }
    const std::uint64_t now = network.now();
    if (work > 0) return network.advance(2'000);
    const std::uint64_t arrival = network.next_arrival();
    network.advance(arrival > now && arrival < now + 1'000'000 ? arrival - now : 1'000'000);
}

bool World::run_until(const std::function<bool()>& condition, std::uint64_t limit_ns) {
    const std::uint64_t end = network.now() + limit_ns;
    while (!condition()) {
        if (network.now() >= end) return false;
        step();
    }
    return true;
}

void World::run_for(std::uint64_t ns) {
    const std::uint64_t end = network.now() + ns;
    while (network.now() < end) step();
}

void World::crash(DataPlane& plane) {
    std::erase_if(planes_, [&](const auto& candidate) { return candidate.get() == &plane; });
}

std::uint64_t counter(const DataPlane& plane, std::string_view name) {
    for (const auto& [key, value] : plane.counters()) {
        if (key == name) return value;
    }
    throw std::runtime_error("no counter " + std::string(name));
}

std::vector<std::vector<std::uint8_t>> first_packets(std::size_t count) {
    constexpr std::size_t kAtOnce = 256;  // per data plane: bounds what the connections weigh
    std::vector<std::vector<std::uint8_t>> out;
    World world;
    world.network.tap = [&](const UdpAddress&, const std::vector<std::uint8_t>& bytes) {
        if (!bytes.empty()) out.push_back(bytes);
    };
    while (out.size() < count) {
        const std::size_t wanted = std::min(count, out.size() + kAtOnce);
        DataPlane& client = world.add(world.options(false), world.client_user);
        for (std::size_t i = out.size(); i < wanted; ++i) world.connect(client);
        client.turn();  // the first packet of each handshake, and no more
        if (out.size() != wanted) throw std::runtime_error("not one first packet per handshake");
        world.crash(client);
    }
    return out;
}

}  // namespace bayplan::dataplane::testing
