"""QR codes of addresses, for phones that scan a link in place of typing it."""

import io

import segno

LONGEST = 300  # characters of an address
_BORDER = 4  # modules of white around it, which the standard asks for


def svg(address: str) -> bytes:
    """Return the QR code of an address as an SVG file without scripts and styles.

    Args:
        address: 1 to LONGEST characters.

    Raises:
        ValueError: for an empty text, and one that is too long.
    """
    if not 0 < len(address) <= LONGEST:
        raise ValueError(f"an address has 1 to {LONGEST} characters")
    out = io.BytesIO()
    segno.make_qr(address, error="m").save(
        out, kind="svg", border=_BORDER, xmldecl=False, svgclass=None, lineclass=None, light="#fff", omitsize=True
    )
    return out.getvalue()
