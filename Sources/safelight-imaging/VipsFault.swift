import CVips
import ImagingProtocol

/// What libvips says when it fails is text of many libraries.
enum VipsFault {
    /// The reason of the failure just seen; empties libvips' store of messages.
    static func take() -> UnreadableReason {
        let text = String(cString: vips_error_buffer()).lowercased()
        vips_error_clear()
        return reason(text)
    }

    static func reason(_ text: String) -> UnreadableReason {
        let memory = ["out of memory", "insufficient memory", "memory allocation", "unable to malloc", "malloc fail"]
        if memory.contains(where: text.contains) { return .tooMuchMemory }
        let unknown = ["not in a known format", "unsupported", "operation is blocked", "not supported"]
        if unknown.contains(where: text.contains) { return .unknownFormat }
        return .damaged
    }
}
