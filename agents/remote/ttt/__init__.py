"""The five-in-a-row wire: ZeroMQ carries Protobuf messages, see `ttt.proto`; `docs/howto/ttt.md` is its page."""
