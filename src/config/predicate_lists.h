// White-lists of predicates: a setting of a partition, or an option of the command line that stands above
// it. Either way an unknown name is answered with the known ones.
//
// Thread: any.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/fault.h"
#include "config/setting_values.h"

namespace bayplan::config {

// At least one name: "no predicate" and "all" must not look alike.
std::optional<std::vector<std::string>> read_predicates(const YamlNode&, const std::string& path, ReadContext&);
// "" for an empty list, which means not given.
std::string print_predicates(const std::vector<std::string>&);

template <class Owner, class Value>
Setting<Owner> predicate_list(std::string_view name, Member<Owner, Value> member, std::string_view doc) {
    return value(name, member, "a predicate or a list of predicates", doc, read_predicates, print_predicates);
}

// Lists given on the command line; nothing = the configuration's stay.
struct PredicateOverrides {
    std::optional<std::vector<std::string>> predicates;              // --predicates
    std::optional<std::vector<std::string>> reservation_predicates;  // --reservation-predicates
};

// Of every partition. Faults name the option, with the program's name in the place of a file.
void override_predicates(const PredicateOverrides&, const std::string& program, Config&, Faults&);

}  // namespace bayplan::config
