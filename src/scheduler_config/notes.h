// Findings in a configuration, to be told: faults, after which it does not count, and remarks.
//
// Thread: any. Owns the texts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/value.h"

namespace bayplan::scheduler_config {

using Names = std::vector<std::string_view>;

class Notes {
public:
    // `text` of the file: for lines. It must outlive this.
    Notes(std::string file, const std::string& text) : file_(std::move(file)), text_(text) {}

    // The values of which is told lie below this one, which must live as long as they are told of.
    void begin(const kube::Value& root) { root_ = &root; }

    // `at`: the value that is wrong, or where one is missing what it should be in; tells the line.
    void fault(const kube::Value& at, const std::string& where, const std::string& what);
    // A remark, if the value is there.
    void ignored(const kube::Value&, const std::string& where, const char* why);
    // Members of other names are faults.
    void only(const kube::Value&, const std::string& where, std::initializer_list<std::string_view> names);
    // FILE, or FILE:LINE.
    std::string place(const kube::Value& at);

    std::vector<std::string> faults;
    std::vector<std::string> remarks;

private:
    const std::string file_;
    const std::string& text_;
    const kube::Value* root_ = nullptr;
    std::map<std::string, std::size_t> lines_;  // by path; looked for when there is something to tell
};

// Of a whole number; nothing: it is none.
std::optional<std::int64_t> whole(const kube::Value&);

}  // namespace bayplan::scheduler_config
