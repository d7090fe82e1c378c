//! Executes the ciphers of this folder by the runner contract, protocol version 1.

mod ciphers;
mod cli;
mod failure;
mod hex;
mod known_answers;
mod measure;
mod provider;
mod sha256;

fn main() {
    // First of all: here the phase "start" ends.
    let mut phases = measure::Phases::begin();
    // Paths may hold bytes that are not UTF-8; such a path cannot be opened and is named by its replacement.
    let words = std::env::args_os()
        .skip(1)
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    std::process::exit(cli::run(words, &mut phases));
}
