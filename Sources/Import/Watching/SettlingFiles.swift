/// Which files of a watched folder are complete. A pure state machine: what the kernel says, and what a look at a file
/// says, comes in with the moment; nothing is read here.
///
/// A file is taken when whoever wrote it has closed it, or it was moved in whole, and nothing about it has changed
/// between two looks.
package struct SettlingFiles: Sendable {
    package typealias Instant = ContinuousClock.Instant
    /// As they lie below the folder, parts divided by slashes. Names need not be text.
    package typealias Path = [UInt8]

    package enum Sign: Sendable {
        /// A name came into being: somebody may be about to write, or has linked a file that is whole.
        case made
        case written
        case closed
        case movedIn
        /// Rights or times were changed.
        case touched
        /// It lay there when the folder was looked through.
        case found
    }

    /// Whether some program has the file open for writing.
    package enum Writer: Sendable {
        case present, absent
        /// The kernel tells only the file's owner.
        case unknown
    }

    private struct Waiting {
        /// Nil while somebody writes.
        var due: Instant?
        var hasWriter = false
        /// It was seen to be closed, or to come whole.
        var isComplete = false
        /// It could not be read when it was looked at.
        var isUnreadable = false
        var seen: FileSign?
    }

    /// Between two looks.
    package static let settling: Duration = .seconds(2)
    /// So long nothing may have happened to a file whose writer nobody saw go.
    package static let silence: Duration = .seconds(60)

    private var waiting: [Path: Waiting] = [:]

    package init() {}

    package var count: Int { waiting.count }

    /// When there is something to look at; nil as long as nothing happens.
    package var nextDue: Instant? { waiting.values.compactMap(\.due).min() }

    package mutating func note(_ sign: Sign, of path: Path, now: Instant) {
        var file = waiting[path] ?? Waiting()
        switch sign {
        case .made: file.due = now + Self.silence
        case .written: (file.due, file.hasWriter, file.isComplete) = (nil, true, false)
        case .closed, .movedIn: (file.due, file.hasWriter, file.isComplete) = (now + Self.settling, false, true)
        case .touched, .found:
            if file.isUnreadable { file.due = now }
            if !file.hasWriter { file.due = file.due ?? now }
        }
        waiting[path] = file
    }

    /// It could not be opened, or not be read to its end: it is looked at again when its rights change, and in a minute.
    package mutating func postpone(_ path: Path, now: Instant) {
        waiting[path] = Waiting(due: now + Self.silence, isUnreadable: true)
    }

    package mutating func forget(_ path: Path) { waiting[path] = nil }

    package mutating func forgetAll() { waiting = [:] }

    package mutating func forgetAll(below folder: Path) {
        waiting = waiting.filter { !$0.key.starts(with: folder + [UInt8(ascii: "/")]) }
    }

    /// What is to be looked at now, in the order of the names. For each `isComplete`, `postpone` or `forget` is called next.
    package func due(now: Instant) -> [Path] {
        waiting.filter { $0.value.due.map { $0 <= now } ?? false }.keys.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// - Parameters:
    ///   - age: since it was changed last, by the clock of this host.
    /// - Returns: whether it is to be taken; it waits no more then. Otherwise it is looked at later.
    package mutating func isComplete(
        _ path: Path, _ sign: FileSign, writer: Writer, age: Duration, now: Instant
    ) -> Bool {
        guard var file = waiting[path] else { return false }
        file.isUnreadable = false
        if writer == .present { file.hasWriter = true }
        guard !file.hasWriter else {
            // Its end is told.
            (file.due, file.isComplete) = (nil, false)
            waiting[path] = file
            return false
        }
        let isKnownWhole = file.isComplete || writer == .absent
        let rest = isKnownWhole ? .zero : max(.zero, Self.silence - age)
        if file.seen == sign, rest == .zero {
            waiting[path] = nil
            return true
        }
        file.seen = sign
        file.due = now + max(Self.settling, rest)
        waiting[path] = file
        return false
    }
}
