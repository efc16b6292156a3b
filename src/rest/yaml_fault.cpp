// See yaml_fault.h.
#include "rest/yaml_fault.h"

#include <memory>

#include <fmt/format.h>
#include <yaml.h>

namespace bayplan::rest {

namespace {

// Lines are counted from 0 by libyaml; the place of the context counts, unless it is in the first line. A scanner's find is told
// one line further down.
std::string fault_of(const yaml_parser_t& parser) {
    std::size_t line = parser.context_mark.line != 0 ? parser.context_mark.line : parser.problem_mark.line;
    if (line != 0 && parser.error == YAML_SCANNER_ERROR) ++line;
    const std::string where = line != 0 ? fmt::format("line {}: ", line) : std::string();
    return fmt::format("yaml: {}{}", where,
                       parser.problem == nullptr ? "unknown problem parsing YAML content" : parser.problem);
}

}  // namespace

std::string yaml_fault(std::string_view text) {
    yaml_parser_t parser;
    if (yaml_parser_initialize(&parser) == 0) return {};
    const std::unique_ptr<yaml_parser_t, decltype(&yaml_parser_delete)> end(&parser, &yaml_parser_delete);
    yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(text.data()), text.size());
    for (;;) {
        yaml_event_t event;
        if (yaml_parser_parse(&parser, &event) == 0) return fault_of(parser);
        const yaml_event_type_t type = event.type;
        yaml_event_delete(&event);
        if (type == YAML_DOCUMENT_END_EVENT || type == YAML_STREAM_END_EVENT) return {};
    }
}

}  // namespace bayplan::rest
