import Testing

@testable import Media

@Suite("Raw files: what they are, what they say, and the picture in them")
struct RawFilesTests {
    private typealias Entry = TIFFBuilder.Entry
    private let small: [UInt8]
    private let large: [UInt8]

    init() throws {
        small = try Photos.bytes("cameras/Canon_40D.jpg")  // 100 × 68
        large = try Photos.bytes("gps/DSCN0010.jpg")  // 640 × 480
    }

    private func jpeg(_ bytes: [UInt8]) -> [Entry] {
        [
            Entry(TIFFTag.compression, .shorts([6])), Entry(TIFFTag.jpegOffset, .offset(of: bytes)),
            Entry(TIFFTag.jpegByteCount, .longs([UInt32(bytes.count)])),
        ]
    }

    private func strip(_ bytes: [UInt8], photometric: UInt16 = 6) -> [Entry] {
        [
            Entry(TIFFTag.newSubfileType, .longs([1])), Entry(TIFFTag.compression, .shorts([7])),
            Entry(TIFFTag.photometric, .shorts([photometric])), Entry(TIFFTag.stripOffsets, .offset(of: bytes)),
            Entry(TIFFTag.stripByteCounts, .longs([UInt32(bytes.count)])),
        ]
    }

    private func sensor(_ width: UInt32, _ height: UInt32) -> [Entry] {
        [
            Entry(TIFFTag.newSubfileType, .longs([0])), Entry(TIFFTag.imageWidth, .longs([width])),
            Entry(TIFFTag.imageLength, .longs([height])), Entry(TIFFTag.photometric, .shorts([32803])),
        ]
    }

    private func expect(
        _ file: [UInt8], is type: MediaType, shows picture: [UInt8], orientation: Int = 1
    ) throws -> MediaFacts {
        #expect(MediaType.sniff(file) == type)
        let found = try #require(try EmbeddedJPEG(reading: file, type: type))
        #expect(found.orientation == orientation)
        #expect(file[Int(found.range.lowerBound)..<Int(found.range.upperBound)].elementsEqual(picture))
        return try MediaFacts(reading: file, type: type)
    }

    @Test("DNG: the largest preview, the sensor's size, turned")
    func dng() throws {
        let main = [
            Entry(TIFFTag.newSubfileType, .longs([1])), Entry(TIFFTag.make, .text("Google")),
            Entry(TIFFTag.orientation, .shorts([6])),
            Entry(TIFFTag.subDirectories, .directories([sensor(4032, 3024), strip(withoutExif(large)), strip(small)])),
            Entry(TIFFTag.dngVersion, .bytes([1, 4, 0, 0])),
        ]
        let file = TIFFBuilder.file([main])
        let facts = try expect(file, is: .dng, shows: withoutExif(large), orientation: 6)
        #expect(facts.width == 3024 && facts.height == 4032)
        #expect(facts.cameraMake == "Google")
    }

    /// A preview that says nothing itself.
    private func withoutExif(_ bytes: [UInt8]) -> [UInt8] {
        var said = bytes
        if let place = said.place(of: Array("Exif\0\0".utf8)) {
            said.replaceSubrange(place..<place + 4, with: Array("None".utf8))
        }
        return said
    }

    @Test("NEF, ARW and SRW by their maker; PEF by the sensor's data in the first directory")
    func makers() throws {
        for (make, type) in [("NIKON CORPORATION", MediaType.nef), ("SONY", .arw), ("SAMSUNG", .srw)] {
            let main = [
                Entry(TIFFTag.newSubfileType, .longs([1])), Entry(TIFFTag.make, .text(make)),
                Entry(TIFFTag.subDirectories, .directories([jpeg(large), sensor(6000, 4000)])),
            ]
            let facts = try expect(TIFFBuilder.file([main]), is: type, shows: large)
            #expect(facts.width == 6000)
        }
        let main = [Entry(TIFFTag.photometric, .shorts([32803])), Entry(TIFFTag.make, .text("PENTAX"))]
        _ = try expect(TIFFBuilder.file([main, jpeg(small), jpeg(large)]), is: .pef, shows: large)
    }

    @Test("a TIFF file of a raw camera's maker is a TIFF file")
    func developed() throws {
        let main = [Entry(TIFFTag.make, .text("NIKON CORPORATION")), Entry(TIFFTag.photometric, .shorts([2]))]
        #expect(MediaType.sniff(TIFFBuilder.file([main])) == .tiff)
    }

    @Test("RW2, and ORF with its preview in the maker's note")
    func otherMagicNumbers() throws {
        let panasonic = TIFFBuilder.file(
            [[Entry(TIFFTag.make, .text("Panasonic")), Entry(TIFFTag.panasonicJPEG, .bytes(large))]],
            magic: [0x49, 0x49, 0x55, 0])
        _ = try expect(panasonic, is: .rw2, shows: large)

        // The note's own offsets count from its beginning: header 12, directory 18, settings 30, then the picture.
        let settings: [UInt8] = [2, 0, 1, 1, 4, 0, 1, 0, 0, 0, 60, 0, 0, 0, 2, 1, 4, 0, 1, 0, 0, 0]
        let length = [UInt8(large.count & 255), UInt8(large.count >> 8 & 255), UInt8(large.count >> 16), 0]
        let note =
            Array("OLYMPUS\0II".utf8) + [3, 0, 1, 0, 0x20, 0x20, 4, 0, 1, 0, 0, 0, 30, 0, 0, 0, 0, 0, 0, 0] + settings
            + length + [0, 0, 0, 0]
        let exif = [Entry(TIFFTag.makerNote, .bytes(note + large))]
        let olympus = TIFFBuilder.file([[Entry(TIFFTag.exifDirectory, .directory(exif))]], magic: Array("IIRO".utf8))
        _ = try expect(olympus, is: .orf, shows: large)
    }

    @Test("RAF: the JPEG that its header names tells the facts")
    func raf() throws {
        var file = Array("FUJIFILMCCD-RAW ".utf8) + [UInt8](repeating: 0, count: 84)
        file.replaceSubrange(
            84..<92,
            with: [0, 0, 0, 100, 0, UInt8(large.count >> 16), UInt8(large.count >> 8 & 255), UInt8(large.count & 255)])
        let facts = try expect(file + large + [0, 0, 0], is: .raf, shows: large)
        #expect(facts.place != nil && facts.cameraMake == "NIKON")
    }

    @Test("CR3: the first track's only sample, and EXIF in boxes of its own")
    func cr3() throws {
        func box(_ type: String, _ payload: [UInt8]) -> [UInt8] {
            let size = payload.count + 8
            return [0, UInt8(size >> 16), UInt8(size >> 8 & 255), UInt8(size & 255)] + Array(type.utf8) + payload
        }
        func file(start: Int) -> [UInt8] {
            let length = [0, UInt8(large.count >> 16), UInt8(large.count >> 8 & 255), UInt8(large.count & 255)]
            let offset = [0, 0, 0, 0, 0, 0, UInt8(start >> 8), UInt8(start & 255)]
            let sizes = box("stsz", [0, 0, 0, 0] + length + [0, 0, 0, 1])
            let chunks = box("co64", [0, 0, 0, 0, 0, 0, 0, 1] + offset)
            let track = box("trak", box("mdia", box("minf", box("stbl", sizes + chunks))))
            let main = TIFFBuilder.file([
                [
                    Entry(TIFFTag.imageWidth, .shorts([6000])), Entry(TIFFTag.imageLength, .shorts([4000])),
                    Entry(TIFFTag.make, .text("Canon")), Entry(TIFFTag.orientation, .shorts([8])),
                ]
            ])
            let exif = TIFFBuilder.file([[Entry(TIFFTag.dateTimeOriginal, .text("2021:04:11 15:47:53"))]])
            let identifier: [UInt8] = [
                0x85, 0xC0, 0xB6, 0x87, 0x82, 0x0F, 0x11, 0xE0, 0x81, 0x11, 0xF4, 0xCE, 0x46, 0x2B, 0x6A, 0x48,
            ]
            let metadata = box("uuid", identifier + box("CMT1", main) + box("CMT2", exif))
            return box("ftyp", Array("crx ".utf8) + [0, 0, 0, 1]) + box("moov", metadata + track) + box("mdat", large)
        }
        let bytes = file(start: file(start: 0).count - large.count)
        let facts = try expect(bytes, is: .cr3, shows: large)
        #expect(facts.width == 4000 && facts.height == 6000 && facts.cameraMake == "Canon")
        #expect(facts.takenAt?.milliseconds == 1_618_156_073_000)
    }

    @Test("the content identifier of a Live Photo stands in Apple's note")
    func appleNote() throws {
        let identifier = Array("5A3F-11".utf8) + [0]
        let note =
            Array("Apple iOS\0".utf8) + [0, 1, 0x4D, 0x4D, 0, 1, 0, 0x11, 0, 2, 0, 0, 0, 8, 0, 0, 0, 32, 0, 0, 0, 0]
            + identifier
        let exif = [Entry(TIFFTag.makerNote, .bytes(note))]
        let file = TIFFBuilder.file([[Entry(TIFFTag.exifDirectory, .directory(exif))]])
        #expect(try MediaFacts(reading: file, type: .tiff).contentIdentifier == "5A3F-11")
    }

    @Test("a raw file whose pictures are damaged shows none")
    func noPicture() throws {
        let main = [
            Entry(TIFFTag.make, .text("X")), Entry(TIFFTag.dngVersion, .bytes([1, 4, 0, 0])),
            Entry(TIFFTag.subDirectories, .directories([strip([1, 2, 3, 4, 5, 6, 7, 8])])),
        ]
        #expect(try EmbeddedJPEG(reading: TIFFBuilder.file([main]), type: .dng) == nil)
        #expect(try EmbeddedJPEG(reading: large, type: .jpeg) == nil)
    }
}
