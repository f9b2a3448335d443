"""The server: rooms, the hub that runs them, and the sockets into it. Never imports client."""
