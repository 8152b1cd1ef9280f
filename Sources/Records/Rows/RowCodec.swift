package import Sealing
package import Store

/// Which of a vault's rows.
package enum RowNumber: Hashable, Sendable {
    case head
    case item(UInt64)

    /// What its id is computed from.
    fileprivate func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        let (kind, number): (UInt8, UInt64) =
            switch self {
            case .head: (0, 0)
            case .item(let number): (1, number)
            }
        return try withUnsafeTemporaryAllocation(byteCount: 9, alignment: 8) { bytes in
            bytes[0] = kind
            bytes.storeBytes(of: number.bigEndian, toByteOffset: 1, as: UInt64.self)
            return try body(UnsafeRawBufferPointer(bytes))
        }
    }
}

/// Row ids, sealing, and accumulator elements of one vault, or of one guest, whose rows have a context of their own, so
/// that none of them opens in the other's place. Keeps its keyed contexts; one user at a time.
package struct RowCodec: ~Copyable, Sendable {
    /// A sealed row: 72 bytes of overhead around 440.
    package static let bodyByteCount = MessageCipher.sealedByteCount(RowPiece.byteCount)

    private let home: RowHome
    private var cipher: MessageCipher
    private var rowIDs: HMACSHA256
    private var elements: HMACSHA256

    package init(vaultKey: borrowing SecretBytes, home: RowHome) throws {
        let cipher = try MessageCipher(key: try deriveVaultKey(.row, from: vaultKey))
        let rowIDs = try HMACSHA256(key: try deriveVaultKey(.rid, from: vaultKey))
        let elements = try HMACSHA256(key: try deriveVaultKey(.acc, from: vaultKey))
        self.home = home
        self.cipher = cipher
        self.rowIDs = rowIDs
        self.elements = elements
    }

    package mutating func id(of number: RowNumber) throws -> RowID {
        try withUnsafeTemporaryAllocation(byteCount: HMACSHA256.byteCount, alignment: 8) { code in
            try number.withBytes { try rowIDs.authenticate($0, into: code) }
            guard let id = RowID(bytes: UnsafeRawBufferPointer(rebasing: code[..<16])) else { throw VaultError.damaged }
            return id
        }
    }

    /// - Parameter fileKey: for a photo's first row; for a successor, the vault's key.
    package mutating func seal(_ piece: RowPiece, id: RowID, fileKey: SharedSecret? = nil) throws -> [UInt8] {
        try withUnsafeTemporaryAllocation(byteCount: RowPiece.byteCount, alignment: 8) { plaintext in
            defer { cleanse(plaintext) }
            piece.write(to: plaintext)
            // A photo without its key could never be opened again, and nobody here knows what a later version's row says.
            guard piece.kind != .later, piece.kind.holdsKey == (fileKey != nil) else {
                throw VaultError.internalFailure("a row and its key")
            }
            if let fileKey {
                guard let place = RowPiece.fileKey(in: plaintext), fileKey.bytes.count == place.count else {
                    throw VaultError.damaged
                }
                fileKey.bytes.withUnsafeBytes { place.copyMemory(from: $0) }
            }
            return try seal(UnsafeRawBufferPointer(plaintext), id: id)
        }
    }

    /// Seals what an open row says once more, so that its bytes change and its meaning does not.
    package mutating func reseal(_ body: [UInt8], id: RowID) throws -> [UInt8] {
        try withUnsafeTemporaryAllocation(byteCount: RowPiece.byteCount, alignment: 8) { plaintext in
            defer { cleanse(plaintext) }
            _ = try body.withUnsafeBytes { try cipher.open($0, context: context(of: id), into: plaintext) }
            return try seal(UnsafeRawBufferPointer(plaintext), id: id)
        }
    }

    /// Seals what a row says under another key, where the row has another id.
    package mutating func reseal(_ body: [UInt8], id: RowID, under other: inout RowCodec, as newID: RowID) throws
        -> [UInt8]
    {
        try withUnsafeTemporaryAllocation(byteCount: RowPiece.byteCount, alignment: 8) { plaintext in
            defer { cleanse(plaintext) }
            _ = try body.withUnsafeBytes { try cipher.open($0, context: context(of: id), into: plaintext) }
            return try other.seal(UnsafeRawBufferPointer(plaintext), id: newID)
        }
    }

    /// - Throws: `SealingError.wrongKey` for another vault's row or a cover row, `.damaged` for a changed one.
    package mutating func open(_ body: UnsafeRawBufferPointer, id: RowID) throws -> RowPiece {
        guard body.count == Self.bodyByteCount else { throw SealingError.damaged }
        return try withUnsafeTemporaryAllocation(byteCount: RowPiece.byteCount, alignment: 8) { plaintext in
            defer { cleanse(plaintext) }
            _ = try cipher.open(body, context: context(of: id), into: plaintext)
            if let place = RowPiece.fileKey(in: plaintext) { cleanse(place) }
            return try RowPiece(UnsafeRawBufferPointer(plaintext))
        }
    }

    /// The same; nil for another vault's row, a cover row or a changed one.
    /// - Throws: what says nothing of the row.
    package mutating func openIfSound(_ body: UnsafeRawBufferPointer, id: RowID) throws -> RowPiece? {
        do {
            return try open(body, id: id)
        } catch SealingError.wrongKey, SealingError.damaged, VaultError.damaged {
            return nil
        }
    }

    package mutating func openIfSound(_ body: [UInt8], id: RowID) throws -> RowPiece? {
        try body.withUnsafeBytes { try openIfSound($0, id: id) }
    }

    /// The file key in a photo's first row, or the vault's key in a successor.
    package mutating func fileKey(in body: [UInt8], id: RowID) throws -> SharedSecret {
        try withUnsafeTemporaryAllocation(byteCount: RowPiece.byteCount, alignment: 8) { plaintext in
            defer { cleanse(plaintext) }
            _ = try body.withUnsafeBytes { try cipher.open($0, context: context(of: id), into: plaintext) }
            guard let place = RowPiece.fileKey(in: plaintext) else { throw VaultError.damaged }
            return SharedSecret(try SecretBytes(copying: UnsafeRawBufferPointer(place)))
        }
    }

    /// Whether a row found in the ledger belongs to this vault.
    package mutating func isOurs(_ body: UnsafeRawBufferPointer, id: RowID) throws -> Bool {
        guard body.count == Self.bodyByteCount else { return false }
        let header = UnsafeRawBufferPointer(rebasing: body[..<ChunkLayout.headerByteCount])
        return try cipher.opens(header: header, context: context(of: id))
    }

    // MARK: Rows of unfinished uploads

    package mutating func sealUpload(_ record: UploadRecord, fileKey: SharedSecret, id: RowID) throws -> [UInt8] {
        let payload = record.encoded
        let byteCount = UploadRow.plaintextByteCount(payload: payload.count)
        return try withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 8) { plaintext in
            defer { cleanse(plaintext) }
            UploadRow.write(payload, to: plaintext)
            guard let place = UploadRow.fileKey(in: plaintext), fileKey.bytes.count == place.count else {
                throw VaultError.internalFailure("an upload and its key")
            }
            fileKey.bytes.withUnsafeBytes { place.copyMemory(from: $0) }
            return try seal(UnsafeRawBufferPointer(plaintext), context: .upload(id.bytes))
        }
    }

    /// Nil for somebody else's.
    /// - Throws: `SealingError.damaged`, `VaultError.damaged`.
    package mutating func openUpload(_ body: UnsafeRawBufferPointer, id: RowID) throws -> (UploadRecord, SharedSecret)?
    {
        guard body.count > ChunkLayout.headerByteCount else { return nil }
        let header = UnsafeRawBufferPointer(rebasing: body[..<ChunkLayout.headerByteCount])
        guard try cipher.opens(header: header, context: .upload(id.bytes)) else { return nil }
        return try withUnsafeTemporaryAllocation(byteCount: body.count, alignment: 8) { room in
            defer { cleanse(room) }
            let count = try cipher.open(body, context: .upload(id.bytes), into: room)
            let plaintext = UnsafeMutableRawBufferPointer(rebasing: room[..<count])
            guard let place = UploadRow.fileKey(in: plaintext) else { throw VaultError.damaged }
            let fileKey = SharedSecret(try SecretBytes(copying: UnsafeRawBufferPointer(place)))
            cleanse(place)
            let record = try UploadRecord(try UploadRow.payload(of: UnsafeRawBufferPointer(plaintext)))
            guard try record.id.rowID() == id else { throw VaultError.damaged }
            return (record, fileKey)
        }
    }

    /// What a row adds to the head's accumulator.
    package mutating func element(id: RowID, body: UnsafeRawBufferPointer) throws -> SetAccumulator {
        try withUnsafeTemporaryAllocation(byteCount: 16 + 2 * HMACSHA256.byteCount, alignment: 8) { room in
            let digest = UnsafeMutableRawBufferPointer(rebasing: room[16..<48])
            let code = UnsafeMutableRawBufferPointer(rebasing: room[48...])
            room.storeBytes(of: id.high.bigEndian, toByteOffset: 0, as: UInt64.self)
            room.storeBytes(of: id.low.bigEndian, toByteOffset: 8, as: UInt64.self)
            try SHA256Hasher.hash(body, into: digest)
            try elements.authenticate(UnsafeRawBufferPointer(rebasing: room[..<48]), into: code)
            return SetAccumulator(bytes: UnsafeRawBufferPointer(code))
        }
    }

    private func context(of id: RowID) -> SealingContext {
        switch home {
        case .vault: .row(id.bytes)
        case .guest: .guest(id.bytes)
        }
    }

    private mutating func seal(_ plaintext: UnsafeRawBufferPointer, id: RowID) throws -> [UInt8] {
        try seal(plaintext, context: context(of: id))
    }

    private mutating func seal(_ plaintext: UnsafeRawBufferPointer, context: SealingContext) throws -> [UInt8] {
        let byteCount = MessageCipher.sealedByteCount(plaintext.count)
        return try [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            try cipher.seal(
                plaintext, context: context,
                into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<byteCount]))
            count = byteCount
        }
    }
}

/// What stands in one sealed row of 440 bytes: a record, or a part of a long one.
///
/// | offset | size | field |
/// | --- | --- | --- |
/// | 0 | 1 | kind |
/// | 1 | 1 | version, 1 |
/// | 2 | 2 | payload bytes in this row, 0…428 |
/// | 4 | 8 | number of the row in which the record goes on, plus one; 0 = ends here |
/// | 12 | 428 | payload, then zeros |
///
/// A photo's payload begins with its file key as the first field: tag 1, length 32, the key. Here zeros stand in its
/// place; the key goes between locked memory and the row's scratch buffer only. A successor's payload is such a field
/// alone, and those of a door and of a window begin with one: their secret.
package struct RowPiece: Sendable {
    /// A later version may know more kinds: theirs are kept as they are.
    package struct Kind: Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Holds nothing; its number is free. A new vault starts with some, and a deleted photo becomes one.
        package static let empty = Kind(rawValue: 0)
        package static let head = Kind(rawValue: 1)
        package static let photo = Kind(rawValue: 2)
        package static let continuation = Kind(rawValue: 3)
        package static let batch = Kind(rawValue: 4)
        /// A session that outlives the daemon.
        package static let keptSession = Kind(rawValue: 5)
        /// A way into the vault besides the first password.
        package static let way = Kind(rawValue: 6)
        /// Stands in place of a head whose key was rotated, and holds the key under which the vault's rows stand now.
        package static let successor = Kind(rawValue: 7)
        package static let album = Kind(rawValue: 8)
        /// A way in that only lets in.
        package static let door = Kind(rawValue: 9)
        /// Shows photos to whoever has its code.
        package static let window = Kind(rawValue: 10)

        /// What a whole row of a later version is to this one, which knows nothing of it but that it is the vault's: it stays
        /// where it is, byte for byte, under the accumulator.
        package static let later = Kind(rawValue: 255)

        /// Whether this version can tell what such a row says.
        package var isKnown: Bool { rawValue <= Self.window.rawValue }

        /// Whether the payload begins with a key.
        var holdsKey: Bool { [.photo, .successor, .door, .window].contains(self) }
    }

    package static let byteCount = 440
    package static let payloadLimit = byteCount - 12
    package static let fileKeyByteCount = 32
    private static let fileKeyTag: [UInt8] = [1, 0, 32]

    package static var successor: RowPiece {
        RowPiece(kind: .successor, payload: fileKeyTag + [UInt8](repeating: 0, count: fileKeyByteCount))
    }

    package var kind: Kind
    package var next: UInt64?
    package var payload: [UInt8]

    package init(kind: Kind, next: UInt64? = nil, payload: [UInt8] = []) {
        self.kind = kind
        self.next = next
        self.payload = payload
    }

    /// - Throws: `VaultError.damaged` for what no version writes: lengths that do not fit, or no version at all.
    package init(_ bytes: UnsafeRawBufferPointer) throws(VaultError) {
        guard bytes.count == Self.byteCount, bytes[1] >= 1 else { throw .damaged }
        guard bytes[1] == 1 else {
            // Nothing of what it says comes into ordinary memory: a key may stand anywhere in it.
            (kind, next, payload) = (.later, nil, [])
            return
        }
        let count = UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        let following = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt64.self))
        guard Int(count) <= Self.payloadLimit else { throw .damaged }
        kind = Kind(rawValue: bytes[0])
        next = following == 0 ? nil : following - 1
        payload = Array(bytes[12..<12 + Int(count)])
    }

    package func write(to buffer: UnsafeMutableRawBufferPointer) {
        buffer.initializeMemory(as: UInt8.self, repeating: 0)
        buffer[0] = kind.rawValue
        buffer[1] = 1
        buffer.storeBytes(of: UInt16(payload.count).bigEndian, toByteOffset: 2, as: UInt16.self)
        buffer.storeBytes(of: (next.map { $0 + 1 } ?? 0).bigEndian, toByteOffset: 4, as: UInt64.self)
        UnsafeMutableRawBufferPointer(rebasing: buffer[12...]).copyBytes(from: payload)
    }

    /// The place of the file key in a photo's first row, or of the vault's in a successor; nil for any other row.
    package static func fileKey(in row: UnsafeMutableRawBufferPointer) -> UnsafeMutableRawBufferPointer? {
        guard row.count == byteCount, Kind(rawValue: row[0]).holdsKey,
            row[12..<15].elementsEqual(fileKeyTag)
        else { return nil }
        return UnsafeMutableRawBufferPointer(rebasing: row[15..<15 + fileKeyByteCount])
    }

    /// The object of the photo whose record begins here.
    package var photoObject: ObjectID? { kind == .photo ? PhotoRecord.object(inLeadingPayload: payload) : nil }

    /// Cuts a record's payload into pieces; at least one.
    package static func parts(of payload: [UInt8]) -> [[UInt8]] {
        guard payload.count > payloadLimit else { return [payload] }
        return stride(from: 0, to: payload.count, by: payloadLimit).map { start in
            Array(payload[start..<min(start + payloadLimit, payload.count)])
        }
    }
}
