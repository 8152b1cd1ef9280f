/// A list of the files of a state and their SHA-256, in `DigestLines`.
struct DigestList {
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
        DigestLines.forEach(text) { set($0, of: $1) }
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

    /// In an order that says nothing of when things came.
    func write(to file: OpenFile) throws(StoreError) {
        var offset: UInt64 = 0
        var piece: [UInt8] = []
        for (name, digest) in others.sorted(by: { $0.key < $1.key }) { piece += DigestLines.line(digest, name) }
        for id in objects.keys.sorted() {
            if let digest = objects[id] { piece += DigestLines.line(digest, BackupLayout.objectPath(id)) }
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
        if let id = ObjectID(at: name, by: BackupLayout.objectPath) { objects[id] = digest }
    }
}
