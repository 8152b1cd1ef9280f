package import FoundationEssentials
package import Records
import Store

/// One browser or program that has a vault open, or can open it again by a cookie, as the others in it see it.
package struct OpenSession: Equatable, Sendable {
    /// Means something to the session that asked, and to no other.
    package let id: String
    package let openedAt: Date
    /// Nil for a program that sends the password with each request.
    package let device: DeviceKind?
    /// The one that asks.
    package let isCurrent: Bool
    /// When one ends that outlives idleness and restarts; nil for others.
    package let end: Date?
}

extension VaultService {
    /// Those of this session's vault, the newest first; of no other vault, and no guest's.
    /// - Throws: `sessionEnded`, `vaultNeeded`.
    package func openSessions(of session: Session) throws -> [OpenSession] {
        let vault = try requireOwnVault(session)
        let kept = vault.keptSessions.filter { $0.lastDay >= vault.store.today }
        let live = sessions.all(of: vault.uid).filter { $0.isOpen }
        let revived = Set(live.compactMap { $0.kept?.id })
        let sleeping = kept.filter { !revived.contains($0.id) }
        return
            (live.map { describe($0, kept, to: session) } + sleeping.map { describe($0, to: session) })
            .sorted { ($0.openedAt, $0.id) > ($1.openedAt, $1.id) }
    }

    private func describe(_ other: Session, _ kept: [KeptSession], to session: Session) -> OpenSession {
        let row = kept.first { $0.id == other.kept?.id }
        return OpenSession(
            id: session.handle(Self.number(of: other, row)), openedAt: row?.openedAt ?? other.openedAt,
            device: row?.device ?? other.device, isCurrent: other === session, end: other.end)
    }

    private func describe(_ kept: KeptSession, to session: Session) -> OpenSession {
        OpenSession(
            id: session.handle(Self.number(of: kept)), openedAt: kept.openedAt, device: kept.device, isCurrent: false,
            end: Date(timeIntervalSince1970: (Double(kept.lastDay) + 1) * 86_400))
    }

    /// Ends one of them, over restarts too; may be the one that asks.
    /// - Throws: `noSuchSession`, also for one that has ended meanwhile; as `lock`.
    package func end(_ id: String, of session: Session) async throws {
        let vault = try requireOwnVault(session)
        guard let number = try? session.serial(id) else { throw VaultError.noSuchSession }
        let kept = vault.keptSessions.first { Self.number(of: $0) == number }
        let live = sessions.all(of: vault.uid).first { other in
            kept.map { $0.id == other.kept?.id } ?? (other.number == number)
        }
        if let live { return try await lock(live) }
        guard let kept else { throw VaultError.noSuchSession }
        try await translating { [self] in try await registry.revoke(vault) { $0.id == kept.id } }
    }

    /// What their handles are made of: out of the way of photos' serials, and told apart from each other.
    private static func number(of session: Session, _ kept: KeptSession?) -> UInt64 {
        kept.map(number) ?? session.number
    }

    private static func number(of kept: KeptSession) -> UInt64 { 1 << 63 | kept.rowNumber }
}
