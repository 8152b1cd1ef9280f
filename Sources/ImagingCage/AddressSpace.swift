import Glibc

/// How much this process has mapped, read from a file that is opened while files can be opened.
struct AddressSpace {
    private let descriptor: CInt

    init?() {
        descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
    }

    /// The first number of proc(5)'s `statm`, which counts pages.
    func mappedByteCount() -> UInt64? {
        var text = [UInt8](repeating: 0, count: 128)
        let count = pread(descriptor, &text, text.count, 0)
        guard count > 0 else { return nil }
        let digits = text[..<count].prefix { (0x30...0x39).contains($0) }
        guard let pages = UInt64(String(decoding: digits, as: UTF8.self)) else { return nil }
        return pages * UInt64(sysconf(CInt(_SC_PAGESIZE)))
    }

    func closeFile() { _ = Glibc.close(descriptor) }
}
