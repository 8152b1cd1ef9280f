import CVips
import ImagingProtocol
import Media

/// One image of libvips: a description of pixels that are computed when somebody asks.
final class VipsPicture {
    let handle: UnsafeMutablePointer<VipsImage>

    typealias Operation = (inout UnsafeMutablePointer<VipsImage>?) -> CInt

    /// Takes over what an operation gives out.
    init(_ operation: Operation) throws(UnreadableReason) {
        var result: UnsafeMutablePointer<VipsImage>?
        guard operation(&result) == 0, let result else { throw VipsFault.take() }
        handle = result
    }

    deinit { cvips_unref(handle) }

    var width: Int { Int(vips_image_get_width(handle)) }
    var height: Int { Int(vips_image_get_height(handle)) }
    var bandCount: Int { Int(vips_image_get_bands(handle)) }
    var hasAlpha: Bool { vips_image_hasalpha(handle) != 0 }
    var pageCount: Int { max(1, Int(vips_image_get_n_pages(handle))) }
    var isJPEG: Bool { cvips_is_from(handle, "jpegload") != 0 }
    var isHEIF: Bool { cvips_is_from(handle, "heifload") != 0 }
    var isJPEG2000: Bool { cvips_is_from(handle, "jp2kload") != 0 }
    var hasProfile: Bool { vips_image_get_typeof(handle, VIPS_META_ICC_NAME) != 0 }
    /// A profile of the kind of colours that the picture has. It says that itself at its byte 16 (ICC.1).
    var hasFittingProfile: Bool {
        guard let profile else { return false }
        let wanted = ["GRAY": 1, "RGB ": 3, "CMYK": 4, "Lab ": 3][String(decoding: profile[16..<20], as: UTF8.self)]
        return wanted == bandCount - (hasAlpha ? 1 : 0)
    }
    /// What a profile of RGB by tables is made for (its tags `A2B0`, `A2B1`): most have both, that of XYB the first alone, and
    /// libvips 8.14 would not use it as for the other.
    var intent: VipsIntent {
        guard let profile, profile[16..<20].elementsEqual("RGB ".utf8) else { return VIPS_INTENT_RELATIVE }
        let count = profile[128..<132].reduce(0) { $0 << 8 | Int($1) }
        let places = stride(from: 132, to: min(132 + count * 12, profile.count - 3), by: 12)
        let tags = Set(places.map { String(decoding: profile[$0..<$0 + 4], as: UTF8.self) })
        return tags.contains("A2B0") && !tags.contains("A2B1") ? VIPS_INTENT_PERCEPTUAL : VIPS_INTENT_RELATIVE
    }
    /// Its beginning, with the list of what is in it.
    private var profile: [UInt8]? {
        var memory: UnsafeRawPointer?
        var count = 0
        guard hasProfile, vips_image_get_blob(handle, VIPS_META_ICC_NAME, &memory, &count) == 0, let memory,
            count >= 132
        else { return nil }
        return [UInt8](UnsafeRawBufferPointer(start: memory, count: min(count, 2048)))
    }
    /// EXIF's 1…8; 1 if the picture says nothing.
    var orientation: Int { Int(vips_image_get_orientation(handle)) }

    func applying(_ operation: (UnsafeMutablePointer<VipsImage>, inout UnsafeMutablePointer<VipsImage>?) -> CInt)
        throws(UnreadableReason) -> VipsPicture
    {
        let handle = handle
        return try VipsPicture { operation(handle, &$0) }
    }

    /// Computes all pixels, once: faults of the file show here.
    func computed() throws(UnreadableReason) -> VipsPicture {
        let handle = handle
        return try VipsPicture { result in
            result = vips_image_copy_memory(handle)
            return result == nil ? -1 : 0
        }
    }

    /// Brought to sRGB from colours that it does not name itself.
    func mapped(by mapping: ToneMapping?) throws(UnreadableReason) -> VipsPicture {
        guard let mapping, bandCount >= 3 else { return self }
        let bands = hasAlpha ? 4 : 3
        let wide = try samples(bands)
        let narrow = mapping.map(wide, bands: bands)
        let (columns, rows) = (CInt(width), CInt(height))
        return try VipsPicture { result in
            result = cvips_of_bytes(narrow, narrow.count, columns, rows, CInt(bands))
            return result == nil ? -1 : 0
        }
    }

    /// Two bytes each, the lower half first.
    private func samples(_ bands: Int) throws(UnreadableReason) -> [UInt8] {
        let isWide = vips_image_get_format(handle) == VIPS_FORMAT_USHORT
        let some = bandCount == bands ? self : try applying { cvips_bands($0, &$1, 0, CInt(bands)) }
        var count = 0
        guard let memory = vips_image_write_to_memory(some.handle, &count) else { throw VipsFault.take() }
        defer { g_free(memory) }
        let bytes = UnsafeRawBufferPointer(start: memory, count: count)
        guard count == width * height * bands * (isWide ? 2 : 1) else { throw .unsupported }
        return isWide ? Array(bytes) : bytes.flatMap { [$0, $0] }
    }

    /// Three or four bands of eight bits.
    func inSRGB() throws(UnreadableReason) -> VipsPicture {
        var picture = self
        if vips_image_get_interpretation(handle) != VIPS_INTERPRETATION_sRGB {
            picture = try picture.applying { cvips_to_srgb($0, &$1) }
        }
        if vips_image_get_format(picture.handle) != VIPS_FORMAT_UCHAR {
            picture = try picture.applying { cvips_to_bytes($0, &$1) }
        }
        guard picture.bandCount > 4 else { return picture }
        return try picture.applying { cvips_bands($0, &$1, 0, 4) }
    }

    /// Without an alpha band that hides nothing. The pixels must be computed already.
    func withoutIdleAlpha() throws(UnreadableReason) -> VipsPicture {
        guard hasAlpha else { return self }
        let last = CInt(bandCount - 1)
        let alpha = try applying { cvips_bands($0, &$1, last, 1) }
        var least = 0.0
        guard cvips_least(alpha.handle, &least) == 0 else { throw VipsFault.take() }
        guard least == 255 else { return self }
        return try applying { cvips_bands($0, &$1, 0, last) }
    }

    /// Its colours are those of sRGB, which is what everybody takes for granted of a picture that names no profile.
    func withoutProfile() -> VipsPicture {
        vips_image_remove(handle, VIPS_META_ICC_NAME)
        return self
    }

    func shrunk(toSide side: Int) throws(UnreadableReason) -> VipsPicture {
        try applying { cvips_shrink($0, &$1, CInt(side)) }
    }

    func turned(by orientation: Int) throws(UnreadableReason) -> VipsPicture {
        guard (2...8).contains(orientation) else { return self }
        return try applying { cvips_turn($0, &$1, CInt(orientation)) }
    }

    /// The pixels row by row, four bytes each.
    func rgba() throws(UnreadableReason) -> [UInt8] {
        let picture = hasAlpha ? self : try applying { cvips_add_opaque_band($0, &$1) }
        var count = 0
        guard let memory = vips_image_write_to_memory(picture.handle, &count) else { throw VipsFault.take() }
        defer { g_free(memory) }
        guard count == picture.width * picture.height * 4 else { throw .damaged }
        return Array(UnsafeRawBufferPointer(start: memory, count: count))
    }

    /// Whether no pixel differs from the first by more than rounding makes it. Computed, of eight bits.
    func isOfOneColour() throws(UnreadableReason) -> Bool {
        let pixels = try rgba()
        return pixels.indices.allSatisfy { abs(Int(pixels[$0]) - Int(pixels[$0 & 3])) <= 2 }
    }

    typealias Save =
        (UnsafeMutablePointer<VipsImage>, inout UnsafeMutableRawPointer?, inout Int) -> CInt

    func encoded(_ save: Save) throws(UnreadableReason) -> [UInt8] {
        var memory: UnsafeMutableRawPointer?
        var count = 0
        guard save(handle, &memory, &count) == 0, let memory else { throw VipsFault.take() }
        defer { g_free(memory) }
        return Array(UnsafeRawBufferPointer(start: memory, count: count))
    }
}
