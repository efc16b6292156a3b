// The only user of spdlog: it brings the time stamp, the hand-over to the log's thread, and the
// sink.
//
// Thread: see the header.
#include "daemon/log.h"

#include <spdlog/async.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <iterator>
#include <mutex>

#include "daemon/log_shares.h"
#include "threads/thread_role.h"

namespace bayplan::daemon {
namespace {

constexpr std::size_t kLinesInHandOver = 8'192;

struct LevelNames {
    std::string_view name;
    char journald;  // priority of syslog
    spdlog::level::level_enum spdlog_level;
};
constexpr std::array<LevelNames, 4> kLevels{{
    {"debug", '7', spdlog::level::debug},
    {"info", '6', spdlog::level::info},
    {"warning", '4', spdlog::level::warn},
    {"error", '3', spdlog::level::err},
}};

const LevelNames& names_of(config::LogLevel level) { return kLevels[static_cast<std::size_t>(level)]; }

config::LogFormat decided(config::LogFormat format) {
    if (format != config::LogFormat::automatic) return format;
    return std::getenv("JOURNAL_STREAM") != nullptr ? config::LogFormat::journald : config::LogFormat::text;
}

// A value that would not read back as one word is quoted; a peer's text stays on one line.
void append_value(fmt::memory_buffer& out, std::string_view value) {
    const auto plain = [](unsigned char letter) {
        return letter > 0x20 && letter != '"' && letter != '=' && letter != '\\' && letter != 0x7f;
    };
    if (!value.empty() && std::all_of(value.begin(), value.end(), plain)) {
        out.append(value);
    } else {
        out.append(json_text(value));
    }
}

class FunctionSink : public spdlog::sinks::base_sink<std::mutex> {
public:
    explicit FunctionSink(std::function<void(std::string_view)> take) : take_(std::move(take)) {}

private:
    void sink_it_(const spdlog::details::log_msg& message) override {
        spdlog::memory_buf_t line;
        formatter_->format(message, line);
        take_(std::string_view(line.data(), line.size()));
    }
    void flush_() override {}

    const std::function<void(std::string_view)> take_;
};

void append_fields(fmt::memory_buffer& out, bool json, LogFields fields) {
    for (const LogField& field : fields) {
        if (json) {
            fmt::format_to(std::back_inserter(out), ",{}:{}", json_text(field.key),
                           field.number ? field.value : json_text(field.value));
        } else {
            fmt::format_to(std::back_inserter(out), " {}=", field.key);
            append_value(out, field.value);
        }
    }
}

// A line without its time.
fmt::memory_buffer written_out(config::LogFormat format, config::LogLevel level, std::string_view message,
                               LogFields fields) {
    const LevelNames& names = names_of(level);
    const bool json = format == config::LogFormat::json;
    fmt::memory_buffer out;
    if (format == config::LogFormat::journald) fmt::format_to(std::back_inserter(out), "<{}>", names.journald);
    if (json) {
        fmt::format_to(std::back_inserter(out), R"("level":"{}","msg":{})", names.name, json_text(message));
    } else {
        fmt::format_to(std::back_inserter(out), "level={} msg={}", names.name, json_text(message));
    }
    append_fields(out, json, fields);
    return out;
}

// On the log's thread: writes, gives the place back, and tells what found none. A line's kind comes as the line of its
// source, which nothing else uses.
class WaitingSink : public spdlog::sinks::sink {
public:
    WaitingSink(spdlog::sink_ptr below, LogShares& shares, config::LogFormat format)
        : below_(std::move(below)), shares_(shares), format_(format) {}

    void log(const spdlog::details::log_msg& message) override {
        below_->log(message);
        const LogShares::Refused refused = shares_.written(message.source.line);
        if (refused.lines == 0) return;
        const fmt::memory_buffer text = written_out(format_, config::LogLevel::warning, "log lines were dropped",
                                                    {{"of", refused.message}, {"lines", refused.lines}});
        spdlog::details::log_msg told = message;
        told.level = spdlog::level::warn;
        told.payload = spdlog::string_view_t(text.data(), text.size());
        below_->log(told);
    }
    void flush() override { below_->flush(); }
    void set_pattern(const std::string& pattern) override { below_->set_pattern(pattern); }
    void set_formatter(std::unique_ptr<spdlog::formatter> formatter) override {
        below_->set_formatter(std::move(formatter));
    }

private:
    const spdlog::sink_ptr below_;
    LogShares& shares_;
    const config::LogFormat format_;
};

}  // namespace

struct Log::Parts {
    config::LogFormat format;
    std::atomic<spdlog::level::level_enum> least{spdlog::level::info};  // the logger itself takes all
    std::unique_ptr<LogShares> shares;                                  // null: written on the caller's thread
    std::shared_ptr<spdlog::details::thread_pool> pool;                 // likewise
    std::shared_ptr<spdlog::logger> logger;

    void set_up(const config::LogConfig& options) {
        least = names_of(options.level).spdlog_level;
        logger->set_level(spdlog::level::trace);
        switch (format) {
            case config::LogFormat::journald: logger->set_pattern("%v"); break;  // it has the time itself
            case config::LogFormat::json:
                logger->set_pattern(R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ",%v})", spdlog::pattern_time_type::utc);
                break;
            default: logger->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %v", spdlog::pattern_time_type::utc);
        }
    }
    void write_by_a_thread(std::size_t places, spdlog::sink_ptr below) {
        shares = std::make_unique<LogShares>(places);
        // Never full: no more lines wait than there are places.
        pool = std::make_shared<spdlog::details::thread_pool>(places, 1, [] {
            std::string error;  // a log thread that could not be pinned has nowhere to say so
            threads::assume_role(threads::Role::housekeeping, 0, error);
        });
        logger = std::make_shared<spdlog::async_logger>(
            "bayplan", std::make_shared<WaitingSink>(std::move(below), *shares, format), pool,
            spdlog::async_overflow_policy::overrun_oldest);
    }
};

Log::Log(const config::LogConfig& options) : parts_(std::make_unique<Parts>()) {
    parts_->format = decided(options.format);
    parts_->write_by_a_thread(kLinesInHandOver, std::make_shared<spdlog::sinks::stderr_sink_mt>());
    parts_->set_up(options);
}

Log::Log(const config::LogConfig& options, std::function<void(std::string_view)> take)
    : parts_(std::make_unique<Parts>()) {
    parts_->format = decided(options.format);
    parts_->logger = std::make_shared<spdlog::logger>("bayplan", std::make_shared<FunctionSink>(std::move(take)));
    parts_->set_up(options);
}

Log::Log(const config::LogConfig& options, std::size_t places, std::function<void(std::string_view)> take)
    : parts_(std::make_unique<Parts>()) {
    parts_->format = decided(options.format);
    parts_->write_by_a_thread(places, std::make_shared<FunctionSink>(std::move(take)));
    parts_->set_up(options);
}

Log::~Log() {
    if (!parts_->shares) return;
    // The pool's end writes what waits; what is told of then needs the logger and the shares.
    parts_->pool.reset();
}

void Log::set_level(config::LogLevel level) { parts_->least = names_of(level).spdlog_level; }

void Log::line(config::LogLevel level, std::string_view message, LogFields fields) {
    const spdlog::level::level_enum own = names_of(level).spdlog_level;
    if (own < parts_->least.load(std::memory_order_relaxed)) return;
    const int kind = parts_->shares ? parts_->shares->admit(message) : 0;
    if (parts_->shares && kind == 0) return;
    const fmt::memory_buffer out = written_out(parts_->format, level, message, fields);
    parts_->logger->log(spdlog::source_loc{"", kind, ""}, own, spdlog::string_view_t(out.data(), out.size()));
}

std::string json_text(std::string_view text) {
    std::string result = "\"";
    for (const char letter : text) {
        const auto code = static_cast<unsigned char>(letter);
        if (letter == '"' || letter == '\\') {
            result += '\\';
            result += letter;
        } else if (letter == '\n') {
            result += "\\n";
        } else if (code < 0x20 || code == 0x7f) {
            result += fmt::format("\\u{:04x}", code);
        } else {
            result += letter;
        }
    }
    return result + "\"";
}

}  // namespace bayplan::daemon
