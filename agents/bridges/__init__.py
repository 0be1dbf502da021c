"""Games in the forms of other people's environments for language models; each module needs its library."""
