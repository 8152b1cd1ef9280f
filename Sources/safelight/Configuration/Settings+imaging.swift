import FoundationEssentials
import Imaging

extension Settings {
    private static let pictureProgram = "safelight-imaging"
    private static let videoProgram = "safelight-imaging-video"

    /// Nil where nobody looks into photos.
    static func imaging(_ values: SettingReader) throws -> ImagingConfiguration? {
        let spare = max(1, ProcessInfo.processInfo.activeProcessorCount - 1)
        let workers = try values.number(.imagingWorkers, in: 0...64) ?? min(spare, 64)
        guard workers > 0 else { return nil }
        let folder = try Page.programFolder()
        return ImagingConfiguration(
            pictureExecutable: values.text(.imagingExecutable) ?? "\(folder)/\(pictureProgram)",
            videoExecutable: values.text(.imagingVideoExecutable) ?? "\(folder)/\(videoProgram)",
            workerCount: workers)
    }
}
