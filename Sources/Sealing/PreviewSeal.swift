import Bytes

/// What of a photo is kept beside its original: the raw value stands in ids, so it is fixed for ever.
package enum PreviewSize: UInt8, Sendable, CaseIterable {
    case thumbnail = 1
    case preview = 2
}

/// Id, sealing and padding of a photo's previews. Everything comes from its file key, so they stay where they are when
/// the photo moves to another vault.
package enum PreviewSeal {
    /// Bytes of an id.
    static let idByteCount = 16
    /// Sizes that the sealed content can have, as powers of two less one.
    static let exponents: ClosedRange<Int> = 14...21
    private static let headByteCount = 4
    /// Who made the picture, the first byte of the head.
    private static let (madeHere, provisional): (UInt8, UInt8) = (0, 1)

    /// Bytes of a picture at most.
    package static let byteLimit = (1 << exponents.upperBound) - 1 - headByteCount
    /// Bytes of a provisional one at most: all of them are of the smallest size.
    package static let provisionalByteLimit = (1 << exponents.lowerBound) - 1 - headByteCount

    /// 16 bytes.
    package static func id(of size: PreviewSize, fileKey: borrowing SecretBytes) throws -> [UInt8] {
        let label = Array("safelight/v1/preview id".utf8) + [size.rawValue]
        return try HKDFSHA512.expand(fileKey, info: label, count: idByteCount).withUnsafeBytes { Array($0) }
    }

    /// Who made it u8, length u24, the picture, zeros up to 2^k − 1 bytes, sealed.
    /// - Parameter isProvisional: a client made it, and it stands until this host has its own.
    /// - Throws: `invalidParameters` for more than `byteLimit` bytes, or `provisionalByteLimit`.
    package static func seal(
        _ picture: [UInt8], id: [UInt8], fileKey: borrowing SecretBytes, isProvisional: Bool = false
    ) throws -> [UInt8] {
        guard !isProvisional || picture.count <= provisionalByteLimit else {
            throw SealingError.invalidParameters("size of a provisional preview")
        }
        let byteCount = headByteCount + picture.count
        guard let exponent = exponents.first(where: { byteCount <= (1 << $0) - 1 }) else {
            throw SealingError.invalidParameters("preview size")
        }
        var content = UInt32(picture.count).bigEndianBytes + picture
        content[0] = isProvisional ? provisional : madeHere
        content += [UInt8](repeating: 0, count: (1 << exponent) - 1 - byteCount)
        var cipher = try MessageCipher(key: try deriveFileKey(.preview, from: fileKey))
        let sealedByteCount = MessageCipher.sealedByteCount(content.count)
        return try [UInt8](unsafeUninitializedCapacity: sealedByteCount) { buffer, count in
            let message = UnsafeMutableRawBufferPointer(
                rebasing: UnsafeMutableRawBufferPointer(buffer)[..<sealedByteCount])
            try content.withUnsafeBytes { try cipher.seal($0, context: .preview(id), into: message) }
            count = sealedByteCount
        }
    }

    /// Of provisional ones.
    package static var smallestExponent: Int { exponents.lowerBound }

    /// Random bytes, as one of 2^k − 1 bytes looks to whoever has not its key.
    package static func filler(exponent: Int) throws -> [UInt8] {
        try randomBytes(MessageCipher.sealedByteCount((1 << exponent) - 1))
    }

    /// - Parameter key: the photo's preview key, which opens nothing else.
    /// - Throws: `wrongKey`, `damaged`.
    package static func open(
        _ body: [UInt8], id: [UInt8], key: borrowing SecretBytes
    ) throws -> (picture: [UInt8], isProvisional: Bool) {
        var cipher = try MessageCipher(key: key)
        let content = try [UInt8](unsafeUninitializedCapacity: body.count) { buffer, count in
            let room = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<body.count])
            count = try body.withUnsafeBytes { try cipher.open($0, context: .preview(id), into: room) }
        }
        guard content.count >= headByteCount, content[0] == madeHere || content[0] == provisional else {
            throw SealingError.damaged
        }
        let byteCount = content[1..<headByteCount].reduce(0) { $0 << 8 | Int($1) }
        guard byteCount <= content.count - headByteCount else { throw SealingError.damaged }
        return (Array(content[headByteCount..<headByteCount + byteCount]), content[0] == provisional)
    }
}
