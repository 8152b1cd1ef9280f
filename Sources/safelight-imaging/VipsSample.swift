import CVips
import Media

/// Small pictures to warm up with.
struct VipsSample {
    let type: MediaType
    let bytes: [UInt8]

    /// One of each kind that libvips can make at no cost.
    static func all() -> [VipsSample] {
        guard
            let grey = try? VipsPicture({ result in
                result = cvips_grey(64, 48)
                return result == nil ? -1 : 0
            })
        else { return [] }
        let kinds: [(MediaType, VipsPicture.Save)] = [
            (.jpeg, { cvips_jpeg($0, &$1, &$2, 75) }), (.png, { cvips_png($0, &$1, &$2) }),
            (.webp, { cvips_webp($0, &$1, &$2, 75, 0) }), (.tiff, { cvips_tiff($0, &$1, &$2) }),
            (.gif, { cvips_gif($0, &$1, &$2) }),
        ]
        return kinds.compactMap { type, save in
            (try? grey.encoded(save)).map { VipsSample(type: type, bytes: $0) }
        }
    }
}
