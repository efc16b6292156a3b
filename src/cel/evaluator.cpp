// Evaluating a checked expression on one device, and compiling it. See selector.h.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cel/checker.h"
#include "cel/device_maps.h"
#include "cel/device_reads.h"
#include "cel/functions.h"
#include "cel/selector.h"

namespace bayplan::cel {

namespace {

constexpr std::uint64_t kCostMax = 1'000'000;

Result no_overload() { return Result::failed(std::string(kNoOverload)); }
class Evaluator {
public:
    explicit Evaluator(const DeviceView& device) : device_(device) {}

    Result run(const Node& node) {
        if (++cost_ > kCostMax) {
            return Result::failed("actual cost limit exceeded");
        }
        switch (node.form) {
            case Form::literal: return node.value;
            case Form::name: return name(node);
            case Form::field: return field(node);
            case Form::index: return index(node);
            case Form::call:
            case Form::method: return call(node);
            case Form::list: return list(node);
            case Form::has: return has(*node.parts[0]);
            case Form::conditional: return conditional(node);
            case Form::logical: return logical(node);
            case Form::loop: return loop(node);
            case Form::bind: return bind(node);
        }
        return no_overload();
    }

private:
    Result name(const Node& node) {
        for (std::size_t at = variables_.size(); at-- > 0;) {
            if (variables_[at].first == node.name) {
                return variables_[at].second;
            }
        }
        return node.name == "device" ? Value{DeviceRoot{&device_}} : Value{TypeName{node.name}};
    }

    Result of_device(const std::string& field) const {
        if (field == "driver") {
            return Value{std::string(device_.driver)};
        }
        if (field == "allowMultipleAllocations") {
            return Value{false};
        }
        return Value{DeviceMap{&device_, field == "capacity", false, {}}};
    }

    // Of an object that is there. None: the key is not there.
    Result select(const Value& object, const Value& key) const {
        if (object.kind() == Kind::map && key.kind() == Kind::text) {
            return look_up(object.as<DeviceMap>(), key.as<std::string>());
        }
        if (object.kind() == Kind::list && key.kind() == Kind::integer) {
            const Values& all = *object.as<std::shared_ptr<const Values>>();
            const auto at = key.as<std::int64_t>();
            return at < 0 || at >= static_cast<std::int64_t>(all.size())
                       ? Result::failed(fmt::format("index out of bounds: {}", at))
                       : Result(all[static_cast<std::size_t>(at)]);
        }
        return no_overload();
    }

    Result selected(const Node& node, const Value& object, const Value& key) const {
        if (object.kind() == Kind::device) {
            const Result found = of_device(key.as<std::string>());
            return node.optional ? Result(Value{Optional{std::make_shared<const Value>(found.value)}}) : found;
        }
        const bool was_optional = object.kind() == Kind::optional;
        if (!node.optional && !was_optional) {
            return select(object, key);
        }
        if (was_optional && object.as<Optional>().value == nullptr) {
            return object;
        }
        const Value& inside = was_optional ? *object.as<Optional>().value : object;
        if (inside.kind() == Kind::map && key.kind() == Kind::text &&
            !has_key(inside.as<DeviceMap>(), key.as<std::string>())) {
            return Value{Optional{}};
        }
        Result found = select(inside, key);
        return found.error ? found : Result(Value{Optional{std::make_shared<const Value>(std::move(found.value))}});
    }

    Result field(const Node& node) {
        Result object = run(*node.parts[0]);
        return object.error ? object : selected(node, object.value, Value{node.name});
    }

    Result index(const Node& node) {
        Result object = run(*node.parts[0]);
        if (object.error) {
            return object;
        }
        Result key = run(*node.parts[1]);
        return key.error ? key : selected(node, object.value, key.value);
    }

    Result has(const Node& field) {
        Result object = run(*field.parts[0]);
        if (object.error) {
            return object;
        }
        switch (object.value.kind()) {
            case Kind::map: return Value{has_key(object.value.as<DeviceMap>(), field.name)};
            case Kind::device: return Value{true};
            case Kind::optional: {
                const auto& inside = object.value.as<Optional>().value;
                if (inside == nullptr) {
                    return Value{false};
                }
                return inside->kind() == Kind::map ? Result(Value{has_key(inside->as<DeviceMap>(), field.name)})
                                                   : no_overload();
            }
            default: return no_overload();
        }
    }

    static bool fits(const Overload& row, Arguments arguments) {
        for (std::size_t at = 0; at < row.takes.size(); ++at) {
            if (row.takes[at] != Kind::dynamic && row.takes[at] != arguments[at].kind()) {
                return false;
            }
        }
        return row.takes.size() == arguments.size();
    }

    // Work that grows with what the arguments hold.
    void charge(Arguments arguments) {
        for (const Value& one : arguments) {
            if (one.kind() == Kind::text) {
                cost_ += one.as<std::string>().size() / 16;
            } else if (one.kind() == Kind::list) {
                cost_ += one.as<std::shared_ptr<const Values>>()->size();
            }
        }
    }

    Result call(const Node& node) {
        Values arguments;
        for (const NodePtr& part : node.parts) {
            Result result = run(*part);
            if (result.error) {
                return result;
            }
            arguments.push_back(std::move(result.value));
        }
        charge(arguments);
        if (cost_ > kCostMax) {
            return Result::failed("actual cost limit exceeded");
        }
        if (node.name == "size" && arguments.size() == 1 && arguments[0].kind() == Kind::map) {
            return Value{static_cast<std::int64_t>(keys_of(arguments[0].as<DeviceMap>()).size())};
        }
        if (node.name == "_in_" && arguments[1].kind() == Kind::map) {
            return arguments[0].kind() == Kind::text
                       ? Result(Value{has_key(arguments[1].as<DeviceMap>(), arguments[0].as<std::string>())})
                       : Result(Value{false});
        }
        for (const Overload* const row : overloads_of(node.name, node.form == Form::method)) {
            if (fits(*row, arguments)) {
                return row->run(arguments);
            }
        }
        return no_overload();
    }

    Result list(const Node& node) {
        Values all;
        for (const NodePtr& part : node.parts) {
            Result result = run(*part);
            if (result.error) {
                return result;
            }
            all.push_back(std::move(result.value));
        }
        return list_of(std::move(all));
    }

    Result conditional(const Node& node) {
        Result condition = run(*node.parts[0]);
        if (condition.error) {
            return condition;
        }
        if (condition.value.kind() != Kind::boolean) {
            return no_overload();
        }
        return run(*node.parts[condition.value.as<bool>() ? 1 : 2]);
    }

    static Result as_bool(Result result) {
        return !result.error && result.value.kind() != Kind::boolean ? no_overload() : result;
    }

    // An error of one side is nothing if the other side decides.
    Result logical(const Node& node) {
        const bool deciding = node.name == "||";
        Result left = as_bool(run(*node.parts[0]));
        if (!left.error && left.value.as<bool>() == deciding) {
            return left;
        }
        Result right = as_bool(run(*node.parts[1]));
        if (!right.error && right.value.as<bool>() == deciding) {
            return right;
        }
        return left.error ? left : right;
    }

    Result bind(const Node& node) {
        Result value = run(*node.parts[0]);
        if (value.error) {
            return value;
        }
        variables_.emplace_back(node.variable, std::move(value.value));
        Result result = run(*node.parts[1]);
        variables_.pop_back();
        return result;
    }

    // --- loops

    struct Turn {
        Value first;
        Value second;  // of a loop with two variables
    };

    std::optional<std::vector<Turn>> turns_of(const Node& node, const Value& range) const {
        std::vector<Turn> turns;
        const bool two = !node.second_variable.empty();
        if (range.kind() == Kind::list) {
            const Values& all = *range.as<std::shared_ptr<const Values>>();
            for (std::size_t at = 0; at < all.size(); ++at) {
                turns.push_back(two ? Turn{Value{static_cast<std::int64_t>(at)}, all[at]} : Turn{all[at], {}});
            }
            return turns;
        }
        if (range.kind() != Kind::map) {
            return std::nullopt;
        }
        for (std::string& key : keys_of(range.as<DeviceMap>())) {
            Value second = two ? look_up(range.as<DeviceMap>(), key).value : Value();
            turns.push_back({Value{std::move(key)}, std::move(second)});
        }
        return turns;
    }

    Result in_turn(const Node& node, const Turn& turn, const Node& body) {
        variables_.emplace_back(node.variable, turn.first);
        if (!node.second_variable.empty()) {
            variables_.emplace_back(node.second_variable, turn.second);
        }
        Result result = run(body);
        variables_.resize(variables_.size() - (node.second_variable.empty() ? 1 : 2));
        return result;
    }

    Result loop(const Node& node) {
        const Result range = run(*node.parts[0]);
        if (range.error) {
            return range;
        }
        const std::optional<std::vector<Turn>> turns = turns_of(node, range.value);
        if (!turns) {
            return no_overload();
        }
        if (node.name == "all" || node.name == "exists") {
            return until_decided(node, *turns, node.name == "exists");
        }
        return node.name == "exists_one" ? exactly_one(node, *turns) : collected(node, *turns);
    }

    Result until_decided(const Node& node, const std::vector<Turn>& turns, bool deciding) {
        Result outcome = Value{!deciding};
        for (const Turn& turn : turns) {
            Result one = as_bool(in_turn(node, turn, *node.parts[1]));
            if (!one.error && one.value.as<bool>() == deciding) {
                return one;
            }
            if (one.error) {
                outcome = std::move(one);
            }
        }
        return outcome;
    }

    Result exactly_one(const Node& node, const std::vector<Turn>& turns) {
        std::size_t count = 0;
        for (const Turn& turn : turns) {
            const Result one = as_bool(in_turn(node, turn, *node.parts[1]));
            if (one.error) {
                return one;
            }
            count += one.value.as<bool>() ? 1 : 0;
        }
        return Value{count == 1};
    }

    Result collected(const Node& node, const std::vector<Turn>& turns) {
        Values all;
        const bool tests = node.name == "filter" || node.parts.size() == 3;
        for (const Turn& turn : turns) {
            if (tests) {
                const Result one = as_bool(in_turn(node, turn, *node.parts[1]));
                if (one.error) {
                    return one;
                }
                if (!one.value.as<bool>()) {
                    continue;
                }
            }
            Result value = node.name == "filter" ? Result(turn.first) : in_turn(node, turn, *node.parts.back());
            if (value.error) {
                return value;
            }
            all.push_back(std::move(value.value));
        }
        return list_of(std::move(all));
    }

    const DeviceView& device_;
    std::vector<std::pair<std::string, Value>> variables_;
    std::uint64_t cost_ = 0;
};

class CheckedSelector final : public Selector {
public:
    explicit CheckedSelector(NodePtr root) : root_(std::move(root)), reads_(reads_of(*root_)) {}

    Outcome evaluate(const DeviceView& device) const override {
        const Result result = Evaluator(device).run(*root_);
        if (result.error) {
            return {Outcome::Kind::error, *result.error};
        }
        if (result.value.kind() != Kind::boolean) {
            return {Outcome::Kind::error,
                    fmt::format("expression did not evaluate to bool but to {}", name_of(result.value.kind()))};
        }
        return {result.value.as<bool>() ? Outcome::Kind::yes : Outcome::Kind::no, {}};
    }

    const DeviceReads& reads() const override { return reads_; }

private:
    const NodePtr root_;
    const DeviceReads reads_;
};

}  // namespace

Selector::Compiled Selector::compile(std::string_view expression) {
    auto parsed = parse(expression);
    if (std::string* const fault = std::get_if<std::string>(&parsed)) {
        return std::move(*fault);
    }
    NodePtr root = std::move(std::get<NodePtr>(parsed));
    if (std::string fault = check(*root); !fault.empty()) {
        return fault;
    }
    return std::make_shared<const CheckedSelector>(std::move(root));
}

}  // namespace bayplan::cel
