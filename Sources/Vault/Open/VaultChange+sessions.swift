package import Records
package import Store

extension VaultChange {
    /// Lists a session and stores its row.
    package mutating func keep(
        _ id: SessionID, body: [UInt8], lastDay: UInt32, way: WayID = .first, device: DeviceKind = DeviceKind(),
        today: UInt32
    ) throws {
        try forgetSessions { $0.lastDay < today }
        while draft.keptSessions.count >= KeptSession.most, let oldest = draft.keptSessions.first {
            try forgetSessions { $0.id == oldest.id }
        }
        let session = KeptSession(id: id, lastDay: lastDay, rowNumber: takeNumber(), way: way, device: device)
        try put(RowPiece(kind: .keptSession, payload: session.payload), at: session.rowNumber)
        try transaction.putSession(id, body: body, expiresDay: lastDay)
        draft.keptSessions.append(session)
    }

    /// They are dead with this commit.
    package mutating func forgetSessions(where condition: (KeptSession) -> Bool) throws {
        for session in draft.keptSessions where condition(session) {
            try transaction.deleteSession(session.id)
            try makeEmpty(session.rowNumber)
        }
        draft.keptSessions.removeAll(where: condition)
    }
}
