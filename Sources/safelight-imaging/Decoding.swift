import CVips
import ImagingProtocol
import Media

/// Decodes one picture no larger than a preview.
struct Decoding {
    let source: PictureSource
    let limits: ImagingLimits

    struct Picture {
        /// Computed pixels, upright, sRGB.
        let preview: VipsPicture
        /// Of the original, upright.
        let width: Int
        let height: Int
        let isDamaged: Bool
    }

    /// A file that breaks off is decoded a second time for what there is of it.
    func picture() throws(UnreadableReason) -> Picture {
        defer { _ = VipsWarnings.takeDamage() }
        guard let handle = source.handle() else { throw .tooMuchMemory }
        let size = try size(handle)
        let whole: VipsPicture
        do throws(UnreadableReason) {
            whole = try preview(handle, failingOn: VIPS_FAIL_ON_ERROR)
        } catch .damaged {
            let part = try preview(handle, failingOn: VIPS_FAIL_ON_NONE)
            return Picture(preview: part, width: size.width, height: size.height, isDamaged: true)
        }
        let isDamaged = VipsWarnings.takeDamage()
        return Picture(preview: whole, width: size.width, height: size.height, isDamaged: isDamaged)
    }

    /// By the header alone.
    private func size(_ handle: UnsafeMutablePointer<VipsSource>) throws(UnreadableReason) -> (width: Int, height: Int)
    {
        let header = try VipsPicture { result in
            result = cvips_open(handle)
            return result == nil ? -1 : 0
        }
        let (pixels, overflow) = UInt64(header.width).multipliedReportingOverflow(by: UInt64(header.height))
        guard !overflow, pixels <= limits.pixelCount else { throw .tooManyPixels }
        let isOnItsSide = header.orientation >= 5
        return isOnItsSide ? (header.height, header.width) : (header.width, header.height)
    }

    private func preview(
        _ handle: UnsafeMutablePointer<VipsSource>, failingOn level: VipsFailOn
    ) throws(UnreadableReason) -> VipsPicture {
        let side = CInt(Rendition.previewSide)
        let thumbnail = try VipsPicture { cvips_thumbnail(handle, &$0, side, level) }
        return try thumbnail.inSRGB().computed().withoutIdleAlpha()
    }
}
