import json
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.protocol import (
    MAX_FRAME,
    MAX_STATE,
    MAX_TEXT,
    MESSAGES,
    PROTOCOL,
    AnyCommand,
    AnyReply,
    CellValue,
    Claim,
    Code,
    Computer,
    Finished,
    Join,
    Leave,
    List,
    Move,
    Moved,
    OpenRoom,
    Options,
    Player,
    PostMortem,
    Refusal,
    Refused,
    Rematch,
    Resign,
    Review,
    Rooms,
    Sit,
    State,
    TurningPoint,
    Values,
    Welcome,
    decode_command,
    decode_reply,
    encode,
    schema,
)
from shared.rules import MAX_CELLS, Outcome

SCHEMA = Path(__file__).parent.parent / "docs" / "protocol.schema.json"

COMMANDS = [
    Join(PROTOCOL, "lunch"),
    Join(PROTOCOL, "lunch", "Ann", "Bob", "watch", "secret", Options(5, 4, "forfeit", "self")),
    Move(4, 2),
    Resign(),
    Claim(),
    Rematch(accept=False),
    Leave(),
    Sit(),
    Computer("hard"),
    Review(),
    List(),
]

REPLIES = [
    Welcome(PROTOCOL, "lunch", ["X"], "secret"),
    State(
        version=9,
        ply=5,
        size=3,
        win=3,
        occupied="retry",
        cells="XXXOO....",
        turn="O",
        starter="X",
        game=1,
        players={"X": Player("Ann", True, 1, False), "O": None},
        draws=0,
        watchers=2,
        outcome=Outcome("X", (0, 1, 2), "row"),
        deadline=None,
        claimable_in=12.5,
        rematch=["X"],
        news=[Moved("X", 2), Finished(Outcome("X", (0, 1, 2), "row"))],
    ),
    Refusal("stale", MESSAGES["stale"], "move"),
    Rooms([OpenRoom("lunch", "Ann", 3, 3, "retry", None, 0)]),
    Values(2, "X", [CellValue(4, "win", 3)]),
    PostMortem(1, None, [TurningPoint(2, "O", 1, None, "X", [4])], "X"),
]


def refusal(frame: str | bytes) -> Refused:
    with pytest.raises(Refused) as caught:
        decode_command(frame)
    assert caught.value.code == "bad_message"
    assert len(caught.value.message) <= MAX_TEXT
    # The refusal itself must be fit to send.
    assert encode(Refusal(caught.value.code, caught.value.message))
    return caught.value


@pytest.mark.parametrize("command", COMMANDS, ids=repr)
def test_a_command_arrives_as_it_was_sent(command: AnyCommand) -> None:
    frame = encode(command)

    assert decode_command(frame) == command
    assert decode_command(frame.decode()) == command
    assert len(frame) <= MAX_FRAME


@pytest.mark.parametrize("reply", REPLIES, ids=lambda reply: type(reply).__name__)
def test_a_reply_arrives_as_it_was_sent(reply: AnyReply) -> None:
    assert decode_reply(encode(reply)) == reply
    assert decode_reply(encode(reply).decode()) == reply


def test_every_command_and_reply_is_tried_here() -> None:
    assert {type(command) for command in COMMANDS} == set(get_args(AnyCommand))
    assert {type(reply) for reply in REPLIES} == set(get_args(AnyReply))


def test_a_message_is_tagged_by_its_type() -> None:
    assert json.loads(encode(Move(4, 2))) == {"type": "move", "cell": 4, "ply": 2}
    assert json.loads(encode(Refusal("stale", "Late.")))["type"] == "refused"


def test_a_join_needs_no_more_than_a_version_and_a_room() -> None:
    assert decode_command('{"type":"join","protocol":1,"room":"a"}') == Join(1, "a")


@pytest.mark.parametrize(
    "frame",
    [
        '{"type":"resign","why":"bored"}',
        '{"type":"move","cell":0,"ply":0,"mark":"X"}',
        '{"type":"join","protocol":1,"room":"a","options":{"cheat":true}}',
    ],
)
def test_a_field_the_server_does_not_know_is_refused(frame: str) -> None:
    assert "unknown field" in refusal(frame).message


def test_a_field_the_client_does_not_know_is_passed_over() -> None:
    frame = '{"type":"refused","code":"of_tomorrow","message":"No.","hint":1}'

    assert decode_reply(frame) == Refusal("of_tomorrow", "No.")


@pytest.mark.parametrize(
    "frame",
    [
        "",
        "null",
        "[]",
        "7",
        '"move"',
        "{}",
        "{",
        '{"type":null}',
        '{"type":"cheat"}',
        '{"type":"welcome","protocol":1,"room":"a","seats":[]}',
        '{"type":"Move","cell":0,"ply":0}',
        '{"type":"move"}',
        '{"type":"move","cell":0}',
        '{"type":"move","cell":"0","ply":0}',
        '{"type":"move","cell":0.0,"ply":0}',
        '{"type":"move","cell":true,"ply":0}',
        '{"type":"move","cell":null,"ply":0}',
        '{"type":"move","cell":NaN,"ply":0}',
        '{"type":"rematch","accept":1}',
        '{"type":"resign"}{"type":"resign"}',
        '{"type":"computer","level":"godlike"}',
        '{"type":"join","protocol":1,"room":"a","role":"admin"}',
        '{"type":"join","protocol":1,"room":"a","options":{"size":2}}',
        '{"type":"join","protocol":1,"room":"a","options":{"size":16}}',
        '{"type":"join","protocol":1,"room":"a","options":{"clock":0}}',
        '{"type":"join","protocol":1,"room":"a","options":{"clock":1e999}}',
    ],
)
def test_what_is_not_a_command_is_refused(frame: str) -> None:
    refusal(frame)
    refusal(frame.encode())


@pytest.mark.parametrize("cell", [-1, MAX_CELLS, 2**31, 2**63, 2**64, 10**400, -(10**400)])
def test_a_cell_no_board_has_is_refused(cell: int) -> None:
    refusal(f'{{"type":"move","cell":{cell},"ply":0}}')


@pytest.mark.parametrize("ply", [-1, 2**31, 2**64, 10**400])
def test_a_ply_no_game_reaches_is_refused(ply: int) -> None:
    refusal(f'{{"type":"move","cell":0,"ply":{ply}}}')


def test_a_number_too_long_to_read_is_refused() -> None:
    digits = "9" * (MAX_FRAME - 100)  # more than int() reads

    refusal(f'{{"type":"move","cell":{digits},"ply":0}}')
    refusal(f'{{"type":"join","protocol":{digits},"room":"a"}}')


@pytest.mark.parametrize("field", ["room", "name", "opponent_name", "token"])
def test_a_text_too_long_to_look_at_is_refused(field: str) -> None:
    fields = {"type": "join", "protocol": 1, "room": "a"}

    decode_command(json.dumps({**fields, field: "a" * MAX_TEXT}))
    refusal(json.dumps({**fields, field: "a" * (MAX_TEXT + 1)}))


@pytest.mark.parametrize(
    "frame",
    [
        "[" * MAX_FRAME,
        '{"a":' * (MAX_FRAME // 5),
        '{"type":' * (MAX_FRAME // 8),
        '{"type":"join","protocol":1,"room":"a","options":' + '{"size":' * (MAX_FRAME // 10),
        '{"type":"join","protocol":1,"room":"a","name":' + "[" * (MAX_FRAME - 100),
    ],
    ids=["lists", "objects", "types", "options", "names"],
)
def test_a_deeply_nested_message_is_refused(frame: str) -> None:
    refusal(frame)


@pytest.mark.parametrize(
    "frame",
    [
        '{"type":"join","protocol":1,"room":"\\ud800"}',
        '{"type":"join","protocol":1,"room":"\ud800"}',
        b'{"type":"join","protocol":1,"room":"\xed\xa0\x80"}',
        '{"type":"join","protocol":1,"room":"a","\\udc00":1}',
        '{"type":"\ud800"}',
        b'{"type":"join","protocol":1,"room":"\xff"}',
        b"\x00\x01\x02",
    ],
    ids=repr,
)
def test_text_that_is_not_unicode_is_refused(frame: str | bytes) -> None:
    refusal(frame)


def test_a_long_complaint_is_cut_short() -> None:
    refusal(json.dumps({"type": "resign", "a" * 4000: 1}))


@settings(deadline=None, max_examples=200)
@given(st.one_of(st.binary(max_size=60), st.text(st.characters(), max_size=60)))
def test_no_frame_does_worse_than_being_refused(frame: str | bytes) -> None:
    refusal(frame)
    with pytest.raises(ValueError, match="not of the protocol"):
        decode_reply(frame)


@pytest.mark.parametrize("frame", ["", "{}", '{"type":"resign"}', "[" * MAX_STATE, '"\ud800"'])
def test_what_is_not_a_reply_is_a_value_error(frame: str) -> None:
    with pytest.raises(ValueError, match="not of the protocol"):
        decode_reply(frame)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("cells", "XXXOO..."),
        ("cells", "XXXOO...\x1b"),
        ("cells", "XXXOO...\n"),
        ("size", 4),
        ("size", 0),
        ("win", 99),
        ("players", {}),
        ("players", {"X": None}),
        ("outcome", {"winner": "X", "line": [0, 1, 9], "kind": "row"}),
        ("outcome", {"winner": "X", "line": [0, 1, 10**4299], "kind": "row"}),
        ("news", [{"type": "moved", "mark": "X", "cell": 10**4299}]),
        ("draws", 10**4299),
        ("claimable_in", 1e300),
    ],
    ids=lambda value: str(value)[:20] if isinstance(value, str) else type(value).__name__,
)
def test_a_board_that_cannot_be_drawn_is_not_of_the_protocol(field: str, value: object) -> None:
    state = json.loads(encode(REPLIES[1]))

    with pytest.raises(ValueError, match="not of the protocol"):
        decode_reply(json.dumps({**state, field: value}))


def test_every_code_has_a_sentence_and_every_sentence_a_code() -> None:
    assert set(MESSAGES) == set(get_args(Code))
    assert all(message.endswith(".") for message in MESSAGES.values())


def test_a_refusal_says_its_sentence_unless_told_another() -> None:
    assert Refused("stale").message == MESSAGES["stale"]
    assert Refused("bad_name", "Too odd.").message == "Too odd."


def test_the_schema_in_the_documentation_is_current() -> None:
    assert json.loads(SCHEMA.read_text("utf-8")) == json.loads(encode(schema()))


def test_the_schema_names_every_message() -> None:
    definitions = schema()["$defs"]

    for kind in (*get_args(AnyCommand), *get_args(AnyReply)):
        assert kind.__name__ in definitions
