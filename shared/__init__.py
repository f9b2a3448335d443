"""What server and client both know: the rules, the wire and the names. Imports neither."""
