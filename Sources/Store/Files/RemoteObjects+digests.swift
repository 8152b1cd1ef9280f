import Bytes

extension RemoteObjects {
    /// SHA-256 in hexadecimal digits of what comes when all of it is read; nil when there is no such object.
    /// - Parameter requireWanted: asked before each piece; throws when nobody wants it any more
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
    func digest(pieceByteCount: Int = 1 << 20, requireWanted: () throws -> Void = {}) throws -> String {
        let running = try RunningSHA256()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceByteCount, alignment: 4096)
        defer { buffer.deallocate() }
        var offset: UInt64 = 0
        while true {
            try requireWanted()
            let count = try read(into: buffer, at: offset)
            try running.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += UInt64(count)
            if count < pieceByteCount { return Hexadecimal.encode(try running.finish()) }
        }
    }
}
