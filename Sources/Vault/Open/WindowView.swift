import Content
package import Records
package import Sealing
package import Store
import Synchronization

/// A window that somebody looks through: what its list says, and its keys in locked memory. It stands in an `OpenVault` of
/// its own, of which the library is filled from the list, and which has no rows: whatever shows photos of a vault shows
/// those of a window. Gone with the last who looks.
package final class WindowView: Sendable {
    private struct State {
        var notice: WindowNotice
        var photos: [UInt64: WindowList.Photo]
        /// Nil once it is over.
        var keys: SharedSecret?
        var isOver = false
        /// Its row was told anew since it was opened.
        var hasHeard = false

        mutating func end() {
            isOver = true
            (photos, keys) = ([:], nil)
        }
    }

    package let token: WindowToken
    private let listKey: SharedSecret
    private let state: Mutex<State>
    /// What changes the library does so one after the other.
    private let changing = Mutex(())

    private init(_ token: WindowToken, _ listKey: SharedSecret, _ state: State) {
        self.token = token
        self.listKey = listKey
        self.state = Mutex(state)
    }

    package var notice: WindowNotice { state.withLock(\.notice) }

    /// Blocking.
    /// - Throws: `damaged`.
    package static func open(
        _ token: WindowToken, _ notice: WindowNotice, listKey: SharedSecret, engine: UploadEngine
    ) throws -> OpenVault {
        let (photos, keys) = try read(notice.list, listKey, engine.store)
        let view = WindowView(
            token, listKey, State(notice: notice, photos: Self.bySerial(photos), keys: keys))
        let vault = try OpenVault(
            uid: try randomBytes(16), vaultKey: try SecretBytes(random: 32), engine: engine,
            head: VaultHead(createdDay: 0, slotSets: []), window: view)
        vault.settle(
            VaultDraft(head: VaultHead(createdDay: 0, slotSets: []), emptyNumbers: []), damage: nil, lostSerials: [],
            isReadOnly: true)
        try vault.library.fill(shown(photos, notice), [])
        return vault
    }

    // MARK: Reading

    /// Blocking.
    /// - Throws: `windowLooksOnly` where its list has no file keys, `noSuchPhoto`.
    func reader(of photo: LibraryPhoto, _ store: Store) throws -> ObjectReader {
        let (found, key) = try key(of: photo)
        guard found.previews == nil else { throw VaultError.windowLooksOnly }
        return try ObjectReader(record: found.record, fileKey: key.bytes, store: store)
    }

    /// - Throws: `noSuchPhoto`.
    func pictureKey(of photo: LibraryPhoto) throws -> PictureKey {
        let (found, key) = try key(of: photo)
        guard let previews = found.previews else { return try PictureKey(ofFile: key) }
        return PictureKey(key: key, ids: previews)
    }

    private func key(of photo: LibraryPhoto) throws -> (WindowList.Photo, SharedSecret) {
        try state.withLock { state in
            guard let keys = state.keys, let found = state.photos[photo.serial] else { throw VaultError.noSuchPhoto }
            return (found, try WindowList.key(at: found.keyOffset, in: keys))
        }
    }

    /// Asked for each piece of an original, since one may be on its way for hours.
    /// - Parameters:
    ///   - photo: as it was when somebody began to fetch it.
    ///   - isClean: places are left out.
    ///   - day: since 1970.
    /// - Throws: `sessionEnded`, `windowShut`, `windowOver`, `windowLooksOnly`, `noSuchPhoto`.
    package func requireGiven(_ photo: LibraryPhoto, isClean: Bool, on day: UInt32) throws(VaultError) {
        try state.withLock { state throws(VaultError) in
            guard !state.isOver else { throw .sessionEnded }
            let terms = state.notice.terms
            try terms.requireOpen(on: day)
            guard terms.hasOriginals, isClean || terms.showsPlaces else { throw .windowLooksOnly }
            // A list that was read meanwhile may still have what was taken away.
            guard let number = Int(exactly: photo.serial), number < WindowNotice.mostNumbers,
                !state.notice.isGone(number), let present = state.photos[photo.serial],
                present.record.object == photo.object
            else { throw .noSuchPhoto }
        }
    }

    private static func read(
        _ place: WindowListPlace, _ listKey: SharedSecret, _ store: Store
    ) throws -> (photos: [WindowList.Photo], keys: SharedSecret) {
        let record = PhotoRecord(
            serial: 0, object: place.object, byteCount: place.byteCount, runs: [place.run], name: "", type: "",
            receivedAt: 0)
        let reader = try ObjectReader(record: record, fileKey: listKey.bytes, store: store)
        guard place.byteCount <= place.run.plaintextByteCount, let count = Int(exactly: place.byteCount) else {
            throw VaultError.damaged
        }
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        defer {
            cleanse(room)
            room.deallocate()
        }
        for start in stride(from: 0, to: count, by: ObjectReader.mostBytesPerRead) {
            let end = min(start + ObjectReader.mostBytesPerRead, count)
            var piece = try reader.read(UInt64(start)..<UInt64(end))
            // Keys stand in it.
            piece.withUnsafeMutableReadableBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: room[start..<end]).copyMemory(
                    from: UnsafeRawBufferPointer(bytes))
                cleanse(bytes)
            }
        }
        try reader.verifyEnd()
        return try WindowList.open(room)
    }

    /// Whether a list opens and says what it is known to say. Blocking.
    package static func isSound(_ record: WindowRecord, _ secret: SharedSecret, _ store: Store) throws -> Bool {
        let listKey = SharedSecret(try WindowSecret.listKey(of: secret.bytes, generation: record.generation))
        do {
            return try read(record.list, listKey, store).photos.count <= record.serials.count
        } catch let error as StoreError where error.isOfDisk {
            throw error
        } catch {
            return false
        }
    }

    private static func bySerial(_ photos: [WindowList.Photo]) -> [UInt64: WindowList.Photo] {
        Dictionary(photos.map { ($0.record.serial, $0) }) { first, _ in first }
    }

    private static func shown(_ photos: [WindowList.Photo], _ notice: WindowNotice) -> [LibraryEntry] {
        photos.filter { $0.record.serial < WindowNotice.mostNumbers && !notice.isGone(Int($0.record.serial)) }
            .map { LibraryEntry(rowNumber: 0, record: $0.record) }
    }

    // MARK: Following

    /// Blocking, on any thread.
    fileprivate func takeAway(_ numbers: [Int], from vault: OpenVault) {
        changing.withLock { _ in
            state.withLock { state in
                for number in numbers { state.notice.takeAway(number) }
                for number in numbers { state.photos[UInt64(number)] = nil }
            }
            try? vault.library.apply(numbers.map { .remove(serial: UInt64($0)) })
        }
    }

    /// Blocking, though not for long. What changed while it was opened.
    package func follow(_ notice: WindowNotice, for vault: OpenVault) {
        state.withLock { if !$0.hasHeard { $0.notice = notice } }
        takeAway((0..<WindowNotice.mostNumbers).filter(notice.isGone), from: vault)
    }

    /// While it is shut it is over, and with another password the key of the list is another one: then all have to come
    /// anew, and no key is kept for them.
    /// - Returns: whether the list is another one, which has to be read.
    fileprivate func take(_ notice: WindowNotice) -> Bool {
        state.withLock { state in
            state.hasHeard = true
            if notice.terms.isShut || notice.lock != state.notice.lock { state.end() }
            defer { state.notice = notice }
            return !state.isOver && state.notice.list != notice.list
        }
    }

    /// Blocking.
    fileprivate func readAnew(for vault: OpenVault) {
        let notice = notice
        guard let (photos, keys) = try? Self.read(notice.list, listKey, vault.store) else {
            // A newer one may be there already, which another call reads.
            state.withLock { if $0.notice.list == notice.list { $0.end() } }
            return
        }
        changing.withLock { _ in
            let isNewest = state.withLock { state -> Bool in
                guard !state.isOver, state.notice.list == notice.list else { return false }
                (state.photos, state.keys) = (Self.bySerial(photos), keys)
                return true
            }
            guard isNewest else { return }
            // What was taken away meanwhile stands in it.
            let shown = Self.shown(photos, self.notice)
            let serials = Set(shown.map(\.record.serial))
            let gone = ((try? vault.library.allBlocking()) ?? []).map(\.serial).filter { !serials.contains($0) }
            try? vault.library.apply(gone.map { .remove(serial: $0) } + shown.map { .put($0) })
        }
    }

    fileprivate func end() { state.withLock { $0.end() } }

    /// Its visitors have to come anew: it was shut or closed, or its list does not open any more with what they had.
    package var isOver: Bool { state.withLock(\.isOver) }

    /// Whether it was opened with the key that lies in this lock; another password has another lock.
    package func isOpen(by lock: [UInt8]) -> Bool { state.withLock { !$0.isOver && $0.notice.lock == lock } }
}

/// Windows through which somebody looks at this moment.
package final class WindowHub: Sendable {
    private struct Looked {
        weak var vault: OpenVault?
    }

    private struct Day {
        let day: UInt32
        /// Fetched by visitors.
        var byteCount: UInt64 = 0
        /// Of browsers that were counted, the last one last.
        var visits: [[UInt8]] = []
    }

    private struct State {
        var vaults: [DoorID: Looked] = [:]
        var days: [DoorID: Day] = [:]
        var whenOver: @Sendable (DoorID) -> Void = { _ in }

        /// Nothing is kept of days before.
        mutating func changeDay<R, E: Error>(
            _ today: UInt32, of window: DoorID, _ body: (inout Day) throws(E) -> R
        ) throws(E) -> R {
            days = days.filter { $0.value.day == today }
            return try body(&days[window, default: Day(day: today)])
        }
    }

    /// Visits of a window that are remembered: so many answers may be on their way at once.
    private static let mostVisits = 64

    private let bytesPerDay: UInt64
    private let state = Mutex(State())

    /// - Parameter bytesPerDay: what the visitors of one window may fetch in a day
    init(bytesPerDay: UInt64) { self.bytesPerDay = bytesPerDay }

    /// - Parameter body: called when nobody may look any more; it must not wait.
    package func whenOver(_ body: @escaping @Sendable (DoorID) -> Void) { state.withLock { $0.whenOver = body } }

    package func vault(of window: DoorID) -> OpenVault? { state.withLock { $0.vaults[window]?.vault } }

    /// Whoever looks by what it was opened with has to come anew.
    package func forget(_ window: DoorID) {
        let (vault, whenOver) = state.withLock { ($0.vaults.removeValue(forKey: window)?.vault, $0.whenOver) }
        guard let vault else { return }
        vault.window?.end()
        whenOver(window)
    }

    package func remember(_ vault: OpenVault) {
        guard let window = vault.window else { return }
        state.withLock { state in
            state.vaults = state.vaults.filter { $0.value.vault != nil }
            state.vaults[window.token.id] = Looked(vault: vault)
        }
    }

    /// So many bytes are being sent.
    /// - Throws: `tooManyAttempts` when as many were fetched today as may be.
    package func take(_ byteCount: UInt64, from window: DoorID, on today: UInt32) throws(VaultError) {
        try state.withLock { state throws(VaultError) in
            try state.changeDay(today, of: window) { day throws(VaultError) in
                guard day.byteCount < bytesPerDay else {
                    throw .tooManyAttempts(retryAfter: .seconds(3600), of: .shown)
                }
                day.byteCount = clampedSum(day.byteCount, byteCount)
            }
        }
    }

    /// A browser that calls its visit so was counted: where the answer is lost, it comes again by that word.
    package func note(_ visit: [UInt8], at window: DoorID, on today: UInt32) {
        state.withLock {
            $0.changeDay(today, of: window) { $0.visits = $0.visits.suffix(Self.mostVisits - 1) + [visit] }
        }
    }

    package func isCounted(_ visit: [UInt8], at window: DoorID, on today: UInt32) -> Bool {
        state.withLock { state in
            state.days[window].map { $0.day == today && $0.visits.contains(visit) } ?? false
        }
    }

    /// On the ledger's writer thread, behind the commit that it is of: what is gone is gone before that is answered.
    func tell(_ news: [WindowNews], _ threads: SealingThreads) {
        for one in news {
            switch one {
            case .takenAway(let id, let numbers):
                if let vault = vault(of: id) { vault.window?.takeAway(numbers, from: vault) }
            case .changed(let id, let notice):
                guard let vault = vault(of: id), let window = vault.window else { continue }
                let isToBeRead = window.take(notice)
                let whenOver = state.withLock(\.whenOver)
                if window.isOver { whenOver(id) }
                guard isToBeRead else { continue }
                _ = threads.start { [weak vault] in
                    guard let vault else { return }
                    window.readAnew(for: vault)
                    if window.isOver { whenOver(id) }
                }
            case .closed(let id):
                vault(of: id)?.window?.end()
                state.withLock(\.whenOver)(id)
            }
        }
    }
}
