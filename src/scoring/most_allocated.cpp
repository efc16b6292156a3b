// MostAllocated: prefers nodes that the pod fills up, packing load.

#include <algorithm>

#include "scoring/allocated.h"

namespace bayplan {

namespace {

class MostAllocated final : public Score {
public:
    std::string_view name() const override { return "NodeResourcesFit"; }

    void add(const AskClass& ask_class, const NodeBlock& block, std::uint64_t lanes, std::int64_t weight,
             LaneScores& scores) const noexcept override {
        add_allocated_scores(ask_class, block, lanes, weight, scores,
                             [](std::int64_t requested, std::int64_t capacity) noexcept {
                                 return std::min(requested, capacity) * 100 / capacity;
                             });
    }
};

}  // namespace

std::unique_ptr<Score> make_most_allocated() { return std::make_unique<MostAllocated>(); }

}  // namespace bayplan
