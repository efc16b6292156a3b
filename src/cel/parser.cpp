// Recursive descent over the tokens. See syntax.h. Source: the language definition of CEL.
#include <array>
#include <utility>

#include <fmt/format.h>

#include "cel/lexer.h"
#include "cel/syntax.h"

namespace bayplan::cel {

namespace {

constexpr std::array<std::string_view, 5> kLoops = {"all", "exists", "exists_one", "filter", "map"};

bool is_loop(std::string_view name) {
    for (const std::string_view one : kLoops) {
        if (name == one) {
            return true;
        }
    }
    return name == "existsOne" || name == "transformList";
}

class Parser {
public:
    explicit Parser(std::string_view text) : lexer_(text) { advance(); }

    std::variant<NodePtr, std::string> run() {
        NodePtr node = expression();
        if (node != nullptr && token_.kind != Token::Kind::end) {
            node = fail("an expression goes on where it should end");
        }
        if (node == nullptr) {
            return fmt::format("at {}: {}", fault_at_, fault_);
        }
        return node;
    }

private:
    struct Deeper {
        explicit Deeper(int& depth) : depth_(depth) { ++depth_; }
        ~Deeper() { --depth_; }
        Deeper(const Deeper&) = delete;
        Deeper& operator=(const Deeper&) = delete;
        int& depth_;
    };

    NodePtr fail(std::string why) {
        if (fault_.empty()) {
            fault_ = token_.kind == Token::Kind::fault ? token_.fault : std::move(why);
            fault_at_ = token_.at;
        }
        return nullptr;
    }
    void advance() { token_ = lexer_.next(); }
    bool is(std::string_view sign) const { return token_.kind == Token::Kind::sign && token_.text == sign; }
    bool skip(std::string_view sign) {
        const bool found = is(sign);
        if (found) {
            advance();
        }
        return found;
    }
    static NodePtr make(Form form, std::string_view name) {
        auto node = std::make_unique<Node>();
        node->form = form;
        node->name = name;
        return node;
    }
    template <typename... Parts>
    static NodePtr make(Form form, std::string_view name, Parts... parts) {
        NodePtr node = make(form, name);
        (node->parts.push_back(std::move(parts)), ...);
        return node;
    }

    NodePtr expression() {
        const Deeper deeper(depth_);
        if (depth_ > kDepthMax) {
            return fail("expressions within expressions are too deep");
        }
        NodePtr condition = either();
        if (condition == nullptr || !skip("?")) {
            return condition;
        }
        NodePtr yes = either();
        if (yes == nullptr || !skip(":")) {
            return fail("':' is missing");
        }
        NodePtr no = expression();
        return no == nullptr ? nullptr
                             : make(Form::conditional, "", std::move(condition), std::move(yes), std::move(no));
    }

    NodePtr either() {
        NodePtr left = both();
        while (left != nullptr && skip("||")) {
            NodePtr right = both();
            left = right == nullptr ? nullptr : make(Form::logical, "||", std::move(left), std::move(right));
        }
        return left;
    }

    NodePtr both() {
        NodePtr left = relation();
        while (left != nullptr && skip("&&")) {
            NodePtr right = relation();
            left = right == nullptr ? nullptr : make(Form::logical, "&&", std::move(left), std::move(right));
        }
        return left;
    }

    std::string_view relation_sign() const {
        for (const std::string_view sign : {"==", "!=", "<=", ">=", "<", ">"}) {
            if (is(sign)) {
                return sign;
            }
        }
        return token_.kind == Token::Kind::name && token_.text == "in" ? "in" : "";
    }

    NodePtr relation() {
        NodePtr left = sum();
        while (left != nullptr && !relation_sign().empty()) {
            const std::string name = fmt::format("_{}_", relation_sign());
            advance();
            NodePtr right = sum();
            left = right == nullptr ? nullptr : make(Form::call, name, std::move(left), std::move(right));
        }
        return left;
    }

    NodePtr sum() {
        NodePtr left = product();
        while (left != nullptr && (is("+") || is("-"))) {
            const std::string name = fmt::format("_{}_", token_.text);
            advance();
            NodePtr right = product();
            left = right == nullptr ? nullptr : make(Form::call, name, std::move(left), std::move(right));
        }
        return left;
    }

    NodePtr product() {
        NodePtr left = unary();
        while (left != nullptr && (is("*") || is("/") || is("%"))) {
            const std::string name = fmt::format("_{}_", token_.text);
            advance();
            NodePtr right = unary();
            left = right == nullptr ? nullptr : make(Form::call, name, std::move(left), std::move(right));
        }
        return left;
    }

    NodePtr unary() {
        if (!is("!") && !is("-")) {
            return member();
        }
        const Deeper deeper(depth_);
        if (depth_ > kDepthMax) {
            return fail("expressions within expressions are too deep");
        }
        const std::string name = is("!") ? "!_" : "-_";
        advance();
        NodePtr inner = unary();
        return inner == nullptr ? nullptr : make(Form::call, name, std::move(inner));
    }

    NodePtr member() {
        NodePtr node = primary();
        for (int links = 0; node != nullptr; ++links) {
            if (links > kDepthMax) {
                return fail("expressions within expressions are too deep");
            }
            if (is(".") || is(".?")) {
                const bool optional = is(".?");
                advance();
                node = after_dot(std::move(node), optional);
            } else if (is("[") || is("[?")) {
                const bool optional = is("[?");
                advance();
                NodePtr index = expression();
                if (index == nullptr || !skip("]")) {
                    return fail("']' is missing");
                }
                node = make(Form::index, "", std::move(node), std::move(index));
                node->optional = optional;
            } else {
                return node;
            }
        }
        return node;
    }

    NodePtr after_dot(NodePtr object, bool optional) {
        if (token_.kind != Token::Kind::name) {
            return fail("a name is missing");
        }
        const std::string name(token_.text);
        advance();
        if (optional || !skip("(")) {
            NodePtr node = make(Form::field, name, std::move(object));
            node->optional = optional;
            return node;
        }
        if (object->form == Form::name && object->name == "cel" && name == "bind") {
            return bind();
        }
        if (is_loop(name)) {
            return loop(std::move(object), name);
        }
        if (object->form == Form::name && (object->name == "optional" || object->name == "sets" ||
                                           object->name == "ip" || object->name == "strings")) {
            NodePtr call = make(Form::call, fmt::format("{}.{}", object->name, name));
            return arguments(std::move(call));
        }
        NodePtr node = make(Form::method, name, std::move(object));
        return arguments(std::move(node));
    }

    NodePtr arguments(NodePtr node) {
        if (skip(")")) {
            return node;
        }
        do {
            NodePtr part = expression();
            if (part == nullptr) {
                return nullptr;
            }
            node->parts.push_back(std::move(part));
        } while (skip(","));
        return skip(")") ? std::move(node) : fail("')' is missing");
    }

    static bool is_name(const NodePtr& node) { return node->form == Form::name; }

    NodePtr bind() {
        NodePtr node = arguments(make(Form::bind, "bind"));
        if (node == nullptr || node->parts.size() != 3 || !is_name(node->parts[0])) {
            return fail("cel.bind takes a name, a value and an expression");
        }
        node->variable = node->parts[0]->name;
        node->parts.erase(node->parts.begin());
        return node;
    }

    NodePtr loop(NodePtr object, const std::string& name) {
        NodePtr node = arguments(make(Form::loop, name == "existsOne" ? "exists_one" : name, std::move(object)));
        const std::size_t given = node == nullptr ? 0 : node->parts.size() - 1;
        if (given < 2 || given > 4 || !is_name(node->parts[1])) {
            return fail(name + " takes a name and an expression");
        }
        node->variable = node->parts[1]->name;
        node->parts.erase(node->parts.begin() + 1);
        const bool maps = name == "map" || name == "transformList";
        const bool two = given >= 3 && is_name(node->parts[1]) && (name != "map" && name != "filter");
        if (two) {
            node->second_variable = node->parts[1]->name;
            node->parts.erase(node->parts.begin() + 1);
        }
        const std::size_t expressions = node->parts.size() - 1;
        if (expressions != 1 && !(maps && expressions == 2)) {
            return fail(name + " takes a name and an expression");
        }
        if (name == "transformList") {
            if (!two) {
                return fail("transformList takes two names");
            }
            node->name = "map";
        }
        return node;
    }

    NodePtr primary() {
        if (token_.kind == Token::Kind::literal) {
            NodePtr node = make(Form::literal, "");
            node->value = std::move(token_.value);
            advance();
            return node;
        }
        if (skip("(")) {
            NodePtr node = expression();
            return node != nullptr && skip(")") ? std::move(node) : fail("')' is missing");
        }
        if (skip("[")) {
            return list();
        }
        if (is("{")) {
            return fail("maps are not supported");
        }
        skip(".");
        return token_.kind == Token::Kind::name ? named() : fail("an expression is missing");
    }

    NodePtr list() {
        NodePtr node = make(Form::list, "");
        while (!skip("]")) {
            NodePtr part = expression();
            if (part == nullptr) {
                return nullptr;
            }
            node->parts.push_back(std::move(part));
            if (!skip(",") && !is("]")) {
                return fail("']' is missing");
            }
        }
        return node;
    }

    NodePtr named() {
        const std::string name(token_.text);
        advance();
        if (name == "true" || name == "false" || name == "null") {
            NodePtr node = make(Form::literal, "");
            if (name != "null") {
                node->value = {name == "true"};
            }
            return node;
        }
        if (name == "in") {
            return fail("an expression is missing");
        }
        if (!skip("(")) {
            return make(Form::name, name);
        }
        NodePtr node = arguments(make(Form::call, name));
        if (node != nullptr && name == "has") {
            if (node->parts.size() != 1 || node->parts[0]->form != Form::field || node->parts[0]->optional) {
                return fail("has() takes a field");
            }
            node->form = Form::has;
        }
        return node;
    }

    Lexer lexer_;
    Token token_;
    std::string fault_;
    std::size_t fault_at_ = 0;
    int depth_ = 0;
};

}  // namespace

std::variant<NodePtr, std::string> parse(std::string_view expression) {
    if (expression.size() > kBytesMax) {
        return fmt::format("an expression is longer than {} bytes", kBytesMax);
    }
    return Parser(expression).run();
}

}  // namespace bayplan::cel
