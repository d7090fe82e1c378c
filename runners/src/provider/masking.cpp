#include "provider/masking.h"

#include <algorithm>
#include <vector>

#include "core/failure.h"
#include "masked/randomness.h"

namespace ciphermark {
namespace {

const masked::GeneratorKind*& chosen() noexcept {
  static const masked::GeneratorKind* kind = &masked::generator_kinds().front();
  return kind;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

void add_once(std::vector<std::string>& names, std::string name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
}

std::string shares_of(const Implementation& implementation) {
  std::vector<std::string> names;
  for (const MaskedForm& form : implementation.masked_forms) add_once(names, std::to_string(form.shares));
  return listed(names);
}

std::string degrees_of(const Implementation& implementation) {
  std::vector<std::string> names;
  for (const MaskedForm& form : implementation.masked_forms) {
    add_once(names, std::string(degree_name(form.degree)));
  }
  return listed(names);
}

std::string generators() {
  std::vector<std::string> names;
  for (const masked::GeneratorKind& kind : masked::generator_kinds()) names.emplace_back(kind.name);
  return listed(names);
}

std::string name_of(const Implementation& implementation) {
  return std::string(implementation.algorithm) + " in variant " + std::string(implementation.variant);
}

std::string masked_variants_of(std::string_view algorithm) {
  std::vector<std::string> names;
  for (const Implementation* candidate : provider().implementations) {
    if (candidate->algorithm == algorithm && !candidate->masked_forms.empty()) {
      names.emplace_back(candidate->variant);
    }
  }
  return names.empty() ? "none" : listed(names);
}

void refuse_options(const Implementation& implementation) {
  throw Failure(FailureKind::usage,
                "--shares, --masking and --generator were given, but " + name_of(implementation) +
                    " is not masked; masked variants of it: " + masked_variants_of(implementation.algorithm));
}

std::string seen(const std::optional<std::string>& value) {
  return value ? "'" + *value + "'" : std::string("absent");
}

/// A value that the list does not have.
[[noreturn]] void refuse(const Implementation& implementation, std::string_view option,
                         const std::optional<std::string>& value, const std::string& list) {
  throw Failure(FailureKind::usage, std::string(option) + " is " + seen(value) + "; expected for " +
                                        name_of(implementation) + " one of " + list);
}

const MaskedForm& select_form(const Implementation& implementation, const MaskingOptions& options) {
  const auto has_shares = [&](const MaskedForm& form) {
    return options.shares == std::to_string(form.shares);
  };
  const auto has_degree = [&](const MaskedForm& form) { return options.degree == degree_name(form.degree); };
  if (std::ranges::none_of(implementation.masked_forms, has_shares)) {
    refuse(implementation, "--shares", options.shares, shares_of(implementation));
  }
  const auto found = std::ranges::find_if(implementation.masked_forms, [&](const MaskedForm& form) {
    return has_shares(form) && has_degree(form);
  });
  if (found == implementation.masked_forms.end()) {
    refuse(implementation, "--masking", options.degree, degrees_of(implementation));
  }
  return *found;
}

void select_generator(const Implementation& implementation, const std::optional<std::string>& name) {
  for (const masked::GeneratorKind& kind : masked::generator_kinds()) {
    if (name != kind.name) continue;
    if (const std::string reason = kind.unavailable_reason(); !reason.empty()) {
      throw Failure(FailureKind::unsupported_cpu, "--generator " + *name + ": " + reason);
    }
    masked::use_generator(kind.make());
    chosen() = &kind;
    return;
  }
  refuse(implementation, "--generator", name, generators());
}

}  // namespace

std::string_view degree_name(MaskingDegree degree) noexcept {
  switch (degree) {
    case MaskingDegree::full:
      return "full";
    case MaskingDegree::init_final:
      return "init-final";
    case MaskingDegree::init:
      break;
  }
  return "init";
}

Implementation with_form(const Implementation& implementation, const MaskedForm& form) {
  Implementation effective = implementation;
  effective.context_bytes = form.context_bytes;
  effective.context_align = form.context_align;
  effective.key_setup = form.key_setup;
  effective.encrypt = form.encrypt;
  effective.decrypt = form.decrypt;
  effective.forget = form.forget;
  effective.masked_forms = {&form, 1};
  return effective;
}

Implementation select_masking(const Implementation& implementation, const MaskingOptions& options) {
  if (implementation.masked_forms.empty()) {
    if (options.shares || options.degree || options.generator) refuse_options(implementation);
    return implementation;
  }
  const MaskedForm& form = select_form(implementation, options);
  select_generator(implementation, options.generator);
  return with_form(implementation, form);
}

std::string_view generator_name() noexcept { return chosen()->name; }

}  // namespace ciphermark
