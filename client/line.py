"""The line client: prints what happens, line after line, and reads what the player types.

A typed line is taken at once. A line from a pipe waits until there is a question it can answer,
so that a whole game can be piped in.
"""

import asyncio

from msgspec.structs import replace

from client import view
from client.session import Ended, Lost, Session
from client.terminal import Terminal
from client.view import Style, Unclear
from shared.names import printable
from shared.protocol import (
    AnyCommand,
    AnyReply,
    Declined,
    Finished,
    Forfeited,
    Leave,
    Move,
    Moved,
    Refusal,
    Rematch,
    Started,
    State,
    Welcome,
)
from shared.rules import Mark

REDRAWN = {Started, Moved, Forfeited, Finished}  # the news after which the board is drawn


class Game:
    """What the player has been told, and what is being asked."""

    def __init__(self, session: Session, terminal: Terminal, style: Style, invite: str) -> None:
        self.session = session
        self.terminal = terminal
        self.style: Style = style
        self.invite = invite
        self.welcome: Welcome | None = None  # its seats hold from the state after it
        self.state: State | None = None
        self.seats: frozenset[Mark] = frozenset()
        self.pending: AnyCommand | None = None  # sent, and not yet answered
        self.is_fresh = True  # the next state is the first of its connection
        self.is_connected = True
        self.is_declined = False
        self.is_offered_to_watch = False
        self.is_seeing_it_out = False  # the input ended with a line whose effect is yet to be seen
        self.has_left = False

    async def run(self) -> None:
        """Play until the player leaves, or raise Ended."""
        self.terminal.read()
        replies = self.session.replies()
        next_reply = asyncio.ensure_future(anext(replies))
        next_line = asyncio.ensure_future(self.terminal.next_line())
        try:
            while not self.has_left:
                takes_line = next_line.done() and self.takes(next_line.result())
                if not takes_line and not next_reply.done():
                    waiting = {next_reply} if next_line.done() else {next_reply, next_line}
                    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                if next_reply.done():
                    await self.hear(next_reply.result())
                    next_reply = asyncio.ensure_future(anext(replies))
                elif takes_line:
                    await self.obey(next_line.result())
                    next_line = asyncio.ensure_future(self.terminal.next_line())
        except asyncio.CancelledError:  # by Ctrl-C, and who leaves says so
            await self.leave()
            raise
        finally:
            next_reply.cancel()
            next_line.cancel()
            await self.session.close()

    def takes(self, line: str | None) -> bool:
        """Whether it is time to act on a line, or on the end of the lines."""
        if not self.is_connected:  # the player may leave, the rest waits
            return line is None or view.is_quit(line)
        if self.is_offered_to_watch:
            return True
        if self.state is None or self.pending:
            return False
        if self.terminal.is_interactive or self.is_asked or not self.may_be_asked:
            return True
        if line is None:
            return not (self.is_seeing_it_out and view.is_complete(self.state))
        return view.is_word(line)

    @property
    def is_asked_to_move(self) -> bool:
        """Whether it is this player's turn."""
        return bool(self.state and view.is_on(self.state) and self.state.turn in self.seats)

    @property
    def is_asked_again(self) -> bool:
        """Whether this player is asked to play again."""
        return bool(
            self.may_be_asked
            and self.state
            and self.state.outcome
            and not self.seats <= set(self.state.rematch)
        )

    @property
    def is_asked(self) -> bool:
        """Whether a question to this player stands open."""
        return self.is_asked_to_move or self.is_asked_again

    @property
    def may_be_asked(self) -> bool:
        """Whether this player may yet be asked something, if the others play on."""
        if not self.seats or self.state is None:
            return False
        over = self.is_declined or view.has_free_seat(self.state)
        return not (self.state.outcome and over)

    async def hear(self, reply: AnyReply | Lost) -> None:
        """Show what the server says."""
        match reply:
            case Welcome():
                self.welcome = reply
                if reply.token:
                    self.is_fresh = self.is_connected = True
            case State():
                await self.hear_state(reply)
            case Refusal() if reply.re == "join" or self.welcome is None:
                self.hear_no_place(reply)
            case Refusal(code="stale"):  # the state follows
                self.hear_answer()
                self.is_fresh = True
            case Refusal():
                self.hear_answer()
                self.refuse(reply)
            case Lost(stopping):
                self.is_connected = self.is_offered_to_watch = False
                self.terminal.show(view.STOPPING if stopping else view.LOST)

    def hear_no_place(self, refusal: Refusal) -> None:
        """Offer to watch a full room, where someone can be asked."""
        if refusal.code != "room_full" or self.session.join.role == "watch":
            raise Ended(printable(refusal.message))
        if not self.terminal.is_interactive:
            raise Ended(view.FULL)
        self.is_offered_to_watch = True
        self.terminal.prompt(view.WATCH)

    def hear_answer(self) -> None:
        """Note that what was sent has been answered."""
        self.pending = None
        self.is_seeing_it_out = self.terminal.has_ended

    def refuse(self, refusal: Refusal) -> None:
        """Say why not, and where the game stands."""
        lines = [printable(refusal.message)]
        if refusal.re == "move" and self.state:
            self.terminal.clear()
            lines += view.picture(self.state, self.style)
        self.terminal.show(view.lines_of(lines))
        self.ask()

    async def hear_state(self, state: State) -> None:
        """Show what has changed in the room, and ask what there is to ask."""
        before, self.state = self.state, state
        self.seats = frozenset(self.welcome.seats if self.welcome else ())
        if self.is_answered(state):
            self.hear_answer()
        elif self.is_fresh and self.pending:
            await self.session.send(self.pending)  # its answer was lost; it is played once
        kinds = {type(item) for item in state.news}
        self.is_declined = Declined in kinds or (self.is_declined and Started not in kinds)
        self.show_state(state, before, kinds)
        self.is_fresh = False

    def show_state(self, state: State, before: State | None, kinds: set[type]) -> None:
        """Show the news, the board if it has changed, and the question that follows."""
        lines = view.news_lines(state, self.seats)
        began = view.is_on(state) and not (before and view.is_on(before))
        is_drawn = began or bool(kinds & REDRAWN)
        if self.is_fresh and self.welcome:
            lines.insert(0, view.welcome(self.welcome))
            lines.append(view.other_options(state, self.session.join))
            is_drawn = view.is_on(state) or state.outcome is not None
        if is_drawn:
            self.terminal.clear()
            if Finished in kinds and view.is_struck(state) and self.terminal.is_plain:
                lines.append(view.board(state, self.style))  # and the line through it follows
            lines += view.picture(state, self.style)
        if lines and view.has_free_seat(state):
            lines += [view.waiting(self.seats), self.invite if self.is_fresh else ""]
        self.terminal.show(view.lines_of(lines))
        if is_drawn:
            self.call()
        if lines:
            self.ask()

    def is_answered(self, state: State) -> bool:
        """Whether a state shows that what was sent has been carried out."""
        match self.pending:
            case None:
                return False
            case Move(ply=ply):
                return state.ply != ply
            case Rematch():
                return state.outcome is None or self.seats <= set(state.rematch)
            case _:
                return state.outcome is not None

    def call(self) -> None:
        """Call a player whose turn has come to the terminal; two who sit there need no call."""
        room = view.room(self.welcome)
        if self.is_asked_to_move and len(self.seats) == 1:
            self.terminal.alert(f"Your turn: {room}")
        else:
            self.terminal.entitle(room)

    def ask(self) -> None:
        """Ask the question that stands open, if one does."""
        if self.pending:
            return
        if self.is_asked_to_move:
            self.terminal.prompt(view.MOVE)
        elif self.is_asked_again:
            self.terminal.prompt(view.AGAIN)

    async def obey(self, line: str | None) -> None:
        """Do what a line says."""
        self.terminal.answered()
        if line is None:
            await self.leave()
        elif self.is_offered_to_watch:
            self.is_offered_to_watch = False
            if not view.is_yes(line):
                raise Ended(view.FULL)
            await self.session.ask(replace(self.session.join, role="watch"))
        elif self.state is None or not self.is_connected:
            await self.leave()
        else:
            await self.obey_in_game(line, self.state)

    async def obey_in_game(self, line: str, state: State) -> None:
        """Send the command that a line means, or say what would be one."""
        try:
            command = (view.parse_answer if state.outcome else view.parse_cell)(line, state)
        except Unclear as unclear:
            self.terminal.show(str(unclear))
            self.ask()
            return
        match command:
            case "quit":
                await self.leave()
            case "help":
                self.terminal.show(view.HELP)
                self.ask()
            case "board":
                self.terminal.clear()
                self.terminal.show(view.lines_of(view.picture(state, self.style)))
                self.ask()
            case Rematch(accept=False):
                await self.session.send(command)
                await self.leave()
            case _:
                self.pending = command
                await self.session.send(command)

    async def leave(self) -> None:
        """Give the place in the room up."""
        self.has_left = True
        await self.session.send(Leave())
