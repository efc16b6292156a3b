// Orders that operators may give through the admin socket.
//
// Thread: main's.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/closest_name.h"
#include "daemon/daemon.h"
#include "daemon/metrics.h"
#include "options/admin_orders.h"

namespace bayplan::daemon {
namespace {

// An engine answers between two turns. An audit is a turn of its own.
constexpr std::chrono::seconds kAnswersWithin{2};
constexpr std::chrono::seconds kAuditWithin{20};
constexpr std::array<std::string_view, 4> kLevelNames = {"debug", "info", "warning", "error"};

}  // namespace

// In the order of their list.
const Daemon::Order Daemon::kOrders[] = {
    &Daemon::list_orders, &Daemon::tell_status,   &Daemon::tell_counters,    &Daemon::tell_live,
    &Daemon::tell_ready,  &Daemon::set_drained,   &Daemon::set_log_level,    &Daemon::reload_on_order,
    &Daemon::forget_shim, &Daemon::dump_on_order, &Daemon::audit_partitions,
};

bool Daemon::open_admin_socket(std::string& error) {
    const std::string& path = config_.operations.admin_socket;
    if (path.empty()) return true;
    if (!admin_.open(path, config_.privileges.user, error)) return false;
    log_->info("admin socket", {{"path", path}});
    return true;
}

AdminAnswer Daemon::take_order(const Words& words, const AdminPeer& peer) {
    static_assert(std::size(kOrders) == kAdminOrders.size());
    const auto order = std::ranges::find(kAdminOrders, words.front(), &AdminOrder::name);
    if (order == kAdminOrders.end()) {
        std::vector<std::string_view> names;
        for (const AdminOrder& each : kAdminOrders) names.push_back(each.name);
        return {false,
                fmt::format("there is no order '{}'{}; see help", words.front(), did_you_mean(words.front(), names))};
    }
    if (words.size() != order->words)
        return {false,
                fmt::format("{} wants: {}", order->name, order->arguments.empty() ? "nothing" : order->arguments)};
    const auto number = static_cast<std::size_t>(order - kAdminOrders.begin());
    own_flight_.note(instruments::FlightKind::order, number);
    AdminAnswer answer = (this->*kOrders[number])(words);
    const bool changes = order->words > 1 || order->name == "reload";
    log_->line(changes ? config::LogLevel::info : config::LogLevel::debug, "admin request",
               {{"order", fmt::format("{}", fmt::join(words, " "))},
                {"uid", peer.uid},
                {"pid", peer.pid},
                {"answer", answer.ok ? "ok" : answer.text}});
    return answer;
}

AdminAnswer Daemon::list_orders(const Words&) { return {true, admin_orders_text()}; }

AdminAnswer Daemon::tell_status(const Words&) { return {true, status_json("running") + "\n"}; }

AdminAnswer Daemon::tell_counters(const Words&) { return {true, metrics_text(make_status("running"))}; }

bool Daemon::all_is_well(std::string& why_not) {
    const std::vector<std::string> stuck = watchdog_.stuck();
    if (!stuck.empty()) why_not = fmt::format("does not go on: {}", fmt::join(stuck, ", "));
    return stuck.empty();
}

bool Daemon::takes_work(std::string& why_not) {
    if (!all_is_well(why_not)) return false;
    for (const auto& engine : engines_) {
        if (engine->drained()) why_not = fmt::format("partition {} is drained", engine->partition().name);
    }
    return why_not.empty();
}

void Daemon::show_condition() {
    if (!rest_) return;
    std::string not_live, not_ready;
    all_is_well(not_live);
    takes_work(not_ready);
    rest_->show_condition(std::move(not_live), std::move(not_ready));
    std::uint64_t laws_broken = 0;
    for (const auto& engine : engines_) laws_broken += engine->latest_snapshot().laws_broken;
    rest_->show_laws_broken(laws_broken);
}

AdminAnswer Daemon::tell_live(const Words&) {
    std::string why_not;
    return all_is_well(why_not) ? AdminAnswer{true, "live\n"} : AdminAnswer{false, why_not};
}

AdminAnswer Daemon::tell_ready(const Words&) {
    std::string why_not;
    return takes_work(why_not) ? AdminAnswer{true, "ready\n"} : AdminAnswer{false, why_not};
}

AdminAnswer Daemon::set_drained(const Words& words) {
    if (words[1] != "on" && words[1] != "off") return {false, "drain wants on or off"};
    for (const auto& engine : engines_) engine->drain(words[1] == "on");
    show_condition();
    return {true, ""};
}

AdminAnswer Daemon::set_log_level(const Words& words) {
    const auto level = std::find(kLevelNames.begin(), kLevelNames.end(), words[1]);
    if (level == kLevelNames.end())
        return {false, fmt::format("log-level wants one of {}", fmt::join(kLevelNames, ", "))};
    log_->set_level(static_cast<config::LogLevel>(level - kLevelNames.begin()));
    return {true, ""};
}

AdminAnswer Daemon::reload_on_order(const Words&) {
    const std::vector<std::string> faults = reload();
    return faults.empty() ? AdminAnswer{true, "read again\n"}
                          : AdminAnswer{false, fmt::format("{}", fmt::join(faults, "\n"))};
}

AdminAnswer Daemon::forget_shim(const Words& words) {
    const auto engine = std::find_if(engines_.begin(), engines_.end(),
                                     [&](const auto& each) { return each->partition().name == words[1]; });
    if (engine == engines_.end()) {
        std::vector<std::string_view> names;
        for (const auto& each : engines_) names.push_back(each->partition().name);
        return {false, fmt::format("there is no partition '{}'{}", words[1], did_you_mean(words[1], names))};
    }
    const auto fault = (*engine)->ask([&thread = **engine, shim = words[2]] { return thread.forget_shim(shim); },
                                      Clock::now() + kAnswersWithin);
    if (!fault) return {false, "the engine does not answer; it will when it goes on"};
    return {fault->empty(), fault->empty()
                                ? fmt::format("partition {}: the shim {} has nothing any more\n", words[1], words[2])
                                : *fault};
}

AdminAnswer Daemon::dump_on_order(const Words&) {
    const std::string& file = config_.operations.flight_recorder;
    if (file.empty()) return {false, "the configuration names no file: flight_recorder"};
    std::string error;
    if (!flight_.dump_to(file, error)) return {false, error};
    return {true, file + "\n"};
}

AdminAnswer Daemon::audit_partitions(const Words&) {
    std::string broken;
    for (const auto& engine : engines_) {
        const auto found = engine->ask([&thread = *engine] { return thread.audit(); }, Clock::now() + kAuditWithin);
        if (!found) return {false, fmt::format("partition {}: it is still counting", engine->partition().name)};
        if (!found->empty()) broken += fmt::format("partition {}: {}\n", engine->partition().name, *found);
    }
    return {broken.empty(), broken.empty() ? "every law holds\n" : broken};
}

}  // namespace bayplan::daemon
