"""What follows from assertions, kept up to date operation by operation.

Read `settling` first: it says the order of the steps. `reshaping` and `carrying`
move what is in force; `arriving` and `drawing` bring what is new; `replies` and
`withdrawing` take out what nothing holds; `clashes` and `labelling` decide what is
known, defeated and believed. `nodes`, `agenda` and `parts` are what they share.
"""
