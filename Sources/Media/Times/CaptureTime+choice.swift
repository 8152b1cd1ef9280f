import Glibc

extension CaptureTime {
    /// Photography began then.
    private static let earliestMilliseconds: Int64 = -4_544_208_000_000  // 1826-01-01
    private static let dayMilliseconds: Int64 = 86_400_000
    private static let hourMilliseconds: Int64 = 3_600_000

    /// Milliseconds since 1970, to the second.
    package static var now: Int64 { Int64(Glibc.time(nil)) * 1000 }

    /// What a photo is known by beside its own bytes.
    package struct Circumstances: Sendable {
        /// When the file was last changed, in milliseconds since 1970, as its sender says.
        package var fileTime: Int64?
        package var name: String
        /// When it came, in the same unit.
        package var receivedAt: Int64
        /// Nothing was taken more than a day later.
        package var now: Int64
        /// Minutes east of UTC, of other photos of this time and camera; nil where none of them knows.
        package var neighbourOffset: @Sendable (Int64) -> Int?
        /// Minutes east of UTC at the place of this host.
        package var hostOffset: @Sendable (Int64) -> Int

        package init(
            fileTime: Int64? = nil, name: String = "", receivedAt: Int64, now: Int64,
            neighbourOffset: @escaping @Sendable (Int64) -> Int? = { _ in nil },
            hostOffset: @escaping @Sendable (Int64) -> Int = { _ in 0 }
        ) {
            self.fileTime = fileTime
            self.name = name
            self.receivedAt = receivedAt
            self.now = now
            self.neighbourOffset = neighbourOffset
            self.hostOffset = hostOffset
        }
    }

    /// The most trusted time that can be true: what the file says about itself, else a full date in its name, else when
    /// the file was written. An instant gets a zone, so that its words and its place in the timeline agree.
    /// - Parameter read: `MediaFacts.takenAt`.
    package static func chosen(read: CaptureTime?, _ known: Circumstances) -> CaptureTime? {
        let named = CaptureTime(name: known.name).flatMap { $0.canBeTrue(now: known.now) ? $0 : nil }
        let read = read.flatMap { $0.canBeTrue(now: known.now) ? $0 : nil }
        let file = known.fileTime.flatMap { Self.fileTime($0, known) }
        guard var time = read ?? named.map({ $0.refined(by: file, known) }) ?? file else { return nil }
        time.guessZone(named, known)
        return time
    }

    /// Whether a photo can have been taken then. What devices and programs write that know no time is none.
    func canBeTrue(now: Int64) -> Bool {
        let (latest, overflow) = now.addingReportingOverflow(Self.dayMilliseconds)
        guard milliseconds >= Self.earliestMilliseconds, overflow || milliseconds <= latest else { return false }
        return ![milliseconds, wallClockMilliseconds].contains { Self.stockMilliseconds.contains($0 / 1000 * 1000) }
    }

    /// The beginnings of clocks: 1904-01-01, 1970-01-01, 1980-01-01; and what Android wrote as a stock value,
    /// 2002-12-08 12:00:00.
    private static let stockMilliseconds: Set<Int64> = [
        -2_082_844_800_000, 0, 315_532_800_000, 1_039_348_800_000,
    ]

    /// Nil where it tells nothing: the beginning of a clock in any zone, or the moment of the copy.
    private static func fileTime(_ milliseconds: Int64, _ known: Circumstances) -> CaptureTime? {
        let time = CaptureTime(milliseconds: milliseconds, isInstant: true, source: .fileTime)
        guard time.canBeTrue(now: known.now), milliseconds.distance(to: known.receivedAt).magnitude > 60_000 else {
            return nil
        }
        let isBeginning = [0, 315_532_800_000].contains { (start: Int64) in
            (start - 14 * hourMilliseconds..<start + 36 * hourMilliseconds).contains(milliseconds)
        }
        return isBeginning ? nil : time
    }

    /// A name that tells only the day gets the time of day of the file, where that is of the same day.
    private func refined(by file: CaptureTime?, _ known: Circumstances) -> CaptureTime {
        guard precision == .day, let file else { return self }
        let clock = file.milliseconds + Int64(known.hostOffset(file.milliseconds)) * 60_000
        let isSameDay =
            clock.dividedDown(by: Self.dayMilliseconds).quotient
            == milliseconds.dividedDown(by: Self.dayMilliseconds).quotient
        return isSameDay ? file : self
    }

    /// By the clock that the name shows, by photos of the same hour, by the zone of the host.
    private mutating func guessZone(_ named: CaptureTime?, _ known: Circumstances) {
        guard isInstant, offsetMinutes == nil else { return }
        if let named, !named.isInstant, named.precision == .moment,
            let quarters = Self.quarters(from: milliseconds, to: named.milliseconds)
        {
            offsetMinutes = quarters * 15
            return
        }
        offsetMinutes = known.neighbourOffset(milliseconds) ?? known.hostOffset(milliseconds)
        isZoneGuessed = true
    }

    /// Zones differ by quarters of an hour. A video's name may tell its beginning, and its container the end.
    private static func quarters(from instant: Int64, to clock: Int64) -> Int? {
        let (quarter, patience): (Int64, Int64) = (900_000, 120_000)
        let difference = clock - instant
        let (quotient, remainder) = (difference + quarter / 2).dividedDown(by: quarter)
        guard abs(remainder - quarter / 2) <= patience, (-12 * 4...14 * 4).contains(quotient) else { return nil }
        return Int(quotient)
    }
}

extension [CaptureTime] {
    /// The first that can be true; what tells only a month or a year comes after all that tell a day.
    func firstTrue(now: Int64) -> CaptureTime? {
        let possible = filter { $0.canBeTrue(now: now) }
        return possible.first { $0.precision == .moment || $0.precision == .day } ?? possible.first
    }
}
