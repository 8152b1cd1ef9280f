extension MediaFacts {
    /// Reads at most 2,048 ranges of at most 1 MiB and 24 MiB in all, whatever the file says.
    /// - Throws: `MediaError.source` only. A damaged or foreign file says less, which is no error.
    package init(reading source: some ByteSource, type: MediaType) throws(MediaError) {
        self.init()
        let reader = BoundedReader(source)
        read(reader, type: type)
        if let failure = reader.failure { throw .source(failure) }
    }

    private mutating func read(_ reader: BoundedReader, type: MediaType) {
        switch type {
        case .jpeg: takeJPEG(reader, at: 0)
        case .png: take(PNGFile.facts(reader))
        case .webp: take(WebPFile.facts(reader))
        case .gif: take(GIFFile.facts(reader))
        case .heic, .heif, .avif: take(HEIFFile(reader)?.facts ?? PictureFacts())
        case .raf: takeJPEG(reader, at: EmbeddedJPEG.fujiStart(reader))
        case .cr3:
            let file = CanonRawFile(reader)
            take(exif: file.exif, xmp: nil)
            take(file.size, turnedBy: nil)
        case .tiff, .dng, .cr2, .nef, .arw, .orf, .rw2, .pef, .srw: takeTIFF(reader, isRaw: type.isRaw)
        case .mp4, .quickTime: takeQuickTime(reader)
        case .webm, .matroska: takeMatroska(reader)
        case .other: break
        }
    }

    private mutating func takeJPEG(_ reader: BoundedReader, at start: UInt64?) {
        guard let header = start.flatMap({ JPEGHeader(reader, at: $0) }) else { return }
        take(PictureFacts(size: header.size, exif: header.exif, xmp: header.xmp))
    }

    private mutating func takeTIFF(_ reader: BoundedReader, isRaw: Bool) {
        guard let file = TIFFFile(reader) else { return }
        take(exif: file.exif, xmp: file.xmp)
        take(file.size(isRaw: isRaw), turnedBy: nil)
    }

    private mutating func takeQuickTime(_ reader: BoundedReader) {
        guard let file = QuickTimeFile(reader) else { return }
        let metadata = file.metadata
        takenAt = metadata.takenAt ?? file.createdAt
        place = metadata.place
        cameraMake = metadata.make
        cameraModel = metadata.model
        lens = metadata.lens
        contentIdentifier = metadata.contentIdentifier
        take(file.picture?.size, turnedBy: file.picture?.orientation)
        duration = file.duration
    }

    private mutating func takeMatroska(_ reader: BoundedReader) {
        guard let file = MatroskaFile(reader) else { return }
        takenAt = file.createdAt
        duration = file.duration
        take(file.size, turnedBy: nil)
    }
}
