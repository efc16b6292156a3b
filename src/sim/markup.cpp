// See markup.h.
#include "sim/markup.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace bayplan::sim {

namespace {

// Objects of this depth and below stand on one line, so that a document reads line by line.
constexpr std::size_t kLineDepth = 5;

std::string four_places(double value) { return fmt::format("{}", std::round(value * 10'000) / 10'000); }

class JsonMarkup : public Markup {
public:
    JsonMarkup(std::FILE* out, std::size_t line_depth) : out_(out), line_depth_(line_depth) {}

    void begin_object(std::string_view name) override { begin(name, '{', '}'); }
    void begin_list(std::string_view name) override { begin(name, '[', ']'); }

    void end() override {
        const char closing = levels_.back().closing;
        const bool empty = levels_.back().count == 0;
        levels_.pop_back();
        if (!empty && levels_.size() + 1 < line_depth_) {
            line();
        }
        std::fputc(closing, out_);
        if (levels_.empty()) {
            std::fputc('\n', out_);
        }
    }

    void text(std::string_view name, std::string_view value) override {
        lead(name);
        fmt::print(out_, "{}", quoted(value));
    }
    void number(std::string_view name, std::int64_t value) override {
        lead(name);
        fmt::print(out_, "{}", value);
    }
    void flag(std::string_view name, bool value) override {
        lead(name);
        fmt::print(out_, "{}", value);
    }
    void ratio(std::string_view name, double value) override {
        lead(name);
        fmt::print(out_, "{}", four_places(value));
    }

private:
    struct Level {
        char closing;
        std::size_t count = 0;
    };

    void line() { fmt::print(out_, "\n{}", std::string(2 * levels_.size(), ' ')); }

    void lead(std::string_view name) {
        if (!levels_.empty()) {
            if (levels_.back().count++ > 0) {
                std::fputc(',', out_);
            }
            if (levels_.size() < line_depth_) {
                line();
            }
        }
        if (!name.empty()) {
            fmt::print(out_, "{}:", quoted(name));
        }
    }
    void begin(std::string_view name, char opening, char closing) {
        lead(name);
        std::fputc(opening, out_);
        levels_.push_back({closing});
    }

    std::FILE* out_;
    std::size_t line_depth_;
    std::vector<Level> levels_;
};

class YamlMarkup : public Markup {
public:
    explicit YamlMarkup(std::FILE* out) : out_(out) {}

    void begin_object(std::string_view name) override { begin(name, false); }
    void begin_list(std::string_view name) override { begin(name, true); }

    void end() override {
        const Level level = levels_.back();
        levels_.pop_back();
        if (level.count == 0) {  // the line before ends with a name or a dash
            fmt::print(out_, " {}\n", level.list ? "[]" : "{}");
        }
    }

    void text(std::string_view name, std::string_view value) override {
        lead(name);
        fmt::print(out_, " {}\n", quoted(value));
    }
    void number(std::string_view name, std::int64_t value) override {
        lead(name);
        fmt::print(out_, " {}\n", value);
    }
    void flag(std::string_view name, bool value) override {
        lead(name);
        fmt::print(out_, " {}\n", value);
    }
    void ratio(std::string_view name, double value) override {
        lead(name);
        fmt::print(out_, " {}\n", four_places(value));
    }

private:
    struct Level {
        bool list;
        bool dashed;  // an object that is an item: its first name follows the dash
        std::size_t count = 0;
    };

    void lead(std::string_view name) {
        if (levels_.empty()) {
            return;
        }
        Level& level = levels_.back();
        const bool first = level.count++ == 0;
        if (first && level.dashed && !level.list) {
            std::fputc(' ', out_);
        } else {
            if (first && levels_.size() > 1) {
                std::fputc('\n', out_);
            }
            fmt::print(out_, "{}", std::string(2 * (levels_.size() - 1), ' '));
        }
        if (level.list) {
            std::fputc('-', out_);
        } else {
            fmt::print(out_, "{}:", plain(name) ? std::string(name) : quoted(name));
        }
    }

    void begin(std::string_view name, bool list) {
        const bool dashed = !levels_.empty() && levels_.back().list;
        lead(name);
        levels_.push_back({list, dashed});
    }

    // Our own names are plain; names of nodes might read as numbers or words that YAML knows.
    static bool plain(std::string_view name) {
        static constexpr std::string_view kWords[] = {"y", "n", "no", "on", "yes", "off", "true", "null", "false"};
        const bool letters = std::all_of(name.begin(), name.end(), [](char letter) {
            return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
        });
        return letters && std::none_of(std::begin(kWords), std::end(kWords), [name](std::string_view word) {
                   return std::equal(name.begin(), name.end(), word.begin(), word.end(),
                                     [](char one, char other) { return (one | 0x20) == other; });
               });
    }

    std::FILE* out_;
    std::vector<Level> levels_;
};

}  // namespace

std::string quoted(std::string_view text) {
    std::string made = "\"";
    for (const char letter : text) {
        if (letter == '"' || letter == '\\') {
            made += '\\';
            made += letter;
        } else if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f) {
            made += fmt::format("\\u{:04x}", static_cast<unsigned>(letter));
        } else {
            made += letter;
        }
    }
    return made + "\"";
}

std::unique_ptr<Markup> make_json(std::FILE* out) { return std::make_unique<JsonMarkup>(out, kLineDepth); }

std::unique_ptr<Markup> make_json_lines(std::FILE* out) { return std::make_unique<JsonMarkup>(out, 0); }

std::unique_ptr<Markup> make_yaml(std::FILE* out) { return std::make_unique<YamlMarkup>(out); }

}  // namespace bayplan::sim
