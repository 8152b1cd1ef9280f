import Foundation
import Testing

@Suite("The cage")
struct CageTests {
    @Test("proves that nothing gets out of it")
    func proof() throws {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: Surroundings.executable)
        process.arguments = ["--prove-cage"]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text)")
        let lines = text.split(separator: "\n")
        for attempt in [
            "open-file", "make-socket", "fork", "execute", "trace-parent", "signal-parent", "executable-memory",
            "allocate", "burn-processor",
        ] {
            #expect(lines.contains { $0.hasPrefix("\(attempt): refused") }, "\(attempt)")
        }
    }
}
