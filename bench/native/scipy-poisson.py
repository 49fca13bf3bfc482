"""Peer of bench/kernels/fea.ts: -Δu = 1 on the unit square with N×N nine-node elements by SciPy.

Prints one line of JSON: seconds of processor time of its sparse direct solver and of its conjugate gradients (null
where not asked for), unknowns, and u in the middle by each. Usage: scipy-poisson.py N [direct] [cg]
"""
import json
import sys
import time

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as linalg

N = int(sys.argv[1])
h = 1 / N
stiffness = np.array([[7, -8, 1], [-8, 16, -8], [1, -8, 7]]) / (3 * h)
mass = h * np.array([[4, 2, -1], [2, 16, 2], [-1, 2, 4]]) / 30


def assembled(element):
    first = np.repeat(2 * np.arange(N), 9)
    rows = first + np.tile(np.repeat([0, 1, 2], 3), N)
    columns = first + np.tile([0, 1, 2], 3 * N)
    return sp.csr_matrix((np.tile(element.ravel(), N), (rows, columns)), shape=(2 * N + 1, 2 * N + 1))


K, M = assembled(stiffness)[1:-1, 1:-1], assembled(mass)[1:-1, 1:-1]
A = (sp.kron(K, M) + sp.kron(M, K)).tocsr()
side = np.asarray(assembled(mass).sum(axis=1)).ravel()[1:-1]
b = np.kron(side, side)


def timed(solve):
    start = time.process_time()
    x = solve()
    return time.process_time() - start, float(x[len(x) // 2])


answer = {"unknowns": A.shape[0], "direct": None, "cg": None}
if "direct" in sys.argv:
    columns = A.tocsc()
    answer["direct"], answer["directValue"] = timed(lambda: linalg.spsolve(columns, b))
if "cg" in sys.argv:
    answer["cg"], answer["cgValue"] = timed(lambda: linalg.cg(A, b, rtol=1e-12, atol=0, maxiter=100000)[0])
print(json.dumps(answer))
