import Content
import Glibc
import Records
import Sealing
import Store

/// Objects that ghosts receive and lose: random bytes, of sizes like those that really come.
extension GhostVaults {
    /// Of how many of the last objects the sizes are known.
    private static let mostSizes = 64
    /// What is written at once when the last vault is locked, so that short visits have cover, too.
    private static let mostAtRest: (count: Int, byteCount: UInt64) = (32, 32 << 20)
    /// So many of these at a time, for commits of one moment share a sync.
    private static let atOnceAtRest = 8

    func note(_ arrived: [UInt64]) {
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
                await receiving.acquire()
                defer { receiving.release() }
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
            await receiving.acquire()
            let areReceived = await withTaskGroup(of: Bool.self) { group in
                for byteCount in byteCounts {
                    group.addTask { (try? await self.receive(byteCount)) != nil }
                }
                return await group.allSatisfy { $0 }
            }
            receiving.release()
            guard areReceived else { return }
        }
    }

    func pause() async {
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
    static func likeIt(_ size: UInt64) -> UInt64 {
        ObjectSize.ofOneRun(content: UInt64(Double(size) * pow(2, .random(in: -0.5...0.5))))
    }

    func receive(_ byteCount: UInt64) async throws {
        guard let vault = try allVaults().randomElement() else { return }
        try await receive(byteCount, in: vault)
    }

    func receive(_ byteCount: UInt64, in vault: OpenVault) async throws {
        guard byteCount <= byteLimit else { return }
        try await keepOnly(byteLimit - byteCount, count: objectLimit - 1)
        // The room on a disk that fills up is for photos: of what is free they hold a quarter at most.
        let share = try await engine.threads.runIdly { [engine] in try engine.lookAtDisk().roomByteCount / 4 }
        guard share > byteLimit else {
            try await keepOnly(share)
            throw VaultError.diskFull
        }
        let staged = try await engine.threads.runIdly { [engine] in try Self.write(byteCount, to: engine.store) }
        let object = try await vault.change(object: ArrivingObject(staged)) { change -> GhostObject in
            guard let id = change.object else { throw VaultError.internalFailure("a ghost's object without an id") }
            try Self.giveBirth(&change)
            try change.transaction.addObject(id)
            let object = GhostObject(id: id, rowNumber: change.takeNumber(), byteCount: byteCount)
            try change.put(object.piece, at: object.rowNumber)
            return object
        }
        state.withLock { state in
            state.heldByteCount += byteCount
            guard let index = state.ghosts.firstIndex(where: { $0.vault === vault }) else { return }
            state.ghosts[index].objects.append(object)
        }
        // A host that is never stopped cleanly loses some of those that runs before have left here.
        guard Int.random(in: 0..<8) == 0 else { return }
        let gone = try await replaceOldObjects(upTo: 2 * byteCount)
        state.withLock { $0.owed = min($0.owed + Double(gone), Double(byteLimit)) }
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
    func keepOnly(_ byteCount: UInt64, count: Int = .max) async throws {
        try await remove(state.withLock { $0.takeObjects(leaving: byteCount, count: count) })
    }

    /// Gives so much up for photos that have no room, where that is enough for them: else somebody would take all cover away
    /// by announcing what no disk could hold.
    /// - Returns: false where it is not.
    package func giveWay(to byteCount: UInt64) async -> Bool {
        await receiving.acquire()
        defer { receiving.release() }
        let (held, old) = state.withLock { state in
            (state.heldByteCount, state.ghosts.reduce(UInt64(0)) { $0 + $1.oldObjects.reduce(0) { $0 + $1.byteCount } })
        }
        guard byteCount > 0, byteCount <= held + old else { return false }
        do {
            // Nothing more comes until there is plenty of room again (`receive`).
            try await keepOnly(held - min(held, byteCount))
            if byteCount > held { _ = try await replaceOldObjects(upTo: .max) }
            return true
        } catch {
            return false
        }
    }

    /// What they hold, for the host's keeper.
    package var figures: CoverFigures {
        state.withLock { state in
            CoverFigures(
                byteCount: state.heldByteCount, byteLimit: byteLimit, objectCount: state.heldCount,
                objectLimit: objectLimit)
        }
    }

    func remove(_ lost: [(OpenVault, [GhostObject])]) async throws {
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
}

/// What cover there is of this run, and the most there may be. Nobody counts what runs before have left: its keys are gone.
package struct CoverFigures: Sendable, Equatable {
    package let byteCount, byteLimit: UInt64
    package let objectCount, objectLimit: Int

    /// Rounded up to powers of two, within the limits: by the very numbers the files of a hidden vault could be told from
    /// what they leave of all files of a store's first run.
    init(byteCount: UInt64, byteLimit: UInt64, objectCount: Int, objectLimit: Int) {
        self.byteCount = min(Self.roundedUp(byteCount), byteLimit)
        self.byteLimit = byteLimit
        self.objectCount = min(Int(Self.roundedUp(UInt64(objectCount))), objectLimit)
        self.objectLimit = objectLimit
    }

    private static func roundedUp(_ count: UInt64) -> UInt64 {
        count <= 1 ? count : 1 << UInt64(UInt64.bitWidth - (count - 1).leadingZeroBitCount)
    }
}
