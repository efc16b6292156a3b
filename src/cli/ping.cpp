// See ping.h.
#include "cli/ping.h"

#include <charconv>

#include <fmt/format.h>

namespace bayplan::cli {

namespace {

double milliseconds(std::chrono::steady_clock::duration duration) {
    return std::chrono::duration<double, std::milli>(duration).count();
}

}  // namespace

PingResult Ping::run(dataplane::DataPlane& plane, const std::string& address, std::uint16_t udp_port) {
    begun_ = Clock::now();
    connection_ = plane.connect(address, udp_port);
    plane.run();
    return std::move(result_);
}

void Ping::on_open(dataplane::DataPlane&, dataplane::ConnectionId, const dataplane::Peer& peer) {
    open_ = true;
    result_.daemon = peer;
    result_.connect_ms = milliseconds(Clock::now() - begun_);
    next_ = Clock::now();
}

std::size_t Ping::on_turn(dataplane::DataPlane& plane) {
    if (over_) {
        return 0;
    }
    const Clock::time_point now = Clock::now();
    if (now - (waiting_ ? asked_ : open_ ? next_ : begun_) >= plan_.timeout) {
        end(plane, open_ ? "no answer in time" : "not connected in time");
        return 1;
    }
    return open_ && !waiting_ && now >= next_ && ask(plane) ? 1 : 0;
}

bool Ping::ask(dataplane::DataPlane& plane) {
    asked_ = Clock::now();
    waiting_ = plane.send(connection_, dataplane::Stream::control, encoder_.encode(wire::CountersRequest{++token_}));
    return waiting_;
}

bool Ping::on_frame(dataplane::DataPlane& plane, dataplane::ConnectionId, dataplane::Stream, dataplane::Frame& frame) {
    std::string error;
    if (over_) {
        return true;
    }
    if (!decoded_.decode(frame.bytes(), wire::Limits{}, error)) {
        end(plane, "broken answer: " + error);
        return true;
    }
    const wire::Message& message = decoded_.message();
    if (const auto* counters = std::get_if<wire::CountersFrame>(&message)) {
        take(plane, *counters);
    } else if (const auto* reply = std::get_if<wire::HelloReplyFrame>(&message)) {
        end(plane, "refused: " + std::string(reply->reason));
    }
    return true;
}

void Ping::take(dataplane::DataPlane& plane, const wire::CountersFrame& answer) {
    if (!waiting_ || answer.token != token_) {
        return;
    }
    waiting_ = false;
    result_.round_trips_ms.push_back(milliseconds(Clock::now() - asked_));
    result_.version = answer.version;
    result_.uptime_ms = answer.uptime_ms;
    result_.counters.clear();
    result_.lcores.clear();
    for (const wire::NamedCounter& counter : answer.counters) {
        take_counter(counter.name, counter.value);
    }
    next_ = asked_ + plan_.interval;
    if (result_.round_trips_ms.size() == plan_.count) {
        end(plane, {});
    }
}

// A name that is like that of an lcore's share and is none stays whole.
void Ping::take_counter(std::string_view name, std::uint64_t value) {
    constexpr std::size_t kLcoresMax = 256;
    if (name.starts_with(wire::kLcorePrefix)) {
        const std::string_view rest = name.substr(wire::kLcorePrefix.size());
        std::size_t lcore = kLcoresMax;
        const auto [end, fault] = std::from_chars(rest.data(), rest.data() + rest.size(), lcore);
        if (fault == std::errc() && lcore < kLcoresMax && end != rest.data() + rest.size() && *end == '.') {
            if (result_.lcores.size() <= lcore) {
                result_.lcores.resize(lcore + 1);
            }
            result_.lcores[lcore].insert_or_assign(std::string(end + 1, rest.data() + rest.size()), value);
            return;
        }
    }
    result_.counters.emplace_back(name, value);
}

void Ping::on_close(dataplane::DataPlane& plane, dataplane::ConnectionId, std::string_view why) {
    end(plane, fmt::format("{}: {}", open_ ? "closed" : "not connected", why));
}

void Ping::on_refused(std::string_view, std::string_view why) {
    if (result_.fault.empty()) {
        result_.fault = why;
    }
}

void Ping::end(dataplane::DataPlane& plane, std::string_view fault) {
    if (over_) {
        return;
    }
    over_ = true;
    if (result_.fault.empty()) {
        result_.fault = fault;
    }
    plane.request_stop();
}

}  // namespace bayplan::cli
