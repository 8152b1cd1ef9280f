import CZlib

@testable import Import

/// Writes ZIP and tar archives byte by byte, also such as no program would write.
enum ArchiveMaker {
    struct File {
        var name: [UInt8]
        var content: [UInt8]
        var isDeflated = false
        var hasDescriptor = false
        var isUTF8 = true
        /// What is claimed in place of the truth.
        var claimedSize: UInt64?
        var claimedChecksum: UInt32?
        var localName: [UInt8]?
        var method: UInt16?
        /// In that way, in place of the content itself.
        var packed: [UInt8]?
        var flags: UInt16 = 0
        /// Whether the directory names it.
        var isListed = true

        init(_ name: String, _ content: [UInt8], isDeflated: Bool = false) {
            self.name = Array(name.utf8)
            self.content = content
            self.isDeflated = isDeflated
        }
    }

    static func zip(_ files: [File], isLarge: Bool = false, before: [UInt8] = []) -> [UInt8] {
        var (bytes, directory): ([UInt8], [UInt8]) = (before, [])
        for file in files {
            let packed = file.packed ?? (file.isDeflated ? deflated(file.content) : file.content)
            let offset = UInt64(bytes.count - before.count)
            let checksum =
                file.claimedChecksum
                ?? UInt32(truncatingIfNeeded: crc32(0, file.content, UInt32(file.content.count)))
            let size = file.claimedSize ?? UInt64(file.content.count)
            let flags = file.flags | (file.isUTF8 ? 0x800 : 0) | (file.hasDescriptor ? 8 : 0)
            let method = file.method ?? (file.isDeflated ? 8 : 0)
            let inLocal =
                file.hasDescriptor ? (UInt32(0), UInt64(0), UInt64(0)) : (checksum, UInt64(packed.count), size)
            let local = file.localName ?? file.name
            bytes += little(UInt32(0x0403_4B50)) + little(UInt16(20)) + little(flags) + little(method)
            bytes += little(UInt16(0)) + little(UInt16(0x5021)) + little(inLocal.0)
            bytes += little(UInt32(truncatingIfNeeded: inLocal.1)) + little(UInt32(truncatingIfNeeded: inLocal.2))
            bytes += little(UInt16(local.count)) + little(UInt16(0)) + local + packed
            if file.hasDescriptor {
                bytes +=
                    little(UInt32(0x0807_4B50)) + little(checksum) + little(UInt32(packed.count))
                    + little(UInt32(truncatingIfNeeded: size))
            }
            guard file.isListed else { continue }
            let extra =
                isLarge
                ? little(UInt16(1)) + little(UInt16(24)) + little(size) + little(UInt64(packed.count)) + little(offset)
                : []
            directory += little(UInt32(0x0201_4B50)) + little(UInt16(45)) + little(UInt16(45)) + little(flags)
            directory += little(method) + little(UInt16(0)) + little(UInt16(0x5021)) + little(checksum)
            directory += little(isLarge ? .max : UInt32(packed.count)) + little(isLarge ? .max : UInt32(clamping: size))
            directory += little(UInt16(file.name.count)) + little(UInt16(extra.count)) + little(UInt16(0))
            directory += little(UInt16(0)) + little(UInt16(0)) + little(UInt32(0))
            directory += little(isLarge ? .max : UInt32(offset)) + file.name + extra
        }
        let (begin, count) = (UInt64(bytes.count - before.count), directory.count)
        let listed = files.count { $0.isListed }
        bytes += directory
        if isLarge {
            let place = UInt64(bytes.count - before.count)
            bytes += little(UInt32(0x0606_4B50)) + little(UInt64(44)) + little(UInt16(45)) + little(UInt16(45))
            bytes += little(UInt32(0)) + little(UInt32(0)) + little(UInt64(listed)) + little(UInt64(listed))
            bytes += little(UInt64(count)) + little(begin)
            bytes += little(UInt32(0x0706_4B50)) + little(UInt32(0)) + little(place) + little(UInt32(1))
        }
        bytes += little(UInt32(0x0605_4B50)) + little(UInt32(0))
        bytes +=
            little(isLarge ? .max : UInt16(truncatingIfNeeded: listed))
            + little(isLarge ? .max : UInt16(truncatingIfNeeded: listed))
        bytes += little(isLarge ? .max : UInt32(count)) + little(isLarge ? .max : UInt32(begin)) + little(UInt16(0))
        return bytes
    }

    static func tar(_ files: [(name: String, content: [UInt8], kind: Character)]) -> [UInt8] {
        files.flatMap { file -> [UInt8] in
            let name = Array(file.name.utf8)
            let pax = name.count > 100 ? record("path", name) : []
            let first = pax.isEmpty ? [] : block("pax", pax.count, "x") + padded(pax)
            return first + block(String(file.name.prefix(99)), file.content.count, file.kind) + padded(file.content)
        } + [UInt8](repeating: 0, count: 1024)
    }

    static func gzip(_ bytes: [UInt8]) -> [UInt8] { deflated(bytes, window: 31) }

    static func deflated(_ bytes: [UInt8], window: CInt = -15) -> [UInt8] {
        var stream = z_stream()
        deflateInit2_(
            &stream, 6, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
        defer { deflateEnd(&stream) }
        var (input, output) = (bytes, [UInt8](repeating: 0, count: bytes.count + bytes.count / 100 + 256))
        let count = input.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { room in
                (stream.next_in, stream.avail_in) = (source.baseAddress, UInt32(source.count))
                (stream.next_out, stream.avail_out) = (room.baseAddress, UInt32(room.count))
                deflate(&stream, Z_FINISH)
                return room.count - Int(stream.avail_out)
            }
        }
        return Array(output[..<count])
    }

    private static func record(_ key: String, _ value: [UInt8]) -> [UInt8] {
        let rest = [0x20] + Array(key.utf8) + [0x3D] + value + [0x0A]
        var count = rest.count + 2
        while String(count).utf8.count + rest.count != count { count += 1 }
        return Array(String(count).utf8) + rest
    }

    private static func block(_ name: String, _ size: Int, _ kind: Character) -> [UInt8] {
        var block = [UInt8](repeating: 0, count: 512)
        func put(_ text: String, _ place: Int) {
            block.replaceSubrange(place..<place + text.utf8.count, with: text.utf8)
        }
        put(name, 0)
        put("0000644", 100)
        let digits = String(size, radix: 8)
        put(String(repeating: "0", count: 11 - digits.count) + digits, 124)
        put("14000000000", 136)
        put("        ", 148)
        put(String(kind), 156)
        put("ustar\0" + "00", 257)
        let sum = String(block.reduce(0) { $0 + Int($1) }, radix: 8)
        put(String(repeating: "0", count: 6 - sum.count) + sum + "\0 ", 148)
        return block
    }

    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: (512 - bytes.count % 512) % 512)
    }

    private static func little<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
}
