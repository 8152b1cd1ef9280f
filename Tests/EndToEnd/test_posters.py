"""The process that makes a poster of a video, spoken to as the daemon does: what is seen, which way up, and what is not
decoded. Videos are made by ffmpeg on the run."""

import os
import socket
import struct
import subprocess
from pathlib import Path

import pytest

LIMITS, JOB, BYTES, READY, READ, RESULT, FAILURE, FACTS = 1, 2, 3, 16, 17, 18, 19, 20
MP4, QUICKTIME, WEBM, MATROSKA = 32, 33, 34, 35
TOO_MANY_PIXELS = 4
HAS_POSTER, IS_DAMAGED = 4, 8

# Four quarters: red, green / blue, white. The right way up is seen at a glance.
QUARTERS = (
    "color=red:s=160x120:r=10:d=3[a];color=lime:s=160x120:r=10:d=3[b];color=blue:s=160x120:r=10:d=3[c];"
    "color=white:s=160x120:r=10:d=3[d];[a][b]hstack[t];[c][d]hstack[u];[t][u]vstack,format=yuv420p"
)
RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)


class Child:
    """A poster process, fed by ranges of one file."""

    def __init__(self, executable, memory=1 << 30, pixels=200_000_000):
        ours, theirs = socket.socketpair()

        def take_the_line():
            os.dup2(theirs.fileno(), 3)

        self.process = subprocess.Popen([executable], preexec_fn=take_the_line, close_fds=False)
        theirs.close()
        self.line = ours
        self.line.settimeout(60)
        self.send(LIMITS, struct.pack(">QHQ?", memory, 30, pixels, False))
        assert self.receive() == (READY, b"\x05")

    def send(self, kind, payload):
        self.line.sendall(struct.pack(">IB", len(payload), kind) + payload)

    def receive(self):
        length, kind = struct.unpack(">IB", self.exactly(5))
        return kind, self.exactly(length)

    def exactly(self, count):
        data = b""
        while len(data) < count:
            piece = self.line.recv(count - len(data))
            assert piece, "the process ended"
            data += piece
        return data

    def look(self, data, media_type):
        """Kind of the answer and its payload; `self.ranges` are those that were asked for, `self.facts` what was told
        before it decoded anything."""
        self.ranges, self.facts = [], []
        self.send(JOB, struct.pack(">BQ", media_type, len(data)))
        while True:
            kind, payload = self.receive()
            if kind == FACTS:
                self.facts.append(payload)
                continue
            if kind != READ:
                return kind, payload
            offset, count = struct.unpack(">QI", payload)
            self.ranges.append((offset, count))
            self.send(BYTES, data[offset : offset + count])

    def poster(self, data, media_type):
        """JPEG bytes, or None for a video without."""
        kind, payload = self.look(data, media_type)
        assert kind == RESULT and len(self.facts) == 1, payload
        if not payload[0] & HAS_POSTER:
            return None
        start = payload.index(b"\xff\xd8\xff")
        assert struct.unpack(">I", payload[start - 4 : start])[0] == len(payload) - start
        return payload[start:]

    def end(self):
        self.line.close()
        return self.process.wait(300)


@pytest.fixture(scope="module")
def executable():
    return str(Path(os.environ["SAFELIGHT_BINARY"]).with_name("safelight-imaging-video"))


@pytest.fixture
def child(executable):
    child = Child(executable)
    yield child
    assert child.end() == 0


@pytest.fixture(scope="module")
def make(tmp_path_factory):
    """make(name, options…, source=…) → the bytes of a video."""
    folder = tmp_path_factory.mktemp("videos")

    def make_one(name, *options, source=("-filter_complex", QUARTERS)):
        path = folder / name
        subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", *source, *options, path], check=True)
        return path.read_bytes()

    make_one.folder = folder
    return make_one


def decoded(poster):
    """Width, height and a function that tells the colour at a place from 0 to 1."""
    probe = ["ffprobe", "-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0", "-"]
    width, height = map(int, subprocess.run(probe, input=poster, capture_output=True, check=True).stdout.split(b","))
    raw = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", "-", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
        input=poster, capture_output=True, check=True,
    ).stdout

    def colour(across, down):
        start = (int(down * height) * width + int(across * width)) * 3
        return tuple(raw[start : start + 3])

    return width, height, colour


def corners(poster):
    _, _, colour = decoded(poster)
    return [colour(across, down) for down in (0.25, 0.75) for across in (0.25, 0.75)]


def are_near(found, wanted, tolerance=24):
    return all(abs(one - other) <= tolerance for one, other in zip(sum(found, ()), sum(wanted, ())))


X264 = ("-c:v", "libx264", "-preset", "ultrafast")


CODECS = [
    ("h264.mp4", MP4, X264),
    ("faststart.mp4", MP4, (*X264, "-movflags", "+faststart")),
    ("fragments.mp4", MP4, (*X264, "-movflags", "frag_keyframe+empty_moov")),
    ("hevc.mov", QUICKTIME, ("-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none", "-tag:v", "hvc1")),
    ("hevc10.mp4", MP4, ("-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none", "-pix_fmt", "yuv420p10le")),
    ("mpeg4.mp4", MP4, ("-c:v", "mpeg4", "-q:v", "2")),
    ("mjpeg.mov", QUICKTIME, ("-c:v", "mjpeg", "-pix_fmt", "yuvj420p", "-q:v", "2")),
    ("vp8.webm", WEBM, ("-c:v", "libvpx", "-b:v", "1M", "-deadline", "realtime")),
    ("vp9.webm", WEBM, ("-c:v", "libvpx-vp9", "-b:v", "1M", "-deadline", "realtime", "-cpu-used", "8")),
    ("av1.mkv", MATROSKA, ("-c:v", "libsvtav1", "-preset", "12")),
]


@pytest.mark.nightly("programs")
def test_every_codec_of_phones_and_cameras_gives_its_colours(child, make):
    for name, media_type, options in CODECS:
        poster = child.poster(make(name, *options), media_type)
        assert decoded(poster)[:2] == (320, 240), name
        assert are_near(corners(poster), [RED, GREEN, BLUE, WHITE]), name


def turned(movie, degrees):
    """To the right, by the matrix of the track header: versions of ffmpeg differ in how they are asked for it."""
    place = movie.index(b"tkhd") + 44
    cosine, sine = {90: (0, 1), 180: (-1, 0), 270: (0, -1)}[degrees]
    one = 1 << 16
    matrix = struct.pack(">9i", cosine * one, sine * one, 0, -sine * one, cosine * one, 0, 0, 0, 1 << 30)
    return movie[:place] + matrix + movie[place + 36 :]


# How the size and the corners of a video are seen that is turned to the right by so many degrees.
TURNED = {
    90: ((240, 320), [BLUE, RED, WHITE, GREEN]),
    180: ((320, 240), [WHITE, BLUE, GREEN, RED]),
    270: ((240, 320), [GREEN, WHITE, RED, BLUE]),
}


def test_a_turned_video_has_an_upright_poster(child, make):
    upright = make("upright.mp4", *X264)
    for degrees, (size, expected) in TURNED.items():
        poster = child.poster(turned(upright, degrees), MP4)
        assert decoded(poster)[:2] == size, degrees
        assert are_near(corners(poster), expected), degrees


def test_an_index_at_the_end_is_found_without_reading_all(child, make):
    noise = ("-f", "lavfi", "-i", "testsrc2=s=640x480:r=30:d=20")
    data = make("long.mp4", "-c:v", "libx264", "-preset", "ultrafast", "-b:v", "8M", "-pix_fmt", "yuv420p", source=noise)
    assert data.rindex(b"moov") > len(data) * 0.9
    assert child.poster(data, MP4)
    assert sum(count for _, count in child.ranges) < len(data) / 2


def test_a_beginning_in_the_dark_is_passed_over(child, make):
    dark = "color=black:s=320x240:r=10:d=2[k];" + QUARTERS + "[q];[k][q]concat"
    data = make("dark.mp4", *X264, "-g", "200", source=("-filter_complex", dark))
    assert are_near(corners(child.poster(data, MP4)), [RED, GREEN, BLUE, WHITE])


def test_a_video_that_is_dark_throughout_has_a_dark_poster(child, make):
    data = make("night.mp4", *X264, source=("-f", "lavfi", "-i", "color=black:s=320x240:r=10:d=2"), )
    assert are_near(corners(child.poster(data, MP4)), [(0, 0, 0)] * 4)


def test_a_video_for_bright_screens_keeps_its_hues(child, make):
    for transfer in ("smpte2084", "arib-std-b67"):
        grey = QUARTERS.replace("red", "0x804040").replace("lime", "0x408040").replace("blue", "0x404080")
        data = make(
            f"{transfer}.mp4", "-c:v", "libx265", "-preset", "ultrafast", "-pix_fmt", "yuv420p10le", "-x265-params",
            f"log-level=none:colorprim=bt2020:transfer={transfer}:colormatrix=bt2020nc",
            source=("-filter_complex", grey.replace("white", "0x808080")),
        )
        red, green, blue, neutral = corners(child.poster(data, MP4))
        assert red[0] > max(red[1:]) and green[1] > max(green[0], green[2]) and blue[2] > max(blue[:2])
        assert max(neutral) - min(neutral) < 12 and 40 < neutral[0] < 200


def test_pixels_that_are_not_square_make_a_poster_as_wide_as_it_is_seen(child, make):
    data = make("anamorphic.mp4", *X264, "-vf", "setsar=2/1", source=("-f", "lavfi", "-i", "testsrc=s=320x240:d=2"))
    assert decoded(child.poster(data, MP4))[:2] == (640, 240)


def test_a_large_video_has_a_poster_of_2048_pixels(child, make):
    data = make("large.mp4", *X264, source=("-f", "lavfi", "-i", "testsrc=s=2560x1440:r=5:d=1"))
    assert decoded(child.poster(data, MP4))[:2] == (2048, 1152)


def test_sound_alone_has_no_poster_and_is_no_fault(child, make):
    data = make("sound.mp4", "-c:a", "aac", source=("-f", "lavfi", "-i", "sine=duration=2"))
    kind, payload = child.look(data, MP4)
    assert kind == RESULT and not payload[0] & (HAS_POSTER | IS_DAMAGED)


def test_a_codec_that_is_not_in_the_list_is_not_decoded(child, make):
    data = make("other.mkv", "-c:v", "ffv1")
    kind, payload = child.look(data, MATROSKA)
    assert kind == RESULT and not payload[0] & HAS_POSTER


def test_a_video_that_ends_early_shows_what_there_is(child, make):
    moving = ("-f", "lavfi", "-i", "testsrc2=s=320x240:r=15:d=4")
    data = make("whole.mp4", *X264, "-g", "15", "-movflags", "+faststart", source=moving)
    assert child.poster(data[: len(data) * 2 // 3], MP4)
    data = make("index-last.mp4", *X264, source=moving)
    kind, payload = child.look(data[: len(data) // 2], MP4)
    assert kind == RESULT and payload[0] & IS_DAMAGED and not payload[0] & HAS_POSTER


def test_a_video_without_its_key_pictures_ends_without_a_fault(child, make):
    make("keys.mkv", *X264, "-g", "10")
    data = make("no-keys.mkv", "-c", "copy", "-bsf:v", "noise=drop=key", source=("-i", make.folder / "keys.mkv"))
    kind, payload = child.look(data, MATROSKA)
    assert kind == RESULT and payload[0] & (HAS_POSTER | IS_DAMAGED)


def test_more_pixels_than_the_limit_are_refused_by_the_header(executable, make):
    child = Child(executable, pixels=320 * 240 - 1)
    kind, answer = child.look(make("h264.mp4", *X264), MP4)
    # What the file says of itself, and why there is no picture.
    assert (kind, answer[-1]) == (RESULT, TOO_MANY_PIXELS)
    assert child.end() == 0


def test_damage_anywhere_never_ends_the_process(child, make):
    for name, media_type, options in [("h264.mp4", MP4, X264), ("vp8.webm", WEBM, ("-c:v", "libvpx", "-b:v", "1M"))]:
        whole = make(name, *options)
        state = 1
        for _ in range(40):
            damaged = bytearray(whole)
            for _ in range(30):
                state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
                damaged[(state >> 20) % len(damaged)] = state >> 56
            kind, _ = child.look(bytes(damaged), media_type)
            assert kind in (RESULT, FAILURE)
    assert child.poster(make("h264.mp4", *X264), MP4)


def test_the_process_proves_its_cage(executable):
    proof = subprocess.run([executable, "--prove-cage"], capture_output=True, text=True, timeout=300)
    assert proof.returncode == 0, proof.stdout
    assert "POSSIBLE" not in proof.stdout and "open-file: refused" in proof.stdout
