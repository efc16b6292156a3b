// The tree of an expression, and the parser that makes it. Macros (has, all, exists...) are nodes of their own.
//
// Thread: plain data, any. Errors: a text that says where.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cel/value.h"

namespace bayplan::cel {

inline constexpr std::size_t kBytesMax = 10 * 1'024;  // of an expression
inline constexpr int kDepthMax = 100;                 // of expressions within expressions

enum class Form : std::uint8_t {
    literal,      // value
    name,         // name
    field,        // parts[0].name; optional: .?name
    index,        // parts[0][parts[1]]; optional: [?x]
    call,         // name(parts); operators have names like _+_
    method,       // parts[0].name(parts[1...])
    list,         // [parts]
    has,          // has(parts[0]), a field
    conditional,  // parts[0] ? parts[1] : parts[2]
    logical,      // parts[0] name parts[1], && or ||
    loop,         // parts[0].name(variable, parts[1...]): all, exists, exists_one, filter, map
    bind          // cel.bind(variable, parts[0], parts[1])
};

struct Node {
    Form form = Form::literal;
    bool optional = false;
    std::string name;
    std::string variable;
    std::string second_variable;  // of loops with two
    Value value;
    std::vector<std::unique_ptr<Node>> parts;
    Type type;  // found by check()
};
using NodePtr = std::unique_ptr<Node>;

// Or the fault.
std::variant<NodePtr, std::string> parse(std::string_view expression);

}  // namespace bayplan::cel
