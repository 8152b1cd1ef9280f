import CLinux
import FoundationEssentials
import Glibc
import Import
import Media
import Records
import Sealing
import Vault
import Vaults
import Web

/// What a vault says of its photos, as XMP files beside them that exiftool, digiKam and this program's own import read:
/// dates that somebody put right, places, captions, a heart as five stars, albums as keywords, the part that is shown. A packet that was brought
/// with a photo is the one into which that is written, and goes under its photo's name.
struct ExportSidecars {
    /// A packet that is longer stays as it was brought: what is larger are pictures that somebody packed into it.
    private static let longestPacket: UInt64 = 4 << 20

    private let vault: OfflineVault
    /// Packets that were brought, by the ids of their photos.
    private var packets: [String: Photo] = [:]
    private var albums: [String: [String]] = [:]

    /// - Parameter photos: all of the vault.
    init(_ vault: OfflineVault, _ photos: [Photo]) async throws {
        self.vault = vault
        for photo in photos where Self.isPacket(photo) {
            guard let owner = photo.sidecarOf else { continue }
            // Of several the one that is called after all of the photo's name.
            if packets[owner] == nil || Self.hasEnding(photo) { packets[owner] = photo }
        }
        for album in try await vault.session.albums.all().sorted(by: { ($0.name ?? "") < ($1.name ?? "") }) {
            guard let name = album.name else { continue }
            for id in try await vault.session.albums.photos(of: album.id) { albums[id, default: []].append(name) }
        }
    }

    private static func isPacket(_ photo: Photo) -> Bool {
        FamilyName(photo.name, isKnown: isKnown(photo)).sidecar == .xmp && photo.byteCount <= longestPacket
    }

    private static func isKnown(_ photo: Photo) -> Bool { MediaType(mimeType: photo.type) != .other }

    private static func hasEnding(_ photo: Photo) -> Bool {
        !FamilyName(photo.name, isKnown: false).ending.isEmpty
    }

    /// Whether this is such a packet, which goes with its photo and not by itself.
    func isWritten(with photo: Photo) -> Bool {
        photo.sidecarOf.map { packets[$0]?.id == photo.id } ?? false
    }

    /// Under which name it goes beside a photo that is called so.
    func name(beside file: String, of photo: Photo) -> String {
        guard let packet = packets[photo.id], !Self.hasEnding(packet), let dot = file.lastIndex(of: ".") else {
            return file + ".xmp"
        }
        // Programs for raw files look for it there.
        return file[..<dot] + ".xmp"
    }

    /// The packet that was brought with the photo.
    func packet(of photo: Photo) -> Photo? { packets[photo.id] }

    /// What goes beside a photo.
    struct Text {
        let bytes: [UInt8]
        /// False where the file that was brought is no packet, and stays as it is.
        var saysAll = true
    }

    /// Nil where there is nothing to say that the photo does not say itself.
    /// - Parameter packet: into which it is written; nil for that which was brought, or none.
    /// - Throws: `VaultError.damaged` where the packet cannot be read.
    func text(of photo: Photo, into packet: [UInt8]? = nil) async throws -> Text? {
        guard FamilyName(photo.name, isKnown: Self.isKnown(photo)).sidecar == nil else { return nil }
        var brought = packet
        if brought == nil, let packet = packets[photo.id] { brought = try await content(of: packet.id) }
        let words = try await words(of: photo)
        if let brought, !XMPWords.isPacket(brought) { return Text(bytes: brought, saysAll: words == XMPWords()) }
        return words.written(into: brought).map { Text(bytes: $0) }
    }

    // MARK: What waits for its photo

    /// Sidecars whose photos have not come, the newest first, each by the path at which an export has it: of names that every
    /// file system takes.
    func waiting() async throws -> [(id: String, parts: [String])] {
        var given: Set<[String]> = []
        return try await vault.session.sidecars.paths().compactMap { id, path in
            let parts = path.split(separator: "/").map { PortableName(String($0)).text }
            // Of several under one path the last counts.
            return given.insert(parts).inserted ? (id, [SidecarContent.waitingFolder] + parts) : nil
        }
    }

    /// Bytes of a sidecar that waits, as it came.
    /// - Throws: `VaultError.damaged`.
    func bytes(ofWaiting id: String) async throws -> [UInt8] { try await content(of: id) }

    private func content(of id: String) async throws -> [UInt8] {
        let original = try await vault.session.photos.original(id)
        var bytes: [UInt8] = []
        while UInt64(bytes.count) < original.byteCount {
            let piece = try await original.read(at: UInt64(bytes.count), atMost: 1 << 20)
            bytes += piece.readableBytesView
        }
        return bytes
    }

    private func words(of photo: Photo) async throws -> XMPWords {
        let details = photo.details
        var words = XMPWords()
        // What the file itself, its name or its time say is said by them in the next place, too.
        words.takenAt = details.takenAt.flatMap { [.person, .sidecar].contains($0.source) ? $0 : nil }
        if let said = details.keeping.place {
            words.place = said.place
        } else if let place = details.facts.place, try await vault.session.photos.told(photo.id)?.place == place {
            words.place = place
        }
        words.caption = details.keeping.caption
        words.isFavourite = details.keeping.isFavourite
        words.isArchived = details.keeping.isArchived
        words.albums = albums[photo.id] ?? []
        words.crop = details.keeping.edit?.crop(of: details.facts)
        return words
    }
}

/// The draft of one file of an export. Nothing is left of it, unless it got a name.
final class ExportWriter {
    let path: String
    private let descriptor: Int32
    private var hasher: SHA256Hasher?

    init(path: String, descriptor: Int32) throws {
        self.path = path
        self.descriptor = descriptor
        hasher = try SHA256Hasher()
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        try hasher?.update(bytes)
        var rest = bytes
        while !rest.isEmpty {
            let written = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw ExportFolder.failure("write", path) }
            rest = UnsafeRawBufferPointer(rebasing: rest[written...])
        }
    }

    /// To the millisecond, which is what a vault keeps.
    static func fileTime(of photo: Photo) -> linux_file_time {
        let date = photo.modifiedAt ?? photo.receivedAt
        let milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded())
        // Before 1970 the part of a second counts forward, too.
        let fraction = (milliseconds % 1000 + 1000) % 1000
        return linux_file_time(seconds: (milliseconds - fraction) / 1000, nanoseconds: UInt32(fraction * 1_000_000))
    }

    /// Sets the time, syncs.
    /// - Returns: the SHA-256 of what was written.
    func finish(for photo: Photo) throws -> [UInt8] {
        setTime(Self.fileTime(of: photo))
        guard fsync(descriptor) == 0, let hasher = hasher.take() else { throw ExportFolder.failure("finish", path) }
        return try hasher.finalize()
    }

    /// As near as the file system can: USB sticks know the years 1980 to 2107 only, and some file systems no times but
    /// their own. The content counts more.
    private func setTime(_ time: linux_file_time) {
        if linux_set_file_time(descriptor, time) == 0 { return }
        // Two days inside both ends, whatever the zone.
        let known: ClosedRange<Int64> = 315_705_600...4_354_732_800
        let nearest = min(max(time.seconds, known.lowerBound), known.upperBound)
        _ = linux_set_file_time(descriptor, linux_file_time(seconds: nearest, nanoseconds: 0))
    }
}
