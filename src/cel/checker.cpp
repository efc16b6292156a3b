// See checker.h.
#include "cel/checker.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "cel/functions.h"

namespace bayplan::cel {

namespace {

constexpr Type kBool{Kind::boolean};
constexpr std::array<std::string_view, 10> kTypeNames = {"int",  "uint", "double", "string", "bool",
                                                         "list", "map",  "type",   "dyn",    "null_type"};

bool may_be(Kind given, Kind taken) { return given == Kind::dynamic || taken == Kind::dynamic || given == taken; }

bool is_numeric(Kind kind) { return kind == Kind::integer || kind == Kind::unsigned_integer || kind == Kind::real; }

class Checker {
public:
    std::string run(Node& root) {
        visit(root);
        if (fault_.empty() && !may_be(root.type.kind, Kind::boolean)) {
            fail(fmt::format("must evaluate to bool, but is of type {}", name_of(root.type.kind)));
        }
        return fault_;
    }

private:
    Type fail(std::string why) {
        if (fault_.empty()) {
            fault_ = std::move(why);
        }
        return {};
    }

    void visit(Node& node) {
        if (fault_.empty()) {
            node.type = type_of(node);
        }
    }
    void visit_parts(Node& node) {
        for (const NodePtr& part : node.parts) {
            visit(*part);
        }
    }

    Type type_of(Node& node) {
        switch (node.form) {
            case Form::literal: return {node.value.kind()};
            case Form::name: return of_name(node);
            case Form::field: visit_parts(node); return of_field(node);
            case Form::index: visit_parts(node); return of_index(node);
            case Form::call:
            case Form::method: visit_parts(node); return of_call(node);
            case Form::list: visit_parts(node); return of_list(node);
            case Form::has: return of_has(node);
            case Form::conditional: visit_parts(node); return of_conditional(node);
            case Form::logical: visit_parts(node); return of_logical(node);
            case Form::loop: return of_loop(node);
            case Form::bind: return of_bind(node);
        }
        return {};
    }

    Type of_name(const Node& node) {
        for (std::size_t at = variables_.size(); at-- > 0;) {
            if (variables_[at].first == node.name) {
                return variables_[at].second;
            }
        }
        if (node.name == "device") {
            return {Kind::device};
        }
        if (std::ranges::find(kTypeNames, node.name) != kTypeNames.end()) {
            return {Kind::type};
        }
        return fail(fmt::format("undeclared reference to '{}'", node.name));
    }

    Type of_device(const std::string& field) {
        if (field == "driver") {
            return {Kind::text};
        }
        if (field == "allowMultipleAllocations") {
            return kBool;
        }
        if (field == "attributes") {
            return {Kind::map, Kind::dynamic, true};
        }
        if (field == "capacity") {
            return {Kind::map, Kind::quantity, true};
        }
        return fail(fmt::format("undefined field '{}'", field));
    }

    static Type inside(const Type& map) {
        return map.domains ? Type{Kind::map, map.element, false} : Type{map.element};
    }
    static Type wrapped(const Node& node, const Type& type) {
        return node.optional || node.parts[0]->type.kind == Kind::optional ? Type{Kind::optional, type.kind} : type;
    }

    Type of_field(const Node& node) {
        const Type& object = node.parts[0]->type;
        switch (object.kind) {
            case Kind::device: return wrapped(node, of_device(node.name));
            case Kind::map: return wrapped(node, inside(object));
            case Kind::optional:
            case Kind::dynamic: return wrapped(node, {});
            default: return fail(fmt::format("type '{}' does not support field selection", name_of(object.kind)));
        }
    }

    Type of_index(const Node& node) {
        const Type& object = node.parts[0]->type;
        const Kind key = node.parts[1]->type.kind;
        const bool sound = object.kind == Kind::map    ? may_be(key, Kind::text)
                           : object.kind == Kind::list ? key == Kind::dynamic || is_numeric(key)
                                                       : object.kind == Kind::dynamic || object.kind == Kind::optional;
        if (!sound) {
            return fail(fmt::format("found no matching overload for '_[_]' applied to '({}, {})'", name_of(object.kind),
                                    name_of(key)));
        }
        return wrapped(node, object.kind == Kind::map ? inside(object) : Type{object.element});
    }

    static bool fits(const Overload& row, const Node& node) {
        if (row.takes.size() != node.parts.size()) {
            return false;
        }
        for (std::size_t at = 0; at < row.takes.size(); ++at) {
            if (!may_be(node.parts[at]->type.kind, row.takes[at])) {
                return false;
            }
        }
        return true;
    }

    Type of_call(const Node& node) {
        if (node.name == "_in_" && node.parts.size() == 2 && node.parts[1]->type.kind == Kind::map) {
            return may_be(node.parts[0]->type.kind, Kind::text) ? kBool : no_overload(node);
        }
        if (node.name == "size" && node.parts.size() == 1 && node.parts[0]->type.kind == Kind::map) {
            return {Kind::integer};
        }
        if ((node.name == "_==_" || node.name == "_!=_") && !comparable(node)) {
            return no_overload(node);
        }
        const auto rows = overloads_of(node.name, node.form == Form::method);
        if (rows.empty()) {
            return fail(fmt::format("'{}' is not supported", node.name));
        }
        std::optional<Type> found;
        for (const Overload* const row : rows) {
            if (fits(*row, node)) {
                found = !found || *found == row->gives ? row->gives : Type{};
            }
        }
        return found ? with_element(node, *found) : no_overload(node);
    }

    // A list made from a list has elements of its type.
    static Type with_element(const Node& node, Type type) {
        if (type.kind == Kind::list && type.element == Kind::dynamic && !node.parts.empty() && node.name != "flatten" &&
            node.parts[0]->type.kind == Kind::list) {
            type.element = node.parts[0]->type.element;
        }
        if ((node.name == "min" || node.name == "max" || node.name == "sum") && !node.parts.empty()) {
            type.kind = node.parts[0]->type.element;
        }
        if ((node.name == "orValue" || node.name == "value") && !node.parts.empty()) {
            type.kind = node.parts[0]->type.element;
        }
        return type;
    }

    static bool comparable(const Node& node) {
        return node.parts.size() == 2 && may_be(node.parts[0]->type.kind, node.parts[1]->type.kind);
    }

    Type no_overload(const Node& node) {
        std::string types;
        for (const NodePtr& part : node.parts) {
            types += (types.empty() ? "" : ", ") + std::string(name_of(part->type.kind));
        }
        return fail(fmt::format("found no matching overload for '{}' applied to '({})'", node.name, types));
    }

    Type of_list(const Node& node) {
        Type type{Kind::list, node.parts.empty() ? Kind::dynamic : node.parts.front()->type.kind};
        for (const NodePtr& part : node.parts) {
            if (!may_be(part->type.kind, type.element)) {
                return fail("a list of more than one type");
            }
            type.element = part->type.kind == Kind::dynamic ? Kind::dynamic : type.element;
        }
        return type;
    }

    Type of_has(Node& node) {
        visit_parts(node);
        return kBool;
    }

    Type of_conditional(const Node& node) {
        if (!may_be(node.parts[0]->type.kind, Kind::boolean)) {
            return no_overload(node);
        }
        const Type& yes = node.parts[1]->type;
        const Type& no = node.parts[2]->type;
        if (!may_be(yes.kind, no.kind)) {
            return no_overload(node);
        }
        return yes == no ? yes : yes.kind == no.kind ? Type{yes.kind} : Type{};
    }

    Type of_logical(const Node& node) {
        const bool sound =
            may_be(node.parts[0]->type.kind, Kind::boolean) && may_be(node.parts[1]->type.kind, Kind::boolean);
        return sound ? kBool : no_overload(node);
    }

    Type of_loop(Node& node) {
        visit(*node.parts[0]);
        const Type range = node.parts[0]->type;
        if (range.kind != Kind::list && range.kind != Kind::map && range.kind != Kind::dynamic) {
            return fail(fmt::format("expression of type '{}' cannot be range of a comprehension", name_of(range.kind)));
        }
        const std::size_t before = variables_.size();
        const Type element{range.kind == Kind::map ? Kind::text : range.element};
        if (node.second_variable.empty()) {
            variables_.emplace_back(node.variable, element);
        } else {
            const bool list = range.kind == Kind::list;
            variables_.emplace_back(node.variable, list ? Type{Kind::integer} : element);
            variables_.emplace_back(node.second_variable, list ? Type{range.element} : inside(range));
        }
        for (std::size_t at = 1; at < node.parts.size(); ++at) {
            visit(*node.parts[at]);
        }
        variables_.resize(before);
        const bool filters = node.name != "map" || node.parts.size() == 3;
        if (fault_.empty() && filters && !may_be(node.parts[1]->type.kind, Kind::boolean)) {
            return no_overload(node);
        }
        if (node.name == "map") {
            return {Kind::list, node.parts.back()->type.kind};
        }
        return node.name == "filter" ? Type{Kind::list, element.kind} : kBool;
    }

    Type of_bind(Node& node) {
        visit(*node.parts[0]);
        variables_.emplace_back(node.variable, node.parts[0]->type);
        visit(*node.parts[1]);
        variables_.pop_back();
        return node.parts[1]->type;
    }

    std::vector<std::pair<std::string, Type>> variables_;
    std::string fault_;
};

}  // namespace

std::string check(Node& root) { return Checker().run(root); }

}  // namespace bayplan::cel
