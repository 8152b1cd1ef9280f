import Testing

@testable import Media

@Suite("The video in a photo's own file")
struct MotionPhotoTests {
    private static let video = start + MadeFiles.box("moov", track("vide")) + MadeFiles.box("mdat", [4, 5])
    private static let start = MadeFiles.box("ftyp", Array("mp42".utf8), [0, 0, 0, 0])

    private static func track(_ handler: String) -> [UInt8] {
        let kind = MadeFiles.box("hdlr", [UInt8](repeating: 0, count: 8) + Array(handler.utf8))
        return MadeFiles.box(
            "trak", MadeFiles.box("tkhd", [UInt8](repeating: 0, count: 84)), MadeFiles.box("mdia", kind))
    }

    private static let names = """
        xmlns:Container="http://ns.google.com/photos/1.0/container/" \
        xmlns:Item="http://ns.google.com/photos/1.0/container/item/" \
        xmlns:GCamera="http://ns.google.com/photos/1.0/camera/"
        """

    private func facts(_ bytes: [UInt8], _ type: MediaType = .jpeg) throws -> MediaFacts {
        try MediaFacts(reading: bytes, type: type)
    }

    private func container(_ items: [(semantic: String, length: Int, padding: Int)]) -> String {
        let entries = items.map { semantic, length, padding in
            "<rdf:li rdf:parseType=\"Resource\"><Container:Item Item:Mime=\"x/y\" Item:Semantic=\"\(semantic)\" "
                + "Item:Length=\"\(length)\" Item:Padding=\"\(padding)\"/></rdf:li>"
        }
        return "<rdf:Description \(Self.names) GCamera:MotionPhoto=\"1\"><dc:subject><rdf:Bag><rdf:li>sea</rdf:li>"
            + "</rdf:Bag></dc:subject><Container:Directory><rdf:Seq>\(entries.joined())</rdf:Seq></Container:Directory>"
    }

    @Test("lies behind the picture and its gain map, as Google's container says")
    func googleContainer() throws {
        let xmp = container([("Primary", 0, 0), ("GainMap", 5, 2), ("MotionPhoto", Self.video.count, 0)])
        let photo = MadeFiles.jpeg(xmp: xmp) + [UInt8](repeating: 7, count: 7)
        let found = try facts(photo + Self.video)
        #expect(found.motion == UInt64(photo.count)..<UInt64(photo.count + Self.video.count))
        #expect(found.hasGainMap)
    }

    @Test("is none where a trailer leads beyond the file", arguments: [60, 0x7FFF_FFFF, 0x8000_0000, UInt32.max])
    func trailerBeyondTheFile(nameLength: UInt32) throws {
        func little(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
        let part = [0, 0, 0x30, 0x0A] + little(nameLength)
        let directory = Array("SEFH".utf8) + little(106) + little(1) + [0, 0, 0x30, 0x0A] + little(8) + little(0)
        let photo = MadeFiles.jpeg(
            xmp:
                "<rdf:Description xmlns:GCamera=\"http://ns.google.com/photos/1.0/camera/\" GCamera:MotionPhoto=\"1\"/>"
        )
        let found = try facts(photo + part + directory + little(UInt32(directory.count)) + Array("SEFT".utf8))
        #expect(found.motion == nil)
    }

    @Test("is found by its distance from the end, as older phones tell it, whatever the prefix")
    func microVideo() throws {
        let xmp =
            "<rdf:Description xmlns:G=\"http://ns.google.com/photos/1.0/camera/\" G:MicroVideo=\"1\" "
            + "G:MicroVideoOffset=\"\(Self.video.count)\"/>"
        let photo = MadeFiles.jpeg(xmp: xmp)
        #expect(try facts(photo + Self.video).motion?.lowerBound == UInt64(photo.count))
    }

    @Test("is found by the directory at the end of a file of Samsung's, and ends before it")
    func samsungTrailer() throws {
        let photo = MadeFiles.jpeg(exif: MadeFiles.exif(main: [TIFFTag.make: "samsung"]))
        let name = Array("MotionPhoto_Data".utf8)
        var part: [UInt8] = [0, 0, 0x30, 0x0A]
        part += MadeFiles.little(UInt32(name.count))
        part += name + Self.video
        var directory: [UInt8] = Array("SEFH".utf8)
        for number in [UInt32(106), 1] { directory += MadeFiles.little(number) }
        directory += [0, 0, 0x30, 0x0A] as [UInt8]
        for number in [UInt32(part.count), UInt32(part.count)] { directory += MadeFiles.little(number) }
        var trailer: [UInt8] = part + directory
        trailer += MadeFiles.little(UInt32(directory.count))
        trailer += Array("SEFT".utf8)
        let start = UInt64(photo.count + 8 + name.count)
        #expect(try facts(photo + trailer).motion == start..<start + UInt64(Self.video.count))
    }

    @Test("stands in a box of its own in HEIF")
    func heif() throws {
        let xmp = "<rdf:Description \(Self.names) GCamera:MotionPhoto=\"1\"/>"
        let reader = BoundedReader(
            MadeFiles.box("ftyp", Array("heic".utf8), [0, 0, 0, 0]) + MadeFiles.box("mpvd", Self.video))
        let start = UInt64(16 + 8)
        let found = MotionVideo(reader).range(xmp: XMPPacket(Array(xmp.utf8)), make: nil)
        #expect(found == start..<start + UInt64(Self.video.count))
    }

    @Test(
        "is none where no movie begins, whatever the file says",
        arguments: [0, 1, 7, 1 << 20, Int.max])
    func lies(length: Int) throws {
        let xmp = container([("Primary", 0, 0), ("MotionPhoto", length, length)])
        #expect(try facts(MadeFiles.jpeg(xmp: xmp) + Self.video).motion == nil)
    }

    @Test("is none where only the beginning of a movie is left, or one without pictures")
    func remains() throws {
        let sound = Self.start + MadeFiles.box("moov", Self.track("soun")) + MadeFiles.box("mdat", [4, 5])
        let remains = [
            Self.start, Self.start + MadeFiles.box("moov"), Array(Self.video.dropLast(2)),
            Self.start + MadeFiles.box("moov", Self.track("vide")) + MadeFiles.box("mdat"), sound,
        ]
        for (number, rest) in remains.enumerated() {
            let xmp = container([("Primary", 0, 0), ("MotionPhoto", rest.count, 0)])
            #expect(try facts(MadeFiles.jpeg(xmp: xmp) + rest).motion == nil, "\(number)")
        }
    }

    @Test("is not looked for at the end of a file that does not speak of it")
    func plain() throws {
        let photo = MadeFiles.jpeg() + Self.video
        let found = try facts(photo)
        #expect(found.motion == nil)
        #expect(!found.hasGainMap)
    }

    @Test("a gain map is told by Adobe's name of it, too")
    func gainMap() throws {
        let xmp = "<rdf:Description xmlns:hdrgm=\"http://ns.adobe.com/hdr-gain-map/1.0/\" hdrgm:Version=\"1.0\"/>"
        #expect(try facts(MadeFiles.jpeg(xmp: xmp)).hasGainMap)
    }
}
