"""Albums for the tests, as a client makes and reads them."""


def albums(browser):
    answer = browser.request("GET", "/api/albums")
    assert answer.status_code == 200, answer.text
    return answer.json()["albums"]


def make(browser, name, photos=(), status=201):
    answer = browser.request("POST", "/api/albums", json={"name": name, "ids": [photo["id"] for photo in photos]})
    assert answer.status_code == status, answer.text
    return answer.json()


def add(browser, album, photos, method="POST"):
    return browser.request(method, f"/api/albums/{album}/photos", json={"ids": [photo["id"] for photo in photos]})


def names_in(browser, album):
    """By way of its timeline."""
    found = []
    for month, count in browser.request("GET", f"/api/albums/{album}/timeline").json():
        page = browser.request("GET", f"/api/albums/{album}/timeline/{month}").json()
        assert len(page["id"]) == count
        found += page["name"]
    return sorted(found)
