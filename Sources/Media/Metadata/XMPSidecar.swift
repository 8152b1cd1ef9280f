/// What an XMP file beside a picture says of it.
package struct XMPSidecar: Sendable, Equatable {
    package let takenAt: CaptureTime?
    package let place: Place?
    /// Stars, 0…5; -1 for what was thrown out.
    package let rating: Int?
    package let label: String?
    package let title: String?
    package let description: String?
    /// As an export of this program wrote them, for whom keywords are none.
    package let albums: [String]
    /// The same of a heart, of a photo that has other stars.
    private let isMarkedFavourite: Bool
    /// It was kept out of the timeline there.
    package let isArchived: Bool
    /// The part of the picture that is shown; nil for all of it, and where the file itself was cut so already.
    package let crop: XMPCrop?

    /// Nil for what is no XMP.
    /// - Parameter now: milliseconds since 1970: nothing was taken more than a day later.
    package init?(_ bytes: [UInt8], now: Int64 = CaptureTime.now) {
        let packet = XMPPacket(bytes)
        guard packet.isPacket else { return nil }
        var taken = packet.takenAt.firstTrue(now: now)
        if packet.value("safelight:DateBy") == "person" { taken?.source = .person }
        takenAt = taken
        place = packet.place
        rating = packet.value("xmp:Rating").flatMap { Double($0) }.flatMap { Int(exactly: $0.rounded()) }
        label = packet.value("xmp:Label")
        title = packet.value("dc:title")
        description = packet.value("dc:description")
        albums = packet.list("safelight:Albums")
        isMarkedFavourite = packet.value("safelight:Favourite") == "True"
        isArchived = packet.value("safelight:Archived") == "True"
        crop = Self.crop(packet)
    }

    private static func crop(_ packet: XMPPacket) -> XMPCrop? {
        let says = { (name: String) in packet.value(name)?.lowercased() == "true" }
        guard says("crs:HasCrop"), !says("crs:AlreadyApplied") else { return nil }
        let sides = ["Left", "Top", "Right", "Bottom"].compactMap {
            packet.value("crs:Crop\($0)").flatMap { Double($0) }
        }
        let angle = packet.value("crs:CropAngle").flatMap { Double($0) } ?? 0
        // A frame that is turned may have its corners a little outside.
        guard sides.count == 4, sides.allSatisfy({ (-1...2).contains($0) }), (-45...45).contains(angle) else {
            return nil
        }
        return XMPCrop(left: sides[0], top: sides[1], right: sides[2], bottom: sides[3], angle: angle)
    }

    /// A heart, as programs tell it that have stars or coloured labels.
    package var isFavourite: Bool {
        isMarkedFavourite || rating == 5 || ["favorite", "favourite"].contains(label?.lowercased())
    }

    /// What is written under the photo: programs that have only a title put it there.
    package var caption: String? { description ?? title }
}
