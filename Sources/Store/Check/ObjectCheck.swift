import Glibc

/// Compares the files of objects with the ledger.
struct ObjectCheck {
    let root: Folder
    let ledger: ImmutableLedger

    func run(progress: (_ done: Int, _ of: Int) -> Void) throws -> [Finding] {
        var objects: Set<ObjectID> = []
        var parts: Set<ObjectID> = []
        var others: Set<ObjectID> = []
        try ledger.forEachObject { objects.insert($0) }
        try ledger.forEachID(column: "part", of: "upload") { parts.insert($0) }
        try ledger.forEachID(column: "object", of: "guest") { others.insert($0) }
        try ledger.forEachID(column: "id", of: "doomed") { others.insert($0) }

        var findings: [Finding] = []
        var unknown = 0
        var found = 0
        var foundParts = 0
        let folder = try root.folder(StoreLayout.objects)
        for name in StoreLayout.shardNames {
            guard folder.contains(name) else {
                findings.append(.note("The folder \(StoreLayout.objects)/\(name) is missing; the next start makes it."))
                continue
            }
            let shard = try folder.folder(name)
            for file in try shard.names() {
                let id = ObjectID(hex: file).flatMap { ObjectFolders.shardName(of: $0) == name ? $0 : nil }
                if let id, objects.contains(id) || parts.contains(id) {
                    if let complaint = complaint(file, in: shard, isComplete: !parts.contains(id)) {
                        findings.append(.damage("The object \(file) \(complaint)."))
                    }
                    if parts.contains(id) { foundParts += 1 } else { found += 1 }
                    if found.isMultiple(of: 64) { progress(found, objects.count) }
                } else if id.map(others.contains) != true {
                    unknown += 1
                }
            }
        }
        progress(found, objects.count)
        if found < objects.count, try ledger.metaValue(LedgerSchema.MetaKey.logPosition) != nil {
            findings.append(
                .note(
                    "\(objects.count - found) objects have no file here: they lie in the bucket, unless they are lost.")
            )
        } else if found < objects.count {
            findings.append(.damage("\(objects.count - found) objects that the ledger lists have no file."))
        }
        if foundParts < parts.count {
            findings.append(
                .damage(
                    "\(parts.count - foundParts) unfinished uploads that the ledger lists have no file; they begin anew."
                )
            )
        }
        if unknown > 0 {
            findings.append(.note("\(unknown) files are unknown to the ledger; the next start puts them aside."))
        }
        return findings
    }

    private func complaint(_ name: String, in shard: Folder, isComplete: Bool) -> String? {
        do {
            return try ObjectShape.complaint(about: shard.open(name, O_RDONLY), isComplete: isComplete)
        } catch {
            return "cannot be read"
        }
    }
}

/// What can be seen of an object file without a key: its first eight bytes, that one message may follow, and where it
/// ends.
enum ObjectShape {
    private static let preamble: [UInt8] = Array("SLO1".utf8) + [1, 14, 0, 0]
    /// Preamble, salt, commitment, and one chunk that is only a tag.
    private static let minimumByteCount: UInt64 = 8 + 24 + 32 + 16

    /// A photo's file ends with one. One that is still being sent may end anywhere.
    private static let blockByteCount: UInt64 = 4096

    /// Nil when nothing is wrong.
    static func complaint(about file: OpenFile, isComplete: Bool) throws -> String? {
        try complaint(about: file, byteCount: file.byteCount(), isComplete: isComplete)
    }

    static func complaint(about bytes: any ByteSource, byteCount: UInt64, isComplete: Bool) throws -> String? {
        guard byteCount >= minimumByteCount else { return "is too short" }
        if isComplete, !byteCount.isMultiple(of: blockByteCount) { return "was cut off: it does not end with a block" }
        var start = [UInt8](repeating: 0, count: preamble.count)
        let count = try start.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) in
            try bytes.read(into: buffer, at: 0)
        }
        guard count == preamble.count, start == preamble else {
            return "does not begin as an object of this format"
        }
        return nil
    }
}
