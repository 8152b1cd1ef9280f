package import ImagingProtocol

/// What keeps a child that decodes strangers' files from everything but its own memory and the line to the daemon.
package struct Cage {
    let limits: ImagingLimits

    package init(limits: ImagingLimits) {
        self.limits = limits
    }
}
