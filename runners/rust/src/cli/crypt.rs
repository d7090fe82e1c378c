//! One message from a file to a file. Lengths that the mode does not take are rejected, never padded.

use super::implementation;
use super::inputs::{bad_file, fixed_hex, hex_option, InputFile};
use super::options::Arguments;
use crate::failure::Failure;
use crate::measure::Phases;
use crate::provider::{Implementation, Kind};

pub fn execute(arguments: &Arguments, _phases: &mut Phases) -> Result<(), Failure> {
    let implementation = implementation(arguments)?;
    let key = fixed_hex(arguments, "--key", implementation.key_bytes)?;
    let nonce = fixed_hex(arguments, "--nonce", implementation.nonce_bytes)?;
    let data = hex_option(arguments, "--ad")?;
    if !data.is_empty() && implementation.kind != Kind::Aead {
        return Err(Failure::bad_input(format!(
            "--ad was given, but {} is no AEAD",
            implementation.algorithm
        )));
    }
    let decrypts = arguments.get("--operation") == Some("decrypt");
    let input = read_message(
        &implementation,
        arguments.get("--in").unwrap_or_default(),
        decrypts,
    )?;
    let mut keyed = implementation.keyed();
    keyed
        .set_key(&key)
        .map_err(|refusal| refusal.failure("key setup"))?;
    let out = if decrypts {
        let mut out = vec![0; input.len() - implementation.tag_bytes];
        keyed
            .decrypt(&nonce, &data, &input, &mut out)
            .map_err(|refusal| refusal.failure("decrypt"))?;
        out
    } else {
        let mut out = vec![0; input.len() + implementation.tag_bytes];
        keyed
            .encrypt(&nonce, &data, &input, &mut out)
            .map_err(|refusal| refusal.failure("encrypt"))?;
        out
    };
    let path = arguments.get("--out").unwrap_or_default();
    std::fs::write(path, out).map_err(|error| bad_file(path, &error))
}

/// Rejects a length that the algorithm does not take before memory is allocated for it.
fn read_message(implementation: &Implementation, path: &str, decrypts: bool) -> Result<Vec<u8>, Failure> {
    let mut file = InputFile::open(path)?;
    let tag_bytes = if decrypts { implementation.tag_bytes } else { 0 };
    let bytes = file.bytes;
    let message_bytes = bytes.checked_sub(tag_bytes).ok_or_else(|| {
        let expected = format!("expected at least {tag_bytes}, which is the tag");
        Failure::bad_input(format!("the message has {bytes} bytes, {expected}"))
    })?;
    implementation.require_message_length(message_bytes as u64)?;
    let mut message = vec![0; bytes];
    file.read_into(&mut message)?;
    Ok(message)
}
