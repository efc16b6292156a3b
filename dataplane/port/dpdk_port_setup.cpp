// Slow path of the ethdev port: find, configure and start a device, open and close the port, read
// statistics. See dpdk_port.h.
//
// Thread: the caller's, before and after polling; append_counters() any.
#include <net/if.h>
#include <rte_bus_vdev.h>
#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "net/udp_address.h"
#include "port/dpdk_port.h"
#include "port/eal.h"
#include "port/port_log.h"

namespace bayplan::dataplane {
namespace {

constexpr std::uint16_t kDescriptors = 1024;      // per queue; drivers adjust it to what they can
constexpr std::uint32_t kBuffersPerLcore = 8191;  // two full rings, bursts, caches; 2^n - 1 packs best
constexpr std::uint32_t kBuffersPerThread = 256;  // cached, so that a burst touches no shared line

std::string failure(const std::string& what, int code) { return what + ": " + rte_strerror(code < 0 ? -code : code); }

std::string known_devices() {
    std::string names;
    std::uint16_t port_id = 0;
    RTE_ETH_FOREACH_DEV(port_id) {
        char name[RTE_ETH_NAME_MAX_LEN] = {};
        if (rte_eth_dev_get_name_by_port(port_id, name) == 0) names += std::string(" ") + name;
    }
    return names.empty() ? " none (does an EAL argument such as --vdev=net_af_packet0,iface=... "
                           "name one, and may this process open it?)"
                         : names;
}

bool find_device(const std::string& name, std::uint16_t& port_id, std::string& error) {
    if (!name.empty()) {
        if (rte_eth_dev_get_port_by_name(name.c_str(), &port_id) == 0) return true;
        error = "no DPDK device " + name + "; there are:" + known_devices();
        return false;
    }
    port_id = static_cast<std::uint16_t>(rte_eth_find_next_owned_by(0, RTE_ETH_DEV_NO_OWNER));
    if (port_id < RTE_MAX_ETHPORTS) return true;
    error = "no DPDK device; there are:" + known_devices();
    return false;
}

// A station needs an address; one of our own making has the "local" bit set.
MacAddress local_mac(Ipv4Address ip) {
    return {0x02,
            0x00,
            static_cast<std::uint8_t>(ip >> 24),
            static_cast<std::uint8_t>(ip >> 16),
            static_cast<std::uint8_t>(ip >> 8),
            static_cast<std::uint8_t>(ip)};
}

std::uint64_t above(std::uint64_t value, std::uint64_t base) { return value > base ? value - base : 0; }

}  // namespace

// Bytes of a buffer. Some drivers want room for a slot of their rings, which is a little more than a frame.
static std::uint16_t buffer_bytes(std::uint16_t mtu) {
    constexpr std::uint16_t kStep = 1024;
    constexpr std::uint16_t kEthernet = 14 + 4;  // with a VLAN's tag
    const auto room = static_cast<std::uint16_t>((mtu + kEthernet + kStep - 1) / kStep * kStep);
    return std::max<std::uint16_t>(RTE_MBUF_DEFAULT_BUF_SIZE, room + RTE_PKTMBUF_HEADROOM);
}

std::shared_ptr<rte_mempool> make_buffer_pool(std::uint32_t count, std::uint16_t mtu, std::string& error,
                                              int numa_domain) {
    static std::atomic<unsigned> number{0};  // pools need names of their own within the process
    const std::string name = "bayplan_" + std::to_string(number.fetch_add(1));
    const auto make_on = [&](int domain) {
        return rte_pktmbuf_pool_create(name.c_str(), count, kBuffersPerThread, 0, buffer_bytes(mtu), domain);
    };
    rte_mempool* pool = make_on(numa_domain);
    if (pool == nullptr && numa_domain != SOCKET_ID_ANY) {
        log_of_port("no memory for packet buffers on the NIC's NUMA domain " + std::to_string(numa_domain) +
                    ": they lie on another one (see --socket-mem of the EAL arguments)");
        pool = make_on(SOCKET_ID_ANY);
    }
    if (pool == nullptr) {
        error = failure("cannot make a pool of " + std::to_string(count) +
                            " packet buffers (is -m of the EAL arguments too small?)",
                        rte_errno);
        return nullptr;
    }
    return {pool, rte_mempool_free};
}

EthDevice::EthDevice(std::uint16_t port_id, std::size_t lcores) : port_id_(port_id) {
    for (std::size_t i = 0; i < lcores; ++i) counters_.push_back(std::make_unique<DpdkCounters>());
}

std::uint64_t EthDevice::rx_packets() const {
    std::uint64_t sum = 0;
    for (const auto& each : counters_) sum += each->get(PortCount::rx_packets);
    return sum;
}

std::shared_ptr<EthDevice> EthDevice::open(const std::string& name, std::shared_ptr<rte_mempool> pool,
                                           std::size_t lcores, std::uint16_t mtu_wanted, std::string& error) {
    std::uint16_t port_id = 0;
    if (!find_device(name, port_id, error)) return nullptr;
    if (pool == nullptr) {
        const auto count = static_cast<std::uint32_t>((kBuffersPerLcore + 1) * lcores - 1);
        pool = make_buffer_pool(count, mtu_wanted, error, rte_eth_dev_socket_id(port_id));
    }
    if (pool == nullptr) return nullptr;
    std::shared_ptr<EthDevice> device(new EthDevice(port_id, lcores));
    device->pool_ = std::move(pool);
    if (!device->configure(error)) return nullptr;
    device->widen(mtu_wanted);
    if (!device->start_queues(error)) return nullptr;
    return device;
}

// A link of less than Ethernet's MTU is left as it is: payload_bytes_max is a default there.
void EthDevice::widen(std::uint16_t mtu_wanted) {
    if (mtu_wanted <= std::max(mtu_, kEthernetMtu)) return;
    if (driver_ == "net_ring") {  // memory between its ends, which a driver knows nothing of
        mtu_ = mtu_wanted;
        return;
    }
    if (const int code = rte_eth_dev_set_mtu(port_id_, mtu_wanted); code != 0) {
        log_of_port(failure("DPDK device " + name_ + " does not take an MTU of " + std::to_string(mtu_wanted) +
                                ", packets are at most those of " + std::to_string(mtu_),
                            code));
        return;
    }
    mtu_ = mtu_wanted;
}

// A queue that nobody polls swallows its share of the packets, so there are as many as lcores or
// one.
bool EthDevice::choose_queues(const rte_eth_dev_info& info, std::string& error) {
    const auto lcores = static_cast<std::uint16_t>(counters_.size());
    by_hash_ = (info.flow_type_rss_offloads & (RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP)) != 0;
    // The kernel spreads over the sockets of af_packet, and the other end over rings.
    const bool fixed = driver_ == "net_af_packet" || driver_ == "net_ring";
    if (fixed) by_hash_ = false;
    if (fixed && info.max_rx_queues > 1 && info.max_rx_queues != lcores) {
        error = "DPDK device " + name_ + " has " + std::to_string(info.max_rx_queues) + " queues for " +
                std::to_string(lcores) +
                " lcores: some would not be read; make both numbers the same (qpairs=, lcores)";
        return false;
    }
    rx_queues_ = (fixed || by_hash_) && info.max_rx_queues >= lcores ? lcores : 1;
    tx_queues_ = std::min(lcores, std::max<std::uint16_t>(info.max_tx_queues, 1));
    by_hash_ = by_hash_ && rx_queues_ > 1;
    return true;
}

bool EthDevice::configure(std::string& error) {
    rte_eth_dev_info info{};
    if (const int code = rte_eth_dev_info_get(port_id_, &info); code != 0) {
        error = failure("cannot query the DPDK device", code);
        return false;
    }
    name_ = rte_dev_name(info.device);
    driver_ = info.driver_name;
    char interface[IF_NAMESIZE] = {};
    if (info.if_index != 0 && if_indextoname(info.if_index, interface) != nullptr) {
        interface_ = interface;
    }
    if (!choose_queues(info, error)) return false;
    rte_eth_conf conf{};  // no offload: checksums of headers are cheap, payloads are authenticated
    if (by_hash_) {
        conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
        conf.rx_adv_conf.rss_conf.rss_hf = info.flow_type_rss_offloads & (RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP);
    }
    if (const int code = rte_eth_dev_configure(port_id_, rx_queues_, tx_queues_, &conf); code != 0) {
        error = failure("cannot configure DPDK device " + name_ + " (is it in use?)", code);
        return false;
    }
    owned_ = true;
    watch_.begin(port_id_, name_, interface_);
    rte_ether_addr mac{};
    if (rte_eth_macaddr_get(port_id_, &mac) == 0) {
        std::memcpy(mac_.data(), mac.addr_bytes, mac_.size());
    }
    if (std::uint16_t mtu = 0; rte_eth_dev_get_mtu(port_id_, &mtu) == 0) mtu_ = mtu;
    return true;
}

bool EthDevice::start_queues(std::string& error) {
    std::uint16_t rx_slots = kDescriptors;
    std::uint16_t tx_slots = kDescriptors;
    const int node = rte_eth_dev_socket_id(port_id_);
    const auto socket = static_cast<unsigned>(node);  // -1 is SOCKET_ID_ANY
    int code = rte_eth_dev_adjust_nb_rx_tx_desc(port_id_, &rx_slots, &tx_slots);
    for (std::uint16_t i = 0; code == 0 && i < rx_queues_; ++i)
        code = rte_eth_rx_queue_setup(port_id_, i, rx_slots, socket, nullptr, pool_.get());
    for (std::uint16_t i = 0; code == 0 && i < tx_queues_; ++i)
        code = rte_eth_tx_queue_setup(port_id_, i, tx_slots, socket, nullptr);
    if (code == 0) code = rte_eth_dev_start(port_id_);
    if (code != 0) {
        error = failure("cannot start DPDK device " + name_, code);
        return false;
    }
    return true;
}

EthDevice::~EthDevice() {
    // A device that could not be configured is another port's: it stays as it is.
    if (!owned_) return;
    rte_eth_dev_stop(port_id_);
    rte_eth_dev_close(port_id_);
    // So that the same vdev can be brought up again; no vdev: nothing happens.
    rte_vdev_uninit(name_.c_str());
}

void EthDevice::listen_for(const Ipv6Address& ip) {
    rte_ether_addr groups[2];
    std::memcpy(groups[0].addr_bytes, solicited_mac(ip).data(), RTE_ETHER_ADDR_LEN);
    std::memcpy(groups[1].addr_bytes, kAllNodesMac.data(), RTE_ETHER_ADDR_LEN);
    if (rte_eth_dev_set_mc_addr_list(port_id_, groups, 2) != 0) {
        rte_eth_allmulticast_enable(port_id_);
    }
}

DpdkPort::DpdkPort(std::shared_ptr<EthDevice> device, std::size_t lcore, const Link& link, std::shared_ptr<void> keep)
    : keep_(std::move(keep)),
      device_(std::move(device)),
      lcore_(lcore),
      receives_(lcore < device_->rx_queues()),
      tx_queue_(static_cast<std::uint16_t>(lcore % device_->tx_queues())),
      link_(link),
      counters_(device_->counters(lcore)) {
    own_.mac = device_->mac() != MacAddress{} ? device_->mac() : local_mac(own_.ip);
    if (lcore_ > 0) return;
    if (!device_->interface().empty()) read_interface_statistics(device_->interface(), base_);
    if (device_->driver() == "net_af_packet") sockets_ = PacketSockets(device_->interface());
    if (own_.has_ip6()) device_->listen_for(own_.ip6);
    announce();
}

DpdkPort::~DpdkPort() {
    if (tx_count_ > 0) rte_pktmbuf_free_bulk(tx_.data(), tx_count_);
    rte_pktmbuf_free(sending_);
}

UdpAddress DpdkPort::local() const {
    UdpAddress out = ipv4_address(own_.ip, own_.udp_port);
    if (own_.ip == 0) std::ranges::copy(own_.ip6, out.ip);
    return out;
}

std::string DpdkPort::name() const {
    constexpr std::string_view kPrefix = "net_";
    const std::string& driver = device_->driver();
    return driver.rfind(kPrefix, 0) == 0 ? driver.substr(kPrefix.size()) : driver;
}

void DpdkPort::append_counters(std::vector<Counter>& out) const {
    counters_.append_to(out);
    out.emplace_back("idle_naps", sleeper_.naps());
    if (lcore_ > 0) return;
    // The kernel's count first: what arrives between the two reads must not look lost.
    InterfaceStatistics below;
    const bool has_interface = !device_->interface().empty() && read_interface_statistics(device_->interface(), below);
    device_->watch().append_to(out);
    out.emplace_back("mbufs_in_use", rte_mempool_in_use_count(device_->pool()));
    if (!has_interface) return;
    const std::uint64_t arrived = above(below.rx_packets, base_.rx_packets);
    out.emplace_back("kernel_rx_dropped", above(below.rx_dropped, base_.rx_dropped));
    out.emplace_back("kernel_rx_minus_port_rx", above(arrived, device_->rx_packets()));
}

std::unique_ptr<PacketPort> open_dpdk_port(const DpdkPortOptions& options, bool server, std::string& error) {
    PortSet set = open_dpdk_ports(options, 1, server, TransportOptions().payload_bytes_max, error);
    return set.ports.empty() ? nullptr : std::move(set.ports.front());
}

PortSet open_dpdk_ports(const DpdkPortOptions& options, std::size_t lcores, bool server,
                        std::uint16_t payload_bytes_max, std::string& error) {
    Link link;
    if (!read_link(options, link, error)) return {};
    if (server && options.udp_port == 0) {
        error = "the DPDK port of a server needs a UDP port";
        return {};
    }
    std::vector<std::string> arguments = options.eal_arguments;
    if (options.telemetry) arguments.push_back("--telemetry");
    // Others find this process by its prefix.
    if (options.capture) arguments.push_back("--file-prefix=bayplan");
    if (!start_eal(arguments, error) || (options.capture && !allow_capture(error))) return {};
    const std::uint16_t headers = link.station.has_ip6() ? kIpv6UdpBytes : kIpv4UdpBytes;
    const std::shared_ptr<EthDevice> device =
        EthDevice::open(options.device, nullptr, lcores, payload_bytes_max + headers, error);
    if (device == nullptr) return {};
    constexpr std::uint16_t kQuicLeast = 1200;
    const std::uint16_t needed = kQuicLeast + headers;
    if (device->mtu() < needed) {
        error = "the MTU of the DPDK device, " + std::to_string(device->mtu()) + ", is too small: QUIC needs " +
                std::to_string(needed);
        return {};
    }
    // A client may leave it open; from the dynamic range, another one after a restart.
    constexpr std::uint16_t kDynamicPorts = 49152;
    if (link.station.udp_port == 0) {
        link.station.udp_port = static_cast<std::uint16_t>(kDynamicPorts + getpid() % 16384);
    }
    PortSet set;
    set.one_receives = device->rx_queues() < lcores;
    for (std::size_t i = 0; i < lcores; ++i) set.ports.push_back(std::make_unique<DpdkPort>(device, i, link, nullptr));
    return set;
}

}  // namespace bayplan::dataplane
