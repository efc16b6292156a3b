// Replaying a record: an engine is driven through the inputs of a live run, each applied after
// exactly as many attempts as it was then. Same record, same decisions; settings that do not decide
// may differ.
//
// Thread: the caller's is the engine's. Owner: the caller owns the reader.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "base/decision_sink.h"
#include "engine/engine.h"
#include "recorder/recording_reader.h"

namespace bayplan::cli {

// Takes all messages of the engine; writes the decision log and reports of preemptions into files, if they are given.
// The shims of the record are not there: every message to them is taken at once.
class ReplaySink final : public DecisionSink {
public:
    explicit ReplaySink(std::FILE* log, std::FILE* preemptions = nullptr) : log_(log), preemptions_(preemptions) {}

    void hello_reply(ConnectionId, const HelloReply&) override {}
    bool decisions(ConnectionId, std::shared_ptr<const DecisionBatch>, std::size_t, std::uint64_t) override {
        return true;
    }
    bool state_applied(ConnectionId, std::uint64_t) override { return true; }
    void cut(ConnectionId, std::string_view) override {}
    void log_line(std::string_view line) override;
    void preemption(std::string_view report) override;

private:
    std::FILE* log_;          // may be null; not owned
    std::FILE* preemptions_;  // likewise
};

struct ReplayResult {
    std::string fault;  // empty: replayed to the orderly end of the record
    std::uint64_t inputs = 0;
    std::uint64_t attempts = 0;
    double seconds = 0;
};

// With `inputs`: a line for each input, `NUMBER ATTEMPTS-BEFORE WHAT`.
ReplayResult replay(recorder::RecordingReader&, Engine&, std::FILE* inputs = nullptr);

}  // namespace bayplan::cli
