// Metrics in the text format of Prometheus, version 0.0.4: heads of families, samples.
//
// Thread: its owner's. Errors: none; names are the caller's business, values of labels are escaped here.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/label_value.h"

namespace bayplan {

enum class MetricType : std::uint8_t { counter, gauge, histogram, summary };

class MetricText {
public:
    using Label = std::pair<std::string_view, std::string_view>;
    using Labels = std::initializer_list<Label>;

    void begin(std::string_view name, std::string_view help, MetricType type) {
        constexpr std::string_view kTypes[] = {"counter", "gauge", "histogram", "summary"};
        name_ = name;
        fmt::format_to(std::back_inserter(text_), "# HELP {0} {1}\n# TYPE {0} {2}\n", name, help,
                       kTypes[static_cast<std::size_t>(type)]);
    }
    // Of the family begun last. Labels without a value are left out.
    template <typename Number>
    void sample(Labels labels, Number value) {
        put("", labels, value);
    }
    // counts[i]: observations up to bounds[i] and above the bound before; one more: above all bounds.
    void histogram(Labels labels, std::span<const double> bounds, std::span<const std::uint64_t> counts, double sum) {
        std::uint64_t so_far = 0;
        for (std::size_t at = 0; at < counts.size(); ++at) {
            so_far += counts[at];
            le_ = at < bounds.size() ? fmt::format("{}", bounds[at]) : "+Inf";
            put("_bucket", labels, so_far);
        }
        le_.clear();
        put("_sum", labels, sum);
        put("_count", labels, so_far);
    }
    // The end of a summary's samples, which are quantiles.
    void summary(Labels labels, double sum, std::uint64_t count) {
        put("_sum", labels, sum);
        put("_count", labels, count);
    }
    template <typename Number>
    void alone(std::string_view name, std::string_view help, MetricType type, Number value) {
        begin(name, help, type);
        sample({}, value);
    }

    std::size_t size() const { return text_.size(); }
    std::string take() { return std::exchange(text_, {}); }

private:
    template <typename Number>
    void put(std::string_view suffix, Labels labels, Number value) {
        text_.append(name_).append(suffix);
        char before = '{';
        const auto label = [&](std::string_view name, std::string_view of_it) {
            if (of_it.empty()) {
                return;
            }
            text_ += std::exchange(before, ',');
            text_.append(name).append("=\"").append(label_value(of_it)) += '"';
        };
        for (const auto& [name, of_it] : labels) {
            label(name, of_it);
        }
        label("le", le_);
        fmt::format_to(std::back_inserter(text_), "{} {}\n", before == ',' ? "}" : "", value);
    }

    std::string name_;
    std::string text_;
    std::string le_;  // of a bucket
};

}  // namespace bayplan
