import Synchronization
import Testing

@testable import Imaging

@Suite("Whose picture is next")
struct SlotQueueTests {
    /// Who got a slot, in this order.
    private final class Granted: Sendable {
        private let kept = Mutex<[Int]>([])
        var numbers: [Int] { kept.withLock { $0 } }
        func add(_ number: Int, _ isGranted: Bool) { kept.withLock { $0.append(isGranted ? number : -number) } }
    }

    private static let family = PictureRequester(key: [1])
    private static let other = PictureRequester(key: [2])
    private static let guest = PictureRequester(key: [3], isGuest: true)
    private static let visitor = PictureRequester(key: [4], isGuest: true)

    private let granted = Granted()

    @discardableResult
    private func take(
        _ queue: inout SlotQueue, _ requester: PictureRequester, isAwaited: Bool = true
    ) -> (number: Int, displaced: Int?) {
        let number = queue.nextNumber()
        let displaced = queue.take(number, for: requester, isAwaited: isAwaited) { [granted] in granted.add(number, $0)
        }
        return (number, displaced)
    }

    @Test("the turn goes from one requester to the next, however many wishes one has")
    func turns() {
        var queue = SlotQueue(count: 1)
        let first = take(&queue, Self.other).number
        let many = (0..<3).map { _ in take(&queue, Self.other).number }
        let single = take(&queue, Self.family).number
        for number in [first, single, many[0]] { queue.giveBack(number) }
        #expect(granted.numbers == [first, single, many[0], many[1]])
    }

    @Test(
        "a guest's picture gives up the only slot to one that a vault waits for, and is no obstacle where there are two"
    )
    func guests() {
        var queue = SlotQueue(count: 1)
        let heavy = take(&queue, Self.guest).number
        let wish = take(&queue, Self.family)
        #expect(wish.displaced == heavy && queue.isDisplaced(heavy))
        // One is enough for one, and no guest does that to another.
        #expect(take(&queue, Self.visitor).displaced == nil)
        queue.giveBack(heavy)
        #expect(granted.numbers == [heavy, wish.number])
        var larger = SlotQueue(count: 2)
        take(&larger, Self.guest)
        take(&larger, Self.visitor)
        let next = take(&larger, Self.family)
        #expect(next.displaced == nil && larger.runningNumbers == [1, next.number])
    }

    @Test("wishes of vaults come first, and guests' wishes take turns with what vaults need unasked")
    func kinds() {
        var queue = SlotQueue(count: 1)
        let running = take(&queue, Self.family).number
        let patient = [take(&queue, Self.family, isAwaited: false), take(&queue, Self.other, isAwaited: false)]
        let unasked = take(&queue, Self.guest, isAwaited: false).number
        let asked = [take(&queue, Self.guest), take(&queue, Self.visitor)]
        let wish = take(&queue, Self.other).number
        var order = [running]
        for _ in 0..<6 {
            queue.giveBack(order[order.count - 1])
            order.append(granted.numbers[order.count])
        }
        #expect(
            order == [running, wish, asked[0].number, patient[0].number, asked[1].number, patient[1].number, unasked])
    }

    @Test("what takes long goes on beside another vault's, one at a time, and its owner waits for it")
    func aside() {
        var queue = SlotQueue(count: 1)
        let heavy = take(&queue, Self.other).number
        let second = take(&queue, Self.other).number
        let wish = take(&queue, Self.family)
        #expect(wish.displaced == nil && granted.numbers == [heavy])
        queue.noteLong([heavy])
        #expect(granted.numbers == [heavy, wish.number])
        queue.giveBack(wish.number)
        // The slot is free, and not for whoever has one beside it.
        #expect(granted.numbers == [heavy, wish.number])
        let next = take(&queue, Self.family).number
        #expect(granted.numbers.last == next)
        queue.giveBack(heavy)
        #expect(granted.numbers.last == next)
        queue.giveBack(next)
        #expect(granted.numbers.last == second)
    }

    @Test("whoever gives up, or comes when it is closed, gets none")
    func end() {
        var queue = SlotQueue(count: 1)
        let running = take(&queue, Self.family).number
        let (gone, late) = (take(&queue, Self.family).number, take(&queue, Self.family).number)
        queue.giveUp(gone)
        queue.close()
        let last = take(&queue, Self.family).number
        queue.giveBack(running)
        #expect(granted.numbers == [running, -gone, -late, -last])
    }
}
