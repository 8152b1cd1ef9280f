import Glibc

@testable import Store

extension OpenFile {
    /// One that fails to read as a bad sector does: nothing is mapped at the first pages of a process.
    static func unreadable() throws -> OpenFile {
        let descriptor = Glibc.open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreError.failure("opening /proc/self/mem") }
        return OpenFile(descriptor: descriptor)
    }
}
