import Records
import Synchronization

/// Who derives a key next: devices that opened a vault before take turns with strangers, and among each of them one
/// neighbour with the other, so that nobody's many wait before another's one.
final class DerivationQueue: Sendable {
    private struct State {
        var isTaken = false
        var devices = FairQueue<CheckedContinuation<Bool, Never>>()
        var strangers = FairQueue<CheckedContinuation<Bool, Never>>()
        var isDevicesTurn = true

        var waitingCount: Int { devices.count + strangers.count }
    }

    private let waitingLimit: Int
    private let state = Mutex(State())

    init(waitingLimit: Int) { self.waitingLimit = waitingLimit }

    var waitingCount: Int { state.withLock { $0.waitingCount } }

    /// Returns with the turn, which is to be given back.
    /// - Throws: `busy` when too many wait.
    func take(_ guesser: Guesser) async throws(VaultError) {
        let isMine = await withCheckedContinuation { continuation in
            let refused = state.withLock { state -> (continuation: CheckedContinuation<Bool, Never>, isMine: Bool)? in
                guard state.isTaken else {
                    state.isTaken = true
                    return (continuation, true)
                }
                return enqueue(continuation, guesser, in: &state).map { ($0, false) }
            }
            refused?.continuation.resume(returning: refused?.isMine ?? false)
        }
        if !isMine { throw .busy(retryAfter: .seconds(2)) }
    }

    func giveBack() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            let first = state.isDevicesTurn ? state.devices.popFirst() : state.strangers.popFirst()
            let next = first ?? (state.isDevicesTurn ? state.strangers.popFirst() : state.devices.popFirst())
            if next == nil { state.isTaken = false }
            state.isDevicesTurn.toggle()
            return next
        }
        next?.resume(returning: true)
    }

    /// - Returns: who has to go, when there are too many: the last of whoever has most waiting.
    private func enqueue(
        _ continuation: CheckedContinuation<Bool, Never>, _ guesser: Guesser, in state: inout State
    ) -> CheckedContinuation<Bool, Never>? {
        guard waitingLimit > 0 else { return continuation }
        if guesser.isKnownDevice {
            state.devices.append(continuation, of: guesser.neighbour)
        } else {
            state.strangers.append(continuation, of: guesser.neighbour)
        }
        guard state.waitingCount > waitingLimit else { return nil }
        return state.strangers.longest >= state.devices.longest
            ? state.strangers.popLastOfLongest() : state.devices.popLastOfLongest()
    }
}

/// What waits, in turns between those that it belongs to.
struct FairQueue<Element> {
    private var lines: [[UInt8]: [Element]] = [:]
    /// Whose turn is next.
    private var order: [[UInt8]] = []

    private(set) var count = 0

    /// How many wait of whoever has most.
    var longest: Int { lines.values.map(\.count).max() ?? 0 }

    mutating func append(_ element: Element, of owner: [UInt8]) {
        if lines[owner] == nil { order.append(owner) }
        lines[owner, default: []].append(element)
        count += 1
    }

    mutating func popFirst() -> Element? {
        guard !order.isEmpty else { return nil }
        let owner = order.removeFirst()
        guard var line = lines[owner] else { return nil }
        let element = line.removeFirst()
        lines[owner] = line.isEmpty ? nil : line
        if !line.isEmpty { order.append(owner) }
        count -= 1
        return element
    }

    mutating func popLastOfLongest() -> Element? {
        // Of several, whoever came last.
        guard let owner = order.max(by: { lines[$0, default: []].count <= lines[$1, default: []].count }),
            let element = lines[owner]?.popLast()
        else { return nil }
        count -= 1
        if lines[owner]?.isEmpty == true {
            lines[owner] = nil
            order.removeAll { $0 == owner }
        }
        return element
    }
}
