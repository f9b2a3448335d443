"""The line client: prints what happens, line after line, and reads what the player types.

A typed line is answered at once. A line from a pipe waits until there is a question it can
answer, so that a whole game can be piped in.
"""

import asyncio
from typing import Literal

from msgspec.structs import replace

from client import lesson, view, words
from client.board import Style, board
from client.session import Ended, Lost, Session
from client.terminal import Terminal
from shared.names import printable
from shared.protocol import (
    Accepted,
    AnyCommand,
    AnyReply,
    Computer,
    Declined,
    Leave,
    Move,
    PostMortem,
    Refusal,
    Rematch,
    Review,
    Sit,
    State,
    Values,
    Welcome,
    kind,
)
from shared.rules import Mark

# joining: the first state of a connection is yet to come; offered: the room is full, and the
# player is asked whether to watch; lost: the session is coming back by itself.
Phase = Literal["joining", "offered", "playing", "lost", "left"]


class Game:
    """What the player has been told, and what is being asked."""

    def __init__(self, session: Session, terminal: Terminal, style: Style, invite: str) -> None:
        self.session = session
        self.terminal = terminal
        self.style: Style = style
        self.invite = invite
        self.phase: Phase = "joining"
        self.welcome: Welcome | None = None  # its seats hold from the state after it
        self.state: State | None = None
        self.heard = 0.0  # when that was
        self.ended: State | None = None  # how the last game that has ended stood at its end
        self.seats: frozenset[Mark] = frozenset()
        self.values: Values | None = None  # what a watcher has been told of the board
        self.hurry: asyncio.TimerHandle | None = None
        self.pending: AnyCommand | None = None  # sent, and not yet answered
        self.is_declined = False  # the other does not want to play again
        self.is_seeing_it_out = False  # the input ended with a line whose effect is yet to be seen

    async def run(self) -> None:
        """Play until the player leaves, or raise Ended."""
        self.terminal.read()
        replies = self.session.replies()
        next_reply = asyncio.ensure_future(anext(replies))
        next_line = asyncio.ensure_future(self.terminal.next_line())
        try:
            while self.phase != "left":
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
            self.call_off()
            await self.session.close()

    def takes(self, line: str | None) -> bool:
        """Whether it is time to act on a line, or on the end of the lines."""
        if self.terminal.is_interactive:
            return True
        if self.phase == "lost":
            return line is None or words.is_quit(line)
        if self.state is None or not self.is_free:
            return False
        if self.is_asked or not self.may_be_asked:
            return True
        if line is None:
            return not (self.is_seeing_it_out and view.is_complete(self.state))
        return words.is_word(line)

    @property
    def is_free(self) -> bool:
        """Whether nothing is being waited for, so that a command can be sent."""
        return self.phase == "playing" and self.pending is None

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
                    self.phase = "joining"
            case State():
                await self.hear_state(reply)
            case Values():
                self.hear_values(reply)
            case PostMortem():
                self.hear_post_mortem(reply)
            case Refusal() if self.phase != "playing":
                self.hear_no_place(reply)
            case Refusal():
                if self.pending and reply.re in (None, kind(self.pending)):
                    self.hear_answer()
                self.refuse(reply)
            case Lost(stopping):
                self.phase = "lost"
                self.terminal.show(view.STOPPING if stopping else view.LOST)

    def hear_no_place(self, refusal: Refusal) -> None:
        """Offer to watch a full room, where someone can be asked."""
        if refusal.code != "room_full" or self.session.join.role == "watch":
            raise Ended(printable(refusal.message))
        if not self.terminal.is_interactive:
            raise Ended(view.FULL)
        self.phase = "offered"
        self.terminal.prompt(view.WATCH)

    def hear_answer(self) -> None:
        """Note that what was sent has been answered."""
        self.pending = None
        self.is_seeing_it_out = self.terminal.has_ended

    def refuse(self, refusal: Refusal) -> None:
        """Say why not, and where the game stands."""
        lines = [printable(refusal.message)]
        if refusal.re == "sit" and not self.seats:
            self.session.join = replace(self.session.join, role="watch")
        if refusal.re == "move" and self.state:
            self.terminal.clear()
            lines += view.picture(self.now(self.state), self.style)
        self.terminal.show(view.lines_of(lines))
        self.ask()

    def hear_values(self, values: Values) -> None:
        """Show a watcher what each cell is worth, unless that is known, or the board is another."""
        if self.state and view.is_on(self.state) and self.state.ply == values.ply:
            if values != self.values:
                self.terminal.show(lesson.worths(values, self.state.size))
            self.values = values

    def hear_post_mortem(self, reply: PostMortem) -> None:
        """Show what the game taught."""
        if isinstance(self.pending, Review):
            self.hear_answer()
        if self.ended:  # the next game may have begun since
            self.terminal.show(lesson.post_mortem(reply, self.ended))
        self.ask()

    async def hear_state(self, state: State) -> None:
        """Take in what has changed in the room, and show it."""
        before, self.state, self.heard = self.state, state, asyncio.get_running_loop().time()
        if state.outcome and (self.phase == "joining" or not (before and before.outcome)):
            self.ended = state
        sat, self.seats = self.seats, frozenset(self.welcome.seats if self.welcome else ())
        is_anew = before is not None and view.has_joined(state, self.seats)
        if is_anew:
            self.pending = None  # it was for the game before
        if self.is_answered(state):
            self.hear_answer()
        elif self.pending and self.phase == "joining":
            await self.session.send(self.pending)  # its answer was lost; it is played once
        kinds = {type(item) for item in state.news}
        if state.outcome is None or Accepted in kinds:
            self.is_declined = False
        elif Declined in kinds:
            self.is_declined = True
        if self.phase == "joining":
            self.show_state(state, None, view.ANEW if is_anew else "")
        else:
            self.show_state(state, before, view.new_seat(state, sat, self.seats))
        self.phase = "playing"

    def show_state(self, state: State, before: State | None, opening: str) -> None:
        """Show the news, the board if it has changed, and the question that follows."""
        lines = [text for text in [*view.news_lines(state, self.seats), opening] if text]
        if before is None and self.welcome:
            options = view.other_options(state, self.seats, self.session.join)
            lines = [opening, view.welcome(self.welcome), *lines, *options]
        is_drawn = view.is_redrawn(before, state)
        if is_drawn:
            self.terminal.clear()
            lines += view.absences(state, self.seats)
            if before and view.is_struck(state) and self.terminal.is_plain:
                lines.append(board(state, self.style))  # and the line through it follows
            lines += view.picture(state, self.style)
        elif before and before.watchers != state.watchers and not self.is_asked:
            lines.append(view.watching(state))
        if lines and view.has_free_seat(state):
            invite = f"Invite: {self.invite}{view.room(self.welcome)}" if self.invite else ""
            lines += [view.waiting(self.seats), "" if before else invite]
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
                # One sent out of turn is answered by a refusal, whatever others play meanwhile.
                return state.ply != ply and (
                    self.phase == "joining" or view.has_played(state, self.seats)
                )
            case Rematch():
                return state.outcome is None or self.seats <= set(state.rematch)
            case Computer():
                return view.has_computer(state)
            case Sit():
                return bool(self.seats)
            case Review():
                return False  # what answers it is no state
            case _:
                return state.outcome is not None

    def call(self) -> None:
        """Call a player whose turn has come to the terminal; two who sit there need no call."""
        self.call_off()
        room = view.room(self.welcome)
        if not self.is_asked_to_move or len(self.seats) > 1:
            self.terminal.entitle(room)
            return
        self.terminal.alert(f"Your turn: {room}")
        left = self.state.time_left if self.state else None
        if left and left > view.HURRY:
            self.hurry = asyncio.get_running_loop().call_later(
                left - view.HURRY, self.terminal.alert, f"{view.HURRY} s left: {room}"
            )

    def call_off(self) -> None:
        """Call no more to hurry up."""
        if self.hurry:
            self.hurry.cancel()

    def now(self, state: State) -> State:
        """Return a state with what is left of the turn by now."""
        if state.time_left is None:
            return state
        gone = asyncio.get_running_loop().time() - self.heard
        return replace(state, time_left=max(0.0, state.time_left - gone))

    def ask(self) -> None:
        """Ask the question that stands open, if one does."""
        if self.pending:
            return
        if self.is_asked_to_move:
            self.terminal.prompt(view.MOVE)
        elif self.is_asked_again:
            self.terminal.prompt(view.AGAIN)

    async def obey(self, line: str | None) -> None:
        """Do what a line says, or leave where there is none."""
        if line is None:
            await self.leave()
            return
        self.terminal.answered()
        if words.is_quit(line):
            await self.leave()
        elif self.phase == "offered":
            await self.obey_offer(line)
        elif self.state and self.is_free:
            await self.obey_in_game(line, self.state)
        else:
            self.terminal.show(view.WAIT)

    async def obey_offer(self, line: str) -> None:
        """Watch, or leave."""
        match words.yes_or_no(line):
            case None:
                self.terminal.prompt(view.WATCH)
            case True:
                self.phase = "joining"
                await self.session.ask(replace(self.session.join, role="watch"))
            case False:
                await self.leave()

    async def obey_in_game(self, line: str, state: State) -> None:
        """Send the command that a line means, or say what would be one."""
        try:
            if self.is_asked_again:
                command = words.parse_answer(line)
            elif state.outcome:
                command = words.parse_word(line)
            else:
                command = words.parse_cell(line, state)
        except words.Unclear as unclear:
            self.terminal.show(str(unclear))
            self.ask()
            return
        match command:
            case "help":
                self.terminal.show(view.HELP)
                self.ask()
            case "board":
                self.terminal.clear()
                self.terminal.show(view.lines_of(view.picture(self.now(state), self.style)))
                self.ask()
            case "computer":
                await self.order(Computer(self.session.join.options.level))
            case Rematch(accept=False):
                await self.session.send(command)
                await self.leave()
            case Sit():
                # Whoever comes back after this comes to play.
                self.session.join = replace(self.session.join, role="play")
                await self.order(command)
            case _:
                await self.order(command)

    async def order(self, command: AnyCommand) -> None:
        """Send a command, and wait for its answer before another is sent."""
        self.pending = command
        await self.session.send(command)

    async def leave(self) -> None:
        """Give the place in the room up."""
        self.phase = "left"
        await self.session.send(Leave())
