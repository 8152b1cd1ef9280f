import Testing

@testable import Sealing

@Suite("Previews under their photo's key")
struct PreviewSealTests {
    private func key(_ byte: UInt8) throws -> SecretBytes {
        try SecretBytes(count: 32) { $0.copyBytes(from: [UInt8](repeating: byte, count: 32)) }
    }

    @Test("the two sizes of a photo have ids of their own, which its key alone tells")
    func ids() throws {
        let thumbnail = try PreviewSeal.id(of: .thumbnail, fileKey: try key(1))
        #expect(thumbnail.count == 16)
        #expect(try PreviewSeal.id(of: .thumbnail, fileKey: try key(1)) == thumbnail)
        #expect(try PreviewSeal.id(of: .preview, fileKey: try key(1)) != thumbnail)
        #expect(try PreviewSeal.id(of: .thumbnail, fileKey: try key(2)) != thumbnail)
    }

    @Test("what was sealed opens, of every size", arguments: [0, 1, 16_379, 16_380, 40_000, PreviewSeal.byteLimit])
    func roundTrip(_ count: Int) throws {
        let picture = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let id = try PreviewSeal.id(of: .preview, fileKey: try key(1))
        let body = try PreviewSeal.seal(picture, id: id, fileKey: try key(1))
        let opened = try PreviewSeal.open(body, id: id, key: try deriveFileKey(.preview, from: key(1)))
        #expect(opened.picture == picture && !opened.isProvisional)
    }

    @Test("one that a client made is told apart, and of the smallest size", arguments: [0, 1, 16_379])
    func provisional(_ count: Int) throws {
        let picture = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let id = try PreviewSeal.id(of: .thumbnail, fileKey: try key(1))
        let body = try PreviewSeal.seal(picture, id: id, fileKey: try key(1), isProvisional: true)
        let opened = try PreviewSeal.open(body, id: id, key: try deriveFileKey(.preview, from: key(1)))
        #expect(opened.picture == picture && opened.isProvisional)
        #expect(try body.count == PreviewSeal.seal(picture, id: id, fileKey: try key(1)).count)
        #expect(PreviewSeal.provisionalByteLimit == 16_379)
        #expect(throws: SealingError.self) {
            try PreviewSeal.seal([UInt8](repeating: 0, count: 16_380), id: id, fileKey: try key(1), isProvisional: true)
        }
    }

    @Test("a body tells no more of a picture's size than a power of two")
    func padding() throws {
        let id = try PreviewSeal.id(of: .preview, fileKey: try key(1))
        func size(_ count: Int) throws -> Int {
            try PreviewSeal.seal([UInt8](repeating: 9, count: count), id: id, fileKey: try key(1)).count
        }
        #expect(try size(0) == size(16_379))
        #expect(try size(16_380) == size(32_763))
        #expect(try size(16_379) == 24 + 32 + 16_383 + 16)
        #expect(throws: SealingError.self) { try size(PreviewSeal.byteLimit + 1) }
    }

    @Test("a body opens neither under another photo's key nor in another place, nor changed")
    func refused() throws {
        let id = try PreviewSeal.id(of: .thumbnail, fileKey: try key(1))
        var body = try PreviewSeal.seal([1, 2, 3], id: id, fileKey: try key(1))
        #expect(throws: SealingError.self) {
            try PreviewSeal.open(body, id: id, key: try deriveFileKey(.preview, from: key(2)))
        }
        let other = try PreviewSeal.id(of: .preview, fileKey: try key(1))
        #expect(throws: SealingError.self) {
            try PreviewSeal.open(body, id: other, key: try deriveFileKey(.preview, from: key(1)))
        }
        body[100] ^= 1
        #expect(throws: SealingError.self) {
            try PreviewSeal.open(body, id: id, key: try deriveFileKey(.preview, from: key(1)))
        }
        #expect(throws: SealingError.self) {
            try PreviewSeal.open([], id: id, key: try deriveFileKey(.preview, from: key(1)))
        }
    }
}
