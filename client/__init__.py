"""The client: draws what the server says and sends what the player types. Never imports server."""
