import Media

extension ListedNote {
    /// Flickr's `photo_51234567890.json`, and `albums.json`, which names photos by their numbers, with what else is said in it;
    /// nil for other JSON.
    static func list(flickr value: JSONValue) -> (list: [ListedNote], unread: Set<String>)? {
        photo(value).map { ([$0], []) } ?? albums(value)
    }

    /// What is no person's word, or is read.
    private static let membersOfFlickr: Set<String> = [
        "id", "name", "description", "date_taken", "date_imported", "photopage", "original", "license", "geo", "albums",
        "tags", "people", "privacy", "comment_permissions", "tagging_permissions", "safety", "rotation", "exif",
        "media", "count_views", "count_faves", "count_comments", "count_tags", "count_notes",
    ]

    private static func photo(_ value: JSONValue) -> ListedNote? {
        guard let id = number(value["id"]), let date = value["date_taken"],
            ["photopage", "original", "license", "date_imported", "geo"].contains(where: { value[$0] != nil })
        else { return nil }
        var note = SidecarNote()
        // By the clock of the camera; what nobody knows is all zeros.
        note.takenAt = date.string.flatMap {
            CaptureTime(sidecarClock: $0.replacing(" ", with: "T", maxReplacements: 1))
        }
        note.place = place(value["geo"])
        (note.correctsTime, note.correctsPlace) = (note.takenAt != nil, note.place != nil)
        if note.place == nil, let geo = value["geo"], !SidecarNote.isNowhere(geo.elements.first ?? geo) {
            note.unkept.insert(SidecarNote.unreadPlace)
        }
        // Flickr writes its texts as HTML has them.
        note.caption = value["description"]?.words.map(EscapedText.decoded)
        if value["tags"]?.elements.isEmpty == false { note.unkept.insert(SidecarNote.keywords) }
        if value["people"]?.hasWords == true { note.unkept.insert(SidecarNote.people) }
        note.unkept.formUnion(value.words(besides: membersOfFlickr).map(SidecarNote.unknown))
        if note.takenAt == nil, date.string?.contains(where: { ("1"..."9").contains($0) }) == true {
            note.unkept.insert(SidecarNote.unreadDate)
        }
        let albums = (value["albums"]?.elements ?? []).enumerated().compactMap { album($1, number: $0) }
        let name = value["name"]?.words.map(EscapedText.decoded)
        return ListedNote(file: .flickr(id), note: note, albums: albums, title: title(name))
    }

    private static let membersOfAlbum: Set<String> = ["id", "title", "url", "photos", "cover_photo"]

    private static func albums(_ value: JSONValue) -> (list: [ListedNote], unread: Set<String>)? {
        guard let albums = value["albums"]?.elements, !albums.isEmpty,
            albums.allSatisfy({ $0["title"]?.words != nil && $0["photos"] != nil })
        else { return nil }
        var unread: Set<String> = []
        var list: [ListedNote] = []
        for (place, value) in albums.enumerated() {
            unread.formUnion(value.words(besides: membersOfAlbum))
            if value["description"]?.words != nil { unread.insert("description") }
            // 0 is what Flickr writes of a photo that is there no more.
            let numbers = (value["photos"]?.elements ?? []).compactMap { number($0) }.filter { $0 != "0" }
            if numbers.isEmpty { unread.insert("title of an album without photos") }
            list += numbers.map {
                ListedNote(
                    file: .flickr($0), note: SidecarNote(), albums: [album(value, number: place)].compactMap(\.self))
            }
        }
        return (list, unread)
    }

    private static func album(_ value: JSONValue, number: Int) -> ListedAlbum? {
        guard let title = value["title"]?.words else { return nil }
        let id = value["id"]?.words
        return ListedAlbum(title: title, id: id ?? "\(number)", isIDOfAll: id != nil)
    }

    private static func number(_ value: JSONValue?) -> String? {
        switch value {
        case .text(let text) where !text.isEmpty && text.allSatisfy { $0.isASCII && $0.isNumber }: text
        case .number(let number): Int64(exactly: number).map { String($0) }
        default: nil
        }
    }

    /// A name that a person gave. Without one Flickr takes that of the file, as cameras, phones and programs call theirs.
    private static func title(_ text: String?) -> String? {
        guard let text, !isOfCamera(text) else { return nil }
        return text
    }

    private static func isOfCamera(_ name: String) -> Bool {
        let stem = name.lowercased().replacing(/\.[a-z0-9]{2,4}$/, with: "")
        let isNamed = stem.wholeMatch(
            of:
                /(?:_?dsc[nfi]?|_?img|_mg|imag|p|pict?|pxl|mvi|mvimg|vid|mov|cimg|sam|gopr|g[hx]|dji|sany|hpim|imgp|pano|burst|wp|screenshot|photo|image|video|fb_img|received|signal|whatsapp-(?:image|video)|snapchat)[-_]?(?:[-0-9_.~()]|wa|at|am|pm)+/
        )
        let digits = stem.count { $0.isASCII && $0.isNumber }
        return isNamed != nil && digits > 3
            || digits > 7 && stem.allSatisfy { $0.isASCII && $0.isNumber || "-_.~()".contains($0) }
    }

    /// In degrees, or in millionths of one.
    private static func place(_ value: JSONValue?) -> Place? {
        let value = value?.elements.first ?? value
        guard let latitude = value?["latitude"]?.degrees, let longitude = value?["longitude"]?.degrees else {
            return nil
        }
        let isWhole = max(abs(latitude), abs(longitude)) < 1000
        let unit = isWhole ? 1.0 : 1_000_000
        return Place(latitude: latitude / unit, longitude: longitude / unit)
    }
}

extension ListedNote {
    /// Snapchat's `memories_history.json` and `chat_history.json`; nil for other JSON.
    static func list(snapchat value: JSONValue) -> (list: [ListedNote], unread: Set<String>)? {
        guard let moments = value["Saved Media"]?.elements else { return list(snapchatChats: value) }
        let known: Set<String> = ["Date", "Media Type", "Location", "Download Link", "Media Download Url"]
        let unread = moments.reduce(into: Set<String>()) { $0.formUnion($1.words(besides: known)) }
        let list = moments.map { moment in
            var note = SidecarNote()
            note.takenAt = snapTime(moment["Date"], &note)
            note.place = snapPlace(moment["Location"], &note)
            (note.correctsTime, note.correctsPlace) = (note.takenAt != nil, note.place != nil)
            let links = [moment["Download Link"], moment["Media Download Url"]].compactMap { $0?.string }
            let isVideo = moment["Media Type"]?.string?.lowercased() == "video"
            let day = moment["Date"]?.string?.split(separator: " ").first ?? "an unknown day"
            return ListedNote(
                file: .snap(link: links.joined(separator: "\n").lowercased(), day: String(day), isVideo: isVideo),
                note: note)
        }
        return (list, unread)
    }

    /// What was written beside pictures that were sent. The rest of a chat is of no photo.
    private static func list(snapchatChats value: JSONValue) -> (list: [ListedNote], unread: Set<String>)? {
        guard case .object(let chats) = value, !chats.isEmpty else { return nil }
        let messages = chats.sorted { $0.key < $1.key }.flatMap(\.value.elements)
        guard !messages.isEmpty, messages.allSatisfy({ $0["Media Type"] != nil && $0["Created"] != nil }) else {
            return nil
        }
        let known: Set<String> = [
            "From", "Media Type", "Created", "Content", "Conversation Title", "IsSender", "Created(microseconds)",
            "Media IDs", "IsSaved",
        ]
        var (list, unread): ([ListedNote], Set<String>) = ([], [])
        for message in messages {
            let ids = (message["Media IDs"]?.string ?? "").split { "| ,".contains($0) }
            guard !ids.isEmpty else { continue }
            unread.formUnion(message.words(besides: known))
            var note = SidecarNote()
            // When it was sent puts nothing right.
            note.takenAt = snapTime(message["Created"], &note)
            note.caption = message["Content"]?.words
            list += ids.map { ListedNote(file: .snapChat($0.lowercased()), note: note) }
        }
        return (list, unread)
    }

    /// `2021-03-04 10:11:12 UTC`
    private static func snapTime(_ value: JSONValue?, _ note: inout SidecarNote) -> CaptureTime? {
        let words = (value?.string ?? "").split(separator: " ")
        let time = words.count > 1 ? CaptureTime(sidecarText: "\(words[0])T\(words[1])Z") : nil
        if time == nil, value?.isEmpty == false { note.unkept.insert(SidecarNote.unreadDate) }
        return time
    }

    /// `Latitude, Longitude: 48.1, 11.5`, also with commas in the numbers, and with a height.
    private static func snapPlace(_ value: JSONValue?, _ note: inout SidecarNote) -> Place? {
        let text = (value?.string ?? "").split(separator: ":").last ?? ""
        let parts = text.split(separator: /,\s+/).map {
            Double($0.filter { !$0.isWhitespace }.replacing(",", with: "."))
        }
        let numbers =
            parts.count > 1 ? parts : text.split(separator: ",").map { Double($0.filter { !$0.isWhitespace }) }
        if (2...3).contains(numbers.count), let latitude = numbers[0], let longitude = numbers[1] {
            // What knows no place.
            if latitude == 0, longitude == 0 { return nil }
            if let place = Place(latitude: latitude, longitude: longitude) { return place }
        }
        if value?.isEmpty == false { note.unkept.insert(SidecarNote.unreadPlace) }
        return nil
    }
}
