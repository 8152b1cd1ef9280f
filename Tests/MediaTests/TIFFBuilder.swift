/// Puts TIFF structures together as cameras write them.
struct TIFFBuilder {
    /// A value that lies elsewhere or in the entry itself.
    enum Value {
        case shorts([UInt16])
        case longs([UInt32])
        /// Numerators and denominators in turn.
        case rationals([UInt32])
        case text(String)
        case bytes([UInt8])
        case directory([Entry])
        case directories([[Entry]])
        /// The offset of a blob that is put behind everything.
        case offset(of: [UInt8])
    }

    struct Entry {
        let tag: UInt16
        let value: Value

        init(_ tag: UInt16, _ value: Value) {
            self.tag = tag
            self.value = value
        }
    }

    private var bytes: [UInt8]

    /// Little-endian, with the directories chained.
    static func file(_ directories: [[Entry]], magic: [UInt8] = [0x49, 0x49, 0x2A, 0]) -> [UInt8] {
        var builder = TIFFBuilder(bytes: magic + [8, 0, 0, 0])
        for (index, directory) in directories.enumerated() {
            builder.append(directory, hasNext: index < directories.count - 1)
        }
        return builder.bytes
    }

    /// A directory, what belongs to it, and the offset of what comes then.
    private mutating func append(_ entries: [Entry], hasNext: Bool) {
        let start = bytes.count
        bytes += little(UInt16(entries.count)) + [UInt8](repeating: 0, count: entries.count * 12 + 4)
        for (index, entry) in entries.enumerated() {
            let (type, count, field) = field(of: entry.value)
            let content = little(entry.tag) + little(type) + little(count) + field
            bytes.replaceSubrange(start + 2 + index * 12..<start + 14 + index * 12, with: content)
        }
        guard hasNext else { return }
        let next = start + 2 + entries.count * 12
        bytes.replaceSubrange(next..<next + 4, with: little(UInt32(bytes.count)))
    }

    private mutating func field(of value: Value) -> (type: UInt16, count: UInt32, field: [UInt8]) {
        switch value {
        case .shorts(let numbers): (3, UInt32(numbers.count), put(numbers.flatMap(little)))
        case .longs(let numbers): (4, UInt32(numbers.count), put(numbers.flatMap(little)))
        case .rationals(let numbers): (5, UInt32(numbers.count / 2), put(numbers.flatMap(little)))
        case .text(let text): (2, UInt32(text.utf8.count + 1), put(Array(text.utf8) + [0]))
        case .bytes(let content): (7, UInt32(content.count), put(content))
        case .directory(let entries): (4, 1, little(putDirectory(entries)))
        case .directories(let list):
            (4, UInt32(list.count), put(list.map { putDirectory($0) }.flatMap(little)))
        case .offset(let blob): (4, 1, little(putBlob(blob)))
        }
    }

    private mutating func put(_ content: [UInt8]) -> [UInt8] {
        content.count <= 4 ? content + [UInt8](repeating: 0, count: 4 - content.count) : little(putBlob(content))
    }

    private mutating func putBlob(_ content: [UInt8]) -> UInt32 {
        defer { bytes += content }
        return UInt32(bytes.count)
    }

    private mutating func putDirectory(_ entries: [Entry]) -> UInt32 {
        defer { append(entries, hasNext: false) }
        return UInt32(bytes.count)
    }

    private func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
