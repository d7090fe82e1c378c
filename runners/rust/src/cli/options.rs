//! The options of all commands.

use super::Command;
use crate::failure::{Failure, Kind};
use crate::provider::NAME;
use std::collections::HashMap;

const MAX_DIGITS: usize = 18;

/// Values of an option.
enum Values {
    Any,
    Bytes,
    Milliseconds,
    Timings,
    OneOf(&'static [&'static str]),
}

const OPTIONS: [(&str, Values, &str); 15] = [
    ("--algorithm", Values::Any, "as 'list' names it: aes-192-ctr"),
    (
        "--variant",
        Values::Any,
        "as 'list' names it; the default one when absent",
    ),
    (
        "--operation",
        Values::Any,
        "encrypt or decrypt; 'latency' also: key-setup",
    ),
    ("--key", Values::Any, "hexadecimal"),
    ("--nonce", Values::Any, "hexadecimal"),
    ("--ad", Values::Any, "associated data, hexadecimal (AEADs)"),
    ("--in", Values::Any, "file to read"),
    ("--out", Values::Any, "file to write"),
    ("--length", Values::Bytes, "bytes of the message"),
    (
        "--ad-length",
        Values::Bytes,
        "bytes of associated data for AEADs (default: 0)",
    ),
    (
        "--fill",
        Values::OneOf(&["zero", "counter", "random"]),
        "contents of message and associated data: zero, counter (default) or random",
    ),
    (
        "--key-fill",
        Values::OneOf(&["zero", "counter"]),
        "contents of key and nonce: zero or counter (default)",
    ),
    (
        "--key-setup",
        Values::OneOf(&["apart", "included"]),
        "apart (default): a timed call processes the message; included: it sets the key first",
    ),
    (
        "--min-time-ms",
        Values::Milliseconds,
        "minimum duration of a timing in milliseconds, 0.1 to 10000 (default: 10)",
    ),
    (
        "--timings",
        Values::Timings,
        "how many timings, 1 to 10000; 10 when absent",
    ),
];

fn one_of(names: &[&str], value: &str) -> Result<(), String> {
    if names.contains(&value) {
        return Ok(());
    }
    Err(format!("'{value}' is not one of {}", names.join(", ")))
}

impl Values {
    /// Returns a complaint about a value that is not one of these.
    fn require(&self, value: &str) -> Result<(), String> {
        let good = match self {
            Values::Any => return Ok(()),
            Values::OneOf(names) => return one_of(names, value),
            Values::Bytes => {
                (1..=MAX_DIGITS).contains(&value.len()) && value.bytes().all(|digit| digit.is_ascii_digit())
            }
            Values::Milliseconds => value
                .parse()
                .map_or(false, |number: f64| (0.1..=10_000.0).contains(&number)),
            Values::Timings => value
                .parse()
                .map_or(false, |number: u64| (1..=10_000).contains(&number)),
        };
        match self {
            _ if good => Ok(()),
            Values::Bytes => Err(format!(
                "'{value}' is not a number of bytes: expected at most {MAX_DIGITS} digits"
            )),
            Values::Timings => Err(format!("Value {value} not in range 1 to 10000")),
            _ => Err(format!(
                "'{value}' is not a number of milliseconds from 0.1 to 10000"
            )),
        }
    }
}

/// The values of the options that were given.
pub struct Arguments(HashMap<String, String>);

impl Arguments {
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The value of an option whose `Values` refuse everything but a number.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.get(name)?.parse().ok()
    }
}

pub fn usage(what: impl std::fmt::Display) -> Failure {
    Failure::new(Kind::Usage, format!("{what}; --help lists the options"))
}

impl Command {
    /// Reads the words behind the name of the command.
    pub fn parse(&self, words: &[String]) -> Result<Arguments, Failure> {
        let mut given = HashMap::new();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let (name, attached) = word
                .split_once('=')
                .map_or((word.as_str(), None), |(name, value)| {
                    (name, Some(value.to_string()))
                });
            let known = self.required.iter().chain(self.optional).any(|one| *one == name);
            let option = OPTIONS.iter().find(|option| known && option.0 == name);
            let (_, values, _) =
                option.ok_or_else(|| usage(format!("The following argument was not expected: {name}")))?;
            let value = attached.or_else(|| words.next().cloned());
            let value = value.ok_or_else(|| usage(format!("{name}: 1 required TEXT missing")))?;
            values
                .require(&value)
                .map_err(|complaint| usage(format!("{name}: {complaint}")))?;
            if given.insert(name.to_string(), value).is_some() {
                return Err(usage(format!("{name}: At Most 1 required but received 2")));
            }
        }
        if let Some(missing) = self.required.iter().find(|name| !given.contains_key(**name)) {
            return Err(usage(format!("{missing} is required")));
        }
        if let Some(operation) = given.get("--operation") {
            one_of(self.operations, operation)
                .map_err(|complaint| usage(format!("--operation: {complaint}")))?;
        }
        Ok(Arguments(given))
    }

    pub fn help(&self) -> String {
        let mut text = format!(
            "{}\nUsage: ciphermark-{NAME} {} [OPTIONS]\n\nOptions:\n",
            self.summary, self.name
        );
        for (name, _, help) in &OPTIONS {
            if self.required.contains(name) {
                text += &format!("  {name:14} required: {help}\n");
            } else if self.optional.contains(name) {
                text += &format!("  {name:14} {help}\n");
            }
        }
        text
    }
}

pub fn program_help(commands: &[Command]) -> String {
    let mut text = format!(
        "Executes the implementations of the provider {NAME}.\n\
         Usage: ciphermark-{NAME} SUBCOMMAND [OPTIONS]\n\nSubcommands:\n"
    );
    for command in commands {
        text += &format!("  {:8} {}\n", command.name, command.summary);
    }
    text
}
