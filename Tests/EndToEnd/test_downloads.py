"""What other programs learn of a photo that they fetch."""


def test_a_download_says_when_its_file_was_changed(vault):
    """wget and `curl -R` give that time to the file."""
    owner = vault()
    saved = owner.put("a.jpg", b"photo", params={"modified": "2019-07-04T09:30:00Z"})
    answer = owner.request("GET", f"/api/photos/{saved['id']}/original")
    assert answer.headers["Last-Modified"] == "Thu, 04 Jul 2019 09:30:00 GMT"
