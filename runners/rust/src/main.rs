//! The ciphers of this folder behind the protocol of a language (runners/README.md).

mod ciphers;
mod hex;
mod program;
mod provider;

fn main() {
    std::process::exit(program::serve());
}
