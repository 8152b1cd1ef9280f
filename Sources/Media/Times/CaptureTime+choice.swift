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
        /// Names beside it say that a name which is a number is one of a series, and no year.
        package var isOfSeries = false
        /// What a file beside it says.
        package var sidecar: CaptureTime?
        /// When it came, in the same unit.
        package var receivedAt: Int64
        /// Nothing was taken more than a day later.
        package var now: Int64
        /// The zone of the place where it was taken; nil where nobody knows that.
        package var zone: PlaceZone?
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

    /// The most trusted time that can be true: what the file says about itself, else what one beside it says, else a full
    /// date in its name, else when its content was changed last, else when the file was written. An instant gets a zone, so that its words and its place in the timeline agree.
    /// - Parameter read: `MediaFacts.takenAt`. Of source `fileTime`: when a program wrote the file, before it was copied.
    package static func chosen(read: CaptureTime?, _ known: Circumstances) -> CaptureTime? {
        let named = CaptureTime.named(known.name)
            .first { $0.canBeTrue(now: known.now) && !(known.isOfSeries && $0.precision == .year) }
        let written = read?.source == .fileTime ? read?.milliseconds : nil
        let read = read.flatMap { $0.source != .fileTime && $0.canBeTrue(now: known.now) ? $0 : nil }
        let file = [written, known.fileTime].compactMap { $0.flatMap { Self.fileTime($0, known) } }
            .min { $0.milliseconds < $1.milliseconds }
        let told = known.sidecar.flatMap { $0.canBeTrue(now: known.now) ? $0 : nil }
        let leading =
            read?.yields == true ? told ?? read?.yielding(to: named, known) : read?.scanned(from: named, known) ?? told
        guard var time = (leading ?? named ?? file)?.zoned(named, known) else { return nil }
        if time.precision != .moment, let told { time = time.filledIn(by: told.zoned(named, known)) }
        if time.precision != .moment, let named { time = time.filledIn(by: named.zoned(named, known)) }
        // When a file was written says nothing of a year in which its picture was taken.
        if time.precision == .day, let file { time = time.filledIn(by: file.zoned(named, known)) }
        return known.zone.map(time.placed) ?? time
    }

    /// Whether a photo can have been taken then. What devices and programs write that know no time is none.
    func canBeTrue(now: Int64) -> Bool {
        let (latest, overflow) = now.addingReportingOverflow(Self.dayMilliseconds)
        guard milliseconds >= Self.earliestMilliseconds, overflow || milliseconds <= latest else { return false }
        // A day is written by somebody, not by a clock.
        return precision != .moment || !isOfUnsetClock
    }

    /// Whether a person can say that a photo was taken then. Of a picture of a painting, its painter's year may be told.
    package func canBeSaid(now: Int64) -> Bool {
        let (latest, overflow) = now.addingReportingOverflow(Self.dayMilliseconds)
        return milliseconds >= Self.firstYearMilliseconds && (overflow || milliseconds <= latest)
    }

    /// The beginning of the year 1, in every zone: what four digits can tell.
    private static let firstYearMilliseconds: Int64 = -62_135_596_800_000 + 86_400_000

    /// Of a clock that nobody has set, within its first hour: that of the beginning of 1904, of 1970 or of 1980; or what devices write
    /// that have none.
    private var isOfUnsetClock: Bool {
        let shown = [milliseconds, wallClockMilliseconds]
        let isBeginning = shown.contains { time in
            Self.stockMilliseconds.contains(time / 1000 * 1000)
                || Self.beginnings.contains { ($0..<$0 + Self.hourMilliseconds).contains(time) }
        }
        if isBeginning || isInstant { return isBeginning }
        // 1970 began in UTC, and a clock shows its own zone, of which nothing is said here. Noon is what people write.
        let inAnyZone = -12 * Self.hourMilliseconds..<15 * Self.hourMilliseconds
        return inAnyZone.contains(milliseconds) && milliseconds != Self.dayMilliseconds / 2
    }

    /// Cameras that nobody has set begin there, and on that night many people took photos, too: believed where nobody says otherwise.
    var isDoubtful: Bool {
        let start = Self.millenniumMilliseconds
        return precision == .moment && (start..<start + Self.hourMilliseconds).contains(wallClockMilliseconds)
    }

    /// 2000-01-01.
    private static let millenniumMilliseconds: Int64 = 946_684_800_000
    private static let beginnings: [Int64] = [-2_082_844_800_000, 0, 315_532_800_000]
    /// What Android wrote as a stock value, 2002-12-08 12:00:00, and others as theirs, 2000-01-01 00:00:00.
    private static let stockMilliseconds: Set<Int64> = [1_039_348_800_000, millenniumMilliseconds]

    /// When a file was changed is not when its picture was taken, and some clocks were never set.
    private var yields: Bool { source == .changed || isDoubtful }

    /// A full date in the name comes before such a time. On the same day it tells only its clock, or none: the earlier one is
    /// nearer to the shutter.
    private func yielding(to named: CaptureTime?, _ known: Circumstances) -> CaptureTime {
        guard let named else { return self }
        let (own, other) = (zoned(named, known), named.zoned(named, known))
        guard own.calendarDate == other.calendarDate else { return named }
        if [own, other].contains(where: { $0.precision != .moment }) {
            return other.precision.rawValue <= CaptureTime.Precision.day.rawValue ? self : named
        }
        return own.wallClockMilliseconds <= other.wallClockMilliseconds + Self.patience ? self : named
    }

    /// Nobody scans a picture before it is taken: an earlier date in the name is that of the shutter.
    private func scanned(from named: CaptureTime?, _ known: Circumstances) -> CaptureTime {
        guard source == .digitized, let named else { return self }
        let (own, other) = (zoned(named, known), named.zoned(named, known))
        // A year or a month in which it was made digital, too, tells nothing.
        let isSame = own.calendarDate == other.calendarDate || other.filledIn(by: own) == own
        return !isSame && other.wallClockMilliseconds < own.wallClockMilliseconds ? named : self
    }

    /// A video's name may tell its beginning, and its container the end; a photo is written a little after the shutter.
    private static let patience: Int64 = 120_000

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

    /// The other, where that tells more of the same time: the month of this year, the clock of this day.
    func filledIn(by other: CaptureTime) -> CaptureTime {
        other.precision.rawValue < precision.rawValue && holds(other) ? other : self
    }

    /// Whether this is another time by more than a day, and not but the year, the month or the day of the other. Zones reach
    /// from -12 to +14 hours, so that one that is not known makes no such difference.
    package func isAnotherDay(than other: CaptureTime) -> Bool {
        guard !holds(other), !other.holds(self) else { return false }
        let others = isInstant ? other.milliseconds : other.wallClockMilliseconds
        let ours = other.isInstant ? milliseconds : wallClockMilliseconds
        let (difference, overflow) = ours.subtractingReportingOverflow(others)
        return overflow || difference.magnitude > Self.dayMilliseconds.magnitude
    }

    /// Whether the other lies within what is known of this one.
    private func holds(_ other: CaptureTime) -> Bool {
        let (ours, theirs) = (calendarDate, other.calendarDate)
        return switch precision {
        case .moment: false
        case .day: ours == theirs
        case .month: ours.year == theirs.year && ours.month == theirs.month
        case .year: ours.year == theirs.year
        }
    }

    private var calendarDate: CalendarDate {
        CalendarDate(daysSinceEpoch: Int(wallClockMilliseconds.dividedDown(by: Self.dayMilliseconds).quotient))
    }

    /// In the zone of the clock that the name shows, of its place, of photos of the same hour, or of the host.
    private func zoned(_ named: CaptureTime?, _ known: Circumstances) -> CaptureTime {
        guard isInstant, offsetMinutes == nil else { return self }
        var time = self
        if let named, !named.isInstant, named.precision == .moment,
            let minutes = ZoneOffset.minutes(from: milliseconds, to: named.milliseconds, patience: Self.patience)
        {
            time.offsetMinutes = minutes
            return time
        }
        if let zone = known.zone {
            let placed = placed(in: zone)
            if placed != self { return placed }
        }
        time.offsetMinutes = known.neighbourOffset(milliseconds) ?? known.hostOffset(milliseconds)
        time.isZoneGuessed = true
        return time
    }
}

extension [CaptureTime] {
    /// The first that can be true, and what those behind it know better of the same time.
    func firstTrue(now: Int64) -> CaptureTime? {
        let believed = filter { $0.canBeTrue(now: now) }
        let possible = believed.filter { !$0.isDoubtful } + believed.filter(\.isDoubtful)
        guard let first = possible.first else { return nil }
        return possible.dropFirst().reduce(first) { $0.filledIn(by: $1) }
    }
}
