// See score_resources.h. Bounds are from Kubernetes' validation of a scoring strategy's resources.
#include "config/score_resources.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace bayplan::config {
namespace {

constexpr std::int32_t kWeightMax = 100;

// A kind may have a colon nowhere, so the last one is before the weight.
std::optional<ScoredResource> parse_resource(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || colon == 0) return std::nullopt;
    ScoredResource made{std::string(text.substr(0, colon)), 0};
    const char* const end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data() + colon + 1, end, made.weight);
    if (error != std::errc() || at != end || made.weight < 1 || made.weight > kWeightMax) return std::nullopt;
    return made;
}

}  // namespace

std::optional<std::vector<ScoredResource>> read_score_resources(const YamlNode& node, const std::string& path,
                                                                ReadContext& context) {
    if (node.kind != YamlNode::Kind::sequence) {
        note_not_a(node, path, "a list such as [\"cpu:1\", \"memory:1\"]", context);
        return std::nullopt;
    }
    if (node.items.empty() || node.items.size() > kScoredResourcesMax) {
        context.fault(node.position, fmt::format("'{}' has {} kinds", path, node.items.size()),
                      fmt::format("give 1 .. {} such as \"cpu:1\", or remove the key", kScoredResourcesMax));
        return std::nullopt;
    }
    std::vector<ScoredResource> made;
    for (const YamlNode& item : node.items) {
        const std::string place = fmt::format("{}[{}]", path, made.size());
        const auto text = read_text(item, place, "a text such as \"cpu:1\"", context);
        if (!text) return std::nullopt;
        auto one = parse_resource(*text);
        if (!one) {
            context.fault(item.position, fmt::format("'{}' is '{}', which is no kind with a weight", place, *text),
                          fmt::format("give KIND:WEIGHT, the weight 1 .. {}", kWeightMax));
            return std::nullopt;
        }
        if (std::ranges::find(made, one->name, &ScoredResource::name) != made.end()) {
            context.fault(item.position, fmt::format("'{}' is '{}', a kind that was given before", place, *text),
                          "give each kind once");
            return std::nullopt;
        }
        made.push_back(std::move(*one));
    }
    return made;
}

std::string print_score_resources(const std::vector<ScoredResource>& scored) {
    std::vector<std::string> texts;
    for (const ScoredResource& one : scored) {
        texts.push_back(fmt::format("{}:{}", one.name, one.weight));
    }
    return print_texts(texts);
}

}  // namespace bayplan::config
