import Bytes
import Import
import Media
import Synchronization
import Vault
import Web

/// One import: looks at the sources, asks what is there, sends the rest, says what lies beside each photo, waits until all
/// was read back from disk, and compares.
final class ImportRun: Sendable {
    /// What the vault has of one photo in the end.
    enum Proof: Sendable, Equatable {
        case stored
        case known
        case refused(String)
        case differs
        case notReadBack
        case damaged
        /// Somebody deleted it since.
        case gone
    }

    private static let questionCount = 200
    private static let tellingCount = 64
    /// Bytes that are read again for one answer.
    private static let readingByteCount: UInt64 = 256 << 20
    /// So long nothing is read back before that is given up.
    private static let patience: Duration = .seconds(600)
    private static let rounds = 20

    let scan: ScannedSources
    let vault: any ImportVault
    private let states = Mutex<[Int: ImportPayload.State]>([:])

    init(_ scan: ScannedSources, into vault: any ImportVault) {
        self.scan = scan
        self.vault = vault
    }

    /// - Throws: `ImportRefusal.all`, `ImportError.source`.
    func run() async throws -> ImportReport {
        try await waitForReading(of: nil, "Reading back what came before")
        let known = try await stillWhole(findKnown())
        var proofs: [Int: Proof] = [:]
        for photo in known { proofs[photo] = .known }
        try await send(Set(scan.plan.photos.indices).subtracting(known), into: &proofs)
        for part in known.sorted().parts(of: Self.tellingCount) { try await tell(part) }
        let sent = proofs.filter { $0.value == .stored }.map(\.key).sorted()
        try await waitForReading(of: sent, "Reading back")
        let brought = proofs.filter { [.stored, .known].contains($0.value) }.map(\.key).sorted()
        // Somebody may have deleted some of them since they were asked for.
        _ = try await unread(of: brought)
        for photo in brought { proofs[photo] = compared(photo, as: proofs[photo] ?? .stored) }
        return ImportReport(scan: scan, proofs: proofs, states: states.withLock { $0 })
    }

    private func digest(of photo: Int) -> [UInt8] { scan.files[scan.plan.photos[photo].file].digest ?? [] }

    // MARK: Asking and sending

    private func findKnown() async throws -> Set<Int> {
        var known: Set<Int> = []
        let asked = scan.plan.photos.indices.filter { scan.plan.photos[$0].waitsAs == nil }
        for part in asked.parts(of: Self.questionCount) {
            let questions = part.map { photo in
                ImportPayload.Content(
                    size: byteCount(of: photo), sha256: digest(of: photo))
            }
            for (photo, found) in zip(part, try await vault.find(questions)) {
                guard let found, isKnown(photo, by: found) else { continue }
                known.insert(photo)
                states.withLock { $0[photo] = found }
            }
        }
        return known
    }

    /// What was read back long ago is read again: the sources are deleted on the word of today.
    /// - Returns: those that are whole; the rest comes anew.
    private func stillWhole(_ known: Set<Int>) async throws -> Set<Int> {
        let total = known.reduce(UInt64(0)) { $0 + byteCount(of: $1) }
        var (bar, done) = (ImportProgress("Reading what is there already"), UInt64(0))
        var (whole, part, count): (Set<Int>, [Int], UInt64) = ([], [], 0)
        var rest = known.sorted()[...]
        while let photo = rest.popFirst() {
            part.append(photo)
            count += byteCount(of: photo)
            guard rest.isEmpty || part.count == Self.questionCount || count >= Self.readingByteCount else { continue }
            let ids = states.withLock { states in part.compactMap { states[$0]?.id } }
            for (photo, state) in zip(part, try await vault.readAgain(ids)) {
                if state != nil { whole.insert(photo) }
                states.withLock { $0[photo] = state }
            }
            done += count
            bar.show(done, of: total)
            (part, count) = ([], 0)
        }
        bar.finish()
        return whole
    }

    private func byteCount(of photo: Int) -> UInt64 { scan.files[scan.plan.photos[photo].file].byteCount }

    /// A sidecar of this content may be that of another photo.
    private func isKnown(_ photo: Int, by found: ImportPayload.State) -> Bool {
        let planned = scan.plan.photos[photo]
        return !planned.isSidecar || found.name == planned.name
    }

    private func send(_ wanted: Set<Int>, into proofs: inout [Int: Proof]) async throws {
        let total = wanted.reduce(UInt64(0)) { $0 + byteCount(of: $1) }
        let bar = Mutex(
            (bar: ImportProgress("Bringing \(Figure.count(wanted.count, "file", "files"))"), done: UInt64(0)))
        var rest = wanted
        for round in 0..<Self.rounds where !rest.isEmpty {
            // Another device had all places; they come free as its photos come to lie on disk.
            if round > 0 { try await Task.sleep(for: .seconds(1)) }
            let sending = ImportSending(scan, vault: vault) { [self] in
                try await tell($0)
            } progress: { count in
                bar.withLock { bar in
                    bar.done += count
                    bar.bar.show(bar.done, of: total)
                }
            }
            do {
                try await sending.send(rest) { [self] photo, state in states.withLock { $0[photo] = state } }
            } catch {
                bar.withLock { $0.bar.finish() }
                throw error
            }
            for photo in rest {
                switch sending.outcome(of: photo) {
                case .stored: proofs[photo] = .stored
                case .refused(let reason): proofs[photo] = .refused(reason)
                case .busy, nil: continue
                }
                rest.remove(photo)
            }
        }
        bar.withLock { $0.bar.finish() }
        for photo in rest { proofs[photo] = .refused("the vault was busy with others") }
    }

    private func tell(_ photos: [Int]) async throws {
        let ids = states.withLock { states in photos.map { ($0, states[$0]?.id) } }
        let undated = Set(
            states.withLock { states in
                photos.filter { photo in
                    let source = states[photo]?.taken?.time?.source ?? .fileTime
                    return source == .fileTime && states[photo]?.name != scan.plan.photos[photo].name
                }
            })
        let words = ids.compactMap { photo, id -> (Int, ImportPayload.Words)? in
            var note = scan.plan.photos[photo].note
            // The vault has it under another name, which tells no day.
            if note.takenAt == nil, undated.contains(photo) {
                note.takenAt = CaptureTime(name: scan.plan.photos[photo].name)
            }
            guard let id, note.saysSomething else { return nil }
            return (
                photo,
                ImportPayload.Words(
                    id: id, taken: note.takenAt, place: note.place, corrections: note.corrections,
                    caption: note.caption,
                    isFavourite: note.isFavourite, isArchived: note.isArchived, albums: note.albums,
                    crop: note.crop, isUncertain: note.isUncertain)
            )
        }
        guard !words.isEmpty else { return }
        let answers = try await vault.tell(words.map(\.1))
        states.withLock { states in for (word, answer) in zip(words, answers) { states[word.0] = answer } }
    }

    // MARK: Reading back

    /// - Parameter photos: nil for whatever waits.
    private func waitForReading(of photos: [Int]?, _ label: String) async throws {
        var bar = ImportProgress(label, of: .photos)
        var (rest, most, lastNews) = (photos ?? [], 0, ContinuousClock.now)
        var lowest = Int.max
        while true {
            let waiting = try await vault.unreadCount()
            if waiting < lowest { (lowest, lastNews) = (waiting, .now) }
            most = max(most, waiting)
            if most > 0 { bar.show(UInt64(most - min(most, waiting)), of: UInt64(most)) }
            let hasStalled = ContinuousClock.now - lastNews > Self.patience
            // Others may bring photos all the while: then it is asked for these.
            if waiting == 0 || hasStalled || photos != nil { rest = try await unread(of: rest) }
            if waiting == 0 || hasStalled || (photos != nil && rest.isEmpty) { break }
            try await Task.sleep(for: .milliseconds(min(5000, 200 + rest.count)))
        }
        bar.finish()
    }

    /// Those that were not read back yet. What the vault has of all of them is known anew then.
    private func unread(of photos: [Int]) async throws -> [Int] {
        var rest: [Int] = []
        for part in photos.parts(of: Self.questionCount) {
            let asked = states.withLock { states in part.compactMap { photo in states[photo].map { (photo, $0.id) } } }
            for ((photo, _), state) in zip(asked, try await vault.states(of: asked.map(\.1))) {
                states.withLock { states in
                    var state = state
                    // Said in the answer to the words alone.
                    state?.ownTaken = states[photo]?.ownTaken
                    state?.hasOtherPlace = states[photo]?.hasOtherPlace
                    state?.unkept = states[photo]?.unkept
                    state?.unjoined = states[photo]?.unjoined
                    states[photo] = state
                }
                if let state, !state.isReadBack, !state.isDamaged { rest.append(photo) }
            }
        }
        return rest
    }

    /// - Parameter proof: what it is where the vault has it.
    private func compared(_ photo: Int, as proof: Proof) -> Proof {
        guard let state = states.withLock({ $0[photo] }), !state.isDeleted else { return .gone }
        if state.isDamaged { return .damaged }
        guard state.isReadBack, let digest = state.sha256 else { return .notReadBack }
        return digest == Hexadecimal.encode(self.digest(of: photo)) ? proof : .differs
    }
}

extension SidecarNote {
    fileprivate var saysSomething: Bool {
        takenAt != nil || place != nil || caption != nil || isFavourite || isArchived || !albums.isEmpty
            || crop != nil
    }
}

extension Array {
    fileprivate func parts(of count: Int) -> [[Element]] {
        stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
    }
}
