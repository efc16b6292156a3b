// The parts of `make` that a script cannot do: the settings of a random history, the history itself, played to a
// daemon that runs or straight into an engine and its recorder.
//
//   make_recording settings KIND SEED                      of a live run, as an element of `partitions`
//   make_recording live KIND SEED EVENTS UDP-PORT CERTIFICATES
//   make_recording direct KIND SEED EVENTS FILE            with operators' holds, in virtual time
//
// KIND: `anything` (everything that shims may state, right or wrong) or `crowd` (preemption).
// Thread: main; the engine brings its own workers.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <sstream>

#include "cli/replay.h"
#include "config/recorded_partition.h"
#include "crowd.h"
#include "generator.h"
#include "live_player.h"
#include "recorder/recording_writer.h"

namespace bayplan::recordings {

namespace {

constexpr std::int64_t kMs = 1'000'000;

// Which history it is.
struct Story {
    bool crowd = false;
    std::uint64_t seed = 0;
};

EngineOptions options_of(const Story& story) {
    property::Random random(story.seed);
    EngineOptions out = story.crowd ? property::crowd_options(random, true) : property::random_options(random, true);
    out.daemon_instance = (out.daemon_instance & INT64_MAX) | 1;
    out.depth = std::min(out.depth, EngineOptions().depth);  // histories go deeper than a setting may
    out.simd = SimdLevel::automatic;                         // a replay may be on another machine
    return out;
}

// Limits are as in a daemon, so that they do not end a live run early; times are short, so that it does not take
// minutes.
EngineOptions live_options_of(const Story& story) {
    const EngineOptions usual;
    EngineOptions out = options_of(story);
    out.unacknowledged_max = usual.unacknowledged_max;
    out.dictionary_max = usual.dictionary_max;
    out.nodes_max = usual.nodes_max;
    out.applications_max = usual.applications_max;
    out.asks_max = usual.asks_max;
    out.made_queues_max = usual.made_queues_max;
    out.specs_max = usual.specs_max;
    out.label_terms_max = usual.label_terms_max;
    out.topology_keys_max = usual.topology_keys_max;
    out.objects_max = usual.objects_max;
    out.backoff_initial_ns = 30 * kMs;
    out.backoff_max_ns = 300 * kMs;
    out.avoid_rejecting_ns = 400 * kMs;
    out.preemption.enabled = true;
    out.preemption.stuck_after_ns = 500 * kMs;
    out.queues = false;      // a daemon's come from a file, not from its shims
    out.user_groups = true;  // likewise no settings of a daemon
    out.application_tags = true;
    out.forced_by_right = true;
    return out;
}

LivePlayer::Next events_of(const Story& story, const EngineOptions& options) {
    if (story.crowd) {
        auto crowd = std::make_shared<property::Crowd>(story.seed, options, 2);
        return [crowd](const oracle::Oracle& oracle) { return crowd->next(oracle); };
    }
    auto generator = std::make_shared<property::Generator>(story.seed, options);
    return [generator](const oracle::Oracle& oracle) { return generator->next(oracle); };
}

config::PartitionConfig partition_of(const EngineOptions& options) {
    config::PartitionConfig out;
    out.name = "default";
    out.shims = {"*"};
    out.engine = options;
    return out;
}

void print_settings(const Story& story) {
    std::istringstream text(config::recorded_text(partition_of(live_options_of(story))));
    const char* indent = "  - ";
    for (std::string line; std::getline(text, line);) {
        const bool only_recorded = line.starts_with("daemon_instance:") || line.starts_with("queues:") ||
                                   line.starts_with("user_groups:") || line.starts_with("application_tags:") ||
                                   line.starts_with("forced_by_right:");
        if (!line.empty() && line[0] != '#' && !only_recorded) {
            std::cout << indent << line << "\n";
            indent = "    ";
        }
    }
}

// Takes each input as the daemon does.
class RecordedEngine {
public:
    RecordedEngine(Engine& engine, recorder::RecordingWriter& record) : engine_(engine), record_(record) {}

    void apply(const Input& input) {
        record_.write(engine_.attempts(), input);
        engine_.apply(input);
        engine_.flush();
    }

private:
    Engine& engine_;
    recorder::RecordingWriter& record_;
};

void record(const Story& story, std::uint64_t events, const std::string& path) {
    const EngineOptions options = options_of(story);
    std::string error;
    const auto writer = recorder::RecordingWriter::open(path, config::recorded_text(partition_of(options)), error);
    if (writer == nullptr) {
        throw std::runtime_error(error);
    }
    cli::ReplaySink sink(nullptr);
    Engine engine(options, sink);
    RecordedEngine recorded(engine, *writer);
    oracle::Oracle oracle(options);
    property::Connections connections;
    const LivePlayer::Next next = events_of(story, options);
    for (std::uint64_t i = 0; i < events; ++i) {
        const property::Event event = next(oracle);
        if (const auto* run = std::get_if<property::RunEvent>(&event)) {
            engine.run(run->attempts_max);
            oracle.run(run->attempts_max);
            continue;
        }
        const property::Numbers numbers = property::resolve(event, oracle, connections);
        property::feed(recorded, event, numbers, options);
        property::feed(oracle, event, numbers, options);
    }
    writer->finish(engine.attempts());
    std::cout << engine.digest() << "\n";
}

int run(const std::vector<std::string>& words) {
    const std::string what = words.empty() ? "" : words[0];
    const std::size_t wanted = what == "settings" ? 3 : what == "direct" ? 5 : 6;
    if ((wanted == 6 && what != "live") || words.size() != wanted) {
        std::cerr << "usage: see the head of make_recording.cpp\n";
        return 2;
    }
    const Story story{words[1] == "crowd", std::stoull(words[2])};
    if (what == "settings") {
        print_settings(story);
    } else if (what == "direct") {
        record(story, std::stoull(words[3]), words[4]);
    } else {
        const EngineOptions options = live_options_of(story);
        LivePlayer player(options, {static_cast<std::uint16_t>(std::stoul(words[4])), words[5]});
        player.play(events_of(story, options), std::stoull(words[3]));
    }
    return 0;
}

}  // namespace

}  // namespace bayplan::recordings

int main(int count, char** words) {
    try {
        return bayplan::recordings::run({words + 1, words + count});
    } catch (const std::exception& fault) {
        std::cerr << "make_recording: " << fault.what() << "\n";
        return 1;
    }
}
