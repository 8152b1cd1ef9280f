/// HKDF (RFC 5869) with SHA-512.
package enum HKDFSHA512 {
    /// Bytes of a pseudorandom key, and of each block of output.
    static let blockByteCount = 64

    /// The pseudorandom key, 64 bytes.
    package static func extract(
        salt: UnsafeRawBufferPointer, keyMaterial: borrowing SecretBytes
    ) throws -> SecretBytes {
        var hash = try KeyedHash(.sha512, key: salt)
        return try keyMaterial.withUnsafeBytes { material in
            try SecretBytes(count: blockByteCount) { output in
                try hash.begin()
                try hash.update(material)
                try hash.end(into: output)
            }
        }
    }

    /// `count` bytes, 1 … 16,320, of the key for one purpose, which `info` names.
    package static func expand(_ prk: borrowing SecretBytes, info: [UInt8], count: Int) throws -> SecretBytes {
        guard (1...255 * blockByteCount).contains(count) else {
            throw SealingError.invalidParameters("HKDF output size")
        }
        var hash = try KeyedHash(.sha512, key: prk)
        let rounded = (count + blockByteCount - 1) / blockByteCount * blockByteCount
        let blocks = try SecretBytes(count: rounded) { output in
            try expandBlocks(&hash, into: output) { try $0.update(info) }
        }
        if count == rounded { return blocks }
        return try blocks.withUnsafeBytes { try SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }

    /// Fills `output`, 1 … 255 whole blocks, with the stream of the key in `hash`; `info` feeds the info bytes.
    ///
    /// Each block is computed where it stays, so no block is left in unlocked memory.
    static func expandBlocks(
        _ hash: inout KeyedHash, into output: UnsafeMutableRawBufferPointer,
        info: (inout KeyedHash) throws -> Void
    ) throws {
        for number in 0..<output.count / blockByteCount {
            let start = number * blockByteCount
            try hash.begin()
            if number > 0 {
                try hash.update(UnsafeRawBufferPointer(rebasing: output[start - blockByteCount..<start]))
            }
            try info(&hash)
            try withUnsafeBytes(of: UInt8(number + 1)) { try hash.update($0) }
            try hash.end(into: UnsafeMutableRawBufferPointer(rebasing: output[start..<start + blockByteCount]))
        }
    }
}
