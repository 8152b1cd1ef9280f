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
        case google, facebook, instagram, apple, flickr
    }

    init(_ vendor: Vendor, seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        for _ in 0..<Int.random(in: 1...3, using: &generator) { addPhoto(vendor) }
        switch vendor {
        case .google: for folder in folders.sorted() { addGoogleAlbum(folder) }
        case .facebook, .instagram: addNetwork(vendor)
        case .apple: addApple()
        case .flickr: addFlickr()
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

    private mutating func word() -> String {
        lastWord += 1
        return "word\(lastWord)x"
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
            let album = ["Photos from 2019", "Rome", "Untitled(1)"].randomElement(using: &generator) ?? ""
            photo.folder = "Takeout/Google Photos/\(album)"
            // It may be a version of the one before.
            if happens(8) { photo.name = "IMG_\(max(1, number - 1))-\(["a", "b", "c"][number - 1]).jpg" }
            folders.insert(album)
        case .facebook, .instagram: photo.folder = "media/posts"
        case .apple: photo.folder = "iCloud Photos Part 1 of 1/Photos"
        case .flickr: photo.name = "x_7123456\(number)_o.jpg"
        }
        photos.append(photo)
        let path = (photo.folder.isEmpty ? "" : photo.folder + "/") + photo.name
        if photo.isHere { files.append(ImportFile(path: path, type: .jpeg, digest: photo.digest)) }
        if vendor == .google { addGoogle(photo) }
    }

    private mutating func add(_ path: String, _ text: String) {
        files.append(
            ImportFile(
                path: path, content: SidecarContent(Array(text.utf8), path: path), digest: Array((path + text).utf8)))
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
        // The same photo lies in an album, too.
        guard photo.isHere, happens(4) else { return }
        folders.insert("Oma")
        files.append(
            ImportFile(path: "Takeout/Google Photos/Oma/\(photo.name)", type: .jpeg, digest: photo.digest))
    }

    private mutating func addGoogleAlbum(_ folder: String) {
        guard folder != "Photos from 2019" else { return }
        let title = folder.hasPrefix("Untitled") ? "" : "\(folder): 2019"
        let copies = files.filter { $0.type == .jpeg && $0.path.contains("/\(folder)/") }.compactMap(\.digest)
        // Of one that is not here nothing says so.
        let own = photos.filter { $0.isHere && $0.folder.hasSuffix("/\(folder)") }.map(\.digest)
        for photo in Set(copies + own) {
            known.insert(Known(photo: photo, fact: .album(title.isEmpty ? "an album without a name" : title)))
        }
        let text = happens(4) ? word() : ""
        if !text.isEmpty { known.insert(Known(photo: [0], fact: .word(text))) }
        let date = #""date": {"timestamp": "1"}"#
        add(
            "Takeout/Google Photos/\(folder)/metadata.json",
            #"{"title": "\#(title)", "description": "\#(text)", "access": "protected", \#(date)}"#)
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
                for member in ["description", "caption", "title", "comment"] where happens(4) {
                    let word = self.word()
                    members.append(#""\#(member)": "\#(word)""#)
                    know(.word(word), of: photo)
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
        add("iCloud Photos Part 1 of 1/Photos/Photo Details.csv", rows.joined(separator: "\n"))
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
                let text = member == "name" ? "a \(word)" : word
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
        case .word(let word): photo.note.caption?.contains(word) == true
        case .date(let date): photo.note.takenAt?.milliseconds == date
        case .heart: photo.note.isFavourite
        case .album(let name): photo.note.albums.contains(name)
        case .latitude(let latitude): photo.note.place?.latitude == latitude
        }
    }

    @Test("of every vendor, with whatever is odd", arguments: 0..<5)
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
