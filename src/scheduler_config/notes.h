// Findings in a configuration, to be told: faults, after which it does not count, and remarks.
//
// Thread: any. Owns the texts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/value.h"

namespace bayplan::scheduler_config {

using Names = std::vector<std::string_view>;

class Notes {
public:
    explicit Notes(std::string file) : file_(std::move(file)) {}

    void fault(const std::string& where, const std::string& what);
    // A remark, if the value is there.
    void ignored(const kube::Value&, const std::string& where, const char* why);
    // Members of other names are faults.
    void only(const kube::Value&, const std::string& where, std::initializer_list<std::string_view> names);

    std::vector<std::string> faults;
    std::vector<std::string> remarks;

private:
    const std::string file_;
};

// Of a whole number; nothing: it is none.
std::optional<std::int64_t> whole(const kube::Value&);

}  // namespace bayplan::scheduler_config
