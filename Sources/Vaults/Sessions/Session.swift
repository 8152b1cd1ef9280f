import Sealing
import Store
import Synchronization

/// One browser's way into an open vault. When it ends it lets go of the vault; the vault's keys are wiped with its last
/// session.
package final class Session: Sendable {
    private struct State {
        var vault: OpenVault?
        var lastUsed: ContinuousClock.Instant
        var archives: [String: [UInt64]] = [:]
        var runs: [ObjectIdentifier: WeakRun] = [:]
    }

    private struct WeakRun {
        weak var run: UploadRun?
    }

    /// Waiting one-time archives of a session at most; older ones give way.
    private static let mostArchives = 16

    let vaultUID: [UInt8]
    let engine: UploadEngine
    private let accessEpoch: UInt64
    private let began: ContinuousClock.Instant
    private let limits: VaultLimits
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state: Mutex<State>
    private let handles: Mutex<BlockPermutation>

    init(
        vault: OpenVault, accessEpoch: UInt64? = nil, engine: UploadEngine, limits: VaultLimits,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) throws {
        vaultUID = vault.uid
        self.accessEpoch = accessEpoch ?? vault.accessEpoch
        self.engine = engine
        self.limits = limits
        self.now = now
        began = now()
        state = Mutex(State(vault: vault, lastUsed: now()))
        handles = Mutex(try BlockPermutation(key: try SecretBytes(random: 32)))
    }

    // MARK: Life

    package var idleRemaining: Duration { max(.zero, deadline - now()) }
    package var damage: VaultDamage? { state.withLock { $0.vault }?.damage }

    /// When it ends by itself, unless it is used before.
    var deadline: ContinuousClock.Instant {
        min(state.withLock { $0.lastUsed } + limits.idleLock, began + limits.absoluteLock)
    }

    /// False when the password that opened the vault stopped doing so before this session was known to the table.
    var isAdmitted: Bool { state.withLock { $0.vault?.accessEpoch == accessEpoch } }

    var isEnded: Bool { state.withLock { $0.vault == nil } }

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
        state.withLock { state in
            state.vault = nil
            state.archives = [:]
        }
        await endRuns(.sessionEnded)
    }

    // MARK: Requests that write

    /// Ends them, all at the same time, so that they share their syncs. What arrived is on disk on return.
    func endRuns(_ reason: VaultError) async {
        let runs = state.withLock { $0.runs.values.compactMap(\.run) }
        await withDiscardingTaskGroup { group in
            for run in runs { group.addTask { _ = await run.end(reason) } }
        }
    }

    func remember(_ run: UploadRun) {
        state.withLock { state in
            state.runs = state.runs.filter { $0.value.run != nil }
            state.runs[ObjectIdentifier(run)] = WeakRun(run: run)
        }
    }

    func forget(_ run: UploadRun) { state.withLock { $0.runs[ObjectIdentifier(run)] = nil } }

    // MARK: Handles

    /// What a client sees instead of a serial: a permutation under a key of this session.
    func handle(_ serial: UInt64) -> String {
        let block = serial.bigEndianBytes + UInt64(0).bigEndianBytes
        // A single block under a fixed key fails only when OpenSSL itself is broken; an empty handle then names
        // nothing.
        return (try? handles.withLock { try $0.encrypt(block) }).map(Base64URL.encode) ?? ""
    }

    /// - Throws: `noSuchPhoto` for anything that `handle` did not make in this session.
    func serial(_ handle: String) throws(VaultError) -> UInt64 {
        guard let block = Base64URL.decode(handle), block.count == BlockPermutation.blockByteCount,
            let opened = try? handles.withLock({ try $0.decrypt(block) })
        else { throw .noSuchPhoto }
        var reader = ByteReader(opened)
        guard let serial = reader.readUInt64(), reader.readUInt64() == 0 else { throw .noSuchPhoto }
        return serial
    }

    // MARK: Archives

    func remember(archive name: String, _ serials: [UInt64]) {
        state.withLock { state in
            if state.archives.count >= Self.mostArchives { state.archives.remove(at: state.archives.startIndex) }
            state.archives[name] = serials
        }
    }

    func forget(archive name: String) -> [UInt64]? { state.withLock { $0.archives.removeValue(forKey: name) } }
}
