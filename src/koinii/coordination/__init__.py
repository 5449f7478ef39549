"""Agents that assert, reply, dispute, vote and settle, over one base (decision 10).

Reading order: `identity`, `medium`, `local`, `acts`, `channel`, `disputes`, `marks`,
`rulings`, `adjudication`, `counts`, `stances`. Everything here is an assertion, a
retraction, a mark in `CxDisputes` or a read; the engine knows nothing of it.
"""
