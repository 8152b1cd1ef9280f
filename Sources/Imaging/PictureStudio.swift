package import ImagingProtocol
package import Logging
package import Media

/// Finds out what a picture or video says about itself and how it looks, in child processes that have no key, no file
/// and no network.
package actor PictureStudio {
    private let configuration: ImagingConfiguration
    private let logger: Logger

    package init(configuration: ImagingConfiguration, logger: Logger) {
        self.configuration = configuration
        self.logger = logger
    }

    /// Looks into one file; waits while all workers are busy. Cancelling the task ends the work.
    /// - Throws: `CancellationError` never: a cancelled look is `ImagingError.unavailable`.
    package func examine(
        _ source: some ImagingSource, as type: MediaType
    ) async throws(ImagingError) -> Examination {
        throw .unavailable
    }

    /// Ends every child; looks under way and later ones are `ImagingError.unavailable`.
    package func close() async {}
}
