// IP addresses and networks. See functions.h.
#include <arpa/inet.h>

#include <charconv>
#include <cstring>

#include "cel/functions.h"

namespace bayplan::cel {

// Named: the rows of several files may be compiled as one, and have short names.
namespace address_rows {

std::optional<Address> parse_address(const std::string& text) {
    Address out;
    if (inet_pton(AF_INET, text.c_str(), out.bytes.data()) == 1 && text.size() == std::strlen(text.c_str())) {
        return out;
    }
    out.six = true;
    const bool sound = inet_pton(AF_INET6, text.c_str(), out.bytes.data()) == 1 && text.find('.') == std::string::npos;
    return sound && text.size() == std::strlen(text.c_str()) ? std::optional(out) : std::nullopt;
}

std::optional<Address> parse_network(const std::string& text) {
    const std::size_t slash = text.find('/');
    std::optional<Address> out = slash == std::string::npos ? std::nullopt : parse_address(text.substr(0, slash));
    if (!out) {
        return std::nullopt;
    }
    const std::string_view digits = std::string_view(text).substr(slash + 1);
    int bits = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
    const bool plain = !digits.empty() && (digits.size() == 1 || digits.front() != '0');
    if (error != std::errc() || end != digits.data() + digits.size() || !plain || bits < 0 ||
        bits > (out->six ? 128 : 32)) {
        return std::nullopt;
    }
    out->bits = bits;
    return out;
}

bool contains(const Address& network, const Address& address) {
    if (network.six != address.six || (address.bits >= 0 && address.bits < network.bits)) {
        return false;
    }
    for (int bit = 0; bit < network.bits; ++bit) {
        const auto byte = static_cast<std::size_t>(bit / 8);
        if (((network.bytes[byte] ^ address.bytes[byte]) >> (7 - bit % 8) & 1) != 0) {
            return false;
        }
    }
    return true;
}

const Address& address(const Value& value) { return value.as<Address>(); }

Result made_address(Arguments a) {
    const std::optional<Address> found = parse_address(a[0].as<std::string>());
    return found ? Result(Value{*found}) : Result::failed("IP Address is invalid: " + a[0].as<std::string>());
}
Result made_network(Arguments a) {
    const std::optional<Address> found = parse_network(a[0].as<std::string>());
    return found ? Result(Value{*found}) : Result::failed("network address is invalid: " + a[0].as<std::string>());
}
Result is_address(Arguments a) { return Value{parse_address(a[0].as<std::string>()).has_value()}; }
Result is_network(Arguments a) { return Value{parse_network(a[0].as<std::string>()).has_value()}; }
Result family(Arguments a) { return Value{std::int64_t{address(a[0]).six ? 6 : 4}}; }
Result prefix(Arguments a) { return Value{std::int64_t{address(a[0]).bits}}; }
Result has(Arguments a) { return Value{contains(address(a[0]), address(a[1]))}; }
Result has_text(Arguments a) {
    const std::optional<Address> found = parse_address(a[1].as<std::string>());
    return found ? Result(Value{contains(address(a[0]), *found)})
                 : Result::failed("IP Address is invalid: " + a[1].as<std::string>());
}
Result has_network_text(Arguments a) {
    const std::optional<Address> found = parse_network(a[1].as<std::string>());
    return found ? Result(Value{contains(address(a[0]), *found)})
                 : Result::failed("network address is invalid: " + a[1].as<std::string>());
}
Result loopback(Arguments a) {
    const Address& one = address(a[0]);
    static constexpr std::array<std::uint8_t, 16> kSix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    return Value{one.six ? one.bytes == kSix : one.bytes[0] == 127};
}
Result unspecified(Arguments a) { return Value{address(a[0]).bytes == std::array<std::uint8_t, 16>{}}; }

}  // namespace address_rows

std::vector<Overload> address_functions() {
    using namespace address_rows;
    constexpr Kind kText = Kind::text;
    constexpr Type kBool{Kind::boolean};
    return {{"ip", false, {kText}, {Kind::address}, made_address},
            {"isIP", false, {kText}, kBool, is_address},
            {"cidr", false, {kText}, {Kind::network}, made_network},
            {"isCIDR", false, {kText}, kBool, is_network},
            {"family", true, {Kind::address}, {Kind::integer}, family},
            {"isLoopback", true, {Kind::address}, kBool, loopback},
            {"isUnspecified", true, {Kind::address}, kBool, unspecified},
            {"prefixLength", true, {Kind::network}, {Kind::integer}, prefix},
            {"containsIP", true, {Kind::network, Kind::address}, kBool, has},
            {"containsIP", true, {Kind::network, kText}, kBool, has_text},
            {"containsCIDR", true, {Kind::network, Kind::network}, kBool, has},
            {"containsCIDR", true, {Kind::network, kText}, kBool, has_network_text}};
}

}  // namespace bayplan::cel
