package import Store

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
/// alone, and a door's begins with one: the door's secret.
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

        /// What a whole row of a later version is to this one, which knows nothing of it but that it is the vault's: it stays
        /// where it is, byte for byte, under the accumulator.
        package static let later = Kind(rawValue: 255)

        /// Whether this version can tell what such a row says.
        package var isKnown: Bool { rawValue <= Self.door.rawValue }

        /// Whether the payload begins with a key.
        var holdsKey: Bool { self == .photo || self == .successor || self == .door }
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
