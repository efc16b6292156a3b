// Runs flatc and reads the schemas it reflects. See schema_tool.h.
#include "schema_tool.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <flatbuffers/reflection.h>
#include <fmt/format.h>

namespace bayplan::wire {
namespace {

namespace fs = std::filesystem;

struct Outcome {
    int status = 0;
    std::string output;
};

std::string content_of(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

Outcome run_flatc(const std::string& arguments) {
    ScratchDirectory scratch;
    const fs::path log = scratch.path() / "log";
    const std::string command = fmt::format("'{}' {} >'{}' 2>&1", BAYPLAN_FLATC, arguments, log.string());
    const int status = std::system(command.c_str());
    return {status, content_of(log)};
}

std::string reflected(const fs::path& directory, const std::string& file) {
    ScratchDirectory scratch;
    const Outcome outcome =
        run_flatc(fmt::format("--binary --schema -o '{}' '{}'", scratch.path().string(), (directory / file).string()));
    if (outcome.status != 0) {
        throw std::runtime_error(outcome.output);
    }
    return content_of((scratch.path() / file).replace_extension("bfbs"));
}

class Comparison {
public:
    Comparison(const reflection::Schema& earlier, const reflection::Schema& later) : earlier_(earlier), later_(later) {}

    std::vector<std::string> faults() {
        for (const reflection::Object* object : *earlier_.objects()) {
            compare(*object, later_.objects()->LookupByKey(object->name()->c_str()));
        }
        for (const reflection::Enum* enumeration : *earlier_.enums()) {
            compare(*enumeration, later_.enums()->LookupByKey(enumeration->name()->c_str()));
        }
        if (earlier_.file_ident()->str() != later_.file_ident()->str()) {
            faults_.push_back("the file identifier changed");
        }
        return std::move(faults_);
    }

private:
    template <class... Arguments>
    void fault(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        faults_.push_back(fmt::format(format, std::forward<Arguments>(arguments)...));
    }

    void compare(const reflection::Object& earlier, const reflection::Object* later) {
        const std::string name = earlier.name()->str();
        if (later == nullptr) {
            return fault("{} is gone", name);
        }
        if (earlier.is_struct() != later->is_struct()) {
            return fault("{} is a struct in one and a table in the other", name);
        }
        if (earlier.is_struct() &&
            (earlier.bytesize() != later->bytesize() || earlier.minalign() != later->minalign())) {
            fault("struct {} changed its size", name);
        }
        for (const reflection::Field* field : *earlier.fields()) {
            compare(name, *field, later->fields()->LookupByKey(field->name()->c_str()));
        }
        for (const reflection::Field* field : *later->fields()) {
            const bool added = earlier.fields()->LookupByKey(field->name()->c_str()) == nullptr;
            if (added && field->required()) {
                fault("{}.{} is new and required", name, field->name()->str());
            }
        }
    }

    void compare(const std::string& object, const reflection::Field& earlier, const reflection::Field* later) {
        const std::string name = object + "." + earlier.name()->str();
        if (later == nullptr) {
            return fault("{} is gone", name);
        }
        if (earlier.id() != later->id() || earlier.offset() != later->offset()) {
            fault("{} changed its place", name);
        }
        if (type_of(earlier_, *earlier.type()) != type_of(later_, *later->type())) {
            fault("{} changed its type", name);
        }
        if (earlier.default_integer() != later->default_integer() || earlier.default_real() != later->default_real()) {
            fault("{} changed its default", name);
        }
        if (earlier.required() != later->required()) {
            fault("{} changed whether it is required", name);
        }
        if (earlier.deprecated() && !later->deprecated()) {
            fault("{} is no longer deprecated", name);
        }
    }

    // Indices of objects and enums differ between schemas, names do not.
    static std::string type_of(const reflection::Schema& schema, const reflection::Type& type) {
        std::string text = fmt::format("{}/{}", static_cast<int>(type.base_type()), static_cast<int>(type.element()));
        const auto kind = type.base_type() == reflection::Vector ? type.element() : type.base_type();
        if (type.index() >= 0) {
            const auto index = static_cast<flatbuffers::uoffset_t>(type.index());
            text += kind == reflection::Obj ? schema.objects()->Get(index)->name()->str()
                                            : schema.enums()->Get(index)->name()->str();
        }
        return text;
    }

    void compare(const reflection::Enum& earlier, const reflection::Enum* later) {
        const std::string name = earlier.name()->str();
        if (later == nullptr) {
            return fault("{} is gone", name);
        }
        if (earlier.underlying_type()->base_type() != later->underlying_type()->base_type()) {
            fault("{} changed its type", name);
        }
        for (const reflection::EnumVal* value : *earlier.values()) {
            const reflection::EnumVal* same = later->values()->LookupByKey(value->value());
            if (same == nullptr || same->name()->str() != value->name()->str()) {
                fault("{}.{} is gone or has another number", name, value->name()->str());
            }
        }
    }

    const reflection::Schema& earlier_;
    const reflection::Schema& later_;
    std::vector<std::string> faults_;
};

}  // namespace

ScratchDirectory::ScratchDirectory() {
    std::string name = (fs::temp_directory_path() / ("schema-test-" + std::string(6, 'X'))).string();
    if (mkdtemp(name.data()) == nullptr) {
        throw std::runtime_error("no scratch directory");
    }
    path_ = name;
}

ScratchDirectory::~ScratchDirectory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

std::string conform_fault(const fs::path& earlier, const fs::path& later, const std::string& file) {
    const Outcome outcome =
        run_flatc(fmt::format("--conform '{}' --conform-includes '{}' '{}'", (earlier / file).string(),
                              earlier.string(), (later / file).string()));
    return outcome.status == 0 ? "" : "flatc: " + outcome.output;
}

std::vector<std::string> reflection_faults(const fs::path& earlier, const fs::path& later, const std::string& file) {
    const std::string before = reflected(earlier, file);
    const std::string after = reflected(later, file);
    return Comparison(*reflection::GetSchema(before.data()), *reflection::GetSchema(after.data())).faults();
}

}  // namespace bayplan::wire
