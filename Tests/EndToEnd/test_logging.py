"""What the log says of requests: enough to follow one, and nothing that is somebody's."""

import re

from client import PASSWORD, Browser

NAME = "holiday in Alassio.jpg"


def test_debug_lines_follow_a_request_and_say_nothing_of_whose_it_is(start_daemon):
    daemon = start_daemon(environment={"SAFELIGHT_LOG_LEVEL": "debug"})
    browser = Browser(daemon).create()
    photo = browser.put(NAME, b"x" * 54_321)
    browser.request("GET", f"/api/photos/{photo['id']}/original")
    browser.request("GET", f"/api/{PASSWORD}")
    daemon.stop()
    lines = [line for line in daemon.log.splitlines() if "A request was answered" in line]
    said = [dict(re.findall(r"(\S+?)=(\S+)", line)) for line in lines]
    assert {"PUT /api/photos/{id} 201", "GET /api/photos/{id}/original 200"} <= {
        f"{line['method']} {line['route']} {line['status']}" for line in said
    }
    assert len({line["hb.request.id"] for line in said}) == len(said)
    for secret in (NAME, "Alassio", photo["id"], PASSWORD, PASSWORD.replace(" ", "%20"), "54321"):
        assert secret not in daemon.log
