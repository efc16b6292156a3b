// Nodes with devices, and pods that each have a claim of their own made from a template, as one shim's messages.
//
// Thread: one. Owner: its caller.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "measure/scheduler.h"

namespace bayplan::bench {

struct ClaimLoad {
    std::string name;
    std::uint32_t nodes = 0;
    std::uint32_t pods = 0;
    std::int64_t devices = 1;  // that a pod asks for
    bool together = false;     // all of them of one NUMA domain of the node
    int kind = 1;              // that a pod asks for; the devices are of kind 1
};

inline constexpr std::uint32_t kDevicesPerNode = 8;
inline constexpr std::uint32_t kNumaDomains = 2;

class ClaimShim {
public:
    ClaimShim(const ClaimLoad& load, measure::Scheduler& scheduler);

    // The load's pods from `first` on, with their specs and claims.
    void ask(std::uint32_t first, std::uint32_t count);
    void take_decisions();

private:
    void send(const StateBody&);
    Text text(std::string_view);
    void send_entries();
    void send_nodes();
    void send_slices();
    ResourceSlice slice_of(std::uint32_t node);
    ResourceClaim claim_of(const std::string& pod, Text uid);

    const ClaimLoad& load_;
    measure::Scheduler& scheduler_;
    std::uint64_t sequence_ = 0;
    std::uint32_t last_spec_ = 0;
    std::unordered_map<std::string, Text> ids_;
    std::deque<std::string> texts_;
    std::vector<DictEntry> unsent_entries_;
};

}  // namespace bayplan::bench
