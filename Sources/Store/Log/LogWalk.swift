/// Follows the log in the bucket from a place in it to its end.
///
/// What was removed must never be taken for what did not come yet: who did so would put a seal where the log has gone on
/// long ago. So an entry that is missing counts as the end only while nothing says where its epoch ended; that mark is
/// put before anything of an epoch is removed, and stays.
struct LogWalk {
    /// Entries behind the place are not there any more; a snapshot has them.
    struct Gap: Error {}

    let remote: any RemoteObjects

    /// - Parameter apply: makes an entry durable here, with the mark behind it. Of a seal there is only the mark.
    /// - Returns: nil at the end.
    func step(
        from mark: LogMark, _ apply: (_ entry: LogEntryReader, _ mark: LogMark) throws -> Void
    ) throws -> LogMark? {
        // An entry that is not what was written leaves nothing behind here.
        let step = try remote.askingAgain { remote in
            do {
                return Step(mark: try LogWalk(remote: remote).stepOnce(from: mark, apply))
            } catch let damage as StoreError {
                guard case .ledgerDamaged = damage else { throw damage }
                return Step(damage: damage)
            }
        } until: {
            $0.isWhole
        }
        if let damage = step.damage { throw damage }
        return step.mark
    }

    private struct Step {
        var mark: LogMark?
        var damage: StoreError?
        var isWhole: Bool { damage == nil }
    }

    private func stepOnce(
        from mark: LogMark, _ apply: (_ entry: LogEntryReader, _ mark: LogMark) throws -> Void
    ) throws -> LogMark? {
        let position = mark.position.next
        guard let entry = try entry(at: position) else { return nil }
        let next: LogMark
        switch entry.header.kind {
        case .changes: next = LogMark(position, mark.writer)
        case .seal:
            next = LogMark(position.nextEpoch, entry.header.writer)
            _ = try? LedgerLog.markEnd(of: position.epoch, at: position.number, in: remote)
        }
        try apply(entry, next)
        return next
    }

    private func entry(at position: LogPosition) throws -> LogEntryReader? {
        if let entry = try LogEntryReader.open(position, in: remote) { return entry }
        guard try remote.readWhole(LogNames.end(of: position.epoch), atMost: 64) != nil else { return nil }
        // The epoch may have ended between the two questions.
        guard let entry = try LogEntryReader.open(position, in: remote) else { throw Gap() }
        return entry
    }
}
