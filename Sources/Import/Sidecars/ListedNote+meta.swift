import Media

extension ListedNote {
    /// Lists of Facebook and Instagram, in which a file stands as its path, with the moment at which it was posted, wherever
    /// they have it; nil for JSON in which there is none.
    static func list(meta value: JSONValue) -> [ListedNote]? {
        var lists = MetaLists()
        lists.read(value, MetaLists.Surroundings())
        return lists.found.contains { $0.note.takenAt != nil } ? lists.found : nil
    }
}

private struct MetaLists {
    /// What is said around a file.
    struct Surroundings {
        var album: String?
        /// The words of the post.
        var text: String?
        var place: Place?
        var postedAt: CaptureTime?
        /// Instagram's titles are captions; Facebook's are those of albums.
        var titleIsCaption = false
        /// The picture of a video, of which no words are meant.
        var isThumbnail = false
    }

    private(set) var found: [ListedNote] = []

    mutating func read(_ value: JSONValue, _ outer: Surroundings) {
        switch value {
        case .list(let values): for value in values { read(value, outer) }
        case .object(let members): read(value, members, outer)
        case .text, .number, .truth, .none: break
        }
    }

    private mutating func read(_ value: JSONValue, _ members: [String: JSONValue], _ outer: Surroundings) {
        var around = outer
        if value["photos"] != nil, let name = Self.words(value["name"]) { around.album = name }
        around.text = Self.postText(value) ?? around.text
        around.place = Self.postPlace(value) ?? around.place
        around.postedAt = Self.moment(value) ?? around.postedAt
        if let path = value["uri"]?.string ?? value["path"]?.string, !path.contains("://") {
            found.append(ListedNote(file: .path(Self.mended(path)), note: Self.note(value, around)))
            around.titleIsCaption = false
        }
        for (key, member) in members where member.isObject || !member.elements.isEmpty {
            var inner = around
            let isList = !member.elements.isEmpty
            inner.titleIsCaption = around.titleIsCaption || key.hasPrefix("ig_") || (key == "media" && isList)
            inner.isThumbnail = around.isThumbnail || key == "thumbnail"
            read(member, inner)
        }
    }

    private static func note(_ value: JSONValue, _ around: Surroundings) -> SidecarNote {
        var note = SidecarNote()
        let facts = metadata(value)
        // What a network was told by the camera comes before the moment of the post. Neither is a person's correction.
        note.takenAt = facts.lazy.compactMap { seconds($0["taken_timestamp"]) }.first ?? around.postedAt
        note.place = facts.lazy.compactMap { SidecarNote.place($0) }.first ?? around.place
        guard !around.isThumbnail else { return note }
        let title = around.titleIsCaption || value["path"] != nil ? words(value["title"]) : nil
        note.caption = words(value["description"]) ?? words(value["caption"]) ?? title ?? around.text
        if let album = around.album { note.albums = [album] }
        return note
    }

    /// `exif_data` of whichever kind of file it is.
    private static func metadata(_ value: JSONValue) -> [JSONValue] {
        ["photo_metadata", "video_metadata"].flatMap { kind in
            value["media_metadata"]?[kind]?["exif_data"]?.elements ?? []
        }
    }

    private static func moment(_ value: JSONValue) -> CaptureTime? {
        seconds(value["creation_timestamp"]) ?? seconds(value["timestamp"]) ?? seconds(value["timestamp_ms"])
            ?? value["taken_at"]?.string.flatMap(CaptureTime.init(sidecarText:)) ?? seconds(value["taken_at"])
    }

    private static func seconds(_ value: JSONValue?) -> CaptureTime? {
        value?.double.flatMap(CaptureTime.init(sidecarSeconds:))
    }

    /// That of Facebook's posts, and the one title that Instagram gives to several pictures.
    private static func postText(_ value: JSONValue) -> String? {
        if value["attachments"] != nil {
            return value["data"]?.elements.lazy.compactMap { words($0["post"]) }.first
        }
        return value["media"]?.elements.isEmpty == false ? words(value["title"]) : nil
    }

    private static func postPlace(_ value: JSONValue) -> Place? {
        let attached = value["attachments"]?.elements.flatMap { $0["data"]?.elements ?? [] } ?? []
        return ([value] + attached).lazy.compactMap { SidecarNote.place($0["place"]?["coordinate"]) }.first
    }

    private static func words(_ value: JSONValue?) -> String? {
        value?.string.flatMap { SidecarNote.worded(mended($0)) }
    }

    /// Both networks write each byte of UTF-8 as a sign of its own.
    private static func mended(_ text: String) -> String {
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            guard let byte = UInt8(exactly: scalar.value) else { return text }
            bytes.append(byte)
        }
        guard bytes.contains(where: { $0 >= 0x80 }) else { return text }
        return String(validating: bytes, as: UTF8.self) ?? text
    }
}
