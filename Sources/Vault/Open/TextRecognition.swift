import Content
import Imaging
import ImagingProtocol
import Media
import Records
import Store

/// Looks for words in the pictures of an open vault, once in each and the newest first, while nobody uploads and no picture
/// is left to be made. Ends with the vault, and goes on at its next opening.
///
/// It reads previews, which this host has made, and never a file that somebody sent.
final class TextRecognition: Sendable {
    /// What is written in one picture; empty where nothing is.
    struct Finding: Sendable {
        let photo: LibraryPhoto
        let words: PictureWords
    }

    /// In one commit.
    private static let photosPerCommit = 256
    /// So much is looked for again at most when a vault is locked meanwhile.
    private static let timePerCommit: Duration = .seconds(20)

    /// A preview, and for whom it is read.
    private struct Page: Sendable {
        let bytes: [UInt8]
        let type: MediaType
        let owner: [UInt8]
        let requester: PictureRequester
    }

    private let work: IdleWork

    init(engine: UploadEngine) { work = IdleWork(engine: engine) }

    /// For a vault whose library is there.
    func start(_ vault: OpenVault) {
        work.start(vault)
        wake()
    }

    /// There may be pictures in which nobody has looked for words.
    func wake() {
        guard work.engine.pictures != nil else { return }
        work.wake { [weak self] pacing in
            // Each once in a round, from the newest on: one that has no picture any more is not met again and again.
            var last = UInt64(Int64.max)
            while let next = try await self?.readSome(below: last, &pacing) { last = next }
        }
    }

    /// There are pictures in which nobody has looked for words: made, moved here or put back.
    func follow(_ changes: [LibraryChange]) {
        let serials = changes.compactMap { change -> UInt64? in
            guard case .put(let entry) = change, let picture = entry.record.picture, !picture.areWordsSought,
                case .made = picture.state
            else { return nil }
            return entry.record.serial
        }
        guard !serials.isEmpty else { return }
        work.takeBack(serials)
        wake()
    }

    func pause() async { await work.pause() }

    func stop() { work.stop() }

    /// - Returns: the serial of the last one that was looked at; nil where there is none.
    private func readSome(below limit: UInt64, _ pacing: inout RereadPacing) async throws -> UInt64? {
        guard let maker = work.engine.pictures?.maker, await maker.readsWords else { return nil }
        var (found, last): ([Finding], UInt64?) = ([], nil)
        let began = ContinuousClock.now
        let photos = try await next(below: limit)
        for photo in photos where found.isEmpty || began.duration(to: .now) < Self.timePerCommit {
            last = photo.serial
            let pictures = try work.vault().pictures
            await pictures.pause()
            try await work.engine.waitForTurn(&pacing)
            if let words = try await words(in: photo, maker) { found.append(Finding(photo: photo, words: words)) }
        }
        if !found.isEmpty { work.skip(try await work.vault().change { [found] in try $0.note(found) }) }
        return last
    }

    private func next(below limit: UInt64) async throws -> [LibraryPhoto] {
        let vault = try work.vault()
        return try await vault.library.withoutWords(
            below: limit, except: work.skipped(in: vault), limit: Self.photosPerCommit)
    }

    /// Nil for what is to be looked at later.
    private func words(in photo: LibraryPhoto, _ maker: any PictureMaker) async throws -> PictureWords? {
        guard let page = try await page(of: photo) else {
            // It is made again once somebody looks at it.
            work.skip([photo.serial])
            return nil
        }
        do throws(ImagingError) {
            return try await maker.words(in: page.bytes, as: page.type, of: page.owner, for: page.requester)
        } catch {
            switch error {
            case .unreadable(.tooMuchMemory), .unreadable(.tooSlow), .unreadable(.crashed), .stalled:
                // It may have been the host: the next opening tries again.
                work.skip([photo.serial])
                return nil
            case .unreadable: return PictureWords()
            case .displaced:
                work.again()
                return nil
            case .unavailable, .source: throw error
            }
        }
    }

    /// The vault itself is not held while its picture is read.
    private func page(of photo: LibraryPhoto) async throws -> Page? {
        let vault = try work.vault()
        let stored = try await work.engine.threads.runIdly { try vault.storedPicture(.preview, of: photo) }
        guard let stored, !stored.isProvisional else { return nil }
        return Page(
            bytes: stored.bytes, type: MediaType(mimeType: stored.type), owner: vault.uid,
            requester: PictureRequester(key: vault.holder.key, isGuest: vault.isGuest))
    }
}

extension OpenVault {
    /// Whether anybody here looks for words in pictures.
    package var readsWords: Bool { get async { await engine.pictures?.maker.readsWords == true } }
}

extension VaultChange {
    /// What is written in pictures.
    /// - Returns: serials of those whose rows cannot be read.
    mutating func note(_ found: [TextRecognition.Finding]) throws -> [UInt64] {
        try note(found, of: \.photo) { change, finding, present in
            _ = try change.updateQuietly(at: present.rowNumber) { record in
                let before = record.words
                record.words = finding.words.isEmpty ? nil : finding.words.text
                record.picture?.areWordsSought = true
                return record.words != before
            }
        }
    }
}
