// What reports are made of, as RFC 8259 requires it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/json.h"

namespace ciphermark {
namespace {

TEST(Json, members_keep_their_order_and_values_their_type) {
  Json row = {{"z", 1}, {"a", {{"yes", true}, {"nothing", nullptr}}}};
  row["list"] = std::vector<std::string>{"one", "two"};
  row.update({{"z", -2}, {"size", std::uint64_t{18446744073709551615U}}});
  EXPECT_EQ(row.dump(),
            R"({"z":-2,"a":{"yes":true,"nothing":null},"list":["one","two"],"size":18446744073709551615})");
}

TEST(Json, lines_are_indented_by_level) {
  Json list = Json::array();
  EXPECT_EQ(list.dump(1), "[]");
  list.push_back({{"a", 1}});
  EXPECT_EQ(list.dump(1), "[\n {\n  \"a\": 1\n }\n]");
}

TEST(Json, numbers_are_read_back_as_they_were) {
  for (const double value : {0.1, 1.0 / 3.0, 2.5e9, 1e300, 5e-324, -7.25}) {
    EXPECT_EQ(std::strtod(Json(value).dump().c_str(), nullptr), value);
  }
  EXPECT_EQ(Json(3.0).dump(), "3.0");
  EXPECT_EQ(Json(std::numeric_limits<double>::infinity()).dump(), "null");
  EXPECT_EQ(Json(std::nan("")).dump(), "null");
}

TEST(Json, texts_are_quoted_and_always_utf8) {
  EXPECT_EQ(Json("a\"b\\c\n\x01").dump(), R"("a\"b\\c\n\u0001")");
  EXPECT_EQ(Json("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x94\x91").dump(),
            "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x94\x91\"");
  const std::string replaced = "\"\xef\xbf\xbd\"";
  EXPECT_EQ(Json("\xff").dump(), replaced);
  EXPECT_EQ(Json("\xc3").dump(), replaced);
  // A longer form than needed, a surrogate, and beyond U+10FFFF: each byte is none of a character.
  for (const char* text : {"\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
    EXPECT_EQ(Json(text).dump().find_first_not_of("\xef\xbf\xbd\""), std::string::npos) << text;
  }
}

TEST(Json, a_member_that_is_missing_is_an_error) {
  const Json row = {{"a", 1}};
  EXPECT_EQ(row.at("a"), Json(1));
  EXPECT_THROW(static_cast<void>(row.at("b")), std::out_of_range);
}

}  // namespace
}  // namespace ciphermark
