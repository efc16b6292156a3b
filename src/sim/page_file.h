// The page for a browser (map_page.html) with its data put in, and texts as they may stand in it.
//
// Thread: any.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bayplan::sim {

extern const std::string_view kMapPage;  // map_page.html
// By which nodes can be grouped.
inline constexpr std::string_view kZoneLabel = "topology.kubernetes.io/zone";
inline constexpr std::string_view kTypeLabel = "node.kubernetes.io/instance-type";

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// Whole on the disk, or not well.
bool ended_well(File);

// A JSON text that may stand in a script: nothing in it ends the script.
std::string in_script(std::string_view text);
std::string in_html(std::string_view text);
// A JSON list of such texts.
std::string list_in_script(const std::vector<std::string>& texts);

// `write_data` writes one JSON value. False: it could not be written; errno says why.
bool write_page(const std::string& path, const std::string& title, const std::function<void(std::FILE*)>& write_data);

}  // namespace bayplan::sim
