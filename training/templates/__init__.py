"""Templates of `kozyr new-game`: files in which `$name` and `$title` are filled in.

A file is named kind-place-name.tmpl. Kind: `cards`, `board`, or `any` for both; place: `top`, `game` or `tests`, the
folder it is written into.
"""
