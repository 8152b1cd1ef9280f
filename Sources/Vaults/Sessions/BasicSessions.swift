import Sealing
import Synchronization

/// Sessions of clients that send the password with each request. An opened vault is kept for the idle time under a
/// keyed hash of the password; identical passwords that wait share one key derivation.
final class BasicSessions: Sendable {
    private let key: SharedSecret
    private let table: SessionTable
    private let waiting = Mutex<[[UInt8]: Task<Session, any Error>]>([:])

    init(table: SessionTable) throws {
        key = SharedSecret(try SecretBytes(random: 32))
        self.table = table
    }

    func session(_ password: Password, open: @escaping @Sendable () async throws -> Session) async throws -> Session {
        let hash = try keyedHash(password)
        if let session = table.session(key: hash) { return session }
        let task = waiting.withLock { waiting in
            if let task = waiting[hash] { return task }
            let task = Task { [table] in
                let session = try await open()
                try table.add(session, under: hash)
                return session
            }
            waiting[hash] = task
            return task
        }
        defer { waiting.withLock { if $0[hash] == task { $0[hash] = nil } } }
        return try await task.value
    }

    /// 33 bytes, so that it is never the key of a cookie's session.
    private func keyedHash(_ password: Password) throws -> [UInt8] {
        var mac = try HMACSHA256(key: key.bytes)
        var hash = [UInt8](repeating: 0, count: HMACSHA256.byteCount)
        try hash.withUnsafeMutableBytes { (hash: UnsafeMutableRawBufferPointer) in
            try password.bytes.withUnsafeBytes { try mac.authenticate($0, into: hash) }
        }
        return hash + [0]
    }
}
