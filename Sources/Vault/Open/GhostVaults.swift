import Content
import Glibc
import Records
import Sealing
import Store
import Synchronization

/// Cover: vaults of the daemon's own, with keys that are in memory alone. They are built as real vaults are, change with
/// the commits of real ones, receive and lose objects, and are forgotten when the daemon ends. So rows that change
/// together are of several vaults, and rows and objects that no password explains are in every store, whether or not it
/// has a vault that somebody keeps to himself.
///
/// All of them come with the first change of a vault, for more activity must not bring more of them; so a daemon that
/// nobody uses changes nothing, unless they may come by themselves. They add no sync to anybody's commit: beside real changes they only change rows, and objects of theirs are
/// written while nobody uploads.
package final class GhostVaults: Sendable {
    private struct Object {
        let id: ObjectID
        let rowNumber: UInt64
        let byteCount: UInt64
    }

    private struct Ghost {
        let vault: OpenVault
        var objects: [Object] = []
    }

    private struct State {
        var ghosts: [Ghost] = []
        /// How many there are to be in this run.
        let count: Int
        /// Whether their first rows are in the ledger, or in the group of changes that is being written.
        var areBorn = false
        /// Of the bytes that really come, how many more ghosts receive.
        let share: Double
        /// Of the photos that really come, beside how many a ghost has one row more.
        let rowShare: Double
        /// Of real objects that came lately.
        var sizes: [UInt64] = []
        /// Bytes that they receive for each day, however little really comes.
        let daily: Double
        /// The last day for which they are owed that.
        var paidDay: UInt32
        /// Bytes that ghosts still are to receive.
        var owed: Double = 0
        /// Whether the next object comes in any case.
        var mustReceive = false
        /// What takes the place of `share` for the first object of a new store, which is never alone; nil behind it.
        var firstShare: Double?
        var heldByteCount: UInt64 = 0
        var task: Task<Void, Never>?
        /// Comes by itself now and then; nil where that is not wanted.
        var visits: Task<Void, Never>?
        var isEnded = false

        /// Any of them, until no more is left than that.
        mutating func takeObjects(leaving byteCount: UInt64) -> [(OpenVault, [Object])] {
            var taken: [Int: [Object]] = [:]
            var places = ghosts.indices.flatMap { ghost in ghosts[ghost].objects.indices.map { (ghost, $0) } }
                .shuffled()
            while heldByteCount > byteCount, let (ghost, place) = places.popLast() {
                let object = ghosts[ghost].objects[place]
                taken[ghost, default: []].append(object)
                heldByteCount -= min(heldByteCount, object.byteCount)
            }
            for (ghost, objects) in taken {
                ghosts[ghost].objects.removeAll { object in objects.contains { $0.id == object.id } }
            }
            return taken.map { (ghosts[$0.key].vault, $0.value) }
        }
    }

    /// Of how many of the last objects the sizes are known.
    private static let mostSizes = 64
    /// What is written at once when the last vault is locked, so that short visits have cover, too.
    private static let mostAtRest: (count: Int, byteCount: UInt64) = (32, 32 << 20)
    /// After which all that they may hold is the most that is left, half of it on average.
    private static let daysOfHalfAYear = 182.0
    /// Rows beside those of every vault, as a power of two.
    private static let mostRowsAtBirth = 5.0
    /// So many of these at a time, for commits of one moment share a sync.
    private static let atOnceAtRest = 8

    private let engine: UploadEngine
    /// What they may hold at a time. 0: they have rows only.
    private let byteLimit: UInt64
    private let isNewStore: Bool
    private let firstDay: UInt32
    private let state: Mutex<State>

    /// - Parameters:
    ///   - byteLimit: bytes of objects that they may hold at a time.
    ///   - isNewStore: the first photo of a new store is never alone.
    package init(engine: UploadEngine, byteLimit: UInt64, isNewStore: Bool) {
        self.engine = engine
        self.byteLimit = byteLimit
        self.isNewStore = isNewStore
        firstDay = engine.store.today
        // Wide, and another one for each run: what many stores have in common could be taken off. Each share is as likely
        // as any other, for a hidden vault shifts the sum, and shows least where no part of the range is crowded.
        state = Mutex(
            State(
                count: .random(in: 2...16), share: .random(in: 0...2), rowShare: .random(in: 0...1),
                daily: Self.drawByteCountOfDay(byteLimit),
                paidDay: firstDay - min(firstDay, 1),
                firstShare: isNewStore ? pow(2, .random(in: 0.5...3)) : nil))
    }

    private var store: Store { engine.store }

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
            let byteCount = state.withLock { Self.likeIt($0.sizes.randomElement() ?? Self.sizeOfSomePhoto()) }
            try await receive(byteCount, in: vault)
            left.count -= 1
            left.byteCount -= Double(byteCount)
        } while left.count > 0 && left.byteCount > 0
    }

    /// On average what a day may leave.
    private static func drawByteCountOfDay(_ byteLimit: UInt64) -> Double {
        Double(byteLimit) / daysOfHalfAYear * .random(in: 0...2)
    }

    /// Bytes, as phones make them.
    private static func sizeOfSomePhoto() -> UInt64 { UInt64(pow(2, .random(in: 20.5...22.5))) }

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
            let arrived = real.compactMap { $0.object?.staged.byteCount }
            note(arrived)
            // One is enough: others stand beside the next change of the same vault.
            if let touched = try? touch(hasObject: !arrived.isEmpty) { joining.append(touched) }
        }
        return joining
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

    /// A change of a row of one ghost: another body, and sometimes one row more, as photos bring with them.
    private func touch(hasObject: Bool) throws -> LedgerChange? {
        guard let vault = try allVaults().randomElement() else { return nil }
        let adds = hasObject && Double.random(in: 0..<1) < state.withLock(\.rowShare)
        return try vault.ledgerChange(nil, mayUseReserve: false) { change in
            try Self.giveBirth(&change)
            let number = adds ? change.takeNumber() : UInt64.random(in: 0..<change.draft.head.rowCount)
            try change.put(RowPiece(kind: .continuation), at: number)
        }
    }

    /// None once it has ended.
    private func allVaults() throws -> [OpenVault] {
        try state.withLock { state in
            guard !state.isEnded else { return [] }
            while state.ghosts.count < state.count {
                let vault = try OpenVault(
                    uid: try randomBytes(16), vaultKey: try SecretBytes(random: 32), engine: engine,
                    head: VaultHead(createdDay: UInt64(store.today), slotSets: []), isGhost: true)
                state.ghosts.append(Ghost(vault: vault))
            }
            return state.ghosts.map(\.vault)
        }
    }

    private static func giveBirth(_ change: inout VaultChange) throws {
        guard change.draft.head.rowCount == 0 else { return }
        try change.makeRowsAtBirth()
        // As many as if some photos had been there and gone: those of a small vault are among their number.
        for _ in 1..<Int(pow(2, Double.random(in: 0..<mostRowsAtBirth))) {
            try change.makeEmpty(change.takeNewNumber())
        }
    }

    // MARK: Objects

    private func note(_ arrived: [UInt64]) {
        guard !arrived.isEmpty, byteLimit > 0 else { return }
        let today = store.today
        state.withLock { state in
            state.sizes = (state.sizes + arrived).suffix(Self.mostSizes)
            state.owed += Double(arrived.reduce(0, +)) * (state.firstShare ?? state.share)
            state.owed += Double(max(today, state.paidDay) - state.paidDay) * state.daily
            state.paidDay = max(today, state.paidDay)
            if state.firstShare != nil { state.mustReceive = true }
            state.firstShare = nil
            // More than they may hold is nothing to catch up with.
            state.owed = min(state.owed, Double(byteLimit))
            guard state.task == nil, !state.isEnded else { return }
            // Under the lock: one that has nothing to do must not end before it is known.
            state.task = Task(priority: .background) { [weak self] in await self?.receiveWhatIsOwed() ?? () }
        }
    }

    private func receiveWhatIsOwed() async {
        var pacing = RereadPacing(engine.limits)
        while let byteCount = nextByteCount() {
            do {
                try await engine.waitForTurn(&pacing)
                try await receive(byteCount)
            } catch {
                // Where the round was cut off it is still owed. A full or failing disk ends it: cover is nothing that
                // anybody waits for.
                let isOwed = Task.isCancelled
                state.withLock { state in
                    state.owed = isOwed ? state.owed + Double(byteCount) : 0
                    state.mustReceive = isOwed
                }
            }
        }
    }

    /// When the last vault is locked: receives a little of what is still owed, and does nothing until the next change of a
    /// vault.
    package func rest() async {
        await pause()
        var left = Self.mostAtRest
        while left.count > 0 {
            var byteCounts: [UInt64] = []
            while byteCounts.count < min(left.count, Self.atOnceAtRest),
                let byteCount = nextByteCount(atMost: left.byteCount)
            {
                byteCounts.append(byteCount)
                left.byteCount -= byteCount
            }
            guard !byteCounts.isEmpty else { return }
            left.count -= byteCounts.count
            let areReceived = await withTaskGroup(of: Bool.self) { group in
                for byteCount in byteCounts {
                    group.addTask { (try? await self.receive(byteCount)) != nil }
                }
                return await group.allSatisfy { $0 }
            }
            guard areReceived else { return }
        }
    }

    private func pause() async {
        let task = state.withLock { state in
            defer { state.task = nil }
            return state.task
        }
        task?.cancel()
        await task?.value
    }

    /// The size of the next object, like those that came lately and like none of them; nil, and the task is over, when
    /// none is owed.
    private func nextByteCount(atMost most: UInt64 = .max) -> UInt64? {
        state.withLock { state in
            guard !state.isEnded, !Task.isCancelled, let size = state.sizes.randomElement() else {
                state.task = nil
                return nil
            }
            let byteCount = Self.likeIt(size)
            guard byteCount <= most else { return nil }
            // What is left is owed by chance, else small files would never have one beside them.
            guard
                state.mustReceive || state.owed >= Double(byteCount)
                    || Double.random(in: 0..<1) < state.owed / Double(byteCount)
            else {
                state.owed = 0
                state.task = nil
                return nil
            }
            state.owed -= min(state.owed, Double(byteCount))
            state.mustReceive = false
            return byteCount
        }
    }

    /// Bytes of an object of about that size, and of none like another.
    private static func likeIt(_ size: UInt64) -> UInt64 {
        ObjectSize.ofOneRun(content: UInt64(Double(size) * pow(2, .random(in: -0.5...0.5))))
    }

    private func receive(_ byteCount: UInt64) async throws {
        guard let vault = try allVaults().randomElement() else { return }
        try await receive(byteCount, in: vault)
    }

    private func receive(_ byteCount: UInt64, in vault: OpenVault) async throws {
        guard byteCount <= byteLimit else { return }
        try await keepOnly(byteLimit - byteCount)
        let staged = try await engine.threads.runIdly { [engine, byteLimit] in
            let look = try engine.lookAtDisk()
            // The room on a disk that fills up is for photos.
            guard look.roomByteCount / 4 > byteLimit else {
                throw VaultError.diskFull
            }
            return try Self.write(byteCount, to: engine.store)
        }
        let object = try await vault.change(object: ArrivingObject(staged)) { change -> Object in
            guard let id = change.object else { throw VaultError.internalFailure("a ghost's object without an id") }
            try Self.giveBirth(&change)
            try change.transaction.addObject(id)
            let number = change.takeNumber()
            try change.put(RowPiece(kind: .continuation), at: number)
            return Object(id: id, rowNumber: number, byteCount: byteCount)
        }
        state.withLock { state in
            state.heldByteCount += byteCount
            guard let index = state.ghosts.firstIndex(where: { $0.vault === vault }) else { return }
            state.ghosts[index].objects.append(object)
        }
    }

    /// What a sealed photo looks like to whoever has not its key. Blocking.
    private static func write(_ byteCount: UInt64, to store: Store) throws -> StagedObject {
        let staged = try store.objects.stage()
        var left = Int(clamping: byteCount)
        var piece = PhotoRecord.preamble
        while left > 0 {
            piece += try randomBytes(min(left, 1 << 20) - piece.count)
            try piece.withUnsafeBytes { try staged.write($0) }
            left -= piece.count
            piece = []
        }
        try staged.synchronize()
        return staged
    }

    /// Objects go, as when somebody deletes photos for good, until no more is left than that.
    private func keepOnly(_ byteCount: UInt64) async throws {
        let lost = state.withLock { $0.takeObjects(leaving: byteCount) }
        guard !lost.isEmpty else { return }
        for (vault, objects) in lost {
            try await vault.change(mayUseReserve: true) { change in
                for object in objects {
                    try change.transaction.doomObject(object.id)
                    try change.makeEmpty(object.rowNumber)
                }
            }
        }
        try await engine.threads.runIdly { [store] in _ = try store.reapDoomed() }
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
        try? await keepOnly(drawLeftByteCount())
        let ghosts = state.withLock { state in
            defer { state.ghosts = [] }
            return state.ghosts
        }
        for ghost in ghosts where ghost.objects.isEmpty && Int.random(in: 0..<4) > 0 {
            try? await engine.threads.runIdly { try ghost.vault.eraseBlocking() }
        }
    }

    /// How much of what they hold is left at the end of a run. Another amount each time, for one that is always alike could
    /// be taken off; and each as likely as any other, for what a hidden vault brings shifts it. A new store is to have some
    /// from the beginning. Afterwards a year leaves as much as ghosts may hold at a time, however often the daemon is
    /// stopped in it: somebody who looks twice sees what weeks have left, or what a hidden vault brought in them.
    private func drawLeftByteCount() -> UInt64 {
        let days = max(1, Int(store.today) - Int(firstDay))
        let most = isNewStore ? 1 : min(1, Double(days) / Self.daysOfHalfAYear)
        return UInt64(Double(byteLimit) * .random(in: 0...most))
    }
}
