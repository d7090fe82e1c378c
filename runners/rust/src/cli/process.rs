//! The measured work: read a file, set up the key, encrypt, decrypt. Checking and reporting come after work end.

use super::inputs::{secret, Fill, InputFile};
use super::options::Arguments;
use super::process_report::Report;
use super::{implementation, print};
use crate::failure::{Failure, Kind};
use crate::measure::{Buffers, InputOutput, Phase, Phases};

pub fn execute(arguments: &Arguments, phases: &mut Phases) -> Result<(), Failure> {
    let implementation = implementation(arguments)?;
    let key = secret(arguments, "--key", implementation.key_bytes, Fill::Counter)?;
    let nonce = secret(arguments, "--nonce", implementation.nonce_bytes, Fill::Counter)?;
    let mut file = InputFile::open(arguments.get("--in").unwrap_or_default())?;
    let block = if implementation.whole_blocks_only {
        implementation.block_bytes
    } else {
        1
    };
    let padded = (file.bytes + block - 1) / block * block;
    implementation.require_message_length(padded as u64)?;
    let mut keyed = implementation.keyed();
    let mut buffers = load(phases, &mut file, padded, implementation.tag_bytes)?;
    let parts = buffers.parts();
    phases
        .measure(Phase::KeySetup, || keyed.set_key(&key))
        .map_err(|refusal| refusal.failure("key setup"))?;
    phases
        .measure(Phase::Encrypt, || {
            keyed.encrypt(&nonce, &[], parts.input, parts.ciphertext)
        })
        .map_err(|refusal| refusal.failure("encrypt"))?;
    phases
        .measure(Phase::Decrypt, || {
            keyed.decrypt(&nonce, &[], parts.ciphertext, parts.plaintext)
        })
        .map_err(|refusal| refusal.failure("decrypt"))?;
    let report = Report {
        command: "process",
        algorithm: &implementation.algorithm,
        variant: implementation.variant,
        input_bytes: file.bytes,
        moved: InputOutput::read(),
    };
    verify_and_print(&report, &mut buffers, phases)
}

/// The steps of `process` without the cipher: the cost of a process itself.
pub fn execute_noop(arguments: &Arguments, phases: &mut Phases) -> Result<(), Failure> {
    let mut file = InputFile::open(arguments.get("--in").unwrap_or_default())?;
    let bytes = file.bytes;
    let mut buffers = load(phases, &mut file, bytes, 0)?;
    for phase in [Phase::KeySetup, Phase::Encrypt, Phase::Decrypt] {
        phases.measure(phase, || {});
    }
    let report = Report {
        command: "noop",
        algorithm: "noop",
        variant: "none",
        input_bytes: bytes,
        moved: InputOutput::read(),
    };
    // After work end, so that verification has as much to compare and digest as in `process`.
    let parts = buffers.parts();
    parts.ciphertext.copy_from_slice(parts.input);
    parts.plaintext.copy_from_slice(parts.input);
    verify_and_print(&report, &mut buffers, phases)
}

/// The phase load: allocates and touches the buffers and reads the file into the first one. The bytes of padding
/// behind the file stay zero, as new pages are.
fn load(
    phases: &mut Phases,
    file: &mut InputFile,
    padded: usize,
    tag_bytes: usize,
) -> Result<Buffers, Failure> {
    phases.measure(Phase::Load, || {
        let mut buffers = Buffers::new(padded, padded + tag_bytes)?;
        file.read_into(buffers.parts().input)?;
        Ok(buffers)
    })
}

fn verify_and_print(report: &Report<'_>, buffers: &mut Buffers, phases: &Phases) -> Result<(), Failure> {
    let total_bytes = buffers.total_bytes();
    let parts = buffers.parts();
    let verified = parts.input == parts.plaintext;
    print(&format!(
        "{}\n",
        report.json(&parts, total_bytes, verified, phases)
    ))?;
    if verified {
        return Ok(());
    }
    Err(Failure::new(
        Kind::NotVerified,
        "decryption did not return the input",
    ))
}
