/// The time zone of a place, made by whoever has a table of zones: programs that decode would be thrice as large with it.
package struct PlaceZone: Sendable {
    private let offset: @Sendable (Int64) -> Int

    package init(offset: @escaping @Sendable (Int64) -> Int) { self.offset = offset }

    /// Minutes east of UTC at a moment, in milliseconds since 1970.
    package func offsetMinutes(at milliseconds: Int64) -> Int { offset(milliseconds) }

    /// The same when clocks there showed a time, in milliseconds as if it were UTC. Of an hour that they showed twice, the
    /// first.
    package func offsetMinutes(atWallClock milliseconds: Int64) -> Int {
        let day: Int64 = 86_400_000
        // A zone changes once within two days: then it had the one offset before, or has the other since.
        let before = offsetMinutes(at: milliseconds - day)
        let instant = milliseconds - Int64(before) * 60_000
        let then = offsetMinutes(at: instant)
        return then == before ? before : offsetMinutes(at: milliseconds - Int64(then) * 60_000)
    }
}

extension CaptureTime {
    /// In the zone of the place where it was taken, where the photo says none. A scanner's clock stands elsewhere, and what a
    /// sidecar says is an instant, which reads the same whoever brings it, also where nobody knows places.
    package func placed(in zone: PlaceZone) -> CaptureTime {
        guard precision == .moment, source != .digitized, source != .sidecar, offsetMinutes == nil || isZoneGuessed
        else {
            return self
        }
        var time = self
        let minutes =
            isInstant ? zone.offsetMinutes(at: milliseconds) : zone.offsetMinutes(atWallClock: milliseconds)
        if !isInstant {
            time.milliseconds -= Int64(minutes) * 60_000
            (time.isInstant, time.isInstantOfPlace) = (true, true)
        }
        (time.offsetMinutes, time.isZoneOfPlace, time.isZoneGuessed) = (minutes, true, false)
        return time
    }

    /// As it was known before it got the zone of a place.
    package var unplaced: CaptureTime {
        guard isZoneOfPlace else { return self }
        var time = self
        if isInstantOfPlace { (time.milliseconds, time.isInstant) = (wallClockMilliseconds, false) }
        (time.offsetMinutes, time.isZoneOfPlace, time.isInstantOfPlace) = (nil, false, false)
        return time
    }
}
