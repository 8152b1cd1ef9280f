import Media

extension ListedNote {
    /// Lists of Facebook and Instagram, in which a file stands as its path, with the moment at which it was posted, wherever
    /// they have it; and under what else words stand that were not taken over. Nil for JSON in which there is none.
    static func list(meta value: JSONValue) -> (list: [ListedNote], unread: Set<String>)? {
        if value["photos"] == .list([]), value["name"]?.words != nil { return ([], ["name"]) }
        var lists = MetaLists()
        lists.read(value, MetaLists.Surroundings(), at: MetaLists.Position())
        return lists.found.contains { $0.note.takenAt != nil } ? (lists.found, lists.unread) : nil
    }
}

private struct MetaLists {
    /// Where a value stands: in which member, and in which one of all.
    struct Position {
        var parent: String?
        var path = ""

        func inside(_ key: String, of number: Int? = nil) -> Position {
            Position(parent: number == nil ? key : parent, path: "\(path)/\(number.map { String($0) } ?? key)")
        }
    }

    /// Words, and where they stand.
    struct Said {
        var words: String
        var path: String
    }

    /// What is said around a file.
    struct Surroundings {
        var album: Said?
        /// The words of the post.
        var texts: [Said] = []
        var place: Place?
        var postedAt: CaptureTime?
        /// The day on which somebody says that it was.
        var backdatedAt: CaptureTime?
        /// Instagram's titles are captions; Facebook's are those of albums.
        var titleIsCaption = false
        /// The picture of a video, of which no words are meant.
        var isThumbnail = false
    }

    private struct Text {
        var member: String
        var path: String
    }

    private(set) var found: [ListedNote] = []
    /// All of them, and where those stand that were taken over: the same words may be said of two photos.
    private var texts: [Text] = []
    private var taken: Set<String> = []

    /// What was not taken over, however the network calls it.
    var unread: Set<String> { Set(texts.filter { !taken.contains($0.path) }.map(\.member)) }

    mutating func read(_ value: JSONValue, _ outer: Surroundings, at place: Position) {
        switch value {
        case .list(let values):
            for (number, value) in values.enumerated() { read(value, outer, at: place.inside("", of: number)) }
        case .object(let members): read(value, members, outer, at: place)
        case .text, .number, .truth, .none: break
        }
    }

    private mutating func read(
        _ value: JSONValue, _ members: [String: JSONValue], _ outer: Surroundings, at place: Position
    ) {
        var around = outer
        if value["photos"] != nil, let name = Self.words(value["name"]) {
            around.album = Said(words: name, path: "\(place.path)/name")
        }
        let texts = Self.postTexts(value, at: place)
        if !texts.isEmpty { around.texts = texts }
        around.place = Self.postPlace(value) ?? around.place
        around.postedAt = Self.moment(value) ?? around.postedAt
        around.backdatedAt = Self.backdated(value) ?? around.backdatedAt
        if let path = value["uri"]?.string ?? value["path"]?.string, !path.contains("://") {
            let note = self.note(value, around, at: place)
            let albums = around.isThumbnail ? nil : around.album.map { ListedAlbum(title: $0.words, id: $0.path) }
            found.append(
                ListedNote(file: .path(Self.mended(path)), note: note, albums: [albums].compactMap(\.self)))
            around.titleIsCaption = false
        }
        for (key, member) in members.sorted(by: { $0.key < $1.key }) {
            if isSpoken(key, in: value, around) { gather(member, key, of: value, at: place) }
            guard member.isObject || !member.elements.isEmpty else { continue }
            var inner = around
            let isList = !member.elements.isEmpty
            inner.titleIsCaption = around.titleIsCaption || key.hasPrefix("ig_") || (key == "media" && isList)
            inner.isThumbnail = around.isThumbnail || key == "thumbnail"
            if !Self.ofMachines.contains(key) { read(member, inner, at: place.inside(key)) }
        }
    }

    // MARK: Words

    /// Members in which no person says anything.
    private static let ofMachines: Set<String> = [
        "uri", "path", "url", "href", "fbid", "id", "label", "upload_ip", "ip_address", "media_metadata", "backup_uri",
        "cross_post_source", "dubbing_info", "media_variants", "mime_type", "type",
    ]

    /// Not the sentence that Facebook makes of a post, and not the name of the album beside each of its photos.
    private func isSpoken(_ key: String, in value: JSONValue, _ around: Surroundings) -> Bool {
        let isOfAlbum = around.album.map { Self.words(value["title"]) == $0.words } ?? false
        // The moment of the post, once more.
        if key == "timestamp_value", let moment = Self.seconds(value[key]),
            around.postedAt?.isAnotherDay(than: moment) == false
        {
            return false
        }
        return !Self.ofMachines.contains(key) && !(key == "title" && (value["attachments"] != nil || isOfAlbum))
    }

    /// - Parameter value: of which the member is one.
    private mutating func gather(_ member: JSONValue, _ key: String, of value: JSONValue, at place: Position) {
        if Self.isMoment(key), Self.moment(value) != nil { return }
        let label = ["value", "timestamp_value"].contains(key) ? value["label"]?.string : nil
        let name = label.map { Self.mended($0) } ?? [place.parent, key].compactMap(\.self).joined(separator: ".")
        let path = "\(place.path)/\(key)"
        let saysDate = label != nil && key == "timestamp_value" && member.double != nil
        if Self.spoken(member, as: key) != nil || saysDate { texts.append(Text(member: name, path: path)) }
        for (number, element) in member.elements.enumerated() where Self.words(element) != nil {
            texts.append(Text(member: name, path: "\(path)/\(number)"))
        }
    }

    /// Texts; and numbers where people write.
    private static func spoken(_ value: JSONValue?, as key: String) -> String? {
        if case .number = value { return wordy.contains(key) ? value?.words : nil }
        return words(value)
    }

    private static let wordy: Set<String> = ["title", "description", "caption", "text", "post", "name", "comment"]

    /// With all that was said of a file.
    private mutating func note(_ value: JSONValue, _ around: Surroundings, at place: Position) -> SidecarNote {
        var note = SidecarNote()
        let facts = Self.metadata(value)
        // What a network was told by the camera comes before the moment of the post. Neither is a person's correction, as the
        // day is to which somebody moved the post.
        note.takenAt =
            around.backdatedAt
            ?? facts.lazy.compactMap { Self.seconds($0["taken_timestamp"]) ?? Self.clock($0["date_time_original"]) }
            .first
            ?? around.postedAt
        note.correctsTime = around.backdatedAt != nil
        note.place = facts.lazy.compactMap { SidecarNote.place($0) }.first ?? around.place
        note.namePlaces(facts.map(Optional.some) + [value["place"]?["coordinate"]])
        guard !around.isThumbnail else { return note }
        let own =
            ["description", "caption", "text"]
            + (around.titleIsCaption || value["path"] != nil ? ["title"] : [])
        let said = own.compactMap { key in
            Self.spoken(value[key], as: key).map { Said(words: $0, path: "\(place.path)/\(key)") }
        }
        for said in said + around.texts {
            note.caption = SidecarNote.both(note.caption, said.words)
            taken.insert(said.path)
        }
        if let album = around.album { taken.insert(album.path) }
        return note
    }

    /// `exif_data` of whichever kind of file it is.
    private static func metadata(_ value: JSONValue) -> [JSONValue] {
        ["photo_metadata", "video_metadata"].flatMap { kind in
            value["media_metadata"]?[kind]?["exif_data"]?.elements ?? []
        }
    }

    private static let moments = ["creation_timestamp", "timestamp", "timestamp_ms", "taken_at"]

    /// `{"backdated_timestamp": -631152000}` among what a post has, or in the file itself.
    private static func backdated(_ value: JSONValue) -> CaptureTime? {
        ([value] + (value["attachments"] == nil ? [] : value["data"]?.elements ?? [])).lazy
            .compactMap { seconds($0["backdated_timestamp"]) }.first
    }

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
    private static func postTexts(_ value: JSONValue, at place: Position) -> [Said] {
        func said(_ value: JSONValue?, _ key: String, _ path: String) -> Said? {
            spoken(value, as: key).map { Said(words: $0, path: "\(place.path)/\(path)") }
        }
        let posts = value["attachments"] == nil ? [] : value["data"]?.elements ?? []
        let title = value["media"]?.elements.isEmpty == false ? said(value["title"], "title", "title") : nil
        let labels = (value["label_values"]?.elements ?? []).enumerated().filter { _, label in
            captions.contains(label["label"]?.string?.lowercased() ?? "")
        }
        return posts.enumerated().compactMap { said($1["post"], "post", "data/\($0)/post") }
            + [title].compactMap(\.self)
            + labels.compactMap { said($1["value"], "text", "label_values/\($0)/value") }
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
