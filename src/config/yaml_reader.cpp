// yaml-cpp's events, gathered into a tree.
//
// Thread: any. Exceptions of yaml-cpp end here.
#include "config/yaml_reader.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <sstream>

namespace bayplan::config {
namespace {

class TreeBuilder : public YAML::EventHandler {
public:
    TreeBuilder(const std::string& file, Faults& faults) : file_(file), faults_(faults) {}

    YamlNode take_root() { return std::move(root_); }

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
        place({YamlNode::Kind::null, position(mark), {}, {}, {}});
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
        faults_.push_back({file_, position(mark), "aliases (*name) are not understood here", "write the value out"});
        place({YamlNode::Kind::null, position(mark), {}, {}, {}});
    }

    void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t, const std::string& value) override {
        place({YamlNode::Kind::scalar, position(mark), value, {}, {}});
    }

    void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                         YAML::EmitterStyle::value) override {
        open(YamlNode::Kind::sequence, mark);
    }
    void OnSequenceEnd() override { close(); }

    void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
        open(YamlNode::Kind::map, mark);
    }
    void OnMapEnd() override { close(); }

private:
    // A collection under construction; of a map, the key that waits for its value.
    struct Level {
        YamlNode node;
        YamlNode key;
        bool has_key = false;
    };

    static Position position(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

    void open(YamlNode::Kind kind, const YAML::Mark& mark) {
        levels_.push_back({{kind, position(mark), {}, {}, {}}, {}, false});
    }

    void close() {
        YamlNode node = std::move(levels_.back().node);
        levels_.pop_back();
        place(std::move(node));
    }

    void place(YamlNode node) {
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

    const std::string& file_;
    Faults& faults_;
    std::vector<Level> levels_;
    YamlNode root_;
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

bool read_yaml(const std::string& text, const std::string& file, YamlNode& root, Faults& faults) {
    const std::size_t faults_before = faults.size();
    try {
        std::istringstream stream(text);
        YAML::Parser parser(stream);
        TreeBuilder builder(file, faults);
        if (!parser.HandleNextDocument(builder)) {
            faults.push_back({file, {1, 1}, "the file has no settings", "see baypland --help-config"});
            return false;
        }
        root = builder.take_root();
        TreeBuilder rest(file, faults);
        if (parser.HandleNextDocument(rest)) {
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
