// Recordings of runs made by an earlier build decide the same today: each is replayed in several ways of executing it,
// and by the oracle, and every digest is the run's own. The events that a recording is kept for are counted while the
// oracle follows it, so that none of them can be an empty proof.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "cli/replay.h"
#include "config/recorded_partition.h"
#include "coverage.h"
#include "suite.h"

namespace bayplan::recordings {
namespace {

// This folder, or another one with recordings that `make` has just made (then BAYPLAN_RECORDINGS says which).
std::string in_folder(const std::string& name) {
    const char* other = std::getenv("BAYPLAN_RECORDINGS");
    return std::string(other == nullptr ? BAYPLAN_RECORDINGS_FOLDER : other) + "/" + name;
}

// The lines of a file of this folder but remarks, as words.
std::vector<std::vector<std::string>> lines_of(const std::string& name) {
    std::ifstream file(in_folder(name));
    std::vector<std::vector<std::string>> out;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::vector<std::string> found;
        for (std::string word; words >> word;) {
            found.push_back(word);
        }
        if (!found.empty() && found[0][0] != '#') {
            out.push_back(found);
        }
    }
    return out;
}

std::unique_ptr<recorder::RecordingReader> open(const std::string& name) {
    std::string error;
    auto record = recorder::RecordingReader::open(in_folder(name + ".record"), error);
    EXPECT_NE(record, nullptr) << error;
    return record;
}

EngineOptions settings_of(const recorder::RecordingReader& record) {
    config::PartitionConfig partition;
    config::Faults faults;
    EXPECT_TRUE(config::parse_recorded_text(std::string(record.configuration()), "recording", partition, faults));
    for (const config::Fault& fault : faults) {
        ADD_FAILURE() << fault.to_string();
    }
    return partition.engine;
}

struct Way {
    ExecutorKind executor;
    BatchPath path;
    std::uint32_t workers, shards, batch, depth;
    VictimPath victim_path;
    std::uint32_t victim_workers;
};

constexpr Way kWays[] = {
    {ExecutorKind::inline_, BatchPath::inline_, 1, 1, 1, 1, VictimPath::plain, 0},
    {ExecutorKind::inline_, BatchPath::automatic, 1, 4, 64, 2, VictimPath::automatic, 1},
    {ExecutorKind::inline_, BatchPath::graph, 1, 16, 16, 2, VictimPath::inline_, 0},
    {ExecutorKind::threads, BatchPath::graph, 2, 4, 16, 2, VictimPath::workers, 2},
    {ExecutorKind::threads, BatchPath::graph, 4, 1, 256, 1, VictimPath::automatic, 1},
    {ExecutorKind::threads, BatchPath::automatic, 1, 16, 1, 1, VictimPath::workers, 1},
    {ExecutorKind::tbb, BatchPath::graph, 2, 4, 64, 2, VictimPath::workers, 1},
    {ExecutorKind::tbb, BatchPath::automatic, 4, 16, 16, 2, VictimPath::automatic, 2},
};

EngineOptions with(EngineOptions options, const Way& way) {
    options.executor = way.executor;
    options.path = way.path;
    options.workers = way.workers;
    options.shards = way.shards;
    options.batch = way.batch;
    options.depth = way.depth;
    options.victim_path = way.victim_path;
    options.victim_workers = way.victim_workers;
    return options;
}

// Counts of events in a recording, beside the counts of the coverage of random histories.
class Facts {
public:
    void note(const Input& input) {
        if (std::holds_alternative<HoldPlace>(input)) {
            ++counts_["holds"];
        }
        if (const auto* connect = std::get_if<Connect>(&input)) {
            shims_.emplace(connect->shim);
        }
        const auto* message = std::get_if<StateMessage>(&input);
        if (message == nullptr) {
            return;
        }
        if (const auto* nodes = std::get_if<NodesMessage>(&message->body)) {
            for (const NodeItem& node : nodes->nodes) {
                counts_["decommissions"] += node.action == NodeAction::decommission;
                counts_["nodes with devices"] += !node.devices.empty();
            }
        } else if (const auto* nacks = std::get_if<NacksMessage>(&message->body)) {
            counts_["nacks"] += nacks->nacks.size();
        } else if (const auto* objects = std::get_if<ObjectsMessage>(&message->body)) {
            for (const ObjectItem& object : objects->objects) {
                counts_["budgets"] += std::holds_alternative<PodBudget>(object.object) && !object.removed;
            }
        }
    }
    void note(const oracle::Oracle& oracle) {
        for (const auto& [sequence, ask] : oracle.asks()) {
            if (!ask.bindings.empty()) {
                bound_.insert(sequence);
            }
        }
    }
    std::map<std::string, std::uint64_t> counts(const oracle::Oracle& oracle) const {
        std::map<std::string, std::uint64_t> out = counts_;
        property::Coverage coverage(true);
        coverage.add(oracle);
        out.insert(coverage.counts().begin(), coverage.counts().end());
        out["shims"] = shims_.size();
        out["bindings"] = bound_.size();
        return out;
    }

private:
    std::map<std::string, std::uint64_t> counts_;
    std::set<std::string> shims_;
    std::set<std::uint64_t> bound_;  // asks whose placement gave a volume to a claim
};

class Recordings : public ::testing::TestWithParam<std::string> {
protected:
    std::string digest() const {
        for (const auto& words : lines_of("digests.txt")) {
            if (words.at(0) == GetParam()) {
                return words.at(1);
            }
        }
        return "no digest of it in digests.txt";
    }
};

TEST_P(Recordings, decides_what_it_decided_then) {
    const bool with_tbb = property::Suite::from_environment(1).with_tbb;
    for (const Way& way : kWays) {
        if (way.executor == ExecutorKind::tbb && !with_tbb) {
            continue;
        }
        const auto record = open(GetParam());
        ASSERT_NE(record, nullptr);
        cli::ReplaySink sink(nullptr);
        Engine engine(with(settings_of(*record), way), sink);
        const cli::ReplayResult result = cli::replay(*record, engine);
        EXPECT_EQ(result.fault, "");
        EXPECT_GT(result.attempts, 0u);
        EXPECT_EQ(engine.digest(), digest()) << "way " << &way - kWays;
    }
}

TEST_P(Recordings, has_what_it_is_kept_for) {
    const auto record = open(GetParam());
    ASSERT_NE(record, nullptr);
    oracle::Oracle oracle(settings_of(*record));
    oracle.count_what_decides();
    Facts facts;
    recorder::RecordingEntry entry;
    recorder::RecordingStep step;
    while ((step = record->next(entry)) != recorder::RecordingStep::torn) {
        oracle.run(entry.attempts - oracle.attempts());
        ASSERT_EQ(oracle.attempts(), entry.attempts);
        facts.note(oracle);
        if (step == recorder::RecordingStep::finished) {
            break;
        }
        facts.note(entry.input);
        oracle.apply(entry.input);
    }
    ASSERT_EQ(step, recorder::RecordingStep::finished) << record->fault();
    EXPECT_EQ(oracle.digest(), digest());

    const std::map<std::string, std::uint64_t> counts = facts.counts(oracle);
    bool claimed = false;
    for (const auto& words : lines_of("claims.txt")) {
        if (words.at(0) == GetParam()) {
            const std::string what = fmt::format("{}", fmt::join(words.begin() + 2, words.end(), " "));
            const auto found = counts.find(what);
            claimed = true;
            EXPECT_GE(found == counts.end() ? 0 : found->second, std::stoull(words.at(1))) << what;
        }
    }
    EXPECT_TRUE(claimed) << "claims.txt does not say what it is kept for";
    if (std::getenv("BAYPLAN_FACTS") != nullptr) {
        for (const auto& [what, count] : counts) {
            fmt::print("{} {} {}\n", GetParam(), count, what);
        }
    }
}

std::vector<std::string> names() {
    std::vector<std::string> out;
    for (const auto& words : lines_of("digests.txt")) {
        out.push_back(words.at(0));
    }
    return out;
}

INSTANTIATE_TEST_SUITE_P(All, Recordings, ::testing::ValuesIn(names()),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace bayplan::recordings
