// Parts of the files that were not used, counted: kinds that nobody looks at, fields that nobody knows, broken objects,
// kinds that pods refer to and that no file has.
//
// Thread: one. Owns its texts.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace bayplan::kube {

class ClusterDump;

class InputNotes {
public:
    void skipped_kind(std::string_view kind, std::string_view api_version);
    void broken(std::string_view kind);
    // `meant`: the field that it probably should be, or "".
    void unknown_field(std::string_view kind, std::string path, std::string_view meant, std::string object);
    // `what`: "claims are named by 12 pods (ns/a)"; `kubectl`: what brings the kind.
    void missing_kind(std::string kind, std::string what, std::string kubectl);

    // Lines for people, each without an end.
    std::vector<std::string> lines() const;
    // A field is probably misspelt: the answer is not about what was meant.
    bool any_misspelt() const;

private:
    struct UnknownField {
        std::string meant;
        std::string example;
        std::size_t count = 0;
    };
    struct Missing {
        std::string kind;
        std::string what;
        std::string kubectl;
    };
    std::map<std::string, std::size_t> skipped_;
    std::map<std::string, std::size_t> broken_;
    std::map<std::string, UnknownField> unknown_;  // by "Pod spec.containers[].request"
    std::vector<Missing> missing_;
};

void note_missing_kinds(const ClusterDump&, InputNotes&);

}  // namespace bayplan::kube
