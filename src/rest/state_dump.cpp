// See state_dump.h.
#include "rest/state_dump.h"

#include <chrono>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "rest/config_document.h"
#include "rest/errors.h"
#include "rest/pieces.h"
#include "rest/placement_rules.h"

namespace bayplan::rest {

namespace {

using answers::AnswerPtr;
using answers::VersionPtr;

// Compact JSON comes in, in pieces that may end anywhere; it goes out with a line for each member.
class Indenter {
public:
    void add(std::string_view compact, std::string& to) {
        for (const char one : compact) add(one, to);
    }

private:
    void add(char one, std::string& to) {
        if (in_text_) {
            to += one;
            in_text_ = escaped_ || one != '"';
            escaped_ = !escaped_ && one == '\\';
            return;
        }
        const bool closes = one == '}' || one == ']';
        if (closes) --depth_;
        if (begun_ != closes) new_line(to);
        begun_ = false;
        to += one;
        switch (one) {
            case '"': in_text_ = true; break;
            case '{':
            case '[':
                ++depth_;
                begun_ = true;
                break;
            case ',': new_line(to); break;
            case ':': to += ' '; break;
            default: break;
        }
    }
    void new_line(std::string& to) const { to.append("\n").append(2 * depth_, ' '); }

    std::size_t depth_ = 0;
    bool begun_ = false;  // an object or array in which nothing stands yet
    bool in_text_ = false;
    bool escaped_ = false;
};

// Texts and answers one behind the other.
class Dump final : public answers::Answer {
public:
    void add(std::string text) { parts_.push_back({std::move(text), nullptr}); }
    void add_compact(std::string_view text, std::string& to) { indenter_.add(text, to); }
    void add(AnswerPtr answer) { parts_.push_back({{}, std::move(answer)}); }

    std::string next() override {
        std::string piece;
        while (piece.empty() && at_ < parts_.size()) {
            Part& part = parts_[at_];
            std::string more = part.answer == nullptr ? std::exchange(part.text, {}) : part.answer->next();
            if (more.empty()) {
                part.answer.reset();
                ++at_;
            }
            indenter_.add(more, piece);
        }
        return piece;
    }

private:
    struct Part {
        std::string text;
        AnswerPtr answer;
    };
    std::vector<Part> parts_;
    std::size_t at_ = 0;
    Indenter indenter_;
};

// An array without its brackets, so that several can be one.
class Elements final : public answers::Answer {
public:
    explicit Elements(AnswerPtr array) : array_(std::move(array)) {}

    // The last character is held back: it may be the closing bracket.
    std::string next() override {
        std::string elements;
        while (elements.empty()) {
            const std::string piece = array_->next();
            if (piece.empty()) break;
            elements = std::exchange(held_, {}) + piece;
            if (std::exchange(is_first_, false)) elements.erase(0, 1);
            if (elements.empty()) continue;
            held_ = elements.back();
            elements.pop_back();
        }
        return elements;
    }

private:
    AnswerPtr array_;
    std::string held_;
    bool is_first_ = true;
};

std::string compact(const boost::json::value& value) { return boost::json::serialize(value); }

using Versions = std::vector<std::pair<VersionPtr, answers::Place>>;

// A list with the elements of all partitions, which `each` adds.
template <typename Each>
void add_list(Dump& dump, std::string_view name, const Versions& versions, Each&& each) {
    dump.add(fmt::format(",\"{}\":[", name));
    const char* between = "";
    for (const auto& [version, place] : versions) {
        dump.add(between);
        each(version, place);
        between = ",";
    }
    dump.add("]");
}

void add_rules(Dump& dump, const queue_config::SchedulerConfig& config) {
    boost::json::array all;
    for (const queue_config::PartitionConfig& partition : config.partitions) {
        all.push_back({{"partition", partition.name.text}, {"rules", placement_rules(partition)}});
    }
    if (!all.empty()) dump.add(",\"placementRules\":" + compact(all));
}

// Live ones, complete ones and rejected ones are one list.
void add_applications(Dump& dump, const Versions& versions) {
    dump.add(",\"applications\":[");
    const char* between = "";
    const auto add = [&](bool any, AnswerPtr array) {
        if (!any) return;
        dump.add(std::exchange(between, ","));
        dump.add(std::make_unique<Elements>(std::move(array)));
    };
    for (const auto& [version, place] : versions) {
        add(version->application_count > 0, answers::applications(version, place, {}));
        add(!version->completed->empty(), answers::completed_applications(version, place));
        add(!version->rejected->empty(), answers::rejected_applications(version, place));
    }
    dump.add("]");
}

// A text that is no JSON is no part of it.
boost::json::value state_told(const std::string& text) {
    boost::system::error_code broken;
    boost::json::value told = boost::json::parse(text, broken);
    return broken ? boost::json::value{{"Error", "the shim's state is no JSON: " + broken.message()}} : told;
}

boost::json::value diagnostics(const ShimStates::Told& told) {
    if (told.empty()) return {{"empty", "no shim tells its state"}};
    if (told.size() == 1) return state_told(told.begin()->second);
    boost::json::object all;
    for (const auto& [shim, text] : told) all.emplace(shim, state_told(text));
    return all;
}

// The dump, and behind it the states of shims, which are asked for at once and come while it goes out.
class DumpWithShims final : public http::ChunkSource {
public:
    DumpWithShims(std::unique_ptr<Dump> dump, ShimStates& shims) : dump_(std::move(dump)), shims_(shims) {}
    ~DumpWithShims() override { shims_.forget(question_); }

    void on_wake(std::function<void()> wake) override { question_ = shims_.ask(std::move(wake)); }
    State next(std::string& piece) override {
        if (std::string more = dump_->next(); !more.empty()) {
            piece += more;
            return State::more;
        }
        const auto told = shims_.take(question_);
        if (!told) return State::waiting;
        dump_->add_compact(",\"rmDiagnostics\":" + compact(diagnostics(*told)) + "}", piece);
        piece += "\n";
        return State::end;
    }

private:
    std::unique_ptr<Dump> dump_;
    ShimStates& shims_;
    std::uint64_t question_ = 0;
};

http::Response show(const ConfigBoard& board, const ShownPartitions& partitions, const History* history,
                    ShimStates* shims) {
    Versions versions;
    for (const ShownPartition& partition : partitions) {
        versions.emplace_back(partition.version(), partition.place);
        if (versions.back().first == nullptr) return error_answer(503, "The engine has told nothing yet");
    }
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    auto dump = std::make_unique<Dump>();
    dump->add(fmt::format("{{\"timestamp\":{}", std::chrono::nanoseconds(now).count()));
    dump->add(",\"partitions\":" + answers::partitions(versions));
    add_list(*dump, "nodes", versions, [&](const VersionPtr& version, const answers::Place& place) {
        dump->add("{\"partitionName\":" + compact(boost::json::value(place.partition)) + ",\"nodesInfo\":");
        dump->add(answers::nodes(version, place));
        dump->add("}");
    });
    dump->add(",\"clusterInfo\":" + answers::clusters(versions));
    add_list(*dump, "queues", versions, [&](const VersionPtr& version, const answers::Place& place) {
        dump->add(answers::queues(version, place));
    });
    add_applications(*dump, versions);
    const auto shown = board.shown();
    dump->add(",\"config\":" + to_json_text(config_document(*shown, Form::json)));
    add_rules(*dump, shown->config);
    if (history != nullptr) {
        dump->add(",\"appHistory\":" + history->applications());
        dump->add(",\"containerHistory\":" + history->containers());
    }
    if (shims != nullptr) {
        http::Response response;
        response.content_type = kJsonType;
        response.source = std::make_unique<DumpWithShims>(std::move(dump), *shims);
        return response;
    }
    dump->add("}");
    return json_pieces(std::move(dump));
}

}  // namespace

std::vector<http::Route> state_dump_routes(const ConfigBoard& board, const ShownPartitions& partitions,
                                           const History* history, ShimStates* shims) {
    return {{"GET", "/debug/fullstatedump", [&board, &partitions, history, shims](const http::Request&) {
                 return show(board, partitions, history, shims);
             }}};
}

}  // namespace bayplan::rest
