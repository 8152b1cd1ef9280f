import HTTPTypes
import Records
import Vaults

/// What there is for whoever sends with a door's code: the inbox, and in it what this code has sent within a day.
extension DAVTree {
    /// A program that may send, and nothing else: it opens nothing and deletes nothing.
    var sendsOnly: Bool { session.kind == .sender }

    /// Refuses what no place and no photo could change. That photos are neither read nor deleted is seen to where that
    /// would be done: programs look at, and take away, what is none, as the file without a byte before the real one.
    /// - Throws: `onlySends`.
    func requireMay(_ method: HTTPRequest.Method, _ path: DAVPath) throws(VaultError) {
        guard sendsOnly else { return }
        guard path.isRoot || path == Self.inbox || path.isBelow(Self.inbox), method != .copy else { throw .onlySends }
    }
}
