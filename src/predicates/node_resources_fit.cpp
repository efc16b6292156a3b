// NodeResourcesFit: for every resource asked for, capacity - used - foreign - what holds keep from
// this priority must suffice. Any resource by name; `pods` is one of them. Source: Kubernetes 1.35,
// NodeResourcesFit filter; holds: R-PREDICATE-13.

#include <array>
#include <bit>
#include <span>
#include <utility>

#include "predicates/registry.h"
#include "predicates/shortage.h"

namespace bayplan {

namespace {

class NodeResourcesFit final : public Predicate {
public:
    bool refuses_pods() const override { return false; }
    bool looks_at_pods() const override { return false; }
    NodeResourcesFit(const LaneKernels& kernels) : kernels_(kernels) {}

    bool concerns(const AskClass& ask_class) const override { return !ask_class.requests.empty(); }

    std::uint64_t filter(const AskClass& ask_class, const NodeBlock& block,
                         std::uint64_t lanes) const noexcept override {
        lanes = with_room(block, ask_class.requests, lanes);
        if ((lanes & block.holding) != 0) {
            for (const ResourceAmount& request : ask_class.requests) {
                lanes &= ~held_short(ask_class, block, request, lanes & block.holding);
            }
        }
        return lanes;
    }

    Refusal explain(const Subject& subject, const NodeView& node) const override {
        Refusal refusal;
        for (const ResourceAmount& request : subject.ask_class.requests) {
            if (node.block.free_for(node.lane(), request.resource, subject.ask_class.priority) >= request.value) {
                continue;
            }
            const ResourceColumns* columns = node.block.columns(request.resource);
            const bool never = columns == nullptr || columns->capacity[node.lane()] < request.value;
            refusal.reasons.push_back(reason_for(subject, request.resource));
            // Kubernetes never calls a lack of pod slots unresolvable.
            if (never && subject.cluster.resources.text(request.resource) != "pods") {
                refusal.verdict = Verdict::unresolvable;
            } else if (refusal.verdict == Verdict::feasible) {
                refusal.verdict = Verdict::unschedulable;
            }
        }
        return refusal;
    }

    LaneRefusals explain_lanes(const Subject& subject, const NodeBlock& block, std::uint32_t number,
                               std::uint64_t lanes, ReasonCounts& counts) const override {
        LaneRefusals refusals;
        for (const ResourceAmount& request : subject.ask_class.requests) {
            const std::uint64_t lack = short_of(subject, block, number, request, lanes);
            if (lack == 0) {
                continue;
            }
            const std::string_view text = subject.cluster.resources.text(request.resource);
            const Shortage reason = shortage_parts(text);
            count_reason(counts, reason.first, lack, reason.more);
            if (text == "pods") {
                refusals.unschedulable |= lack;
                continue;
            }
            const std::uint64_t enough = large_enough(subject, block, number, request, lack);
            refusals.unschedulable |= enough;
            refusals.unresolvable |= lack & ~enough;
        }
        refusals.unschedulable &= ~refusals.unresolvable;
        return refusals;
    }

private:
    // The lanes of `lanes`, all with nodes, that lack the request, by what is held from the ask, too.
    std::uint64_t short_of(const Subject& subject, const NodeBlock& block, std::uint32_t number,
                           const ResourceAmount& request, std::uint64_t lanes) const {
        if (subject.rooms != nullptr && block.reach(request.resource) == nullptr) {
            const RoomRanges::Range& free = subject.rooms->of(number, request.resource);
            if (free.most < request.value) {
                return lanes;
            }
            if (free.least_beside_holds >= request.value) {
                return 0;
            }
        }
        const std::uint64_t lack = lanes & ~with_room(block, {&request, 1}, lanes);
        return lack | held_short(subject.ask_class, block, request, lanes & block.holding & ~lack);
    }

    // The lanes of `lanes`, all with nodes, that could ever have it.
    std::uint64_t large_enough(const Subject& subject, const NodeBlock& block, std::uint32_t number,
                               const ResourceAmount& request, std::uint64_t lanes) const {
        if (subject.rooms != nullptr && subject.rooms->of(number, request.resource).least_capacity >= request.value) {
            return lanes;
        }
        const ResourceLanes empty{block.lanes(request.resource, request.value).capacity, kNoColumns.used.data(),
                                  kNoColumns.foreign.data(), request.value};
        return kernels_.with_room(empty, lanes);
    }

    // Holds aside. Where a resource is devices, their reach decides too.
    std::uint64_t with_room(const NodeBlock& block, std::span<const ResourceAmount> requests,
                            std::uint64_t lanes) const noexcept {
        constexpr std::size_t kTogether = 8;
        std::array<ResourceLanes, kTogether> resources;
        std::size_t count = 0;
        for (const auto& request : requests) {
            if (count + 2 > kTogether) {
                lanes = kernels_.with_room_for_all(resources.data(), std::exchange(count, 0), lanes);
            }
            resources[count++] = block.lanes(request.resource, request.value);
            if (const ReachLanes* const reach = block.reach(request.resource); reach != nullptr) {
                resources[count++] = NodeBlock::lanes(*reach, request.value);
            }
        }
        return kernels_.with_room_for_all(resources.data(), count, lanes);
    }

    static std::string reason_for(const Subject& subject, ResourceId id) {
        return shortage_of(subject.cluster.resources.text(id));
    }

    // The lanes of `lanes` that lack the request because of holds; their nodes have holds, and would fit without.
    std::uint64_t held_short(const AskClass& ask_class, const NodeBlock& block, const ResourceAmount& request,
                             std::uint64_t lanes) const noexcept {
        const ResourceColumns* const columns = block.columns(request.resource);
        if (lanes == 0 || columns == nullptr) {
            return 0;
        }
        // How far devices reach beside holds is in the lists of holds alone.
        if (ask_class.priority < block.hold_floor && block.reach(request.resource) == nullptr) {
            alignas(64) std::array<std::int64_t, kLanes> taken;
            constexpr std::uint32_t kEight = 8;  // mostly one eight is asked for
            for (std::uint64_t eights = whole_eights(lanes); eights != 0;) {
                const auto first = static_cast<std::uint32_t>(std::countr_zero(eights));
                for (std::uint32_t lane = first; lane < first + kEight; ++lane) {
                    taken[lane] = columns->foreign[lane] + columns->held[lane];
                }
                eights &= ~(std::uint64_t{0xff} << first);
            }
            return lanes & ~kernels_.with_room(
                               {columns->capacity.data(), columns->used.data(), taken.data(), request.value}, lanes);
        }
        std::uint64_t lack = 0;
        for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
            const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
            const bool enough = block.free_for(lane, request.resource, ask_class.priority) >= request.value;
            lack |= enough ? 0 : left & -left;
        }
        return lack;
    }

    const LaneKernels& kernels_;
};

}  // namespace

std::unique_ptr<Predicate> make_node_resources_fit(const LaneKernels& kernels) {
    return std::make_unique<NodeResourcesFit>(kernels);
}

}  // namespace bayplan
