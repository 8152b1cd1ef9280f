import Bytes
package import FoundationEssentials
package import Media

/// The upload that brought a photo, kept for seven days: so a repeated creation, or a question for where the upload
/// stands, finds the photo.
package struct PhotoOrigin: Equatable, Sendable {
    package var upload: UploadID
    /// Nil when the client gave no id.
    package var creation: CreationKey?
    /// Days since 1970; the last one on which it counts.
    package var expiresDay: UInt32
    /// The content was there before.
    package var isDuplicate: Bool

    package init(upload: UploadID, creation: CreationKey? = nil, expiresDay: UInt32, isDuplicate: Bool) {
        self.upload = upload
        self.creation = creation
        self.expiresDay = expiresDay
        self.isDuplicate = isDuplicate
    }

    package var encoded: [UInt8] {
        upload.bytes + (creation?.bytes ?? [UInt8](repeating: 0, count: CreationKey.byteCount))
            + expiresDay.bigEndianBytes + [(creation == nil ? 0 : 2) | (isDuplicate ? 1 : 0)]
    }
}

extension PhotoOrigin {
    package init(_ value: [UInt8]) throws(VaultError) {
        var reader = ByteReader(value)
        guard let upload = reader.read(UploadID.byteCount).flatMap(UploadID.init(bytes:)),
            let creation = reader.read(CreationKey.byteCount), let day = reader.readUInt32(),
            let flags = reader.readUInt8(), reader.isAtEnd
        else { throw .damaged }
        self.init(
            upload: upload, creation: flags & 2 != 0 ? CreationKey(bytes: creation) : nil, expiresDay: day,
            isDuplicate: flags & 1 != 0)
    }
}

/// A photo's place in a batch.
package struct BatchMembership: Equatable, Sendable {
    /// Places of one photo in batches at most: its record has to stay readable, however often somebody sends it.
    package static let mostPerPhoto = 256

    package var batch: BatchID
    /// The content was there before.
    package var isDuplicate: Bool
    /// Under which it came with this batch, where that is not the photo's own: a receipt names what was sent.
    package var name: String?

    package init(batch: BatchID, isDuplicate: Bool, name: String? = nil) {
        self.batch = batch
        self.isDuplicate = isDuplicate
        self.name = name
    }

    package var encoded: [UInt8] { batch.bytes + [isDuplicate ? 1 : 0] + Array((name ?? "").utf8) }

    /// The place when the photo is dropped for one that was there before.
    package func ofDuplicate(_ duplicate: PhotoRecord, of kept: PhotoRecord) -> BatchMembership {
        let name = name ?? duplicate.name
        return BatchMembership(batch: batch, isDuplicate: true, name: name == kept.name ? nil : name)
    }
}

extension BatchMembership {
    package init(_ value: [UInt8]) throws(VaultError) {
        var reader = ByteReader(value)
        guard let batch = reader.read(BatchID.byteCount).flatMap(BatchID.init(bytes:)), let flags = reader.readUInt8(),
            let name = String(validating: value.dropFirst(BatchID.byteCount + 1), as: UTF8.self)
        else { throw .damaged }
        self.init(batch: batch, isDuplicate: flags & 1 != 0, name: name.isEmpty ? nil : name)
    }
}

/// When a client thinks that what it sends was taken, and in which zone. It speaks only where nobody else does: the zone of
/// an instant that the file itself tells, and when, where the file, its name and its time tell nothing.
package struct CaptureHint: Equatable, Sendable {
    package let time: CaptureTime

    /// - Parameter offsetMinutes: east of UTC.
    package init(moment: Date, offsetMinutes: Int) {
        let milliseconds = (moment.timeIntervalSince1970 * 1000).rounded()
        var time = CaptureTime(
            milliseconds: Int64(milliseconds), offsetMinutes: offsetMinutes, isInstant: true, source: .fileTime)
        time.isZoneGuessed = true
        self.time = time
    }

    package init?(encoded: some Collection<UInt8>) {
        guard let time = CaptureTime(encoded: encoded), time.isInstant, time.isZoneGuessed else { return nil }
        self.time = time
    }

    /// Nil for another moment than the one that it is about.
    package func offsetMinutes(at milliseconds: Int64) -> Int? {
        let difference = time.milliseconds.subtractingReportingOverflow(milliseconds)
        return !difference.overflow && difference.partialValue.magnitude < 1000 ? time.offsetMinutes : nil
    }
}

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
    private static let unkept: UInt8 = 16

    /// Others are a later version's, and stay.
    package private(set) var marks: UInt8

    package init(isHeld: Bool) { marks = isHeld ? Self.held : 0 }

    package init(marks: UInt8) { self.marks = marks }

    /// Of a file that was sent to be read as a sidecar, and says nothing that is known here: it goes at the next look.
    package static var ofNothing: SidecarState { SidecarState(marks: held | joined | nothing) }

    /// It is nothing but that: it stands in no list, and goes once it has been told.
    package var isHeld: Bool { marks[mark: Self.held] }

    /// It was sent to be that, and is none.
    package var isNothing: Bool { marks[mark: Self.nothing] }

    /// It says more than is kept of it.
    package var isPartial: Bool {
        get { marks[mark: Self.partial] }
        set { marks[mark: Self.partial] = newValue }
    }

    /// A photo of which it speaks could not keep all that was told of it.
    package var isUnkept: Bool {
        get { marks[mark: Self.unkept] }
        set { marks[mark: Self.unkept] = newValue }
    }

    /// A photo of which it speaks has come.
    package var isJoined: Bool {
        get { marks[mark: Self.joined] }
        set { marks[mark: Self.joined] = newValue }
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
