import Media

extension ListedNote {
    /// Lists of Facebook and Instagram, in which a file stands as its path, with the moment at which it was posted, wherever
    /// they have it; and under what else words stand that were not taken over. Nil for JSON in which there is none.
    static func list(meta value: JSONValue) -> (list: [ListedNote], unread: Set<String>)? {
        if value["photos"] == .list([]), value["name"]?.hasWords == true { return ([], ["name"]) }
        var lists = MetaLists()
        lists.read(value, MetaLists.Surroundings(), under: nil)
        return lists.found.contains { $0.note.takenAt != nil } ? (lists.found, lists.unread) : nil
    }
}

private struct MetaLists {
    /// What is said around a file.
    struct Surroundings {
        var album: String?
        /// The words of the post.
        var texts: [String] = []
        var place: Place?
        var postedAt: CaptureTime?
        /// Instagram's titles are captions; Facebook's are those of albums.
        var titleIsCaption = false
        /// The picture of a video, of which no words are meant.
        var isThumbnail = false
    }

    private struct Text {
        var member: String
        var words: String
    }

    private(set) var found: [ListedNote] = []
    /// All of them, and those that were taken over.
    private var texts: [Text] = []
    private var taken: Set<String> = []

    /// What was not taken over, however the network calls it.
    var unread: Set<String> { Set(texts.filter { !taken.contains($0.words) }.map(\.member)) }

    /// - Parameter parent: the member in which the value stands.
    mutating func read(_ value: JSONValue, _ outer: Surroundings, under parent: String?) {
        switch value {
        case .list(let values): for value in values { read(value, outer, under: parent) }
        case .object(let members): read(value, members, outer, under: parent)
        case .text, .number, .truth, .none: break
        }
    }

    private mutating func read(
        _ value: JSONValue, _ members: [String: JSONValue], _ outer: Surroundings, under parent: String?
    ) {
        var around = outer
        if value["photos"] != nil, let name = Self.words(value["name"]) { around.album = name }
        let texts = Self.postTexts(value)
        if !texts.isEmpty { around.texts = texts }
        around.place = Self.postPlace(value) ?? around.place
        around.postedAt = Self.moment(value) ?? around.postedAt
        if let path = value["uri"]?.string ?? value["path"]?.string, !path.contains("://") {
            let note = self.note(value, around)
            found.append(ListedNote(file: .path(Self.mended(path)), note: note))
            around.titleIsCaption = false
        }
        for (key, member) in members.sorted(by: { $0.key < $1.key }) {
            if Self.isSpoken(key, in: value) { gather(member, key, of: value, under: parent) }
            guard member.isObject || !member.elements.isEmpty else { continue }
            var inner = around
            let isList = !member.elements.isEmpty
            inner.titleIsCaption = around.titleIsCaption || key.hasPrefix("ig_") || (key == "media" && isList)
            inner.isThumbnail = around.isThumbnail || key == "thumbnail"
            if !Self.ofMachines.contains(key) { read(member, inner, under: key) }
        }
    }

    // MARK: Words

    /// Members in which no person says anything.
    private static let ofMachines: Set<String> = [
        "uri", "path", "url", "href", "fbid", "id", "label", "upload_ip", "ip_address", "media_metadata", "backup_uri",
        "cross_post_source", "dubbing_info", "media_variants", "mime_type", "type",
    ]

    /// Not the sentence that Facebook makes of a post.
    private static func isSpoken(_ key: String, in value: JSONValue) -> Bool {
        !ofMachines.contains(key) && !(key == "title" && value["attachments"] != nil)
    }

    /// - Parameter value: of which the member is one.
    private mutating func gather(_ member: JSONValue, _ key: String, of value: JSONValue, under parent: String?) {
        if Self.isMoment(key), Self.moment(value) != nil { return }
        let label = key == "value" ? value["label"]?.string : nil
        let name = label.map { Self.mended($0) } ?? [parent, key].compactMap(\.self).joined(separator: ".")
        for words in ([member] + member.elements).compactMap(Self.words) where words.contains(where: \.isLetter) {
            texts.append(Text(member: name, words: words))
        }
    }

    /// With all that was said of a file.
    private mutating func note(_ value: JSONValue, _ around: Surroundings) -> SidecarNote {
        var note = SidecarNote()
        let facts = Self.metadata(value)
        // What a network was told by the camera comes before the moment of the post. Neither is a person's correction.
        note.takenAt =
            facts.lazy.compactMap { Self.seconds($0["taken_timestamp"]) ?? Self.clock($0["date_time_original"]) }.first
            ?? around.postedAt
        note.place = facts.lazy.compactMap { SidecarNote.place($0) }.first ?? around.place
        guard !around.isThumbnail else { return note }
        let title = around.titleIsCaption || value["path"] != nil ? Self.words(value["title"]) : nil
        let own = [value["description"], value["caption"], value["text"]].map(Self.words)
        for words in (own + [title]).compactMap(\.self) + around.texts {
            note.caption = SidecarNote.both(note.caption, words)
            taken.insert(words)
        }
        if let album = around.album {
            note.albums = [album]
            taken.insert(album)
        }
        return note
    }

    /// `exif_data` of whichever kind of file it is.
    private static func metadata(_ value: JSONValue) -> [JSONValue] {
        ["photo_metadata", "video_metadata"].flatMap { kind in
            value["media_metadata"]?[kind]?["exif_data"]?.elements ?? []
        }
    }

    private static let moments = ["creation_timestamp", "timestamp", "timestamp_ms", "taken_at"]

    private static func isMoment(_ key: String) -> Bool { moments.contains(key) }

    private static func moment(_ value: JSONValue) -> CaptureTime? {
        moments.lazy.compactMap { key in
            seconds(value[key]) ?? value[key]?.string.flatMap(CaptureTime.init(sidecarText:))
        }.first
    }

    private static func seconds(_ value: JSONValue?) -> CaptureTime? {
        value?.double.flatMap(CaptureTime.init(sidecarSeconds:))
    }

    /// `20191231T100000`, by the clock of the camera.
    private static func clock(_ value: JSONValue?) -> CaptureTime? {
        let digits = Array((value?.string ?? "").filter { $0.isASCII && $0.isNumber })
        guard digits.count == 14 else { return nil }
        func part(_ range: Range<Int>) -> String { String(digits[range]) }
        return CaptureTime(
            sidecarClock:
                "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(part(8..<10)):\(part(10..<12)):\(part(12..<14))Z")
    }

    /// Those of Facebook's posts, and the one title that Instagram gives to several pictures.
    private static func postTexts(_ value: JSONValue) -> [String] {
        let labels = (value["label_values"]?.elements ?? []).filter { label in
            captions.contains(label["label"]?.string?.lowercased() ?? "")
        }.map { $0["value"] }
        let posts = value["attachments"] == nil ? [] : (value["data"]?.elements ?? []).map { $0["post"] }
        let title = value["media"]?.elements.isEmpty == false ? [value["title"]] : []
        return (posts + title + labels).compactMap(words)
    }

    private static let captions: Set<String> = ["caption", "description", "title", "text", "post"]

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
