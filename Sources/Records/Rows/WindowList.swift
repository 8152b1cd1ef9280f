import Bytes
import Media
package import Sealing
import Store

/// The photos that a window shows, as its list has them: a record of each as in a row of the vault, without what a window
/// does not show, and the key that opens what it does.
package enum WindowList {
    /// A photo on its way into a list.
    package struct Entry: Sendable {
        package let number: Int
        let record: PhotoRecord
        let key: SharedSecret
        /// Of thumbnail and preview; nil where the key is the file's.
        let previews: [[UInt8]]?

        /// - Parameters:
        ///   - record: as the vault has it.
        ///   - fileKey: of the photo. Unless originals may be fetched, it is not kept.
        package init(_ record: PhotoRecord, number: Int, fileKey: SharedSecret, of terms: WindowTerms) throws {
            self.number = number
            self.record = record.shown(as: UInt64(number), of: terms)
            guard !terms.hasOriginals else {
                (key, previews) = (fileKey, nil)
                return
            }
            key = SharedSecret(try deriveFileKey(.preview, from: fileKey.bytes))
            previews = try PreviewSize.allCases.map { try PreviewSeal.id(of: $0, fileKey: fileKey.bytes) }
        }

        private var head: [UInt8] {
            UInt16(clamping: number).bigEndianBytes + [previews == nil ? 0 : 1] + (previews ?? []).flatMap(\.self)
        }

        /// Everything but the key, in whose place are zeros.
        fileprivate var bytes: [UInt8] {
            let payload = record.encoded
            return head + UInt32(clamping: payload.count).bigEndianBytes + payload
        }

        /// Where in `bytes` the key belongs.
        fileprivate var keyOffset: Int { head.count + 4 + WindowList.fieldHead }
    }

    /// Tag and length of the field that holds a key.
    private static let fieldHead = 3
    private static let keyByteCount = 32
    private static let idByteCount = 16

    /// A list that is ready for the disk.
    package struct Sealed: Sendable {
        /// Of the object, from its first byte to its last.
        package let bytes: [UInt8]
        /// Without padding.
        package let byteCount: UInt64
        package let run: PhotoRecord.Run
        /// The first 16 bytes of SHA-256 of what it says.
        package let digest: [UInt8]
    }

    /// Made as the object of a photo that comes in one piece.
    /// - Parameters:
    ///   - entries: in the order of their numbers.
    ///   - listKey: in the place of a file key.
    ///   - known: a digest; nil is returned where the list would say the same.
    package static func seal(
        _ entries: [Entry], under listKey: borrowing SecretBytes, unless known: [UInt8]? = nil
    ) throws -> Sealed? {
        let parts = entries.map { ($0.bytes, $0.keyOffset, $0.key) }
        let byteCount = parts.reduce(0) { $0 + $1.0.count }
        let start = UInt64(PhotoRecord.preamble.count)
        let padding = ObjectSize.padding(
            ofContent: UInt64(byteCount), lastRunAt: start, runByteCount: UInt64(byteCount))
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount + Int(padding), alignment: 16)
        // Keys stand in it.
        defer {
            cleanse(room)
            room.deallocate()
        }
        room.initializeMemory(as: UInt8.self, repeating: 0)
        var offset = 0
        for (bytes, keyOffset, key) in parts {
            UnsafeMutableRawBufferPointer(rebasing: room[offset...]).copyBytes(from: bytes)
            let place = UnsafeMutableRawBufferPointer(rebasing: room[(offset + keyOffset)...])
            key.bytes.withUnsafeBytes { place.copyMemory(from: $0) }
            offset += bytes.count
        }
        let said = UnsafeRawBufferPointer(rebasing: room[..<byteCount])
        let digest = Array(try SHA256Hasher.hash(said).prefix(16))
        guard digest != known else { return nil }
        var cipher = try MessageCipher(key: try deriveFileKey(.original, from: listKey))
        let messageByteCount = MessageCipher.sealedByteCount(room.count)
        let preamble = PhotoRecord.preamble
        let sealed = try [UInt8](unsafeUninitializedCapacity: preamble.count + messageByteCount) { buffer, count in
            let whole = UnsafeMutableRawBufferPointer(
                rebasing: UnsafeMutableRawBufferPointer(buffer)[..<(preamble.count + messageByteCount)])
            whole.copyBytes(from: preamble)
            try cipher.seal(
                UnsafeRawBufferPointer(room), context: .original(preamble: preamble, run: 0),
                into: UnsafeMutableRawBufferPointer(rebasing: whole[preamble.count...]))
            count = whole.count
        }
        let salt = Array(sealed[preamble.count..<preamble.count + ChunkLayout.saltByteCount])
        return Sealed(
            bytes: sealed, byteCount: UInt64(byteCount),
            run: PhotoRecord.Run(plaintextByteCount: UInt64(room.count), salt: salt), digest: digest)
    }

    /// A photo of a list that was opened.
    package struct Photo: Sendable {
        package let record: PhotoRecord
        /// Where its key stands among those of the list, in bytes.
        package let keyOffset: Int
        /// Of thumbnail and preview; nil where the key is the file's.
        package let previews: [[UInt8]]?
    }

    /// - Parameter plaintext: what the list says, which is wiped.
    /// - Returns: the photos, and their keys in locked memory, one behind the other.
    /// - Throws: `damaged`.
    package static func open(
        _ plaintext: UnsafeMutableRawBufferPointer
    ) throws -> (photos: [Photo], keys: SharedSecret) {
        defer { cleanse(plaintext) }
        var places: [(payload: Range<Int>, previews: [[UInt8]]?)] = []
        var offset = 0
        while offset < plaintext.count {
            guard plaintext.count - offset > 3 else { throw VaultError.damaged }
            let isPreview = plaintext[offset + 2] == 1
            var place = offset + 3
            let ids = isPreview ? PreviewSize.allCases.count * idByteCount : 0
            guard plaintext.count - place >= ids + 4 else { throw VaultError.damaged }
            let previews =
                isPreview
                ? stride(from: place, to: place + ids, by: idByteCount).map { Array(plaintext[$0..<$0 + idByteCount]) }
                : nil
            place += ids
            let count = Int(UInt32(bigEndian: plaintext.loadUnaligned(fromByteOffset: place, as: UInt32.self)))
            place += 4
            guard count >= fieldHead + keyByteCount, plaintext.count - place >= count else { throw VaultError.damaged }
            places.append((place..<place + count, previews))
            offset = place + count
        }
        let keys = try SecretBytes(count: places.count * keyByteCount) { keys in
            for (index, place) in places.enumerated() {
                let start = place.payload.lowerBound + fieldHead
                let key = UnsafeMutableRawBufferPointer(rebasing: plaintext[start..<start + keyByteCount])
                UnsafeMutableRawBufferPointer(rebasing: keys[(index * keyByteCount)...])
                    .copyMemory(from: UnsafeRawBufferPointer(key))
                cleanse(key)
            }
        }
        let photos = try places.enumerated().map { index, place in
            Photo(
                record: try PhotoRecord.decode(Array(plaintext[place.payload])), keyOffset: index * keyByteCount,
                previews: place.previews)
        }
        return (photos, SharedSecret(keys))
    }

    /// The key that stands there among those of a list.
    package static func key(at offset: Int, in keys: SharedSecret) throws -> SharedSecret {
        SharedSecret(
            try keys.bytes.withUnsafeBytes {
                try SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + keyByteCount]))
            })
    }
}

extension PhotoRecord {
    private static let dayMilliseconds: UInt64 = 86_400_000

    /// What a window says of it. Which camera took it, when it came here, in which albums it is and who likes it concerns
    /// nobody who looks.
    fileprivate func shown(as number: UInt64, of terms: WindowTerms) -> PhotoRecord {
        var shown = PhotoRecord(
            serial: number, object: terms.hasOriginals ? object : ObjectID(high: 0, low: 0),
            byteCount: terms.hasOriginals ? byteCount : 0, runs: terms.hasOriginals ? runs : [], name: name,
            type: type, receivedAt: listedAt, picture: picture, takenAt: shownTakenAt,
            facts: facts.map { FactsCoding.shown($0, at: shownPlace, of: terms) })
        shown.keeping.rotation = keeping.rotation
        shown.keeping.caption = keeping.caption
        shown.keeping.edit = keeping.edit
        return shown
    }

    /// A photo that does not say when it was taken is listed by the day on which it came.
    private var listedAt: UInt64 {
        let taken = shownTakenAt.flatMap(CaptureTime.init(encoded:))?.milliseconds
        return taken.map { UInt64(bitPattern: $0) } ?? receivedAt - receivedAt % Self.dayMilliseconds
    }
}

extension FactsCoding {
    /// - Parameter place: where it was taken, whoever says so.
    fileprivate static func shown(_ encoded: [UInt8], at place: Place?, of terms: WindowTerms) -> [UInt8] {
        var facts = decode(encoded)
        (facts.cameraMake, facts.cameraModel, facts.lens) = (nil, nil, nil)
        facts.place = terms.showsPlaces ? place : nil
        if !terms.hasOriginals { facts.motion = nil }
        return encode(facts)
    }
}
