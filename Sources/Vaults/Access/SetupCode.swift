import Glibc
import Sealing
import Store

/// The code that a device needs to create a vault: eight characters without look-alikes, kept in the data directory
/// (mode 0600). It gives a right, not a key: whoever can read it can read the folder anyway.
package struct SetupCode: Sendable {
    /// "XXXX-XXXX"
    package let text: String

    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    private static let letterCount = 8
    package static let fileName = "setup-code"

    /// Reads the code of a data directory, and makes one where there is none.
    static func load(dataPath: String) throws(VaultError) -> SetupCode {
        if let code = read(dataPath: dataPath) { return code }
        let path = dataPath + "/" + fileName
        let drawn = try translated { try randomBytes(letterCount) }.map { alphabet[Int($0 & 31)] }
        let text =
            String(decoding: drawn.prefix(4), as: UTF8.self) + "-" + String(decoding: drawn.suffix(4), as: UTF8.self)
        try SmallFile.write(path, Array((text + "\n").utf8))
        return SetupCode(text: text)
    }

    /// Nil where no daemon has made one yet, and for a file without a whole code: an empty one would be matched by an
    /// empty answer.
    package static func read(dataPath: String) -> SetupCode? {
        SmallFile.read(dataPath + "/" + fileName, limit: 64).flatMap { String(validating: $0, as: UTF8.self) }
            .map { SetupCode(text: String($0.prefix { $0 != "\n" })) }
            .flatMap { canonical($0.text).count == letterCount ? $0 : nil }
    }

    /// Compares what somebody typed: case, spaces and hyphens do not matter, nor do the look-alikes O, I, L.
    func matches(_ typed: String, for _: borrowing Guess) -> Bool {
        let expected = Self.canonical(text)
        let given = Self.canonical(typed)
        return given.withUnsafeBytes { given in expected.withUnsafeBytes { constantTimeEquals($0, given) } }
    }

    private static func canonical(_ text: String) -> [UInt8] {
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
