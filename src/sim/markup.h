// Writes a document as it arises: JSON or YAML. Nothing is kept, so a long run needs no memory for it.
//
// Thread: one. Errors: the stream's; its owner checks them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bayplan::sim {

class Markup {
public:
    virtual ~Markup() = default;

    // Inside of an object each value has a name; in a list, and at the top, none ("").
    virtual void begin_object(std::string_view name = {}) = 0;
    virtual void begin_list(std::string_view name = {}) = 0;
    virtual void end() = 0;  // of the innermost object or list; of the outermost one: of the document
    virtual void text(std::string_view name, std::string_view value) = 0;
    virtual void number(std::string_view name, std::int64_t value) = 0;
    virtual void flag(std::string_view name, bool value) = 0;
    virtual void ratio(std::string_view name, double value) = 0;  // to four places
};

std::unique_ptr<Markup> make_json(std::FILE*);
std::unique_ptr<Markup> make_json_lines(std::FILE*);  // every document on a line of its own; any number of them
std::unique_ptr<Markup> make_yaml(std::FILE*);

// In double quotes, with JSON's escapes, which are YAML's too.
std::string quoted(std::string_view);

}  // namespace bayplan::sim
