// Structured log lines: a message and fields, as key=value text, with journald's level prefix, or
// JSON.
//
// Thread: line() from any thread; it hands the line over and never waits. When lines come faster than they are written, the
// newest of the kind that floods are dropped, and it is told how many (log_shares.h). Owner: main makes it first and
// destroys it last.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "config/config.h"

namespace bayplan::daemon {

struct LogField {
    std::string_view key;
    std::string value;
    bool number = false;  // JSON: without quotes

    LogField(std::string_view key, std::string_view value) : key(key), value(value) {}
    template <class Number>
        requires(std::integral<Number> || std::floating_point<Number>)
    LogField(std::string_view key, Number value) : key(key), value(fmt::format("{}", value)), number(true) {}
};
using LogFields = std::initializer_list<LogField>;

class Log {
public:
    // To standard error, by a thread of the housekeeping role.
    explicit Log(const config::LogConfig&);
    // Every line to a function, at once, on the caller's thread.
    Log(const config::LogConfig&, std::function<void(std::string_view)>);
    // To a function, by a thread of the housekeeping role, as to standard error; at most `places` lines wait.
    Log(const config::LogConfig&, std::size_t places, std::function<void(std::string_view)>);
    ~Log();  // writes what is left
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

    void debug(std::string_view message, LogFields fields = {}) { line(config::LogLevel::debug, message, fields); }
    void info(std::string_view message, LogFields fields = {}) { line(config::LogLevel::info, message, fields); }
    void warning(std::string_view message, LogFields fields = {}) { line(config::LogLevel::warning, message, fields); }
    void error(std::string_view message, LogFields fields = {}) { line(config::LogLevel::error, message, fields); }
    void line(config::LogLevel, std::string_view message, LogFields);
    // The least important lines to write from now on. Any thread.
    void set_level(config::LogLevel);

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

// A text as a JSON string, quotes included.
std::string json_text(std::string_view);

}  // namespace bayplan::daemon
