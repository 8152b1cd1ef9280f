import Content
package import Records
package import Sealing
import Store
import Synchronization

/// Keeps the lists of an open vault's windows: writes one anew when an album that it follows has changed, or when more is
/// known of a photo. It ends with the vault, and the next opening looks whether anything was left.
package final class WindowKeeper: Sendable {
    private let work: IdleWork

    init(engine: UploadEngine) { work = IdleWork(engine: engine) }

    func start(_ vault: OpenVault) {
        work.start(vault)
        if !vault.windows.isEmpty { wake() }
    }

    func wake() {
        work.wake { [work] _ in
            // One that cannot be written keeps none of the others waiting.
            var failure: (any Error)?
            for window in try work.vault().windows {
                do { try await work.vault().refresh(window.id) } catch { failure = failure ?? error }
            }
            if let failure { throw failure }
            try await Task.sleep(for: work.engine.limits.windowPause)
        }
    }

    /// Returns when the lists say what the vault does.
    func pause() async { await work.pause() }

    func stop() { work.stop() }
}

/// What its owner wants of a window.
package struct WindowPlan: Sendable {
    package var record: WindowRecord
    package let secret: SharedSecret
    package var door: DoorToken?
    /// Of a new one that nobody has yet.
    package let isNew: Bool

    package func token() throws -> WindowToken { try WindowToken(try WindowSecret.token(of: secret.bytes)) }

    /// From now on the list has another key, which only this one opens.
    /// - Parameter lockKey: of the token, and of the password where there is one.
    package mutating func lock(under lockKey: borrowing SecretBytes, hasPassword: Bool) throws {
        record.terms.hasPassword = hasPassword
        record.generation += 1
        record.lock = try WindowLock.seal(
            try WindowSecret.listKey(of: secret.bytes, generation: record.generation), under: lockKey, of: token())
    }
}

extension OpenVault {
    /// A window that is not on disk yet.
    /// - Parameter serials: of a selection.
    package func newWindow(
        _ terms: WindowTerms, album: AlbumID?, serials: [UInt64], door: DoorName?
    ) throws -> WindowPlan {
        let secret = SharedSecret(try SecretBytes(random: WindowSecret.byteCount))
        // The list that it will have is put in their place with the change that writes it.
        let nowhere = WindowListPlace(
            object: ObjectID(high: 0, low: 0), byteCount: 0,
            run: PhotoRecord.Run(plaintextByteCount: 0, salt: [UInt8](repeating: 0, count: 24)))
        let record = WindowRecord(
            id: try WindowName(), terms: terms, now: Milliseconds.now, album: album, door: door, serials: serials,
            list: nowhere, digest: [], lock: [])
        return WindowPlan(record: record, secret: secret, door: nil, isNew: true)
    }

    /// Blocking. As it stands, to be changed.
    /// - Throws: `noSuchWindow`.
    package func plan(of name: WindowName) throws -> WindowPlan {
        let record = try window(name)
        // A door that was removed is shown no more.
        let door = try record.door.flatMap { door in
            doors.contains { $0.id == door } ? try keys(of: door).token : nil
        }
        return WindowPlan(record: record, secret: try secret(of: name), door: door, isNew: false)
    }

    /// Writes a window as it is wanted, with a new list where that says something else than the one before. Within
    /// `windowing`. Durable on return.
    /// - Parameter isOwners: what shows no more than before is written on a full disk, too, where the owner wants it.
    /// - Throws: `tooManyWindows`, `noSuchWindow`, `diskFull`, `vaultFull`.
    package func write(_ wanted: WindowPlan, isOwners: Bool = true) async throws {
        var plan = wanted
        let present = plan.isNew ? nil : try window(plan.record.id)
        let mayUseReserve = isOwners && present.map(plan.record.showsNoMore) ?? false
        plan.record.serials = try await numbered(plan.record)
        let (found, isSameKey) = (plan.record, present?.generation == plan.record.generation)
        let list = try await engine.threads.run { [self, secret = plan.secret] in
            try makeList(of: found, secret, isSameKey: isSameKey)
        }
        let (record, secret, door, isNew) = (plan.record, plan.secret, plan.door, plan.isNew)
        guard let list else {
            return try await change(mayUseReserve: true) { try $0.put(record, secret, list: nil, door: door) }
        }
        if !mayUseReserve {
            try await engine.requireRoom(forAnnounced: UInt64(list.sealed.bytes.count), in: self)
        }
        let staged = try await engine.threads.run { [self] () throws -> StagedObject in
            do {
                return try stage(list)
            } catch StoreError.diskFull where mayUseReserve && store.reserve.isIntact {
                try store.reserve.release()
                return try stage(list)
            }
        }
        do {
            try await change(object: ArrivingObject(staged, isList: true), mayUseReserve: mayUseReserve) {
                try $0.put(record, secret, list: list, door: door, isNew: isNew)
            }
        } catch {
            await engine.threads.finish { staged.discard() }
            throw error
        }
        await reap()
    }

    /// Blocking.
    private func stage(_ list: WindowDraftList) throws -> StagedObject {
        let staged = try store.objects.stage()
        try list.sealed.bytes.withUnsafeBytes { try staged.write($0) }
        try staged.synchronize()
        return staged
    }

    /// Writes the list of a window anew where it is not what the vault says.
    func refresh(_ name: WindowName) async throws {
        await windowing.acquire()
        defer { windowing.release() }
        guard let plan = try? await engine.threads.run({ [self] in try self.plan(of: name) }),
            plan.record.terms.keptUntil >= store.today
        else { return }
        var wanted = plan
        wanted.record.serials = try await numbered(plan.record)
        let (record, secret) = (wanted.record, wanted.secret)
        let isStale = try await engine.threads.run { [self] in
            try record.serials != plan.record.serials || makeList(of: record, secret, isSameKey: true) != nil
        }
        if isStale { try await write(plan, isOwners: false) }
    }

    // MARK: What is in it

    /// The serials by their numbers: those that were there keep theirs, and none is given twice as long as there are others.
    private func numbered(_ record: WindowRecord) async throws -> [UInt64] {
        guard let album = record.album else { return record.serials }
        let row = state.withLock { $0.committed.albums[album]?.rowNumber }
        let present = if let row { try await library.serials(in: .album(row: row)) } else { [UInt64]() }
        let wanted = Set(present.prefix(WindowNotice.mostNumbers))
        let kept = record.serials.map { wanted.contains($0) ? $0 : WindowRecord.nobody }
        let joined = wanted.subtracting(kept).sorted()
        guard kept.count + joined.count > WindowNotice.mostNumbers else { return kept + joined }
        return wanted.sorted()
    }

    /// Blocking. Nil where the present list says the same, and nothing of it was taken away.
    private func makeList(
        of record: WindowRecord, _ secret: SharedSecret, isSameKey: Bool
    ) throws -> WindowDraftList? {
        var entries: [WindowList.Entry] = []
        var shown: [WindowDraftList.Shown] = []
        for (number, serial) in record.serials.enumerated() where serial != WindowRecord.nobody {
            guard let photo = try library.photoBlocking(serial: serial), photo.deletedAt == nil,
                let (whole, fileKey) = try? wholeRecord(of: photo)
            else { continue }
            entries.append(try WindowList.Entry(whole, number: number, fileKey: fileKey, of: record.terms))
            shown.append(.init(number: number, serial: serial, object: whole.object))
        }
        let isWhole = try isSameKey && !isAnyTakenAway(of: record, secret)
        let sealed = try WindowList.seal(
            entries, under: try WindowSecret.listKey(of: secret.bytes, generation: record.generation),
            unless: isWhole ? record.digest : nil)
        return sealed.map { WindowDraftList(sealed: $0, shown: shown) }
    }

    /// Also where row or list are gone or damaged: with the next list they stand there again.
    private func isAnyTakenAway(of record: WindowRecord, _ secret: SharedSecret) throws -> Bool {
        let token = try WindowToken(try WindowSecret.token(of: secret.bytes))
        let body = try store.ledger.readBlocking { try $0.door(token.id) }
        guard let notice = try body.flatMap({ try WindowNotice.opened($0, token: token) }),
            try store.objects.byteCount(of: record.list.object) != nil
        else { return true }
        return notice.hasGone || notice.list.object != record.list.object
            || (try? WindowView.isSound(record, secret, store)) != true
    }
}
