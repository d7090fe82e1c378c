use super::buffers::Mapping;
use super::system::{_exit, fork, prctl, waitpid, PR_SET_PDEATHSIG, SIGKILL};
use crate::failure::Failure;

/// Does the work in a child process and copies what it wrote to out: the code that it executes has not been executed
/// in this process afterwards, so that the first call here is still a first call.
pub fn compute_in_child(out: &mut [u8], work: impl FnOnce(&mut [u8]) -> bool) -> Result<(), Failure> {
    let mut shared = Mapping::new(out.len(), true, "the ciphertext needs")?;
    // SAFETY: this process has one thread, so that the child has all of it.
    let child = unsafe { fork() };
    if child < 0 {
        return Err(Failure::internal(format!(
            "fork: {}",
            std::io::Error::last_os_error()
        )));
    }
    if child == 0 {
        // SAFETY: the calls take no memory. A child must not outlive a killed parent.
        unsafe {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            _exit(i32::from(!work(shared.bytes_mut())));
        }
    }
    let mut outcome = -1;
    loop {
        // SAFETY: `outcome` is an int.
        let ended = unsafe { waitpid(child, &mut outcome, 0) };
        let interrupted = std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted;
        if ended >= 0 || !interrupted {
            break;
        }
    }
    if outcome != 0 {
        return Err(Failure::internal(
            "the process that prepares the ciphertext failed",
        ));
    }
    out.copy_from_slice(shared.bytes_mut());
    Ok(())
}
