// Bounds are from Kubernetes' validation of a scoring strategy's shape.
//
// Thread: any.
#include "config/score_shape.h"

#include <charconv>

#include <fmt/format.h>

namespace bayplan::config {
namespace {

constexpr std::int32_t kUtilizationMax = 100;
constexpr std::int32_t kScoreMax = 10;

// The whole text as a number of 0 to `most`.
std::optional<std::int32_t> parse_up_to(std::string_view text, std::int32_t most) {
    std::int32_t number = 0;
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || at != end || number < 0 || number > most) return std::nullopt;
    return number;
}

std::optional<ScorePoint> parse_point(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto utilization = parse_up_to(text.substr(0, colon), kUtilizationMax);
    const auto score = parse_up_to(text.substr(colon + 1), kScoreMax);
    if (!utilization || !score) return std::nullopt;
    return ScorePoint{*utilization, *score};
}

}  // namespace

std::optional<std::vector<ScorePoint>> read_score_shape(const YamlNode& node, const std::string& path,
                                                        ReadContext& context) {
    if (node.kind != YamlNode::Kind::sequence) {
        note_not_a(node, path, "a list such as [\"0:0\", \"100:10\"]", context);
        return std::nullopt;
    }
    if (node.items.empty()) {
        context.fault(node.position, fmt::format("'{}' is empty", path),
                      "give at least one corner such as \"0:10\", or remove the key");
        return std::nullopt;
    }
    std::vector<ScorePoint> shape;
    for (const YamlNode& item : node.items) {
        const std::string place = fmt::format("{}[{}]", path, shape.size());
        const auto text = read_text(item, place, "a text such as \"50:5\"", context);
        if (!text) return std::nullopt;
        const auto point = parse_point(*text);
        if (!point) {
            context.fault(item.position, fmt::format("'{}' is '{}', which is no corner", place, *text),
                          fmt::format("give UTILIZATION:SCORE, 0 .. {} and 0 .. {}", kUtilizationMax, kScoreMax));
            return std::nullopt;
        }
        if (!shape.empty() && point->utilization <= shape.back().utilization) {
            context.fault(item.position, fmt::format("'{}' is '{}', not above the utilization before it", place, *text),
                          "sort the corners by utilization, each given once");
            return std::nullopt;
        }
        shape.push_back(*point);
    }
    return shape;
}

std::string print_score_shape(const std::vector<ScorePoint>& shape) {
    std::vector<std::string> texts;
    for (const ScorePoint& point : shape) {
        texts.push_back(fmt::format("{}:{}", point.utilization, point.score));
    }
    return print_texts(texts);
}

}  // namespace bayplan::config
