import Foundation
import TestSupport
import Testing

@Suite("The cage")
struct CageTests {
    /// The programs that stand in it, and prove it of themselves: the cage holds whole processes only. The package manager
    /// builds them beside the bundle of the tests.
    @Test(
        "proves that nothing gets out of it",
        arguments: ["safelight-imaging", "safelight-imaging-video", "safelight-imaging-words", "safelight-archives"])
    func proof(of program: String) throws {
        let executable = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent(program)
        let (status, text) = try Program(executable.path, ["--prove-cage"]).finish()
        #expect(status == 0, "\(text)")
        let lines = text.split(separator: "\n")
        for attempt in [
            "open-file", "make-socket", "fork", "execute", "trace-parent", "signal-parent", "executable-memory",
            "allocate", "burn-processor", "raise-processor-limit",
        ] {
            #expect(lines.contains { $0.hasPrefix("\(attempt): refused") }, "\(attempt)")
        }
        // By the filter, not by whatever the kernel says of that.
        #expect(lines.contains("thread-of-another-kind: refused (ended by signal \(SIGSYS))"))
        // Root with all its rights always has the means; others where they may make a namespace.
        #expect(lines.contains { $0.hasPrefix("threads: refused") || $0.hasPrefix("threads: not limited here") })
    }
}
