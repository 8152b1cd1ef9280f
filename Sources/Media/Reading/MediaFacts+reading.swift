extension MediaFacts {
    /// Reads at most 2,048 ranges of at most 1 MiB and 24 MiB in all, whatever the file says.
    /// - Throws: `MediaError.source` only. A damaged or foreign file says less, which is no error.
    /// - Parameter now: milliseconds since 1970: nothing was taken more than a day later.
    package init(
        reading source: some ByteSource, type: MediaType, now: Int64 = CaptureTime.now
    ) throws(MediaError) {
        self.init()
        let reader = BoundedReader(source)
        read(reader, type: type, now: now)
        if let failure = reader.failure { throw .source(failure) }
    }

    private mutating func read(_ reader: BoundedReader, type: MediaType, now: Int64) {
        switch type {
        case .jpeg: takeJPEG(reader, at: 0, now: now, hasMotion: true)
        case .png: take(PNGFile.facts(reader), now: now)
        case .webp: take(WebPFile.facts(reader), now: now)
        case .bmp:
            let count = Int(min(UInt64(BitmapHeader.byteCount), reader.byteCount))
            take(reader.bytes(at: 0, count: count).flatMap { BitmapHeader($0) }?.size, turnedBy: nil)
        case .jp2: take(JPEG2000File.facts(reader), now: now)
        case .jxl: take(JXLFile.facts(reader), now: now)
        case .psd: take(PhotoshopFile.facts(reader), now: now)
        case .ico:
            let count = Int(min(UInt64(MediaType.headByteCount), reader.byteCount))
            let icon = reader.bytes(at: 0, count: count).flatMap { IconDirectory($0) }?.best
            take(icon.flatMap { PictureSize(width: $0.width, height: $0.height) }, turnedBy: nil)
        case .gif: take(GIFFile.facts(reader), now: now)
        case .heic, .heif, .avif: take(HEIFFile(reader)?.facts ?? PictureFacts(), motionIn: reader, now: now)
        case .raf: takeJPEG(reader, at: EmbeddedJPEG.fujiStart(reader), now: now)
        case .cr3:
            let file = CanonRawFile(reader)
            take(exif: file.exif, xmp: nil, now: now)
            take(file.size, turnedBy: nil)
        case .tiff, .dng, .cr2, .nef, .arw, .orf, .rw2, .pef, .srw: takeTIFF(reader, isRaw: type.isRaw, now: now)
        case .mp4, .quickTime: takeQuickTime(reader, now: now)
        case .webm, .matroska: takeMatroska(reader, now: now)
        case .avi: takeAVI(reader, now: now)
        case .mpegTransport: takenAt = [TransportStream(reader).takenAt].compactMap(\.self).firstTrue(now: now)
        case .asf:
            let file = ASFFile(reader)
            takenAt = [file.createdAt].compactMap(\.self).firstTrue(now: now)
            duration = file.duration
            take(file.size, turnedBy: nil)
        case .mpegProgram, .flv, .other: break
        }
    }

    /// When a video was made, as a library found it written in a container that is not read here.
    package mutating func take(creation text: String, now: Int64 = CaptureTime.now) {
        guard takenAt == nil, let time = CivilTime(written: text) else { return }
        takenAt = [CaptureTime(time, source: .container)].firstTrue(now: now)
    }

    private mutating func takeJPEG(_ reader: BoundedReader, at start: UInt64?, now: Int64, hasMotion: Bool = false) {
        guard let header = start.flatMap({ JPEGHeader(reader, at: $0) }) else { return }
        let facts = PictureFacts(
            size: header.size, exif: header.exif, xmp: header.xmp, iptc: header.iptc, takenAt: header.takenAt)
        take(facts, motionIn: hasMotion ? reader : nil, now: now)
        // The end of a file is read only where its beginning tells no time.
        if takenAt == nil, start == 0 { takenAt = AppendedBlocks(reader)?.iptc?.takenAt.firstTrue(now: now) }
    }

    private mutating func takeTIFF(_ reader: BoundedReader, isRaw: Bool, now: Int64) {
        guard let file = TIFFFile(reader) else { return }
        take(exif: file.exif, xmp: file.xmp, now: now)
        take(file.size(isRaw: isRaw), turnedBy: nil)
    }

    private mutating func takeQuickTime(_ reader: BoundedReader, now: Int64) {
        guard let file = QuickTimeFile(reader) else { return }
        let metadata = file.metadata
        takenAt = file.times(metadata).firstTrue(now: now)
        place = metadata.place
        cameraMake = metadata.make
        cameraModel = metadata.model
        lens = metadata.lens
        contentIdentifier = metadata.contentIdentifier
        take(file.picture?.size, turnedBy: file.picture?.orientation)
        duration = file.duration
    }

    private mutating func takeMatroska(_ reader: BoundedReader, now: Int64) {
        guard let file = MatroskaFile(reader) else { return }
        takenAt = [file.createdAt].compactMap(\.self).firstTrue(now: now)
        duration = file.duration
        take(file.size, turnedBy: nil)
    }

    private mutating func takeAVI(_ reader: BoundedReader, now: Int64) {
        let file = AVIFile(reader)
        take(exif: file.exif, xmp: nil, others: file.times, now: now)
        // Pictures of a video are not turned by EXIF.
        orientation = 1
        duration = file.duration
        take(file.size, turnedBy: nil)
    }
}
