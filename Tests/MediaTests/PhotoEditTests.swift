import TestSupport
import Testing

@testable import Media

@Suite("The part of a picture that is shown")
struct PhotoEditTests {
    private static func edit(_ sides: [Double], _ angle: Double = 0) -> PhotoEdit? {
        PhotoEdit(left: sides[0], top: sides[1], right: sides[2], bottom: sides[3], angle: angle)
    }

    private static func facts(_ width: Int?, _ height: Int?, orientation: Int = 1) -> MediaFacts {
        var facts = MediaFacts()
        (facts.width, facts.height, facts.orientation) = (width, height, orientation)
        return facts
    }

    @Test("what is no part of a picture is refused")
    func refused() {
        #expect(Self.edit([0, 0, 1, 1]) != nil && Self.edit([0.5, 0.5, 0.51, 0.51], -45) != nil)
        let wrong: [([Double], Double)] = [
            ([0.5, 0, 0.5, 1], 0), ([0.6, 0, 0.5, 1], 0), ([0, 0.2, 1, 0.209], 0), ([-0.01, 0, 1, 1], 0),
            ([0, 0, 1.01, 1], 0), ([0, 0, 1, 1], 45.1), ([0, 0, 1, 1], -45.1), ([.nan, 0, 1, 1], 0),
            ([0, 0, .infinity, 1], 0), ([0, 0, 1, 1], .nan), ([0, 0, 1, 1], -.infinity), ([0, 0, 1e300, 1], 0),
        ]
        for (sides, angle) in wrong { #expect(Self.edit(sides, angle) == nil, "\(sides) \(angle)") }
    }

    @Test("20 bytes hold it, and other bytes hold none")
    func encoded() throws {
        let edit = try #require(Self.edit([0.1, 0.25, 0.9, 1], -12.5))
        #expect(edit.encoded.count == PhotoEdit.encodedByteCount && PhotoEdit(encoded: edit.encoded) == edit)
        #expect((edit.left, edit.bottom, edit.angle) == (100_000, 1_000_000, -12_500))
        #expect(
            !edit.isNone && Self.edit([0, 0, 1, 1])?.isNone == true && Self.edit([0, 0, 1, 1], 1)?.isNone == false)
        #expect(PhotoEdit(encoded: []) == nil && PhotoEdit(encoded: edit.encoded + [0]) == nil)
        #expect(PhotoEdit(encoded: [UInt8](repeating: 255, count: 20)) == nil)
        #expect(PhotoEdit(encoded: [UInt8](repeating: 0, count: 20)) == nil)
    }

    @Test("a frame in the middle that was turned clockwise stands straight once the picture is turned the other way")
    func lightroom() throws {
        // cos 10° and sin 10°; a frame of 2,000 by 1,000 pixels in a picture of 4,000 by 3,000.
        let (cosine, sine) = (0.984_807_753_012, 0.173_648_177_667)
        let corner = (1000 * cosine - 500 * sine, 1000 * sine + 500 * cosine)
        let crop = XMPCrop(
            left: 0.5 - corner.0 / 4000, top: 0.5 - corner.1 / 3000, right: 0.5 + corner.0 / 4000,
            bottom: 0.5 + corner.1 / 3000, angle: 10)
        let edit = try #require(PhotoEdit(crop, of: Self.facts(4000, 3000)))
        #expect((edit.left, edit.right, edit.angle) == (250_000, 750_000, -10_000))
        #expect((edit.top, edit.bottom) == (333_333, 666_667))
        // Nobody knows it of a picture without a size, unless the frame is not turned.
        #expect(PhotoEdit(crop, of: Self.facts(nil, nil)) == nil)
        let straight = XMPCrop(left: 0, top: 0.5, right: 1, bottom: 1, angle: 0)
        #expect(PhotoEdit(straight, of: Self.facts(nil, nil)) == Self.edit([0, 0.5, 1, 1]))
    }

    @Test("the lower half of what is stored is the left half of a picture that is turned to the right")
    func orientation() {
        let crop = XMPCrop(left: 0, top: 0.5, right: 1, bottom: 1, angle: 0)
        let expected: [Int: [Double]] = [
            1: [0, 0.5, 1, 1], 2: [0, 0.5, 1, 1], 3: [0, 0, 1, 0.5], 4: [0, 0, 1, 0.5], 5: [0.5, 0, 1, 1],
            6: [0, 0, 0.5, 1], 7: [0, 0, 0.5, 1], 8: [0.5, 0, 1, 1],
        ]
        for (orientation, sides) in expected {
            #expect(
                PhotoEdit(crop, of: Self.facts(400, 300, orientation: orientation)) == Self.edit(sides),
                "\(orientation)")
        }
    }

    @Test("written for another program and read again it is the same")
    func roundTrip() throws {
        for seed in UInt64(1)...400 {
            var random = SeededGenerator(seed: seed)
            let (left, top) = (Int.random(in: 0...700, using: &random), Int.random(in: 0...700, using: &random))
            let sides = [left, top, left + 200, top + 250].map { Double($0) / 1000 }
            let angle = Double(Int.random(in: -90...90, using: &random)) / 2
            let edit = try #require(Self.edit(sides, angle))
            let facts = Self.facts(
                .random(in: 100...9000, using: &random), .random(in: 100...9000, using: &random),
                orientation: .random(in: 1...8, using: &random))
            let crop = try #require(edit.crop(of: facts))
            #expect(PhotoEdit(crop, of: facts) == edit, "\(seed)")
        }
    }

    @Test("what another program wrote is read, but not of a file that was cut so already")
    func packet() throws {
        let packet = """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
            <rdf:Description rdf:about="" xmlns:crs="http://ns.adobe.com/camera-raw-settings/1.0/" crs:CropTop="0.1"
              crs:CropLeft="0" crs:CropBottom="1" crs:CropRight="0.9" crs:CropAngle="-1.5" crs:HasCrop="True"/>
            </rdf:RDF></x:xmpmeta>
            """
        let crop = { (text: String) in XMPSidecar(Array(text.utf8))?.crop }
        #expect(crop(packet) == XMPCrop(left: 0, top: 0.1, right: 0.9, bottom: 1, angle: -1.5))
        for (one, other) in [
            ("crs:HasCrop=\"True\"", "crs:HasCrop=\"False\""),
            ("crs:HasCrop=", "crs:AlreadyApplied=\"True\" crs:HasCrop="),
            ("CropTop=\"0.1\"", "CropTop=\"1e300\""), ("CropAngle=\"-1.5\"", "CropAngle=\"nan\""),
            ("crs:CropLeft=\"0\"", ""),
        ] { #expect(crop(packet.replacing(one, with: other)) == nil, "\(other)") }
    }
}
