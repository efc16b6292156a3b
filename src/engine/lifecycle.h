// What happens to asks: the only code that changes an ask's state, a node's usage, or a shim's decisions.
// Every transition of engine/RULES.md is one function here.
//
// Thread: the engine's.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "engine/decision_log.h"
#include "engine/world.h"
#include "placement/pipeline.h"

namespace bayplan {

std::string gates_text(const PodSpec&, const TextTable&);

class Lifecycle {
public:
    Lifecycle(World&, Pipeline&, const BlockEvaluator&, DecisionLog&, DecisionSink&);

    // --- decisions to a shim
    void decide(ShimId, DecisionKind, std::string_view name, std::string_view text,
                Termination = Termination::unknown, std::string_view node = {}, AskHandle = {});
    void cut(ShimId, std::string_view why);
    bool has_credit(ShimId) const;
    void credit_changed(ShimId);  // tells the heap if credit came or went
    void acknowledge(ShimId, std::uint64_t up_to);

    // The line of an allocation that the engine itself ends.
    void log_release(ShimId id, std::string_view key, std::string_view node, std::string_view why) {
        log_.release(world_.now_ns, world_.shims[id].name, key, node, why);
    }

    // --- an attempt's end
    void place(AskId, Slot);
    void fail(AskId);

    // --- transitions
    void make_pending(AskId);
    void withdraw(AskId);  // out of wherever it waits; the caller gives it a new state
    void place_by_force(AskId, Slot);
    void end_allocation(AskId);  // frees its amounts; the caller gives it a new state
    void back_off_after_nack(AskId);
    void remove(AskId);  // the ask and, if it has one, its allocation
    void wake_one(AskId);
    void wake(std::uint32_t events);  // bits of WakeEvent
    void wake_everybody();
    void tick(std::int64_t now_ns);

    // Why no node takes the class now: fills the class entry's message and failed predicates.
    void diagnose(ClassId);
    Subject subject_of(ClassId);
    // Every node in order of slots.
    template <typename Look>
    void for_each_node(Look&& look) const {
        for (std::uint32_t number = 0; number < world_.node_state.block_count(); ++number) {
            const NodeBlock& block = world_.node_state.block(number);
            for (std::uint64_t left = block.present; left != 0; left &= left - 1) {
                const Slot slot = slot_at(number, static_cast<std::uint32_t>(std::countr_zero(left)));
                look(NodeView{block, slot, *world_.nodes[slot].facts});
            }
        }
    }

    std::uint64_t placed() const { return placed_; }
    std::uint64_t failed() const { return failed_; }

    // Counts the pod in and out of a node; its place in the tables of asks is the caller's.
    void occupy(AskId, Slot);
    void vacate(AskId);
    void make_gated(AskId);

private:
    void count_failure(Ask&);
    void bind_claims(AskId, Slot);
    void unbind_claims(AskId);

    World& world_;
    Pipeline& pipeline_;
    const BlockEvaluator& evaluator_;
    DecisionLog& log_;
    DecisionSink& sink_;
    std::uint64_t placed_ = 0;
    std::uint64_t failed_ = 0;
};

}  // namespace bayplan
