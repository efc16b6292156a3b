// See page_file.h.
#include "sim/page_file.h"

#include <utility>

#include <fmt/format.h>

#include "sim/markup.h"

namespace bayplan::sim {

namespace {

constexpr std::string_view kTitleMark = "@TITLE@";
constexpr std::string_view kDataMark = "@DATA@";

}  // namespace

bool ended_well(File file) { return std::ferror(file.get()) == 0 && std::fclose(file.release()) == 0; }

std::string in_script(std::string_view text) {
    std::string made;
    for (const char letter : quoted(text)) made += letter == '<' ? "\\u003c" : std::string(1, letter);
    return made;
}

std::string in_html(std::string_view text) {
    std::string made;
    for (const char letter : text) {
        switch (letter) {
            case '<': made += "&lt;"; break;
            case '>': made += "&gt;"; break;
            case '&': made += "&amp;"; break;
            case '"': made += "&quot;"; break;
            default: made += letter;
        }
    }
    return made;
}

std::string list_in_script(const std::vector<std::string>& texts) {
    std::string made;
    for (const std::string& text : texts) made += (made.empty() ? "" : ",") + in_script(text);
    return "[" + made + "]";
}

bool write_page(const std::string& path, const std::string& title, const std::function<void(std::FILE*)>& write_data) {
    File file(std::fopen(path.c_str(), "wb"));
    if (file == nullptr) return false;
    const std::string_view page = kMapPage;
    const std::size_t data_at = page.find(kDataMark);
    std::string head(page.substr(0, data_at));
    for (std::size_t at = 0; (at = head.find(kTitleMark, at)) != std::string::npos;) {
        const std::string text = in_html(title);
        head.replace(at, kTitleMark.size(), text);
        at += text.size();
    }
    fmt::print(file.get(), "{}", head);
    write_data(file.get());
    fmt::print(file.get(), "{}", page.substr(data_at + kDataMark.size()));
    return ended_well(std::move(file));
}

}  // namespace bayplan::sim
