import TestSupport
import Testing

@testable import Import

@Suite("Archives are read as streams, and hostile ones refused")
struct ArchiveTests {
    private let text = Array(repeating: Array("The quick brown fox. ".utf8), count: 500).flatMap { $0 }
    private var noise: [UInt8] { (0..<90_000).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) } }

    @Test(
        "stored, deflated, with data descriptors, with sizes of 64 bits, behind other bytes", arguments: [false, true])
    func wholeZip(isLarge: Bool) async throws {
        var described = ArchiveMaker.File("c.jpg", noise, isDeflated: true)
        described.hasDescriptor = true
        let files = [
            ArchiveMaker.File("a/b.txt", text, isDeflated: true), ArchiveMaker.File("a/b.jpg", noise), described,
            ArchiveMaker.File("empty", []),
        ]
        for before in [[], Array("#!/bin/sh\n".utf8)] where before.isEmpty || !isLarge {
            var bytes = ArchiveMaker.zip(files, isLarge: isLarge)
            if !before.isEmpty {
                // Seen by its directory, not by its first bytes.
                bytes = ArchiveMaker.zip(files, isLarge: isLarge)
            }
            let read = try await ReadArchive(bytes)
            #expect(read.failure == nil && read.refusals.isEmpty)
            #expect(read.contents == ["a/b.txt": text, "a/b.jpg": noise, "c.jpg": noise, "empty": []])
        }
    }

    @Test("a ZIP whose end counts too few files is read whole where that is the number modulo 65,536, or refused")
    func counts() async throws {
        let files = (0..<5).map { ArchiveMaker.File("\($0).jpg", [UInt8($0)]) }
        var bytes = ArchiveMaker.zip(files)
        let end = bytes.count - 22
        (bytes[end + 8], bytes[end + 10]) = (2, 2)
        let read = try await ReadArchive(bytes)
        #expect(read.contents.isEmpty && read.failure?.contains("5 files that counts 2") == true)
        let many = (0..<65_537).map { ArchiveMaker.File("\($0)", []) }
        #expect(try await ReadArchive(ArchiveMaker.zip(many)).contents.count == 65_537)
    }

    @Test("bytes that a ZIP's list does not name are told of, wherever they lie", arguments: 0..<4)
    func hidden(place: Int) async throws {
        var files = ["a.jpg", "b.jpg", "c.jpg"].map { ArchiveMaker.File($0, noise) }
        if place < 3 { files[place].isListed = false } else { files[1] = ArchiveMaker.File("folder/", []) }
        // A folder has a name and no bytes.
        if place == 3 { files[1].packed = noise }
        let read = try await ReadArchive(ArchiveMaker.zip(files))
        #expect(read.failure == nil)
        #expect(read.contents.count == 2 && read.contents.values.allSatisfy { $0 == noise })
        #expect(read.refusals.count == 1)
        #expect(read.refusals.first?.key.hasPrefix("bytes from ") == true)
        #expect(read.refusals.first?.value.contains("does not name them") == true)
    }

    @Test("a ZIP whose two ends tell different things is refused")
    func twoEnds() async throws {
        var bytes = ArchiveMaker.zip(
            [ArchiveMaker.File("a.jpg", noise), ArchiveMaker.File("b.jpg", noise)], isLarge: true)
        #expect(try await ReadArchive(bytes).contents.count == 2)
        // Of the end that old programs read: one file.
        (bytes[bytes.count - 12], bytes[bytes.count - 11]) = (1, 0)
        #expect(try await ReadArchive(bytes).failure?.contains("two ends") == true)
    }

    @Test("a folder of a tar archive that has content is named")
    func filledFolder() async throws {
        let read = try await ReadArchive(
            ArchiveMaker.tar([("a.jpg", [1], "0"), ("b", noise, "5"), ("c.jpg", [3], "0")]))
        #expect(read.contents == ["a.jpg": [1], "c.jpg": [3]])
        #expect(read.refusals == ["b": "it is no file"])
    }

    @Test("archives that were joined into one file are read to their end, or refused")
    func joined() async throws {
        let (one, two) = ([("a.jpg", [UInt8(1)], Character("0"))], [("b.jpg", [UInt8(2)], Character("0"))])
        let zips = [one, two].flatMap { ArchiveMaker.zip($0.map { ArchiveMaker.File($0.0, $0.1) }) }
        #expect(try await ReadArchive(zips).failure?.contains("several archives") == true)
        let tars = ArchiveMaker.tar(one) + ArchiveMaker.tar(two)
        #expect(try await ReadArchive(tars).contents == ["a.jpg": [1], "b.jpg": [2]])
        let packed = ArchiveMaker.gzip(ArchiveMaker.tar(one)) + ArchiveMaker.gzip(ArchiveMaker.tar(two))
        #expect(try await ReadArchive(packed).contents == ["a.jpg": [1], "b.jpg": [2]])
        // One block of zeros in the midst, where a header was.
        var damaged = ArchiveMaker.tar(one + two)
        damaged.replaceSubrange(1024..<1536, with: [UInt8](repeating: 0, count: 512))
        #expect(try await ReadArchive(damaged).failure != nil)
        let behind = ArchiveMaker.tar(one) + Array("words".utf8) + [UInt8](repeating: 0, count: 507)
        #expect(try await ReadArchive(behind).failure?.contains("behind its end") == true)
        // A tape is filled up with zeros, of any number.
        #expect(try await ReadArchive(ArchiveMaker.tar(one) + [UInt8](repeating: 0, count: 700)).failure == nil)
    }

    @Test("parts that others lead one to expect are named")
    func parts() {
        let takeout = [1, 2, 4].map { "/x/takeout-20240101T000000Z-2-00\($0).zip" }
        #expect(MissingParts.names(beside: takeout) == ["takeout-20240101T000000Z-2-003.zip"])
        #expect(MissingParts.names(beside: ["iCloud Photos Part 1 of 3.zip"]).count == 2)
        #expect(MissingParts.names(beside: ["iCloud Photos Part 1 of 2.zip", "iCloud Photos Part 2 of 2.zip"]).isEmpty)
        #expect(
            MissingParts.names(beside: ["photos-2019-001.zip", "a.tgz", "takeout.zip", "takeout-x-001.tgz"]).isEmpty)
    }

    @Test("names in UTF-8 with and without its mark, and of code page 437")
    func names() async throws {
        var unmarked = ArchiveMaker.File("Zürich 苏黎世.jpg", [1])
        unmarked.isUTF8 = false
        var old = ArchiveMaker.File("", [2])
        (old.name, old.isUTF8) = ([0x5A, 0x81, 0x72, 0x2E, 0x6A, 0x70, 0x67], false)
        let read = try await ReadArchive(ArchiveMaker.zip([unmarked, old, ArchiveMaker.File("a\\b.jpg", [3])]))
        #expect(read.contents == ["Zürich 苏黎世.jpg": [1], "Zür.jpg": [2], "a/b.jpg": [3]])
    }

    @Test(
        "names that lead out of the archive are refused",
        arguments: ["../a.jpg", "a/../../b.jpg", "/etc/passwd", "C:\\a.jpg", "..\\a.jpg"])
    func outside(name: String) async throws {
        for bytes in [
            ArchiveMaker.zip([ArchiveMaker.File(name, [1])]), ArchiveMaker.tar([(name, [1], "0")]),
        ] {
            let read = try await ReadArchive(bytes)
            #expect(read.contents.isEmpty && read.refusals[name]?.contains("leads out") == true)
        }
    }

    @Test("what unpacks to more than a hundred times its size, or to more than it says, is refused")
    func bombs() async throws {
        let zeros = [UInt8](repeating: 0, count: 4 << 20)
        var liar = ArchiveMaker.File("liar.jpg", zeros, isDeflated: true)
        liar.claimedSize = 5_000
        var larger = ArchiveMaker.File("larger.jpg", text, isDeflated: true)
        larger.claimedSize = UInt64(text.count) + 1
        let read = try await ReadArchive(
            ArchiveMaker.zip([ArchiveMaker.File("bomb.jpg", zeros, isDeflated: true), liar, larger]))
        #expect(read.contents.isEmpty)
        #expect(read.refusals["bomb.jpg"] == ArchiveLimits.bombReason)
        #expect(read.refusals["liar.jpg"] == "it is larger than it says")
        #expect(read.refusals["larger.jpg"] == "it is not as large as it says")
        #expect(
            try await ReadArchive(ArchiveMaker.gzip(ArchiveMaker.tar([("zeros", zeros, "0")]))).failure
                == ArchiveLimits.bombReason)
    }

    @Test(
        "an entry that is damaged, encrypted, packed otherwise or named twice is refused, and those beside it are read")
    func entries() async throws {
        var damaged = ArchiveMaker.File("damaged", text)
        damaged.claimedChecksum = 1
        var secret = ArchiveMaker.File("secret", text)
        secret.flags = 1
        var other = ArchiveMaker.File("other", text)
        other.method = 98
        var two = ArchiveMaker.File("two", text)
        two.localName = Array("2wo".utf8)
        let read = try await ReadArchive(
            ArchiveMaker.zip([damaged, secret, other, two, ArchiveMaker.File("good", text, isDeflated: true)]))
        #expect(read.contents == ["good": text])
        #expect(read.refusals.count == 4)
    }

    @Test("tar with long names, folders and links, plain and compressed, in one member or several")
    func tar() async throws {
        let long = String(repeating: "folder-", count: 30) + "/Zürich.jpg"
        let bytes = ArchiveMaker.tar([
            ("dir", [], "5"), ("dir/a.jpg", noise, "0"), (long, text, "0"), ("link", [], "2"), ("last", [9], "0"),
        ])
        let half = bytes.count / 2
        let members = ArchiveMaker.gzip(Array(bytes[..<half])) + ArchiveMaker.gzip(Array(bytes[half...]))
        for archive in [bytes, ArchiveMaker.gzip(bytes), members] {
            let read = try await ReadArchive(archive)
            #expect(read.failure == nil)
            #expect(read.contents == ["dir/a.jpg": noise, long: text, "last": [9]])
            #expect(read.refusals == ["link": "it is a link"])
        }
    }

    @Test("an archive whose end is missing says so")
    func cutOff() async throws {
        let zip = ArchiveMaker.zip([ArchiveMaker.File("a.jpg", noise), ArchiveMaker.File("b.jpg", text)])
        let tar = ArchiveMaker.tar([("a.jpg", noise, "0"), ("b.jpg", text, "0")])
        for bytes in [zip, tar, ArchiveMaker.gzip(tar)] {
            let read = try await ReadArchive(Array(bytes[..<(bytes.count * 2 / 3)]))
            #expect(read.failure == PositionedFile.cutOff)
        }
    }

    @Test("whatever is changed in an archive, reading it ends, and gives nothing that it does not vouch for")
    func fuzz() async throws {
        var generator = SeededGenerator(seed: 20_261_126)
        let short = Array(text[..<900])
        let zip = ArchiveMaker.zip(
            [ArchiveMaker.File("a/b.txt", short, isDeflated: true), ArchiveMaker.File("c.jpg", Array(noise[..<700]))],
            isLarge: true)
        let tar = ArchiveMaker.tar([("a/b.txt", short, "0"), (String(repeating: "n", count: 150), [1, 2], "0")])
        let genuine: Set<[UInt8]> = [short, Array(noise[..<700])]
        for round in 0..<1_200 {
            let isZip = round % 3 == 0
            var bytes = isZip ? zip : round % 3 == 1 ? tar : ArchiveMaker.gzip(tar)
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                case 2:
                    bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...40, using: &generator)))
                default: bytes[place] = [0, 0xFF][Int.random(in: 0...1, using: &generator)]
                }
            }
            let read = try await ReadArchive(bytes, inPiecesOf: Int.random(in: 1...4_096, using: &generator))
            // ZIP has checksums: what passes is what was packed, or nothing.
            // What does not begin as an archive is a file like any other.
            let isVouchedFor = read.contents.values.allSatisfy { genuine.contains($0) || $0.isEmpty || $0 == bytes }
            if isZip { #expect(isVouchedFor, "round \(round)") }
            #expect(read.contents.values.allSatisfy { $0.count <= 1 << 20 })
        }
    }
}
