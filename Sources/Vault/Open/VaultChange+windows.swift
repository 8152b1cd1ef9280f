package import Records
package import Sealing
package import Store

/// What has become of a window, for those who look through it at this moment.
package enum WindowNews: Sendable {
    /// These numbers are not shown any more.
    case takenAway(DoorID, [Int])
    /// Its row says something else.
    case changed(DoorID, WindowNotice)
    case closed(DoorID)
}

extension OpenVault {
    /// The oldest first.
    package var windows: [WindowRecord] {
        state.withLock { $0.committed.windows }.values.map(\.record).sorted { $0.createdAt < $1.createdAt }
    }

    package func hasAlbum(_ id: AlbumID) -> Bool { state.withLock { $0.committed.albums[id] != nil } }

    /// - Throws: `noSuchWindow`.
    package func window(_ name: WindowName) throws(VaultError) -> WindowRecord {
        guard let entry = state.withLock({ $0.committed.windows[name] }) else { throw .noSuchWindow }
        return entry.record
    }

    /// Photos that it shows: of a selection those in the trash are not among them. Blocking.
    package func shownCount(of record: WindowRecord) throws -> Int {
        try record.serials.count { serial in
            guard serial != WindowRecord.nobody, let photo = try library.photoBlocking(serial: serial) else {
                return false
            }
            return VaultChange.isShown(photo, in: record)
        }
    }

    /// Blocking.
    package func token(of record: WindowRecord) throws -> WindowToken {
        guard !record.token.isEmpty else { return try WindowToken(WindowSecret.token(of: secret(of: record.id).bytes)) }
        return try WindowToken(try SecretBytes(copying: record.token))
    }

    /// The window's secret, from its row. Blocking.
    /// - Throws: `noSuchWindow`.
    package func secret(of name: WindowName) throws -> SharedSecret {
        try followingRotation {
            guard let entry = state.withLock({ $0.committed.windows[name] }) else { throw VaultError.noSuchWindow }
            let id = try rowID(.item(entry.rowNumber))
            guard let body = try store.ledger.readBlocking({ try $0.row(id, in: home) }) else {
                throw VaultError.damaged
            }
            return try fileKey(in: body, id: id)
        }
    }
}

extension LedgerTransaction {
    /// Nothing happens where the window's days are over: its row is gone then.
    /// - Returns: what the row says from now on.
    @discardableResult
    package func changeWindow(
        of token: WindowToken, _ body: (inout WindowNotice) throws -> Void
    ) throws -> WindowNotice? {
        guard let sealed = try door(token.id), var notice = try WindowNotice.opened(sealed, token: token) else {
            return nil
        }
        try body(&notice)
        try put(notice, of: token)
        return notice
    }

    func put(_ notice: WindowNotice, of token: WindowToken) throws {
        try putDoor(token.id, body: try notice.sealed(under: token), expiresDay: notice.terms.keptUntil)
    }
}

extension Ledger {
    /// What a window says to whoever has its code.
    /// - Throws: `noSuchWindow`.
    package func notice(ofWindow token: WindowToken) async throws -> WindowNotice {
        guard let body = try await read({ try $0.door(token.id) }),
            let notice = try WindowNotice.opened(body, token: token)
        else { throw VaultError.noSuchWindow }
        return notice
    }
}

extension VaultChange {
    /// Writes a window's record and row. The object that this change publishes, if there is one, is its list.
    /// - Parameters:
    ///   - wanted: with digest and place of the new list, but for the object.
    ///   - list: nil where the list stays.
    ///   - door: whose code visitors are shown.
    /// - Throws: `tooManyWindows`, `noSuchWindow` for one that was closed meanwhile.
    package mutating func put(
        _ wanted: WindowRecord, _ secret: SharedSecret, list: WindowDraftList?, door: DoorToken?, isNew: Bool = false
    ) throws {
        let token = try WindowToken(try WindowSecret.token(of: secret.bytes))
        var record = wanted
        record.token = token.bytes.withUnsafeBytes { Array($0) }
        let before = draft.windows[record.id]
        guard isNew || before != nil else { throw VaultError.noSuchWindow }
        guard before != nil || draft.windows.count < WindowRecord.most else { throw VaultError.tooManyWindows }
        if let list {
            guard let object else { throw VaultError.internalFailure("a window without a list") }
            record.list = WindowListPlace(object: object, byteCount: list.sealed.byteCount, run: list.sealed.run)
            record.digest = list.sealed.digest
            record.version += before == nil ? 0 : 1
            try transaction.addObject(object)
            draft.head.storedByteCount += record.list.storedByteCount
            if let before { try doomList(of: before.record) }
        }
        var gone: [Int] = []
        for shown in list?.shown ?? [] where try !isShown(shown, in: record) {
            gone.append(shown.number)
            guard let kept = try currentOrKept(shown.serial), kept.serial != shown.serial else { continue }
            // It became one with another photo meanwhile.
            record.serials[shown.number] = record.serials.contains(kept.serial) ? WindowRecord.nobody : kept.serial
        }
        // Where only the terms change, the photos are those of the record that stands there by now.
        if list == nil, let before { record.serials = before.record.serials }
        let number = before?.rowNumber ?? takeNumber()
        try write(
            WindowEntry(rowNumber: number, record: record), secret, over: before == nil ? [] : chain(from: number))
        let present = try transaction.door(token.id).flatMap { try WindowNotice.opened($0, token: token) }
        var notice =
            try present
            ?? WindowNotice(
                terms: record.terms, version: record.version, list: record.list, lock: record.lock, door: door,
                ticketKey: SharedSecret(SecretBytes(random: WindowSecret.ticketKeyByteCount)))
        (notice.terms, notice.version, notice.list) = (record.terms, record.version, record.list)
        (notice.lock, notice.door) = (record.lock, door)
        if list != nil { notice.showAll() }
        for number in gone { notice.takeAway(number) }
        if !gone.isEmpty { draft.hasStaleWindows = true }
        try transaction.put(notice, of: token)
        if let before { noteTaken(from: before.record, in: record, of: token) }
        draft.windowNews.append(.changed(token.id, notice))
    }

    /// What the new list does not show under its number is gone for whoever looks, also before they read that list.
    private mutating func noteTaken(from before: WindowRecord, in record: WindowRecord, of token: WindowToken) {
        let taken = before.serials.indices.filter { number in
            let isKept = number < record.serials.count && record.serials[number] == before.serials[number]
            return before.serials[number] != WindowRecord.nobody && !isKept
        }
        if !taken.isEmpty { draft.windowNews.append(.takenAway(token.id, taken)) }
    }

    /// Nobody sees it any more.
    /// - Throws: `noSuchWindow`.
    package mutating func closeWindow(_ name: WindowName) throws {
        guard let entry = draft.windows[name] else { throw VaultError.noSuchWindow }
        let token = try vault.token(of: entry.record)
        // A damaged row stays for the next opening, which tells of it.
        try ifSound { change in
            for row in try change.chain(from: entry.rowNumber) { try change.makeEmpty(row.number) }
        }
        try doomList(of: entry.record)
        draft.windows[name] = nil
        try transaction.deleteDoor(token.id)
        draft.windowNews.append(.closed(token.id))
    }

    /// Leaves out what a damaged row of a window prevents: no photo stays for it, and no other change fails with it.
    mutating func ifSound(_ body: (inout VaultChange) throws -> Void) throws {
        do { try body(&self) } catch { guard VaultError(error) == .damaged else { throw error } }
    }

    private mutating func doomList(of record: WindowRecord) throws {
        draft.head.storedByteCount -= min(draft.head.storedByteCount, record.list.storedByteCount)
        try transaction.doomObject(record.list.object)
    }

    private mutating func write(
        _ entry: WindowEntry, _ secret: SharedSecret, over chain: [OpenVault.ChainRow]
    ) throws {
        for row in chain.dropFirst() { try makeEmpty(row.number) }
        try putChain(.window, payload: entry.record.encoded, first: entry.rowNumber, fileKey: secret)
        draft.windows[entry.record.id] = entry
    }

    /// Whether a photo is still what stands in the list.
    private func isShown(_ shown: WindowDraftList.Shown, in record: WindowRecord) throws -> Bool {
        guard let photo = try current(shown.serial, in: vault.library), photo.object == shown.object else {
            return false
        }
        return Self.isShown(photo, in: record)
    }

    fileprivate static func isShown(_ photo: LibraryPhoto, in record: WindowRecord) -> Bool {
        photo.deletedAt == nil && record.album.map(photo.keeping.albums.contains) ?? true
    }
}

// MARK: What becomes of the photos

extension VaultChange {
    /// What happened to photos in this transaction holds for the windows that show them with the same commit: what is gone,
    /// lies in the trash or left the album is seen by nobody any more.
    mutating func followInWindows() throws {
        let changes = draft.libraryChanges
        guard !draft.windows.isEmpty, !changes.isEmpty else { return }
        for entry in draft.windows.values { try follow(changes, in: entry) }
    }

    private mutating func follow(_ changes: [LibraryChange], in entry: WindowEntry) throws {
        var record = entry.record
        var gone: Set<Int> = []
        for change in changes {
            switch change {
            case .put(let put):
                let photo = LibraryPhoto(put)
                guard let number = record.serials.firstIndex(of: photo.serial) else {
                    // It may have joined the album.
                    if record.album.map(photo.keeping.albums.contains) ?? false { draft.hasStaleWindows = true }
                    continue
                }
                draft.hasStaleWindows = true
                if !Self.isShown(photo, in: record) {
                    gone.insert(number)
                } else if record.serials[number] == entry.record.serials[number] {
                    // Of one that took the place of another here, the list has no key.
                    gone.remove(number)
                }
            case .remove(let serial):
                if let number = record.serials.firstIndex(of: serial) { gone.insert(number) }
            case .replace(let serial, let kept):
                guard let number = record.serials.firstIndex(of: serial) else { continue }
                // The list has the key of the one that is gone.
                gone.insert(number)
                record.serials[number] = record.serials.contains(kept) ? WindowRecord.nobody : kept
            case .removeAlbum:
                guard let album = record.album, draft.albums[album] == nil else { continue }
                gone.formUnion(record.serials.indices.filter { record.serials[$0] != WindowRecord.nobody })
            case .putAlbum(let album): if album.record.id == record.album { draft.hasStaleWindows = true }
            case .putBatch, .removeBatch: break
            }
        }
        guard !gone.isEmpty else { return }
        draft.hasStaleWindows = true
        if record.serials != entry.record.serials {
            try ifSound { change in
                let chain = try change.chain(from: entry.rowNumber)
                let renewed = WindowEntry(rowNumber: entry.rowNumber, record: record)
                try change.write(renewed, change.vault.fileKey(of: chain), over: chain)
            }
        }
        let token = try vault.token(of: entry.record)
        try transaction.changeWindow(of: token) { notice in for number in gone { notice.takeAway(number) } }
        draft.windowNews.append(.takenAway(token.id, gone.sorted()))
    }
}

/// A new list of a window, and what stood in the vault when it was made.
package struct WindowDraftList: Sendable {
    struct Shown: Sendable {
        let number: Int
        let serial: UInt64
        let object: ObjectID
    }

    let sealed: WindowList.Sealed
    let shown: [Shown]
}
