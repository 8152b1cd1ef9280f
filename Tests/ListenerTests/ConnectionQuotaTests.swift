import Bytes
import NIOCore
import TestSupport
import Testing

@testable import Listener

@Suite("Who gives way when all seats are taken")
struct ConnectionQuotaTests {
    private static let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    private var seating: ConnectionQuota
    private var lastID: ConnectionQuota.SeatID = 0
    private var now = start

    init() {
        seating = Self.seating()
    }

    private static func seating(
        total: Int = 8, reserved: Int = 0, device: Int = 6, address: Int = 4
    ) -> ConnectionQuota {
        ConnectionQuota(limits: .init(total: total, reserved: reserved, device: device, address: address))
    }

    /// - Parameter device: nil for one whose link-layer address is not known
    private static func visitor(_ address: UInt32, device: UInt8? = nil) -> ConnectionQuota.Visitor {
        ConnectionQuota.Visitor(
            address: IPNetwork(IPAddress(ipv4: address)), device: device.map { [2, 0, 0, 0, 0, $0] })
    }

    /// A second after whatever was before.
    private mutating func admit(_ address: UInt32, device: UInt8? = nil) -> ConnectionQuota.Admission {
        now = now + .seconds(1)
        lastID += 1
        return seating.admit(Self.visitor(address, device: device), as: lastID, now: now)
    }

    private mutating func fill(_ count: Int, _ address: UInt32, device: UInt8? = nil, busy: Bool = false) {
        for _ in 0..<count {
            #expect(admit(address, device: device) == .seated(insteadOf: nil))
            if busy { seating.note(isInRequest: true, lastID, now: now) }
        }
    }

    @Test("The longest idle one of whoever has most: seat 3, since 1 and 2 have asked for something since")
    mutating func longestIdle() {
        fill(4, 1)
        fill(3, 2)
        fill(1, 3)
        for id: ConnectionQuota.SeatID in [1, 2] {
            seating.note(isInRequest: true, id, now: now + .milliseconds(100))
            seating.note(isInRequest: false, id, now: now + .milliseconds(200))
        }
        #expect(admit(4) == .seated(insteadOf: 3))
        #expect(seating.count == 8)
    }

    @Test("A device counts as one, by however many addresses it comes")
    mutating func device() {
        seating = Self.seating(device: 100)
        for address in 1...4 { fill(1, UInt32(address), device: 1) }
        fill(3, 9)
        fill(1, 8)
        #expect(admit(7) == .seated(insteadOf: 1))
    }

    @Test("At the limit of a device its own idle one goes, of the address that has most, and none of others")
    mutating func deviceLimit() {
        fill(1, 9)
        fill(2, 1, device: 1)
        fill(4, 2, device: 1)
        #expect(admit(3, device: 1) == .seated(insteadOf: 4))
        #expect(admit(5) == .seated(insteadOf: nil))
    }

    @Test("At the limit of an address an idle one goes, and none in the middle of a request")
    mutating func addressLimit() {
        fill(4, 1, busy: true)
        #expect(admit(1) == .refused)
        seating.note(isInRequest: false, 2, now: now)
        #expect(admit(1) == .seated(insteadOf: 2))
    }

    @Test("Whoever has most and is idle nowhere loses a request only beyond a fair share, the oldest first")
    mutating func fairShare() {
        fill(2, 1, busy: true)
        fill(2, 2, busy: true)
        fill(4, 3, busy: true)
        #expect(admit(4) == .seated(insteadOf: 5))
        seating = Self.seating(total: 4)
        for address in 1...4 { fill(1, UInt32(address), busy: true) }
        #expect(admit(5) == .refused)
    }

    @Test("The idle ones of others stay while whoever has more than a fair share could give way")
    mutating func idleOfOthers() {
        fill(1, 1)
        fill(3, 2, busy: true)
        fill(4, 3, busy: true)
        #expect(admit(4) == .seated(insteadOf: 5))
        #expect(admit(4) == .seated(insteadOf: 2))
    }

    @Test("Who has most is not let in before others: its own goes")
    mutating func ownGoes() {
        fill(4, 1)
        fill(4, 2)
        #expect(admit(3, device: 3) == .seated(insteadOf: 1))
        #expect(admit(2) == .seated(insteadOf: 5))
    }

    @Test("Seats are kept for those that have shown an open vault, and theirs go last")
    mutating func reserve() {
        seating = Self.seating(total: 8, reserved: 2)
        fill(2, 1)
        for id: ConnectionQuota.SeatID in [1, 2] { seating.noteVault(id) }
        fill(4, 2)
        fill(2, 3)
        #expect(seating.count == 8)
        #expect(admit(4) == .seated(insteadOf: 3))
        // Without a vault six at most, however long the two others are idle.
        for address in 10..<30 {
            guard case .seated(let victim?) = admit(UInt32(address)) else {
                Issue.record("nobody gave way")
                return
            }
            #expect(victim > 2)
        }
    }

    @Test("Beyond the kept seats even those with a vault give way, the idle ones of whoever has most")
    mutating func manyVaults() {
        seating = Self.seating(total: 6, reserved: 2)
        fill(4, 1)
        for id: ConnectionQuota.SeatID in 1...4 { seating.noteVault(id) }
        fill(2, 2)
        for id: ConnectionQuota.SeatID in 5...6 { seating.noteVault(id) }
        #expect(admit(3) == .seated(insteadOf: 1))
    }

    @Test("Whatever comes and goes, the seats add up, and nobody has more than the limits")
    mutating func random() {
        var generator = SeededGenerator(seed: 25)
        var open: Set<ConnectionQuota.SeatID> = []
        for _ in 0..<5000 {
            if let some = open.randomElement(using: &generator) {
                switch Int.random(in: 0..<4, using: &generator) {
                case 0:
                    seating.leave(some)
                    open.remove(some)
                case 1: seating.note(isInRequest: .random(using: &generator), some, now: now)
                case 2: seating.noteVault(some)
                default: break
                }
            }
            let address = UInt32.random(in: 1...12, using: &generator)
            if case .seated(let victim) = admit(address, device: address < 7 ? UInt8(address % 2) : nil) {
                open.insert(lastID)
                if let victim { #expect(open.remove(victim) != nil) }
            }
            #expect(seating.count == open.count && seating.count <= 8)
        }
        for id in open { seating.leave(id) }
        #expect(seating.count == 0 && seating.addresses.isEmpty)
    }
}
