// Texts to objects: JSON and YAML, Lists, several documents, and what cannot be read.
#include "kube/item_stream.h"
#include "objects_in_text.h"

#include <zlib.h>
#include <zstd.h>

#include <gmock/gmock.h>

#include <cstdio>
#include <fstream>
#include <set>

namespace bayplan::kube {
namespace {

using ::testing::AllOf;
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

TEST(Documents, ManagedFieldsOfYamlAreNotReadEither) {
    EXPECT_THAT(
        Read("kind: A\nmetadata:\n  managedFields:\n  - x: {y: [1, 2]}\n  - z\n  name: n\nmanagedFields: *x\nz: 1\n")
            .objects,
        ElementsAre("A: {kind='A',metadata={name='n'},z=#1}"));
}

TEST(Documents, YamlItemsThatAreNoObjectsAreNamedByTheirNumber) {
    const Read read("kind: List\nitems:\n- kind: A\n- 7\n- kind: B\n");
    EXPECT_THAT(read.objects, ElementsAre("A: {kind='A'}", "B: {kind='B'}"));
    EXPECT_THAT(read.faults, ElementsAre("f: item 2: is a number, not an object"));
    EXPECT_THAT(Read("- kind: A\n- kind: B\n").objects, ElementsAre("A: {kind='A'}", "B: {kind='B'}"));
    EXPECT_THAT(Read("kind: List\nitems: []\n").objects, IsEmpty());
    EXPECT_THAT(Read("items:\n- a: 1\n- b: 2\nkind: PodList\n").objects, ElementsAre("Pod: {a=#1}", "Pod: {b=#2}"));
    EXPECT_THAT(Read("kind: Thing\nitems:\n- kind: A\n").objects,
                ElementsAre("Thing: {kind='Thing',items=[{kind='A'}]}"));
    EXPECT_THAT(Read("kind: A\nspec:\n  items:\n  - kind: B\n").objects,
                ElementsAre("A: {kind='A',spec={items=[{kind='B'}]}}"));
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
                ElementsAre("f:3: is not valid YAML: did not find expected node content while parsing a block node"));
    EXPECT_THAT(
        Read("kind: A\nx:\n  - 1\n - 2\n").faults,
        ElementsAre("f:4: is not valid YAML: did not find expected key while parsing a block mapping that begins "
                    "in line 1"));
    EXPECT_THAT(Read("kind: A\nx: *there\n").faults,
                ElementsAre("f:2: is not valid YAML: nothing before is called &there"));
}

TEST(Documents, JsonAndYamlGiveTheSameTree) {
    const Read json(R"({"kind":"Pod","metadata":{"labels":{"a":"1"}},"spec":{"containers":[{"n":1,"b":false}]}})");
    const Read yaml("kind: Pod\nmetadata:\n  labels:\n    a: '1'\nspec:\n  containers:\n  - n: 1\n    b: false\n");
    EXPECT_EQ(json.objects, yaml.objects);
}

TEST(Documents, YamlMayStandInBraces) {
    for (const char* const text : {"{kind: Pod, spec: {a: [1]}}", " \n{ kind: Pod, spec: {a: [1]} }\n",
                                   "[{kind: Pod, spec: {a: [1]}}]", "{'kind': Pod, spec: {a: [1]}}"}) {
        const Read read(text);
        EXPECT_THAT(read.objects, ElementsAre("Pod: {kind='Pod',spec={a=[#1]}}")) << text;
        EXPECT_THAT(read.faults, IsEmpty()) << text;
    }
    EXPECT_THAT(Read("{ }").faults, IsEmpty());
    EXPECT_THAT(Read("{").faults, ElementsAre(HasSubstr("is not valid JSON")));
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

// --- long lists, which are read item by item

std::string long_list(std::string_view head, std::string_view tail) {
    std::string text(head);
    for (int number = 0; number < 1'500; ++number) {
        text += number == 0 ? "" : ",\n";
        text += R"({"kind":"A","n":)" + std::to_string(number) + R"(,"x":{"brackets":"} ] \" {","y":[1,{}]},"long":")" +
                std::string(4'000, 'x') + "\"}";
    }
    return text + std::string(tail);
}

struct Streamed {
    explicit Streamed(const std::string& content) {
        const std::string path = ::testing::TempDir() + "documents_test.stream";
        std::ofstream(path, std::ios::binary) << content;
        std::string why;
        const auto source = open_source(path, why);
        EXPECT_NE(source, nullptr) << why;
        read = read_source(
            *source, "f",
            [&](const ReadObject& object) {
                kinds.insert(std::string(object.kind));
                EXPECT_TRUE(object.position > 0);
                numbers.push_back(std::string(object.value["n"].text()));
            },
            faults);
        std::remove(path.c_str());
    }
    bool read = false;
    std::set<std::string> kinds;
    std::vector<std::string> numbers;
    std::vector<ObjectFault> faults;
};

std::string packed_by_gzip(const std::string& text) {
    std::string packed(text.size() + 1'000, '\0');
    z_stream stream = {};
    EXPECT_EQ(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
}

std::string packed_by_zstd(const std::string& text) {
    std::string packed(ZSTD_compressBound(text.size()), '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 1));
    return packed;
}

TEST(LongLists, AreReadItemByItemInEveryForm) {
    const std::string kubectl =
        long_list(R"({"apiVersion":"v1","items":[)", R"(],"kind":"List","metadata":{"x":"]"}})");
    for (const std::string& content :
         {kubectl, packed_by_gzip(kubectl), packed_by_zstd(kubectl), packed_by_gzip("  ") + packed_by_gzip(kubectl),
          long_list(" [", "]\n"), long_list(R"({"kind":"List","items":[)", "]}")}) {
        const Streamed streamed(content);
        EXPECT_TRUE(streamed.read);
        EXPECT_THAT(streamed.faults, IsEmpty());
        EXPECT_THAT(streamed.kinds, ElementsAre("A"));
        ASSERT_EQ(streamed.numbers.size(), 1'500u);
        EXPECT_EQ(streamed.numbers[0], "0");
        EXPECT_EQ(streamed.numbers[1'499], "1499");
    }
}

std::string long_yaml(std::string_view head, std::string_view first, std::string_view tail) {
    std::string text(head);
    for (int number = 0; number < 1'500; ++number) {
        text += "- kind: A\n  n: " + std::to_string(number) + "\n  long: " + std::string(4'000, 'x') + "\n";
        text += number == 0 ? first : number == 1'499 ? "  y: 1\n" : "";
    }
    return text + std::string(tail);
}

TEST(LongLists, OfYamlAreReadItemByItem) {
    const std::string kubectl = long_yaml("apiVersion: v1\nitems:\n", "", "kind: List\nmetadata:\n  x: ''\n");
    for (const std::string& content : {kubectl, packed_by_gzip(kubectl), long_yaml("", "", ""),
                                       long_yaml("---\nkind: A\nn: -1\n---\nkind: List\nitems:\n", "", "")}) {
        const Streamed streamed(content);
        EXPECT_TRUE(streamed.read);
        EXPECT_THAT(streamed.faults, IsEmpty());
        EXPECT_THAT(streamed.kinds, ElementsAre("A"));
        ASSERT_GE(streamed.numbers.size(), 1'500u);
        EXPECT_EQ(streamed.numbers.back(), "1499");
    }
    const Streamed broken(long_yaml("items:\n", "", "  kind: List\n- \"\n"));
    EXPECT_EQ(broken.numbers.size(), 1'500u) << "all before the fault";
    EXPECT_THAT(broken.faults.at(0).to_string(), HasSubstr("while scanning a quoted scalar that begins in line 4504"));
    EXPECT_THAT(Streamed(packed_by_gzip(kubectl).substr(0, 9'000)).faults.back().to_string(),
                HasSubstr("ends in the middle of what gzip packed"));
}

TEST(LongLists, NamesOfYamlHoldFromItemToItem) {
    std::string text = long_yaml("items:\n", "  x: &here {deep: [1, two]}\n", "kind: List\n");
    text.replace(text.find("  y: 1\n"), 7, "  n: *here\n");
    const std::string path = ::testing::TempDir() + "documents_test.names";
    std::ofstream(path, std::ios::binary) << text;
    std::string why;
    const auto source = open_source(path, why);
    std::vector<ObjectFault> faults;
    std::string last;
    read_source(
        *source, "f", [&](const ReadObject& object) { last = Read::render(object.value["n"]); }, faults);
    std::remove(path.c_str());
    EXPECT_THAT(faults, IsEmpty());
    EXPECT_EQ(last, "{deep=[#1,'two']}");
}

TEST(LongLists, ABrokenItemIsNamedAndTheOthersAreRead) {
    std::string text = long_list(R"({"items":[)", R"(],"kind":"List"})");
    text.replace(text.find(R"("n":700)"), 7, R"("n":tru)");
    const Streamed streamed(text);
    EXPECT_EQ(streamed.numbers.size(), 1'499u);
    ASSERT_EQ(streamed.faults.size(), 1u);
    EXPECT_THAT(streamed.faults[0].to_string(),
                AllOf(HasSubstr("f: item 701: is not valid JSON"), HasSubstr("line 701")));
}

TEST(LongLists, ATextThatEndsTooSoonIsAFault) {
    const std::string text = long_list(R"({"items":[)", R"(],"kind":"List"})");
    const Streamed torn(text.substr(0, text.size() / 6 * 5));  // longer than the window
    EXPECT_THAT(torn.faults.at(0).to_string(), HasSubstr("the text ends in it"));
    EXPECT_GT(torn.numbers.size(), 1'200u);
    const std::string packed = packed_by_gzip(text);
    EXPECT_THAT(Streamed(packed.substr(0, packed.size() / 2)).faults.back().to_string(),
                HasSubstr("ends in the middle of what gzip packed"));
    const std::string other = packed_by_zstd(text);
    EXPECT_THAT(Streamed(other.substr(0, other.size() / 2)).faults.back().to_string(),
                HasSubstr("ends in the middle of what zstd packed"));
    EXPECT_THAT(Streamed("\x1f\x8bnot at all").faults.back().to_string(), HasSubstr("is not what gzip packs"));
}

TEST(LongLists, ItemsWithoutAKindAreOfTheListsEvenIfItComesLater) {
    std::string text = long_list(R"({"kind":"PodList","items":[)", "]}");
    for (std::size_t at = 0; (at = text.find(R"({"kind":"A",)", at)) != std::string::npos;) text.replace(at, 12, "{");
    EXPECT_THAT(Streamed(text).kinds, ElementsAre("Pod"));
    text.replace(text.find(R"("kind":"PodList",)"), 17, "");
    text.replace(text.rfind("]}"), 2, R"(],"kind":"NodeList"})");
    EXPECT_THAT(Streamed(text).kinds, ElementsAre("Node"));
}

}  // namespace
}  // namespace bayplan::kube
