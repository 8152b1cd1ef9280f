internal import GRDB
import Glibc

/// Sessions that outlive the daemon. What a row says is sealed under the token of whoever holds the session.
extension LedgerTransaction {
    /// Bytes of a session's body, whoever it is for.
    package static let sessionByteCount = 256

    /// `expiresDay`, days since 1970: the last day on which it is kept.
    package func putSession(_ id: SessionID, body: [UInt8], expiresDay: UInt32) throws {
        guard body.count == Self.sessionByteCount else {
            throw StoreError.ioFailed(operation: "storing a session of \(body.count) bytes", errno: EINVAL)
        }
        try recording {
            try database.run(
                "INSERT OR REPLACE INTO session (id, body, expires_day) VALUES (?, ?, ?)",
                [.id(id), .blob(body), .integer(Int64(expiresDay))])
        }
    }

    package func deleteSession(_ id: SessionID) throws {
        try recording { try database.run("DELETE FROM session WHERE id = ?", [.id(id)]) }
    }

    /// After the ledger was put back from a copy: some of its sessions may have been ended since, and which ones
    /// nobody can tell. Who keeps the mark with a session sees that.
    func renewSessionMark() throws {
        try setMetaValue(LedgerSchema.MetaKey.sessionMark, try randomBytes(LedgerReader.sessionMarkByteCount))
    }

    /// Random rows that nobody holds a token for: without them the number of sessions would tell how many there are.
    func addCoverSessions(_ count: Int, today: UInt32) throws {
        for _ in 0..<count {
            try putSession(
                .random(), body: try randomBytes(Self.sessionByteCount),
                expiresDay: today + LedgerSchema.sessionDays)
        }
    }
}

extension LedgerReader {
    package static let sessionMarkByteCount = 16

    /// 16 bytes; another one whenever the ledger was put back from a copy, and zeros before.
    package func sessionMark() throws -> [UInt8] {
        let mark = try metaValue(LedgerSchema.MetaKey.sessionMark)
        return mark?.count == Self.sessionMarkByteCount
            ? mark ?? [] : [UInt8](repeating: 0, count: Self.sessionMarkByteCount)
    }

    package func session(_ id: SessionID) throws -> [UInt8]? {
        try translatingLedgerErrors {
            try database.blob("SELECT body FROM session WHERE id = ?", [.id(id)])
        }
    }
}
