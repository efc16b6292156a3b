// Hostile messages without end against an engine: their cost by byte of frame, in counted work, time and memory.
//
//   BAYPLAN_FUZZ_SECONDS (12)  how long
//   BAYPLAN_SEED (1)           of the first history
//
// Built twice: with counted work, whose bounds are asserted, and without, for times, which are told and judged by nobody. A
// frame below a kilobyte counts as a kilobyte: a message costs something by itself. Attempts that a frame sets free are
// counted by attempt. A clock of CPU time counts what other machines of a host take as well: a history with a dear message is
// run again, and the least time of each of its messages counts. The histories of a seed are the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hostile_messages.h"
#include "measure/live_memory.h"
#include "measure/stopwatch.h"
#include "tests/engine/harness.h"
#include "wire/codec.h"
#ifdef BAYPLAN_COUNTED
#include "work.h"
#endif

namespace bayplan::attacks {
namespace {

#ifdef BAYPLAN_COUNTED
constexpr bool kCounted = true;
#else
constexpr bool kCounted = false;
std::uint64_t work() { return 0; }
#endif
// A list of names that many records share is read for each of them: some 30 pieces of code a name, 4,096 names a kilobyte.
constexpr double kWorkOfKilobyte = 400'000;
// 64 nodes, each judged by all that a spec may ask.
constexpr double kWorkOfAttempt = 200'000;
constexpr double kKeptOfByte = 16;

constexpr std::uint32_t kMessages = 64;  // of a history
constexpr std::uint32_t kMessagesBetween = 4;
constexpr std::uint64_t kAttempts = 512;  // after each message
constexpr double kDearUs = 250;           // by KB or attempt
constexpr int kRunsOfDear = 4;

// Keeps no decisions, as a connection whose shim takes all of them.
class TakingSink : public testing::KeepingSink {
public:
    bool decisions(ConnectionId, std::shared_ptr<const DecisionBatch> batch, std::size_t, std::uint64_t) override {
        taken = std::max(taken, batch->first_sequence + batch->decisions.size() - 1);
        for (const Decision& decision : batch->decisions) {
            allocated += decision.kind == DecisionKind::allocated ? 1 : 0;
        }
        return true;
    }
    void log_line(std::string_view) override {}
    std::uint64_t taken = 0;
    std::uint64_t allocated = 0;
};

// The dearest of something, with the message that it was.
struct Worst {
    double value = 0;
    std::string message;
    void see(double other, const std::string& which) {
        if (other <= value) return;
        value = other;
        message = which;
    }
};

// Of one message, in us.
struct Times {
    std::string message;
    double decode = 0;  // per KB
    double apply = 0;   // per KB
    double attempt = 0;

    double dearest() const { return std::max({decode, apply, attempt}); }
    void take_least(const Times& other) {
        decode = std::min(decode, other.decode);
        apply = std::min(apply, other.apply);
        attempt = std::min(attempt, other.attempt);
    }
};

struct Figures {
    std::uint64_t histories = 0;
    std::uint64_t messages = 0;
    std::uint64_t refused = 0;  // by the decoder
    std::map<std::string, std::uint64_t> refusals;
    std::uint64_t bytes = 0;
    std::uint64_t attempts = 0;
    std::uint64_t allocated = 0;
    Worst decode_us;  // per KB
    Worst apply_us;
    Worst apply_work;
    Worst attempt_us;  // per attempt
    Worst attempt_work;
    Worst kept;  // bytes kept per byte of the frames of a history

    void see(const std::vector<Times>& times) {
        for (const Times& of : times) {
            decode_us.see(of.decode, of.message);
            apply_us.see(of.apply, of.message);
            attempt_us.see(of.attempt, of.message);
        }
    }
};

class History {
public:
    History(std::uint64_t seed, Figures& figures) : figures_(figures), seed_(seed), messages_(BAYPLAN_SCHEMA, seed) {
        const std::vector<std::string> texts = HostileMessages::texts();
        std::vector<DictEntry> entries;
        for (std::size_t i = 0; i < texts.size(); ++i) entries.push_back({static_cast<DictId>(i + 1), texts[i]});
        shim_.send(DefineMessage{entries});
        sequence_ = 3;
    }
    // So that names of nodes and applications are known, until messages say otherwise.
    void state_cluster() {
        constexpr Amount kCapacity[] = {{1, 64'000}, {2, 1'000'000}, {3, 110}};
        std::vector<NodeItem> nodes;
        std::vector<ApplicationItem> applications;
        for (DictId name = 1; name <= HostileMessages::kNames; ++name) {
            nodes.push_back({.node = name, .action = NodeAction::create, .capacity = kCapacity, .attributes = {}});
            applications.push_back({.application = name, .queue = 0, .user = name});
        }
        engine_.apply(StateMessage{1, ++sequence_, ResyncEndMessage{}});  // else nothing of the shim is tried
        engine_.apply(StateMessage{1, ++sequence_, NodesMessage{nodes}});
        engine_.apply(StateMessage{1, ++sequence_, ApplicationsMessage{applications, {}}});
    }
    // The times of its messages.
    std::vector<Times> run() {
        const std::int64_t before = measure::live_bytes();
        for (std::uint32_t i = 0; i < kMessages; ++i) {
            if (i % kMessagesBetween == 0) state_cluster();
            send();
        }
        const double kept = static_cast<double>(measure::live_bytes() - before);
        figures_.kept.see(kept / static_cast<double>(bytes_), "seed " + std::to_string(seed_));
        ++figures_.histories;
        figures_.attempts += attempts_;
        figures_.allocated += sink_.allocated;
        figures_.bytes += bytes_;
        return std::move(times_);
    }

private:
    static EngineOptions options() {
        EngineOptions made;
        made.executor = ExecutorKind::inline_;
        return made;
    }
    void send() {
        const std::span<const std::byte> frame = messages_.next(sequence_ + 1);
        // The builder aligns to the end of its buffer alone.
        std::unique_ptr<std::uint64_t[]> aligned(new std::uint64_t[frame.size() / 8 + 1]);
        std::memcpy(aligned.get(), frame.data(), frame.size());
        const std::span<const std::byte> bytes = std::as_bytes(std::span(aligned.get(), frame.size() / 8 + 1));
        bytes_ += frame.size();
        ++figures_.messages;
        const double kilobytes = std::max(1.0, static_cast<double>(frame.size()) / 1'024);
        const std::string which = "seed " + std::to_string(seed_) + " message " + std::to_string(sequence_ + 1) + " " +
                                  std::string(messages_.kind()) + " of " + std::to_string(frame.size()) + " bytes";
        wire::DecodedFrame decoded;
        std::string error;
        const double start = measure::seconds_by(CLOCK_THREAD_CPUTIME_ID);
        const bool sound = decoded.decode(bytes.first(frame.size()), wire::Limits{}, error);
        const double read = measure::seconds_by(CLOCK_THREAD_CPUTIME_ID);
        times_.push_back({.message = which, .decode = (read - start) * 1e6 / kilobytes});
        if (!sound) {
            ++figures_.refused;
            ++figures_.refusals[std::string(messages_.kind()) + ": " + error];
            return;
        }
        apply(decoded, kilobytes, which);
        attempt(which);
    }
    void apply(const wire::DecodedFrame& decoded, double kilobytes, const std::string& which) {
        const auto& state = std::get<wire::StateFrame>(decoded.message());
        const std::uint64_t work_before = work();
        const double start = measure::seconds_by(CLOCK_THREAD_CPUTIME_ID);
        engine_.apply(StateMessage{1, ++sequence_, state.body});
        const double end = measure::seconds_by(CLOCK_THREAD_CPUTIME_ID);
        times_.back().apply = (end - start) * 1e6 / kilobytes;
        figures_.apply_work.see(static_cast<double>(work() - work_before) / kilobytes, which);
    }
    void attempt(const std::string& which) {
        engine_.apply(Tick{now_ns_ += 1'000'000'000});
        const std::uint64_t work_before = work();
        const double start = measure::seconds_by(CLOCK_THREAD_CPUTIME_ID);
        const std::uint64_t attempts = engine_.run(kAttempts);
        const double end = measure::seconds_by(CLOCK_THREAD_CPUTIME_ID);
        attempts_ += attempts;
        if (attempts > 0) {
            times_.back().attempt = (end - start) * 1e6 / static_cast<double>(attempts);
            figures_.attempt_work.see(static_cast<double>(work() - work_before) / static_cast<double>(attempts), which);
        }
        engine_.flush();
        shim_.acknowledge(sink_.taken);
    }

    Figures& figures_;
    const std::uint64_t seed_;
    HostileMessages messages_;
    TakingSink sink_;
    Engine engine_{options(), sink_};
    testing::TestShim shim_{engine_, "bad"};
    std::uint64_t sequence_ = 0;
    std::int64_t now_ns_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t attempts_ = 0;
    std::vector<Times> times_;
};

bool any_dear(const std::vector<Times>& times) {
    return std::ranges::any_of(times, [](const Times& of) { return of.dearest() > kDearUs; });
}

void run_history(std::uint64_t seed, Figures& figures) {
    std::vector<Times> times = History(seed, figures).run();
    for (int run = 1; !kCounted && run < kRunsOfDear && any_dear(times); ++run) {
        Figures counted_before;
        const std::vector<Times> again = History(seed, counted_before).run();
        for (std::size_t i = 0; i < times.size(); ++i) {
            times[i].take_least(again[i]);
        }
    }
    figures.see(times);
}

double number_of(const char* variable, double fallback) {
    const char* const text = std::getenv(variable);
    return text == nullptr ? fallback : std::atof(text);
}

void tell(const char* what, const Worst& worst) {
    std::printf("%-28s %14.1f  %s\n", what, worst.value, worst.message.c_str());
}

TEST(HostileMessages, cost_no_more_than_their_bytes) {
    Figures figures;
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::milliseconds(static_cast<std::int64_t>(number_of("BAYPLAN_FUZZ_SECONDS", 12) * 1e3));
    for (auto seed = static_cast<std::uint64_t>(number_of("BAYPLAN_SEED", 1)); std::chrono::steady_clock::now() < end;
         ++seed) {
        run_history(seed, figures);
    }
    std::printf("%llu histories, %llu messages (%llu refused by the decoder), %.1f MB\n",
                static_cast<unsigned long long>(figures.histories), static_cast<unsigned long long>(figures.messages),
                static_cast<unsigned long long>(figures.refused), static_cast<double>(figures.bytes) / 1e6);
    std::printf("%llu attempts, %llu allocations\n", static_cast<unsigned long long>(figures.attempts),
                static_cast<unsigned long long>(figures.allocated));
    for (const auto& [why, times] : figures.refusals) {
        if (times * 100 > figures.messages)
            std::printf("%8llu %s\n", static_cast<unsigned long long>(times), why.c_str());
    }
    tell("decode, us per KB", figures.decode_us);
    tell("apply, us per KB", figures.apply_us);
    tell("attempts, us each", figures.attempt_us);
    if (kCounted) tell("apply, work per KB", figures.apply_work);
    if (kCounted) tell("attempts, work each", figures.attempt_work);
    tell("kept, bytes per byte", figures.kept);
    EXPECT_LT(figures.refused, figures.messages / 2) << "what is refused shows nothing";
    EXPECT_GT(figures.attempts, figures.histories) << "what is never tried shows nothing either";
    EXPECT_LT(figures.kept.value, kKeptOfByte) << figures.kept.message;
    if (!kCounted) return;
    EXPECT_GT(figures.apply_work.value, 0) << "the work is counted at all";
    EXPECT_LT(figures.apply_work.value, kWorkOfKilobyte) << figures.apply_work.message;
    EXPECT_LT(figures.attempt_work.value, kWorkOfAttempt) << figures.attempt_work.message;
}

}  // namespace
}  // namespace bayplan::attacks
