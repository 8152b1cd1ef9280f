import FoundationEssentials
import Imaging
import Records

extension Settings {
    private static let pictureProgram = "safelight-imaging"
    private static let videoProgram = "safelight-imaging-video"
    private static let archiveProgram = "safelight-archives"

    /// What commands ask to unpack what they do not unpack themselves.
    static func unpacker() throws -> Unpacker {
        Unpacker(executable: "\(try Page.programFolder())/\(archiveProgram)")
    }

    /// Nil where nobody looks into photos.
    static func imaging(_ values: SettingReader) throws -> ImagingConfiguration? {
        let available = AvailableMemory.kiB().map { $0 * 1024 }
        let workers =
            try values.number(.imagingWorkers, in: 0...64)
            ?? ImagingConfiguration.defaultWorkerCount(
                processorCount: ProcessInfo.processInfo.activeProcessorCount,
                availableByteCount: available)
        guard workers > 0 else { return nil }
        let folder = try Page.programFolder()
        return ImagingConfiguration(
            pictureExecutable: values.text(.imagingExecutable) ?? "\(folder)/\(pictureProgram)",
            videoExecutable: values.text(.imagingVideoExecutable) ?? "\(folder)/\(videoProgram)",
            workerCount: workers,
            limits: ImagingConfiguration.defaultLimits(availableByteCount: available))
    }
}
