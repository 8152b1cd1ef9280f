import Foundation
import TestSupport
import Testing

@testable import Media

/// Counts what is asked of it, and notices questions beyond its end.
final class CountingSource: ByteSource {
    let bytes: [UInt8]
    private(set) var readCount = 0
    private(set) var readBytes = 0
    private(set) var largestRead = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var byteCount: UInt64 { UInt64(bytes.count) }

    func read(at offset: UInt64, count: Int) -> [UInt8] {
        readCount += 1
        readBytes += count
        largestRead = max(largestRead, count)
        return bytes.read(at: offset, count: count)
    }
}

@Suite("Damaged and hostile files")
struct HostileFilesTests {
    private static let readableTypes = MediaType.allCases

    /// Looks into the bytes as every part of the target does, and returns how much was read.
    private func look(at bytes: [UInt8], as type: MediaType) throws {
        let source = CountingSource(bytes)
        _ = try MediaFacts(reading: source, type: type)
        #expect(source.readCount <= 2100 && source.readBytes <= 25 << 20 && source.largestRead <= 1 << 20)
        _ = try EmbeddedJPEG(reading: bytes, type: type)
    }

    @Test("mutated photos are read within limits and without a fault")
    func mutatedPhotos() throws {
        var generator = SeededGenerator(seed: 6)
        for photo in try Photos.all() {
            let type = MediaType.sniff(photo.bytes)
            // What facts are read from lies in the first and last parts.
            let whole = photo.bytes.count > 200_000 ? Array(photo.bytes.prefix(200_000)) : photo.bytes
            for round in 0..<12 {
                var mutated = whole
                let reach = round % 3 == 0 ? mutated.count : min(mutated.count, 4096)
                for _ in 0..<(1 << Int.random(in: 0...7, using: &generator)) {
                    mutated[Int.random(in: 0..<reach, using: &generator)] = .random(in: 0...255, using: &generator)
                }
                if round % 4 == 0 { mutated.removeLast(Int.random(in: 0..<mutated.count, using: &generator)) }
                _ = MediaType.sniff(mutated)
                try look(at: mutated, as: type)
            }
        }
    }

    @Test("mutated indexes of videos are read within limits and without a fault")
    func mutatedVideos() throws {
        let maker = try VideoMaker()
        var generator = SeededGenerator(seed: 7)
        let options = ["-c:v", "mpeg4", "-metadata", "creation_time=2021-04-11T20:47:53Z"]
        let fragmented = ["-movflags", "frag_keyframe+empty_moov"]
        for (name, more) in [("a.mp4", []), ("a.mov", []), ("a.mkv", []), ("f.mp4", fragmented)] {
            let path = try maker.make(name, options + more + ["-metadata", "location=+40.7887-004.0051/"])
            let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
            let type = MediaType.sniff(whole)
            for _ in 0..<100 {
                var mutated = whole
                for _ in 0..<(1 << Int.random(in: 0...6, using: &generator)) {
                    let isHead = Bool.random(using: &generator)
                    let place = isHead ? 0..<min(2048, mutated.count) : max(0, mutated.count - 2048)..<mutated.count
                    mutated[Int.random(in: place, using: &generator)] = .random(in: 0...255, using: &generator)
                }
                try look(at: mutated, as: type)
            }
        }
    }

    @Test("any bytes as any type", arguments: MediaType.allCases)
    func noise(type: MediaType) throws {
        var generator = SeededGenerator(seed: UInt64(type.rawValue) + 1)
        for length in [0, 1, 2, 7, 8, 15, 100, 5000] {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            try look(at: bytes, as: type)
            try look(at: [UInt8](repeating: 0, count: length), as: type)
            try look(at: [UInt8](repeating: 0xFF, count: length), as: type)
        }
    }

    @Test("every beginning of a file can be its end")
    func everyLength() throws {
        let photo = try Photos.bytes("odd/broken_github_138.heic")
        for length in 0..<2500 { try look(at: Array(photo.prefix(length)), as: .heic) }
        let jpeg = try Photos.bytes("cameras/Canon_40D.jpg")
        for length in 0..<2500 { try look(at: Array(jpeg.prefix(length)), as: .jpeg) }
    }

    @Test("directories that point at each other end")
    func endlessDirectories() throws {
        var tiff: [UInt8] = [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0]
        // One entry, SubIFDs, that points back; the next directory is this one.
        tiff += [1, 0, 0x4A, 0x01, 4, 0, 1, 0, 0, 0, 8, 0, 0, 0, 8, 0, 0, 0]
        try look(at: tiff, as: .dng)
        try look(at: tiff, as: .tiff)
    }

    @Test("a HEIF location table with endless empty extents is refused")
    func endlessExtents() {
        let head: [UInt8] = [0, 0, 0, 0, 0x00, 0x00, 0xFF, 0xFF]
        #expect(HEIFLocationTable(head + [UInt8](repeating: 0xFF, count: 40_000)) == nil)
    }

    @Test("a source that fails is an error, not a file without facts")
    func failingSource() {
        struct Failing: ByteSource {
            struct Fault: Error {}
            let byteCount: UInt64 = 1000
            func read(at offset: UInt64, count: Int) throws -> [UInt8] { throw Fault() }
        }
        #expect(throws: MediaError.self) { try MediaFacts(reading: Failing(), type: .jpeg) }
    }
}
