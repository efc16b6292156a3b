// Selectors of devices: CEL expressions over one device, as Kubernetes 1.35 has them in device classes and claims.
// The parts of CEL that there are, and those refused by name, are in README.md.
//
// Thread: a compiled selector is immutable; evaluate() from any thread. Errors: texts, in the words of Kubernetes where
// they are compared.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace bayplan::cel {

enum class ValueType : std::uint8_t { text = 1, number = 2, boolean = 3, version = 4 };

struct Attribute {
    std::string_view name;  // "domain/id", or "id" alone: of the driver's own domain
    ValueType type = ValueType::text;
    std::string_view text;    // of a text or a version
    std::int64_t number = 0;  // of a number; a boolean is 0 or 1
};

struct Capacity {
    std::string_view name;  // as an attribute's
    std::string_view quantity;
};

struct DeviceView {
    std::string_view driver;
    std::span<const Attribute> attributes;
    std::span<const Capacity> capacities;
};

// Attributes and capacities that an expression looks at, besides the driver.
struct DeviceReads {
    struct Name {
        bool capacity = false;  // else an attribute
        std::string domain;
        std::string id;
        bool operator==(const Name&) const = default;
    };
    bool everything = false;  // not only these
    std::vector<Name> names;
};

struct Outcome {
    enum class Kind : std::uint8_t { no, yes, error };
    Kind kind = Kind::no;
    std::string error;  // without "CEL runtime error: "
};

class Selector {
public:
    virtual ~Selector() = default;
    virtual Outcome evaluate(const DeviceView&) const = 0;
    // Two devices of one driver that agree in these have the same outcome.
    virtual const DeviceReads& reads() const = 0;

    // Or the fault, without "CEL compile error: ".
    using Compiled = std::variant<std::shared_ptr<const Selector>, std::string>;
    static Compiled compile(std::string_view expression);
};

}  // namespace bayplan::cel
