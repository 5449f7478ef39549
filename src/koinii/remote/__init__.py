"""Meeting other seats through a git remote.

Read in this order: `names`, `segments` and `manifest` (the text a seat
publishes), `tree`, `commit` and `pack` (the same as git objects, all pure but
for `store_pack`), `git` (the only subprocess) with `git_words` (what is said to
it and what it says), `repository` (the verbs), `reading` (fetched objects,
hostile until verified).
"""
