import Bytes

/// The keys that a window's secret of 32 bytes gives. What visitors hold is the token; all that opens the list of photos
/// comes from the secret, so that the owner writes it without knowing the password.
package enum WindowSecret {
    package static let byteCount = 32
    package static let tokenByteCount = 16

    /// What visitors hold, 16 bytes.
    package static func token(of secret: borrowing SecretBytes) throws -> SecretBytes {
        try deriveKey(labelled: "window token", from: secret).withUnsafeBytes {
            try SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[..<tokenByteCount]))
        }
    }

    /// Stands for a file key of the list's object, 32 bytes.
    /// - Parameter generation: another one with each password.
    package static func listKey(of secret: borrowing SecretBytes, generation: UInt64) throws -> SecretBytes {
        try deriveKey(labelled: "window list/\(generation)", from: secret)
    }

    /// Seals what a window says of itself.
    package static func noticeKey(of token: borrowing SecretBytes) throws -> SecretBytes {
        try HKDFSHA512.expand(token, info: Array("safelight/v1/window notice".utf8), count: 32)
    }

    package static let ticketByteCount = 16
    /// A random key, which no visitor has.
    package static let ticketKeyByteCount = 32

    /// Says that a browser was counted: the day, 4 bytes, and 12 by which nobody else can make one.
    /// - Parameter key: 32 random bytes of the window's row. All that visitors hold would let them count themselves.
    package static func ticket(under key: borrowing SecretBytes, on day: UInt32) throws -> [UInt8] {
        var mac = try HMACSHA256(key: key)
        return day.bigEndianBytes + (try mac.authenticate(day.bigEndianBytes)).prefix(ticketByteCount - 4)
    }

    /// The day of a ticket; nil for one that was not made with this key.
    package static func day(ofTicket ticket: [UInt8], under key: borrowing SecretBytes) throws -> UInt32? {
        var reader = ByteReader(ticket)
        guard let day = reader.readUInt32() else { return nil }
        let expected = try self.ticket(under: key, on: day)
        let isOwn = ticket.withUnsafeBytes { one in expected.withUnsafeBytes { constantTimeEquals(one, $0) } }
        return isOwn ? day : nil
    }

    /// Seals the list's key where no password is asked for.
    package static func lockKey(of token: borrowing SecretBytes) throws -> SecretBytes {
        try lockKey(of: token, with: try SecretBytes(count: 0) { _ in })
    }

    /// Seals the list's key.
    /// - Parameter stretched: of the password; empty where there is none.
    static func lockKey(
        of token: borrowing SecretBytes, with stretched: borrowing SecretBytes
    ) throws -> SecretBytes {
        let joined = try token.withUnsafeBytes { try HKDFSHA512.extract(salt: $0, keyMaterial: stretched) }
        return try HKDFSHA512.expand(joined, info: Array("safelight/v1/window key".utf8), count: 32)
    }

    /// Under which passwords of windows are stretched: another salt than that of vaults, so that what is computed for one
    /// says nothing of the other.
    package static func salt(ofHost hostSalt: [UInt8]) throws -> [UInt8] {
        Array(try SHA256Hasher.hash(hostSalt + Array("window".utf8)).prefix(16))
    }
}
