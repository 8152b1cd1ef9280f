import Glibc
import Records
import Sealing
import Store

/// The code that a device needs to create a vault: eight characters without look-alikes, kept in the data directory
/// (mode 0600) with the last day on which it counts. It gives a right, not a key: whoever can read it can read the folder
/// anyway. It has an end, for it is shown on screens and in pictures, which last.
package struct SetupCode: Equatable, Sendable {
    /// "XXXX-XXXX"
    package let text: String
    /// Days since 1970.
    package let lastDay: UInt32

    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    private static let letterCount = 8
    /// How many days a code counts beyond the one on which it is made.
    package static let days: UInt32 = 7
    package static let fileName = "setup-code"

    /// Reads the code of a data directory, and makes one where there is none that counts.
    package static func load(dataPath: String, today: UInt32) throws -> SetupCode {
        if let code = read(dataPath: dataPath), code.counts(on: today) { return code }
        return try renew(dataPath: dataPath, today: today)
    }

    /// Makes another code; the former one counts no more.
    package static func renew(dataPath: String, today: UInt32) throws -> SetupCode {
        let drawn = try randomBytes(letterCount).map { alphabet[Int($0 & 31)] }
        let text =
            String(decoding: drawn.prefix(4), as: UTF8.self) + "-" + String(decoding: drawn.suffix(4), as: UTF8.self)
        let code = SetupCode(text: text, lastDay: today + days)
        try SmallFile.write(dataPath + "/" + fileName, Array("\(code.text)\n\(code.lastDay)\n".utf8))
        return code
    }

    /// Nil where no daemon has made one yet, and for a file without a whole code: an empty one would be matched by an
    /// empty answer.
    package static func read(dataPath: String) -> SetupCode? {
        let lines = SmallFile.read(dataPath + "/" + fileName, limit: 64)
            .flatMap { String(validating: $0, as: UTF8.self) }?.split(separator: "\n")
        guard let text = lines?.first, canonical(text).count == letterCount else { return nil }
        return SetupCode(text: String(text), lastDay: lines?.dropFirst().first.flatMap { UInt32($0) } ?? 0)
    }

    /// One that was made while the clock was ahead does not count for longer than any other.
    package func counts(on today: UInt32) -> Bool { (today...today + Self.days).contains(lastDay) }

    /// Compares what somebody typed: case, spaces and hyphens do not matter, nor do the look-alikes O, I, L.
    package func matches(_ typed: String, for _: borrowing Guess) -> Bool {
        let expected = Self.canonical(text)
        let given = Self.canonical(typed)
        return given.withUnsafeBytes { given in expected.withUnsafeBytes { constantTimeEquals($0, given) } }
    }

    private static func canonical(_ text: some StringProtocol) -> [UInt8] {
        text.utf8.prefix(64).compactMap { byte in
            switch byte {
            case 0x61...0x7A: lookAlike(byte & 0xDF)
            case 0x41...0x5A, 0x30...0x39: lookAlike(byte)
            default: nil
            }
        }
    }

    private static func lookAlike(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "O"): UInt8(ascii: "0")
        case UInt8(ascii: "I"), UInt8(ascii: "L"): UInt8(ascii: "1")
        default: byte
        }
    }
}
