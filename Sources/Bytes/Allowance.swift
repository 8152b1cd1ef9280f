import Synchronization

/// What one request may take of the host before it is refused. It is made of the request's right, and whatever reads,
/// lists or writes for a request takes from it: a few bytes that ask for many find an end before these are allocated.
package final class Allowance: Sendable {
    /// Who asks; whoever has more comes later.
    package enum Right: Int, Sendable, CaseIterable, Comparable {
        /// Somebody who has shown nothing yet.
        case nobody
        /// Somebody who looks through a window.
        case viewer
        /// Somebody who came to a door with a browser.
        case giver
        /// A program that sends with a door's code.
        case code
        case guest
        case vault
        /// The host itself: its console, and what it asks of a store.
        case host

        package static func < (one: Right, other: Right) -> Bool { one.rawValue < other.rawValue }
    }

    /// What is taken.
    package enum Resource: String, Sendable, CaseIterable {
        /// Bytes that are allocated to read the request, and to write what is not sent in parts.
        case memory
        /// Bytes of the answer, but for those of photos.
        case answer
        /// Rows of a list: photos, folders, lines of a receipt.
        case rows
        /// Locks that are held at the same time.
        case locks
        /// Parts that the request has: elements and attributes of XML, values of JSON, parts of a form.
        case names
        /// Time of the processor, in bytes that are read or written; a row counts as 1,024, a name as 64. What a request
        /// really took of it is counted against its device, too, by `RequestMeter`.
        case work
    }

    /// How much of each one right has.
    package struct Share: Sendable, Equatable {
        package var memory: Int
        /// Bytes of any answer; for each byte of the request's body, and for each row, come more.
        package var answer: Int
        package var answerPerByte = 64
        package var answerPerRow = 16 << 10
        package var rows: Int
        package var locks = 0
        package var names: Int
        package var work: Int

        fileprivate func most(of resource: Resource) -> Int {
            switch resource {
            case .memory: memory
            case .answer: answer
            case .rows: rows
            case .locks: locks
            case .names: names
            case .work: work
            }
        }
    }

    /// The request asks for more than is left.
    package struct Spent: Error, Equatable {
        package let resource: Resource

        package init(resource: Resource) { self.resource = resource }
    }

    private struct State {
        var right: Right
        /// Bytes of the request's body.
        var asked = 0
        var taken: [Int] = Array(repeating: 0, count: Resource.allCases.count)
    }

    private let state: Mutex<State>

    package init(_ right: Right) { state = Mutex(State(right: right)) }

    package var right: Right { state.withLock(\.right) }

    /// The request has shown a right; of several the one counts that has most. What it took before stays taken.
    package func admit(as right: Right) { state.withLock { $0.right = max($0.right, right) } }

    /// Bytes of the request's body have come.
    package func note(asked byteCount: Int) { state.withLock { $0.asked += byteCount } }

    /// Takes them before they are allocated, read or written.
    /// - Throws: `Spent` where less is left; nothing is taken then.
    package func take(_ resource: Resource, _ count: Int) throws(Spent) {
        let missing = state.withLock { state -> Resource? in
            guard Self.take(resource, count, &state) else { return resource }
            guard Self.take(.work, Self.work(resource, count), &state) else { return .work }
            return nil
        }
        if let missing { throw Spent(resource: missing) }
    }

    /// How much was taken.
    package func taken(_ resource: Resource) -> Int { state.withLock { $0.taken[Self.place(resource)] } }

    private static func take(_ resource: Resource, _ count: Int, _ state: inout State) -> Bool {
        let share = share(of: state.right)
        var most = share.most(of: resource)
        if resource == .answer {
            most = sum(most, product(state.asked, share.answerPerByte))
            most = sum(most, product(state.taken[place(.rows)], share.answerPerRow))
        }
        let index = place(resource)
        guard count >= 0, count <= most - min(most, state.taken[index]) else { return false }
        state.taken[index] += count
        return true
    }

    private static func work(_ resource: Resource, _ count: Int) -> Int {
        switch resource {
        case .memory, .answer: count
        case .rows: product(count, 1024)
        case .names: product(count, 64)
        case .locks, .work: 0
        }
    }

    private static func place(_ resource: Resource) -> Int {
        switch resource {
        case .memory: 0
        case .answer: 1
        case .rows: 2
        case .locks: 3
        case .names: 4
        case .work: 5
        }
    }

    private static func sum(_ one: Int, _ other: Int) -> Int {
        let (sum, overflow) = one.addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    private static func product(_ one: Int, _ other: Int) -> Int {
        let (product, overflow) = one.multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }

    /// A vault's owners read their own lists, however long these are; all others have what their largest honest request
    /// takes. No right makes the host allocate more than 16 MiB by one request, but for lists of a vault's own.
    package static func share(of right: Right) -> Share {
        switch right {
        case .nobody: Share(memory: 256 << 10, answer: 256 << 10, rows: 0, names: 64, work: 1 << 20)
        case .viewer: Share(memory: 8 << 20, answer: 8 << 20, rows: 600_000, names: 65_536, work: 12 << 30)
        case .giver: Share(memory: 8 << 20, answer: 8 << 20, rows: 600_000, names: 16_384, work: 12 << 30)
        case .code: Share(memory: 8 << 20, answer: 8 << 20, rows: 600_000, locks: 512, names: 16_384, work: 12 << 30)
        case .guest: Share(memory: 16 << 20, answer: 16 << 20, rows: 600_000, names: 65_536, work: 12 << 30)
        case .vault: Share(memory: 64 << 20, answer: 64 << 20, rows: .max, locks: 512, names: 65_536, work: .max)
        case .host: Share(memory: .max, answer: .max, rows: .max, locks: .max, names: .max, work: .max)
        }
    }
}
