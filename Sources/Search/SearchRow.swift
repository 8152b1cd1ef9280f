package import Media

/// What a search knows of one photo.
package struct SearchRow: Sendable {
    package var serial: UInt64
    /// Where it stands in the timeline: milliseconds of a clock on the wall.
    package var shownAt: Int64
    package var byteCount: UInt64
    package var traits: PhotoTraits
    /// Milliseconds; 0 for what does not last.
    package var length: UInt32 = 0
    package var width: UInt32 = 0
    package var height: UInt32 = 0
    /// Numbers of the albums that it is in.
    package var albums: [UInt32] = []
    /// Where it was taken.
    package var position: Place?
    /// The number of what that is called (`PlaceNames`).
    package var location: Int?
    /// `Placeholder.bytes`, or none.
    package var placeholder: [UInt8] = []
    /// When its camera took it, in milliseconds; nil where only the file or its name says.
    package var shotAt: Int64?
    package var half = LivePhotoHalf()
    /// Hash of what both files of a shot have in common; 0 for what is half of none.
    package var shot = 0
    /// Name, caption, camera, lens and more, as they are compared, each ended by a zero; last the words in the picture.
    package var text: [UInt8]

    package init(
        serial: UInt64, shownAt: Int64, byteCount: UInt64, traits: PhotoTraits, name: String, others: [String?] = []
    ) {
        self.serial = serial
        self.shownAt = shownAt
        self.byteCount = byteCount
        self.traits = traits
        text = ([name] + others.compactMap { $0 }).flatMap { FoldedText.fold($0) + [0] }
    }

    /// The name, as it is compared.
    package var foldedName: ArraySlice<UInt8> { text.prefix { $0 != 0 } }
}

/// What tells whether a photo and a video are one Live Photo, by the rules of `LivePhotoPairing`.
package struct LivePhotoHalf: Equatable, Sendable {
    /// Hashes of the name and of the identifier that both have in common; 0 where there is none.
    package var stem = 0
    package var identifier = 0
    /// Milliseconds since 1970, and whether they are of an instant or of a clock on the wall.
    package var takenAt: Int64?
    package var isInstant = false
    package var isPhoto = false
    /// One that may be half: of a few seconds, or with an identifier.
    package var isVideo = false
    /// Whether it lasts no longer than one of those.
    package var isShort = false

    package init() {}

    static func haveOneIdentifier(_ photo: Self, _ video: Self) -> Bool {
        photo.identifier != 0 && photo.identifier == video.identifier
    }

    static func haveOneName(_ photo: Self, _ video: Self) -> Bool {
        guard photo.stem == video.stem, video.isShort, photo.identifier == 0 || video.identifier == 0 else {
            return false
        }
        guard let taken = photo.takenAt, let recorded = video.takenAt else { return true }
        let difference = taken.subtractingReportingOverflow(recorded)
        return !difference.overflow
            && difference.partialValue.magnitude <= (photo.isInstant && video.isInstant ? 60_000 : 86_400_000)
    }
}

/// The kinds of a photo as bits.
package struct PhotoTraits: OptionSet, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }
    package init(_ trait: PhotoTrait) { rawValue = Self.bits[trait] ?? 0 }
    package init(_ traits: some Sequence<PhotoTrait>) { self = traits.reduce(into: []) { $0.insert(Self($1)) } }

    /// The video of a Live Photo, which goes with its photo and is none by itself.
    static let liveVideo = PhotoTraits(rawValue: 1 << 31)
    /// A photo whose video is another file.
    static let livePhoto = PhotoTraits(rawValue: 1 << 30)
    /// Somebody has written something about it.
    package static let captioned = PhotoTraits(rawValue: 1 << 29)
    /// Somebody has said that it is no double of what it looks like.
    package static let apart = PhotoTraits(rawValue: 1 << 28)
    /// A raw file that goes with the picture of the same shot.
    static let rawOfShot = PhotoTraits(rawValue: 1 << 27)
    /// A picture whose raw file is there.
    static let pictureOfShot = PhotoTraits(rawValue: 1 << 26)
    /// Somebody has found words in the picture, which are its last text.
    package static let written = PhotoTraits(rawValue: 1 << 25)
    static let ofPair: PhotoTraits = [.liveVideo, .livePhoto, .rawOfShot, .pictureOfShot]
    /// What goes with another photo, and is none by itself.
    static let companions: PhotoTraits = [.liveVideo, .rawOfShot]

    private static let bits = Dictionary(
        uniqueKeysWithValues: PhotoTrait.allCases.enumerated().map { ($1, UInt32(1) << UInt32($0)) })
}

extension PhotoTraits {
    /// What follows from type, size and name of a file.
    package init(type: MediaType, width: UInt32, height: UInt32, foldedName: ArraySlice<UInt8>, hasCamera: Bool) {
        self.init(Self.formats(type))
        guard type.isPicture else { return }
        let name = String(decoding: foldedName, as: UTF8.self)
        if Self.screenshotNames.contains(where: name.contains)
            || type == .png && !hasCamera && Self.phoneScreens.contains([min(width, height), max(width, height)])
        {
            insert(Self(.screenshot))
        } else if height > 0, width >= 2 * height || height >= 3 * width || name.contains("pano") {
            insert(Self(.panorama))
        }
    }

    private static func formats(_ type: MediaType) -> [PhotoTrait] {
        let format: PhotoTrait? =
            switch type {
            case .jpeg: .jpeg
            case .png: .png
            case .gif: .gif
            case .webp: .webp
            case .heic, .heif: .heic
            case .avif: .avif
            case .tiff: .tiff
            default: type.isRaw ? .raw : nil
            }
        // Files of which nobody knows what they are may be photos; they are no videos.
        return [type.isVideo ? .video : .photo, format].compactMap { $0 }
    }

    /// As systems name them, and as `FoldedText` folds that.
    private static let screenshotNames = [
        "screenshot", "screen shot", "screen_shot", "screencapture", "屏幕截图", "屏幕快照", "截屏", "截图", "螢幕截圖",
        "螢幕快照", "截圖", "bildschirmfoto", "スクリーンショット", "capture d'ecran", "captura de pantalla",
        "schermafbeelding", "schermata",
    ].map(FoldedText.folded)

    /// In pixels, of iPhones, which name a screenshot like a photo.
    private static let phoneScreens: Set<[UInt32]> = [
        [640, 1136], [750, 1334], [828, 1792], [1125, 2436], [1170, 2532], [1179, 2556], [1206, 2622], [1242, 2208],
        [1242, 2688], [1260, 2736], [1284, 2778], [1290, 2796], [1320, 2868],
    ]
}
