// UDP datagrams over a DPDK ethdev with any driver: a NIC, af_packet, af_xdp, a ring in process.
// Slow path in dpdk_port_setup.cpp, fast path in dpdk_port_burst.cpp. The way in is
// open_dpdk_port() of packet_port.h; this header is for the files that make it up and for tests. It
// includes no DPDK.
//
// Ownership of a buffer (mbuf): the pool, or the device, or exactly one of `burst` (local to
// receive(), emptied before it returns), `tx_` (emptied by flush(): sent or freed) and `sending_`
// (between begin_send and commit_send). The destructor returns what is left.
//
// Thread: one polling thread for everything but wake() and append_counters().
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "net/link_options.h"
#include "net/neighbour_cache.h"
#include "net/packet_port.h"
#include "port/device_watch.h"
#include "port/dpdk_counters.h"
#include "port/idle_sleeper.h"
#include "port/interface_statistics.h"
#include "port/packet_sockets.h"

struct rte_eth_dev_info;
struct rte_mbuf;
struct rte_mempool;

namespace bayplan::dataplane {

// A started ethdev, shared by the ports of its lcores. Stops, closes and (vdevs) removes it at its
// end.
class EthDevice {
public:
    // For so many lcores: a receive queue each if the device spreads flows over queues by itself,
    // else one; a transmit queue each as far as it has them. `name` empty: the first there is. A
    // null `pool` makes an own one, whose buffers hold packets of `mtu_wanted` bytes. A device whose MTU is smaller is told
    // this one; if it refuses, packets stay as small as it has them, and the log says so. Null and `error` on failure.
    static std::shared_ptr<EthDevice> open(const std::string& name, std::shared_ptr<rte_mempool> pool,
                                           std::size_t lcores, std::uint16_t mtu_wanted, std::string& error);
    ~EthDevice();
    EthDevice(const EthDevice&) = delete;
    EthDevice& operator=(const EthDevice&) = delete;

    std::uint16_t port_id() const { return port_id_; }
    rte_mempool* pool() const { return pool_.get(); }
    const MacAddress& mac() const { return mac_; }               // all zero if it has none
    const std::string& driver() const { return driver_; }        // "net_af_packet", "net_ixgbe"
    const std::string& interface() const { return interface_; }  // of the kernel below; else empty
    std::uint16_t mtu() const { return mtu_; }
    // So that neighbours' questions for this address reach us. Drivers that hand up every frame
    // need not know.
    void listen_for(const Ipv6Address&);
    std::uint16_t rx_queues() const { return rx_queues_; }
    std::uint16_t tx_queues() const { return tx_queues_; }
    // Held around a transmission where lcores share a queue; null where they do not.
    std::mutex* tx_lock() { return tx_queues_ < counters_.size() ? &tx_lock_ : nullptr; }
    // Of each lcore; they live as long as the device, so that sums can be made.
    DpdkCounters& counters(std::size_t lcore) { return *counters_[lcore]; }
    std::uint64_t rx_packets() const;
    DeviceWatch& watch() { return watch_; }

private:
    EthDevice(std::uint16_t port_id, std::size_t lcores);
    bool choose_queues(const rte_eth_dev_info&, std::string& error);
    bool configure(std::string& error);
    void widen(std::uint16_t mtu_wanted);
    bool start_queues(std::string& error);

    std::uint16_t port_id_;
    bool owned_ = false;
    std::shared_ptr<rte_mempool> pool_;
    MacAddress mac_{};
    std::string name_;
    std::string driver_;
    std::string interface_;
    std::uint16_t mtu_ = 1500;
    std::uint16_t rx_queues_ = 1;
    std::uint16_t tx_queues_ = 1;
    bool by_hash_ = false;  // the device must be told to spread (RSS)
    std::mutex tx_lock_;
    std::vector<std::unique_ptr<DpdkCounters>> counters_;
    DeviceWatch watch_;
};

constexpr std::uint16_t kEthernetMtu = 1500;  // without jumbo frames
// Of a packet's bytes, those before its UDP payload.
constexpr std::uint16_t kIpv4UdpBytes = 28;
constexpr std::uint16_t kIpv6UdpBytes = 48;

// A pool of `count` buffers of one frame each, for packets of up to `mtu` bytes; freed with its last owner. On this NUMA
// domain if it has the memory, and else, said in the log, anywhere; -1: anywhere. Null on failure.
std::shared_ptr<rte_mempool> make_buffer_pool(std::uint32_t count, std::uint16_t mtu, std::string& error,
                                              int numa_domain = -1);

class DpdkPort final : public PacketPort {
public:
    static constexpr std::uint16_t kBurst = 32;
    static constexpr int kTxAttempts = 4;  // then drop: a stuck peer must not hang the loop

    // `keep` lives until the device is closed (the rings below a ring device).
    // `lcore`: number among the ports of the device; the first reports what is the device's alone.
    DpdkPort(std::shared_ptr<EthDevice> device, std::size_t lcore, const Link& link, std::shared_ptr<void> keep);
    ~DpdkPort() override;
    DpdkPort(const DpdkPort&) = delete;
    DpdkPort& operator=(const DpdkPort&) = delete;

    std::size_t receive(DatagramSink&) override;
    std::span<std::uint8_t> begin_send() override;
    void commit_send(const Path&, std::size_t size) override;
    void flush() override;
    void wait(std::int64_t timeout_ns) override { sleeper_.wait(timeout_ns); }
    void wake() override { sleeper_.wake(); }
    bool resolve(const UdpAddress&, Path&) override;
    UdpAddress local() const override;
    std::string name() const override;  // the driver without its "net_"
    // Besides the counters of dpdk_counters.h and device_watch.h:
    //   rx_missed              frames that the device had no room for, if its driver tells
    //   mbufs_in_use           (goes down too) buffers outside the pool, device rings included
    //   kernel_rx_dropped      by the kernel on the interface below, since the port opened
    //   kernel_rx_minus_port_rx  arrived there but never here: ring overruns that af_packet hides.
    //                          Frames not polled yet count as well, so read it when traffic rests.
    void look_at_device() override { device_->watch().look(); }
    void append_counters(std::vector<Counter>&) const override;

private:
    // True when the buffer now belongs to tx_.
    bool handle(rte_mbuf*& buffer, DatagramSink& sink);
    void enqueue(rte_mbuf* buffer);
    bool build_ndp_answer(rte_mbuf* buffer, const FrameResult& question);
    void tell_too_big(const FrameResult&);
    void look_for_a_refusal();
    void ask_for(const IpBytes& target);
    void announce();
    template <class Build>
    void send_own(std::size_t size, PortCount count, Build&& build);

    std::shared_ptr<void> keep_;
    std::shared_ptr<EthDevice> device_;
    const std::size_t lcore_;
    const bool receives_;
    const std::uint16_t tx_queue_;
    Link link_;
    Station& own_ = link_.station;
    rte_mbuf* sending_ = nullptr;
    std::array<rte_mbuf*, kBurst> tx_{};
    std::uint16_t tx_count_ = 0;
    NeighbourCache neighbours_;
    IdleSleeper sleeper_;
    DpdkCounters& counters_;
    std::int64_t too_big_told_ns_ = 0;
    PacketSockets sockets_;          // of the driver on that interface
    std::int64_t looked_at_ns_ = 0;  // for a refusal
    bool refused_ = false;           // at that time
    std::int64_t refusal_told_ns_ = 0;
    InterfaceStatistics base_;  // of the kernel interface when the port opened
};

}  // namespace bayplan::dataplane
