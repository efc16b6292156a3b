// Compiled selectors of devices, each expression once, and their verdicts on the devices of a slice.
//
// Thread: the engine's. A selector is kept by the plans and slices that hold it; the table lets go of all once it has many.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/text_table.h"
#include "bayplan/resource_claims.h"
#include "cel/selector.h"

namespace bayplan {

// An expression, compiled or faulty.
struct DeviceSelector {
    std::shared_ptr<const cel::Selector> selector;  // null: it does not compile
    std::string fault;                              // "CEL compile error: ..."
};

class DeviceSelectors {
public:
    explicit DeviceSelectors(const TextTable& texts) : texts_(texts) {}
    // Of each expression of the list, whose pieces are joined.
    std::vector<std::shared_ptr<const DeviceSelector>> compiled(const Selectors&);

private:
    std::shared_ptr<const DeviceSelector> compiled_once(const std::string& expression);

    static constexpr std::size_t kMost = 4'096;

    const TextTable& texts_;
    boost::unordered_flat_map<std::string, std::shared_ptr<const DeviceSelector>> compiled_;
};

// The answer of one selector for one device.
struct DeviceVerdict {
    bool matches = false;
    const std::string* error = nullptr;  // "CEL runtime error: ..."; null: none
};

// Of one slice. Selectors are asked when they are first needed; a fault of an expression is an error on every device.
class DeviceVerdicts {
public:
    DeviceVerdict of(const std::shared_ptr<const DeviceSelector>&, const ResourceSlice&, std::size_t device,
                     const TextTable&);

private:
    static constexpr std::size_t kMost = 256;  // selectors; then they are asked anew
    enum class Said : std::uint8_t { nothing, no, yes, error };
    struct OfSelector {
        std::shared_ptr<const DeviceSelector> selector;  // stays, so that its address is not used again
        std::vector<Said> said;
        boost::unordered_flat_map<std::size_t, std::string> errors;
    };
    boost::unordered_flat_map<const DeviceSelector*, OfSelector> kept_;
};

}  // namespace bayplan
