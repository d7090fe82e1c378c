//! The vectors of runners/vectors, and the check of an implementation with them.

mod check;
mod genkat;

pub use check::check;
pub use genkat::record;

use crate::failure::Failure;
use crate::hex;

/// The longest message before a vector's plaintext: it is encrypted, in memory.
const MAX_OFFSET_BYTES: usize = 1 << 28;

/// The result that the origin of a vector requires.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Expectation {
    Valid,
    Invalid,
    BadLength,
}

/// One block of a .vec file (runners/README.md has the format).
pub struct Answer {
    /// Of the block's first field, from 1.
    pub line: usize,
    pub key: Vec<u8>,
    pub nonce: Vec<u8>,
    pub data: Vec<u8>,
    pub plaintext: Vec<u8>,
    /// AEADs: followed by the tag.
    pub ciphertext: Vec<u8>,
    /// Bytes of zeros before the plaintext in the message.
    pub offset: usize,
    pub expectation: Expectation,
}

/// A published file of the NIST generator: whether it follows SP 800-232, and its SHA-256 in lower case.
pub struct Genkat {
    pub sp800_232: bool,
    pub sha256: String,
}

/// One algorithm's vectors.
pub struct File {
    pub answers: Vec<Answer>,
    pub genkat: Option<Genkat>,
}

/// Returns vectors/<algorithm>.vec, which is in the folder next to that of the program.
pub fn text(algorithm: &str) -> Result<String, Failure> {
    let program = std::env::current_exe()?;
    let folder = program.parent().and_then(|folder| folder.parent());
    let path = folder
        .unwrap_or(&program)
        .join("vectors")
        .join(format!("{algorithm}.vec"));
    std::fs::read_to_string(&path).map_err(|error| Failure::internal(format!("{}: {error}", path.display())))
}

/// Reads and parses the vectors of an algorithm.
pub fn load(algorithm: &str) -> Result<File, Failure> {
    let file = parse(&text(algorithm)?)
        .map_err(|complaint| Failure::internal(format!("{algorithm}.vec {complaint}")))?;
    if file.answers.is_empty() {
        return Err(Failure::internal(format!("{algorithm}.vec has no known answers")));
    }
    Ok(file)
}

fn parse(text: &str) -> Result<File, String> {
    let mut file = File {
        answers: Vec::new(),
        genkat: None,
    };
    let mut inside = false;
    for (number, line) in text.lines().enumerate() {
        let (number, line) = (number + 1, line.trim());
        inside &= !line.is_empty();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (name, value) = line
            .split_once('=')
            .ok_or_else(|| format!("line {number}: expected 'Field = value'"))?;
        let (name, value) = (name.trim(), value.trim());
        if name == "Genkat" {
            file.genkat =
                Some(parse_genkat(value).map_err(|complaint| format!("line {number}: {complaint}"))?);
            continue;
        }
        if !inside {
            file.answers.push(Answer::at(number));
            inside = true;
        }
        if let Some(answer) = file.answers.last_mut() {
            answer
                .set(name, value)
                .map_err(|complaint| format!("line {number}: {complaint}"))?;
        }
    }
    Ok(file)
}

fn parse_genkat(value: &str) -> Result<Genkat, String> {
    let refusal = || format!("Genkat is '{value}'; expected classic or sp800-232, and a SHA-256");
    let (rule, digest) = value.split_once(' ').ok_or_else(refusal)?;
    let digest = digest.trim();
    if !matches!(rule, "classic" | "sp800-232") || hex::decode(digest).map_or(true, |bytes| bytes.len() != 32)
    {
        return Err(refusal());
    }
    Ok(Genkat {
        sp800_232: rule == "sp800-232",
        sha256: digest.to_lowercase(),
    })
}

impl Answer {
    fn at(line: usize) -> Self {
        Answer {
            line,
            key: Vec::new(),
            nonce: Vec::new(),
            data: Vec::new(),
            plaintext: Vec::new(),
            ciphertext: Vec::new(),
            offset: 0,
            expectation: Expectation::Valid,
        }
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let field = match name {
            "Key" => &mut self.key,
            "Nonce" => &mut self.nonce,
            "AD" => &mut self.data,
            "PT" => &mut self.plaintext,
            "CT" => &mut self.ciphertext,
            "Offset" => {
                let offset = value.parse().ok().filter(|offset| *offset <= MAX_OFFSET_BYTES);
                let complaint = || format!("Offset is '{value}'; expected a number up to {MAX_OFFSET_BYTES}");
                self.offset = offset.ok_or_else(complaint)?;
                return Ok(());
            }
            "Result" => {
                self.expectation = match value {
                    "valid" => Expectation::Valid,
                    "invalid" => Expectation::Invalid,
                    "bad-length" => Expectation::BadLength,
                    _ => {
                        return Err(format!(
                            "Result is '{value}'; expected valid, invalid or bad-length"
                        ))
                    }
                };
                return Ok(());
            }
            _ => return Err(format!("unknown field '{name}'")),
        };
        *field = hex::decode(value).ok_or_else(|| format!("{name} is not hexadecimal"))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{parse, Expectation};

    #[test]
    fn a_blank_line_ends_a_vector() {
        let file =
            parse("# origin\nKey = 00\nCT = ff\n\nPT = 0102\nOffset = 3\nResult = bad-length\r\n").ok();
        let file = file.filter(|file| file.answers.len() == 2 && file.genkat.is_none());
        let answers = file.map(|file| file.answers).unwrap_or_default();
        assert_eq!(answers[0].ciphertext, [0xff]);
        assert_eq!(
            (answers[1].line, answers[1].offset, answers[1].plaintext.len()),
            (5, 3, 2)
        );
        assert!(answers[1].expectation == Expectation::BadLength);
    }

    #[test]
    fn what_is_not_understood_names_its_line() {
        for text in [
            "Key",
            "Key = 0",
            "Result = maybe",
            "Offset = 268435457",
            "Kei = 00",
            "Genkat = classic 00",
        ] {
            let complaint = parse(&format!("# first\n{text}\n")).err().unwrap_or_default();
            assert!(complaint.starts_with("line 2: "), "{text}: {complaint}");
        }
    }
}
