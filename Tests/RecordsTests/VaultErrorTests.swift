import Glibc
import Sealing
import Store
import Testing

@testable import Records

@Suite("What becomes of errors from below")
struct VaultErrorTests {
    @Test(
        "a failing disk is no fault of the request",
        arguments: [EIO, ENODEV, ESTALE, ENOENT, EACCES, EPERM, ENOTDIR, ELOOP, EHWPOISON])
    func failingHost(code: Int32) {
        #expect(VaultError(StoreError.ioFailed(operation: "pread", errno: code)) == .degraded)
        #expect(VaultError(StoreError.ioFailed(operation: "pread", errno: EINVAL)).code == "internal")
        #expect(VaultError(StoreError.ioFailed(operation: "ledger", errno: EBUSY)).code == "busy")
        #expect(VaultError(StoreError.ledgerDamaged("no page")) == .degraded)
        #expect(VaultError(SealingError.hostExhausted).code == "busy")
        #expect(VaultError(SealingError.memoryNotLockable(errno: ENOMEM)).code == "busy")
    }

    @Test(
        "a host without open files or memory is busy: its disk is not to blame",
        arguments: [EMFILE, ENFILE, ENOMEM, ENOBUFS])
    func shortOfFiles(code: Int32) {
        #expect(VaultError(StoreError.ioFailed(operation: "openat", errno: code)).code == "busy")
    }
}
