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
