import ImagingCage
import ImagingProtocol

let unpack: ImagingChild.Unpack = { job, source, tell in
    do throws(UnpackingFailure) {
        switch job.packing {
        case .deflate64:
            var stream = Deflate64Stream(source)
            try stream.unpack { tell(.content($0)) }
        case .sevenZip:
            try ArchiveReading(ArchiveInput(source)).tellEntries(tell)
        case .bzip2, .xz, .zstd, .lzma:
            try ArchiveReading(packed: job.packing, try ArchiveInput(source, job)).tellContent(tell)
        }
        return .unpacked
    } catch {
        return .unpackingFailure(error, isOfEntry: false)
    }
}

let child = ImagingChild(load: ArchiveLibrary.load, warmUp: ArchiveLibrary.warmUp, unpack: unpack)

child.main(CommandLine.arguments)
