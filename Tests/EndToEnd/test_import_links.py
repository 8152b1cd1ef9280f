"""Links in what is moved in."""

import tarfile

from exports import picture
from test_import import bring, said


def test_a_hard_link_of_a_tar_is_the_photo_that_it_names(vault, tmp_path):
    """As in the tar files that this program's own exports become."""
    (tmp_path / "a.jpg").write_bytes(picture("a"))

    def packed(name, target):
        with tarfile.open(tmp_path / name, "w") as archive:
            archive.add(tmp_path / "a.jpg", "all/a.jpg")
            link = tarfile.TarInfo("albums/Holidays/linked.jpg")
            link.type, link.linkname = tarfile.LNKTYPE, target
            archive.addfile(link)
        return tmp_path / name

    owner = vault()
    done = bring(owner, packed("linked.tar", "all/a.jpg"))
    assert done.returncode == 0 and "it is a link" not in said(done), said(done)
    assert [photo["name"] for photo in owner.photos()] == ["a.jpg"]
    done = bring(owner, packed("broken.tar", "all/b.jpg"))
    assert done.returncode == 1 and "linked.jpg" in said(done), said(done)
