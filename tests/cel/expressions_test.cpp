// Expressions over one device, with their answers. Source: the language definition of CEL, and Kubernetes 1.35 for
// devices, versions, quantities and addresses.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cel/selector.h"
#include "only_read.h"

namespace bayplan::cel {
namespace {

const std::vector<Attribute> kAttributes = {
    {"model", ValueType::text, "A100-SXM", 0},
    {"index", ValueType::number, "", 3},
    {"big", ValueType::number, "", INT64_MAX},
    {"ok", ValueType::boolean, "", 1},
    {"bad", ValueType::boolean, "", 0},
    {"ver", ValueType::version, "12.4.1", 0},
    {"pre", ValueType::version, "1.0.0-rc.2+build.7", 0},
    {"ip", ValueType::text, "10.1.2.3", 0},
    {"name", ValueType::text, "näme, of one", 0},
    {"list", ValueType::text, "b,a,c", 0},
    {"gpu.example.com/full", ValueType::text, "yes", 0},
    {"other.example.com/slot", ValueType::number, "", 7},
};
const std::vector<Capacity> kCapacities = {{"memory", "40Gi"}, {"other.example.com/lanes", "500m"}};

const DeviceView kDevice{"gpu.example.com", kAttributes, kCapacities};

// "yes", "no", "error: TEXT" or "compile".
std::string answer(std::string_view expression) {
    const Selector::Compiled compiled = Selector::compile(expression);
    if (std::holds_alternative<std::string>(compiled)) {
        return "compile";
    }
    const Selector& selector = *std::get<std::shared_ptr<const Selector>>(compiled);
    const Outcome outcome = selector.evaluate(kDevice);
    if (const DeviceReads& reads = selector.reads(); !reads.everything) {
        const std::vector<Attribute> attributes = only_read(kAttributes, kDevice.driver, reads, false);
        const std::vector<Capacity> capacities = only_read(kCapacities, kDevice.driver, reads, true);
        const Outcome again = selector.evaluate({kDevice.driver, attributes, capacities});
        EXPECT_TRUE(again.kind == outcome.kind && again.error == outcome.error) << expression;
    }
    switch (outcome.kind) {
        case Outcome::Kind::yes: return "yes";
        case Outcome::Kind::no: return "no";
        case Outcome::Kind::error: break;
    }
    return "error: " + outcome.error;
}

struct Row {
    std::string expression;  // A is device.attributes["gpu.example.com"], C its capacities
    std::string answer;      // "error" alone: any error
};

std::string spelled_out(std::string text) {
    for (const auto& [sign, means] :
         {std::pair<std::string_view, std::string_view>{"$A", "device.attributes[\"gpu.example.com\"]"},
          {"$C", "device.capacity[\"gpu.example.com\"]"}}) {
        for (std::size_t at = text.find(sign); at != std::string::npos; at = text.find(sign, at + means.size())) {
            text.replace(at, sign.size(), means);
        }
    }
    return text;
}

void expect(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        SCOPED_TRACE(row.expression);
        const std::string found = answer(spelled_out(row.expression));
        if (row.answer == "error") {
            EXPECT_TRUE(found.starts_with("error: ")) << found;
        } else {
            EXPECT_EQ(found, row.answer);
        }
    }
}

TEST(Expressions, literals_and_syntax) {
    expect({{"true", "yes"},
            {"false", "no"},
            {"!true", "no"},
            {"!!true", "yes"},
            {"(true)", "yes"},
            {" true // a remark", "yes"},
            {"true &&\n true", "yes"},
            {"\"a\" == 'a'", "yes"},
            {"'''a\nb''' == \"a\\nb\"", "yes"},
            {"r'\\d' == '\\\\d'", "yes"},
            {"'\\x41\\u00e4\\101' == 'AäA'", "yes"},
            {"0x1F == 31", "yes"},
            {"-5 < 0", "yes"},
            {"1u + 2u == 3u", "yes"},
            {"1.5e1 == 15.0", "yes"},
            {".5 == 0.5", "yes"},
            {"null == null", "yes"},
            {"", "compile"},
            {"true true", "compile"},
            {"(true", "compile"},
            {"true)", "compile"},
            {"'a", "compile"},
            {"'\\q' == 'q'", "compile"},
            {"x = 1", "compile"},
            {"1 ==", "compile"},
            {"[1, 2", "compile"},
            {"{'a': 1}.size() == 1", "compile"},
            {"b'a' == b'a'", "compile"},
            {"99999999999999999999 > 1", "compile"},
            {"# true", "compile"}});
}

TEST(Expressions, the_device) {
    expect({{"device.driver == 'gpu.example.com'", "yes"},
            {"device.driver.endsWith('example.com')", "yes"},
            {"device.allowMultipleAllocations", "no"},
            {"!device.allowMultipleAllocations", "yes"},
            {"$A.model == 'A100-SXM'", "yes"},
            {"$A['model'] == 'A100-SXM'", "yes"},
            {"$A.full == 'yes'", "yes"},
            {"device.attributes['other.example.com'].slot == 7", "yes"},
            {"$A.slot == 7", "error: no such key: slot"},
            {"device.attributes['nobody.example.com'].x == 1", "error: no such key: x"},
            {"has(device.attributes['nobody.example.com'].x)", "no"},
            {"has($A.model)", "yes"},
            {"!has($A.none)", "yes"},
            {"'model' in $A", "yes"},
            {"'none' in $A", "no"},
            {"'gpu.example.com' in device.attributes", "yes"},
            {"'nobody.example.com' in device.attributes", "no"},
            {"$A.size() == 11", "yes"},
            {"size($C) == 1", "yes"},
            {"$C.none == quantity('1')", "error: no such key: none"},
            {"device.name == 'x'", "compile"},
            {"nothing == 1", "compile"},
            {"device.driver.x == 1", "compile"},
            {"device", "compile"},
            {"$A", "compile"}});
}

TEST(Expressions, types) {
    expect({{"$A.ok", "yes"},
            {"$A.bad", "no"},
            {"$A.model", "error"},
            {"$A.index", "error"},
            {"1 + 1", "compile"},
            {"'a'", "compile"},
            {"'a' == 1", "compile"},
            {"1 == 1.0", "compile"},
            {"$A.index == '3'", "no"},
            {"$A.model == 3", "no"},
            {"$A.index == 3.0", "yes"},
            {"$A.index > 2.5", "yes"},
            {"$A.index < 'a'", "error: no such overload"},
            {"$A.model < 4", "error: no such overload"},
            {"$A.ver == 'x'", "error: no such overload"},
            {"'x' == $A.ver", "no"},
            {"$A.model && true", "error: no such overload"},
            {"!$A.model", "error: no such overload"},
            {"$A.model ? true : false", "error: no such overload"},
            {"type($A.index) == int", "yes"},
            {"type($A.model) == string && type($A.ok) == bool", "yes"},
            {"dyn(1) == 'a'", "no"},
            {"int($A.model) == 3", "error"},
            {"int('12') == 12", "yes"},
            {"int(2.9) == 2", "yes"},
            {"int(1e30) == 1", "error"},
            {"string($A.index) == '3'", "yes"},
            {"string(1.5) == '1.5'", "yes"},
            {"double('1.5') == 1.5", "yes"},
            {"double($A.index) < 3.5", "yes"},
            {"bool('true')", "yes"},
            {"bool('x')", "error"},
            {"uint(3) == 3u", "yes"},
            {"uint(-3) == 3u", "error"}});
}

TEST(Expressions, logic_and_errors) {
    expect({{"$A.none == 1 || true", "yes"},
            {"true || $A.none == 1", "yes"},
            {"$A.none == 1 && false", "no"},
            {"false && $A.none == 1", "no"},
            {"$A.none == 1 || false", "error: no such key: none"},
            {"$A.none == 1 && true", "error: no such key: none"},
            {"true ? true : $A.none == 1", "yes"},
            {"false ? $A.none == 1 : true", "yes"},
            {"$A.none == 1 ? true : true", "error: no such key: none"},
            {"true && 1", "compile"},
            {"1 ? true : false", "compile"},
            {"true ? true : 1", "compile"},
            {"true || false && false", "yes"},
            {"(true || false) && false", "no"},
            {"1 < 2 == true", "yes"}});
}

TEST(Expressions, numbers) {
    expect({{"1 + 2 * 3 == 7", "yes"},
            {"(1 + 2) * 3 == 9", "yes"},
            {"7 / 2 == 3 && -7 / 2 == -3", "yes"},
            {"7 % 3 == 1 && -7 % 3 == -1", "yes"},
            {"$A.index % 2 == 1 && $A.index * 2 - 1 > 4", "yes"},
            {"1 / 0 == 1", "error"},
            {"(-9223372036854775807 - 1) / -1 != 0", "error"},
            {"1 % 0 == 1", "error"},
            {"1.0 / 0.0 > 1.0", "yes"},
            {"$A.big + 1 > 0", "error"},
            {"-$A.big - 2 < 0", "error"},
            {"$A.big * 2 > 0", "error"},
            {"$A.big == 9223372036854775807", "yes"},
            {"$A.index in [1, 2, 3]", "yes"},
            {"$A.index in [1, 2]", "no"},
            {"$A.index in []", "no"},
            {"1 in ['a']", "no"},
            {"1u < 2", "yes"},
            {"1 - 1 == 0 ? true : false", "yes"},
            {"'a' + 'b' == 'ab'", "yes"},
            {"'a' - 'b' == 'a'", "compile"},
            {"'a' < 'b' && 'B' < 'a'", "yes"},
            {"false < true", "yes"}});
}

TEST(Expressions, texts) {
    expect({{"$A.model.startsWith('A1') && $A.model.endsWith('SXM') && $A.model.contains('0-S')", "yes"},
            {"$A.model.lowerAscii() == 'a100-sxm'", "yes"},
            {"'aä'.upperAscii() == 'Aä'", "yes"},
            {"$A.model.matches('^A[0-9]{3}')", "yes"},
            {"$A.model.matches('^[0-9]')", "no"},
            {"matches($A.model, 'SXM$')", "yes"},
            {"$A.model.matches('(')", "error"},
            {"size('näme') == 4", "yes"},
            {"'näme'.size() == 4", "yes"},
            {"' x '.trim() == 'x'", "yes"},
            {"'a-b-a'.replace('a', 'c') == 'c-b-c'", "yes"},
            {"'a-b-a'.replace('a', 'c', 1) == 'c-b-a'", "yes"},
            {"'ab'.replace('', '-') == '-a-b-'", "yes"},
            {"$A.list.split(',').size() == 3", "yes"},
            {"$A.list.split(',', 2)[1] == 'a,c'", "yes"},
            {"'abc'.split('') == ['a', 'b', 'c']", "yes"},
            {"['a', 'b'].join() == 'ab' && ['a', 'b'].join('-') == 'a-b'", "yes"},
            {"'näme'.substring(1, 3) == 'äm'", "yes"},
            {"'name'.substring(2) == 'me'", "yes"},
            {"'name'.substring(5) == ''", "error"},
            {"'näme'.charAt(1) == 'ä' && 'a'.charAt(1) == ''", "yes"},
            {"'näma'.indexOf('m') == 2 && 'aba'.lastIndexOf('a') == 2 && 'a'.indexOf('x') == -1", "yes"},
            {"'aba'.indexOf('a', 1) == 2", "yes"},
            {"'abc'.reverse() == 'cba'", "yes"},
            {"strings.quote('a\"b') == '\"a\\\\\"b\"'", "yes"},
            {"'a1b22'.find('[0-9]+') == '1'", "yes"},
            {"'a1b22'.findAll('[0-9]+') == ['1', '22']", "yes"},
            {"'a1b22'.findAll('[0-9]+', 1).size() == 1", "yes"},
            {"$A.index.startsWith('a')", "error: no such overload"},
            {"'a'.startsWith(1)", "compile"},
            {"'a'.noSuch()", "compile"},
            {"'%d'.format([1]) == '1'", "compile"}});
}

TEST(Expressions, lists_and_loops) {
    expect({{"[1, 2] == [1, 2]", "yes"},
            {"[1, 2] == [2, 1]", "no"},
            {"[1, 'a'].size() == 2", "compile"},
            {"[1, 2][1] == 2", "yes"},
            {"[1][1] == 1", "error"},
            {"([1] + [2]).size() == 2", "yes"},
            {"[1, 2, 3].all(x, x > 0)", "yes"},
            {"[1, 2, 3].exists(x, x > 2)", "yes"},
            {"[1, 2, 3].exists_one(x, x > 1)", "no"},
            {"[1, 2, 3].existsOne(x, x > 2)", "yes"},
            {"[1, 2, 3].filter(x, x > 1) == [2, 3]", "yes"},
            {"[1, 2].map(x, x * 2) == [2, 4]", "yes"},
            {"[1, 2, 3].map(x, x > 1, x * 2) == [4, 6]", "yes"},
            {"[5, 6].all(i, x, x - i == 5)", "yes"},
            {"[5, 6].transformList(i, x, i + x) == [5, 7]", "yes"},
            {"[1, 0].exists(x, 1 / x == 1)", "yes"},
            {"[0, 1].all(x, 1 / x == 5)", "no"},
            {"[0].all(x, 1 / x == 1)", "error"},
            {"$A.exists(k, k.startsWith('mod'))", "yes"},
            {"['model', 'index'].all(k, k in $A)", "yes"},
            {"device.attributes.exists(d, d == 'other.example.com')", "yes"},
            {"$A.exists(k, v, k == 'index' && v == 3)", "yes"},
            {"[3, 1, 2].min() == 1 && [3, 1].max() == 3 && [1, 2].sum() == 3", "yes"},
            {"[].min() == 1", "error"},
            {"[1, 2].isSorted() && ![2, 1].isSorted()", "yes"},
            {"[2, 1].sort() == [1, 2] && [1, 1, 2].distinct() == [1, 2]", "yes"},
            {"[1, 2, 3].slice(1, 2) == [2] && [1, 2].reverse() == [2, 1]", "yes"},
            {"[[1], [2, 3]].flatten() == [1, 2, 3]", "yes"},
            {"[1, 2, 1].indexOf(1) == 0 && [1, 2, 1].lastIndexOf(1) == 2", "yes"},
            {"sets.contains([1, 2], [2]) && sets.intersects([1], [1, 2])", "yes"},
            {"sets.equivalent([1, 2, 2], [2, 1])", "yes"},
            {"[1].exists(x, x)", "compile"},
            {"[1].all(1, true)", "compile"},
            {"'a'.all(x, true)", "compile"},
            {"cel.bind(g, $A, g.index >= 2 && g.ok)", "yes"},
            {"cel.bind(x, 2, cel.bind(y, x + 1, y == 3))", "yes"},
            {"x == 1", "compile"}});
}

TEST(Expressions, optionals) {
    expect({{"$A[?'none'].orValue(3) == 3", "yes"},
            {"$A.?index.orValue(9) == 3", "yes"},
            {"$A.?none.hasValue()", "no"},
            {"$A.?index.hasValue() && $A.?index.value() == 3", "yes"},
            {"$A.?none.value() == 3", "error"},
            {"optional.of(1).or(optional.of(2)).value() == 1", "yes"},
            {"optional.none().orValue(2) == 2", "yes"},
            {"$A.?none.or($A.?index).value() == 3", "yes"}});
}

TEST(Expressions, versions) {
    expect({{"$A.ver.major() == 12 && $A.ver.minor() == 4 && $A.ver.patch() == 1", "yes"},
            {"$A.ver == semver('12.4.1')", "yes"},
            {"$A.ver.isGreaterThan(semver('12.3.9')) && $A.ver.isLessThan(semver('12.10.0'))", "yes"},
            {"$A.ver.compareTo(semver('12.4.1')) == 0", "yes"},
            {"$A.pre.isLessThan(semver('1.0.0'))", "yes"},
            {"$A.pre == semver('1.0.0-rc.2')", "yes"},
            {"semver('1.0.0-rc.2').isLessThan(semver('1.0.0-rc.10'))", "yes"},
            {"semver('1.0.0-1').isLessThan(semver('1.0.0-a'))", "yes"},
            {"semver('1.0.0-a').isLessThan(semver('1.0.0-a.1'))", "yes"},
            {"semver('1.2') == semver('1.2.0')", "error"},
            {"semver('v1.2', true) == semver('1.2.0')", "yes"},
            {"semver('01.2.3') == semver('1.2.3')", "error"},
            {"isSemver('1.2.3') && !isSemver('1.2') && isSemver('v1.2', true)", "yes"},
            {"isSemver('1.2.3-') || isSemver('1.2.3-01') || isSemver('1.2.3+')", "no"},
            {"$A.ver < $A.ver", "error: no such overload"},
            {"$A.ver < semver('13.0.0')", "compile"}});
}

TEST(Expressions, quantities) {
    expect({{"$C.memory == quantity('40Gi')", "yes"},
            {"$C.memory == quantity('40960Mi')", "yes"},
            {"$C.memory.compareTo(quantity('40Gi')) >= 0", "yes"},
            {"$C.memory.isGreaterThan(quantity('39Gi')) && $C.memory.isLessThan(quantity('41Gi'))", "yes"},
            {"$C.memory >= quantity('1Gi')", "compile"},
            {"$C.memory == 1", "compile"},
            {"$C.memory.sub(quantity('39Gi')).asInteger() == 1073741824", "yes"},
            {"quantity('1').add(2) == quantity('3')", "yes"},
            {"quantity('-1').sign() == -1 && quantity('0').sign() == 0", "yes"},
            {"quantity('500m').isInteger()", "no"},
            {"quantity('500m').asInteger() == 0", "error"},
            {"quantity('500m').asApproximateFloat() == 0.5", "yes"},
            {"device.capacity['other.example.com'].lanes.isLessThan(quantity('1'))", "yes"},
            {"isQuantity('1Gi') && !isQuantity('1 Gi')", "yes"},
            {"quantity('x') == quantity('1')", "error"}});
}

TEST(Expressions, addresses) {
    expect({{"isIP($A.ip) && cidr('10.0.0.0/8').containsIP(ip($A.ip))", "yes"},
            {"cidr('10.0.0.0/8').containsIP('11.0.0.1')", "no"},
            {"ip('::1').family() == 6 && ip('::1').isLoopback()", "yes"},
            {"ip('1.2.3') == ip('1.2.3.4')", "error"},
            {"isCIDR('10.0.0.0/33') || isCIDR('10.0.0.0')", "no"},
            {"cidr('10.0.0.0/8').prefixLength() == 8", "yes"},
            {"cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')", "yes"},
            {"string(ip('1.2.3.4')) == '1.2.3.4'", "yes"},
            {"url('http://a') == url('http://a')", "compile"}});
}

// --- what an expression looks at

// "DOMAIN/ID" of attributes, "DOMAIN/ID capacity", or "everything".
std::vector<std::string> read_by(std::string_view expression) {
    const Selector::Compiled compiled = Selector::compile(spelled_out(std::string(expression)));
    if (std::holds_alternative<std::string>(compiled)) {
        return {std::get<std::string>(compiled)};
    }
    const DeviceReads& reads = std::get<std::shared_ptr<const Selector>>(compiled)->reads();
    if (reads.everything) {
        return {"everything"};
    }
    std::vector<std::string> names;
    for (const DeviceReads::Name& name : reads.names) {
        names.push_back(name.domain + "/" + name.id + (name.capacity ? " capacity" : ""));
    }
    return names;
}

TEST(Reads, names_that_are_written_out) {
    using Names = std::vector<std::string>;
    EXPECT_EQ(read_by("device.driver == 'gpu.example.com' && !device.allowMultipleAllocations"), Names{});
    EXPECT_EQ(read_by("has($A.model) && $A['model'] == 'x' && 'ok' in $A"),
              (Names{"gpu.example.com/model", "gpu.example.com/ok"}));
    EXPECT_EQ(read_by("$C.memory.compareTo(quantity('1Gi')) > 0 || $A.?index.orValue(1) == 1"),
              (Names{"gpu.example.com/memory capacity", "gpu.example.com/index"}));
    EXPECT_EQ(read_by("[1, 2].exists(i, $A[?'index'].orValue(0) == i)"), Names{"gpu.example.com/index"});
}

TEST(Reads, any_other_use_reads_everything) {
    for (const char* const expression :
         {"$A.exists(k, k == 'model')", "cel.bind(a, $A, a.model == 'x')", "$A.size() > 0", "$A[$A.model] == 'x'",
          "device.attributes['gpu.' + 'example.com'].model == 'x'", "cel.bind(device, device.attributes, true)"}) {
        EXPECT_EQ(read_by(expression), std::vector<std::string>{"everything"}) << expression;
    }
}

// --- limits

TEST(Limits, an_expression_is_at_most_10_KiB) {
    const std::string fits = "'" + std::string(10 * 1'024 - 8, 'a') + "' != ''";
    EXPECT_EQ(answer(fits.substr(0, 1) + fits.substr(2)), "yes");
    EXPECT_EQ(answer(fits + " "), "compile");
}

TEST(Limits, depth) {
    const auto nested = [](std::size_t levels) { return std::string(levels, '(') + "true" + std::string(levels, ')'); };
    EXPECT_EQ(answer(nested(50)), "yes");
    EXPECT_EQ(answer(nested(4'000)), "compile");
    EXPECT_EQ(answer(std::string(8'000, '!') + "true"), "compile");
    std::string chain = "device";
    for (int at = 0; at < 1'000; ++at) {
        chain += ".x";
    }
    EXPECT_EQ(answer(chain), "compile");
}

TEST(Limits, a_loop_of_loops_ends_in_an_error) {
    const std::string ten = "[0,1,2,3,4,5,6,7,8,9]";
    std::string expression = "true";
    for (const char* const name : {"a", "b", "c", "d", "e", "f", "g"}) {
        expression = ten + ".all(" + name + ", " + expression + ")";
    }
    EXPECT_EQ(answer(expression), "error: actual cost limit exceeded");
}

TEST(Limits, a_text_that_is_put_between_all_letters_again_and_again_ends_in_an_error) {
    std::string expression = "'0123456789012345678901234567890123456789'";
    for (int times = 0; times < 5; ++times) {
        expression += ".replace('', '0123456789012345678901234567890123456789')";
    }
    EXPECT_EQ(answer(expression + " == ''"), "error: a text is too long");
}

TEST(Limits, a_text_that_doubles_ends_in_an_error) {
    std::string expression = "x.size() > 0";
    for (int at = 0; at < 40; ++at) {
        expression = "cel.bind(x, x + x, " + expression + ")";
    }
    const std::string found = answer("cel.bind(x, 'aaaaaaaaaaaaaaaa', " + expression + ")");
    EXPECT_TRUE(found.starts_with("error: ")) << found.substr(0, 100);
}

}  // namespace
}  // namespace bayplan::cel
