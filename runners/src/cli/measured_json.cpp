#include "cli/measured_json.h"

namespace ciphermark {

Json describe(const FrequencyPair& pair) {
  return {{"before_hz", or_null(pair.before_hz)},
          {"after_hz", or_null(pair.after_hz)},
          {"hz", or_null(pair.hz)},
          {"reason", text_or_null(pair.reason)}};
}

}  // namespace ciphermark
