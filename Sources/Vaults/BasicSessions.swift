import Bytes
import Records
import Sealing
import Synchronization
import Unlocking

/// Sessions of clients that send the password with each request. An opened vault is kept for the idle time under a
/// keyed hash of the password and of the address that it came from; requests that come together share one key
/// derivation.
final class BasicSessions: Sendable {
    /// What is known of a credential.
    enum Known {
        case open(Session)
        /// Somebody at the same address is deriving its key at this moment.
        case opening(BasicOpening)
    }

    private let key: SharedSecret
    private let table: SessionTable
    private let openings = Mutex<[[UInt8]: BasicOpening]>([:])

    init(table: SessionTable) throws {
        key = SharedSecret(try SecretBytes(random: 32))
        self.table = table
    }

    /// Looks a credential up. One that is not known is noted as being opened, by whoever then holds `opening`.
    func recall(_ hash: [UInt8], for _: borrowing Guess, beginning opening: inout BasicOpening?) -> Known? {
        if let session = table.session(key: hash) { return .open(session) }
        return openings.withLock { openings in
            if let other = openings[hash] { return .opening(other) }
            let begun = BasicOpening()
            openings[hash] = begun
            opening = begun
            return nil
        }
    }

    /// Whoever waits for it is told.
    func finish(_ opening: BasicOpening?, of hash: [UInt8], _ outcome: Result<Session, VaultError>) {
        guard let opening else { return }
        openings.withLock { $0[hash] = nil }
        opening.finish(outcome)
    }

    /// 33 bytes, so that it is never the key of a cookie's session.
    /// - Parameters:
    ///   - client: known by its address, and by its device where the kernel knows that: an address may pass to another.
    ///   - day: since 1970; what a door's code has sent on one day has a space of its own.
    func keyedHash(of password: Password, from client: Client, on day: UInt32) throws -> [UInt8] {
        var mac = try HMACSHA256(key: key.bytes)
        let place = Array(try mac.authenticate(client.address.bytes + client.holder + day.bigEndianBytes))
        var hash = [UInt8](repeating: 0, count: HMACSHA256.byteCount)
        try hash.withUnsafeMutableBytes { (hash: UnsafeMutableRawBufferPointer) in
            try password.bytes.withUnsafeBytes { try mac.authenticate($0, into: hash) }
        }
        return try mac.authenticate(place, hash) + [0]
    }
}

/// One opening that several requests wait for.
final class BasicOpening: Sendable {
    private struct State {
        var outcome: Result<Session, VaultError>?
        var waiting: [CheckedContinuation<Result<Session, VaultError>, Never>] = []
    }

    private let state = Mutex(State())

    func session() async throws(VaultError) -> Session {
        try await withCheckedContinuation { continuation in
            let outcome = state.withLock { state in
                if state.outcome == nil { state.waiting.append(continuation) }
                return state.outcome
            }
            if let outcome { continuation.resume(returning: outcome) }
        }.get()
    }

    fileprivate func finish(_ outcome: Result<Session, VaultError>) {
        let waiting = state.withLock { state in
            state.outcome = outcome
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: outcome) }
    }
}
