import Glibc
import Printing
import Unlocking

/// Reads a password from the terminal without showing it, or one line of standard input when that is not a terminal.
enum PasswordPrompt {
    private static let limit = 1026

    /// - Throws: `VaultError` of a password that cannot be one.
    /// - Parameter descriptor: from which it is read, where that is another one than standard input.
    static func read(_ prompt: PrintableText, from descriptor: CInt = STDIN_FILENO) throws -> Password {
        let isTerminal = isatty(descriptor) == 1
        var before = termios()
        if isTerminal {
            Terminal.show(prompt)
            tcgetattr(descriptor, &before)
            var silent = before
            silent.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(descriptor, TCSAFLUSH, &silent)
        }
        defer {
            if isTerminal {
                tcsetattr(descriptor, TCSAFLUSH, &before)
                Terminal.show("\n")
            }
        }
        return try withUnsafeTemporaryAllocation(byteCount: limit, alignment: 8) { buffer in
            defer { explicit_bzero(buffer.baseAddress!, buffer.count) }
            let count = StandardInput.readLine(into: buffer, from: descriptor)
            return try Password(utf8: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }
}

/// Standard input, line by line.
enum StandardInput {
    /// Byte by byte: what follows the line is not ours to take.
    static func readLine(into buffer: UnsafeMutableRawBufferPointer, from descriptor: CInt = STDIN_FILENO) -> Int {
        var count = 0
        while count < buffer.count, Glibc.read(descriptor, buffer.baseAddress! + count, 1) == 1,
            buffer[count] != UInt8(ascii: "\n")
        {
            count += 1
        }
        return count
    }
}

/// Asks for something that is no secret.
enum LinePrompt {
    private static let limit = 256

    /// What was typed, without white space around it; empty at the end of the input.
    static func read(_ prompt: PrintableText) -> String {
        Terminal.show(prompt)
        return withUnsafeTemporaryAllocation(byteCount: limit, alignment: 1) { buffer in
            let count = StandardInput.readLine(into: buffer)
            let text = String(decoding: buffer[..<count], as: UTF8.self)
            return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
    }
}

/// One line on standard error that fills; on something that is no terminal, a line for each tenth.
struct ProgressBar {
    private static let width = 40
    private let label: String
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var shown = -1

    init(_ label: String) { self.label = label }

    mutating func show(_ done: UInt64, of total: UInt64) {
        let percent = total == 0 ? 100 : Int(Double(done) / Double(total) * 100)
        let step = isTerminal ? percent : percent / 10 * 10
        guard step != shown else { return }
        shown = step
        if isTerminal {
            let filled = Self.width * percent / 100
            let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: Self.width - filled)
            Terminal.show("\r\(label) \(bar) \(percent) %")
        } else {
            Terminal.show("\(label) \(step) %\n")
        }
    }

    func finish() { if isTerminal, shown >= 0 { Terminal.show("\n") } }
}
