import Glibc
import Sealing
import Store
import Testing

@testable import Records

@Suite("What becomes of errors from below")
struct VaultErrorTests {
    @Test(
        "a failing disk, and a host without open files or memory, are no fault of the request",
        arguments: [EIO, ENODEV, ESTALE, EMFILE, ENFILE, ENOMEM, ENOENT, EACCES, EPERM, ENOTDIR, ELOOP, EHWPOISON])
    func failingHost(code: Int32) {
        #expect(VaultError(StoreError.ioFailed(operation: "pread", errno: code)) == .degraded)
        #expect(VaultError(StoreError.ioFailed(operation: "pread", errno: EINVAL)).code == "internal")
        #expect(VaultError(StoreError.ioFailed(operation: "ledger", errno: EBUSY)).code == "busy")
        #expect(VaultError(StoreError.ledgerDamaged("no page")) == .degraded)
        #expect(VaultError(SealingError.hostExhausted).code == "busy")
        #expect(VaultError(SealingError.memoryNotLockable(errno: ENOMEM)).code == "busy")
    }
}
