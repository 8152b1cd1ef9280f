import Glibc
import Printing

/// Standard output and standard error, unbuffered: a line is out when the call returns.
enum Terminal {
    static func print(_ text: PrintableText) { write("\(text)\n", to: STDOUT_FILENO) }
    static func complain(_ text: PrintableText) { write("safelight: \(text)\n", to: STDERR_FILENO) }
    /// Without a line end, on standard error.
    static func show(_ text: PrintableText) { write(text, to: STDERR_FILENO) }

    /// A closed or full terminal loses the text and nothing else.
    private static func write(_ text: PrintableText, to descriptor: Int32) {
        var rest = Array(text.string.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
        }
    }
}
