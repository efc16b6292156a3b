// Texts to objects: JSON and YAML, Lists, several documents, and what cannot be read.
#include "objects_in_text.h"

#include <gmock/gmock.h>

namespace bayplan::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Each object as "kind: rendering", and the faults.
struct Read {
    explicit Read(std::string text) {
        text.reserve(text.size() + kTextPadding);
        std::vector<ObjectFault> found;
        read_objects(
            text, "f",
            [this](const ReadObject& object) {
                objects.push_back(std::string(object.kind) + ": " + render(object.value));
            },
            found);
        for (const ObjectFault& fault : found) {
            faults.push_back(fault.to_string());
        }
    }
    static std::string render(const Value& value) {
        std::string out;
        switch (value.kind()) {
            case Value::Kind::list:
                for (const Value& item : value.items()) {
                    out += (out.empty() ? "" : ",") + render(item);
                }
                return "[" + out + "]";
            case Value::Kind::object:
                for (const Member& member : value.members()) {
                    out += (out.empty() ? "" : ",") + std::string(member.name) + "=" + render(member.value);
                }
                return "{" + out + "}";
            case Value::Kind::absent: return "~";
            case Value::Kind::number: return "#" + std::string(value.text());
            case Value::Kind::boolean: return "!" + std::string(value.text());
            case Value::Kind::text: return "'" + std::string(value.text()) + "'";
        }
        return out;
    }
    std::vector<std::string> objects;
    std::vector<std::string> faults;
};

TEST(Documents, JsonKeepsTheSpellingOfNumbers) {
    const Read read(R"( {"kind":"X","a":0.50,"b":[1 , 1E3],"c":true,"d":null,"e":"\u00e9\n","f":{}} )");
    EXPECT_THAT(read.objects, ElementsAre("X: {kind='X',a=#0.50,b=[#1,#1E3],c=!true,d=~,e='é\n',f={}}"));
    EXPECT_THAT(read.faults, IsEmpty());
}

TEST(Documents, JsonListsWhereverTheirKindStands) {
    for (const std::string text : {R"({"kind":"List","items":[{"kind":"A"},{"kind":"B","x":1}]})",
                                   R"({"items":[{"kind":"A"},{"kind":"B","x":1}],"kind":"List","metadata":{}})",
                                   R"([{"kind":"A"},{"kind":"B","x":1}])", R"({"items":[{"kind":"A"},{"kind":"B",
        "x":1}]})",
                                   "{\"kind\":\"A\"}\n{\"kind\":\"B\",\"x\":1}",
                                   R"({"kind":"A"}{"kind":"List","items":[{"kind":"B","x":1}]})"}) {
        const Read read(text);
        EXPECT_THAT(read.objects, ElementsAre("A: {kind='A'}", "B: {kind='B',x=#1}")) << text;
        EXPECT_THAT(read.faults, IsEmpty()) << text;
    }
}

TEST(Documents, ItemsOfATypedListAreOfItsKind) {
    EXPECT_THAT(Read(R"({"kind":"PodList","items":[{"a":1}]})").objects, ElementsAre("Pod: {a=#1}"));
    EXPECT_THAT(Read("kind: NodeList\nitems:\n- a: 1\n").objects, ElementsAre("Node: {a=#1}"));
    EXPECT_THAT(Read(R"({"kind":"List","items":[]})").objects, IsEmpty());
}

TEST(Documents, ManagedFieldsAreNotRead) {
    EXPECT_THAT(Read(R"({"kind":"A","managedFields":[{"x":{"y":1}}],"z":1})").objects,
                ElementsAre("A: {kind='A',z=#1}"));
}

TEST(Documents, BracketsInTextsEndNothing) {
    const Read read(R"({"kind":"A","a":"} {","b":"\"}{"})"
                    "\n"
                    R"({"kind":"B"})");
    EXPECT_THAT(read.objects, ElementsAre(R"(A: {kind='A',a='} {',b='"}{'})", "B: {kind='B'}"));
    EXPECT_THAT(read.faults, IsEmpty());
}

TEST(Documents, BrokenJsonIsAFaultAndTheNextDocumentIsRead) {
    const Read torn(R"({"kind":"List","items":[{"kind":"A"})");
    EXPECT_THAT(torn.faults, ElementsAre(HasSubstr("is not valid JSON")));
    const Read part(
        "{\"kind\":\"List\",\"items\":[{\"kind\":\"A\"},\n{\"kind\":\"B\",\"x\":tru},"
        "{\"kind\":\"C\"}]}\n{\"kind\":\"D\"}");
    EXPECT_THAT(part.objects, ElementsAre("A: {kind='A'}", "D: {kind='D'}"));
    EXPECT_THAT(part.faults, ElementsAre(HasSubstr("f: item 2: is not valid JSON")));
    EXPECT_THAT(Read(R"({"kind":"A","x":01})").faults, ElementsAre(HasSubstr("is not valid JSON")));
    EXPECT_THAT(Read("{\"kind\":\"\xff\"}").faults, ElementsAre(HasSubstr("is not valid JSON")));
    EXPECT_THAT(Read(R"({"kind":"A","x":n"s"})").faults, ElementsAre(HasSubstr("is not valid JSON")));
    EXPECT_THAT(Read(R"({"kind":"A","x":nul})").faults, ElementsAre(HasSubstr("is not valid JSON")));
    using namespace std::string_literals;
    EXPECT_THAT(Read("{\"kind\":\0\"A\",\"x{\"y\":1}"s).faults, ElementsAre(HasSubstr("is not valid JSON")));
    EXPECT_THAT(Read("").faults, ElementsAre("f: is empty"));
    EXPECT_THAT(Read(" \n").faults, ElementsAre("f: is empty"));
}

TEST(Documents, DepthIsBounded) {
    std::string deep = R"({"kind":"A","x":)";
    std::string yaml = "kind: A\nx: ";
    for (int level = 0; level < 150; ++level) {
        deep += "[";
        yaml += "[";
    }
    for (int level = 0; level < 150; ++level) {
        deep += "]";
        yaml += "]";
    }
    EXPECT_THAT(Read(deep + "}").faults, ElementsAre(HasSubstr("is not valid JSON")));
    EXPECT_THAT(Read(yaml).faults, ElementsAre("f:2: is not valid YAML: more than 100 levels deep"));
}

TEST(Documents, ItemsThatAreNoObjects) {
    const Read read(R"({"kind":"List","items":[7,{"kind":"A"},null]})");
    EXPECT_THAT(read.objects, ElementsAre("A: {kind='A'}"));
    EXPECT_THAT(read.faults,
                ElementsAre("f: item 1: is a number, not an object", "f: item 3: is nothing, not an object"));
    EXPECT_THAT(Read("just text").faults, ElementsAre("f: is a text, not an object"));
    EXPECT_THAT(Read("kind: List\nitems: 7\n").faults, ElementsAre("f: items: is a number, not a list"));
}

TEST(Documents, YamlScalarsAreWhatKubernetesTakesThemFor) {
    const Read read(
        "kind: X\na: 0.50\nb: '0.50'\nc: yes\nd: \"yes\"\ne: ~\nf:\ng: 1Gi\nh: -1e3\ni: [1, "
        "x]\nj: {k: v}\nl: 1.2.3\nm: |\n  two\n  lines\n");
    EXPECT_THAT(read.objects,
                ElementsAre("X: {kind='X',a=#0.50,b='0.50',c=!true,d='yes',e=~,f=~,g='1Gi',h=#-1e3,i=[#1,'x'],"
                            "j={k='v'},"
                            "l='1.2.3',m='two\nlines\n'}"));
}

TEST(Documents, YamlDocumentsListsAndAliases) {
    const Read read(
        "---\nkind: A\n---\n# nothing here\n---\nkind: List\nitems:\n"
        "- kind: B\n  x: &here {y: 1}\n  z: *here\n- kind: C\n...\n");
    EXPECT_THAT(read.objects, ElementsAre("A: {kind='A'}", "B: {kind='B',x={y=#1},z={y=#1}}", "C: {kind='C'}"));
    EXPECT_THAT(read.faults, IsEmpty());
}

TEST(Documents, BrokenYamlNamesItsLine) {
    const Read read("kind: A\n---\nkind: [B\n");
    EXPECT_THAT(read.objects, ElementsAre("A: {kind='A'}"));
    ASSERT_EQ(read.faults.size(), 1u);
    EXPECT_THAT(read.faults[0], ::testing::MatchesRegex("f:[0-9]+: is not valid YAML: .*"));
    EXPECT_THAT(Read("kind: A\n---\n, kind: B\n").faults,
                ElementsAre("f:3: is not valid YAML: nothing can start here"));
}

TEST(Documents, JsonAndYamlGiveTheSameTree) {
    const Read json(R"({"kind":"Pod","metadata":{"labels":{"a":"1"}},"spec":{"containers":[{"n":1,"b":false}]}})");
    const Read yaml("kind: Pod\nmetadata:\n  labels:\n    a: '1'\nspec:\n  containers:\n  - n: 1\n    b: false\n");
    EXPECT_EQ(json.objects, yaml.objects);
}

TEST(Times, AreSecondsSince1970) {
    EXPECT_EQ(parse_time("1970-01-01T00:00:00Z"), 0);
    EXPECT_EQ(parse_time("2026-02-28T23:59:59.123456Z"), 1'772'323'199);
    EXPECT_EQ(parse_time("2026-03-01T01:59:59+02:00"), 1'772'323'199);
    EXPECT_EQ(parse_time("2024-02-29T00:00:00-01:30"), 1'709'170'200);
    for (const std::string_view text :
         {"", "2026", "2026-02-30T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:00:00", "2026-01-01 00:00",
          "2026-01-01T00:00:00+2", "x026-01-01T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-01T00:00:00Zx",
          "-026-01-01T00:00:00Z"}) {
        EXPECT_FALSE(parse_time(text).has_value()) << text;
    }
}

}  // namespace
}  // namespace bayplan::kube
