/// A list of files and their SHA-256, as `sha256sum` writes and reads it: 64 hexadecimal digits, two spaces, the name.
/// Lines that are none, such as the last one after a power cut, do not count.
struct DigestList {
    private static let nameOffset = 2 * FileDigest.byteCount + 2

    private(set) var objects: [ObjectID: FileDigest] = [:]
    /// Header, slots, ledger and parts, by their names within the state.
    private(set) var others: [String: FileDigest] = [:]

    init() {}

    init(_ file: OpenFile) throws(StoreError) {
        try add(file)
    }

    /// Later lines count more.
    mutating func add(_ file: OpenFile) throws(StoreError) {
        let text = try file.bytes(at: 0, count: Int(clamping: try file.byteCount()))
        let complete = text.prefix(text.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0)
        for line in complete.split(separator: UInt8(ascii: "\n")) where line.count > Self.nameOffset {
            guard let digest = FileDigest(hex: line.prefix(2 * FileDigest.byteCount)) else { continue }
            set(digest, of: String(decoding: line.dropFirst(Self.nameOffset), as: UTF8.self))
        }
    }

    subscript(id: ObjectID) -> FileDigest? {
        get { objects[id] }
        set { objects[id] = newValue }
    }

    subscript(name: String) -> FileDigest? {
        get { others[name] }
        set { others[name] = newValue }
    }

    mutating func formUnion(_ other: DigestList) {
        objects.merge(other.objects) { mine, _ in mine }
    }

    static func line(_ digest: FileDigest, _ name: String) -> [UInt8] { Array("\(digest.hex)  \(name)\n".utf8) }

    /// In an order that says nothing of when things came.
    func write(to file: OpenFile) throws(StoreError) {
        var offset: UInt64 = 0
        var piece: [UInt8] = []
        for (name, digest) in others.sorted(by: { $0.key < $1.key }) { piece += Self.line(digest, name) }
        for id in objects.keys.sorted(by: { ($0.high, $0.low) < ($1.high, $1.low) }) {
            if let digest = objects[id] { piece += Self.line(digest, BackupLayout.objectPath(id)) }
            guard piece.count >= 1 << 20 else { continue }
            try file.write(piece, at: offset)
            offset += UInt64(piece.count)
            piece = []
        }
        try file.write(piece, at: offset)
        try file.synchronize()
    }

    private mutating func set(_ digest: FileDigest, of name: String) {
        guard name.hasPrefix("../") else {
            others[name] = digest
            return
        }
        if let id = ObjectID(hex: String(name.suffix(32))), name == BackupLayout.objectPath(id) { objects[id] = digest }
    }
}
