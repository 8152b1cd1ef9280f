import FoundationEssentials
import NIOCore
import Testing

@testable import Web

@Suite struct ZipLayoutTests {
    private static let date = Date(timeIntervalSince1970: 951_782_400)

    private func archive(_ files: [(name: String, bytes: [UInt8])]) -> [UInt8] {
        let zip = ZipLayout(
            entries: files.map { ZipEntry(name: $0.name, byteCount: UInt64($0.bytes.count), modifiedAt: Self.date) })
        let checksums = files.map { file in
            var checksum = ZipChecksum()
            for byte in file.bytes { checksum.append(ByteBuffer(bytes: [byte])) }
            return checksum.value
        }
        var output = ByteBuffer()
        for index in files.indices {
            #expect(zip.offset(of: index) == UInt64(output.readableBytes))
            output.writeImmutableBuffer(zip.header(of: index, checksum: checksums[index]))
            output.writeBytes(files[index].bytes)
            #expect(zip.end(of: index) == UInt64(output.readableBytes))
        }
        #expect(zip.directoryOffset == UInt64(output.readableBytes))
        for index in files.indices {
            output.writeImmutableBuffer(zip.directoryHeader(of: index, checksum: checksums[index]))
        }
        output.writeImmutableBuffer(zip.endRecords())
        #expect(zip.byteCount == UInt64(output.readableBytes))
        return Array(output.readableBytesView)
    }

    @Test("The archive of one small file is these bytes")
    func knownBytes() {
        let checksum: [UInt8] = [0x26, 0x39, 0xf4, 0xcb]
        let sizes: [UInt8] = [9, 0, 0, 0, 9, 0, 0, 0]
        // In MS-DOS form, by the clock of this host.
        let local = UTCTime.onHost(Self.date)
        let day = UInt16(local.year - 1980) << 9 | UInt16(local.month) << 5 | UInt16(local.day)
        let clock = UInt16(local.hour) << 11 | UInt16(local.minute) << 5
        let time = [clock, day].flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
        let timestamp: [UInt8] = [0x55, 0x54, 5, 0, 1, 0x00, 0x0c, 0xbb, 0x38]
        var expected: [UInt8] = [0x50, 0x4b, 3, 4, 20, 0, 0, 8, 0, 0] + time + checksum + sizes
        expected += [5, 0, 9, 0] + Array("a.txt".utf8) + timestamp + Array("123456789".utf8)
        let directory = UInt8(expected.count)
        expected += [0x50, 0x4b, 1, 2, 20, 3, 20, 0, 0, 8, 0, 0] + time + checksum + sizes
        expected += [5, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xa4, 0x81, 0, 0, 0, 0]
        expected += Array("a.txt".utf8) + timestamp
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
        let large = ZipEntry(name: "a", byteCount: 1 << 32, modifiedAt: Self.date)
        let small = ZipEntry(name: "b", byteCount: 0, modifiedAt: Self.date)
        let zip = ZipLayout(entries: [large, small])
        let header = zip.header(of: 0, checksum: 1)
        #expect(header.getInteger(at: 4, endianness: .little, as: UInt16.self) == 45)
        #expect(header.getInteger(at: 18, endianness: .little, as: UInt64.self) == .max)
        #expect(header.getInteger(at: header.readableBytes - 8, endianness: .little, as: UInt64.self) == 1 << 32)
        let second = zip.header(of: 1, checksum: 0)
        #expect(second.getInteger(at: 4, endianness: .little, as: UInt16.self) == 20)
        let offset = UInt64(header.readableBytes) + 1 << 32
        #expect(zip.offset(of: 1) == offset)
        #expect(zip.directoryOffset == offset + UInt64(second.readableBytes))
        var end = zip.directoryHeader(of: 0, checksum: 1)
        end.writeImmutableBuffer(zip.directoryHeader(of: 1, checksum: 0))
        #expect(end.getInteger(at: end.readableBytes - 8, endianness: .little, as: UInt64.self) == offset)
        let zip64 = end.readableBytes
        end.writeImmutableBuffer(zip.endRecords())
        // The last 22 + 20 + 56 bytes are the end record, the locator and the ZIP64 end record.
        #expect(zip64 == end.readableBytes - 98)
        #expect(end.getInteger(at: zip64, endianness: .little, as: UInt32.self) == 0x0606_4b50)
        #expect(end.getInteger(at: zip64 + 48, endianness: .little, as: UInt64.self) == zip.directoryOffset)
        let place = zip.directoryOffset + UInt64(zip64)
        #expect(end.getInteger(at: zip64 + 56 + 8, endianness: .little, as: UInt64.self) == place)
        #expect(zip.byteCount == zip.directoryOffset + UInt64(end.readableBytes))
    }

    @Test("Names are unique in one folder, whatever the letter case and the Unicode form")
    func names() {
        var names = ZipNames()
        let asked = [
            "a.jpg", "a.jpg", "A.JPG", "a (2).jpg", "", "", "e\u{301}", "\u{e9}", "noext", "noext", "a?.jpg", "a*.jpg",
        ]
        #expect(
            asked.map { names.assign($0) } == [
                "a.jpg", "a (2).jpg", "A (3).JPG", "a (2) (2).jpg", "photo", "photo (2)", "e\u{301}", "\u{e9} (2)",
                "noext", "noext (2)", "a_.jpg", "a_ (2).jpg",
            ])
    }

    @Test(
        "Names are such that every common system takes them",
        arguments: [
            ("../etc/passwd", "_._etc_passwd"), ("..", "__"), (".", "_"), ("C:\\x", "C__x"), ("a\u{0}\nb", "a__b"),
            (".hidden", "_hidden"), ("10:11:12.png", "10_11_12.png"), ("Wo?.jpg", "Wo_.jpg"), ("<a>|\"*", "_a____"),
            ("end.", "end_"), ("end.jpg ", "end.jpg_"), (" . ", "_"), ("CON.jpg", "_CON.jpg"), ("aux", "_aux"),
            ("nul.tar.gz", "_nul.tar.gz"), ("LPT1 .txt", "_LPT1 .txt"), ("COM¹", "_COM¹"), ("CONE.jpg", "CONE.jpg"),
            ("a\u{85}b", "a_b"),
        ])
    func portable(name: String, expected: String) {
        #expect(PortableName(name).text == expected)
    }

    @Test(
        "No name is longer than file systems take, and its end stays",
        arguments: [
            String(repeating: "x", count: 300) + ".jpg", String(repeating: "漢", count: 200) + ".jpg",
            String(repeating: "👩‍👩‍👧", count: 60) + ".jpg", "a" + String(repeating: "\u{301}", count: 300) + ".jpg",
            String(repeating: "x ", count: 200) + ".jpg", String(repeating: ".", count: 300) + ".jpg",
        ])
    func long(name: String) {
        for number in [1, 99_999] {
            let portable = PortableName(name).numbered(number)
            #expect(portable.utf8.count <= 255 && portable.hasSuffix(".jpg") && !portable.hasPrefix("."))
        }
    }
}
