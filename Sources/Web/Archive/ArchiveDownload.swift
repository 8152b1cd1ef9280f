import Bytes
import HTTPTypes
import Hummingbird
import NIOCore
import Records
import Vault
import Vaults

/// Which photos an archive has, and where each stands in it: one for all downloads of it that run.
final class ArchiveContents: Sendable {
    let list: ArchiveList
    let layout: ZipLayout
    /// Names the layout: another one has another fingerprint.
    let fingerprint: String

    init(_ list: ArchiveList) {
        self.list = list
        layout = ZipLayout(
            entries: list.photos.map {
                ZipEntry(name: $0.name, folder: $0.folder, byteCount: $0.byteCount, modifiedAt: $0.modifiedAt)
            })
        fingerprint = layout.fingerprint
    }
}

/// Sends a part of an archive, or all of it. The same part has the same bytes each time.
struct ArchiveDownload {
    private let session: Session
    private let archive: Archive
    let contents: ArchiveContents
    private let channel: any Channel

    private var photos: [ArchivedPhoto] { contents.list.photos }
    var layout: ZipLayout { contents.layout }

    /// - Parameter channel: of the connection that asked
    init(_ archive: Archive, of session: Session, over channel: any Channel) async throws {
        self.session = session
        self.archive = archive
        self.channel = channel
        let listing = session.listingNumber
        contents = try await archive.contents(at: listing) {
            ArchiveContents(try await session.archives.photos(of: archive))
        }
        guard archive.isUnchanged(contents.fingerprint) else { throw VaultError.archiveGone }
    }

    func write(_ range: Range<UInt64>, to writer: inout any ResponseBodyWriter) async throws {
        var index = firstEntry(behind: range.lowerBound)
        while index < layout.count, layout.offset(of: index) < range.upperBound {
            try await writeEntry(index, range, to: &writer)
            session.touch(archive)
            index += 1
        }
        guard range.upperBound > layout.directoryOffset else { return }
        try await writeDirectory(range, to: &writer)
        session.touch(archive)
    }

    /// The first one that ends behind an offset.
    private func firstEntry(behind offset: UInt64) -> Int {
        (0..<layout.count).partitioningIndex { layout.end(of: $0) > offset }
    }

    private func writeEntry(_ index: Int, _ range: Range<UInt64>, to writer: inout any ResponseBodyWriter) async throws
    {
        let photo = photos[index]
        let (begin, end) = (layout.offset(of: index), layout.end(of: index))
        let contentBegin = end - photo.byteCount
        if range.lowerBound < contentBegin {
            let header = layout.header(of: index, checksum: try await checksum(of: index))
            try await Self.write(header, at: begin, range, to: &writer)
        }
        let wanted = range.clamped(to: contentBegin..<end)
        guard !wanted.isEmpty else { return }
        let content = wanted.lowerBound - contentBegin..<wanted.upperBound - contentBegin
        try await pieces(of: photo, content).write(to: &writer)
    }

    private func writeDirectory(_ range: Range<UInt64>, to writer: inout any ResponseBodyWriter) async throws {
        var offset = layout.directoryOffset
        for index in photos.indices {
            let header = layout.directoryHeader(of: index, checksum: try await checksum(of: index))
            try await Self.write(header, at: offset, range, to: &writer)
            offset += UInt64(header.readableBytes)
        }
        try await Self.write(layout.endRecords(), at: offset, range, to: &writer)
    }

    /// What of the bytes lies in the range.
    private static func write(
        _ bytes: ByteBuffer, at offset: UInt64, _ range: Range<UInt64>, to writer: inout any ResponseBodyWriter
    ) async throws {
        let wanted = range.clamped(to: offset..<offset + UInt64(bytes.readableBytes))
        let begin = bytes.readerIndex + Int(wanted.lowerBound - offset)
        guard !wanted.isEmpty, let slice = bytes.getSlice(at: begin, length: wanted.count) else { return }
        try await writer.write(slice)
    }

    /// Reads the photo, which is read again to be sent: its checksum has to be known before its first byte.
    private func checksum(of index: Int) async throws -> UInt32 {
        if let known = archive.checksum(at: index) { return known }
        return try await session.archives.readingAhead {
            // Of those that waited, another may have asked for the same.
            if let known = archive.checksum(at: index) { return known }
            let photo = photos[index]
            var checksum = ZipChecksum()
            var pieces = try await pieces(of: photo, 0..<photo.byteCount)
            while let piece = try await nextPiece(&pieces) { checksum.append(piece) }
            archive.note(checksum.value, at: index)
            return checksum.value
        }
    }

    /// As long as there is somebody to send it to: of a connection that is gone, nobody else would hear before something
    /// is sent.
    private func nextPiece(_ pieces: inout OriginalPieces) async throws -> ByteBuffer? {
        guard channel.isActive else { throw ChannelError.ioOnClosedChannel }
        return try await pieces.next()
    }

    private func pieces(of photo: ArchivedPhoto, _ range: Range<UInt64>) async throws -> OriginalPieces {
        let original = try await session.archives.original(photo)
        guard original.byteCount == photo.byteCount else { throw VaultError.damaged }
        guard archive.isClean else { return try original.pieces(range) }
        guard let overwrites = try await original.cleaning() else { throw WebError.noCleanCopy }
        return try original.pieces(range, with: overwrites)
    }
}
