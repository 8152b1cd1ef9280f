import Foundation
import TestSupport
import Testing

@testable import Media

@Suite("Clean copies of pictures and videos, as long as their files")
struct CleanCopiesTests {
    /// - Throws: `MediaError`.
    private func clean(_ bytes: [UInt8]) throws -> [UInt8] {
        let source = CountingSource(bytes)
        let overwrites = try Overwrites(cleaning: source, type: MediaType.sniff(bytes))
        #expect(source.readBytes <= 4 * bytes.count + (1 << 20), "no part of it is read again and again")
        return overwrites.applied(to: bytes, at: 0)
    }

    // MARK: Planted words

    @Test("what is planted wherever a format can hold it is nowhere in the copy", arguments: PlantedFiles.Kind.allCases)
    func planted(kind: PlantedFiles.Kind) throws {
        let (file, places) = try PlantedFiles.file(kind)
        #expect(file.count(of: PlantedFiles.word) >= places, "so many were planted")
        let copy = try clean(file)
        #expect(copy.count == file.count)
        #expect(copy.count(of: PlantedFiles.word) == 0)
        #expect(try clean(copy) == copy, "clean twice is clean once")
    }

    @Test("a file that breaks off anywhere is refused or says nothing, either", arguments: PlantedFiles.Kind.allCases)
    func truncated(kind: PlantedFiles.Kind) throws {
        let (file, _) = try PlantedFiles.file(kind)
        var copies = 0
        for length in stride(from: 0, to: file.count, by: file.count > 4000 ? 97 : 7) {
            guard let copy = try? clean(Array(file.prefix(length))) else { continue }
            copies += 1
            #expect(copy.count == length && copy.count(of: PlantedFiles.word) == 0, "\(length) bytes")
        }
        // Of JPEG, PNG and WebP there is one once their picture has begun.
        #expect([.jpeg, .png, .webp].contains(kind) ? copies > 0 : true)
    }

    @Test("any parts put together are the whole", arguments: PlantedFiles.Kind.allCases)
    func parts(kind: PlantedFiles.Kind) throws {
        let (file, _) = try PlantedFiles.file(kind)
        let overwrites = try Overwrites(cleaning: file, type: MediaType.sniff(file))
        let whole = overwrites.applied(to: file, at: 0)
        var generator = SeededGenerator(seed: 21)
        for _ in 0..<200 {
            let cut = Int.random(in: 0...file.count, using: &generator)
            let parts =
                overwrites.applied(to: Array(file[..<cut]), at: 0)
                + overwrites.applied(to: Array(file[cut...]), at: UInt64(cut))
            #expect(parts == whole, "\(cut)")
        }
        for place in file.indices where place % 11 == 0 {
            #expect(overwrites.applied(to: [file[place]], at: UInt64(place)) == [whole[place]])
        }
    }

    @Test("mutated files end within limits and without a fault", arguments: PlantedFiles.Kind.allCases)
    func mutated(kind: PlantedFiles.Kind) throws {
        let (file, _) = try PlantedFiles.file(kind)
        var generator = SeededGenerator(seed: 22)
        for _ in 0..<300 {
            var mutated = file
            for _ in 0..<(1 << Int.random(in: 0...5, using: &generator)) {
                let place = Int.random(in: 0..<mutated.count, using: &generator)
                mutated[place] =
                    [0, 0xFF, .random(in: 0...255, using: &generator)].randomElement(using: &generator) ?? 0
            }
            let source = CountingSource(mutated)
            guard let overwrites = try? Overwrites(cleaning: source, type: MediaType.sniff(file)) else { continue }
            #expect(overwrites.applied(to: mutated, at: 0).count == mutated.count)
            #expect(source.readCount <= 70_000 && source.largestRead <= 512 << 10)
        }
    }

    // MARK: Real files

    @Test("decoders make the same of a video, and of its packets", arguments: PlantedFiles.videos)
    func sameVideo(options: [String]) throws {
        let maker = try VideoMaker()
        let name = options.last ?? ""
        let path = try maker.make(name, Array(options.dropLast()), input: PlantedFiles.soundAndPicture)
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let copy = path + ".clean." + name.split(separator: ".")[1]
        try Data(try clean(bytes)).write(to: URL(fileURLWithPath: copy))
        for output in [["-f", "framemd5"], ["-c", "copy", "-f", "streamhash"]] {
            let (before, after) = (try hashes(path, output), try hashes(copy, output))
            #expect(before == after && before.contains(","), "\(name)")
        }
        let tool = try #require(try ExifTool.read([copy])[copy])
        #expect(tool.text("Keys:GPSCoordinates", "UserData:GPSCoordinates", "ItemList:GPSCoordinates") == nil)
        let dates = [
            "QuickTime:CreateDate", "Track1:TrackCreateDate", "Track1:MediaCreateDate", "Track2:MediaModifyDate",
        ]
        #expect(Set(dates.compactMap { tool.text($0) }).isSubset(of: ["1904:01:01 00:00:00+00:00"]))
        #expect(tool.groups.isDisjoint(with: ["Keys", "UserData", "ItemList", "Meta", "XMP", "GPS"]))
    }

    private func hashes(_ path: String, _ output: [String]) throws -> String {
        let input = ["-v", "error", "-nostdin", "-i", path, "-map", "0:v", "-map", "0:a?"]
        return try Program("/usr/bin/ffmpeg", input + output + ["-"]).run()
    }

    @Test("pictures that coded items hold are kept byte for byte, with their size and orientation")
    func samePictures() throws {
        let photos = try Photos.all().filter { [.heic, .heif, .avif].contains(MediaType.sniff($0.bytes)) }
        var cleaned = 0
        for photo in photos {
            let type = MediaType.sniff(photo.bytes)
            guard let copy = try? clean(photo.bytes) else { continue }
            cleaned += 1
            let (before, after) = (
                try MediaFacts(reading: photo.bytes, type: type), try MediaFacts(reading: copy, type: type)
            )
            #expect(after.width == before.width && after.height == before.height, "\(photo.name)")
            #expect(after.orientation == before.orientation, "\(photo.name)")
            #expect(after.place == nil && after.cameraModel == nil && after.takenAt == nil, "\(photo.name)")
            #expect(try pictureBytes(copy) == pictureBytes(photo.bytes), "\(photo.name)")
        }
        #expect(cleaned >= 4)
    }

    /// Of all items that are coded pictures or put together from such.
    private func pictureBytes(_ file: [UInt8]) throws -> [[UInt8]] {
        let reader = BoundedReader(file)
        let meta = try #require(BoxList(reader, until: "meta").first("meta"))
        let boxes = reader.boxes(in: meta, skipping: 4)
        let infos = try #require(boxes.first("iinf").flatMap { reader.payload($0, limit: 1 << 20) })
        let items = HEIFItems(infos: infos, locations: [])
        var table = try #require(
            boxes.first("iloc").flatMap { reader.payload($0, limit: 1 << 20) }.flatMap { HEIFLocationTable($0) })
        var found: [[UInt8]] = []
        for _ in 0..<table.itemCount {
            let next = table.next(maximumExtentCount: 64)
            let (id, location) = try #require(next)
            guard ["hvc1", "av01", "grid", "iovl"].contains(items.types[id]) else { continue }
            let start = location.method == 1 ? try #require(boxes.first("idat")).payload.lowerBound : 0
            for extent in location.extents {
                found.append(file.read(at: start + location.base + extent.offset, count: Int(extent.length)))
            }
        }
        #expect(!found.isEmpty && found.allSatisfy { !$0.isEmpty })
        return found
    }

    @Test("exiftool finds no place, camera, day or words in any copy")
    func nothingLeft() throws {
        let folder = try TemporaryFolder()
        var paths: [String] = []
        for photo in try Photos.all() {
            guard let copy = try? clean(photo.bytes) else { continue }
            let name = "\(paths.count)-\(photo.name.replacing("/", with: "-"))"
            try folder.write(name, copy)
            paths.append(folder.file(name).path)
        }
        let found = try ExifTool.read(paths)
        #expect(found.count == paths.count)
        let allowed: Set<String> = [
            "ExifTool", "System", "File", "JFIF", "IFD0", "Adobe", "Composite", "QuickTime", "Meta",
        ]
        for (path, tool) in found {
            #expect(tool.groups.filter { !$0.hasPrefix("ICC") }.subtracting(allowed) == [], "\(path)")
            for tag in ["IFD0:Make", "IFD0:Model", "IFD0:ModifyDate", "QuickTime:CreateDate", "Meta:Title"] {
                #expect(tool.text(tag) == nil, "\(path): \(tag)")
            }
        }
    }

    @Test("orientation stays where EXIF alone tells it", arguments: [PlantedFiles.Kind.jpeg, .png, .webp])
    func orientation(kind: PlantedFiles.Kind) throws {
        let (file, _) = try PlantedFiles.file(kind)
        let type = MediaType.sniff(file)
        let after = try MediaFacts(reading: try clean(file), type: type)
        #expect(after.orientation == 6)
        #expect(try MediaFacts(reading: file, type: type).orientation == 6)
    }

    // MARK: Hostile tables

    @Test("tables that point outside, count too much or make no sense are refused")
    func tables() throws {
        let (file, _) = try PlantedFiles.file(.mp4)
        _ = try clean(file)
        func change(_ type: String, _ offset: Int, _ bytes: [UInt8]) throws -> [UInt8] {
            let place = try #require(file.place(of: Array(type.utf8)))
            var changed = file
            changed.replaceSubrange(place + 4 + offset..<place + 4 + offset + bytes.count, with: bytes)
            return changed
        }
        let most: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
        for (type, offset, bytes) in [
            ("stco", 4, most), ("stco", 8, most), ("stco", 8, [0, 0, 0, 0]), ("stsz", 8, most), ("stsc", 4, most),
            ("stsc", 8, [0, 0, 0, 2]), ("stsc", 12, [0, 0, 0, 0]), ("stts", 4, most), ("dref", 16, [0, 0, 0, 0]),
            ("stsd", 12, Array("jpeg".utf8)), ("tkhd", 0, [9]), ("stsz", 12, most),
        ] as [(String, Int, [UInt8])] {
            let changed = try change(type, offset, bytes)
            let source = CountingSource(changed)
            #expect(throws: MediaError.self, "\(type) \(offset)") { try Overwrites(cleaning: source, type: .mp4) }
            #expect(source.readBytes < 1 << 20)
        }
    }

    @Test("items that lie outside, in another file, or over what has to go are refused")
    func items() throws {
        for fault in PlantedFiles.HEIFFault.allCases {
            let file = PlantedFiles.heif(fault).bytes
            #expect(throws: MediaError.self, "\(fault)") { try Overwrites(cleaning: file, type: .heic) }
        }
    }

    @Test("of other kinds there is none", arguments: MediaType.allCases.filter { !Overwrites.cleanable.contains($0) })
    func others(type: MediaType) throws {
        #expect(throws: MediaError.self) { try Overwrites(cleaning: Array("GIF89a II*\0".utf8), type: type) }
    }

    @Test("a source that fails is an error, and not a file of which there is no copy")
    func failingSource() {
        struct Fault: Error {}
        struct Failing: ByteSource {
            let byteCount: UInt64 = 1000
            func read(at offset: UInt64, count: Int) throws -> [UInt8] { throw Fault() }
        }
        for type in Overwrites.cleanable {
            do {
                _ = try Overwrites(cleaning: Failing(), type: type)
                Issue.record("\(type) was read")
            } catch {
                guard case .source = error else {
                    Issue.record("\(type): \(error)")
                    continue
                }
            }
        }
    }
}

extension [UInt8] {
    /// How often a word stands here.
    func count(of word: [UInt8]) -> Int {
        guard count >= word.count else { return 0 }
        return (0...count - word.count).count { self[$0] == word[0] && self[$0..<$0 + word.count].elementsEqual(word) }
    }

    func place(of word: [UInt8]) -> Int? {
        guard count >= word.count else { return nil }
        return (0...count - word.count).first { self[$0..<$0 + word.count].elementsEqual(word) }
    }
}
