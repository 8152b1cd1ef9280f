import CVips
import Glibc
import ImagingCage
import ImagingProtocol
import Media

/// libvips, reduced to what photos need.
enum VipsLibrary {
    /// What may be decoded: nothing else of libvips' many loaders takes part, whatever a file claims to be.
    private static let loaders = [
        "VipsForeignLoadJpeg", "VipsForeignLoadPng", "VipsForeignLoadWebp", heifLoader,
        "VipsForeignLoadTiff", "VipsForeignLoadNsgif", "VipsForeignLoadJp2k", jxlLoader,
    ]
    private static let jxlLoader = "VipsForeignLoadJxl"
    private static let heifLoader = "VipsForeignLoadHeif"

    static func load() -> Bool {
        // libvips would load each of its modules with all their libraries (ImageMagick, Poppler, …): the folder where it
        // is told to look has none, and those that are wanted are loaded by name.
        setenv("VIPSHOME", "/nonexistent", 1)
        guard vips_init("safelight-imaging") == 0, loadModule("vips-heif.so", with: heifLoader) else { return false }
        _ = loadModule("vips-jxl.so", with: jxlLoader)
        limitOperations()
        // Its vectors are code made at run time, and no memory here can become code.
        vips_vector_set_enabled(0)
        vips_concurrency_set(1)
        vips_cache_set_max(0)
        vips_cache_set_max_mem(0)
        vips_cache_set_max_files(0)
        listen()
        return true
    }

    /// Where a library is wrapped by a module of its own (Debian), it lies beside libvips, named after its version.
    /// - Returns: whether libvips knows the loader then.
    private static func loadModule(_ name: String, with loader: String) -> Bool {
        if cvips_has(loader) != 0 { return true }
        guard let file = cvips_library_file() else { return false }
        let folder = String(cString: file).split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let version = "\(vips_version(0)).\(vips_version(1))"
        let path = (folder + ["vips-modules-\(version)", Substring(name)]).joined(separator: "/")
        guard let module = g_module_open(path, G_MODULE_BIND_LAZY) else { return false }
        g_module_make_resident(module)
        return cvips_has(loader) != 0
    }

    /// False for what no version of libvips can decode, and for what this one was built without.
    static func canShow(_ type: MediaType) -> Bool {
        switch type {
        case .jp2: cvips_has("VipsForeignLoadJp2k") != 0
        case .jxl: cvips_has(jxlLoader) != 0
        default: true
        }
    }

    private static func limitOperations() {
        vips_block_untrusted_set(1)
        vips_operation_block_set("VipsForeignLoad", 1)
        for loader in loaders { vips_operation_block_set(loader, 0) }
    }

    /// Where memory ends, also that for another thread, GLib and C++ end the process: they shall say why. There is
    /// nobody to warn.
    private static func listen() {
        _ = cvips_set_new_handler { _exit(ChildExit.outOfMemory) }
        _ = cvips_set_terminate {
            if cvips_exception_is_of_memory() != 0 { _exit(ChildExit.outOfMemory) }
            abort()
        }
        _ = g_log_set_default_handler(
            { _, level, message, _ in
                guard level.rawValue & G_LOG_LEVEL_ERROR.rawValue != 0, let message else { return }
                // Without making a string, which takes memory.
                if strstr(message, "allocate") != nil || strstr(message, "creating thread") != nil {
                    _exit(ChildExit.outOfMemory)
                }
            }, nil)
    }

    /// Makes a small picture of each kind and looks at it: threads start, tables are built, profiles are read.
    static func warmUp() -> Bool {
        VipsSample.all().allSatisfy { sample in
            (try? PictureJob(type: sample.type, source: sample.bytes, limits: ImagingLimits()).result())?.thumbnail
                != nil
        }
    }
}

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
