// yaml-cpp's events, gathered into a tree.
//
// Thread: any. Exceptions of yaml-cpp end here.
#include "config/yaml_reader.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <sstream>
#include <unordered_map>

namespace bayplan::config {
namespace {

// Limit on the nodes that aliases expand to: a few hundred bytes of aliases could name more nodes than fit into memory.
constexpr std::size_t kExpandedNodesMax = 1'000'000;

std::size_t count_nodes(const YamlNode& node) {
    std::size_t count = 1;
    for (const YamlNode& item : node.items) count += count_nodes(item);
    for (const YamlEntry& entry : node.entries) count += 1 + count_nodes(entry.value);
    return count;
}

class TreeBuilder : public YAML::EventHandler {
public:
    TreeBuilder(const std::string& text, const std::string& file, Faults& faults, const YamlOptions& options)
        : text_(text), file_(file), faults_(faults), options_(options) {}

    YamlNode take_root() { return std::move(root_); }

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        check_comma(mark);
        place(make(YamlNode::Kind::null, mark), anchor);
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        place(named(mark, anchor), YAML::NullAnchor);
    }

    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        YamlNode node = make(YamlNode::Kind::scalar, mark);
        node.text = value;
        node.plain = tag == "?";
        place(std::move(node), anchor);
    }

    void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open(YamlNode::Kind::sequence, mark, anchor);
    }
    void OnSequenceEnd() override { close(); }

    void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        open(YamlNode::Kind::map, mark, anchor);
    }
    void OnMapEnd() override { close(); }

private:
    // A collection under construction; of a map, the key that waits for its value.
    struct Level {
        YamlNode node;
        YAML::anchor_t anchor = YAML::NullAnchor;
        YamlNode key;
        bool has_key = false;
    };

    static Position position(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

    static YamlNode make(YamlNode::Kind kind, const YAML::Mark& mark) {
        YamlNode node;
        node.kind = kind;
        node.position = position(mark);
        return node;
    }

    // The parser takes "[a, , b]" for three items, and ", a" for a document; YAML knows nothing
    // between two commas but the value of a key.
    void check_comma(const YAML::Mark& mark) {
        const bool is_value = !levels_.empty() && levels_.back().has_key;
        if (!is_value && byte_at(mark.pos) == ',') {
            faults_.push_back({file_, position(mark), "there is nothing before this comma", "remove it"});
        }
    }

    // Marks count bytes, without the mark of the encoding. 0 behind the end, and in UTF-16.
    char byte_at(int position) const {
        const std::size_t at = static_cast<std::size_t>(position) + (text_.starts_with("\xEF\xBB\xBF") ? 3 : 0);
        return at < text_.size() ? text_[at] : '\0';
    }

    // The node that an alias names; null with a fault if it names none.
    YamlNode named(const YAML::Mark& mark, YAML::anchor_t anchor) {
        const auto fault = [&](const char* what, const char* remedy) {
            faults_.push_back({file_, position(mark), what, remedy});
            return make(YamlNode::Kind::null, mark);
        };
        if (!options_.aliases) {
            return fault("aliases (*name) are not understood here", "write the value out");
        }
        if (expanded_ > kExpandedNodesMax) return make(YamlNode::Kind::null, mark);  // said once
        const auto found = anchors_.find(anchor);
        if (found == anchors_.end()) {
            return fault("the alias stands inside of what it names", "write the value out");
        }
        expanded_ += count_nodes(found->second);
        if (expanded_ > kExpandedNodesMax) {
            return fault("the aliases of this file name more than can be read", "write the values out");
        }
        return found->second;
    }

    void open(YamlNode::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
        levels_.push_back({make(kind, mark), anchor, {}, false});
    }

    void close() {
        YamlNode node = std::move(levels_.back().node);
        const YAML::anchor_t anchor = levels_.back().anchor;
        levels_.pop_back();
        place(std::move(node), anchor);
    }

    void place(YamlNode node, YAML::anchor_t anchor) {
        if (anchor != YAML::NullAnchor && options_.aliases) anchors_[anchor] = node;
        if (levels_.empty()) {
            root_ = std::move(node);
            return;
        }
        Level& level = levels_.back();
        if (level.node.kind == YamlNode::Kind::sequence) {
            level.node.items.push_back(std::move(node));
        } else if (!level.has_key) {
            level.key = std::move(node);
            level.has_key = true;
        } else {
            // The parser places a value that is not there at the next line; a reader looks at the
            // key.
            if (node.kind == YamlNode::Kind::null) node.position = level.key.position;
            level.node.entries.push_back({std::move(level.key), std::move(node)});
            level.has_key = false;
        }
    }

    const std::string& text_;
    const std::string& file_;
    Faults& faults_;
    const YamlOptions& options_;
    std::vector<Level> levels_;
    YamlNode root_;
    std::unordered_map<YAML::anchor_t, YamlNode> anchors_;
    std::size_t expanded_ = 0;
};

}  // namespace

std::string YamlNode::describe() const {
    switch (kind) {
        case Kind::null: return "nothing";
        case Kind::scalar: return fmt::format("'{}'", text);
        case Kind::sequence: return "a list";
        case Kind::map: return "a mapping";
    }
    return "";
}

bool read_yaml(const std::string& text, const std::string& file, YamlNode& root, Faults& faults, YamlOptions options) {
    const std::size_t faults_before = faults.size();
    try {
        std::istringstream stream(text);
        YAML::Parser parser(stream);
        TreeBuilder builder(text, file, faults, options);
        if (!parser.HandleNextDocument(builder)) {
            if (options.first_document) return true;
            faults.push_back({file, {1, 1}, "the file has no settings", "see baypland --help-config"});
            return false;
        }
        root = builder.take_root();
        TreeBuilder rest(text, file, faults, options);
        if (!options.first_document && parser.HandleNextDocument(rest)) {
            faults.push_back({file, rest.take_root().position, "the file holds a second document",
                              "keep one; remove the line '---'"});
        }
    } catch (const YAML::Exception& failure) {
        const Position place =
            failure.mark.is_null() ? Position{} : Position{failure.mark.line + 1, failure.mark.column + 1};
        faults.push_back({file, place, fmt::format("this is not YAML: {}", failure.msg),
                          "check indentation, brackets and quotes here and on the line before"});
    }
    return faults.size() == faults_before;
}

}  // namespace bayplan::config
