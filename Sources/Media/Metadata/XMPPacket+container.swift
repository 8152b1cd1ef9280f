extension XMPPacket {
    /// A part of a file that has several, in their order.
    struct ContainerItem: Equatable {
        let semantic: String
        /// Bytes of the packet with the padding behind it.
        let byteCount: UInt64
    }

    /// Google's `Container:Directory`: the photo, perhaps its gain map, perhaps a video.
    var containerItems: [ContainerItem] {
        containerEntries.compactMap { item in
            guard let semantic = item["Item:Semantic"] else { return nil }
            let counts = ["Item:Length", "Item:Padding"].map { item[$0].flatMap(UInt64.init) ?? 0 }
            let (sum, overflow) = counts[0].addingReportingOverflow(counts[1])
            return overflow ? nil : ContainerItem(semantic: semantic, byteCount: sum)
        }
    }

    var isMotionPhoto: Bool {
        let flags = ["GCamera:MotionPhoto", "GCamera:MicroVideo"]
        return flags.contains { value($0) == "1" } || containerItems.contains { $0.semantic == "MotionPhoto" }
    }

    /// How far before the end of the file the video of an earlier Motion Photo begins.
    var microVideoOffset: UInt64? { value("GCamera:MicroVideoOffset").flatMap(UInt64.init) }

    /// Brighter tones for screens that have them lie behind the picture (Ultra HDR).
    var hasGainMap: Bool {
        value("hdrgm:Version") != nil || containerItems.contains { $0.semantic == "GainMap" }
    }
}
