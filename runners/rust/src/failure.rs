//! Errors that end a command, each with a name and an exit code (runners/README.md).

use std::fmt;

/// The kinds of failure of protocol version 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Usage,
    UnknownAlgorithm,
    UnknownVariant,
    BadInput,
    AuthenticationFailed,
    NotVerified,
    Internal,
}

impl Kind {
    /// The name in the error line.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Usage => "usage",
            Kind::UnknownAlgorithm => "unknown-algorithm",
            Kind::UnknownVariant => "unknown-variant",
            Kind::BadInput => "bad-input",
            Kind::AuthenticationFailed => "authentication-failed",
            Kind::NotVerified => "not-verified",
            Kind::Internal => "internal",
        }
    }

    pub fn exit_code(self) -> i32 {
        match self {
            Kind::Usage => 2,
            Kind::UnknownAlgorithm | Kind::UnknownVariant => 3,
            Kind::BadInput => 4,
            Kind::AuthenticationFailed => 5,
            Kind::NotVerified => 6,
            Kind::Internal => 70,
        }
    }
}

/// Ends a command.
#[derive(Debug)]
pub struct Failure {
    pub kind: Kind,
    pub detail: String,
}

impl Failure {
    pub fn new(kind: Kind, detail: impl Into<String>) -> Self {
        Failure {
            kind,
            detail: detail.into(),
        }
    }

    pub fn bad_input(detail: impl Into<String>) -> Self {
        Failure::new(Kind::BadInput, detail)
    }

    pub fn internal(detail: impl fmt::Display) -> Self {
        Failure::new(Kind::Internal, detail.to_string())
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Failure::internal(error)
    }
}
