//! One vector on one implementation.

use super::{Answer, Expectation};
use crate::hex;
use crate::provider::{Implementation, Refusal};

/// Returns the computed ciphertext and tag, without the part that belongs to the offset, and a complaint where
/// something is not as expected.
pub fn check(implementation: &Implementation, answer: &Answer) -> (Vec<u8>, Option<String>) {
    match answer.expectation {
        Expectation::Valid => check_valid(implementation, answer),
        Expectation::Invalid => (
            answer.ciphertext.clone(),
            check_invalid(implementation, answer).err(),
        ),
        Expectation::BadLength => (
            answer.ciphertext.clone(),
            check_bad_length(implementation, answer).err(),
        ),
    }
}

/// Encrypts and decrypts.
fn check_valid(implementation: &Implementation, answer: &Answer) -> (Vec<u8>, Option<String>) {
    let message = [vec![0; answer.offset], answer.plaintext.clone()].concat();
    let mut sealed = vec![0; message.len() + implementation.tag_bytes];
    let mut opened = vec![0; message.len()];
    let mut keyed = implementation.keyed();
    let steps = keyed
        .set_key(&answer.key)
        .map_err(|seen| unexpected("key setup", Err(seen), "ok"))
        .and_then(|()| {
            let seen = keyed.encrypt(&answer.nonce, &answer.data, &message, &mut sealed);
            seen.map_err(|seen| unexpected("encrypt", Err(seen), "ok"))
        })
        .and_then(|()| {
            let seen = keyed.decrypt(&answer.nonce, &answer.data, &sealed, &mut opened);
            seen.map_err(|seen| unexpected("decrypt", Err(seen), "ok"))
        });
    let computed = sealed[answer.offset..].to_vec();
    let complaint = if steps.is_err() {
        steps.err()
    } else if computed != answer.ciphertext {
        Some(different("encrypt", &computed, &answer.ciphertext))
    } else if opened != message {
        Some(different("decrypt", &opened, &message))
    } else {
        None
    };
    (computed, complaint)
}

/// A forged message must be refused, and nothing of it released.
fn check_invalid(implementation: &Implementation, answer: &Answer) -> Result<(), String> {
    let mut keyed = implementation.keyed();
    keyed
        .set_key(&answer.key)
        .map_err(|seen| unexpected("key setup", Err(seen), "ok"))?;
    let mut opened = vec![0xff; answer.ciphertext.len().saturating_sub(implementation.tag_bytes)];
    let seen = keyed.decrypt(&answer.nonce, &answer.data, &answer.ciphertext, &mut opened);
    if seen != Err(Refusal::AuthenticationFailed) {
        return Err(unexpected("decrypt", seen, Refusal::AuthenticationFailed.name()));
    }
    if opened.iter().any(|byte| *byte != 0) {
        return Err(format!(
            "decrypt rejected the message but released {}",
            hex::lower(&opened)
        ));
    }
    Ok(())
}

/// Key setup must refuse, or the direction that the vector has the input of.
fn check_bad_length(implementation: &Implementation, answer: &Answer) -> Result<(), String> {
    let mut keyed = implementation.keyed();
    let mut seen = keyed.set_key(&answer.key);
    if seen.is_ok() && answer.ciphertext.is_empty() {
        let mut sealed = vec![0; answer.plaintext.len() + implementation.tag_bytes];
        seen = keyed.encrypt(&answer.nonce, &answer.data, &answer.plaintext, &mut sealed);
    } else if seen.is_ok() {
        let mut opened = vec![0; answer.ciphertext.len().saturating_sub(implementation.tag_bytes)];
        seen = keyed.decrypt(&answer.nonce, &answer.data, &answer.ciphertext, &mut opened);
    }
    if seen == Err(Refusal::BadLength) {
        Ok(())
    } else {
        Err(unexpected("a wrong length", seen, Refusal::BadLength.name()))
    }
}

fn unexpected(step: &str, seen: Result<(), Refusal>, expected: &str) -> String {
    let seen = seen.err().map_or("ok", Refusal::name);
    format!("{step} gave {seen}, expected {expected}")
}

fn different(step: &str, seen: &[u8], expected: &[u8]) -> String {
    format!(
        "{step} gave {}, expected {}",
        hex::lower(seen),
        hex::lower(expected)
    )
}
