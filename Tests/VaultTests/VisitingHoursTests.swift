import Testing

@testable import Bytes
@testable import Records
@testable import Vault

@Suite("When the daemon visits its own vaults")
struct VisitingHoursTests {
    @Test("come by themselves by day, about once in a day")
    func hours() {
        let (now, day): (Int64, Int64) = (1_795_000_000_000, 86_400_000)
        var waits: [Int64] = []
        for _ in 0..<4_000 {
            let moment = VisitingHours.next(after: now)
            let hour = HostZone.wallClock(of: moment).dividedDown(by: day).remainder / 3_600_000
            #expect((8..<23).contains(hour))
            waits.append(moment - now)
        }
        #expect(waits.allSatisfy { $0 >= 0 })
        let mean = Double(waits.reduce(0, +)) / Double(waits.count) / Double(day)
        #expect(mean > 0.9 && mean < 1.6, "days: \(mean)")
    }
}
