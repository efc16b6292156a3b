// The plugin that a load serves: every pod needs it, and it answers each query after a time, no to a share of the nodes.
// The verdict on a pod and a node is always the same.
//
// Thread: the load's.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bayplan/client.h"

namespace bayplan::cli {

class LoadPlugin {
public:
    static constexpr std::string_view kName = "load";

    LoadPlugin(std::int64_t answer_ns, double refuses) : answer_ns_(answer_ns), refuses_(refuses) {}

    void asked(std::uint64_t query, std::string_view key, std::span<const std::string_view> nodes, std::int64_t now_ns);
    // Gives what is due to `submit`, which says whether there was room for it. Returns how many answers.
    std::size_t answer(std::int64_t now_ns, const std::function<bool(std::span<const PluginAnswer>)>& submit);
    std::size_t open() const { return waiting_.size(); }
    std::uint64_t answers() const { return answers_; }
    std::uint64_t refusals() const { return refusals_; }
    // A new connection that begins anew: its daemon has no query open.
    void forget() { waiting_.clear(); }

private:
    struct Waiting {
        std::int64_t due_ns = 0;
        std::uint64_t query = 0;
        std::vector<PluginVerdict> verdicts;
        std::vector<PluginReason> reasons;
    };

    const std::int64_t answer_ns_;
    const double refuses_;  // share of pods and nodes
    std::deque<Waiting> waiting_;
    std::uint64_t answers_ = 0;
    std::uint64_t refusals_ = 0;
};

}  // namespace bayplan::cli
