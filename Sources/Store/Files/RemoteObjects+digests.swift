import Bytes

extension RemoteObjects {
    /// SHA-256 in hexadecimal digits of what comes when all of it is read; nil when there is no such object.
    /// - Parameter requireWanted: asked with each piece; throws when nobody wants it any more
    func digest(of name: String, requireWanted: () throws -> Void = {}) throws -> String? {
        do {
            return try RemoteFile(remote: self, name: name).digest(
                pieceByteCount: RemoteFile.pieceByteCount, requireWanted: requireWanted)
        } catch StoreError.objectUnreadable {
            return nil
        }
    }

    /// Reads back what was put: a store may say yes to what it puts together wrongly, or keeps nothing of.
    /// - Parameter digest: as `put` has returned it
    /// - Throws: `unusable` where something else comes
    func requireBack(_ name: String, _ digest: String) throws {
        guard try askingAgain({ try $0.digest(of: name) }, until: { $0 == digest }) == digest else {
            throw StoreError.unusable(
                "\(name) was put into \(place), and does not come back as it was: it could not be restored from there. Try "
                    + "the store (safelight bucket --check), or choose another one. What was there before is as it was."
            )
        }
    }

    /// A few bytes that nothing here knows: they are compared with the digest that they were put with.
    /// - Returns: nil when there is no such object, or one that is longer.
    /// - Throws: `bucketUnreachable` where something else comes, however often it is asked for
    func readAsPut(_ name: String, atMost limit: Int) throws -> [UInt8]? {
        let answer = try askingAgain { remote in
            guard let bytes = try remote.readWhole(name, atMost: limit) else {
                return (bytes: [UInt8]?.none, fits: true)
            }
            let digest = try remote.look(at: name)?.digest
            return (bytes, try digest == nil || digest == Hexadecimal.encode(sha256(bytes)))
        } until: {
            $0.fits
        }
        guard answer.fits else { throw StoreError.bucketUnreachable("\(name) does not come as it was put.") }
        return answer.bytes
    }

    /// Nil when nothing with that length and digest comes, however often it is asked for.
    func readWhole(_ name: String, of byteCount: Int, digest: FileDigest?) throws -> [UInt8]? {
        try askingAgain { remote in
            guard let bytes = try remote.readWhole(name, atMost: byteCount), bytes.count == byteCount,
                try FileDigest(bytes: sha256(bytes)) == digest
            else { return nil }
            return bytes
        } until: {
            $0 != nil
        }
    }
}

extension ByteSource {
    /// SHA-256 in hexadecimal digits of all of it.
    /// - Parameter requireWanted: asked with each piece; throws when nobody wants it any more
    func digest(pieceByteCount: Int = 1 << 20, requireWanted: () throws -> Void = {}) throws -> String {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceByteCount, alignment: 4096)
        defer { buffer.deallocate() }
        return Hexadecimal.encode(try digest(by: buffer) { _, _ in try requireWanted() }.sha256)
    }

    /// Reads to the end.
    /// - Parameters:
    ///   - buffer: takes one piece after the other
    ///   - each: gets each piece and its offset
    /// - Returns: 32 bytes, and how many were read.
    func digest(
        by buffer: UnsafeMutableRawBufferPointer, each: (UnsafeRawBufferPointer, UInt64) throws -> Void
    ) throws -> (sha256: [UInt8], byteCount: UInt64) {
        let running = try RunningSHA256()
        var offset: UInt64 = 0
        while true {
            let count = try read(into: buffer, at: offset)
            let piece = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            try running.update(piece)
            try each(piece, offset)
            offset += UInt64(count)
            if count < buffer.count { return (try running.finish(), offset) }
        }
    }
}
