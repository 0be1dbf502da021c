from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MemberType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PLAYER: _ClassVar[MemberType]
    OBSERVER: _ClassVar[MemberType]

class Sign(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    X: _ClassVar[Sign]
    O: _ClassVar[Sign]
    NONE: _ClassVar[Sign]

class JoinRejectReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    NAME_TAKEN: _ClassVar[JoinRejectReason]
    WRONG_PASSWORD: _ClassVar[JoinRejectReason]
    GAME_IN_PROGRESS: _ClassVar[JoinRejectReason]
    MALFORMED_MESSAGE: _ClassVar[JoinRejectReason]

class ClientResponseType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    READY: _ClassVar[ClientResponseType]
    DISCONNECT: _ClassVar[ClientResponseType]

class DqReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OUT_OF_FIELD: _ClassVar[DqReason]
    OUT_OF_ORDER: _ClassVar[DqReason]
    PLACE_OCCUPIED: _ClassVar[DqReason]
PLAYER: MemberType
OBSERVER: MemberType
X: Sign
O: Sign
NONE: Sign
NAME_TAKEN: JoinRejectReason
WRONG_PASSWORD: JoinRejectReason
GAME_IN_PROGRESS: JoinRejectReason
MALFORMED_MESSAGE: JoinRejectReason
READY: ClientResponseType
DISCONNECT: ClientResponseType
OUT_OF_FIELD: DqReason
OUT_OF_ORDER: DqReason
PLACE_OCCUPIED: DqReason

class JoinRequest(_message.Message):
    __slots__ = ("join_type", "name", "password")
    JOIN_TYPE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PASSWORD_FIELD_NUMBER: _ClassVar[int]
    join_type: MemberType
    name: str
    password: str
    def __init__(self, join_type: _Optional[_Union[MemberType, str]] = ..., name: _Optional[str] = ..., password: _Optional[str] = ...) -> None: ...

class JoinResponse(_message.Message):
    __slots__ = ("accepted", "rejected")
    ACCEPTED_FIELD_NUMBER: _ClassVar[int]
    REJECTED_FIELD_NUMBER: _ClassVar[int]
    accepted: JoinAccepted
    rejected: JoinRejected
    def __init__(self, accepted: _Optional[_Union[JoinAccepted, _Mapping]] = ..., rejected: _Optional[_Union[JoinRejected, _Mapping]] = ...) -> None: ...

class JoinAccepted(_message.Message):
    __slots__ = ("token", "timelimit_ms")
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    TIMELIMIT_MS_FIELD_NUMBER: _ClassVar[int]
    token: str
    timelimit_ms: int
    def __init__(self, token: _Optional[str] = ..., timelimit_ms: _Optional[int] = ...) -> None: ...

class JoinRejected(_message.Message):
    __slots__ = ("reason",)
    REASON_FIELD_NUMBER: _ClassVar[int]
    reason: JoinRejectReason
    def __init__(self, reason: _Optional[_Union[JoinRejectReason, str]] = ...) -> None: ...

class ClientResponse(_message.Message):
    __slots__ = ("type", "move_x", "move_y")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    MOVE_X_FIELD_NUMBER: _ClassVar[int]
    MOVE_Y_FIELD_NUMBER: _ClassVar[int]
    type: ClientResponseType
    move_x: int
    move_y: int
    def __init__(self, type: _Optional[_Union[ClientResponseType, str]] = ..., move_x: _Optional[int] = ..., move_y: _Optional[int] = ...) -> None: ...

class Update(_message.Message):
    __slots__ = ("event", "move_request", "new_game", "ping_update", "server_closed")
    EVENT_FIELD_NUMBER: _ClassVar[int]
    MOVE_REQUEST_FIELD_NUMBER: _ClassVar[int]
    NEW_GAME_FIELD_NUMBER: _ClassVar[int]
    PING_UPDATE_FIELD_NUMBER: _ClassVar[int]
    SERVER_CLOSED_FIELD_NUMBER: _ClassVar[int]
    event: Event
    move_request: bool
    new_game: NewGameUpdate
    ping_update: bool
    server_closed: bool
    def __init__(self, event: _Optional[_Union[Event, _Mapping]] = ..., move_request: _Optional[bool] = ..., new_game: _Optional[_Union[NewGameUpdate, _Mapping]] = ..., ping_update: _Optional[bool] = ..., server_closed: _Optional[bool] = ...) -> None: ...

class NewGameUpdate(_message.Message):
    __slots__ = ("options", "sign")
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    SIGN_FIELD_NUMBER: _ClassVar[int]
    options: GameOptions
    sign: Sign
    def __init__(self, options: _Optional[_Union[GameOptions, _Mapping]] = ..., sign: _Optional[_Union[Sign, str]] = ...) -> None: ...

class GameOptions(_message.Message):
    __slots__ = ("rows", "cols", "win_length", "max_moves")
    ROWS_FIELD_NUMBER: _ClassVar[int]
    COLS_FIELD_NUMBER: _ClassVar[int]
    WIN_LENGTH_FIELD_NUMBER: _ClassVar[int]
    MAX_MOVES_FIELD_NUMBER: _ClassVar[int]
    rows: int
    cols: int
    win_length: int
    max_moves: int
    def __init__(self, rows: _Optional[int] = ..., cols: _Optional[int] = ..., win_length: _Optional[int] = ..., max_moves: _Optional[int] = ...) -> None: ...

class Event(_message.Message):
    __slots__ = ("seq_no", "game_started", "player_joined", "move", "win", "draw", "dq")
    SEQ_NO_FIELD_NUMBER: _ClassVar[int]
    GAME_STARTED_FIELD_NUMBER: _ClassVar[int]
    PLAYER_JOINED_FIELD_NUMBER: _ClassVar[int]
    MOVE_FIELD_NUMBER: _ClassVar[int]
    WIN_FIELD_NUMBER: _ClassVar[int]
    DRAW_FIELD_NUMBER: _ClassVar[int]
    DQ_FIELD_NUMBER: _ClassVar[int]
    seq_no: int
    game_started: GameStartedEvent
    player_joined: PlayerJoinedEvent
    move: MoveEvent
    win: WinEvent
    draw: DrawEvent
    dq: DqEvent
    def __init__(self, seq_no: _Optional[int] = ..., game_started: _Optional[_Union[GameStartedEvent, _Mapping]] = ..., player_joined: _Optional[_Union[PlayerJoinedEvent, _Mapping]] = ..., move: _Optional[_Union[MoveEvent, _Mapping]] = ..., win: _Optional[_Union[WinEvent, _Mapping]] = ..., draw: _Optional[_Union[DrawEvent, _Mapping]] = ..., dq: _Optional[_Union[DqEvent, _Mapping]] = ...) -> None: ...

class Point(_message.Message):
    __slots__ = ("x", "y")
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    x: int
    y: int
    def __init__(self, x: _Optional[int] = ..., y: _Optional[int] = ...) -> None: ...

class GameStartedEvent(_message.Message):
    __slots__ = ("obstacles",)
    OBSTACLES_FIELD_NUMBER: _ClassVar[int]
    obstacles: _containers.RepeatedCompositeFieldContainer[Point]
    def __init__(self, obstacles: _Optional[_Iterable[_Union[Point, _Mapping]]] = ...) -> None: ...

class PlayerJoinedEvent(_message.Message):
    __slots__ = ("sign", "name")
    SIGN_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    sign: Sign
    name: str
    def __init__(self, sign: _Optional[_Union[Sign, str]] = ..., name: _Optional[str] = ...) -> None: ...

class MoveEvent(_message.Message):
    __slots__ = ("sign", "x", "y")
    SIGN_FIELD_NUMBER: _ClassVar[int]
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    sign: Sign
    x: int
    y: int
    def __init__(self, sign: _Optional[_Union[Sign, str]] = ..., x: _Optional[int] = ..., y: _Optional[int] = ...) -> None: ...

class WinEvent(_message.Message):
    __slots__ = ("sign",)
    SIGN_FIELD_NUMBER: _ClassVar[int]
    sign: Sign
    def __init__(self, sign: _Optional[_Union[Sign, str]] = ...) -> None: ...

class DrawEvent(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class DqEvent(_message.Message):
    __slots__ = ("sign", "reason")
    SIGN_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    sign: Sign
    reason: DqReason
    def __init__(self, sign: _Optional[_Union[Sign, str]] = ..., reason: _Optional[_Union[DqReason, str]] = ...) -> None: ...
