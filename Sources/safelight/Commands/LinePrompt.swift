import Glibc
import Printing

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
