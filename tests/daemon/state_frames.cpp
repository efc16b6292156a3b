// See state_frames.h.
#include "state_frames.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "wire/codec.h"

namespace bayplan::testing {
namespace {

constexpr DictId kCpu = 1;
constexpr DictId kPods = 2;
constexpr DictId kApplication = 3;
constexpr DictId kUser = 4;
constexpr DictId kFirstNode = 100;

dataplane::Frame encoded(const wire::Message& message) {
    wire::Encoder encoder;
    const std::span<const std::byte> bytes = encoder.encode(message);
    dataplane::Frame frame(bytes.size());
    std::memcpy(frame.data(), bytes.data(), bytes.size());
    return frame;
}

}  // namespace

std::vector<dataplane::Frame> resync_frames(std::size_t nodes) {
    std::vector<dataplane::Frame> frames;
    const auto add = [&](StateBody body) {
        frames.push_back(encoded(wire::StateFrame{frames.size() + 1, std::move(body)}));
    };
    add(ResyncBeginMessage{});
    std::vector<std::string> names;
    for (std::size_t i = 0; i < nodes; ++i) names.push_back(fmt::format("node-{}", i));
    std::vector<DictEntry> entries{{kCpu, "cpu"}, {kPods, "pods"}, {kApplication, "app"}, {kUser, "ann"}};
    for (std::size_t i = 0; i < nodes; ++i) entries.push_back({kFirstNode + static_cast<DictId>(i), names[i]});
    add(DefineMessage{entries});
    const std::array<Amount, 2> capacity{{{kCpu, 4'000}, {kPods, 110}}};
    std::vector<NodeItem> records;
    for (std::size_t i = 0; i < nodes; ++i) {
        records.push_back({kFirstNode + static_cast<DictId>(i), NodeAction::create, capacity, {}});
    }
    add(NodesMessage{records});
    const ApplicationItem application{kApplication, 0, kUser};
    add(ApplicationsMessage{std::span(&application, 1), {}});
    add(ResyncEndMessage{});
    return frames;
}

std::vector<dataplane::Frame> ask_frames(const std::string& prefix, std::size_t count, std::uint64_t first_sequence) {
    return ask_frames(prefix, count, first_sequence, 64);
}

std::vector<dataplane::Frame> ask_frames(const std::string& prefix, std::size_t count, std::uint64_t first_sequence,
                                         std::size_t per_message) {
    const std::array<Amount, 2> requests{{{kCpu, 100}, {kPods, 1}}};
    std::vector<dataplane::Frame> frames;
    for (std::size_t done = 0; done < count;) {
        std::vector<std::string> keys;
        for (; done < count && keys.size() < per_message; ++done) keys.push_back(fmt::format("{}{}", prefix, done + 1));
        std::vector<AskItem> asks;
        for (const std::string& key : keys) {
            AskItem ask;
            ask.key = key;
            ask.application = kApplication;
            ask.requests = requests;
            asks.push_back(ask);
        }
        frames.push_back(encoded(wire::StateFrame{first_sequence + frames.size(), AsksMessage{asks}}));
    }
    return frames;
}

dataplane::Frame acknowledge_frame(std::uint64_t up_to) { return encoded(wire::AcknowledgeFrame{up_to}); }

}  // namespace bayplan::testing
