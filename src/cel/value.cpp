// See value.h.
#include "cel/value.h"

namespace bayplan::cel {

std::string_view name_of(Kind kind) {
    static constexpr std::string_view kNames[] = {"dyn",           "null_type", "bool",     "int",   "uint", "double",
                                                  "string",        "Semver",    "Quantity", "list",  "map",  "type",
                                                  "optional_type", "IP",        "CIDR",     "device"};
    return kNames[static_cast<std::size_t>(kind)];
}

Kind Value::kind() const {
    static constexpr Kind kKinds[] = {Kind::null,    Kind::boolean, Kind::integer, Kind::unsigned_integer,
                                      Kind::real,    Kind::text,    Kind::version, Kind::quantity,
                                      Kind::list,    Kind::map,     Kind::type,    Kind::optional,
                                      Kind::address, Kind::device};
    if (const auto* const address = std::get_if<Address>(&is)) {
        return address->bits < 0 ? Kind::address : Kind::network;
    }
    return kKinds[is.index()];
}

}  // namespace bayplan::cel
