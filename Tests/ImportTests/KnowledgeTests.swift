import Foundation
import Media
import TestSupport
import Testing

@testable import Import

/// What a made export says, beside the files that say it.
private struct Known: Hashable {
    /// Of the photo of this digest; one of an absent photo can be kept by nothing.
    var photo: [UInt8]
    var fact: Fact

    enum Fact: Hashable {
        case word(String)
        case date(Int64)
        case heart
        case album(String)
        case latitude(Double)
    }
}

/// An export of one vendor, with what each may have that is odd.
private struct MadeExport {
    private(set) var files: [ImportFile] = []
    private(set) var known: Set<Known> = []
    private var generator: SeededGenerator
    private var lastWord = 0

    enum Vendor: CaseIterable {
        case google, facebook, instagram, apple, flickr, immich, snapchat
    }

    init(_ vendor: Vendor, seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        for _ in 0..<Int.random(in: 1...3, using: &generator) { addPhoto(vendor) }
        switch vendor {
        case .google: for folder in folders.sorted() { addGoogleAlbum(folder) }
        case .facebook, .instagram: addNetwork(vendor)
        case .apple: addApple()
        case .flickr: addFlickr()
        case .immich: for photo in photos { addImmich(photo) }
        case .snapchat: addSnapchat()
        }
        files.shuffle(using: &generator)
    }

    private struct Photo {
        var name: String
        var folder: String
        var digest: [UInt8]
        var isHere: Bool
    }

    private var photos: [Photo] = []
    private var folders: Set<String> = []

    // MARK: Choices

    private mutating func happens(_ oneIn: Int) -> Bool { Int.random(in: 0..<oneIn, using: &generator) == 0 }

    /// Some are within others, some have no letter, some are said twice, and some have signs beyond ASCII.
    private mutating func word() -> String {
        if lastWord > 0, happens(10) { return "word\(lastWord)" }
        lastWord += 1
        return ["word\(lastWord)", "word\(lastWord)", "\(lastWord)", "❤️\(lastWord)", "wörd\(lastWord)"]
            .randomElement(using: &generator) ?? ""
    }

    /// Two of them are the same, or days apart.
    private mutating func seconds() -> Int64 { Int64.random(in: 1200...1900, using: &generator) * 864_000 }

    private mutating func know(_ fact: Known.Fact, of photo: Photo) {
        known.insert(Known(photo: photo.digest, fact: fact))
    }

    // MARK: Photos

    private mutating func addPhoto(_ vendor: Vendor) {
        let number = photos.count + 1
        var photo = Photo(name: "IMG_\(number).jpg", folder: "", digest: [UInt8(number)], isHere: !happens(6))
        switch vendor {
        case .google:
            let album =
                [
                    "Photos from 2019", "Photos from 2019", "Rome_ 2019", "Rome_ 2019(1)", "Untitled(1)", "2019-05-04",
                    "Fotos von 2018", "Sommer 2018",
                ].randomElement(using: &generator) ?? ""
            photo.folder = "Takeout/Google Photos/\(album)"
            // It may be a version of the one before.
            if happens(8) { photo.name = "IMG_\(max(1, number - 1))-\(["a", "b", "c"][number - 1]).jpg" }
            folders.insert(album)
        case .facebook, .instagram: photo.folder = "media/posts"
        case .apple: photo.folder = "iCloud Photos Part 1 of 1/Photos"
        case .flickr: photo.name = "x_7123456\(number)_o.jpg"
        case .immich: photo.folder = "library"
        case .snapchat: photo.name = "2021-03-04_0a1b\(number)-main.jpg"
        }
        photos.append(photo)
        let path = (photo.folder.isEmpty ? "" : photo.folder + "/") + photo.name
        if photo.isHere { files.append(ImportFile(path: path, type: .jpeg, digest: photo.digest)) }
        if vendor == .google { addGoogle(photo) }
        if vendor == .google, happens(8) { addVersion(of: photo) }
    }

    /// In UTF-8, or as programs of Windows write it.
    private mutating func add(_ path: String, _ text: String) {
        var bytes = Array(text.utf8)
        if happens(6), text.unicodeScalars.allSatisfy({ $0.value < 256 }) {
            bytes = text.unicodeScalars.map { UInt8($0.value) }
        } else if happens(6) {
            bytes = [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        }
        files.append(
            ImportFile(path: path, content: SidecarContent(bytes, path: path), digest: Array((path + text).utf8)))
    }

    // MARK: Google

    private mutating func addGoogle(_ photo: Photo) {
        // One of its kinds of names, or two of them.
        let kinds = [".json", ".supplemental-metadata.json"].shuffled(using: &generator).prefix(happens(5) ? 2 : 1)
        for kind in kinds where !happens(8) {
            let time = seconds()
            var members = [
                #""title": "\#(photo.name)", "url": "x", "creationTime": {"timestamp": "5"}"#,
                #""photoTakenTime": {"timestamp": "\#(time)"}"#,
            ]
            know(.date(time * 1000), of: photo)
            for member in ["description", "caption", "comment"] where happens(member == "description" ? 2 : 12) {
                let word = self.word()
                members.append(#""\#(member)": "\#(word)""#)
                know(.word(word), of: photo)
            }
            if happens(3) {
                members.append(#""favorited": true"#)
                know(.heart, of: photo)
            }
            if happens(3) {
                let latitude = Double(Int.random(in: -120...120, using: &generator))
                members.append(#""geoData": {"latitude": \#(latitude), "longitude": 5.0}"#)
                if latitude != 0 { know(.latitude(latitude), of: photo) }
            }
            if happens(15) {
                let word = self.word()
                members.append(#""people": [{"name": "\#(word)"}]"#)
                know(.word(word), of: photo)
            }
            var text = "{\(members.shuffled(using: &generator).joined(separator: ", "))}"
            if happens(25) { text.removeLast(3) }
            add("\(photo.folder)/\(photo.name)\(kind)", text)
        }
        // The same photo lies in an album, too, perhaps under another name, and something is said of it there.
        guard photo.isHere, happens(4) else { return }
        folders.insert("Oma")
        let name = happens(3) ? "Copy of \(photo.name)" : photo.name
        files.append(ImportFile(path: "Takeout/Google Photos/Oma/\(name)", type: .jpeg, digest: photo.digest))
        guard happens(2) else { return }
        let word = self.word()
        know(.word(word), of: photo)
        add(
            "Takeout/Google Photos/Oma/\(name).json",
            #"{"title": "\#(name)", "url": "x", "description": "\#(word)", "photoTakenTime": {}}"#)
    }

    /// A video, or a changed one, of a photo that may lie in another part: it takes the sidecar of that.
    private mutating func addVersion(of photo: Photo) {
        let stem = photo.name.dropLast(4)
        let name = ["\(stem)-edited.jpg", "\(stem).MP4"].randomElement(using: &generator) ?? ""
        files.append(
            ImportFile(
                path: "\(photo.folder)/\(name)", type: name.hasSuffix("4") ? .mp4 : .jpeg,
                digest: photo.digest + Array("version".utf8)))
    }

    private mutating func addGoogleAlbum(_ folder: String) {
        guard folder != "Photos from 2019" else { return }
        // Of some the file lies in another part.
        if happens(8), ["2019-05-04", "Sommer 2018"].contains(folder) { return knowAlbum(folder, folder) }
        let title = folder.hasPrefix("Untitled") ? "" : folder.hasPrefix("Rome") ? "Rome: 2019" : folder
        knowAlbum(folder, title)
        let text = happens(4) ? word() : ""
        if !text.isEmpty { known.insert(Known(photo: [0], fact: .word(text))) }
        let date = #""date": {"timestamp": "1"}"#
        add(
            "Takeout/Google Photos/\(folder)/metadata.json",
            #"{"title": "\#(title)", "description": "\#(text)", "access": "protected", \#(date)}"#)
    }

    private mutating func knowAlbum(_ folder: String, _ title: String) {
        let copies = files.filter { $0.type == .jpeg && $0.path.contains("/\(folder)/") }.compactMap(\.digest)
        // Of one that is not here nothing says so.
        let own = photos.filter { $0.isHere && $0.folder.hasSuffix("/\(folder)") }.map(\.digest)
        let isNamed = !folder.hasPrefix("Untitled")
        // Two of one name are told apart by the number of their folders.
        let name = isNamed ? folder == "Rome_ 2019(1)" ? "\(title) (1)" : title : "an album without a name"
        for photo in Set(copies + own) { known.insert(Known(photo: photo, fact: .album(name))) }
    }

    // MARK: Networks

    private mutating func addNetwork(_ vendor: Vendor) {
        for number in 0..<Int.random(in: 1...3, using: &generator) {
            let list = photos.shuffled(using: &generator).prefix(Int.random(in: 1...3, using: &generator))
            let album = "Album \(number)"
            let shared = happens(3) ? word() : nil
            var entries: [String] = []
            for photo in list {
                let time = seconds()
                know(.date(time * 1000), of: photo)
                var members = [#""uri": "\#(photo.folder)/\#(photo.name)", "creation_timestamp": \#(time)"#]
                for member in ["description", "caption", "title", "comment", "place"] where happens(4) {
                    let word = self.word()
                    let isNested = ["comment", "place"].contains(member) && happens(2)
                    members.append(isNested ? #""\#(member)": {"name": "\#(word)"}"# : #""\#(member)": "\#(word)""#)
                    know(.word(word), of: photo)
                }
                if happens(8) {
                    let day = -seconds()
                    members.append(#""backdated_timestamp": \#(day)"#)
                    known = known.filter { $0 != Known(photo: photo.digest, fact: .date(time * 1000)) }
                    know(.date(day * 1000), of: photo)
                }
                if let shared { know(.word(shared), of: photo) }
                if vendor == .facebook { know(.album(album), of: photo) }
                entries.append("{\(members.joined(separator: ", "))}")
            }
            let all = entries.joined(separator: ", ")
            let words = shared.map { word in
                vendor == .facebook
                    ? #", "description": "\#(word)""#
                    : #", "title": "\#(word)", "label_values": [{"label": "Caption", "value": "\#(word)"}]"#
            }
            add(
                "lists/\(number).json",
                vendor == .facebook
                    ? #"{"name": "\#(album)", "photos": [\#(all)]\#(words ?? "")}"#
                    : #"[{"media": [\#(all)]\#(words ?? "")}]"#)
        }
    }

    // MARK: Apple

    private mutating func addApple() {
        var rows = ["imgName,fileChecksum,favorite,hidden,deleted,originalCreationDate,viewCount,importDate,caption"]
        for photo in photos where !happens(6) {
            for _ in 0..<(happens(8) ? 2 : 1) {
                let day = Int.random(in: 1...28, using: &generator)
                let (zone, offset) = [("GMT", 0), ("PDT", 7), ("XYZ", 5)].randomElement(using: &generator) ?? ("", 0)
                let midnight: Int64 = 1_559_347_200
                know(.date((midnight + Int64(day - 1) * 86_400 + (13 + Int64(offset)) * 3600) * 1000), of: photo)
                let heart = ["no", "yes", "true", "ja"].randomElement(using: &generator) ?? ""
                if !["no"].contains(heart) { know(.heart, of: photo) }
                let text = happens(6) ? word() : ""
                if !text.isEmpty { know(.word(text), of: photo) }
                rows.append(
                    #"\#(photo.name),x,\#(heart),no,no,"Saturday June \#(day),2019 1:00 PM \#(zone)",1,x,\#(text)"#)
            }
        }
        let end = ["\n", "\r", "\r\n"].randomElement(using: &generator) ?? ""
        if happens(12) { rows[rows.count - 1].insert("\"", at: rows[rows.count - 1].startIndex) }
        add("iCloud Photos Part 1 of 1/Photos/Photo Details.csv", rows.joined(separator: end))
        guard happens(2) else { return }
        let heading = ["Images", "imgName", "Bilder"].randomElement(using: &generator) ?? ""
        for photo in photos { know(.album("Trip"), of: photo) }
        add(
            "iCloud Photos Part 1 of 1/Albums/Trip.csv",
            ([heading] + photos.map(\.name)).joined(separator: "\n"))
    }

    // MARK: Flickr

    private mutating func addFlickr() {
        func number(_ photo: Photo) -> String { String(photo.name.dropFirst(2).prefix { $0 != "_" }) }
        for photo in photos where !happens(6) {
            var members = [
                #""id": "\#(number(photo))", "license": "x", "date_taken": "2009-05-06 07:08:09""#
            ]
            know(.date(1_241_593_689_000), of: photo)
            for member in ["name", "description", "comments", "tags"] where happens(3) {
                let word = self.word()
                let text = word
                members.append(
                    member == "tags" || member == "comments"
                        ? #""\#(member)": [{"tag": "\#(word)"}]"# : #""\#(member)": "\#(text)""#)
                know(.word(word), of: photo)
            }
            add("photo_\(number(photo)).json", "{\(members.joined(separator: ", "))}")
        }
        guard happens(2) else { return }
        for photo in photos { know(.album("Sea"), of: photo) }
        let text = happens(4) ? word() : ""
        if !text.isEmpty { known.insert(Known(photo: [0], fact: .word(text))) }
        let numbers = photos.map { "\"\(number($0))\"" }.joined(separator: ", ")
        add("albums.json", #"{"albums": [{"title": "Sea", "description": "\#(text)", "photos": [\#(numbers)]}]}"#)
    }

    // MARK: Immich

    private mutating func addImmich(_ photo: Photo) {
        guard !happens(6) else { return }
        let time = seconds()
        let isRead = !happens(6)
        // What is not read is known of nobody.
        know(isRead ? .date(time * 1000) : .word("a date"), of: photo)
        let text = isRead ? Date(timeIntervalSince1970: Double(time)).formatted(.iso8601) : "8. Juni 1950"
        var members = [#""originalFileName": "\#(photo.name)", "fileCreatedAt": "\#(text)""#]
        for member in ["description", "notes", "caption"] where happens(member == "description" ? 2 : 8) {
            let word = self.word()
            members.append(#""\#(member)": "\#(word)""#)
            know(.word(word), of: photo)
        }
        if happens(3) {
            members.append(#""isFavorite": \#(["true", "\"true\"", "\"yes\""].randomElement(using: &generator) ?? "")"#)
            know(.heart, of: photo)
        }
        if happens(3) {
            let latitude = Double(Int.random(in: 1...120, using: &generator))
            let written = ["\(latitude)", "\"\(latitude)\"", "\"\(latitude)N\""].randomElement(using: &generator) ?? ""
            members.append(#""latitude": \#(written), "longitude": 5.0"#)
            know(.latitude(latitude), of: photo)
        }
        if happens(4) {
            let description = happens(3) ? word() : ""
            members.append(#""albums": [{"title": "Rome", "description": "\#(description)"}]"#)
            know(.album("Rome"), of: photo)
            if !description.isEmpty {
                know(.word(description), of: Photo(name: "", folder: "", digest: [0], isHere: false))
            }
        }
        add("\(photo.folder)/\(photo.name).json", "{\(members.joined(separator: ", "))}")
    }

    // MARK: Snapchat

    private mutating func addSnapchat() {
        var moments: [String] = []
        for photo in photos {
            let latitude = Double(Int.random(in: 1...120, using: &generator))
            let place =
                [
                    "Latitude, Longitude: \(latitude), 11.5", "Latitude, Longitude: \(Int(latitude)),0, 11,5",
                    "\(latitude), 11.5, 3",
                    "\(latitude) N 11.5 E",
                ].randomElement(using: &generator) ?? ""
            let isDated = !happens(8)
            if isDated { know(.date(1_614_852_672_000), of: photo) }
            know(.latitude(latitude), of: photo)
            let id = photo.name.split(separator: "_")[1].split(separator: "-")[0]
            let link = happens(4) ? "" : "https://x/?mid=\(id.uppercased())"
            let date = isDated ? #""Date": "2021-03-04 10:11:12 UTC", "# : ""
            moments.append(
                "{\(date)\"Media Type\": \"Image\", \"Location\": \"\(place)\", \"Download Link\": \"\(link)\"}")
        }
        add("json/memories_history.json", #"{"Saved Media": [\#(moments.joined(separator: ", "))]}"#)
    }
}

@Suite("Whoever may delete an export has all that it says")
struct KnowledgeTests {
    private static let seeds: ClosedRange<UInt64> = {
        let first = ProcessInfo.processInfo.environment["SAFELIGHT_SEED"].flatMap { UInt64($0) } ?? 1
        return first...(first + 399)
    }()

    private func keeps(_ known: Known, _ plan: ImportPlan, _ files: [ImportFile]) -> Bool {
        guard let photo = plan.photos.first(where: { files[$0.file].digest == known.photo }) else { return false }
        return switch known.fact {
        case .word(let word): photo.note.caption?.split(separator: "\n").contains(word[...]) == true
        case .date(let date): photo.note.takenAt?.milliseconds == date
        case .heart: photo.note.isFavourite
        case .album(let name): photo.note.albums.contains(name)
        case .latitude(let latitude): photo.note.place?.latitude == latitude
        }
    }

    @Test("of every vendor, with whatever is odd", arguments: 0..<7)
    func all(vendor: Int) throws {
        let vendor = MadeExport.Vendor.allCases[vendor]
        var recommended = 0
        for seed in Self.seeds {
            let export = MadeExport(vendor, seed: seed)
            let plan = ImportPlan(export.files)
            guard plan.saysAll else { continue }
            recommended += 1
            let lost = export.known.filter { !keeps($0, plan, export.files) }
            let paths = zip(export.files.map(\.path), plan.fates).map { "\($0) \($1)" }.sorted()
            #expect(lost.isEmpty, "\(vendor), seed \(seed): \(lost) of \(paths.joined(separator: "\n"))")
        }
        // What never recommends anything holds this, too.
        #expect(recommended > 20, "\(vendor): \(recommended)")
    }
}
