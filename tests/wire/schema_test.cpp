// The schema is an evolution of the last released one, and the checks that say so catch spoilt
// copies.
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "schema_tool.h"

namespace bayplan::wire {
namespace {

namespace fs = std::filesystem;

const fs::path kPresent = BAYPLAN_FBS_DIRECTORY;
const fs::path kBaseline = kPresent / "baseline";
const std::string kRoots[] = {"shim.fbs", "journal.fbs"};

struct Change {
    const char* what;
    const char* file;
    const char* from;
    const char* to;
};

// A copy of the baseline with one change in it.
class Copy {
public:
    explicit Copy(const Change& change) {
        for (const auto& entry : fs::directory_iterator(kBaseline)) {
            fs::copy_file(entry.path(), path() / entry.path().filename());
        }
        std::ifstream in(path() / change.file);
        std::string text(std::istreambuf_iterator<char>(in), {});
        const std::size_t at = text.find(change.from);
        EXPECT_NE(at, std::string::npos) << change.what;
        text.replace(at, std::string_view(change.from).size(), change.to);
        std::ofstream(path() / change.file) << text;
    }

    const fs::path& path() const { return scratch_.path(); }

private:
    ScratchDirectory scratch_;
};

const char* root_of(const Change& change) {
    return std::string_view(change.file) == "journal.fbs" ? "journal.fbs" : "shim.fbs";
}

TEST(Schema, is_an_evolution_of_the_last_released_one) {
    for (const std::string& root : kRoots) {
        EXPECT_EQ(conform_fault(kBaseline, kPresent, root), "");
        EXPECT_EQ(reflection_faults(kBaseline, kPresent, root), std::vector<std::string>());
    }
}

TEST(Schema, the_baseline_has_every_file_of_the_schema) {
    for (const auto& entry : fs::directory_iterator(kBaseline)) {
        EXPECT_TRUE(fs::exists(kPresent / entry.path().filename())) << entry.path();
    }
    for (const std::string& root : kRoots) {
        EXPECT_TRUE(fs::exists(kBaseline / root)) << root;
    }
}

// Changes that flatc --conform finds; a change of a type in an included file is among them.
TEST(Schema, flatc_refuses_changes_of_type_order_number_and_default) {
    const Change changes[] = {
        {"a type", "application.fbs", "queue:uint32;", "queue:uint64;"},
        {"a type of the journal", "journal.fbs", "now_ns:int64;", "now_ns:uint64;"},
        {"a vector's entries", "node.fbs", "images:[Amount];", "images:[Attribute];"},
        {"a field put in front", "allocation.fbs", "table Nack {", "table Nack {\n  code:uint32;"},
        {"two fields swapped", "session.fbs", "  protocol_min:uint32;\n  protocol_max:uint32;",
         "  protocol_max:uint32;\n  protocol_min:uint32;"},
        {"an enumerator's number", "node.fbs", "drain = 3,", "drain = 13,"},
        {"a default", "allocation.fbs", "grace_period_s:int32 = -1;", "grace_period_s:int32;"},
    };
    for (const Change& change : changes) {
        EXPECT_NE(conform_fault(kBaseline, Copy(change).path(), root_of(change)), "") << change.what;
    }
}

TEST(Schema, the_reflected_schemas_show_what_flatc_lets_pass) {
    const Change changes[] = {
        {"the last field removed", "allocation.fbs", "  reason:string;\n", ""},
        {"a field made required", "allocation.fbs", "key:string;", "key:string (required);"},
        {"a new field that is required", "allocation.fbs", "reason:string;",
         "reason:string;\n more:string (required);"},
        {"a field renamed", "allocation.fbs", "reason:string;", "cause:string;"},
        {"a struct that grew", "common.fbs", "value:int64;\n}", "value:int64;\n  more:int64;\n}"},
        {"an enumerator removed", "common.fbs", "  placeholder_replaced = 4,\n", ""},
        {"a member of a union removed", "state.fbs", "  Objects,\n}", "}"},
        {"members of a union swapped", "shim.fbs", "  Hello,\n  HelloReply,", "  HelloReply,\n  Hello,"},
        {"a type", "application.fbs", "queue:uint32;", "queue:int32;"},
        {"a default", "object.fbs", "bytes_max:int64 = -1;", "bytes_max:int64 = -2;"},
        {"the identifier", "journal.fbs", "\"BYJL\"", "\"BYJM\""},
    };
    for (const Change& change : changes) {
        const auto faults = reflection_faults(kBaseline, Copy(change).path(), root_of(change));
        EXPECT_NE(faults, std::vector<std::string>()) << change.what;
    }
}

TEST(Schema, additions_at_the_end_and_deprecation_pass_both) {
    const Change changes[] = {
        {"a field at the end", "allocation.fbs", "}\n\ntable Asks {", "  more:[Attribute];\n}\n\ntable Asks {"},
        {"an enumerator at the end", "common.fbs", "placeholder_replaced = 4,",
         "placeholder_replaced = 4,\n  node_lost = 5,"},
        {"a member of a union at the end", "state.fbs", "  Objects,\n}", "  Objects,\n  Nack,\n}"},
        {"a deprecated field", "allocation.fbs", "scheduler_name:uint32;", "scheduler_name:uint32 (deprecated);"},
        {"a new table", "event.fbs", "table Events {", "table More {\n  id:uint32;\n}\n\ntable Events {"},
    };
    for (const Change& change : changes) {
        const Copy copy(change);
        EXPECT_EQ(conform_fault(kBaseline, copy.path(), root_of(change)), "") << change.what;
        EXPECT_EQ(reflection_faults(kBaseline, copy.path(), root_of(change)), std::vector<std::string>())
            << change.what;
    }
}

}  // namespace
}  // namespace bayplan::wire
