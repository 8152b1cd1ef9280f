import Bytes

/// The folder in which a file lay where it was brought from: what lies beside it there speaks of it, whenever it comes.
package struct SourceFolder: Equatable, Sendable {
    /// Of one photo that are kept, the last ones: its record has to stay readable, however often somebody sends it.
    package static let mostPerPhoto = 16
    /// Bytes of a path, its name included.
    package static let longestPath = 4096

    /// With `/` between them.
    package var path: String
    /// The content was there before.
    package var isDuplicate: Bool
    /// What it was called there, where that is not the photo's own name.
    package var name: String?

    package init(path: String, isDuplicate: Bool = false, name: String? = nil) {
        self.path = path
        self.isDuplicate = isDuplicate
        self.name = name
    }

    /// Of a file whose content is there already.
    /// - Parameter path: folders and name, with `/` between them.
    package init(ofDuplicate path: String) {
        self.init(path: path, isDuplicate: true)
        split()
    }

    /// Of one that comes.
    package init(of path: String) {
        self.init(path: path)
        split()
    }

    private mutating func split() {
        guard let end = path.lastIndex(of: "/") else { return }
        name = String(path[path.index(after: end)...])
        path = String(path[..<end])
    }

    package var encoded: [UInt8] {
        let path = Array(path.utf8)
        return [isDuplicate ? 1 : 0] + UInt16(clamping: path.count).bigEndianBytes + path + Array((name ?? "").utf8)
    }

    package init?(encoded: [UInt8]) {
        var reader = ByteReader(encoded)
        guard let flags = reader.readUInt8(), let count = reader.readUInt16(),
            let path = reader.read(Int(count)).flatMap({ String(validating: $0, as: UTF8.self) }),
            let name = String(validating: encoded.dropFirst(3 + Int(count)), as: UTF8.self)
        else { return nil }
        self.init(path: path, isDuplicate: flags & 1 != 0, name: name.isEmpty ? nil : name)
    }

    /// Where a photo lay that is dropped for one which was there before.
    fileprivate func ofDuplicate(_ duplicate: PhotoRecord, of kept: PhotoRecord) -> SourceFolder {
        let name = name ?? duplicate.name
        return SourceFolder(path: path, isDuplicate: true, name: name == kept.name ? nil : name)
    }
}

/// What is known of a file that says something of photos.
package struct SidecarState: Equatable, Sendable {
    private static let held: UInt8 = 1
    private static let joined: UInt8 = 2
    private static let nothing: UInt8 = 4
    private static let partial: UInt8 = 8

    /// Others are a later version's, and stay.
    package private(set) var marks: UInt8

    package init(isHeld: Bool) { marks = isHeld ? Self.held : 0 }

    package init(marks: UInt8) { self.marks = marks }

    /// Of a file that was sent to be read as a sidecar, and says nothing that is known here: it goes at the next look.
    package static var ofNothing: SidecarState { SidecarState(marks: held | joined | nothing) }

    /// It is nothing but that: it stands in no list, and goes once it has been told.
    package var isHeld: Bool { marks & Self.held != 0 }

    /// It was sent to be that, and is none.
    package var isNothing: Bool { marks & Self.nothing != 0 }

    /// It says more than is kept of it.
    package var isPartial: Bool {
        get { marks & Self.partial != 0 }
        set { marks = marks & ~Self.partial | (newValue ? Self.partial : 0) }
    }

    /// A photo of which it speaks has come.
    package var isJoined: Bool {
        get { marks & Self.joined != 0 }
        set { marks = marks & ~Self.joined | (newValue ? Self.joined : 0) }
    }
}

extension PhotoRecord {
    /// A sidecar that is in no list.
    package var isHeld: Bool { sidecar?.isHeld == true }

    /// Where a photo lay that is dropped for this one counts for this one.
    package mutating func joinFolders(of duplicate: PhotoRecord) {
        for folder in duplicate.folders { join(folder.ofDuplicate(duplicate, of: self)) }
    }

    /// It lay there, too.
    package mutating func join(_ folder: SourceFolder) {
        var folder = folder
        if folder.name == name { folder.name = nil }
        guard !folders.contains(where: { $0.path == folder.path && $0.name == folder.name }) else { return }
        folders = (folders + [folder]).suffix(SourceFolder.mostPerPhoto)
    }
}
