// See rest_world.h.
#include "rest_world.h"

#include <algorithm>
#include <stdexcept>

#include "rest/routes.h"

namespace bayplan::conformance {
namespace {

namespace json = boost::json;

constexpr std::int64_t kStarted_ns = 1'700'000'000'000'000'000;
// The one record of the history is of the minute before this application came: 3 ran, 7 pods had a node.
constexpr std::string_view kAfterTheMinute = "app-old";

bool brings(const json::object& message, std::string_view application) {
    const json::value* const added = message.at("body").as_object().if_contains("new");
    return added != nullptr && std::ranges::any_of(added->as_array(), [&](const json::value& one) {
               return one.as_object().at("applicationID").as_string() == application;
           });
}

// The text of a message that has one, with the settings beside it.
std::shared_ptr<const rest::ShownConfig> config_of(const json::object& body) {
    std::map<std::string, std::string> extra;
    for (const auto& [name, value] : body.at("extraConfig").as_object()) {
        extra.emplace(std::string(name), std::string(value.as_string()));
    }
    auto shown = rest::show_config(std::string(body.at("config").as_string()), std::move(extra));
    if (!shown) throw std::runtime_error("a configuration of the state is not sound");
    return shown;
}

}  // namespace

RestWorld::RestWorld(const json::object& state) {
    answers::Place place;
    place.cluster = "rm:123";
    place.started_ns = place.zero_tick_ns.emplace(kStarted_ns);
    place.build_of = [this](const std::string&) { return state_.build(); };
    partitions_.push_back({std::move(place), [this] { return state_.version(); }});
    for (const json::value& message : state.at("messages").as_array()) {
        const json::object& object = message.as_object();
        const json::string& name = object.at("message").as_string();
        if (brings(object, kAfterTheMinute)) watch_.record(kStarted_ns);
        state_.say(name, object.at("body").as_object());
        if (name == "RegisterResourceManagerRequest") {
            config_ = std::make_unique<rest::ConfigBoard>(config_of(object.at("body").as_object()));
        } else if (name == "UpdateConfigurationRequest") {
            config_->show(config_of(object.at("body").as_object()));
        }
    }
    if (!config_) throw std::runtime_error("no resource manager registers itself");
    watch_.check_health();
    MetricText metrics;
    const instruments::ShownTimes times[] = {{"", &state_.times()}};
    instruments::put_scheduling_times(metrics, times);
    metrics_.show(metrics.take());
    // From now on versions do not change, and the server's thread asks.
    partitions_.front().version = [version = state_.version()] { return version; };
}

std::vector<http::Route> RestWorld::routes() {
    return rest::routes({*config_, &partitions_, {.store = &state_.events(), .limits = {}}, &watch_, &metrics_});
}

}  // namespace bayplan::conformance
