import ImagingCage
import ImagingProtocol

let child = ImagingChild(
    load: WordReader.load, warmUp: WordReader.warmUp,
    examine: { job, source, _, _ throws(UnreadableReason) in
        try WordReader.read(source, byteCount: job.byteCount)
    })

child.main(CommandLine.arguments)
