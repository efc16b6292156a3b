// Percent-encoding of paths and queries as Go's net/url has it, its error texts included: clients of YuniKorn rely on both.
//
// Thread: plain functions, any. Cost: linear in the text.
#pragma once

#include <string>
#include <string_view>

namespace bayplan::http {

struct Unescaped {
    std::string text;
    std::string fault;  // empty: sound; else which escape is not
};

// Of a path: "%2F" is a slash, "+" stays.
Unescaped unescape_path(std::string_view);
// Of a query, or of a path parameter that its handler decodes a second time: "+" is a blank too.
Unescaped unescape_query(std::string_view);

// A decoded path as it may stand in a request or a Location.
std::string escape_path(std::string_view);
// A text as it may stand in an attribute of HTML.
std::string escape_html(std::string_view);

// Names of headers, which have no case.
bool same_name(std::string_view, std::string_view);

}  // namespace bayplan::http
