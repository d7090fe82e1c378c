//! The implementations of this program and its build. An algorithm without vectors fails here.

use super::json::Json;
use super::options::Arguments;
use super::print;
use crate::failure::Failure;
use crate::known_answers;
use crate::measure::Phases;
use crate::provider::{implementations, Implementation, NAME, VERSION};
use crate::sha256;

pub fn execute(_arguments: &Arguments, _phases: &mut Phases) -> Result<(), Failure> {
    let listed: Result<Vec<Json>, Failure> = implementations().iter().map(describe).collect();
    let json = Json::object([
        ("protocol", 2usize.into()),
        ("provider", NAME.into()),
        ("version", VERSION.into()),
        ("build", build()),
        ("generators", Json::List(Vec::new())),
        ("implementations", listed?.into()),
    ]);
    print(&format!("{}\n", json.indented()))
}

fn describe(one: &Implementation) -> Result<Json, Failure> {
    let vectors = known_answers::text(&one.algorithm)?;
    Ok(Json::object([
        ("algorithm", one.algorithm.as_str().into()),
        ("variant", one.variant.into()),
        ("kind", one.kind.name().into()),
        ("key_bytes", one.key_bytes.into()),
        ("nonce_bytes", one.nonce_bytes.into()),
        ("tag_bytes", one.tag_bytes.into()),
        ("block_bytes", one.block_bytes.into()),
        ("whole_blocks_only", one.whole_blocks_only.into()),
        ("constant_time", one.constant_time.into()),
        ("default", one.default.into()),
        ("available", true.into()),
        ("reason", Json::Null),
        ("requires", Json::List(Vec::new())),
        ("masking", Json::Null),
        ("source", one.source.as_str().into()),
        ("vectors_sha256", sha256::hex(vectors.as_bytes()).into()),
    ]))
}

/// Facts that the compiler leaves in the program; its version is that of the standard library that it links.
fn build() -> Json {
    let version = compiler_version();
    Json::object([
        ("language", "Rust".into()),
        ("language_version", format!("rustc {version}").into()),
        ("compiler", "rustc".into()),
        ("compiler_version", version.into()),
        ("flags", "".into()),
        ("optimization", Json::Null),
        ("link", "dynamic".into()),
        (
            "target",
            format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS).into(),
        ),
        ("headers_version", "".into()),
        ("planted", Json::Null),
    ])
}

/// rustc writes "rustc version 1.75.0 (…)" into the section .comment of the programs that it links.
fn compiler_version() -> String {
    let program = std::env::current_exe()
        .and_then(std::fs::read)
        .unwrap_or_default();
    let label = b"rustc version ";
    let version = program
        .windows(label.len())
        // The label itself is in this program too, and a digit follows it in .comment alone.
        .enumerate()
        .filter(|(_, window)| *window == label)
        .map(|(at, _)| &program[at + label.len()..])
        .find(|rest| rest.first().map_or(false, u8::is_ascii_digit));
    let text = version.map(|rest| {
        rest.iter()
            .take_while(|byte| byte.is_ascii_digit() || **byte == b'.')
    });
    text.map_or_else(
        || "unknown".to_string(),
        |bytes| bytes.map(|byte| char::from(*byte)).collect(),
    )
}
