//! Serves requests on standard input, each a line and the bytes behind it, and answers on standard output.

mod buffer;
mod list;
mod work;

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, ErrorKind, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::str::FromStr;

use crate::hex;
use crate::provider::{implementations, Implementation, Refusal};
use work::{monotonic_ns, Work};

/// Exit code where the driver has ended.
const NO_DRIVER: i32 = 70;
/// Fields of the longest request, `prepare`. The last one is the rest of the line.
const MAX_FIELDS: usize = 9;

/// A line without its end, and the bytes behind it.
type Answer<'a> = (String, &'a [u8]);

/// An error of the protocol: its name and a sentence.
pub struct Failure(&'static str, String);

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let (name, sentence) = match refusal {
            Refusal::BadLength => ("bad-length", "the algorithm does not take this length"),
            Refusal::AuthenticationFailed => ("authentication-failed", "the tag does not match"),
        };
        Failure(name, sentence.to_string())
    }
}

/// A request that the protocol does not have.
fn internal(sentence: &str) -> Failure {
    Failure("internal", sentence.to_string())
}

/// Serves requests until `exit` or the end of the input; returns the exit code.
pub fn serve() -> i32 {
    // The answer takes the place of the message of a panic.
    std::panic::set_hook(Box::new(|_| {}));
    let implementations = implementations();
    let mut program = Program {
        implementations: &implementations,
        work: None,
    };
    program
        .serve(&mut io::stdin().lock(), &mut io::stdout().lock())
        .unwrap_or(NO_DRIVER)
}

struct Program<'a> {
    implementations: &'a [Implementation],
    /// Absent until a message is prepared.
    work: Option<Work<'a>>,
}

impl<'a> Program<'a> {
    fn serve(&mut self, input: &mut impl BufRead, output: &mut impl Write) -> io::Result<i32> {
        let mut line = Vec::new();
        loop {
            line.clear();
            if input.read_until(b'\n', &mut line)? == 0 {
                return Ok(NO_DRIVER);
            }
            let request = line.strip_suffix(b"\n").unwrap_or(&line);
            let fields: Vec<&[u8]> = request.splitn(MAX_FIELDS, |byte| *byte == b' ').collect();
            if let [b"exit", code] = fields[..] {
                return Ok(number(code).unwrap_or(NO_DRIVER));
            }
            let mut body = input.by_ref().take(body_bytes(&fields));
            let answered = catch_unwind(AssertUnwindSafe(|| self.answer(&fields, &mut body, output)));
            answered.unwrap_or_else(|_| writeln!(output, "error internal the program panicked"))?;
            output.flush()?;
            // What a refused request left unread is no request.
            io::copy(&mut body, &mut io::sink())?;
        }
    }

    fn answer(&mut self, fields: &[&[u8]], body: &mut impl Read, output: &mut impl Write) -> io::Result<()> {
        match self.execute(fields, body) {
            Ok((text, bytes)) => {
                writeln!(output, "{text}")?;
                output.write_all(bytes)
            }
            Err(Failure(name, sentence)) => writeln!(output, "error {name} {sentence}"),
        }
    }

    fn execute(&mut self, fields: &[&[u8]], body: &mut impl Read) -> Result<Answer<'_>, Failure> {
        match fields {
            [b"list"] => Ok((list::text(self.implementations), &[])),
            [b"prepare", rest @ ..] => {
                let rest = rest.try_into();
                let rest = rest.map_err(|_| internal("prepare has too few fields"))?;
                Ok((self.prepare(rest, body)?, &[]))
            }
            [b"time", operations, iterations, timings] => {
                let (iterations, timings) = (number(iterations)?, number(timings)?);
                Ok((self.prepared()?.time(operations, iterations, timings)?, &[]))
            }
            [b"output", name] => {
                let bytes = self.prepared()?.buffer(name)?;
                Ok((format!("ok {}", bytes.len()), bytes))
            }
            _ => Err(internal("there is no such request")),
        }
    }

    fn prepared(&mut self) -> Result<&mut Work<'a>, Failure> {
        let work = self.work.as_mut();
        work.ok_or_else(|| internal("no message was prepared"))
    }

    fn prepare(&mut self, fields: [&[u8]; MAX_FIELDS - 1], body: &mut impl Read) -> Result<String, Failure> {
        let [algorithm, variant, key, nonce, data_bytes, name, bytes, source] = fields;
        // Two messages need not fit the memory.
        self.work = None;
        let implementation = self.select(algorithm, variant)?;
        let tag_bytes = implementation.map_or(0, |one| one.tag_bytes);
        let message_bytes = match name {
            b"ciphertext" => number::<usize>(bytes)?.checked_sub(tag_bytes),
            _ => Some(number(bytes)?),
        };
        let message_bytes = message_bytes.ok_or(Refusal::BadLength)?;
        let (key, nonce) = (from_hex(key)?, from_hex(nonce)?);
        let data =
            read_data(body, number(data_bytes)?).map_err(|error| described("the associated data", &error))?;
        let begin = monotonic_ns();
        let work = Work::new(implementation, key, nonce, data, message_bytes)
            .map_err(|error| described("the three buffers", &error))?;
        let work = self.work.insert(work);
        let buffer = work.buffer(name)?;
        let path = OsStr::from_bytes(source);
        let read = match source {
            b"-" => fill(buffer, body),
            _ => File::open(path).and_then(|mut file| fill(buffer, &mut file)),
        };
        let read = read.map_err(|error| described(&path.to_string_lossy(), &error))?;
        Ok(format!("ok {read} {}", monotonic_ns() - begin))
    }

    /// Returns the implementation of these names, and none for the algorithm `-`.
    fn select(&self, algorithm: &[u8], variant: &[u8]) -> Result<Option<&'a Implementation>, Failure> {
        if algorithm == b"-" {
            return Ok(None);
        }
        let is_named = |one: &&Implementation| {
            one.algorithm.as_bytes() == algorithm && one.variant.as_bytes() == variant
        };
        let found = self.implementations.iter().find(is_named);
        found.map_or_else(
            || Err(internal("there is no such implementation")),
            |one| Ok(Some(one)),
        )
    }
}

/// Number of bytes behind the line of a request.
fn body_bytes(fields: &[&[u8]]) -> u64 {
    match fields {
        [b"prepare", .., data_bytes, _, bytes, source] => {
            let content = if *source == b"-" { number(bytes) } else { Ok(0) };
            number(data_bytes).unwrap_or(0u64) + content.unwrap_or(0)
        }
        _ => 0,
    }
}

fn number<N: FromStr>(field: &[u8]) -> Result<N, Failure> {
    let text = std::str::from_utf8(field).ok();
    let number = text.and_then(|text| text.parse().ok());
    number.ok_or_else(|| internal("a field is not a number"))
}

fn from_hex(field: &[u8]) -> Result<Vec<u8>, Failure> {
    if field == b"-" {
        return Ok(Vec::new());
    }
    let bytes = std::str::from_utf8(field).ok().and_then(hex::decode);
    bytes.ok_or_else(|| internal("a field is not hexadecimal"))
}

fn read_data(body: &mut impl Read, bytes: usize) -> io::Result<Vec<u8>> {
    let mut data = Vec::new();
    data.try_reserve_exact(bytes)
        .map_err(|_| ErrorKind::OutOfMemory)?;
    body.take(bytes as u64).read_to_end(&mut data)?;
    Ok(data)
}

/// Reads until the buffer is full or the source ends; returns the number of bytes.
fn fill(buffer: &mut [u8], source: &mut impl Read) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match source.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(bytes) => filled += bytes,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// The kernel's reason without its number.
fn described(what: &str, error: &io::Error) -> Failure {
    let reason = error.to_string();
    let reason = reason.split(" (os error").next().unwrap_or_default();
    Failure("bad-input", format!("{what}: {reason}"))
}
