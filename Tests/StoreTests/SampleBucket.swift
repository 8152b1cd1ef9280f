import Bytes
import StoreSupport
import Synchronization

@testable import Store

/// A bucket in memory that keeps the first of a name, and does on demand what lines and stores do on bad days.
final class SampleBucket: RemoteObjects {
    enum Fault: Error, Equatable {
        /// Nothing of the request came.
        case lost
        /// The store did it, and the answer did not come.
        case answerLost
    }

    private struct State {
        var objects: [String: [UInt8]] = [:]
        /// As whoever put them said; what another program puts has none.
        var digests: [String: String] = [:]
        var puts: [String] = []
        var fault: (@Sendable (_ name: String) -> Fault?)?
        var hidden: (@Sendable (_ name: String) -> Bool)?
        var alsoListed: [String] = []
        var missing: (@Sendable (_ name: String) -> Void)?
        var spoiled: (@Sendable (_ name: String) -> Bool)?
        var shortOnce: Set<String>?
        var wrongOnce: Set<String>?
        var missingOnce: Set<String> = []
        var pagesOnce: Set<String> = []
        var complaint: String?
        var listed: (@Sendable () -> Void)?
        var unlisted = 0
    }

    private let state = Mutex(State())
    let place = "a bucket of the tests"
    let concurrency = 4

    /// What becomes of the next requests that put something.
    func setFault(_ fault: (@Sendable (_ name: String) -> Fault?)?) { state.withLock { $0.fault = fault } }
    /// What lists do not know of.
    func hide(_ hidden: (@Sendable (_ name: String) -> Bool)?) { state.withLock { $0.hidden = hidden } }

    /// What lists still name and is gone.
    func setAlsoListed(_ names: [String]) { state.withLock { $0.alsoListed = names } }
    /// Called behind the answer that something is not there.
    func whenMissing(_ missing: (@Sendable (_ name: String) -> Void)?) { state.withLock { $0.missing = missing } }
    /// Called behind a list of the log.
    func whenListed(_ listed: (@Sendable () -> Void)?) { state.withLock { $0.listed = listed } }

    /// The next lists of objects bring no answer.
    func failLists(_ count: Int) { state.withLock { $0.unlisted = count } }

    /// Of what it keeps other bytes than it was given, as stores do that put parts together wrongly.
    func spoil(_ spoiled: (@Sendable (_ name: String) -> Bool)?) { state.withLock { $0.spoiled = spoiled } }
    /// From now on the first read of each object brings half of what was asked for.
    func answerShortOnce() { state.withLock { $0.shortOnce = [] } }
    /// From now on the first read of each object brings as many bytes as were asked for, and other ones.
    func answerWronglyOnce() { state.withLock { $0.wrongOnce = [] } }
    /// The next read of each of these finds nothing.
    func missOnce(_ names: [String]) { state.withLock { $0.missingOnce = Set(names) } }
    /// Somebody else answers the next look at each of these.
    func showPageOnce(_ names: [String]) { state.withLock { $0.pagesOnce = Set(names) } }
    /// What a trial of it finds.
    func setComplaint(_ complaint: String?) { state.withLock { $0.complaint = complaint } }

    func requireGood() throws {
        if let complaint = state.withLock(\.complaint) { throw StoreError.unusable(complaint) }
    }

    var names: [String] { state.withLock { $0.objects.keys.sorted() } }
    /// Names in the order in which they were put.
    var puts: [String] { state.withLock(\.puts) }
    func names(_ prefix: String) -> [String] { names.filter { $0.hasPrefix(prefix) } }

    /// As another program puts it.
    func replace(_ name: String, with bytes: [UInt8]) {
        state.withLock {
            $0.objects[name] = bytes
            $0.digests[name] = nil
        }
    }

    /// As a store's disk does after years: what it knows of the object stays as it was.
    func rot(_ name: String) {
        state.withLock { state in
            guard let count = state.objects[name]?.count else { return }
            state.objects[name]?[count / 2] ^= 1
        }
    }

    /// As a store does that runs out of room.
    func cut(_ name: String) {
        state.withLock { $0.objects[name] = $0.objects[name].map { Array($0.prefix($0.count / 2)) } }
    }

    private func digest(_ bytes: [UInt8]) throws -> String { Hexadecimal.encode(try sha256(bytes)) }

    func list(_ prefix: String, _ each: (_ name: String, _ byteCount: UInt64) throws -> Void) throws {
        let fails = state.withLock { state in
            guard prefix == StoreLayout.objects + "/", state.unlisted > 0 else { return false }
            state.unlisted -= 1
            return true
        }
        if fails { throw Fault.lost }
        let (objects, hidden) = state.withLock { ($0.objects, $0.hidden) }
        for (name, bytes) in objects.sorted(by: { $0.key < $1.key })
        where name.hasPrefix(prefix) && hidden?(name) != true {
            try each(name, UInt64(bytes.count))
        }
        for name in state.withLock(\.alsoListed) where name.hasPrefix(prefix) { try each(name, 1) }
        if prefix == LogNames.log { state.withLock(\.listed)?() }
    }

    func look(at name: String) throws -> (byteCount: UInt64, digest: String?)? {
        state.withLock { state in
            if state.pagesOnce.remove(name) != nil { return (8, nil) }
            return state.objects[name].map { (UInt64($0.count), state.digests[name]) }
        }
    }

    private func bytes(
        _ byteCount: UInt64, _ read: (UnsafeMutableRawBufferPointer, UInt64) throws -> Int
    ) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(byteCount))
        let count = try bytes.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) in
            buffer.isEmpty ? 0 : try read(buffer, 0)
        }
        guard count == byteCount else { throw StoreError.objectUnreadable }
        return bytes
    }

    func put(
        _ name: String, byteCount: UInt64, isOnce: Bool,
        read: @escaping @Sendable (_ buffer: UnsafeMutableRawBufferPointer, _ offset: UInt64) throws -> Int
    ) throws -> String {
        let bytes = try bytes(byteCount, read)
        let digest = try digest(bytes)
        // What it says that it has it is not sent a second time.
        let isThere = state.withLock { $0.digests[name] == digest && $0.objects[name]?.count == bytes.count }
        if !isOnce || !isThere { try store(name, bytes, isFirst: false) }
        return digest
    }

    func putFirst(
        _ name: String, byteCount: UInt64,
        read: @escaping @Sendable (_ buffer: UnsafeMutableRawBufferPointer, _ offset: UInt64) throws -> Int
    ) throws -> FirstPut {
        let bytes = try bytes(byteCount, read)
        try store(name, bytes, isFirst: true)
        let there = state.withLock { $0.objects[name] } ?? []
        return there == bytes ? .stands : .taken(digest: try digest(there))
    }

    private func store(_ name: String, _ bytes: [UInt8], isFirst: Bool) throws {
        let (fault, digest) = (state.withLock(\.fault)?(name), try digest(bytes))
        if fault == .lost { throw Fault.lost }
        state.withLock { state in
            guard !isFirst || state.objects[name] == nil else { return }
            state.objects[name] = state.spoiled?(name) == true ? bytes.map { ~$0 } : bytes
            state.digests[name] = digest
            state.puts.append(name)
        }
        if fault == .answerLost { throw Fault.answerLost }
    }

    func read(_ name: String, _ range: Range<UInt64>) throws -> [UInt8]? {
        let (found, missing) = state.withLock { ($0.objects[name], $0.missing) }
        if found == nil { missing?(name) }
        let (isShort, isWrong, isMissed) = state.withLock { state in
            (
                state.shortOnce?.insert(name).inserted ?? false, state.wrongOnce?.insert(name).inserted ?? false,
                state.missingOnce.remove(name) != nil
            )
        }
        guard let found, !isMissed else { return nil }
        let whole = found.dropFirst(Int(clamping: range.lowerBound)).prefix(range.count)
        return Array(
            isShort ? whole.prefix(whole.count / 2) : isWrong ? whole.prefix(1).map { ~$0 } + whole.dropFirst() : whole)
    }

    func remove(_ name: String) throws -> Bool {
        state.withLock { _ = $0.objects.removeValue(forKey: name) }
        return true
    }

    func endUnfinished() throws {}
}

extension SampleStore {
    /// What is compared in the background at the start is over: it would put things again beside a test.
    func finishComparison() throws { _ = try store.tier?.keeping.start {}.waitForResult() }
}

/// Hosts that go along to it.
extension SampleBucket {
    func begin(snapshotEntryCount: Int = 2000) throws -> SampleStore {
        let sample = try SampleStore()
        sample.tier = TierConfiguration(self, snapshotEntryCount: snapshotEntryCount)
        try sample.open()
        try sample.finishComparison()
        return sample
    }

    /// Another host: of what the bucket has alone, unless it has something itself.
    func takeOver(_ sample: SampleStore? = nil) throws -> SampleStore {
        let other = try sample ?? SampleStore()
        if try TierRestoration.isNeeded(at: other.path) {
            try TierRestoration(from: self, to: other.path).run { _, _ in }
        }
        other.tier = TierConfiguration(self, intent: .takeOver)
        try other.open()
        return other
    }
}
