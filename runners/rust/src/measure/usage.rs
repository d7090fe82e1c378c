use super::system::{getrusage, Rusage, Timeval, RUSAGE_SELF};
use std::io::Read;

const KIBIBYTE: i64 = 1024;

/// What the kernel counted since the process was made.
#[derive(Clone, Default)]
pub struct Usage {
    pub user_us: i64,
    pub system_us: i64,
    pub minor_faults: i64,
    pub major_faults: i64,
    pub voluntary_switches: i64,
    pub involuntary_switches: i64,
}

impl Usage {
    pub fn read() -> Self {
        let mut usage = Rusage::default();
        // SAFETY: `usage` is a struct rusage. The call cannot fail for this process.
        unsafe { getrusage(RUSAGE_SELF, &mut usage) };
        let microseconds = |time: &Timeval| time.seconds as i64 * 1_000_000 + time.microseconds as i64;
        Usage {
            user_us: microseconds(&usage.user),
            system_us: microseconds(&usage.system),
            minor_faults: usage.minor_faults as i64,
            major_faults: usage.major_faults as i64,
            voluntary_switches: usage.voluntary_switches as i64,
            involuntary_switches: usage.involuntary_switches as i64,
        }
    }
}

/// A usage and the memory at one moment; memory is absent where /proc cannot be read.
#[derive(Clone, Default)]
pub struct Resources {
    pub usage: Usage,
    pub rss_bytes: Option<i64>,
    pub peak_rss_bytes: Option<i64>,
    /// By this reading.
    pub instrument_read_bytes: i64,
}

impl Resources {
    /// Reads the usage first: the reading of memory must not count in it.
    pub fn read() -> Self {
        let usage = Usage::read();
        let mut memory = [0; 4096];
        let read = std::fs::File::open("/proc/self/status").and_then(|mut file| file.read(&mut memory));
        let text = String::from_utf8_lossy(&memory[..read.unwrap_or(0)]);
        Resources {
            usage,
            rss_bytes: kibibytes_after(&text, "VmRSS:"),
            peak_rss_bytes: kibibytes_after(&text, "VmHWM:"),
            instrument_read_bytes: text.len() as i64,
        }
    }
}

/// The number behind a label such as "VmRSS:".
fn number_after(text: &str, label: &str) -> Option<i64> {
    let rest = text[text.find(label)? + label.len()..].trim_start();
    let digits = rest
        .find(|character: char| !character.is_ascii_digit())
        .unwrap_or(rest.len());
    rest[..digits].parse().ok()
}

fn kibibytes_after(text: &str, label: &str) -> Option<i64> {
    number_after(text, label).map(|kibibytes| kibibytes * KIBIBYTE)
}

/// MemAvailable.
pub fn available_memory_bytes() -> Option<i64> {
    kibibytes_after(&std::fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

/// What this process read and wrote, from /proc/self/io; absent with the reason.
pub struct InputOutput {
    pub read_bytes: Option<i64>,
    pub written_bytes: Option<i64>,
    pub storage_read_bytes: Option<i64>,
    pub storage_written_bytes: Option<i64>,
    pub reason: Option<String>,
}

impl InputOutput {
    pub fn read() -> Self {
        let read = std::fs::read_to_string("/proc/self/io");
        let text = read.as_deref().unwrap_or_default();
        // Some labels end like others ("cancelled_write_bytes:"): those begin with the line feed before them.
        let labels = ["rchar:", "wchar:", "\nread_bytes:", "\nwrite_bytes:"];
        let [read_bytes, written_bytes, storage_read_bytes, storage_written_bytes] =
            labels.map(|label| number_after(text, label));
        let lacks = [
            read_bytes,
            written_bytes,
            storage_read_bytes,
            storage_written_bytes,
        ]
        .contains(&None);
        let reason = match &read {
            Err(error) => Some(format!("/proc/self/io: {error}")),
            Ok(_) if lacks => Some(
                "/proc/self/io lacks a line, expected rchar, wchar, read_bytes and write_bytes".to_string(),
            ),
            Ok(_) => None,
        };
        InputOutput {
            read_bytes,
            written_bytes,
            storage_read_bytes,
            storage_written_bytes,
            reason,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::number_after;

    #[test]
    fn a_number_is_found_behind_its_own_label() {
        let text = "rchar: 12\nread_bytes: 3\ncancelled_write_bytes: 4\nwrite_bytes: 5\n";
        assert_eq!(number_after(text, "rchar:"), Some(12));
        assert_eq!(number_after(text, "\nwrite_bytes:"), Some(5));
        assert_eq!(number_after(text, "VmRSS:"), None);
        assert_eq!(number_after("VmRSS: none", "VmRSS:"), None);
    }
}
