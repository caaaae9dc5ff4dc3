"""The policy engine: plain CEL on cel-python, held to what CEL says and to a bounded amount of work.

Nothing here imports cel-python before the first expression is compiled: the import is slow.
"""
