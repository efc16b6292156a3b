// Settings of a run of the property tests.
//
// Thread and errors: see suite.h.
#include "suite.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

#include "feed.h"
#include "generator.h"
#include "random.h"

namespace bayplan::property {

namespace {

#if defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kSlowdown = 40;
#elif defined(__SANITIZE_ADDRESS__)
constexpr std::uint64_t kSlowdown = 8;
#else
constexpr std::uint64_t kSlowdown = 1;
#endif

constexpr unsigned kStuckSeconds = 300;
constexpr std::uint64_t kShrinkTrials = 3000;
constexpr std::uint64_t kOptionsSalt = 0x0b7105;

std::uint64_t number_in(const char* variable, std::uint64_t otherwise) {
    const char* text = std::getenv(variable);
    char* end = nullptr;
    const std::uint64_t number = text == nullptr ? 0 : std::strtoull(text, &end, 10);
    return text == nullptr || end == text ? otherwise : number;
}

char crash_note[96];

void note_seed_and_die(int signal_number) {
    const auto written = write(STDERR_FILENO, crash_note, std::strlen(crash_note));
    std::signal(signal_number, SIG_DFL);
    std::raise(written >= 0 ? signal_number : SIGABRT);
}

}  // namespace

Suite Suite::from_environment(std::uint64_t usual, const char* histories) {
    Suite suite;
    const bool one_seed = std::getenv("BAYPLAN_SEED") != nullptr;
    suite.first_seed = number_in("BAYPLAN_SEED", 1);
    suite.histories = number_in(histories, one_seed ? 1 : (usual + kSlowdown - 1) / kSlowdown);
    suite.with_tbb = number_in("BAYPLAN_NO_TBB", 0) == 0;
    suite.complete = suite.histories >= 500;
    return suite;
}

std::uint64_t Suite::slowdown() { return kSlowdown; }

std::uint64_t Suite::share(std::uint64_t whole) {
    return std::getenv("BAYPLAN_FULL") != nullptr ? whole : (whole + kSlowdown - 1) / kSlowdown;
}

int Suite::shrink_trials() { return static_cast<int>(number_in("BAYPLAN_SHRINK_TRIALS", kShrinkTrials)); }

EngineOptions options_of(std::uint64_t seed, bool with_tbb) {
    Random random(seed ^ kOptionsSalt);
    EngineOptions options = random_options(random, with_tbb);
    OddWorld(seed).change(options);
    return options;
}

History history_of(std::uint64_t seed, bool with_tbb, QueueCount queues) {
    History history{seed, options_of(seed, with_tbb), {}};
    history.options.queues = history.options.queues || queues == QueueCount::hundred;
    oracle::Oracle oracle(history.options);
    Generator generator(seed, history.options, queues);
    Connections connections;
    for (std::uint64_t i = 0; i < generator.length(); ++i) {
        history.events.push_back(generator.next(oracle));
        const Event& event = history.events.back();
        if (const auto* run = std::get_if<RunEvent>(&event)) {
            oracle.run(run->attempts_max);
        } else {
            feed(oracle, event, resolve(event, oracle, connections), history.options);
        }
    }
    return history;
}

SeedInCrashes::SeedInCrashes(std::uint64_t seed) {
    const std::string note =
        "\nthe history of seed " + std::to_string(seed) + " did not end; run it with BAYPLAN_SEED\n";
    std::strncpy(crash_note, note.c_str(), sizeof(crash_note) - 1);
    for (const int signal_number : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS, SIGALRM}) {
        std::signal(signal_number, note_seed_and_die);
    }
    alarm(kStuckSeconds);
}

SeedInCrashes::~SeedInCrashes() {
    alarm(0);
    for (const int signal_number : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS, SIGALRM}) {
        std::signal(signal_number, SIG_DFL);
    }
}

}  // namespace bayplan::property
