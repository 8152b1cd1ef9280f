import Content
package import FoundationEssentials
package import Records
import Sealing
import Store
import Synchronization
import Uploads
import Vault

/// One browser's way into an open vault, or into a guest's space. When it ends it lets go of the vault; the vault's keys
/// are wiped with its last session.
package final class Session: UploadOwner {
    package enum Kind: String, Sendable {
        case guest, vault
        /// Somebody who came to a door of a vault.
        case visitor
        /// A program that sends with a door's code.
        case sender
        /// Somebody who looks through a window.
        case viewer
    }

    private struct State {
        var vault: OpenVault?
        /// Whose session it is that goes on with what this one has begun.
        var successor: Session?
        var lastUsed: ContinuousClock.Instant
        var predecessor: Predecessor?
        var archives: [(name: String, archive: Archive)] = []
        /// The last one is the newest.
        var removedAlbums: [RemovedAlbum] = []
        /// What somebody above keeps of it, gone with the keys.
        var companion: (any AnyObject & Sendable)?
        var runs: [ObjectIdentifier: WeakRun] = [:]
        /// Something of it came unencrypted.
        var isReadable = false
        /// Permits of the uploads that run: while there is one, idleness ends nothing.
        var permits: [WeakPermit] = []

        var isWriting: Bool { permits.contains { $0.permit != nil } }
    }

    /// The guest whose photos have become the vault's in this session, and their serials here by those there.
    private struct Predecessor {
        let handles: PhotoHandles
        let serials: [UInt64: UInt64]
    }

    private struct WeakRun {
        weak var run: UploadRun?
    }

    private struct WeakPermit {
        weak var permit: UploadPermit?
    }

    /// Archives of a session at most; those give way that were not used for longest.
    private static let mostArchives = 16
    /// Albums that can be brought back at most: a way back is offered for seconds.
    private static let mostRemovedAlbums = 8

    package let kind: Kind
    let vaultUID: [UInt8]
    /// The way by which it came into the vault.
    let way: WayID
    /// Whether it came by a program's code: it sends and lists, and changes nothing.
    package let isApp: Bool
    /// Nil for one that ends with the daemon.
    let kept: ResumableSession?
    /// Guesses of this house that were wrong between the opening before this session's and this one.
    package let wrongGuesses: UInt64
    /// Nil for a guest, and for a program that sends the password with each request.
    let device: DeviceKind?
    /// Who opened it, where that is not this host itself.
    let neighbour: [UInt8]?
    package let openedAt = Date.now
    /// Like no other's of this run, nor like the serial of a photo.
    let number = 1 << 62 | UInt64.random(in: 0..<1 << 62)
    let engine: UploadEngine
    let cleanCopies = CleanCopies()
    /// By which places to read in are shared: by the neighbour that opened it, however many vaults it has.
    var visitor: FairSemaphore.Visitor {
        FairSemaphore.Visitor(ObjectIdentifier(self), of: Holder(isGuest: kind != .vault, key: neighbour ?? vaultUID))
    }
    private let accessEpoch: UInt64
    private let began: ContinuousClock.Instant
    let beganDay: UInt32
    private let limits: VaultLimits
    let now: @Sendable () -> ContinuousClock.Instant
    private let state: Mutex<State>
    private let handles: PhotoHandles

    init(
        vault: OpenVault, accessEpoch: UInt64? = nil, way: WayID = .first, kept: ResumableSession? = nil,
        device: DeviceKind? = nil, neighbour: [UInt8]? = nil, wrongGuesses: UInt64 = 0, engine: UploadEngine,
        limits: VaultLimits,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) throws {
        kind = Self.kind(in: vault)
        vaultUID = vault.uid
        self.way = way
        isApp = vault.kind(of: way) == .app
        self.kept = kept
        self.wrongGuesses = wrongGuesses
        self.device = device
        self.neighbour = neighbour
        self.accessEpoch = accessEpoch ?? vault.accessEpoch
        self.engine = engine
        self.limits = limits
        self.now = now
        // A program keeps what it has seen; a browser's history is to match nothing in another session.
        let isOfProgram = kind == .vault && device == nil
        began = now()
        beganDay = vault.store.today
        state = Mutex(State(vault: vault, lastUsed: now()))
        handles = try PhotoHandles(
            key: try kept?.handleKey.bytes.duplicate() ?? (isOfProgram ? vault.handleKey() : SecretBytes(random: 32)))
    }

    private static func kind(in vault: OpenVault) -> Kind {
        if vault.window != nil { return .viewer }
        return vault.door.map { $0.isSender ? .sender : .visitor } ?? (vault.isGuest ? .guest : .vault)
    }

    // MARK: Life

    package var idleRemaining: Duration { max(.zero, deadline - now()) }
    /// `idleRemaining` after each use.
    package var idleLimit: Duration { kind == .viewer ? limits.viewerIdle : limits.idleLock }
    /// Whether its token brings it back. A vault takes that away when its key is rotated; nobody can from a guest.
    package var isKept: Bool {
        guard let kept else { return false }
        guard kind == .vault, let vault = openVault else { return true }
        return vault.keptSessions.contains { $0.id == kept.id }
    }
    /// When a session that outlives the daemon ends for good; of a guest, when the photos go.
    package var end: Date? {
        isKept ? kept.map { Date(timeIntervalSince1970: (Double($0.lastDay) + 1) * 86_400) } : nil
    }
    package var damage: VaultDamage? { openVault?.damage }
    /// The vault, if it is open. Asking does not count as use of the session.
    var openVault: OpenVault? { state.withLock { $0.vault } }
    /// Whether others may have read something of what it sent.
    var isReadable: Bool { state.withLock { $0.isReadable } }
    func noteReadable() { state.withLock { $0.isReadable = true } }

    /// When it ends by itself, unless it is used before; asked while an upload runs, it is put off.
    var deadline: ContinuousClock.Instant {
        let (lastUsed, isWriting) = state.withLock { ($0.lastUsed, $0.isWriting) }
        return min((isWriting ? now() : lastUsed) + idleLimit, began + absoluteLock)
    }

    /// A guest whose rows are still there is let in by a clock, too, that has jumped beyond their last day: only the
    /// sweep, which trusts no such clock, says that they are over.
    private var absoluteLock: Duration {
        kept.map { .seconds(86_400) * max(1, Int($0.lastDay) + 1 - Int(beganDay)) } ?? limits.absoluteLock
    }

    /// Whether an upload of it runs, and when it was used last: whose place goes first.
    var use: (isWriting: Bool, last: ContinuousClock.Instant) { state.withLock { ($0.isWriting, $0.lastUsed) } }

    /// Whether it is neither locked nor over. Asking does not count as use of the session.
    var isOpen: Bool { now() < deadline && !isEnded }

    /// False when what opened the vault, or the window, stopped doing so before this session was known to the table.
    var isAdmitted: Bool {
        guard let vault = openVault else { return false }
        return vault.accessEpoch == accessEpoch && vault.window?.isOver != true
    }

    package var isEnded: Bool { state.withLock { $0.vault == nil } }

    /// Counts as use.
    /// - Throws: `sessionEnded`.
    func touch() throws(VaultError) {
        _ = try requireVault()
    }

    /// The open vault; counts as use.
    /// - Throws: `sessionEnded` once the session was locked or its time is over.
    func requireVault() throws(VaultError) -> OpenVault {
        let now = now()
        let isOver = now >= deadline
        let vault = state.withLock { state -> OpenVault? in
            if isOver { state.vault = nil }
            if state.vault != nil { state.lastUsed = now }
            return state.vault
        }
        guard let vault else { throw .sessionEnded }
        return vault
    }

    /// Lets go of the vault. What arrived of resumable uploads is on disk on return; other uploads, and downloads, of
    /// this session stop at their next step.
    func end() async {
        // Handed out, because its last reference must not go inside the lock.
        _ = state.withLock { state in
            state.vault = nil
            state.predecessor = nil
            state.archives = []
            state.removedAlbums = []
            defer { state.companion = nil }
            return state.companion
        }
        await endRuns(.sessionEnded)
    }

    /// What whoever speaks for a client remembers of it for as long as the session lives; made when it is first asked for.
    /// - Throws: `sessionEnded`.
    package func companion<Companion: AnyObject & Sendable>(
        _ make: () -> Companion
    ) throws(VaultError) -> Companion {
        try touch()
        return state.withLock { state in
            if let companion = state.companion as? Companion { return companion }
            let companion = make()
            // One that ended meanwhile keeps nothing.
            if state.vault != nil { state.companion = companion }
            return companion
        }
    }

    // MARK: A guest's session whose space becomes part of a vault

    /// The session in which what this one has begun goes on.
    var following: Session {
        state.withLock { state in
            guard let successor = state.successor, state.vault?.hasMoved ?? true else { return self }
            return successor
        }
    }

    /// Before the move: from the commit on, every step of a running request belongs there.
    func setSuccessor(_ session: Session?) { state.withLock { $0.successor = session } }

    /// After the move. Unlike `end`, it leaves running requests alone: they end with the other session.
    func moveRuns() {
        let (successor, runs, permits) = state.withLock { state in
            defer {
                state.vault = nil
                state.runs = [:]
                state.permits = []
            }
            return (state.successor, state.runs.values.compactMap(\.run), state.permits.compactMap(\.permit))
        }
        for run in runs { successor?.remember(run) }
        for permit in permits { successor?.remember(permit) }
    }

    /// From here on, what the guest's session called a photo names it here, so that what somebody was doing goes on.
    func takeOver(_ guest: Session, serials: [UInt64: UInt64]) {
        state.withLock { $0.predecessor = Predecessor(handles: guest.handles, serials: serials) }
    }

    // MARK: Requests that write

    /// Ends them, all at the same time, so that they share their syncs. What arrived is on disk on return.
    func endRuns(_ reason: VaultError) async {
        let runs = state.withLock { $0.runs.values.compactMap(\.run) }
        await withDiscardingTaskGroup { group in
            for run in runs { group.addTask { _ = await run.end(reason, keepingBytes: true) } }
        }
    }

    func remember(_ run: UploadRun) {
        state.withLock { state in
            state.runs = state.runs.filter { $0.value.run != nil }
            state.runs[ObjectIdentifier(run)] = WeakRun(run: run)
        }
    }

    /// Keeps the permit of an upload that runs.
    func remember(_ permit: UploadPermit) {
        state.withLock { state in
            state.permits = state.permits.filter { $0.permit != nil } + [WeakPermit(permit: permit)]
        }
    }

    func forget(_ run: UploadRun) { state.withLock { $0.runs[ObjectIdentifier(run)] = nil } }

    // MARK: Requests that read

    /// Runs blocking reading in turn with others, with the errors of this target.
    func reading<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        do { return try await engine.threads.read(for: visitor, body) } catch { throw VaultError(error) }
    }

    // MARK: Handles

    func handle(_ serial: UInt64) -> String { handles.handle(of: serial) }

    /// - Throws: `noSuchPhoto` for anything that neither this session has named nor the guest's before it.
    func serial(_ handle: String) throws(VaultError) -> UInt64 {
        if let serial = handles.serial(of: handle) { return serial }
        guard let predecessor = state.withLock({ $0.predecessor }),
            let serial = predecessor.handles.serial(of: handle).flatMap({ predecessor.serials[$0] })
        else { throw .noSuchPhoto }
        return serial
    }

    // MARK: Archives

    /// - Throws: `busy` where archives have taken all the memory that there is for them.
    func remember(archive name: String, _ contents: ArchiveSelection) throws(VaultError) {
        let now = now()
        let archive = try Archive(contents, claim: listClaim(), now: now)
        // Handed out, because the last reference of one must not go inside the lock.
        _ = state.withLock { state in
            defer { state.archives.append((name, archive)) }
            let all = state.archives
            state.archives.removeAll { $0.archive.isOver(at: now) }
            if state.archives.count >= Self.mostArchives,
                let oldest = state.archives.indices.min(by: {
                    state.archives[$0].archive.lastUsed < state.archives[$1].archive.lastUsed
                })
            {
                state.archives.remove(at: oldest)
            }
            return all
        }
    }

    func remember(_ album: RemovedAlbum) {
        state.withLock { $0.removedAlbums = $0.removedAlbums.suffix(Self.mostRemovedAlbums - 1) + [album] }
    }

    func removedAlbum(_ id: AlbumID) -> RemovedAlbum? {
        state.withLock { state in state.removedAlbums.last { $0.record.id == id } }
    }

    func rememberedArchive(_ name: String) -> Archive? {
        let now = now()
        let found = state.withLock { state in state.archives.first { $0.name == name }?.archive }
        guard let found, !found.isOver(at: now) else { return nil }
        return found
    }

    /// Its time begins anew.
    package func touch(_ archive: Archive) { archive.touch(now()) }
}
