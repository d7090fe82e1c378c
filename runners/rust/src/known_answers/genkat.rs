//! The published files of the NIST generator.

use super::{Answer, Genkat};
use crate::hex::upper;
use crate::provider::Implementation;
use crate::sha256;

const LONGEST_BYTES: usize = 32;

/// A vector in the style of the generator.
pub fn record(count: usize, answer: &Answer, computed: &[u8]) -> String {
    format!(
        "Count = {count}\nKey = {}\nNonce = {}\nPT = {}\nAD = {}\nCT = {}\n",
        upper(&answer.key),
        upper(&answer.nonce),
        upper(&answer.plaintext),
        upper(&answer.data),
        upper(computed)
    )
}

/// Bytes that count up from the first one.
fn counting(count: usize, first: u8) -> Vec<u8> {
    (0..count).map(|i| first.wrapping_add(i as u8)).collect()
}

impl Genkat {
    /// Returns the text of the published file as the implementation computes it, or a complaint.
    pub fn generate(&self, implementation: &Implementation) -> Result<String, String> {
        let [nonce, plaintext, data] = if self.sp800_232 {
            [0x10, 0x20, 0x30]
        } else {
            [0; 3]
        };
        let mut answer = Answer::at(0);
        answer.key = counting(implementation.key_bytes, 0);
        answer.nonce = counting(implementation.nonce_bytes, nonce);
        let mut keyed = implementation.keyed();
        keyed
            .set_key(&answer.key)
            .map_err(|seen| format!("key setup gave {}", seen.name()))?;
        let mut text = String::new();
        for plaintext_bytes in 0..=LONGEST_BYTES {
            for data_bytes in 0..=LONGEST_BYTES {
                answer.plaintext = counting(plaintext_bytes, plaintext);
                answer.data = counting(data_bytes, data);
                let mut sealed = vec![0; plaintext_bytes + implementation.tag_bytes];
                let mut opened = vec![0; plaintext_bytes];
                let returned = keyed
                    .encrypt(&answer.nonce, &answer.data, &answer.plaintext, &mut sealed)
                    .and_then(|()| keyed.decrypt(&answer.nonce, &answer.data, &sealed, &mut opened));
                if returned.is_err() || opened != answer.plaintext {
                    return Err(format!(
                        "a generated vector of {plaintext_bytes} bytes of plaintext and {data_bytes} of associated \
                         data: decryption did not return the plaintext"
                    ));
                }
                let count = plaintext_bytes * (LONGEST_BYTES + 1) + data_bytes + 1;
                text += &record(count, &answer, &sealed);
                text.push('\n');
            }
        }
        Ok(text)
    }

    /// Refuses a text that is not the published one.
    pub fn check(&self, text: &str) -> Result<(), String> {
        let seen = sha256::hex(text.as_bytes());
        if seen == self.sha256 {
            return Ok(());
        }
        let published = &self.sha256;
        Err(format!(
            "the generated vectors have SHA-256 {seen}, the published file has {published}"
        ))
    }
}
