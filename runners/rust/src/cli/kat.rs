//! Every known answer, or the published file of the algorithm where there is one, and nothing else.

use super::options::Arguments;
use super::{implementation, print};
use crate::failure::{Failure, Kind};
use crate::known_answers::{self, Answer, Expectation};
use crate::measure::Phases;

pub fn execute(arguments: &Arguments, _phases: &mut Phases) -> Result<(), Failure> {
    let implementation = implementation(arguments)?;
    let algorithm = &implementation.algorithm;
    let file = known_answers::load(algorithm)?;
    let not_verified = |complaint: String| Failure::new(Kind::NotVerified, complaint);
    if let Some(genkat) = &file.genkat {
        let text = genkat.generate(&implementation).map_err(not_verified)?;
        print(&text)?;
        genkat.check(&text).map_err(not_verified)?;
    }
    let mut text = String::new();
    for (i, answer) in file.answers.iter().enumerate() {
        let (computed, complaint) = known_answers::check(&implementation, answer);
        text += &described(i + 1, answer, &computed);
        if let Some(complaint) = complaint {
            if file.genkat.is_none() {
                print(&text)?;
            }
            let (count, line) = (i + 1, answer.line);
            return Err(not_verified(format!(
                "vector {count} ({algorithm}.vec line {line}): {complaint}"
            )));
        }
    }
    if file.genkat.is_none() {
        print(&text)?;
    }
    Ok(())
}

fn described(count: usize, answer: &Answer, computed: &[u8]) -> String {
    let mut text = known_answers::record(count, answer, computed);
    if answer.offset != 0 {
        text += &format!("Offset = {}\n", answer.offset);
    }
    match answer.expectation {
        Expectation::Valid => {}
        Expectation::Invalid => text += "Result = invalid\n",
        Expectation::BadLength => text += "Result = bad-length\n",
    }
    text.push('\n');
    text
}
