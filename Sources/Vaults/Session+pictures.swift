import Content
package import ImagingProtocol
package import Media
package import NIOCore
import Records
import Sealing
import Store
import Synchronization
import Threads
package import Vault

/// What there is to show of a photo.
package enum PictureAnswer: Sendable {
    case made(StoredPicture)
    /// One that a client made of what it sent. This host's own was moved to the front.
    case provisional(StoredPicture)
    /// Not yet; it was moved to the front.
    case pending
    case none
    case unreadable(UnreadableReason)
    /// No such photo.
    case unknown
}

extension Session {
    /// What photos look like.
    package var pictures: Pictures { Pictures(session: self) }

    /// Thumbnails and previews.
    package struct Pictures: Sendable {
        let session: Session

        /// Thumbnails asked for at once, at most.
        package static let mostPictures = 128
        /// Bytes of a thumbnail that a client made, at most.
        package static let provisionalByteLimit = PreviewSeal.provisionalByteLimit

        /// The one for a screen.
        /// - Throws: `noSuchPhoto`, `sessionEnded`.
        package func preview(_ id: String) async throws -> PictureAnswer { try await picture(id, .preview) }

        /// The one for a list.
        /// - Throws: `noSuchPhoto`, `sessionEnded`.
        package func thumbnail(_ id: String) async throws -> PictureAnswer { try await picture(id, .thumbnail) }

        func picture(_ id: String, _ size: PreviewSize) async throws -> PictureAnswer {
            let vault = try session.requireVault()
            return try await picture(try await session.libraryPhoto(id, in: vault), size, of: vault)
        }

        private func picture(
            _ photo: LibraryPhoto, _ size: PreviewSize, of vault: OpenVault
        ) async throws -> PictureAnswer {
            let isMade: Bool
            switch PhotoDetails.state(of: photo) {
            case .pending:
                isMade = false
                vault.pictures.wish(for: [photo.serial])
            case .none: return .none
            case .unreadable(let reason): return .unreadable(reason)
            case .made: isMade = true
            }
            // Made again only where it would be kept.
            guard vault.store.previews.isOpen else { return .pending }
            let stored = try await session.reading { try vault.storedPicture(size, of: photo) }
            if isMade, let stored, !stored.isProvisional { return .made(stored) }
            if isMade { vault.pictures.wishAgain(for: photo.serial) }
            // This host's own counts with its row, which is a moment behind.
            guard let stored, stored.isProvisional else { return .pending }
            return .provisional(stored)
        }

        /// Keeps a thumbnail that the client made of what it sent, until this host has looked into the photo.
        /// - Throws: `noSuchPhoto`, `sessionEnded`, `diskFull`.
        package func keep(provisional picture: Rendition, of id: String) async throws {
            let vault = try session.requireVault()
            try await translating {
                try await vault.keep(provisional: picture, of: try await session.libraryPhoto(id, in: vault))
            }
        }

        /// Those of these photos that have no pictures yet come first, in this order.
        package func wish(for ids: [String]) async throws {
            let vault = try session.requireVault()
            var waiting: [UInt64] = []
            for serial in ids.compactMap({ try? session.serial($0) }) {
                if let photo = try await vault.library.photoOrKept(serial: serial), photo.picture == nil {
                    waiting.append(photo.serial)
                }
            }
            vault.pictures.wish(for: waiting)
        }

        /// Gives the thumbnail as `picture` does, for one of many.
        /// - Parameters:
        ///   - deadline: until then a picture that is being made is waited for.
        ///   - own: what a client made counts for none.
        package func thumbnail(
            _ id: String, until deadline: ContinuousClock.Instant?, own: Bool = false
        ) async throws -> PictureAnswer {
            func look() async throws -> PictureAnswer {
                let answer = try await picture(id, .thumbnail)
                if own, case .provisional = answer { return .pending }
                return answer
            }
            do {
                let answer = try await look()
                guard case .pending = answer, let deadline, ContinuousClock.now < deadline,
                    let event = try await event(for: id)
                else { return answer }
                // It may have been made before anybody waited. The vault is not held: its keys end with its last session.
                if case .pending = try await look() { await Self.wait(for: event, until: deadline) }
                return try await look()
            } catch VaultError.noSuchPhoto {
                return .unknown
            }
        }

        /// Of the photo that is there: the id may be that of a duplicate, whose own serial nobody ever looks into.
        private func event(for id: String) async throws -> OneTimeEvent? {
            let vault = try session.requireVault()
            return vault.pictures.event(for: try await session.libraryPhoto(id, in: vault).serial)
        }

        static func wait(for event: OneTimeEvent, until deadline: ContinuousClock.Instant) async {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await event.wait() }
                group.addTask { try? await Task.sleep(until: deadline, clock: .continuous) }
                await group.next()
                group.cancelAll()
            }
        }
    }
}

/// The original bytes of a stored photo, by range. Every chunk is verified before a byte of it leaves; padding never
/// does.
package final class Original: Sendable {
    package let photo: Photo
    /// Bytes of the original.
    package let byteCount: UInt64
    private let session: Session
    /// What it has open goes back there; the vault itself is let go of with its last session.
    private weak let vault: OpenVault?
    private let engine: UploadEngine
    private let reader: ObjectReader
    private let found: LibraryPhoto
    /// False once a chunk failed.
    private let isSound = Atomic(true)

    init(_ found: LibraryPhoto, photo: Photo, of vault: OpenVault, session: Session, reader: ObjectReader) {
        self.found = found
        self.photo = photo
        byteCount = photo.byteCount
        self.session = session
        self.vault = vault
        engine = vault.engine
        self.reader = reader
    }

    deinit {
        vault?.readerCache.giveBack(reader, isSound: isSound.load(ordering: .relaxed))
    }

    /// Verified plaintext from `offset` on: at least one byte and at most `atMost`, or empty at the end.
    /// - Throws: `damaged` when a chunk fails, `sessionEnded` once the vault was locked.
    package func read(at offset: UInt64, atMost: Int) async throws -> ByteBuffer {
        guard offset < byteCount, atMost > 0 else {
            try requireGiven(isClean: false)
            return ByteBuffer()
        }
        let count = min(byteCount - offset, UInt64(min(atMost, ObjectReader.mostBytesPerRead)))
        return try await read(offset..<offset + count, isClean: false)
    }

    /// Counts as use. Whoever looks through a window has the photo for as long as the window gives it.
    /// - Parameter isClean: whether what stands in the way of a clean copy is left out of what is read.
    /// - Throws: `sessionEnded`; at a window also as `WindowView.requireGiven`.
    private func requireGiven(isClean: Bool) throws {
        let vault = try session.requireVault()
        try vault.window?.requireGiven(found, isClean: isClean, on: engine.store.sessionDay)
    }

    /// The content of a range, piece by piece; the first one is being read already.
    /// - Parameter overwrites: what stands there otherwise than in the file.
    /// - Throws: `sessionEnded`.
    package func pieces(_ range: Range<UInt64>, with overwrites: Overwrites? = nil) throws -> OriginalPieces {
        try OriginalPieces(self, range.clamped(to: 0..<byteCount), overwrites)
    }

    /// What stands in a clean copy; nil where none can be made. One at a time in a session, since a file is read for it that
    /// nobody gets; the last ones are remembered, for a film is fetched in many parts.
    /// - Throws: `damaged`, which is noted; `sessionEnded`.
    package func cleaning() async throws -> Overwrites? {
        try await session.cleanCopies.overwrites(of: found.object) { try await clean(isTrial: false) }
    }

    /// Whether a clean copy can be made, by as little of the file as tells it.
    /// - Throws: `damaged`, which is noted; `sessionEnded`.
    package func canBeCleaned() async throws -> Bool { try await clean(isTrial: true) != nil }

    private func clean(isTrial: Bool) async throws -> Overwrites? {
        let type = MediaType(mimeType: photo.type)
        guard Overwrites.cleanable.contains(type) else { return nil }
        try requireGiven(isClean: true)
        engine.noteTraffic()
        let source = ObjectBytes(reader: reader, byteCount: byteCount)
        return try await checking(isClean: true) {
            try await session.reading {
                do {
                    return try Overwrites(cleaning: source, type: type, isTrial: isTrial)
                } catch MediaError.noCleanCopy {
                    return nil
                } catch MediaError.source(let error) {
                    throw error
                }
            }
        }
    }

    /// Begins to read where nobody else waits for a place to do so. Counts as use. What it returns has to be given to
    /// `take`.
    /// - Throws: `sessionEnded`.
    func startReading(_ range: Range<UInt64>, isClean: Bool) throws -> StartedWork<ByteBuffer>? {
        try requireGiven(isClean: isClean)
        engine.noteTraffic()
        return engine.threads.startReading(for: session.visitor) { [reader] in try reader.read(range) }
    }

    /// In turn with others.
    /// - Throws: `damaged`, which is noted; `sessionEnded`.
    func read(_ range: Range<UInt64>, isClean: Bool) async throws -> ByteBuffer {
        try requireGiven(isClean: isClean)
        engine.noteTraffic()
        return try await checking(isClean: isClean) { try await session.reading { [reader] in try reader.read(range) } }
    }

    /// - Throws: `damaged`, which is noted; `sessionEnded`.
    func take(_ reading: StartedWork<ByteBuffer>, isClean: Bool) async throws -> ByteBuffer {
        try await checking(isClean: isClean) { try await reading.value() }
    }

    private func checking<Result>(isClean: Bool, _ body: () async throws -> Result) async throws -> Result {
        do {
            let result = try await body()
            try requireGiven(isClean: isClean)
            return result
        } catch {
            let error = VaultError(error)
            if error == .damaged {
                // What was erased, or moved with a guest, meanwhile is no damage.
                try requireGiven(isClean: isClean)
                if vault?.hasEnded != false { throw VaultError.sessionEnded }
                isSound.store(false, ordering: .relaxed)
                await session.photos.noteDamaged(found)
            }
            throw error
        }
    }
}

/// Pieces of a photo's content, in order: the next one is read and opened while the caller sends the one before, unless
/// others wait to read.
package struct OriginalPieces {
    /// The first is small, so that sending begins early.
    private static let chunksOfFirst = 4
    /// With its seals a piece stays below 512 KiB: memory is taken by powers of two.
    private static let chunks = 31

    private let original: Original
    private let overwrites: Overwrites?
    private let end: UInt64
    /// Of the next piece.
    private var range: Range<UInt64>
    private var reading: StartedWork<ByteBuffer>?

    fileprivate init(_ original: Original, _ whole: Range<UInt64>, _ overwrites: Overwrites?) throws {
        self.original = original
        self.overwrites = overwrites
        end = whole.upperBound
        range = whole.lowerBound..<whole.lowerBound
        try startNext(chunks: Self.chunksOfFirst)
    }

    /// Nil behind the last one.
    /// - Throws: `damaged` when a chunk fails, `sessionEnded` once the vault was locked.
    package mutating func next() async throws -> ByteBuffer? {
        guard !range.isEmpty else { return nil }
        let (running, offset, isClean) = (reading.take(), range.lowerBound, overwrites != nil)
        var piece =
            if let running {
                try await original.take(running, isClean: isClean)
            } else {
                try await original.read(range, isClean: isClean)
            }
        try startNext(chunks: Self.chunks)
        if let overwrites { piece.withUnsafeMutableReadableBytes { overwrites.apply(to: $0, at: offset) } }
        return piece
    }

    /// Ends at the end of a chunk, so that none is opened twice.
    private mutating func startNext(chunks: Int) throws {
        let (begin, size) = (range.upperBound, UInt64(ChunkLayout.chunkByteCount))
        range = begin..<min(end, (begin / size + UInt64(chunks)) * size)
        if !range.isEmpty { reading = try original.startReading(range, isClean: overwrites != nil) }
    }
}

/// What stands in the clean copies that were asked for last in a session.
final class CleanCopies: Sendable {
    private static let most = 2

    private let making = AsyncLock()
    private let known = Mutex<[(object: ObjectID, overwrites: Overwrites)]>([])

    func overwrites(of object: ObjectID, _ make: () async throws -> Overwrites?) async throws -> Overwrites? {
        if let found = found(object) { return found }
        await making.acquire()
        defer { making.release() }
        // Of those that waited, another may have asked for the same.
        if let found = found(object) { return found }
        guard let made = try await make() else { return nil }
        known.withLock { $0 = $0.suffix(Self.most - 1) + [(object, made)] }
        return made
    }

    private func found(_ object: ObjectID) -> Overwrites? {
        known.withLock { known in known.first { $0.object == object }?.overwrites }
    }
}
