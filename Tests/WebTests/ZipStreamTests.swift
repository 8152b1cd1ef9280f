import FoundationEssentials
import NIOCore
import Testing

@testable import Web

@Suite struct ZipStreamTests {
    private func archive(_ files: [(name: String, bytes: [UInt8])]) -> [UInt8] {
        let date = Date(timeIntervalSince1970: 951_782_400)
        var zip = ZipStream(
            entries: files.map { ZipEntry(name: $0.name, byteCount: UInt64($0.bytes.count), modifiedAt: date) })
        var output = ByteBuffer()
        for file in files {
            output.writeImmutableBuffer(zip.beginEntry())
            for byte in file.bytes {
                zip.append(ByteBuffer(bytes: [byte]))
                output.writeInteger(byte)
            }
            output.writeImmutableBuffer(zip.endEntry())
        }
        output.writeImmutableBuffer(zip.finish())
        #expect(zip.byteCount == UInt64(output.readableBytes))
        return Array(output.readableBytesView)
    }

    @Test("The archive of one small file is these bytes")
    func knownBytes() {
        var expected: [UInt8] = [0x50, 0x4b, 3, 4, 20, 0, 8, 8, 0, 0]
        expected += [0, 0, 0x5d, 0x28]  // 2000-02-29 00:00 in MS-DOS form
        expected += [UInt8](repeating: 0, count: 12) + [5, 0, 9, 0] + Array("a.txt".utf8)
        expected += [0x55, 0x54, 5, 0, 1, 0x00, 0x0c, 0xbb, 0x38]
        expected += Array("123456789".utf8)
        expected += [0x50, 0x4b, 7, 8, 0x26, 0x39, 0xf4, 0xcb, 9, 0, 0, 0, 9, 0, 0, 0]
        let directory = UInt8(expected.count)
        expected += [0x50, 0x4b, 1, 2, 20, 3, 20, 0, 8, 8, 0, 0, 0, 0, 0x5d, 0x28, 0x26, 0x39, 0xf4, 0xcb]
        expected += [9, 0, 0, 0, 9, 0, 0, 0, 5, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xa4, 0x81, 0, 0, 0, 0]
        expected += Array("a.txt".utf8) + [0x55, 0x54, 5, 0, 1, 0x00, 0x0c, 0xbb, 0x38]
        let length = UInt8(expected.count) - directory
        expected += [0x50, 0x4b, 5, 6, 0, 0, 0, 0, 1, 0, 1, 0, length, 0, 0, 0, directory, 0, 0, 0, 0, 0]
        #expect(archive([("a.txt", Array("123456789".utf8))]) == expected)
    }

    @Test("An archive of nothing is its end record alone")
    func empty() {
        #expect(archive([]) == [0x50, 0x4b, 5, 6] + [UInt8](repeating: 0, count: 18))
    }

    @Test("Entries of 4 GiB and what lies behind them take the ZIP64 forms")
    func large() {
        let date = Date(timeIntervalSince1970: 951_782_400)
        let large = ZipEntry(name: "a", byteCount: 1 << 32, modifiedAt: date)
        let small = ZipEntry(name: "b", byteCount: 0, modifiedAt: date)
        var zip = ZipStream(entries: [large, small])
        let header = zip.beginEntry()
        #expect(header.getInteger(at: 4, endianness: .little, as: UInt16.self) == 45)
        #expect(header.getInteger(at: 18, endianness: .little, as: UInt64.self) == .max)
        let descriptor = zip.endEntry()
        #expect(descriptor.readableBytes == 24)
        #expect(descriptor.getInteger(at: 8, endianness: .little, as: UInt64.self) == 1 << 32)
        let second = zip.beginEntry()
        #expect(second.getInteger(at: 4, endianness: .little, as: UInt16.self) == 20)
        let tail = zip.endEntry()
        let end = zip.finish()
        let offset = UInt64(header.readableBytes + descriptor.readableBytes) + 1 << 32
        let directory = offset + UInt64(second.readableBytes + tail.readableBytes)
        // The last 22 + 20 + 56 bytes are the end record, the locator and the ZIP64 end record.
        let zip64 = end.readableBytes - 98
        #expect(end.getInteger(at: zip64, endianness: .little, as: UInt32.self) == 0x0606_4b50)
        #expect(end.getInteger(at: zip64 + 48, endianness: .little, as: UInt64.self) == directory)
        #expect(end.getInteger(at: zip64 + 56 + 8, endianness: .little, as: UInt64.self) == directory + UInt64(zip64))
        #expect(end.getInteger(at: zip64 - 8, endianness: .little, as: UInt64.self) == offset)
        #expect(zip.byteCount == directory + UInt64(end.readableBytes))
    }

    @Test("Names are safe and unique in one folder")
    func names() {
        var names = ZipNames()
        let asked = [
            "a.jpg", "a.jpg", "A.JPG", "a (2).jpg", "../etc/passwd", "..", ".", "", "C:\\x", "a\u{0}\nb", ".hidden",
            ".hidden", "e\u{301}", "\u{e9}", "noext", "noext",
        ]
        #expect(
            asked.map { names.assign($0) } == [
                "a.jpg", "a (2).jpg", "A (3).JPG", "a (2) (2).jpg", ".._etc_passwd", "photo", "photo (2)",
                "photo (3)", "C:_x", "a__b", ".hidden", ".hidden (2)", "e\u{301}", "\u{e9} (2)", "noext", "noext (2)",
            ])
    }
}
