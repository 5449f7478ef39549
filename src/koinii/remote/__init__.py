"""Meeting other seats through a git remote.

Read in this order: `tree`, `commit` and `pack` (a seat's files as git objects,
all pure but for `store_pack`), `git` (the only subprocess) with `git_words` (what
is said to it and what it says) and `git_failures`, `repository` (the verbs),
`libgit` (the same where there is no git) with `libgit_child` and `remote_folder`,
`publish` (commits become objects), `reading` (fetched objects, hostile until
verified), `verify`, `applying`, `exchange`.
"""
