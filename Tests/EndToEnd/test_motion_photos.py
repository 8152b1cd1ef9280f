"""Photos in whose own file a phone put seconds of video."""

import subprocess

from client import code_of

NAMES = (
    'xmlns:Container="http://ns.google.com/photos/1.0/container/" xmlns:Item="http://ns.google.com/photos/1.0/container/item/" '
    'xmlns:GCamera="http://ns.google.com/photos/1.0/camera/"'
)


def made(folder, name, *options):
    path = folder / name
    command = ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=64x48:d=1", *options, str(path)]
    subprocess.run(command, check=True)
    return path.read_bytes()


def with_xmp(jpeg, packet):
    payload = b"http://ns.adobe.com/xap/1.0/\0" + packet.encode()
    return jpeg[:2] + b"\xff\xe1" + (len(payload) + 2).to_bytes(2, "big") + payload + jpeg[2:]


def motion_photo(folder, more=b""):
    """As a Pixel writes it: the photo, perhaps a gain map, the video."""
    still = made(folder, "still.jpg", "-frames:v", "1")
    video = made(folder, "clip.mp4", "-c:v", "mpeg4")
    items = [("Primary", 0), *([("GainMap", len(more))] if more else []), ("MotionPhoto", len(video))]
    entries = "".join(
        f'<rdf:li><Container:Item Item:Mime="x/y" Item:Semantic="{kind}" Item:Length="{length}"/></rdf:li>'
        for kind, length in items
    )
    packet = (
        f'<rdf:Description {NAMES} GCamera:MotionPhoto="1"><Container:Directory><rdf:Seq>{entries}</rdf:Seq>'
        "</Container:Directory></rdf:Description>"
    )
    return with_xmp(still, packet) + more + video, video


def test_the_video_of_a_motion_photo_is_had_by_ranges_out_of_the_original(restartable_vault, tmp_path):
    content, video = motion_photo(tmp_path, made(tmp_path, "gain.jpg", "-frames:v", "1"))
    browser = restartable_vault()
    photo = browser.put("PXL_20240102_030405678.MP.jpg", content)
    assert (photo["motion"], photo["gainMap"]) == (len(video), True)
    browser.daemon.restart()
    browser.open()
    (photo,) = browser.photos()
    month = browser.request("GET", "/api/timeline/" + browser.request("GET", "/api/timeline").json()[0][0]).json()
    assert (month["motion"], month["gainMap"]) == ([len(video)], [True])
    path = f"/api/photos/{photo['id']}/motion"
    whole = browser.request("GET", path)
    assert (whole.status_code, whole.headers["Content-Type"], whole.content) == (200, "video/mp4", video)
    part = browser.request("GET", path, headers={"Range": "bytes=4-11"})
    assert (part.status_code, part.content) == (206, video[4:12])
    assert part.headers["Content-Range"] == f"bytes 4-11/{len(video)}"
    assert browser.request("GET", path, headers={"Range": f"bytes={len(video)}-"}).status_code == 416
    assert browser.content(photo) == content


def test_where_no_video_lies_in_the_file_there_is_none_to_be_had(vault, tmp_path):
    browser = vault()
    photo = browser.put("plain.jpg", made(tmp_path, "plain.jpg", "-frames:v", "1"))
    answer = browser.request("GET", f"/api/photos/{photo['id']}/motion")
    assert (answer.status_code, code_of(answer)) == (404, "no-motion")
    assert "motion" not in photo and "gainMap" not in photo


def test_a_video_beside_a_motion_photo_is_part_of_it(vault, tmp_path):
    content, video = motion_photo(tmp_path)
    browser = vault()
    browser.put("PXL_20240102_030405678.MP.jpg", content)
    clip = browser.put("PXL_20240102_030405678.MP", video)
    (photo,) = [photo for photo in browser.photos() if photo["type"] == "image/jpeg"]
    assert photo["liveVideo"] == clip["id"]
