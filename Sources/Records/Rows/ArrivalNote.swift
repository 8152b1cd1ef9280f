import Bytes
package import Sealing
package import Store

/// What a vault finds a visitor's space by: sealed to the vault's door, it holds the space's key. Every guest's space has
/// one; an ordinary guest's leads to nobody.
///
/// | offset | size | field |
/// | --- | --- | --- |
/// | 0 | 1 | version, 1 |
/// | 1 | 1 | bytes of the giver's name |
/// | 2 | 1 | 1 where a program sent with the door's code alone, else 0 |
/// | 3 | 1 | zero |
/// | 4 | 4 | last day on which the space is kept, since 1970 |
/// | 8 | 4 | the day on which it began |
/// | 12 | 16 | uid of the space |
/// | 28 | 32 | its key |
/// | 60 | 88 | the giver's name, then zeros |
/// | 148 | 16 | the device of that program, else zeros |
/// | 164 | 92 | zeros |
package struct ArrivalNote: Sendable {
    package static let byteCount = 256
    /// Of a row's body: the encapsulated key, what is sealed, a tag.
    package static let sealedByteCount = DoorSeal.sealedByteCount(byteCount)
    private static let keyRange = 28..<60
    private static let giverStart = 60
    private static let senderRange = 148..<164
    private static let version: UInt8 = 1

    package var uid: [UInt8]
    package var key: SharedSecret
    package var lastDay: UInt32
    package var createdDay: UInt32
    package var giver: String?
    /// The device of a program that sent with the door's code alone; nil for a visitor.
    package var sender: DoorSender?

    package init(
        uid: [UInt8], key: SharedSecret, lastDay: UInt32, createdDay: UInt32, giver: String?, sender: DoorSender?
    ) {
        self.sender = sender
        self.uid = uid
        self.key = key
        self.lastDay = lastDay
        self.createdDay = createdDay
        self.giver = giver
    }

    /// - Parameter space: the id of the row that it is laid in.
    package func sealed(to publicKey: [UInt8], space: RowID) throws -> [UInt8] {
        let name = Array((giver ?? "").utf8)
        guard name.count <= Given.longestGiver else { throw VaultError.labelTooLong }
        let plain = try SecretBytes(count: Self.byteCount) { buffer in
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            buffer.copyBytes(
                from: [Self.version, UInt8(name.count), sender == nil ? 0 : 1, 0] + lastDay.bigEndianBytes
                    + createdDay.bigEndianBytes
                    + uid)
            let place = UnsafeMutableRawBufferPointer(rebasing: buffer[Self.keyRange])
            key.bytes.withUnsafeBytes { place.copyMemory(from: $0) }
            UnsafeMutableRawBufferPointer(rebasing: buffer[Self.giverStart...]).copyBytes(from: name)
            UnsafeMutableRawBufferPointer(rebasing: buffer[Self.senderRange]).copyBytes(from: sender?.bytes ?? [])
        }
        return try DoorSeal.seal(plain, to: publicKey, context: space.bytes)
    }

    /// One that leads to nobody: sealed as any other is, to a key that is thrown away. Random bytes would be told apart, for
    /// the key that is encapsulated is in part a point of a curve.
    package static func ofNobody(space: RowID) throws -> [UInt8] {
        let key = try DoorSeal.publicKey(ofSeed: try SecretBytes(random: 32))
        return try DoorSeal.seal(try SecretBytes(random: byteCount), to: key, context: space.bytes)
    }

    /// Nil for one that is laid at another door, or that is nobody's.
    /// - Parameter seed: of the door.
    package static func opened(
        _ body: [UInt8], seed: borrowing SecretBytes, space: RowID
    ) throws -> ArrivalNote? {
        guard let plain = try DoorSeal.open(body, seed: seed, context: space.bytes), plain.count == byteCount else {
            return nil
        }
        return try plain.withUnsafeBytes { bytes -> ArrivalNote? in
            var reader = ByteReader(Array(bytes[..<28]))
            guard reader.readUInt8() == version, let nameCount = reader.readUInt8(), let kind = reader.readUInt8(),
                reader.readUInt8() != nil,
                let lastDay = reader.readUInt32(), let createdDay = reader.readUInt32(), let uid = reader.read(16),
                Int(nameCount) <= Given.longestGiver
            else { return nil }
            let name = bytes[giverStart..<giverStart + Int(nameCount)]
            return ArrivalNote(
                uid: Array(uid),
                key: SharedSecret(try SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[keyRange]))),
                lastDay: lastDay, createdDay: createdDay,
                giver: name.isEmpty ? nil : String(decoding: name, as: UTF8.self),
                sender: kind == 1 ? DoorSender(bytes: Array(bytes[senderRange])) : nil)
        }
    }
}
