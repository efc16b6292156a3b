// See map_page.h. The page itself is map_page.html.
#include "sim/map_page.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "sim/page_file.h"

namespace bayplan::sim {

namespace {

// The fullest resource of a node, 0 to 1 and above.
double share(const UseRow& row, std::int64_t Use::*when) {
    double most = 0;
    for (const Use& use : row.uses) {
        if (use.capacity > 0) most = std::max(most, static_cast<double>(use.*when) / static_cast<double>(use.capacity));
    }
    return most;
}

// White to dark blue; red if there is more than fits.
std::string colour_of(double part) {
    if (part > 1) return "#c0392b";
    const auto mix = [part](int empty, int full) { return empty + static_cast<int>((full - empty) * part); };
    return fmt::format("#{:02x}{:02x}{:02x}", mix(0xee, 0x08), mix(0xf3, 0x30), mix(0xf8, 0x6b));
}

void draw_map(std::FILE* out, const UseReport& use, std::int64_t Use::*when, std::size_t columns, double left) {
    constexpr double kCell = 8;
    for (std::size_t index = 0; index < use.nodes.size(); ++index) {
        const UseRow& node = use.nodes[index];
        const double part = share(node, when);
        fmt::print(
            out,
            "<rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"7\" height=\"7\" fill=\"{}\"><title>{} {:.0f}%</title></rect>\n",
            left + kCell * static_cast<double>(index % columns), 20 + kCell * static_cast<double>(index / columns),
            colour_of(part), in_html(node.name), 100 * part);
    }
}

}  // namespace

void MapPage::add(const SimulatedDecision& decision) {
    totals_.add(decision);
    reasons_.add(decision);
    if (!finds_room(decision.outcome)) return;
    const bool nominated = decision.outcome == Outcome::nominated;
    placed_.push_back({decision.pod, nominated ? decision.nominated_node : decision.node, decision.victims, nominated});
}

void MapPage::write_data(std::FILE* out, const Ending& ending) const {
    const UseReport& use = ending.use;
    fmt::print(out, "{{\"resources\":{},\"totals\":{},\"whatIf\":{},\n\"nodes\":[", list_in_script(use.resources),
               in_script(totals_.text()), list_in_script(ending.what_if));
    for (std::size_t index = 0; index < use.nodes.size(); ++index) {
        std::string_view zone = "-";
        std::string_view type = "-";
        for (const Attribute& label : dump_.nodes()[index].attributes) {
            const std::string_view key = dump_.texts().text(label.key);
            zone = key == kZoneLabel ? dump_.texts().text(label.value) : zone;
            type = key == kTypeLabel ? dump_.texts().text(label.value) : type;
        }
        fmt::print(out, "{}[{},{},{}", index == 0 ? "" : ",\n", in_script(use.nodes[index].name), in_script(zone),
                   in_script(type));
        for (const Use& one : use.nodes[index].uses)
            fmt::print(out, ",[{},{},{}]", one.capacity, one.before, one.after);
        fmt::print(out, "]");
    }
    fmt::print(out, "],\n\"placed\":[");
    for (std::size_t index = 0; index < placed_.size(); ++index) {
        const Placed& one = placed_[index];
        fmt::print(out, "{}[{},{},{},{}]", index == 0 ? "" : ",\n", in_script(one.pod), in_script(one.node),
                   one.nominated ? 1 : 0, list_in_script(one.victims));
    }
    fmt::print(out, "],\n\"reasons\":[");
    bool first = true;
    for (const ReasonGroup& group : reasons_.groups()) {
        fmt::print(out, "{}[{},{},{},{}]", first ? "" : ",\n", group.pods, in_script(to_string(group.outcome)),
                   in_script(group.message), list_in_script(group.examples));
        first = false;
    }
    fmt::print(out, "]}}\n");
}

bool MapPage::write_html(const std::string& path, const std::string& title, const Ending& ending) const {
    return write_page(path, title, [&](std::FILE* out) { write_data(out, ending); });
}

bool MapPage::write_svg(const std::string& path, const Ending& ending) const {
    File file(std::fopen(path.c_str(), "wb"));
    if (file == nullptr) return false;
    std::size_t columns = 1;
    while (columns * columns < ending.use.nodes.size()) ++columns;
    const double side = 8.0 * static_cast<double>(columns);
    const double width = std::max(side, 60.0);
    fmt::print(file.get(),
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" font-family=\"sans-serif\" "
               "font-size=\"12\">\n<text x=\"0\" y=\"14\">before</text><text x=\"{:.0f}\" y=\"14\">after</text>\n",
               2 * width + 20, side + 24, width + 20);
    draw_map(file.get(), ending.use, &Use::before, columns, 0);
    draw_map(file.get(), ending.use, &Use::after, columns, width + 20);
    fmt::print(file.get(), "</svg>\n");
    return ended_well(std::move(file));
}

}  // namespace bayplan::sim
