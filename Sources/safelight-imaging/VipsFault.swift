import CVips
import ImagingCage
import ImagingProtocol

/// What libvips says when it fails is text of many libraries.
enum VipsFault {
    /// The reason of the failure just seen; empties libvips' store of messages.
    static func take() -> UnreadableReason {
        let text = String(cString: vips_error_buffer()).lowercased()
        vips_error_clear()
        // Their words for that are many, and some are those for damage: another attempt, for what there is of the
        // picture, would show it as broken.
        return MemoryRefusal.wasMet ? .tooMuchMemory : reason(text)
    }

    /// Whether picture data were broken although decoding went on: libjpeg warns of that in the same store. Superfluous
    /// bytes between two markers do no harm. Empties the store.
    static func takeDamage() -> Bool {
        let lines = String(cString: vips_error_buffer()).split(separator: "\n")
        vips_error_clear()
        return lines.contains { line in
            (line.contains("Corrupt JPEG data") && !line.contains("extraneous bytes"))
                || line.contains("Premature end of JPEG file")
        }
    }

    static func reason(_ text: String) -> UnreadableReason {
        // Whole files that are built in a way that a library does not know, or has limits for.
        let refused = [
            "unsupported", "not supported", "unimplemented", "not implemented", "security limit", "too many auxiliary",
            "too many thumbnail", "non-existing", "unknown nclx", "unknown color profile", "bits per pixel in pixi",
            "compression scheme", "not configured", "no decoding plugin", "bad image dimensions", "required field",
            "not a whole number of bytes", "differ in geometry",
        ]
        // Of bytes that nothing can be made of libjpeg says so, too.
        if text.contains("unsupported marker type") { return .damaged }
        // A limit that libheif sets to itself is called memory, too.
        if refused.contains(where: text.contains) { return .unsupported }
        let memory = [
            "out of memory", "insufficient memory", "memory allocation", "unable to malloc", "malloc fail",
            "cannot allocate memory", "unable to create thread", "error creating thread",
        ]
        if memory.contains(where: text.contains) { return .tooMuchMemory }
        let unknown = ["not in a known format", "operation is blocked", "unable to load source"]
        if unknown.contains(where: text.contains) { return .unknownFormat }
        return .damaged
    }
}
