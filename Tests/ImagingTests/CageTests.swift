import TestSupport
import Testing

@Suite("The cage")
struct CageTests {
    @Test("proves that nothing gets out of it")
    func proof() throws {
        let (status, text) = try Program(Surroundings.executable, ["--prove-cage"]).finish()
        #expect(status == 0, "\(text)")
        let lines = text.split(separator: "\n")
        for attempt in [
            "open-file", "make-socket", "fork", "execute", "trace-parent", "signal-parent", "executable-memory",
            "allocate", "burn-processor",
        ] {
            #expect(lines.contains { $0.hasPrefix("\(attempt): refused") }, "\(attempt)")
        }
        // Root with all its rights always has the means; others where they may make a namespace.
        #expect(lines.contains { $0.hasPrefix("threads: refused") || $0.hasPrefix("threads: not limited here") })
    }
}
