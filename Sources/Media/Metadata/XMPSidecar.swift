/// What an XMP file beside a picture says of it.
package struct XMPSidecar: Sendable, Equatable {
    package let takenAt: CaptureTime?
    package let place: Place?
    /// Stars, 0…5; -1 for what was thrown out.
    package let rating: Int?
    package let label: String?
    package let title: String?
    package let description: String?

    /// Nil for what is no XMP.
    /// - Parameter now: milliseconds since 1970: nothing was taken more than a day later.
    package init?(_ bytes: [UInt8], now: Int64 = CaptureTime.now) {
        let packet = XMPPacket(bytes)
        guard packet.isPacket else { return nil }
        takenAt = packet.takenAt.firstTrue(now: now)
        place = packet.place
        rating = packet.value("xmp:Rating").flatMap { Double($0) }.flatMap { Int(exactly: $0.rounded()) }
        label = packet.value("xmp:Label")
        title = packet.value("dc:title")
        description = packet.value("dc:description")
    }
}
