import Bytes
import Records
import Store
import Unlocking

/// One guest's space, as far as the host can tell without its key.
package struct GuestSpace: Sendable, Equatable {
    /// Names it for `endGuests`; says nothing to anybody.
    package let id: String
    /// Days since 1970: when it began, and the last one on which it is kept.
    package let firstDay: UInt32
    package let lastDay: UInt32
    /// Those in its trash, too.
    package let photoCount: Int
    package let unfinishedCount: Int
    /// Bytes of disk that it takes.
    package let byteCount: UInt64
}

/// For whoever has the host: guests' spaces are seen and ended without their keys.
extension VaultService {
    /// The oldest first.
    package func guestSpaces() async throws -> [GuestSpace] {
        let rows = try await store.ledger.read { try $0.guestSpaces() }
        return try await engine.threads.run { [store] in
            rows.map { rows in
                let files = (rows.objects + rows.parts).map { (try? store.objects.byteCount(of: $0)) ?? 0 }
                return GuestSpace(
                    id: rows.id.text,
                    // What was given at a door is kept beyond that: when it came, nothing says.
                    firstDay: min(store.today, rows.expiresDay - min(rows.expiresDay, SessionRecord.days)),
                    lastDay: rows.expiresDay, photoCount: rows.objects.count, unfinishedCount: rows.parts.count,
                    byteCount: files.reduce(0, clampedSum))
            }
        }
    }

    /// Ends those of these that are there, for good: requests of theirs that run end, too.
    /// - Returns: how many there were.
    package func endGuests(_ ids: [String]) async throws -> Int {
        let wanted = Set(ids.compactMap(GuestSpaceID.init(text:)))
        return try await translating { [self] in
            let ended = try await registry.endGuests(wanted)
            for uid in ended.open { await sessions.endAll(of: uid) }
            return ended.count
        }
    }
}

extension VaultRegistry {
    /// - Returns: how many spaces there were, and the uids of those that were open.
    fileprivate func endGuests(_ wanted: Set<GuestSpaceID>) async throws -> (count: Int, open: [[UInt8]]) {
        try await alone { [self] keeper in
            let found = try store.ledger.readBlocking { try $0.guestSpaces() }.map(\.id).filter(wanted.contains)
            var open: [[UInt8]] = []
            for vault in openVaults where vault.space.map({ wanted.contains(GuestSpaceID(row: $0)) }) ?? false {
                guard !vault.hasEnded else { continue }
                try vault.eraseBlocking()
                forget(vault)
                open.append(vault.uid)
            }
            // Also what an erase by key may have left: rows that did not open.
            try keeper.removeClosedBlocking(found)
            tidy()
            try engine.guestDiskUsage.measure(store)
            return (found.count, open)
        }
    }
}

extension GuestSpaceID {
    /// Hexadecimal, or the day of rows that name no space.
    fileprivate var text: String {
        guard let row else { return "day-\(day)" }
        return Hexadecimal.encode(row.bytes)
    }

    fileprivate init?(text: String) {
        if text.hasPrefix("day-") {
            guard let day = UInt32(text.dropFirst(4)) else { return nil }
            self.init(rowsOf: day)
            return
        }
        guard let row = Hexadecimal.decode(text).flatMap({ RowID(bytes: $0) }) else { return nil }
        self.init(row: row)
    }
}
