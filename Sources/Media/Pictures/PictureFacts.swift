/// What the parts of a picture file say, before it is decided which of them leads.
struct PictureFacts {
    /// Pixels as they are stored, before any turning.
    var size: PictureSize?
    /// Where the container turns the picture itself (HEIF, AVIF); EXIF's is then not looked at.
    var containerOrientation: Orientation?
    /// A TIFF structure with EXIF directories.
    var exif: [UInt8]?
    var xmp: [UInt8]?
    var iptc: IPTCBlock?
    /// What the format has for it beside these.
    var takenAt: CaptureTime?
    /// When the file was written last, where it says so itself.
    var writtenAt: CaptureTime?
    var isAnimated = false
}

extension MediaFacts {
    /// EXIF leads among those that tell the same, the others speak where EXIF is silent.
    /// - Parameter reader: of the whole file, where a video may lie in it.
    mutating func take(_ picture: PictureFacts, motionIn reader: BoundedReader? = nil, now: Int64) {
        let exif = picture.exif.flatMap { TIFFReader(BoundedReader($0)) }.flatMap(ExifFacts.init)
        let xmp = picture.xmp.map { XMPPacket($0) }
        take(exif: exif, xmp: xmp, press: picture.iptc, others: [picture.takenAt].compactMap(\.self), now: now)
        take(picture.size, turnedBy: picture.containerOrientation)
        if takenAt == nil { takenAt = [picture.writtenAt, xmp?.writtenAt].compactMap(\.self).firstTrue(now: now) }
        isAnimated = picture.isAnimated
        hasGainMap = xmp?.hasGainMap ?? false
        motion = reader.flatMap { MotionVideo($0).range(xmp: xmp, make: cameraMake) }
    }

    /// - Parameter others: when the shutter opened, as the format itself tells it
    mutating func take(
        exif: ExifFacts?, xmp: XMPPacket?, press: IPTCBlock? = nil, others: [CaptureTime] = [], now: Int64
    ) {
        let blocks = [press, exif?.iptc].compactMap(\.self)
        // Whoever scans a photo of 1965 makes it digital today: the shutter comes first, whichever block tells of it.
        let shutter =
            [exif?.shutterTime].compactMap(\.self) + (xmp?.shutterTimes ?? []) + blocks.compactMap(\.createdAt) + others
        let digitized =
            [exif?.digitizedTime].compactMap(\.self) + (xmp?.digitizedTimes ?? []) + blocks.compactMap(\.digitizedAt)
        var first = (shutter + digitized).firstTrue(now: now)
        if shutter.firstTrue(now: now) == nil { first?.source = .digitized }
        let change = exif?.changeTime
        let fix = SatelliteWeeks.believed(exif?.satelliteTime ?? xmp?.satelliteTimes.first, beside: change)
        // Of a year or a month, the last change is no part of what is known.
        if first == nil || first?.precision == .day {
            let times = [first] + SatelliteWeeks.weighed(change: change, fix: fix)
            takenAt = times.compactMap(\.self).firstTrue(now: now)
        } else {
            takenAt = first?.isDoubtful == true ? [first, fix].compactMap(\.self).firstTrue(now: now) : first
        }
        // That the day was told by somebody else, too, makes its clock trusted.
        if let first, takenAt?.source == .changed { takenAt?.source = first.source }
        place = exif?.place ?? xmp?.place
        orientation = exif?.orientation ?? xmp?.orientation ?? 1
        cameraMake = exif?.make ?? xmp?.make
        cameraModel = exif?.model ?? xmp?.model
        lens = exif?.lens ?? xmp?.lens
        contentIdentifier = exif?.contentIdentifier
    }

    /// Stored pixels become those that are seen.
    mutating func take(_ size: PictureSize?, turnedBy leading: Orientation?) {
        if let leading { orientation = leading.exif }
        guard let size else { return }
        let swaps = Orientation(exif: orientation).swapsSides
        width = swaps ? size.height : size.width
        height = swaps ? size.width : size.height
    }
}
