package import Content
package import Records
package import Sealing
package import Store
package import Synchronization
package import Threads

/// A vault whose key is in memory, shared by all sessions that opened it. It alone holds the vault's keys, its library
/// and its head; with its last reference they are wiped.
///
/// Every change runs on the ledger's writer thread, inside the transaction, on a draft of the head that starts from its
/// predecessor's draft; memory follows the COMMIT.
package final class OpenVault: Sendable {
    /// How many other rows are sealed again with a commit.
    static let stirredRows = 0...2

    package let uid: [UInt8]
    /// A guest's space differs from a vault in where its rows are kept, and in what its sessions may do.
    package let home: RowHome
    package let library: Library
    package let store: Store
    package let engine: UploadEngine
    package let uploads = UnfinishedUploads()
    let arriving = ArrivingRoom()
    /// One of the daemon's own (`GhostVaults`).
    let isGhost: Bool
    /// By whom the host's means are shared.
    package let holder: Holder
    /// Who has a guest's space open, where that is not this host itself.
    package let neighbour: [UInt8]?
    package let openedAt = ContinuousClock.now
    /// Of a guest: the id of its head's row, which all its rows name in clear, so that it can be ended without its key.
    package let space: RowID?
    /// Of a guest's space to which somebody came through a door.
    package let door: DoorSpace?
    package let verifier: Verifier
    package let pictures: PictureWorker
    let factsBackfill: FactsBackfill
    let textRecognition: TextRecognition
    package let sidecars: SidecarSettling
    package let readerCache = ReaderCache()
    /// Held by what reads photos and sends nothing of them.
    package let readingAhead = AsyncLock()
    package let sendings = SendingReports()
    package let sentThroughDoors = SentThroughDoors()
    package let stuckDoors = StuckDoors()
    let windowKeeper: WindowKeeper
    /// Held by whoever writes a window.
    package let windowing = AsyncLock()
    /// Where it stands for a window, of which somebody sees what is here.
    package let window: WindowView?
    package let state: Mutex<State>

    package struct State {
        package var keys: VaultKeys
        package var committed: VaultDraft
        var tentative: VaultDraft?
        /// Under which the vault stands with the running transaction.
        var tentativeKeys: VaultKeys?
        var isRotating = false
        package var damage: VaultDamage?
        /// Photos whose objects are gone.
        package var lostSerials: [UInt64] = []
        package var writing = Writing.allowed
        /// Where everything goes with the running transaction.
        package var tentativeSuccessor: OpenVault?
        package var accessEpoch: UInt64 = 0
    }

    package enum Writing {
        case allowed
        /// The head was lost: nothing is written until the loss is accepted.
        case awaitsAcceptance
        /// It is erased, or its days are over.
        case ended
        /// A guest's space, which is part of that vault now.
        case moved(to: OpenVault)

        package var isAllowed: Bool {
            if case .allowed = self { true } else { false }
        }

        var awaitsAcceptance: Bool {
            if case .awaitsAcceptance = self { true } else { false }
        }
    }

    /// - Parameter neighbour: whose guest's space it is, where that is another's than this host's own.
    package init(
        uid: [UInt8], vaultKey: consuming SecretBytes, home: RowHome = .vault, engine: UploadEngine, head: VaultHead,
        neighbour: [UInt8]? = nil, door: DoorSpace? = nil, window: WindowView? = nil, isGhost: Bool = false
    ) throws {
        self.uid = uid
        self.door = door
        self.window = window
        self.neighbour = neighbour
        self.isGhost = isGhost
        holder = Holder(isGuest: home != .vault || window != nil, key: neighbour ?? uid)
        self.home = home
        self.engine = engine
        store = engine.store
        verifier = Verifier(engine: engine)
        pictures = PictureWorker(engine: engine)
        factsBackfill = FactsBackfill(engine: engine)
        textRecognition = TextRecognition(engine: engine)
        sidecars = SidecarSettling(engine: engine)
        windowKeeper = WindowKeeper(engine: engine)
        library = try Library(gazetteer: engine.gazetteer)
        let keys = try VaultKeys(vaultKey, home: home, isGhost: isGhost)
        space = home == .vault ? nil : try keys.codec.withLock { try $0.id(of: .head) }
        state = Mutex(State(keys: keys, committed: VaultDraft(head: head, emptyNumbers: [])))
    }

    deinit {
        stopWorkers()
        guard window == nil else { return }
        guard isGuest, let space else { return engine.noteVaultClosed() }
        engine.guestDiskUsage.close(
            space, byteCount: takesNothing ? 0 : durableByteCount, neighbour: neighbour,
            visit: door.map { .init(door: $0.token.id, underWay: uploads.underWay) })
        guard !hasEnded, storedPhotoByteCount == 0, uploads.storedCount == 0 else { return }
        engine.guestAdmission.noteClosedEmpty(space)
        engine.guestAdmission.giveBackOfToday(self)
    }

    package var isGuest: Bool { home != .vault }

    /// It moved or was deleted, or a guest's days are over: what the disk has of it goes, though a request may hold it for a
    /// while.
    var takesNothing: Bool {
        if case .guest(let day) = home, store.today > day { return true }
        return hasEnded
    }

    private var storedPhotoByteCount: UInt64 { head.storedByteCount }

    package var head: VaultHead { state.withLock { $0.committed.head } }
    package var keptSessions: [KeptSession] { state.withLock { $0.committed.keptSessions } }
    package var damage: VaultDamage? { state.withLock { $0.damage } }
    package var lostSerials: [UInt64] { state.withLock { $0.lostSerials } }
    package var isReadOnly: Bool { state.withLock { !$0.writing.isAllowed } }
    /// Changes when a password stops opening the vault: who came in before may not stay.
    package var accessEpoch: UInt64 { state.withLock { $0.accessEpoch } }

    package func beginAccessEpoch() { state.withLock { $0.accessEpoch += 1 } }

    /// Those of the moment: a rotation replaces them.
    package var keys: VaultKeys { state.withLock { $0.keys } }

    /// A copy for sealing another slot of this vault.
    /// Makes the names under which programs know photos, as long as the vault has this key.
    package func handleKey() throws -> SecretBytes { try deriveVaultKey(.handles, from: keys.vaultKey) }
    package func duplicateVaultKey() throws -> SecretBytes { try keys.vaultKey.duplicate() }

    // MARK: What goes on beside requests

    /// Once its library is there, and somebody holds it. Blocking.
    package func startWorkers() {
        store.previews.openIfNeeded()
        verifier.start(self)
        pictures.start(self)
        factsBackfill.start(self)
        textRecognition.start(self)
        sidecars.start(self)
        windowKeeper.start(self)
    }

    /// There may be photos that nobody has read back or looked into.
    package func wakeWorkers() {
        verifier.wake()
        pictures.wake()
        sidecars.wake()
    }

    package func stopWorkers() {
        verifier.stop()
        pictures.stop()
        factsBackfill.stop()
        textRecognition.stop()
        sidecars.stop()
        windowKeeper.stop()
    }

    // MARK: Rows

    package func rowID(_ number: RowNumber) throws -> RowID { try withCodec { try $0.id(of: number) } }
    package func seal(_ piece: RowPiece, id: RowID, fileKey: SharedSecret? = nil) throws -> [UInt8] {
        try withCodec { try $0.seal(piece, id: id, fileKey: fileKey) }
    }
    package func fileKey(in body: [UInt8], id: RowID) throws -> SharedSecret {
        try withCodec { try $0.fileKey(in: body, id: id) }
    }
    package func reseal(_ body: [UInt8], id: RowID) throws -> [UInt8] { try withCodec { try $0.reseal(body, id: id) } }
    package func element(id: RowID, body: [UInt8]) throws -> SetAccumulator {
        try withCodec { codec in try body.withUnsafeBytes { try codec.element(id: id, body: $0) } }
    }
    package func open(_ body: [UInt8], id: RowID) throws -> RowPiece {
        try withCodec { codec in try body.withUnsafeBytes { try codec.open($0, id: id) } }
    }
    package func openIfSound(_ body: [UInt8], id: RowID) throws -> RowPiece? {
        try withCodec { try $0.openIfSound(body, id: id) }
    }
    /// Nil for any other row, and for a head that is damaged.
    /// - Throws: `internalFailure` for one of a later version: the vault is whole, and this program cannot open it.
    func headIfSound(_ body: [UInt8], id: RowID) throws -> VaultHead? {
        guard let piece = try openIfSound(body, id: id) else { return nil }
        // One that goes on in other rows would be misread: none of this version does.
        guard piece.kind != .later, piece.kind != .head || piece.next == nil else {
            throw VaultError.internalFailure("the head of a vault is of a later version")
        }
        guard piece.kind == .head else { return nil }
        return try? VaultHead(piece.payload)
    }
    package func isOurs(_ body: [UInt8], id: RowID) throws -> Bool {
        try withCodec { codec in try body.withUnsafeBytes { try codec.isOurs($0, id: id) } }
    }

    /// One more of the kind, for a thread of its own.
    func makeCodec() throws -> RowCodec { try keys.makeCodec() }

    func withCodec<R>(_ body: (inout RowCodec) throws -> R) throws -> R { try keys.codec.withLock { try body(&$0) } }

    /// Takes over what the rows of the ledger say; before anybody else has the vault.
    package func settle(_ draft: VaultDraft, damage: VaultDamage?, lostSerials: [UInt64], isReadOnly: Bool) {
        state.withLock { state in
            state.committed = draft
            state.damage = damage
            state.lostSerials = lostSerials
            state.writing = isReadOnly ? .awaitsAcceptance : .allowed
        }
    }

    /// The loss is accepted, on disk too. Others may be writing, so the draft is left alone.
    package func forgetDamage() {
        state.withLock { state in
            state.damage = nil
            state.lostSerials = []
            if state.writing.awaitsAcceptance { state.writing = .allowed }
        }
        wakeWorkers()
        factsBackfill.wake()
        textRecognition.wake()
    }

    /// Bytes of photos were found to be gone, or to fail their verification.
    /// - Parameter serials: of those whose objects are gone.
    package func addDamage(of names: [String], lost serials: [UInt64] = []) {
        guard !names.isEmpty else { return }
        state.withLock { state in
            state.lostSerials += serials
            var damage = state.damage ?? VaultDamage()
            damage.unreadable += names
            state.damage = damage
        }
    }

    /// They verify again.
    package func forgetDamage(of name: String) {
        state.withLock { state in
            guard let index = state.damage?.unreadable.firstIndex(of: name) else { return }
            state.damage?.unreadable.remove(at: index)
            if state.damage?.isNone == true { state.damage = nil }
        }
    }
}

extension OpenVault {
    /// Blocking. Finds this vault's unfinished uploads among those of all: a row is its own if it opens.
    func loadUploads() throws {
        try store.ledger.readBlocking { reader in
            try reader.forEachUpload { id, body, part, expiresDay in
                let opened = try? body.withUnsafeBytes { try openUpload($0, id: id) }
                // A row whose column names another file than the sealed one was tampered with.
                guard let (record, fileKey) = opened, record.object == part else { return }
                uploads.load(
                    try UnfinishedUpload(record, fileKey: fileKey, expiresDay: expiresDay, isStored: true))
            }
        }
        for upload in uploads.all { findPart(of: upload.record) }
    }

    /// Somebody may have put an older ledger in place, and then this one again. Where the disk fails, the upload does
    /// when it goes on; nobody is kept from the photos.
    private func findPart(of record: UploadRecord) {
        guard let object = record.object, (try? store.objects.byteCount(of: object)) == nil else { return }
        _ = try? store.objects.restoreFromQuarantine(object)
    }

    /// After a sweep: what the ledger has no longer keeps no room, and no place in a batch, either.
    package func forgetSweptUploads() async throws {
        for upload in uploads.all where upload.isStored && upload.expiresDay < store.today {
            // Whoever has the lock finds out.
            guard upload.lock.acquireIfFree() else { continue }
            defer { upload.lock.release() }
            if try await !store.ledger.read({ try $0.containsUpload(upload.rowID) }) { uploads.remove(upload) }
        }
    }
}
