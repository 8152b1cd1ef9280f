"""Clients that others' generators make from docs/openapi.yaml send, list, look at, delete and lock."""

import os
import re
import subprocess
import textwrap

import pytest
from client import Browser, sha256
from contract import DOCUMENT
from daemon import CHECKOUT

GENERATORS = CHECKOUT / ".build" / "openapi-generators" / "bin"
PHOTO = CHECKOUT / "Tests" / "Photos" / "phone" / "IMG_iphone_13_pro_max.HEIC"

# The sequence of an app's first day, with nothing but what was generated: MAIN has `url`, `password`, `photo`.
BY_PYTHON_CLIENT = """
import base64, io, sys
from safelight_client import AuthenticatedClient, Client
from safelight_client.api.photos import list_blocks, list_photos, put_photo, thumbnail, thumbnails
from safelight_client.api.session import lock, open_vault, session
from safelight_client.api.trash import delete_photo, trash
from safelight_client.api.uploads import append_to_upload, create_upload, upload_status
from safelight_client.models import SessionRoutesOpening, ThumbnailListPayload
from safelight_client.types import File

url, password, photo = sys.argv[1:]
content = open(photo, "rb").read()
client = Client(base_url=url, headers={"Origin": url})
assert open_vault.sync(client=client, body=SessionRoutesOpening(password=password)).kind == "vault"
sent = put_photo.sync("whole.heic", client=client, body=File(io.BytesIO(content)))
assert sent.size == len(content) and sent.type_ == "image/heic"
other = content + b"another"
named = "filename " + base64.b64encode(b"in parts.heic").decode()
made = create_upload.sync_detailed(client=client, upload_length=len(other), upload_metadata=named)
assert made.status_code == 201, made
id = made.headers["Location"].rpartition("/")[2]
half = len(other) // 2
append_to_upload.sync_detailed(id, client=client, body=File(io.BytesIO(other[:half])), upload_offset=0)
offset = int(upload_status.sync_detailed(id, client=client).headers["Upload-Offset"])
assert offset == half
done = append_to_upload.sync_detailed(id, client=client, body=File(io.BytesIO(other[half:])), upload_offset=half)
assert done.status_code == 204 and done.headers["Safelight-Photo"]
listed = list_photos.sync(client=client)
assert sorted(one.name for one in listed.photos) == ["in parts.heic", "whole.heic"]
while True:
    look = thumbnail.sync_detailed(sent.id, client=client)
    if look.status_code != 404:
        break
    # The host answers once it is made.
    thumbnails.sync_detailed(client=client, body=ThumbnailListPayload(ids=[sent.id], wait=20.0))
assert look.status_code == 200 and look.content[:2] in (b"RI", b"\\xff\\xd8"), look
before = list_blocks.sync(client=client).blocks
assert delete_photo.sync(sent.id, client=client).count == 1
(block,) = list_blocks.sync(client=client).blocks
assert block.state != before[0].state
assert [one.name for one in list_photos.sync(client=client, block=block.number).photos] == ["in parts.heic"]
assert [one.id for one in trash.sync(client=client).photos] == [sent.id]
assert lock.sync_detailed(client=client).status_code < 300
assert session.sync(client=client).kind == "none"
"""
BY_OPENAPI_GENERATOR = """
import base64, sys
import openapi_client
from openapi_client.models import SessionRoutesOpening

url, password, photo = sys.argv[1:]
content = open(photo, "rb").read()
client = openapi_client.ApiClient(openapi_client.Configuration(host=url, username="", password=password))
photos, uploads = openapi_client.PhotosApi(client), openapi_client.UploadsApi(client)
sent = photos.put_photo("whole.heic", content)
assert sent.size == len(content) and sent.type == "image/heic"
other = content + b"another"
named = "filename " + base64.b64encode(b"in parts.heic").decode()
half = len(other) // 2
made = uploads.create_upload_with_http_info(
    tus_resumable="1.0.0", upload_length=len(other), upload_metadata=named, body=other[:half])
id = made.headers["Location"].rpartition("/")[2]
done = uploads.append_to_upload_with_http_info("1.0.0", half, id, body=other[half:])
assert done.status_code == 204 and done.headers["Safelight-Photo"]
assert sorted(one.name for one in photos.list_photos().photos) == ["in parts.heic", "whole.heic"]
assert photos.original(sent.id) == content
"""

# What each has to offer of an upload: the bytes, and offsets of 64 bits.
OFFERS = {
    "kotlin": ["fun putPhoto(id: kotlin.String, body: java.io.File", "uploadOffset: kotlin.Long", "uploadLength: kotlin.Long"],
    "swift6": ["func putPhoto(id: String, body: URL", "uploadOffset: Int64", "uploadLength: Int64"],
}


def generate(name, folder):
    subprocess.run(
        [GENERATORS / "openapi-generator-cli", "generate", "-i", DOCUMENT, "-g", name, "-o", folder],
        check=True, capture_output=True,
    )  # fmt: skip


def do_the_job(daemon, script, folder):
    owner = Browser(daemon).create()
    done = subprocess.run(
        [GENERATORS / "python", "-c", textwrap.dedent(script), daemon.url, owner.password, PHOTO],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(folder), "no_proxy": "*"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return owner.open()


@pytest.mark.nightly("programs")
def test_openapi_python_client_makes_one_that_does_an_apps_job(daemon, tmp_path):
    told = subprocess.run(
        [GENERATORS / "openapi-python-client", "generate", "--path", DOCUMENT, "--output-path", tmp_path / "client"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "will not be generated" not in told.stdout + told.stderr
    owner = do_the_job(daemon, BY_PYTHON_CLIENT, tmp_path / "client")
    assert owner.digests() == {"in parts.heic": sha256(PHOTO.read_bytes() + b"another")}


@pytest.mark.nightly("programs")
def test_openapi_generator_makes_a_python_client_that_does_an_apps_job(daemon, tmp_path):
    generate("python", tmp_path)
    owner = do_the_job(daemon, BY_OPENAPI_GENERATOR, tmp_path)
    content = PHOTO.read_bytes()
    assert owner.digests() == {"whole.heic": sha256(content), "in parts.heic": sha256(content + b"another")}


@pytest.mark.nightly("programs")
@pytest.mark.parametrize("language", OFFERS)
def test_openapi_generator_offers_bytes_and_large_offsets(language, tmp_path):
    generate(language, tmp_path)
    written = "\n".join(path.read_text() for ending in ("kt", "swift") for path in tmp_path.rglob(f"*.{ending}"))
    written = re.sub(r"\s+", " ", written)
    assert [offer for offer in OFFERS[language] if offer not in written] == []
