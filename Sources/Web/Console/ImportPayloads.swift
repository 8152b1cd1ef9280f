import Bytes
package import Media
package import Records
package import Vault

/// What `safelight import` and the daemon say to each other.
package enum ImportPayload {
    package struct Session: Codable, Sendable {
        /// As good as a session cookie.
        package var token: String
    }

    package struct Count: Codable, Sendable {
        package var count: Int
    }

    package struct Content: Codable, Sendable {
        package var size: UInt64
        /// Hexadecimal.
        package var sha256: String

        package init(size: UInt64, sha256: [UInt8]) {
            self.size = size
            self.sha256 = Hexadecimal.encode(sha256)
        }
    }

    /// A file that lies in a drop folder.
    package struct DropQuestion: Codable, Sendable {
        package var size: UInt64
        /// Hexadecimal; nil where it was not read yet.
        package var sha256: String?

        package init(size: UInt64, sha256: [UInt8]?) {
            self.size = size
            self.sha256 = sha256.map(Hexadecimal.encode)
        }
    }

    package struct DropAnswer: Codable, Sendable {
        /// Whether it lies at the door, read back just now; without a digest whether it may.
        package var isGiven: Bool
    }

    package struct Dropped: Codable, Sendable {
        /// As it was read back from disk; nil where that failed. Hexadecimal.
        package var sha256: String?
    }

    /// How a run over a drop folder ended.
    package struct DropReport: Codable, Sendable {
        package var folder: String
        /// For people, without names of files; nil while all is well.
        package var trouble: String?

        package init(folder: String, trouble: String?) {
            (self.folder, self.trouble) = (folder, trouble)
        }
    }

    package struct IDs: Codable, Sendable {
        package var ids: [String]

        package init(ids: [String]) { self.ids = ids }
    }

    /// A moment as `CaptureTime` has it.
    package struct Taken: Codable, Sendable, Equatable {
        package var milliseconds: Int64
        package var offsetMinutes: Int?
        package var isInstant: Bool
        package var source: UInt8
        package var precision: UInt8

        package init(_ time: CaptureTime) {
            milliseconds = time.milliseconds
            offsetMinutes = time.offsetMinutes
            isInstant = time.isInstant
            source = time.source.rawValue
            precision = time.precision.rawValue
        }

        /// Nil for what no version writes.
        package var time: CaptureTime? {
            guard let source = CaptureTime.Source(rawValue: source),
                let precision = CaptureTime.Precision(rawValue: precision)
            else { return nil }
            return CaptureTime(
                milliseconds: milliseconds, offsetMinutes: offsetMinutes, isInstant: isInstant, source: source,
                precision: precision)
        }
    }

    /// What files beside one photo say.
    package struct Words: Codable, Sendable {
        package var id: String
        package var taken: Taken?
        package var latitude: Double?
        package var longitude: Double?
        package var altitude: Double?
        /// What comes before the photo's own word, as `SidecarFacts.Corrections`; nil for nothing.
        package var corrections: UInt8?
        package var caption: String?
        package var isFavourite: Bool
        package var isArchived: Bool
        package var albums: [String]
        /// Left, top, right, bottom, angle, as `XMPCrop` has them; nil for the whole picture.
        package var crop: [Double]?
        /// Date and place may be those of another photo; nil for no.
        package var isUncertain: Bool?

        package init(
            id: String, taken: CaptureTime?, place: Place?, corrections: SidecarFacts.Corrections = [],
            caption: String?,
            isFavourite: Bool, isArchived: Bool, albums: [String], crop: XMPCrop?, isUncertain: Bool = false
        ) {
            self.id = id
            self.taken = taken.map(Taken.init)
            (latitude, longitude, altitude) = (place?.latitude, place?.longitude, place?.altitude)
            self.corrections = corrections.isEmpty ? nil : corrections.rawValue
            // A daemon reads no JSON with texts that are not, and an import is not to end for one of them.
            self.caption = caption?.streamSafe
            self.isFavourite = isFavourite
            self.isArchived = isArchived
            self.albums = albums.map(\.streamSafe)
            self.crop = crop.map { [$0.left, $0.top, $0.right, $0.bottom, $0.angle] }
            self.isUncertain = isUncertain ? true : nil
        }

        package var words: SidecarWords {
            var time = taken?.time
            // Nobody else's word comes this way, but that of somebody who put it right in another vault.
            if time?.source != .person { time?.source = .sidecar }
            var place: Place?
            if let latitude, let longitude {
                place = Place(latitude: latitude, longitude: longitude, altitude: altitude)
            }
            let sides = crop ?? []
            var words = SidecarWords(
                takenAt: time, place: place, corrections: .init(rawValue: corrections ?? 0), caption: caption,
                isFavourite: isFavourite, isArchived: isArchived, albums: albums,
                crop: sides.count == 5
                    ? XMPCrop(left: sides[0], top: sides[1], right: sides[2], bottom: sides[3], angle: sides[4]) : nil)
            words.facts.isUncertain = isUncertain == true
            return words
        }
    }

    /// What the vault has of one photo.
    package struct State: Codable, Sendable {
        package var id: String
        package var name: String
        package var size: UInt64
        /// As it was read back from disk; nil until then. Hexadecimal.
        package var sha256: String?
        package var isReadBack: Bool
        package var isDamaged: Bool
        package var isDuplicate: Bool
        /// It lies in "Recently deleted".
        package var isDeleted: Bool
        package var taken: Taken?
        /// The file's own date, where a sidecar has put it right. In the answer to what is said alone.
        package var ownTaken: Taken?
        /// Whether a sidecar has put the file's own place right. In the same answer.
        package var hasOtherPlace: Bool?
        /// What was said and is not kept, as `ToldSidecars.Unkept`. In the same answer.
        package var unkept: UInt8?
        /// Albums for which there was no room. In the same answer.
        package var unjoined: [String]?

        package init(_ photo: Photo) {
            id = photo.id
            name = photo.name
            size = photo.byteCount
            sha256 = photo.sha256.map(Hexadecimal.encode)
            isReadBack = photo.verifiedAt != nil
            isDamaged = photo.isDamaged
            isDuplicate = photo.isDuplicate == true
            isDeleted = photo.deletedAt != nil
            taken = photo.details.takenAt.map(Taken.init)
            let told = photo.details.told
            ownTaken = told?.facts?.ownTakenAt.map(Taken.init)
            hasOtherPlace = told?.facts.map { $0.ownPlace != nil }
            unkept = told?.unkept.rawValue
            unjoined = told?.albums
        }
    }
}
