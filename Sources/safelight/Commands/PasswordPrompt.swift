import Glibc
import Printing
import Unlocking

/// Reads a password from the terminal without showing it, or one line of standard input when that is not a terminal.
enum PasswordPrompt {
    private static let limit = 1026

    /// - Throws: `VaultError` of a password that cannot be one.
    static func read(_ prompt: PrintableText) throws -> Password {
        let isTerminal = isatty(STDIN_FILENO) == 1
        var before = termios()
        if isTerminal {
            Terminal.show(prompt)
            tcgetattr(STDIN_FILENO, &before)
            var silent = before
            silent.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        }
        defer {
            if isTerminal {
                tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
                Terminal.show("\n")
            }
        }
        return try withUnsafeTemporaryAllocation(byteCount: limit, alignment: 8) { buffer in
            defer { explicit_bzero(buffer.baseAddress!, buffer.count) }
            let count = StandardInput.readLine(into: buffer)
            return try Password(utf8: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }
}
