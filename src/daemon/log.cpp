// The only user of spdlog: it brings the time stamp, the hand-over to the log's thread, and the
// sink.
//
// Thread: see the header.
#include "daemon/log.h"

#include <spdlog/async.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <array>
#include <cstdlib>
#include <iterator>
#include <mutex>

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

}  // namespace

struct Log::Parts {
    config::LogFormat format;
    std::shared_ptr<spdlog::details::thread_pool> pool;  // null: written on the caller's thread
    std::shared_ptr<spdlog::logger> logger;

    void set_up(const config::LogConfig& options) {
        format = decided(options.format);
        logger->set_level(names_of(options.level).spdlog_level);
        switch (format) {
            case config::LogFormat::journald: logger->set_pattern("%v"); break;  // it has the time itself
            case config::LogFormat::json:
                logger->set_pattern(R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ",%v})", spdlog::pattern_time_type::utc);
                break;
            default: logger->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %v", spdlog::pattern_time_type::utc);
        }
    }
};

Log::Log(const config::LogConfig& options) : parts_(std::make_unique<Parts>()) {
    parts_->pool = std::make_shared<spdlog::details::thread_pool>(kLinesInHandOver, 1, [] {
        std::string error;  // a log thread that could not be pinned has nowhere to say so
        threads::assume_role(threads::Role::housekeeping, 0, error);
    });
    parts_->logger =
        std::make_shared<spdlog::async_logger>("bayplan", std::make_shared<spdlog::sinks::stderr_sink_mt>(),
                                               parts_->pool, spdlog::async_overflow_policy::overrun_oldest);
    parts_->set_up(options);
}

Log::Log(const config::LogConfig& options, std::function<void(std::string_view)> take)
    : parts_(std::make_unique<Parts>()) {
    parts_->logger = std::make_shared<spdlog::logger>("bayplan", std::make_shared<FunctionSink>(std::move(take)));
    parts_->set_up(options);
}

Log::~Log() {
    if (parts_->pool && parts_->pool->overrun_counter() > 0) {
        warning("log lines were dropped", {{"lines", parts_->pool->overrun_counter()}});
    }
}

void Log::set_level(config::LogLevel level) { parts_->logger->set_level(names_of(level).spdlog_level); }

void Log::line(config::LogLevel level, std::string_view message, LogFields fields) {
    const LevelNames& names = names_of(level);
    if (!parts_->logger->should_log(names.spdlog_level)) return;
    fmt::memory_buffer out;
    if (parts_->format == config::LogFormat::json) {
        fmt::format_to(std::back_inserter(out), R"("level":"{}","msg":{})", names.name, json_text(message));
        for (const LogField& field : fields) {
            fmt::format_to(std::back_inserter(out), ",{}:{}", json_text(field.key),
                           field.number ? field.value : json_text(field.value));
        }
    } else {
        if (parts_->format == config::LogFormat::journald)
            fmt::format_to(std::back_inserter(out), "<{}>", names.journald);
        fmt::format_to(std::back_inserter(out), "level={} msg={}", names.name, json_text(message));
        for (const LogField& field : fields) {
            fmt::format_to(std::back_inserter(out), " {}=", field.key);
            append_value(out, field.value);
        }
    }
    parts_->logger->log(names.spdlog_level, spdlog::string_view_t(out.data(), out.size()));
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
