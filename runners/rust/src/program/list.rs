//! The answer to `list`.

use crate::provider::{Implementation, NAME};

/// Of the compiler; the build of the program sets it.
const VERSION: &str = match option_env!("CIPHERMARK_COMPILER_VERSION") {
    Some(version) => version,
    None => "unknown",
};

/// Returns the lines, the last one without its end.
pub fn text(implementations: &[Implementation]) -> String {
    let mut lines = vec![
        format!("provider {NAME}"),
        "language Rust".to_string(),
        format!("language_version rustc {VERSION}"),
        "compiler rustc".to_string(),
        format!("compiler_version {VERSION}"),
        "link dynamic".to_string(),
        format!("target {}-{}", std::env::consts::ARCH, std::env::consts::OS),
        "no_collections Rust has no garbage collector".to_string(),
    ];
    lines.extend(implementations.iter().map(line));
    lines.push("end".to_string());
    lines.join("\n")
}

fn line(one: &Implementation) -> String {
    let limit = match one.max_message_bytes {
        u64::MAX => "-".to_string(),
        bytes => bytes.to_string(),
    };
    format!(
        "implementation {} {} {} {} {} {} {} {} {} {} {limit} {}",
        one.algorithm,
        one.variant,
        one.kind.name(),
        one.key_bytes,
        one.nonce_bytes,
        one.tag_bytes,
        one.block_bytes,
        u8::from(one.whole_blocks_only),
        u8::from(one.constant_time),
        u8::from(one.default),
        one.source,
    )
}
