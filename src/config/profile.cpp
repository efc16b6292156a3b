// Profiles are read by the same table wherever they stand; faults name the file they are in.
//
// Thread: main.
#include "config/profile.h"

#include "config/setting_values.h"
#include "config/settings.h"
#include "config/text_file.h"

namespace bayplan::config {

void read_profile(ProfileConfig& profile, const YamlNode& node, const std::string& path, ReadContext& context) {
    if (node.kind == YamlNode::Kind::map) {
        profile.source = "inline";
        read_settings(profile_settings(), profile, node, path, context);
        return;
    }
    if (node.kind == YamlNode::Kind::scalar && node.text == "any") return;
    const auto file = read_input_file(node, path, context);
    if (!file) return;
    std::string text;
    YamlNode root;
    if (!read_text_file(*file, text, context.faults) || !read_yaml(text, *file, root, context.faults)) return;
    profile.source = *file;
    // A profile without a line of its own pins nothing: "{}".
    ReadContext inner{*file, std::filesystem::path(*file).parent_path(), context.host, context.faults, {}};
    read_settings(profile_settings(), profile, root, "", inner);
}

std::string print_profile(const ProfileConfig& profile, int indent) {
    if (profile.source == "any") return "any";
    if (profile.source != "inline") return yaml_text(profile.source);
    std::string inside = print_settings(profile_settings(), profile, indent);
    if (inside.empty()) return "{}";
    inside.pop_back();
    return "\n" + inside;
}

bool load_profile(const std::string& file, ProfileConfig& profile, Faults& faults) {
    threads::HostCpus every;
    for (std::size_t cpu = 0; cpu < threads::kCpusMax; ++cpu) every.online.add(cpu);
    every.allowed = every.online;
    std::string text;
    YamlNode root;
    if (!read_text_file(file, text, faults) || !read_yaml(text, file, root, faults)) return false;
    profile.source = file;
    ReadContext context{file, std::filesystem::path(file).parent_path(), every, faults, {}};
    read_settings(profile_settings(), profile, root, "", context);
    sort_by_position(faults);
    return faults.empty();
}

std::string profile_text(const ProfileConfig& profile) {
    const std::string text = print_settings(profile_settings(), profile, 0);
    return text.empty() ? "{}\n" : text;
}

}  // namespace bayplan::config
