from http.client import HTTPConnection

import pytest

from tests.conftest import Server


def ask(server: Server, path: str) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=10)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def test_the_health_check_answers_ok(server: Server) -> None:
    assert ask(server, "/healthz") == (200, "ok\n")


@pytest.mark.parametrize("path", ["/", "/metrics", "/healthz/", "/%2e%2e/etc/passwd"])
def test_any_other_path_is_not_found_and_says_what_this_is(server: Server, path: str) -> None:
    status, text = ask(server, path)

    assert status == 404
    assert "tictactoe-client" in text


def test_a_plain_request_leaves_no_error_in_the_log(server: Server) -> None:
    ask(server, "/")

    assert "ERROR" not in server.log()
    assert "Traceback" not in server.log()
