import Foundation
import Media
import Sealing
import Store
import TestSupport
import Testing

@testable import Records

@Suite("What sealed rows say")
struct RecordTests {
    private func record(name: String = "photo.jpg") -> PhotoRecord {
        var record = PhotoRecord(
            serial: 7, object: .random(), byteCount: 123_456,
            runs: [
                .init(plaintextByteCount: 100_000, salt: sampleBytes(24)),
                .init(plaintextByteCount: 23_456, salt: sampleBytes(24, seed: 2)),
            ], name: name, type: "image/jpeg", receivedAt: 1_700_000_000_000)
        record.modifiedAt = 5
        record.deletedAt = 6
        record.sha256 = sampleBytes(32)
        record.firstPartDigest = sampleBytes(32, seed: 3)
        return record
    }

    @Test("a photo's record comes back whole")
    func photo() throws {
        for record in [record(), record(name: String(repeating: "名", count: 341))] {
            #expect(try PhotoRecord.decode(record.encoded) == record)
        }
    }

    @Test("a capture time keeps its precision, and whether its zone is a guess")
    func captureTimes() throws {
        for precision in CaptureTime.Precision.allCases {
            var time = CaptureTime(
                milliseconds: -457_000_000_000, offsetMinutes: -90, isInstant: true, source: .container,
                precision: precision)
            #expect(CaptureTime(encoded: time.encoded) == time)
            time.isZoneGuessed = true
            #expect(CaptureTime(encoded: time.encoded) == time)
        }
    }

    @Test("fields of a later version are kept and written back")
    func unknownFields() throws {
        var record = record()
        record.unknown = [.init(tag: 99, value: [1, 2, 3]), .init(tag: 200, value: [])]
        let decoded = try PhotoRecord.decode(record.encoded)
        #expect(decoded.unknown == record.unknown)
        #expect(decoded.encoded == record.encoded)
        // A number that this version leaves out among its own is a later one's, too.
        var upload = UploadRecord(id: try UploadID(), creation: nil, byteCount: 10, name: "a")
        upload.unknown = [.init(tag: 11, value: [7])]
        #expect(try UploadRecord(upload.encoded).unknown == upload.unknown)
        var head = VaultHead(createdDay: 3, slotSets: [])
        head.unknown = [.init(tag: 77, value: [9])]
        #expect(try VaultHead(head.encoded) == head)
    }

    @Test("a record cut short or without a field that it needs is damaged, never a trap")
    func cutShort() {
        let whole = record().encoded
        for count in 0..<whole.count {
            do {
                let decoded = try PhotoRecord.decode(Array(whole.prefix(count)))
                // Fields at the end are optional; what is read is what stands there.
                #expect(decoded.serial == 7)
            } catch {
                #expect(error == .damaged)
            }
        }
        #expect(throws: VaultError.damaged) { _ = try PhotoRecord.decode([1, 0xFF, 0xFF, 0]) }
    }

    @Test("a head comes back whole, with its slot sets")
    func head() throws {
        let hashes = (0..<12).map { sampleBytes(4, seed: $0 + 1) }
        var head = VaultHead(
            createdDay: 20_000,
            slotSets: [
                SlotSet(state: .live, positions: Array(1...11) + [262_143], hashes: hashes),
                SlotSet(state: .incoming, kind: 2, positions: Array(10...21), hashes: hashes),
            ])
        head.rowCount = 17
        head.nextSerial = 99
        head.generation = 5
        head.storedByteCount = .max
        head.accumulator.add(SetAccumulator(bytes: sampleBytes(32)))
        #expect(try VaultHead(head.encoded) == head)
        #expect(head.encoded.count <= RowPiece.payloadLimit)
        for count in 0..<head.encoded.count {
            _ = try? VaultHead(Array(head.encoded.prefix(count)))
            _ = try? SlotSet(Array(head.slotSets[0].encoded.prefix(count)))
        }
    }

    @Test("pieces of a row come back, also of a later version's kind, and foreign ones are refused")
    func pieces() throws {
        var buffer = [UInt8](repeating: 0xAA, count: RowPiece.byteCount)
        for piece in [
            RowPiece(kind: .empty), RowPiece(kind: .photo, next: 0, payload: [1]),
            RowPiece(kind: .continuation, next: 77, payload: sampleBytes(RowPiece.payloadLimit)),
            RowPiece(kind: RowPiece.Kind(rawValue: 200), payload: [7]),
        ] {
            buffer.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) in piece.write(to: bytes) }
            let read = try buffer.withUnsafeBytes { bytes throws(VaultError) in try RowPiece(bytes) }
            #expect(read.kind == piece.kind && read.next == piece.next && read.payload == piece.payload)
        }
        for (offset, value) in [(1, UInt8(0)), (2, 0xFF)] {
            var changed = buffer
            changed[offset] = value
            #expect(throws: VaultError.damaged) {
                _ = try changed.withUnsafeBytes { bytes throws(VaultError) in try RowPiece(bytes) }
            }
        }
    }

    @Test("of a later version's row nothing is read, and none is written in its place")
    func laterRow() throws {
        var buffer = [UInt8](repeating: 0xAA, count: RowPiece.byteCount)
        for kind: UInt8 in [1, 2, 7, 200] {
            (buffer[0], buffer[1]) = (kind, 2)
            let read = try buffer.withUnsafeBytes { bytes throws(VaultError) in try RowPiece(bytes) }
            #expect(read.kind == .later && read.next == nil && read.payload.isEmpty)
            var codec = try RowCodec(vaultKey: try SecretBytes(random: 32), home: .vault)
            #expect(throws: VaultError.self) { try codec.seal(read, id: .random()) }
        }
    }

    @Test("a record may have all 256 tags, none of which is taken for another")
    func tags() {
        var seen = TagSet()
        for tag in UInt8.min...UInt8.max {
            #expect(!seen.isSuperset(of: TagSet([tag])))
            let (isNew, isNewAgain) = (seen.insert(tag), seen.insert(tag))
            #expect(isNew && !isNewAgain)
            #expect(seen.isSuperset(of: TagSet([tag, 0])))
        }
    }

    @Test("a payload is cut into as few pieces as hold it")
    func parts() {
        for (count, expected) in [(0, 1), (1, 1), (428, 1), (429, 2), (856, 2), (857, 3)] {
            let payload = sampleBytes(count)
            let parts = RowPiece.parts(of: payload)
            #expect(parts.count == expected)
            #expect(parts.flatMap { $0 } == payload)
        }
    }

    @Test("a row opens under its own id and vault only, and sealing it again changes every byte")
    func codec() throws {
        var codec = try RowCodec(vaultKey: try SecretBytes(random: 32), home: .vault)
        var other = try RowCodec(vaultKey: try SecretBytes(random: 32), home: .vault)
        let (one, two) = (try codec.id(of: .item(1)), try codec.id(of: .item(2)))
        #expect(one != two)
        #expect(try codec.id(of: .head) != codec.id(of: .item(0)))
        #expect(try other.id(of: .item(1)) != one)
        let body = try codec.seal(RowPiece(kind: .continuation, payload: [1, 2, 3]), id: one)
        #expect(body.count == 512)
        #expect(try body.withUnsafeBytes { try codec.open($0, id: one) }.payload == [1, 2, 3])
        #expect(throws: SealingError.wrongKey) { _ = try body.withUnsafeBytes { try codec.open($0, id: two) } }
        #expect(throws: SealingError.wrongKey) { _ = try body.withUnsafeBytes { try other.open($0, id: one) } }
        #expect(try body.withUnsafeBytes { try codec.isOurs($0, id: one) })
        #expect(try !body.withUnsafeBytes { try other.isOurs($0, id: one) })
        let again = try codec.reseal(body, id: one)
        #expect(again != body)
        #expect(try again.withUnsafeBytes { try codec.open($0, id: one) }.payload == [1, 2, 3])
    }

    @Test("a row of a vault is none of a guest's, and the other way, even under the same key")
    func homes() throws {
        let key = try SecretBytes(random: 32)
        var vault = try RowCodec(vaultKey: key, home: .vault)
        var guest = try RowCodec(vaultKey: key, home: .guest(expiresDay: 1))
        let id = try vault.id(of: .item(1))
        let ofVault = try vault.seal(RowPiece(kind: .empty), id: id)
        let ofGuest = try guest.seal(RowPiece(kind: .empty), id: id)
        #expect(throws: SealingError.wrongKey) { _ = try ofVault.withUnsafeBytes { try guest.open($0, id: id) } }
        #expect(throws: SealingError.wrongKey) { _ = try ofGuest.withUnsafeBytes { try vault.open($0, id: id) } }
        #expect(try ofGuest.withUnsafeBytes { try guest.isOurs($0, id: id) })
        #expect(try !ofGuest.withUnsafeBytes { try vault.isOurs($0, id: id) })
    }

    @Test("a file key goes from locked memory into a sealed row and back, and stands in no record")
    func fileKeys() throws {
        var codec = try RowCodec(vaultKey: try SecretBytes(random: 32), home: .vault)
        let id = try codec.id(of: .item(1))
        let key = SharedSecret(try SecretBytes(random: 32))
        let piece = RowPiece(kind: .photo, payload: RowPiece.parts(of: record().encoded)[0])
        let body = try codec.seal(piece, id: id, fileKey: key)
        #expect(try codec.fileKey(in: body, id: id).bytes.equals(key.bytes))
        #expect(try codec.fileKey(in: codec.reseal(body, id: id), id: id).bytes.equals(key.bytes))
        let read = try body.withUnsafeBytes { try codec.open($0, id: id) }
        #expect(read.payload == piece.payload)
        #expect(read.payload[3..<35].allSatisfy { $0 == 0 })
        #expect(throws: VaultError.self) { _ = try codec.seal(piece, id: id) }
        let empty = try codec.seal(RowPiece(kind: .empty), id: id)
        #expect(throws: VaultError.damaged) { _ = try codec.fileKey(in: empty, id: id) }
    }

    @Test("times are clamped to what a row holds")
    func times() {
        let before = Date(timeIntervalSince1970: -152_114_400.5)
        #expect(Milliseconds.date(Milliseconds.from(before)) == before)
        #expect(Milliseconds.from(Date(timeIntervalSince1970: 1e30)) == 253_402_300_799_000)
        #expect(Milliseconds.from(Date(timeIntervalSince1970: .nan)) == 0)
        #expect(Milliseconds.date(1500) == Date(timeIntervalSince1970: 1.5))
    }

    @Test("fields of a later version, in an album and in an upload, are written back")
    func otherRecords() throws {
        let field = TaggedFields.Field(tag: 200, value: [1, 2, 3])
        var album = AlbumRecord(id: try AlbumID(), name: "Rome", now: 5)
        album.unknown = [field, TaggedFields.Field(tag: 4, value: [1])]
        #expect(try AlbumRecord(album.encoded) == album)
        album.place = 7
        #expect(try AlbumRecord(album.encoded) == album)
        var upload = UploadRecord(id: try UploadID(), byteCount: 3, name: "a")
        upload.album = "Rome"
        upload.unknown = [field]
        #expect(try UploadRecord(upload.encoded) == upload)
    }

    @Test("a long request closes a run every 64 MiB, or every 128th of large content")
    func boundaries() {
        #expect(RunBoundary.runByteLimit(ofContent: 1) == 64 << 20)
        #expect(RunBoundary.runByteLimit(ofContent: 8 << 30) == 64 << 20)
        #expect(RunBoundary.runByteLimit(ofContent: 64 << 30) == 512 << 20)
    }
}
