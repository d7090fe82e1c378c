// The implementations of this program and its build. An algorithm without vectors fails here, and so fails
// the build.
#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "cli/command.h"
#include "cli/json.h"
#include "core/hex.h"
#include "digest/sha256.h"
#include "known_answers/known_answers.h"
#include "masked/randomness.h"
#include "provider/build_info.h"
#include "provider/masking.h"
#include "provider/selection.h"

namespace ciphermark {
namespace {

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::block_mode:
      return "block-mode";
    case Kind::stream:
      return "stream";
    case Kind::aead:
      break;
  }
  return "aead";
}

std::string vectors_sha256(std::string_view algorithm) {
  const std::string_view text = known_answer_text(algorithm);
  if (text.empty()) {
    throw std::logic_error("vectors/" + std::string(algorithm) +
                           ".vec is missing: every algorithm needs known answers");
  }
  return to_hex(sha256({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}));
}

Json required_features(std::string_view names) {
  Json list = Json::array();
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(' '));
    list.push_back(name);
    names.remove_prefix(std::min(name.size() + 1, names.size()));
  }
  return list;
}

void add_once(Json& list, const Json& value) {
  if (std::ranges::find(list.values(), value) == list.values().end()) list.push_back(value);
}

Json masking(const Implementation& implementation) {
  if (implementation.masked_forms.empty()) return nullptr;
  Json shares = Json::array();
  Json degrees = Json::array();
  for (const MaskedForm& form : implementation.masked_forms) {
    add_once(shares, form.shares);
    add_once(degrees, degree_name(form.degree));
  }
  return {{"shares", shares}, {"degrees", degrees}};
}

/// Those that masked variants can use on this machine, also in a build that has none; no language masks.
Json generators() {
  Json list = Json::array();
  if (!build_info().language.empty()) return list;
  for (const masked::GeneratorKind& kind : masked::generator_kinds()) {
    const std::string reason = kind.unavailable_reason();
    list.push_back({{"name", kind.name},
                    {"secure", kind.secure},
                    {"available", reason.empty()},
                    {"reason", text_or_null(reason)}});
  }
  return list;
}

Json describe(const Implementation& implementation) {
  const std::string reason = unavailable_reason(implementation);
  return {{"algorithm", implementation.algorithm},
          {"variant", implementation.variant},
          {"kind", kind_name(implementation.kind)},
          {"key_bytes", implementation.key_bytes},
          {"nonce_bytes", implementation.nonce_bytes},
          {"tag_bytes", implementation.tag_bytes},
          {"block_bytes", implementation.block_bytes},
          {"whole_blocks_only", implementation.whole_blocks_only},
          {"constant_time", implementation.constant_time},
          {"default", default_implementation(implementation.algorithm) == &implementation},
          {"available", reason.empty()},
          {"reason", reason.empty() ? Json(nullptr) : Json(reason)},
          {"requires", required_features(implementation.requires_features)},
          {"messages_at_once", implementation.messages_at_once},
          {"masking", masking(implementation)},
          {"source", implementation.source},
          {"vectors_sha256", vectors_sha256(implementation.algorithm)}};
}

Json describe(const Absence& absence) {
  return {{"algorithm", absence.algorithm},
          {"variant", nullptr},
          {"available", false},
          {"reason", absence.reason}};
}

Json describe(const BuildInfo& build) {
  Json described;
  if (!build.language.empty()) {
    described = {{"language", build.language}, {"language_version", build.language_version}};
  }
  described.update({{"compiler", build.compiler},
                    {"compiler_version", build.compiler_version},
                    {"flags", build.flags},
                    {"optimization", text_or_null(build.optimization)},
                    {"link", text_or_null(build.link)},
                    {"target", build.target},
                    {"headers_version", provider().headers_version},
                    {"planted", text_or_null(build.planted)}});
  return described;
}

void execute_list(const Arguments& /*arguments*/, Phases& /*phases*/) {
  Json implementations = Json::array();
  for (const Implementation* implementation : provider().implementations) {
    implementations.push_back(describe(*implementation));
  }
  for (const Absence& absence : provider().absences) implementations.push_back(describe(absence));
  const Json answer = {{"protocol", 2},
                       {"provider", provider().name},
                       {"version", provider().version},
                       {"build", describe(build_info())},
                       {"generators", generators()},
                       {"implementations", implementations}};
  std::puts(answer.dump(1).c_str());
}

}  // namespace

const Command kListCommand{.name = "list",
                           .summary = "Describe the implementations and the build, as JSON",
                           .required = {},
                           .optional = {},
                           .execute = &execute_list};

}  // namespace ciphermark
