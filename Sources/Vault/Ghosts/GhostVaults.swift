import Content
import Glibc
import Records
import Sealing
import Store
import Synchronization
import Threads

/// Cover: vaults of the daemon's own, with keys that are in memory and with devices alone. They are built as real vaults
/// are, change with the commits of real ones, receive and lose photos with all that photos leave, and are forgotten when
/// the daemon ends. So rows that change together are of several vaults, and rows, objects, previews and unfinished uploads
/// that no password explains are in every store, whether or not it has a vault that somebody keeps to himself. Some go on
/// in a later run, once a device brings their keys back (`GhostVaults+devices.swift`).
///
/// All of them come with the first change of a vault, for more activity must not bring more of them; so a daemon that
/// nobody uses changes nothing, unless they may come by themselves. They add no sync to anybody's commit: beside real
/// changes they only change rows, and objects of theirs are written while nobody uploads.
package final class GhostVaults: Sendable {
    struct Ghost {
        let vault: OpenVault
        /// Of this run.
        var objects: [GhostObject] = []
        /// Of runs before.
        var oldObjects: [GhostObject] = []
        /// Whether it was there before this run.
        var isOld = false
        /// Nil where its key is in memory alone.
        var key: GhostDevices.Key?
        /// Whether its photos come with a thumbnail, as from a page.
        let sendsThumbnails = Bool.random()
    }

    struct State {
        var ghosts: [Ghost] = []
        /// How many are to be made in this run.
        let count: Int
        var areMade = false
        var devices = GhostDevices()
        /// Whether their first rows are in the ledger, or in the group of changes that is being written.
        var areBorn = false
        /// Of the photos that really come, how many more ghosts receive.
        let share: Double
        /// Of the photos that really come, beside how many a ghost has one row more.
        let rowShare: Double
        /// Of the photos that ghosts receive, how many stop half-way.
        let uploadShare: Double
        /// Photos that they receive for each day, however little really comes.
        let daily: Double
        /// The last day for which they are owed that.
        var paidDay: UInt32
        /// Photos that ghosts still are to receive.
        var owed: Double = 0
        /// Lists of windows that they still are to receive: files without pictures, and smaller than most photos.
        var owedLists: Double = 0
        /// What of these they receive for each day.
        let dailyLists: Double
        /// Whether the next object comes in any case.
        var mustReceive = false
        /// What they receive with the first photo of a new store, which is never alone; nil behind it.
        var firstCount: (photos: Double, lists: Double)?
        /// In objects of this run.
        var heldByteCount: UInt64 = 0
        /// Of this run.
        var uploads: [GhostUpload] = []
        var uploadByteCount: UInt64 { uploads.reduce(0) { $0 + $1.byteCount } }
        var task: Task<Void, Never>?
        /// Comes by itself now and then; nil where that is not wanted.
        var visits: Task<Void, Never>?
        var isEnded = false

        /// Objects of this run.
        var heldCount: Int { ghosts.reduce(0) { $0 + $1.objects.count } }

        /// Any of this run, until no more is left than that.
        mutating func takeObjects(
            leaving byteCount: UInt64, count: Int, atLeast fewest: Int
        ) -> [(OpenVault, [GhostObject])] {
            var (held, left) = (heldByteCount, heldCount)
            defer { heldByteCount = held }
            return take(\.objects) { object in
                guard left > fewest, held > byteCount || left > count else { return false }
                held -= min(held, object.byteCount)
                left -= 1
                return true
            }
        }

        /// Objects in any order, as long as `isWanted`, by the ghost that has them.
        mutating func take(
            _ objects: WritableKeyPath<Ghost, [GhostObject]>, while isWanted: (GhostObject) -> Bool
        ) -> [(OpenVault, [GhostObject])] {
            var taken: [Int: [GhostObject]] = [:]
            var places: [(ghost: Int, object: GhostObject)] = []
            for ghost in ghosts.indices { places += ghosts[ghost][keyPath: objects].map { (ghost, $0) } }
            places.shuffle()
            while let (ghost, object) = places.popLast(), isWanted(object) {
                taken[ghost, default: []].append(object)
            }
            for (ghost, gone) in taken {
                ghosts[ghost][keyPath: objects].removeAll { object in gone.contains { $0.id == object.id } }
            }
            return taken.map { (ghosts[$0.key].vault, $0.value) }
        }

        /// Those that go at the end of the run: most of this run, and now and then one of before, for a row that is gone is
        /// to say no more than one that has changed. Who has objects stays, and the last one of each device: numbers go
        /// on from there, so that no key is used again.
        func drawForErasing() -> [OpenVault] {
            var last: [Int: Int] = [:]
            for ghost in ghosts where ghost.vault.head.rowCount > 0 {
                if let key = ghost.key { last[key.seed] = max(last[key.seed] ?? 0, key.number) }
            }
            return ghosts.filter { ghost in
                guard ghost.objects.isEmpty, ghost.oldObjects.isEmpty else { return false }
                if let key = ghost.key, last[key.seed] == key.number { return false }
                return ghost.isOld ? Int.random(in: 0..<16) == 0 : Int.random(in: 0..<4) > 0
            }.map(\.vault)
        }

        mutating func forget() { (ghosts, devices) = ([], GhostDevices()) }
    }

    /// In which they receive all that they may hold by the days alone.
    private static let daysOfHalfAYear = 182.0
    /// Of a run that leaves all that they may hold, if it leaves the most.
    private static let daysOfMost = 102.0
    /// Rows beside those of every vault, as a power of two.
    private static let mostRowsAtBirth = 5.0
    /// Rows to which a ghost grows beside what comes: as many as a vault has of some thousand photos.
    private static let mostRows: UInt64 = 4096
    /// Lists of windows that come with the first photo of a new store, and with each day: any number is as likely as any
    /// other, and some more would not show.
    private static let (mostListsAtFirst, mostListsOfDay) = (48.0, 1.5)
    /// Rows that come to a ghost beside one change.
    private static let mostRowsOfChange = 32
    /// Objects that they may hold in any case, and the size that is counted for each further one: smaller than most photos.
    private static let (fewestObjects, countedByteCount): (Int, UInt64) = (64, 256 << 10)

    let engine: UploadEngine
    /// Gives the bytes of a cookie that no device has yet.
    let drawCookie: @Sendable () throws -> [UInt8]
    /// What they may hold at a time. 0: they have rows only.
    let byteLimit: UInt64
    /// How many objects that may be: of many small photos cover would else have as many files.
    let objectLimit: Int
    /// Bytes that a photo of theirs takes on average.
    let typicalByteCount: Double
    private let isNewStore: Bool
    private let firstDay: UInt32
    let state: Mutex<State>
    /// Held while objects come, and while they give way to photos: one on its way takes room, and cannot be given up yet.
    let receiving = AsyncLock()

    /// - Parameters:
    ///   - byteLimit: bytes of objects that they may hold at a time.
    ///   - isNewStore: the first photo of a new store is never alone.
    ///   - drawCookie: gives the 32 bytes of a cookie that no device has yet.
    package init(
        engine: UploadEngine, byteLimit: UInt64, isNewStore: Bool, drawCookie: @escaping @Sendable () throws -> [UInt8]
    ) {
        self.engine = engine
        self.drawCookie = drawCookie
        self.byteLimit = byteLimit
        objectLimit = max(Self.fewestObjects, Int(clamping: byteLimit / Self.countedByteCount))
        self.isNewStore = isNewStore
        firstDay = engine.store.today
        // Wide, and another one for each run: what many stores have in common could be taken off. Each share is as likely
        // as any other, for a hidden vault shifts the sum, and shows least where no part of the range is crowded.
        typicalByteCount = min(PhoneFile.typicalByteCount, Double(byteLimit) / 32)
        state = Mutex(
            State(
                count: .random(in: 2...16), share: .random(in: 0...2), rowShare: .random(in: 0...1),
                uploadShare: .random(in: 0...0.5),
                daily: byteLimit > 0 ? Self.drawByteCountOfDay(byteLimit) / typicalByteCount : 0,
                paidDay: firstDay - min(firstDay, 1),
                dailyLists: byteLimit > 0 ? .random(in: 0...Self.mostListsOfDay) : 0,
                firstCount: isNewStore ? (pow(2, .random(in: 1...6)), .random(in: 0..<Self.mostListsAtFirst)) : nil))
    }

    var store: Store { engine.store }
    /// Of what they may hold, the most that one photo takes.
    var mostOfOnePhoto: UInt64 { byteLimit / 16 }

    /// From now on ghosts take part in what is committed.
    package func start() {
        store.ledger.setCover { [weak self] group in self?.cover(group) ?? [] }
    }

    // MARK: By themselves

    /// From now on they also come when nobody is there, as somebody comes who brings a few photos: files keep the times at
    /// which they were made, and days on which only files came that no password explains would tell of a hidden vault.
    /// - Parameter onLeave: what follows when somebody has locked a vault.
    package func startVisits(onLeave: @escaping @Sendable () async -> Void) {
        guard byteLimit > 0 else { return }
        let visits = Task(priority: .background) { [weak self] in
            while true {
                let now = Int64(Milliseconds.now)
                // On a clock that stands still while the host sleeps nobody would come for weeks.
                let wait = Duration.milliseconds(VisitingHours.next(after: now) - now)
                guard (try? await Task.sleep(for: wait, clock: .continuous)) != nil, let self else { return }
                // A full or failing disk ends it: cover is nothing that anybody waits for.
                try? await self.visit()
                await onLeave()
            }
        }
        state.withLock { state in
            state.visits = visits
            if state.isEnded { visits.cancel() }
        }
    }

    /// Somebody comes and brings a few: one in any case, and no more than a day is to leave, twice that at most.
    package func visit() async throws {
        var left = (count: Int(pow(2, Double.random(in: 0..<5))), byteCount: Self.drawByteCountOfDay(byteLimit))
        repeat {
            guard let vault = try allVaults().randomElement() else { return }
            guard let file = PhoneFile.draw(atMost: mostOfOnePhoto) else { return }
            try await receive(file, in: vault)
            left.count -= 1
            left.byteCount -= Double(file.byteCount)
        } while left.count > 0 && left.byteCount > 0
    }

    /// On average what a day may leave.
    private static func drawByteCountOfDay(_ byteLimit: UInt64) -> Double {
        Double(byteLimit) / daysOfHalfAYear * .random(in: 0...2)
    }

    // MARK: Beside real changes

    /// On the ledger's writer thread: what joins a group of changes. What fails is left out: nobody waits for cover.
    private func cover(_ group: [LedgerChange]) -> [LedgerChange] {
        let isOfGhosts = group.contains { $0.participants.contains { ($0 as? OpenVault)?.isGhost ?? false } }
        let real = group.filter { change in
            change.participants.contains { ($0 as? OpenVault).map { !$0.isGuest && !$0.isGhost } ?? false }
        }
        guard isOfGhosts || !real.isEmpty else { return [] }
        var joining = (try? births()) ?? []
        if !real.isEmpty {
            let arrived = real.compactMap(\.object)
            note(arrived.count { !$0.isList })
            // One is enough: others stand beside the next change of the same vault.
            let rowCount = (arrived.isEmpty ? 0 : 1) + takeGrownRows()
            if let touched = try? touch(beside: rowCount) { joining.append(touched) }
        }
        return joining
    }

    /// Some of the rows by which vaults grew without a photo; others come with the next changes.
    private func takeGrownRows() -> Int {
        let all = engine.grownRows.exchange(0, ordering: .relaxed)
        let taken = min(all, Self.mostRowsOfChange)
        engine.grownRows.add(all - taken, ordering: .relaxed)
        return taken
    }

    /// The first rows of all of them, once in a run.
    private func births() throws -> [LedgerChange] {
        guard !state.withLock(\.areBorn) else { return [] }
        let vaults = try allVaults()
        state.withLock { $0.areBorn = true }
        return vaults.compactMap { vault in
            try? vault.ledgerChange(nil, mayUseReserve: false) { try Self.giveBirth(&$0) }
        }
    }

    /// A change of a row of one ghost: another body, and sometimes some rows more, as photos bring them, and what is said of
    /// photos.
    /// - Parameter rowCount: as many as may come.
    private func touch(beside rowCount: Int) throws -> LedgerChange? {
        guard let vault = try allVaults().randomElement() else { return nil }
        let room = Int(clamping: Self.mostRows - min(Self.mostRows, vault.head.rowCount))
        let share = state.withLock(\.rowShare)
        let added = (0..<min(room, rowCount)).count { _ in Double.random(in: 0..<1) < share }
        return try vault.ledgerChange(nil, mayUseReserve: false) { change in
            try Self.giveBirth(&change)
            for _ in 0..<added {
                // Not all of them where an empty one was: rows of one run have to change in later ones, too.
                let number = Bool.random() ? change.takeNumber() : change.takeNewNumber()
                try change.put(RowPiece(kind: .continuation), at: number)
            }
            // It says what it said, for it may name an object.
            if added == 0 { try change.stir(1) }
        }
    }

    /// None once it has ended.
    func allVaults() throws -> [OpenVault] {
        try state.withLock { state in
            guard !state.isEnded else { return [] }
            if !state.areMade {
                for _ in 0..<state.count {
                    let key = try state.devices.nextKey(drawCookie)
                    let secret = try key.map { try state.devices.secret(of: $0) } ?? SecretBytes(random: 32)
                    state.ghosts.append(Ghost(vault: try makeVault(secret), key: key))
                }
                state.areMade = true
            }
            return state.ghosts.map(\.vault)
        }
    }

    func makeVault(_ key: consuming SecretBytes) throws -> OpenVault {
        try OpenVault(
            uid: try randomBytes(16), vaultKey: key, engine: engine,
            head: VaultHead(createdDay: UInt64(store.today), slotSets: []), isGhost: true)
    }

    static func giveBirth(_ change: inout VaultChange) throws {
        guard change.draft.head.rowCount == 0 else { return }
        try change.makeRowsAtBirth()
        // As many as if some photos had been there and gone: those of a small vault are among their number.
        for _ in 1..<Int(pow(2, Double.random(in: 0..<mostRowsAtBirth))) {
            try change.makeEmpty(change.takeNewNumber())
        }
    }

    // MARK: The end

    /// Before a clean stop: ghosts delete most of what they had, most of them are erased, and all are forgotten. What is
    /// left is what a vault leaves whose password nobody knows any more. What fails is left, too.
    package func end() async {
        // Who stops the host right after the first photo must not leave it alone there.
        await rest()
        let visits = state.withLock { state in
            state.isEnded = true
            return state.visits
        }
        visits?.cancel()
        await visits?.value
        await pause()
        store.ledger.setCover(nil)
        let left = drawLeftByteCount()
        let gone = (try? await replaceOldObjects(upTo: UInt64(Double(left) * .random(in: 0...1)))) ?? 0
        try? await keepOnly(left + gone, atLeast: isNewStore ? 1 : 0)
        try? await keepUploads(drawLeftUploadCount())
        let ghosts = state.withLock { state in
            defer { state.forget() }
            return state.drawForErasing()
        }
        for ghost in ghosts {
            try? await engine.threads.runIdly { try ghost.eraseBlocking() }
        }
    }

    /// How many unfinished uploads are left, which go seven days later: about as many at any time, however often the daemon
    /// is stopped.
    private func drawLeftUploadCount() -> Int {
        if isNewStore { return .random(in: 0...10) }
        return Int.random(in: 0..<4) < daysOfRun ? .random(in: 1...6) : 0
    }

    private var daysOfRun: Int { max(1, Int(store.today) - Int(firstDay)) }

    /// How much of what they hold is left at the end of a run. Another amount each time, for one that is always alike could
    /// be taken off. A new store is to have some from the beginning, each amount as likely as any other. Afterwards a year
    /// leaves about as much as ghosts may hold at a time, however often the daemon is stopped in it: somebody who looks
    /// twice sees what weeks have left, or what a hidden vault brought in them. Mostly little and sometimes much: so the
    /// sum of many runs is no amount that anybody could expect.
    private func drawLeftByteCount() -> UInt64 {
        if isNewStore { return UInt64(Double(byteLimit) * .random(in: 0...1)) }
        let most = min(1, Double(daysOfRun) / Self.daysOfMost)
        return UInt64(Double(byteLimit) * most * pow(2, .random(in: -5...0)))
    }
}
