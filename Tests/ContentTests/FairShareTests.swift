import Testing

@testable import Content

@Suite("What one of many may take")
struct FairShareTests {
    private let now = ContinuousClock.now

    @Test("a device under three names leaves enough visits for a wedding of five hundred phones")
    func wedding() {
        var shares = DailyShares(perDay: 2000, now: now)
        let device: [[UInt8]] = [[1], [2], [3]]
        var taken = 0
        // In whatever order it comes, again and again.
        for _ in 0..<3 {
            for name in device {
                while shares.take(for: name, now: now) == nil { taken += 1 }
                #expect(shares.take(for: name, now: now) == .ofAsker(.seconds(86_400)))
            }
        }
        #expect(taken < 1200)
        for phone in 0..<500 {
            #expect(shares.take(for: [9, UInt8(phone / 256), UInt8(phone % 256)], now: now) == nil)
        }
    }

    @Test("the last one is taken by whoever has none, then all wait for the day's end")
    func last() {
        var shares = DailyShares(perDay: 2, now: now)
        #expect(shares.take(for: [1], now: now) == nil)
        #expect(shares.take(for: [1], now: now) == .ofAsker(.seconds(86_400)))
        #expect(shares.take(for: [2], now: now) == nil)
        #expect(shares.take(for: [3], now: now + .seconds(400)) == .ofAll(.seconds(86_000)))
        shares.giveBack(for: [1])
        // What was never taken cannot be given back.
        shares.giveBack(for: [7])
        #expect(shares.take(for: [3], now: now) == nil)
        #expect(shares.take(for: [4], now: now) == .ofAll(.seconds(86_400)))
        #expect(shares.take(for: [4], now: now + .seconds(86_400)) == nil)
    }

    private func asker(_ giver: UInt8, at door: UInt8 = 1) -> GiftShares.Asker {
        GiftShares.Asker(giver: [giver], door: [door])
    }

    private func amount(_ photos: UInt64, _ bytes: UInt64) -> GiftShares.Amount {
        GiftShares.Amount(photoCount: photos, contentByteCount: bytes)
    }

    @Test("a device under three names leaves others two fifths of what a door takes, photos and bytes")
    func gifts() {
        var shares = GiftShares()
        var left: (photos: UInt64, bytes: UInt64) = (5000, 20 << 30)
        func give(_ giver: UInt8, _ bytes: UInt64) -> Bool {
            var room = amount(0, 0)
            (room.photoCount, room.byteCount) = left
            guard shares.wait(of: asker(giver), for: amount(1, bytes), left: room, now: now) == nil else {
                return false
            }
            shares.note(bytes, by: asker(giver), now: now)
            left = (left.photos - 1, left.bytes - bytes)
            return true
        }
        for giver in 1...3 as ClosedRange<UInt8> { while give(giver, 1) {} }
        #expect(left.photos >= 2000)
        for giver in 1...3 as ClosedRange<UInt8> { while give(giver, 1 << 30) {} }
        #expect(left.bytes >= 8 << 30)
        #expect(give(4, 1 << 30))
    }

    @Test("small files count as 64 KiB, and everybody may give a little")
    func least() {
        var shares = GiftShares()
        #expect(amount(3, 10) == amount(3, 3 * 65_536))
        #expect(amount(1, 100_000).byteCount == 100_000)
        // A door for few photos is for whoever comes first.
        #expect(shares.wait(of: asker(1), for: amount(16, 1000), left: amount(0, 3000), now: now) == nil)
        #expect(shares.wait(of: asker(1), for: amount(17, 1000), left: amount(0, 3000), now: now) == .seconds(86_400))
        for _ in 0..<16 { shares.note(1, by: asker(1), now: now) }
        #expect(
            shares.wait(of: asker(1), for: amount(1, 1), left: amount(0, 0), now: now + .seconds(400))
                == .seconds(86_000))
        // Another door has nothing to do with it.
        #expect(shares.wait(of: asker(1, at: 2), for: amount(1, 1), left: amount(0, 0), now: now) == nil)
        shares.giveBack(1, by: asker(1))
        #expect(shares.wait(of: asker(1), for: amount(1, 1), left: amount(0, 0), now: now) == nil)
        shares.note(1, by: asker(1), now: now)
        #expect(shares.wait(of: asker(1), for: amount(1, 1), left: amount(0, 0), now: now + .seconds(86_400)) == nil)
        shares.beginAnew()
        #expect(shares.wait(of: asker(1), for: amount(1, 1), left: amount(0, 0), now: now) == nil)
    }
}
