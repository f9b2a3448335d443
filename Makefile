# Everything runs in .venv, which each target sets up as far as it needs.
PYTHON ?= python3
BIN := .venv/bin
ROOM ?=
SERVER ?=
ARGS ?=

.PHONY: play serve join test format schema picture clean

play: .venv/game ## a game against the computer, on a private server
	@$(BIN)/tictactoe-client --vs computer --local $(ARGS)

serve: .venv/game ## a server for everyone who can reach this machine
	@$(BIN)/tictactoe-server $(ARGS)

join: .venv/game ## make join ROOM=lunch SERVER=ws://192.168.1.20:8765
	@$(BIN)/tictactoe-client $(if $(ROOM),--room '$(ROOM)') $(if $(SERVER),--server '$(SERVER)') $(ARGS)

test: .venv/dev ## style, types and tests: what CI runs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest $(ARGS)

format: .venv/dev ## put the code in the project's style
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

schema: .venv/game ## write docs/protocol.schema.json anew
	$(BIN)/python -m shared.protocol > docs/protocol.schema.json

picture: .venv/dev ## play the game of the README and draw docs/game.svg of it
	$(BIN)/python -m tests.picture

clean:
	rm -rf .venv

.venv/game: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	@touch $@

.venv/dev: .venv/game
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@
