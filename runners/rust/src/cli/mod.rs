//! The command line of a runner, protocol version 1 (runners/README.md).

mod crypt;
mod inputs;
mod json;
mod kat;
mod latency;
mod latency_case;
mod list;
mod options;
mod process;
mod process_report;
mod timing;

use crate::failure::{Failure, Kind};
use crate::measure::Phases;
use crate::provider::{self, Implementation, VERSION};
use json::Json;
use options::{usage, Arguments};
use std::io::Write;

/// The reasons for what is absent in each report.
const NO_COUNTERS: &str = "Rust's standard library cannot read hardware counters";
const NO_CLOCK: &str = "Rust has no chain of multiplications to find the clock with";
const NO_COLLECTOR: &str = "Rust has no garbage collector";
const COUNTERS: [&str; 6] = [
    "branch_misses",
    "cache_misses",
    "task_clock_ns",
    "page_faults",
    "context_switches",
    "cpu_migrations",
];

/// A command of the program.
struct Command {
    name: &'static str,
    summary: &'static str,
    required: &'static [&'static str],
    optional: &'static [&'static str],
    operations: &'static [&'static str],
    execute: fn(&Arguments, &mut Phases) -> Result<(), Failure>,
}

const COMMANDS: [Command; 6] = [
    Command {
        name: "list",
        summary: "Describe the implementations and the build, as JSON",
        required: &[],
        optional: &[],
        operations: &[],
        execute: list::execute,
    },
    Command {
        name: "crypt",
        summary: "Encrypt or decrypt one message; the output of an AEAD is ciphertext and tag",
        required: &["--algorithm", "--operation", "--key", "--in", "--out"],
        optional: &["--variant", "--nonce", "--ad"],
        operations: &["encrypt", "decrypt"],
        execute: crypt::execute,
    },
    Command {
        name: "kat",
        summary: "Check every known answer of an algorithm and print what was computed",
        required: &["--algorithm"],
        optional: &["--variant"],
        operations: &[],
        execute: kat::execute,
    },
    Command {
        name: "process",
        summary: "Read a file, encrypt and decrypt it, then verify and report, as JSON",
        required: &["--algorithm", "--in"],
        optional: &["--variant", "--key", "--nonce"],
        operations: &[],
        execute: process::execute,
    },
    Command {
        name: "latency",
        summary: "Time calls inside one process, as JSON",
        required: &["--algorithm", "--operation"],
        optional: &[
            "--variant",
            "--length",
            "--ad-length",
            "--key",
            "--nonce",
            "--fill",
            "--key-fill",
            "--key-setup",
            "--min-time-ms",
            "--timings",
        ],
        operations: &["encrypt", "decrypt", "key-setup"],
        execute: latency::execute,
    },
    Command {
        name: "noop",
        summary: "Do what 'process' does without the cipher",
        required: &["--in"],
        optional: &[],
        operations: &[],
        execute: process::execute_noop,
    },
];

/// Executes the command that the words name and returns the exit code; an error becomes one JSON line on stderr.
pub fn run(words: Vec<String>, phases: &mut Phases) -> i32 {
    // A caller expects an error line in place of the message of a panic.
    std::panic::set_hook(Box::new(|_| {}));
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| dispatch(&words, phases)));
    let failure = match outcome {
        Ok(Ok(())) => return 0,
        Ok(Err(failure)) => failure,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
            Failure::internal(text.unwrap_or_else(|| "the program failed without a message".to_string()))
        }
    };
    let line = Json::object([
        ("error", failure.kind.name().into()),
        ("detail", failure.detail.into()),
    ]);
    // If standard error is closed too, the exit code still reports the failure.
    let _ = writeln!(std::io::stderr(), "{line}");
    failure.kind.exit_code()
}

fn dispatch(words: &[String], phases: &mut Phases) -> Result<(), Failure> {
    let (first, rest) = words
        .split_first()
        .ok_or_else(|| usage("A subcommand is required"))?;
    match first.as_str() {
        "--help" | "-h" => return print(&options::program_help(&COMMANDS)),
        "--version" => return print(&format!("{VERSION}\n")),
        _ => {}
    }
    let command = COMMANDS.iter().find(|command| command.name == first);
    let command = command.ok_or_else(|| usage(format!("'{first}' is no subcommand")))?;
    if rest.iter().any(|word| word == "--help" || word == "-h") {
        return print(&command.help());
    }
    (command.execute)(&command.parse(rest)?, phases)
}

fn implementation(arguments: &Arguments) -> Result<Implementation, Failure> {
    provider::select(
        arguments.get("--algorithm").unwrap_or_default(),
        arguments.get("--variant"),
    )
}

fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|_| Failure::new(Kind::Internal, "standard output cannot be written"))
}
