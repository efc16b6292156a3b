// See replay.h.
#include "cli/replay.h"

#include <chrono>

#include <fmt/format.h>

#include "cli/input_text.h"

namespace bayplan::cli {

namespace {

// False: the engine cannot make as many attempts as the live run had made here.
bool advance(Engine& engine, std::uint64_t attempts) {
    while (engine.attempts() < attempts) {
        if (engine.run(attempts - engine.attempts()) == 0) {
            return false;
        }
    }
    return engine.attempts() == attempts;
}

void write_line(std::FILE* file, std::string_view line) {
    if (file != nullptr) {
        std::fwrite(line.data(), 1, line.size(), file);
        std::fputc('\n', file);
    }
}

std::string stuck(const Engine& engine, std::uint64_t attempts, std::uint64_t inputs) {
    return fmt::format(
        "before input {} the live run had made {} attempts, this one {}: the engine "
        "or its configuration is not the same",
        inputs + 1, attempts, engine.attempts());
}

}  // namespace

void ReplaySink::log_line(std::string_view line) { write_line(log_, line); }

void ReplaySink::preemption(std::string_view report) { write_line(preemptions_, report); }

ReplayResult replay(recorder::RecordingReader& record, Engine& engine, std::FILE* inputs) {
    ReplayResult result;
    const auto start = std::chrono::steady_clock::now();
    recorder::RecordingEntry entry;
    for (bool going = true; going;) {
        const recorder::RecordingStep step = record.next(entry);
        if (step == recorder::RecordingStep::torn) {
            result.fault = record.fault();
            break;
        }
        if (!advance(engine, entry.attempts)) {
            result.fault = stuck(engine, entry.attempts, result.inputs);
            break;
        }
        going = step == recorder::RecordingStep::input;
        if (going) {
            ++result.inputs;
            if (inputs != nullptr) {
                fmt::print(inputs, "{} {} {}\n", result.inputs, entry.attempts, input_text(entry.input));
            }
            engine.apply(entry.input);
            engine.flush();
        }
    }
    result.attempts = engine.attempts();
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
}

}  // namespace bayplan::cli
