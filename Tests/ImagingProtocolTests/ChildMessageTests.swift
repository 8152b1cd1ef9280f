import ImagingProtocol
import Media
import TestSupport
import Testing

@Suite("What a child says")
struct ChildMessageTests {
    @Test("arrives with every fact")
    func roundTrip() throws {
        let message = ChildMessage.result(Samples.result)
        #expect(try ChildMessage(message.frame) == message)
    }

    @Test("arrives with no fact at all")
    func emptyRoundTrip() throws {
        let message = ChildMessage.result(JobResult(facts: MediaFacts()))
        #expect(try ChildMessage(message.frame) == message)
    }

    @Test("arrives with facts and the reason why there is no picture, and then with nothing else")
    func unreadable() throws {
        var result = JobResult(facts: Samples.result.facts, unreadable: .tooManyPixels)
        #expect(try ChildMessage(ChildMessage.result(result).frame) == .result(result))
        result.thumbnail = Samples.result.thumbnail
        #expect(throws: FrameError.malformed(.result)) { try ChildMessage(ChildMessage.result(result).frame) }
    }

    @Test("arrives with how far two files are from each other, and then with nothing else")
    func difference() throws {
        var result = JobResult(facts: MediaFacts(), difference: PictureDifference(ratio: 0.9504))
        #expect(try ChildMessage(ChildMessage.result(result).frame) == .result(result))
        #expect(result.difference?.thousandths == 951 && result.difference?.isCopy == true)
        #expect(!PictureDifference(ratio: 1.0001).isCopy && PictureDifference(ratio: 1e9) == .most)
        result.isDamaged = true
        #expect(throws: FrameError.malformed(.result)) { try ChildMessage(ChildMessage.result(result).frame) }
    }

    @Test("Words come alone, in lines of whole words as many as fit, without what moves a cursor")
    func words() throws {
        var words = PictureWords()
        let read = [("Total", true), ("17.20", false), ("发票", true), ("总计", false), ("\u{202E}\u{7}", false)]
        for (word, beginsLine) in read { words.append(word, beginsLine: beginsLine) }
        #expect(words.text == "Total 17.20\n发票总计")
        let message = ChildMessage.result(JobResult(facts: MediaFacts(), words: words))
        #expect(try ChildMessage(message.frame) == message)
        let more = (0..<1000).prefix { _ in words.append("größer", beginsLine: false) }
        #expect(words.bytes.count <= PictureWords.byteLimit && more.count > 200)
        #expect(PictureWords(bytes: words.bytes) == words)
        #expect(PictureWords(bytes: words.bytes + words.bytes) == nil)
        for refused in ["\u{202E}abc", "a\u{1B}[2J", "a\0b", "a\tb"] {
            #expect(PictureWords(bytes: Array(refused.utf8)) == nil)
        }
        #expect(PictureWords(bytes: [0x61, 0xFF]) == nil)
        var beside = JobResult(facts: MediaFacts(), words: words)
        beside.isDamaged = true
        #expect(throws: FrameError.malformed(.result)) { try ChildMessage(ChildMessage.result(beside).frame) }
    }

    @Test("leaves out sides and times that files state and nothing has")
    func beyondBounds() throws {
        var facts = Samples.result.facts
        facts.width = 1 << 25
        facts.height = 0
        facts.takenAt?.milliseconds = 1 << 60
        guard case .result(let result) = try ChildMessage(ChildMessage.result(JobResult(facts: facts)).frame) else {
            Issue.record("no result")
            return
        }
        #expect(result.facts.width == nil && result.facts.height == nil && result.facts.takenAt == nil)
        #expect(result.facts.cameraModel == facts.cameraModel)
    }

    @Test("is refused when it ends early, wherever that is")
    func truncated() {
        let payload = ChildMessage.result(Samples.result).frame.payload
        for count in 0..<payload.count {
            let frame = Frame(kind: .result, payload: Array(payload.prefix(count)))
            #expect(throws: FrameError.malformed(.result)) { try ChildMessage(frame) }
        }
    }

    @Test("is refused with a byte too many")
    func trailingByte() {
        for message in [ChildMessage.result(Samples.result), .ready, .failure(.damaged)] {
            let frame = Frame(kind: message.frame.kind, payload: message.frame.payload + [0])
            #expect(throws: FrameError.malformed(message.frame.kind)) { try ChildMessage(frame) }
        }
    }

    @Test("holds only what is within bounds, however its bytes are changed")
    func mutated() {
        var random = SeededGenerator(seed: 6)
        let payload = ChildMessage.result(Samples.result).frame.payload
        var acceptedCount = 0
        for _ in 0..<20_000 {
            var bytes = payload
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            guard case .result(let result)? = try? ChildMessage(Frame(kind: .result, payload: bytes)) else { continue }
            acceptedCount += 1
            expectWithinBounds(result)
        }
        #expect(acceptedCount > 0)
    }

    private func expectWithinBounds(_ result: JobResult) {
        let facts = result.facts
        #expect((1...8).contains(facts.orientation))
        for text in [facts.cameraMake, facts.cameraModel, facts.lens, facts.contentIdentifier].compactMap(\.self) {
            #expect(text.utf8.count <= 256)
            #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control })
        }
        for side in [facts.width, facts.height].compactMap(\.self) { #expect((1...(1 << 24)).contains(side)) }
        #expect((facts.placeholder?.count ?? 0) <= 64)
        #expect((facts.dominantColour ?? 0) <= 0xFF_FFFF)
        for rendition in [result.thumbnail, result.preview].compactMap(\.self) {
            #expect(rendition.type == .jpeg || rendition.type == .webp)
            #expect(max(rendition.width, rendition.height) <= Rendition.previewSide)
        }
    }

    @Test("loses control and formatting characters of its texts")
    func controlCharacters() throws {
        var facts = MediaFacts()
        facts.cameraModel = "Pixel\u{1B}[31m \u{202E}7\n"
        let message = ChildMessage.result(JobResult(facts: facts))
        guard case .result(let result) = try ChildMessage(message.frame) else {
            Issue.record("no result")
            return
        }
        #expect(result.facts.cameraModel == "Pixel[31m 7")
    }

    @Test("has its long texts cut between characters")
    func longText() throws {
        var facts = MediaFacts()
        facts.lens = String(repeating: "é", count: 200)
        let message = ChildMessage.result(JobResult(facts: facts))
        guard case .result(let result) = try ChildMessage(message.frame) else {
            Issue.record("no result")
            return
        }
        #expect(result.facts.lens == String(repeating: "é", count: 128))
    }

    @Test("may not name a picture of other dimensions than its bytes have")
    func falseDimensions() {
        var result = Samples.result
        result.thumbnail = Rendition(bytes: Samples.webP(width: 320, height: 240), type: .webp, width: 320, height: 241)
        #expect(throws: FrameError.malformed(.result)) { try ChildMessage(ChildMessage.result(result).frame) }
    }

    @Test("may not give a JPEG that carries EXIF, XMP, a colour profile, IPTC or a comment")
    func metadata() {
        for marker: UInt8 in [0xE0, 0xEE, 0xE1, 0xE2, 0xED, 0xEF, 0xFE] {
            let bytes = Samples.jpeg(width: 32, height: 24, marker: marker)
            let rendition = Rendition(bytes: bytes, type: .jpeg, width: 32, height: 24)
            let frame = ChildMessage.result(JobResult(facts: MediaFacts(), thumbnail: rendition)).frame
            #expect(((try? ChildMessage(frame)) != nil) == [0xE0, 0xEE].contains(marker), "\(marker)")
        }
    }

    @Test("A thumbnail of a client's is held to the same, and to the size of ours")
    func thumbnailOfClient() throws {
        let sent = try #require(Rendition(thumbnail: Samples.jpeg(width: 320, height: 240)))
        #expect(sent.type == .jpeg && sent.width == 320 && sent.height == 240)
        #expect(Rendition(thumbnail: Samples.webP(width: 1, height: 320))?.type == .webp)
        for refused in [
            [], Array("<html><script>alert(1)</script></html>".utf8), Samples.jpeg(width: 32, height: 24, marker: 0xE1),
            Samples.jpeg(width: 321, height: 24), Samples.jpeg(width: 24, height: 0),
            Samples.webP(width: 10, height: 321),
            Samples.extendedWebP(flags: 0x02), [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A],
        ] {
            #expect(Rendition(thumbnail: refused) == nil)
        }
    }

    @Test("may not give as picture what is none, or animated, or too large")
    func noPicture() {
        let page = Array("<html><script>alert(1)</script></html>".utf8)
        let animated = Samples.extendedWebP(flags: 0x02)
        let large = Samples.webP(width: 2049, height: 100)
        for rendition in [
            Rendition(bytes: page, type: .webp, width: 10, height: 10),
            Rendition(bytes: page, type: .jpeg, width: 10, height: 10),
            Rendition(bytes: page, type: .png, width: 10, height: 10),
            Rendition(bytes: animated, type: .webp, width: 10, height: 10),
            Rendition(bytes: large, type: .webp, width: 2049, height: 100),
        ] {
            let result = JobResult(facts: MediaFacts(), thumbnail: rendition)
            #expect(throws: FrameError.malformed(.result)) { try ChildMessage(ChildMessage.result(result).frame) }
        }
    }

    @Test(
        "may ask for one range of at most a mebibyte",
        arguments: [(UInt64(0), 0), (0, FrameKind.rangeLimit + 1), (.max, 1), (.max - 5, 100)] as [(UInt64, Int)])
    func badRanges(offset: UInt64, count: Int) {
        let frame = ChildMessage.read(ChildMessage.ByteRange(offset: offset, count: count)).frame
        #expect(throws: FrameError.malformed(.read)) { try ChildMessage(frame) }
    }

    @Test("is refused where only the daemon speaks so", arguments: [FrameKind.limits, .job, .bytes])
    func daemonKinds(kind: FrameKind) {
        #expect(throws: FrameError.unexpected(kind)) { try ChildMessage(Frame(kind: kind, payload: [])) }
    }

    @Test("is refused with a reason that there is not")
    func unknownReason() {
        #expect(throws: FrameError.malformed(.failure)) { try ChildMessage(Frame(kind: .failure, payload: [0])) }
    }
}
