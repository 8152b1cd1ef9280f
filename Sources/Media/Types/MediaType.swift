/// What a file is, by its content and never by its name.
///
/// The raw values stand in rows: a case never changes its number, a new one takes a free number.
package enum MediaType: UInt8, Sendable, CaseIterable {
    /// Anything that is no picture and no video known here: kept and given back, never looked into.
    case other = 0

    case jpeg = 1
    case png = 2
    case webp = 3
    case gif = 4
    case heic = 5
    case heif = 6
    case avif = 7
    case tiff = 8
    case bmp = 9
    /// JPEG 2000, in boxes or by itself.
    case jp2 = 10
    case jxl = 11
    /// Shown by the small JPEG that is in most of them.
    case psd = 12
    /// Windows' icons: several sizes of one picture.
    case ico = 13

    case dng = 16
    case cr2 = 17
    case cr3 = 18
    case nef = 19
    case arw = 20
    case raf = 21
    case orf = 22
    case rw2 = 23
    case pef = 24
    case srw = 25

    case mp4 = 32
    case quickTime = 33
    case webm = 34
    case matroska = 35
    case avi = 36
    case mpegTransport = 37
    /// Also the streams of which one is made, by themselves: as old cameras wrote them.
    case mpegProgram = 38
    case asf = 39
    case flv = 40
}

extension MediaType {
    package var isPicture: Bool { (1...31).contains(rawValue) }
    package var isVideo: Bool { rawValue >= 32 }
    /// Sensor data of a camera, shown by the JPEG embedded in it.
    package var isRaw: Bool { (16...31).contains(rawValue) }
    /// What is shown may be smaller than the picture: it is a JPEG that the file holds.
    package var isShownByEmbeddedJPEG: Bool { isRaw || self == .psd }

    /// Whether a browser may show it in the page's origin: raster pictures and videos only, nothing that can run.
    package var isServedInline: Bool { self != .other && self != .psd && !isRaw }

    /// An IANA media type, or the customary one where none is registered; `application/octet-stream` for `other`.
    package var mimeType: String {
        switch self {
        case .other: "application/octet-stream"
        case .jpeg: "image/jpeg"
        case .png: "image/png"
        case .webp: "image/webp"
        case .gif: "image/gif"
        case .heic: "image/heic"
        case .heif: "image/heif"
        case .avif: "image/avif"
        case .tiff: "image/tiff"
        case .bmp: "image/bmp"
        case .jp2: "image/jp2"
        case .jxl: "image/jxl"
        case .psd: "image/vnd.adobe.photoshop"
        case .ico: "image/vnd.microsoft.icon"
        case .dng: "image/x-adobe-dng"
        case .cr2: "image/x-canon-cr2"
        case .cr3: "image/x-canon-cr3"
        case .nef: "image/x-nikon-nef"
        case .arw: "image/x-sony-arw"
        case .raf: "image/x-fuji-raf"
        case .orf: "image/x-olympus-orf"
        case .rw2: "image/x-panasonic-rw2"
        case .pef: "image/x-pentax-pef"
        case .srw: "image/x-samsung-srw"
        case .mp4: "video/mp4"
        case .quickTime: "video/quicktime"
        case .webm: "video/webm"
        case .matroska: "video/x-matroska"
        case .avi: "video/x-msvideo"
        case .mpegTransport: "video/mp2t"
        case .mpegProgram: "video/mpeg"
        case .asf: "video/x-ms-wmv"
        case .flv: "video/x-flv"
        }
    }

    /// The type that has this `mimeType`; `other` for every text that none has.
    package init(mimeType: String) {
        self = Self.allCases.first { $0.mimeType == mimeType } ?? .other
    }
}
