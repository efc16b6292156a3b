// See vector_scan.h.
#include "measure/vector_scan.h"

#include <algorithm>
#include <cstring>

namespace bayplan::measure {

namespace {

// Plain vectors of the compiler: each function below says for which instructions they are compiled.
using Lanes = double __attribute__((vector_size(VectorScan::kLanes * sizeof(double))));
using Mask = long long __attribute__((vector_size(VectorScan::kLanes * sizeof(double))));

constexpr double kNoRoom = -1;            // free amount of lanes behind the last node
constexpr double kWholeNumbers = 0x1p52;  // above it every double is a whole number

}  // namespace

struct VectorLook {
    [[gnu::always_inline]] static inline void load(Lanes& lanes, const std::vector<double>& column, std::size_t at) {
        std::memcpy(&lanes, column.data() + at, sizeof lanes);
    }

    // Of quotients from 0 to 100.
    [[gnu::always_inline]] static inline void round_down(Lanes& value) {
        const Lanes nearest = (value + kWholeNumbers) - kWholeNumbers;
        const Lanes zero = {};
        value = nearest - (nearest > value ? zero + 1.0 : zero);
    }

    [[gnu::always_inline]] static inline void add_resource(const VectorScan::Column& column,
                                                           const std::vector<double>& scored_in_use,
                                                           double scored_amount, double amount, std::size_t at,
                                                           Lanes& least, Lanes& resources, Lanes& share) {
        const Lanes zero = {};
        Lanes capacity;
        Lanes free;
        Lanes scored;
        load(capacity, column.capacity, at);
        load(free, column.free, at);
        load(scored, scored_in_use, at);
        scored += scored_amount;
        Lanes percent = (capacity - scored) * 100.0 / capacity;
        percent = scored > capacity ? zero : percent;
        round_down(percent);
        const Mask there = capacity > zero;
        share = (capacity - free + amount) / capacity;
        share = share > 1.0 ? zero + 1.0 : share;
        least += there ? percent : zero;
        resources += there ? zero + 1.0 : zero;
    }

    [[gnu::always_inline]] static inline std::size_t best(const VectorScan& scan, const VectorScan::Ask& ask,
                                                          std::size_t first, std::size_t end) {
        const Lanes zero = {};
        Lanes best_score = zero - 1.0;
        Lanes best_at = zero;
        for (std::size_t at = first; at < end; at += VectorScan::kLanes) {
            Mask fits = zero == zero;
            for (const VectorScan::Request& request : ask.requests) {
                Lanes free;
                load(free, scan.columns_[request.resource].free, at);
                fits &= free >= request.amount;
            }
            Lanes least = zero;
            Lanes resources = zero;
            Lanes cpu_share;
            Lanes memory_share;
            add_resource(scan.columns_[VectorScan::kCpu], scan.scored_cpu_, ask.scored_cpu, ask.cpu, at, least,
                         resources, cpu_share);
            add_resource(scan.columns_[VectorScan::kMemory], scan.scored_memory_, ask.scored_memory, ask.memory, at,
                         least, resources, memory_share);
            Lanes score = resources > 1.0 ? least / 2.0 : least;
            round_down(score);
            if (ask.cpu != 0 || ask.memory != 0) {
                Lanes deviation = (cpu_share - memory_share) / 2.0;
                deviation = deviation < zero ? -deviation : deviation;
                deviation = resources > 1.0 ? deviation : zero;
                Lanes balanced = (1.0 - deviation) * 100.0;
                round_down(balanced);
                score += balanced;
            }
            const Mask better = fits & (score > best_score);
            best_score = better ? score : best_score;
            best_at = better ? zero + static_cast<double>(at) : best_at;
        }
        return first_of_the_best(best_score, best_at);
    }

    [[gnu::always_inline]] static inline std::size_t first_of_the_best(const Lanes& score, const Lanes& at) {
        double best_score = -1;
        std::size_t best = VectorScan::kNoNode;
        for (std::size_t lane = 0; lane < VectorScan::kLanes; ++lane) {
            const std::size_t node = static_cast<std::size_t>(at[lane]) + lane;
            if (score[lane] < 0 || score[lane] < best_score || (score[lane] == best_score && node > best)) continue;
            best_score = score[lane];
            best = node;
        }
        return best;
    }

    static std::size_t plain(const VectorScan& scan, const VectorScan::Ask& ask, std::size_t first, std::size_t end) {
        return best(scan, ask, first, end);
    }
    [[gnu::target("avx2")]] static std::size_t avx2(const VectorScan& scan, const VectorScan::Ask& ask,
                                                    std::size_t first, std::size_t end) {
        return best(scan, ask, first, end);
    }
    [[gnu::target("avx512f,avx512dq,avx512vl,avx512bw,prefer-vector-width=512")]] static std::size_t avx512(
        const VectorScan& scan, const VectorScan::Ask& ask, std::size_t first, std::size_t end) {
        return best(scan, ask, first, end);
    }
};

VectorScan::VectorScan() : resources_{"cpu", "memory"}, columns_(2), look_(best_look()) {}

VectorScan::Look VectorScan::best_look() {
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
        return VectorLook::avx512;
    }
    return __builtin_cpu_supports("avx2") ? VectorLook::avx2 : VectorLook::plain;
}

std::size_t VectorScan::resource_of(std::string_view name) {
    const auto found = std::ranges::find(resources_, name);
    if (found != resources_.end()) return static_cast<std::size_t>(found - resources_.begin());
    resources_.emplace_back(name);
    columns_.push_back({std::vector<double>(scored_cpu_.size()), std::vector<double>(scored_cpu_.size(), kNoRoom)});
    std::fill_n(columns_.back().free.begin(), nodes_, 0.0);
    return resources_.size() - 1;
}

// Room for a whole number of lanes.
void VectorScan::grow(std::vector<double>& column, double value) const {
    if (nodes_ == column.size()) column.resize(nodes_ + kLanes, value);
}

void VectorScan::add_node(const workload::Amounts& capacity) {
    for (Column& column : columns_) {
        grow(column.capacity, 0);
        grow(column.free, kNoRoom);
        column.free[nodes_] = 0;
    }
    grow(scored_cpu_, 0);
    grow(scored_memory_, 0);
    ++nodes_;
    for (const auto& [name, amount] : capacity) {
        Column& column = columns_[resource_of(name)];
        column.capacity[nodes_ - 1] = static_cast<double>(amount);
        column.free[nodes_ - 1] = static_cast<double>(amount);
    }
}

VectorScan::Ask VectorScan::make_ask(const workload::Amounts& requests) {
    Ask ask;
    for (const auto& [name, given] : requests) {
        const std::size_t resource = resource_of(name);
        const auto amount = static_cast<double>(given);
        ask.requests.push_back({resource, amount});
        ask.cpu = resource == kCpu ? amount : ask.cpu;
        ask.memory = resource == kMemory ? amount : ask.memory;
        ask.scored_cpu = resource == kCpu ? amount : ask.scored_cpu;
        ask.scored_memory = resource == kMemory ? amount : ask.scored_memory;
    }
    // Lanes behind the last node have no room for anything, not even for nothing.
    if (ask.requests.empty()) ask.requests.push_back({kCpu, 0});
    return ask;
}

std::size_t VectorScan::place(const Ask& ask) {
    std::size_t node = ask.required_node;
    if (node == kNoNode) {
        node = look_(*this, ask, 0, scored_cpu_.size());
    } else if (!std::ranges::all_of(ask.requests, [&](const Request& request) {
                   return columns_[request.resource].free[node] >= request.amount;
               })) {
        node = kNoNode;
    }
    if (node != kNoNode) take(ask, node);
    return node;
}

void VectorScan::take(const Ask& ask, std::size_t node) { add(ask, node, 1); }

void VectorScan::give_back(const Ask& ask, std::size_t node) { add(ask, node, -1); }

void VectorScan::add(const Ask& ask, std::size_t node, double sign) {
    for (const Request& request : ask.requests) columns_[request.resource].free[node] -= sign * request.amount;
    scored_cpu_[node] += sign * ask.scored_cpu;
    scored_memory_[node] += sign * ask.scored_memory;
}

}  // namespace bayplan::measure
