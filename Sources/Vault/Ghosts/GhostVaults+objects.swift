import Content
import Glibc
import Records
import Sealing
import Store

/// Photos that ghosts receive and lose: random bytes, of sizes as phones make them, with the pictures that hosts make.
extension GhostVaults {
    /// What is written at once when the last vault is locked, so that short visits have cover, too.
    private static let mostAtRest: (count: Int, byteCount: UInt64) = (32, 32 << 20)
    /// So many of these at a time, for commits of one moment share a sync.
    private static let atOnceAtRest = 8

    /// What is to be received.
    struct Coming {
        let file: PhoneFile
        /// It stops half-way.
        let breaksOff: Bool
    }

    func note(_ arrivedCount: Int) {
        guard arrivedCount > 0, byteLimit > 0 else { return }
        let today = store.today
        state.withLock { state in
            let days = Double(max(today, state.paidDay) - state.paidDay)
            state.owed += Double(arrivedCount) * state.share + days * state.daily + (state.firstCount?.photos ?? 0)
            state.owedLists += days * state.dailyLists + (state.firstCount?.lists ?? 0)
            state.paidDay = max(today, state.paidDay)
            if state.firstCount != nil { state.mustReceive = true }
            state.firstCount = nil
            // More than they may hold is nothing to catch up with.
            state.owed = min(state.owed, Double(byteLimit) / typicalByteCount)
            state.owedLists = min(state.owedLists, Double(objectLimit) / 4)
            guard state.task == nil, !state.isEnded else { return }
            // Under the lock: one that has nothing to do must not end before it is known.
            state.task = Task(priority: .background) { [weak self] in await self?.receiveWhatIsOwed() ?? () }
        }
    }

    private func receiveWhatIsOwed() async {
        var pacing = RereadPacing(engine.limits)
        while let coming = next(atMost: mostOfOnePhoto) {
            do {
                try await engine.waitForTurn(&pacing)
                await receiving.acquire()
                defer { receiving.release() }
                try await receive(coming)
            } catch {
                // Where the round was cut off it is still owed. A full or failing disk ends it: cover is nothing that
                // anybody waits for.
                let isOwed = Task.isCancelled
                state.withLock { state in
                    state.owed = isOwed ? state.owed + (coming.file.isList ? 0 : 1) : 0
                    state.owedLists = isOwed ? state.owedLists + (coming.file.isList ? 1 : 0) : 0
                    state.mustReceive = isOwed && !coming.file.isList
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
            var comings: [Coming] = []
            while comings.count < min(left.count, Self.atOnceAtRest),
                let coming = next(atMost: min(mostOfOnePhoto, left.byteCount))
            {
                comings.append(coming)
                left.byteCount -= coming.file.objectByteCount
            }
            guard !comings.isEmpty else { return }
            left.count -= comings.count
            await receiving.acquire()
            let areReceived = await withTaskGroup(of: Bool.self) { group in
                for coming in comings {
                    group.addTask { (try? await self.receive(coming)) != nil }
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

    /// Nil, and the task is over, when none is owed.
    private func next(atMost most: UInt64) -> Coming? {
        state.withLock { state in
            // What is left is owed by chance, else a single photo would never have one beside it.
            let isOwed = state.mustReceive || state.owed >= 1 || Double.random(in: 0..<1) < state.owed
            let isAnyListOwed = state.owedLists >= 1 || Double.random(in: 0..<1) < state.owedLists
            let isListOwed = isAnyListOwed && !state.mustReceive && (!isOwed || Bool.random())
            guard !state.isEnded, !Task.isCancelled, isOwed || isListOwed,
                let file = isListOwed ? PhoneFile.drawList(atMost: most) : PhoneFile.draw(atMost: most)
            else {
                if !isOwed { state.owed = 0 }
                if !isAnyListOwed { state.owedLists = 0 }
                state.task = nil
                return nil
            }
            guard !isListOwed else {
                state.owedLists -= min(state.owedLists, 1)
                return Coming(file: file, breaksOff: false)
            }
            let breaksOff = !state.mustReceive && Double.random(in: 0..<1) < state.uploadShare
            state.owed -= min(state.owed, 1)
            state.mustReceive = false
            return Coming(file: file, breaksOff: breaksOff)
        }
    }

    private func receive(_ coming: Coming) async throws {
        guard let vault = try allVaults().randomElement() else { return }
        if coming.breaksOff {
            try await beginUpload(of: coming.file)
        } else {
            try await receive(coming.file, in: vault)
        }
    }

    func receive(_ file: PhoneFile, in vault: OpenVault) async throws {
        // A list is written in one go.
        if !file.isList, let upload = takeUpload() { return try await finish(upload, in: vault) }
        try await makeRoom(for: file.objectByteCount)
        let staged = try await write(file.objectByteCount)
        try await hold(file, of: file.objectByteCount, in: vault, ArrivingObject(staged)) { $0.object }
        // A host that is never stopped cleanly loses some of those that runs before have left here.
        guard Int.random(in: 0..<8) == 0 else { return }
        let gone = try await replaceOldObjects(upTo: 2 * file.objectByteCount)
        state.withLock {
            $0.owed = min($0.owed + Double(gone) / typicalByteCount, Double(byteLimit) / typicalByteCount)
        }
    }

    /// - Throws: `diskFull`.
    func makeRoom(for byteCount: UInt64) async throws {
        let wanted = byteCount + state.withLock(\.uploadByteCount)
        guard wanted <= byteLimit else { throw VaultError.diskFull }
        try await keepOnly(byteLimit - wanted, count: objectLimit - 1)
        // The room on a disk that fills up is for photos: of what is free they hold a quarter at most.
        let share = try await engine.threads.runIdly { [engine] in try engine.lookAtDisk().roomByteCount / 4 }
        guard share > byteLimit else {
            try await keepOnly(share)
            throw VaultError.diskFull
        }
    }

    /// The vault has one photo more, whose object is on disk; its pictures follow.
    /// - Parameter object: which one it is, in the transaction that lists it.
    func hold(
        _ file: PhoneFile, of byteCount: UInt64, in vault: OpenVault, _ arriving: ArrivingObject? = nil,
        _ object: @escaping @Sendable (VaultChange) throws -> ObjectID?
    ) async throws {
        let held = try await vault.change(object: arriving) { change -> GhostObject in
            guard let id = try object(change) else {
                throw VaultError.internalFailure("a ghost's object without an id")
            }
            try Self.giveBirth(&change)
            try change.transaction.addObject(id)
            let held = GhostObject(
                id: id, rowNumber: change.takeNumber(), byteCount: byteCount,
                previews: PreviewSize.allCases.map { _ in .random() })
            try change.put(held.piece, at: held.rowNumber)
            return held
        }
        let sendsThumbnails = state.withLock { state in
            state.heldByteCount += byteCount
            guard let index = state.ghosts.firstIndex(where: { $0.vault === vault }) else { return false }
            state.ghosts[index].objects.append(held)
            return state.ghosts[index].sendsThumbnails
        }
        let isLookedInto = await engine.pictures?.isAvailable() ?? false
        let sent = sendsThumbnails && !file.isList ? [PreviewSeal.smallestExponent] : []
        let exponents = isLookedInto ? file.pictureExponents : sent
        // They can do without, as photos can.
        try? await keepPictures(exponents, of: held)
    }

    /// - Parameter exponents: of the thumbnail, and of the preview; as many as there are to be.
    private func keepPictures(_ exponents: [Int], of object: GhostObject) async throws {
        guard !exponents.isEmpty, store.previews.isOpen else { return }
        try await store.previews.making(object.previews) {
            // Only now, so that a deletion either is seen here or waits for what is put below.
            let isHeld = state.withLock { state in
                state.ghosts.contains { $0.objects.contains { $0.id == object.id } }
            }
            guard isHeld else { return }
            try await engine.threads.runIdly { [store] in
                try store.previews.put(
                    zip(object.previews, exponents).map { ($0, try PreviewSeal.filler(exponent: $1)) })
            }
        } afterDeletion: {
            await engine.threads.finish { [store] in _ = try? store.previews.reapDoomed() }
        }
    }

    /// What a sealed photo looks like to whoever has not its key.
    func write(_ byteCount: UInt64) async throws -> StagedObject {
        try await engine.threads.runIdly { [engine] in
            let staged = try engine.store.objects.stage()
            try PhotoRecord.preamble.withUnsafeBytes { try staged.write($0) }
            try Self.append(byteCount - UInt64(PhotoRecord.preamble.count), to: staged)
            return staged
        }
    }

    /// The same, at the end of one that is there. Blocking.
    static func append(_ byteCount: UInt64, to staged: StagedObject) throws {
        var left = Int(clamping: byteCount)
        while left > 0 {
            let piece = try randomBytes(min(left, 1 << 20))
            try piece.withUnsafeBytes { try staged.write($0) }
            left -= piece.count
        }
        try staged.synchronize()
    }

    /// Objects go, as when somebody deletes photos for good, until no more is left than that.
    func keepOnly(_ byteCount: UInt64, count: Int = .max, atLeast fewest: Int = 0) async throws {
        try await remove(state.withLock { $0.takeObjects(leaving: byteCount, count: count, atLeast: fewest) })
    }

    /// Some of what runs before have left goes, and as much more of this run stays: that an object was there at one look at
    /// the disk, and is gone at the next, is to say no more than that a row has changed.
    /// - Returns: bytes that went.
    func replaceOldObjects(upTo byteCount: UInt64) async throws -> UInt64 {
        var gone: UInt64 = 0
        let lost = state.withLock { state in
            state.take(\.oldObjects) { object in
                guard gone + object.byteCount <= byteCount else { return false }
                gone += object.byteCount
                return true
            }
        }
        try await remove(lost)
        return gone
    }

    /// Gives so much up for photos that have no room, where that is enough for them: else somebody would take all cover away
    /// by announcing what no disk could hold.
    /// - Returns: false where it is not.
    package func giveWay(to byteCount: UInt64) async -> Bool {
        await receiving.acquire()
        defer { receiving.release() }
        let (held, old, uploads) = state.withLock { state in
            (
                state.heldByteCount,
                state.ghosts.reduce(UInt64(0)) { $0 + $1.oldObjects.reduce(0) { $0 + $1.byteCount } },
                state.uploadByteCount
            )
        }
        guard byteCount > 0, byteCount <= held + uploads + old else { return false }
        do {
            // Nothing more comes until there is plenty of room again (`makeRoom`). Pictures would take as much as they have
            // before they give it back: they go when there is room.
            let lost = state.withLock {
                $0.takeObjects(leaving: held - min(held, byteCount), count: .max, atLeast: 0)
            }
            try await remove(lost, withPictures: false)
            if byteCount > held { try await keepUploads(0) }
            if byteCount > held + uploads { _ = try await replaceOldObjects(upTo: .max) }
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

    func remove(_ lost: [(OpenVault, [GhostObject])], withPictures: Bool = true) async throws {
        guard !lost.isEmpty else { return }
        for (vault, objects) in lost {
            try await vault.change(mayUseReserve: true) { change in
                for object in objects {
                    try change.transaction.doomObject(object.id)
                    try change.transaction.doomPreviews(object.previews)
                    try change.makeEmpty(object.rowNumber)
                }
            }
        }
        try await engine.threads.runIdly { [store] in
            if withPictures { try store.reapDoomed() } else { _ = try store.objects.reapDoomed() }
        }
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
