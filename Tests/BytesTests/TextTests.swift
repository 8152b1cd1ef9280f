import Bytes
import Testing

@Suite("Bytes as text, and integers as bytes")
struct TextTests {
    @Test("hexadecimal is read in either case, and strictly")
    func hexadecimal() {
        #expect(Hexadecimal.decode("00fFa0") == [0, 0xff, 0xa0])
        #expect(Hexadecimal.encode([0, 0xff, 0xa0]) == "00ffa0")
        #expect(Hexadecimal.encodeInCapitals([0, 0xff, 0xa0]) == "00FFA0")
        #expect(Hexadecimal.decode("") == [] && Hexadecimal.encode([]).isEmpty)
        for text in ["0", "0g", "é0", " 00", "0x00", "-1"] { #expect(Hexadecimal.decode(text) == nil) }
    }

    @Test("percent signs stand for every byte that is not kept, and are read back")
    func percents() {
        #expect(PercentEncoding.encodePath("a house+ü/objects/0a/x~y") == "a%20house%2B%C3%BC/objects/0a/x~y")
        #expect(PercentEncoding.encodePathPart("a/b.c") == "a%2Fb.c")
        #expect(PercentEncoding.encode("/ü") { _ in false } == "%2F%C3%BC")
        #expect(PercentEncoding.decodeText("a%2Fb%c3%bc") == "a/bü")
        for text in ["%", "%2", "%2g", "%ff"] { #expect(PercentEncoding.decodeText(text) == nil) }
    }

    @Test("base64url is what it says, and takes only what it gives")
    func base64() {
        for count in 0..<40 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ count) }
            let text = Base64URL.encode(bytes)
            #expect(Base64URL.decode(text) == bytes)
            #expect(!text.contains("=") && !text.contains("+") && !text.contains("/"))
        }
        for wrong in ["=", "+/", "a", "ab", "AA=", "A A", "é", String(repeating: "A", count: 2000)] {
            #expect(Base64URL.decode(wrong) == nil || wrong == "ab", "\(wrong)")
        }
        // Two spellings of one value would be two ids of one photo.
        #expect(Base64URL.decode("AB") == nil)
    }

    @Test("thirty marks may stand on a letter, in whatever text; the others are left out, or the text is refused")
    func streamSafe() {
        let marks = { String(repeating: "\u{301}\u{316}", count: $0 / 2) }
        for text in ["", "é", "नमस्ते", "สวัสดี", "👩🏽‍🚀🇪🇺", "e\(marks(30))e\(marks(30))", marks(30)] {
            #expect(text.isStreamSafe && text.streamSafe == text)
        }
        for text in ["e\(marks(32))", marks(60_000), "\(marks(30))\u{fe0f}"] { #expect(!text.isStreamSafe) }
        #expect("e\(marks(60_000))f".streamSafe == "e\(marks(30))f")
        #expect(PercentEncoding.decodeText(String(repeating: "%CC%81", count: 31))?.utf8.count == 60)
        #expect(" \n a b\u{2003}".trimmingWhitespace() == "a b" && " ".trimmingWhitespace().isEmpty)
        let flags = String(repeating: "🇪🇺", count: 20_000)
        #expect("\(flags) ".trimmingWhitespace().utf8.count == flags.utf8.count)
    }

    @Test("what was written is read back, the most significant byte first, and nothing beyond the end")
    func reading() {
        var writer = ByteWriter()
        writer.put(UInt16(0x0102))
        writer.put(Int64(-2))
        writer.put(1.5)
        writer.putCounted([7, 8])
        #expect(writer.bytes.starts(with: [1, 2, 0xff]) && writer.bytes.count == 24)
        var reader = ByteReader(writer.bytes)
        #expect(reader.readUInt16() == 0x0102 && reader.integer(Int64.self) == -2 && reader.double() == 1.5)
        #expect(reader.counted(atMost: 2) == [7, 8] && reader.isAtEnd && reader.readUInt8() == nil)
        var short = ByteReader([0, 0, 0, 3, 1, 2])
        #expect(short.counted(atMost: 9) == nil)
        var long = ByteReader([0, 0, 0, 3, 1, 2, 3])
        #expect(long.counted(atMost: 2) == nil && long.read(-1) == nil && long.read(4) == nil)
    }

    @Test("the first place of a condition is found as by looking at each")
    func partitioning() {
        for range in [0..<0, 3..<4, 0..<7, -5..<20, 10..<74] {
            for first in range.lowerBound...range.upperBound {
                #expect(range.partitioningIndex { $0 >= first } == first)
            }
        }
        // Of two numbers so far apart the sum has no room.
        #expect((1..<Int.max).partitioningIndex { $0 >= Int.max - 2 } == Int.max - 2)
    }
}
