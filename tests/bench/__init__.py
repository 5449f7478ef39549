"""What things cost, beside a raw baseline in the same run: `make bench`.

Read `harness.py`, then any `figure_NN.py`.
"""
