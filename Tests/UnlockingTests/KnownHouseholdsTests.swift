import Testing

@testable import Unlocking

@Suite("Devices that the host knows")
struct KnownHouseholdsTests {
    @Test("whoever opens a vault again and again without a cookie makes the host forget no device but its own")
    func forgettingDevices() {
        var households = KnownHouseholds()
        let bytes = { (number: Int) in withUnsafeBytes(of: number) { Array($0) } }
        households.note(bytes(-1), opened: [7], at: [1])
        households.note(bytes(-2), opened: [7], at: [2])
        for number in 0..<KnownHouseholds.most + 20 { households.note(bytes(number), opened: [8], at: [2]) }
        #expect(households.household(of: bytes(-1)) == [7])
        // At the same neighbour the one that was seen last longest ago goes.
        #expect(households.household(of: bytes(-2)) == nil)
        #expect(households.household(of: bytes(20)) == nil && households.household(of: bytes(21)) == [8])
        households.note(bytes(21), opened: [9], at: [2])
        households.note(bytes(-3), opened: [8], at: [2])
        #expect(households.household(of: bytes(21)) == [9] && households.household(of: bytes(22)) == nil)
    }
}
