import Media

extension SidecarContent {
    /// Beyond this a file is no sidecar: those of people's faces and edits are smaller.
    package static let largestByteCount: UInt64 = 4 << 20

    /// Whether a file of this name may say something of photos, so that its content is wanted.
    package static func isCandidate(_ path: String) -> Bool {
        let name = path.lowercased()
        return [".json", ".csv", ".xmp"].contains { name.hasSuffix($0) } || isAccompaniment(path)
    }

    /// Nil for what says nothing that is known here.
    package init?(_ bytes: [UInt8], path: String) {
        let name = path.lowercased()
        if name.hasSuffix(".json"), let content = SidecarContent(json: bytes) {
            self = content
        } else if name.hasSuffix(".csv"), let content = SidecarContent(csv: bytes, path: path) {
            self = content
        } else if name.hasSuffix(".xmp"), let facts = XMPSidecar(bytes) {
            self = .edits(SidecarNote(facts))
        } else if Self.isAccompaniment(path) {
            self = .accompaniment
        } else {
            return nil
        }
    }

    /// What archives and systems put beside photos for themselves.
    private static func isAccompaniment(_ path: String) -> Bool {
        let parts = path.split(separator: "/")
        guard let name = parts.last?.lowercased() else { return false }
        if [
            "sha256sums", "archive_browser.html", ".ds_store", "thumbs.db", "desktop.ini", ".nomedia", ".picasa.ini",
            "picasa.ini",
        ].contains(name) {
            return true
        }
        // What macOS keeps of a file where a file system has no room for it.
        return name.hasPrefix("._") || parts.contains("__MACOSX")
    }
}

extension SidecarNote {
    fileprivate init(_ facts: XMPSidecar) {
        self.init()
        takenAt = facts.takenAt.map { time in
            var time = time
            time.source = .sidecar
            return time
        }
        place = facts.place
        caption = (facts.description ?? facts.title).flatMap(Self.worded)
        isFavourite = facts.rating == 5 || ["favorite", "favourite"].contains(facts.label?.lowercased())
    }
}
