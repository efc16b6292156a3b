// See rest_world.h.
#include "rest_world.h"

#include <stdexcept>

#include "rest/routes.h"

namespace bayplan::conformance {
namespace {

namespace json = boost::json;

constexpr std::int64_t kStarted_ns = 1'700'000'000'000'000'000;

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
    for (const json::value& message : state.at("messages").as_array()) {
        const json::object& object = message.as_object();
        const json::string& name = object.at("message").as_string();
        state_.say(name, object.at("body").as_object());
        if (name == "RegisterResourceManagerRequest") {
            config_ = std::make_unique<rest::ConfigBoard>(config_of(object.at("body").as_object()));
        } else if (name == "UpdateConfigurationRequest") {
            config_->show(config_of(object.at("body").as_object()));
        }
    }
    if (!config_) throw std::runtime_error("no resource manager registers itself");
    answers::Place place;
    place.cluster = "rm:123";
    place.started_ns = place.zero_tick_ns.emplace(kStarted_ns);
    partitions_.push_back({std::move(place), [version = state_.version()] { return version; }});
    watch_.check_health();
    watch_.record(kStarted_ns);
}

std::vector<http::Route> RestWorld::routes() {
    return rest::routes({*config_, &partitions_, {.store = &state_.events(), .limits = {}}, &watch_});
}

}  // namespace bayplan::conformance
