import TestSupport
import Testing

@testable import Unlocking

@Suite("Whose key is derived next")
struct DerivationQueueTests {
    @Test("owners take turns, however many of one wait")
    func turns() {
        var line = FairQueue<String>()
        for number in 1...4 { line.append("a\(number)", of: [1]) }
        line.append("b1", of: [2])
        line.append("c1", of: [3])
        line.append("b2", of: [2])
        var order: [String] = []
        while let next = line.popFirst() { order.append(next) }
        #expect(order == ["a1", "b1", "c1", "a2", "b2", "a3", "a4"])
        #expect(line.count == 0)
    }

    @Test("who has most waiting loses the last of them, and of several the one that came last")
    func longest() {
        var line = FairQueue<String>()
        for number in 1...3 { line.append("a\(number)", of: [1]) }
        line.append("b1", of: [2])
        #expect(line.popLastOfLongest() == "a3")
        line.append("b2", of: [2])
        #expect(line.popLastOfLongest() == "b2")
        #expect(line.longest == 2 && line.count == 3)
    }

    private func guesser(_ neighbour: UInt8, device: Bool = false) -> Guesser {
        Guesser(key: [neighbour], neighbour: [neighbour], isKnownDevice: device)
    }

    @Test("a device that opened a vault before does not stand in the strangers' line")
    func devices() async throws {
        let turns = DerivationQueue(waitingLimit: 100)
        try await turns.take(guesser(0))
        let order = await withTaskGroup(of: Void.self) { group in
            let served = Recorder()
            for number in 1...8 {
                group.addTask { [self] in
                    try? await turns.take(guesser(UInt8(number)))
                    served.add("stranger")
                    turns.giveBack()
                }
            }
            await turns.waitUntil(waiting: 8)
            group.addTask { [self] in
                try? await turns.take(guesser(99, device: true))
                served.add("device")
                turns.giveBack()
            }
            await turns.waitUntil(waiting: 9)
            turns.giveBack()
            await group.waitForAll()
            return served.all
        }
        #expect(order.prefix(2).contains("device"))
        #expect(order.count == 9)
    }

    @Test("with a full line a newcomer takes the place of one of whoever has most")
    func full() async throws {
        let turns = DerivationQueue(waitingLimit: 3)
        try await turns.take(guesser(0))
        let outcomes = await withTaskGroup(of: String.self) { group in
            for number in 1...3 {
                group.addTask { [self] in
                    let outcome = (try? await turns.take(guesser(1))) == nil ? "refused" : "served"
                    if outcome == "served" { turns.giveBack() }
                    return outcome
                }
                await turns.waitUntil(waiting: number)
            }
            group.addTask { [self] in
                guard (try? await turns.take(guesser(2))) != nil else { return "newcomer refused" }
                turns.giveBack()
                return "newcomer served"
            }
            let first = await group.next()
            #expect(first == "refused")
            turns.giveBack()
            return await group.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(outcomes.sorted() == ["newcomer served", "served", "served"])
    }
}

extension DerivationQueue {
    fileprivate func waitUntil(waiting count: Int) async {
        while waitingCount < count { await Task.yield() }
    }
}
