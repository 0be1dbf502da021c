"""This machine in its local network: the address by which other machines may reach it."""

import ipaddress
import socket

_FAR = ("192.0.2.1", 9)  # an address of documentation: nothing is sent there, it only chooses the way out


def local_address() -> str:
    """Return this machine's address in its local network, as "192.168.1.5", or "" if it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        try:
            way.connect(_FAR)
        except OSError:
            return ""
        address = way.getsockname()[0]
    return "" if ipaddress.ip_address(address).is_loopback else address
