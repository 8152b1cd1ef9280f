import ImagingCage
import ImagingProtocol
import Media
