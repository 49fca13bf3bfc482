"""Peer of bench/kernels/fea.ts: -Δu = 1 on the unit square with N×N nine-node elements by SciPy; u in the middle."""
import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as linalg

from rounds import serve


def system(N):
    h = 1 / N
    stiffness = np.array([[7, -8, 1], [-8, 16, -8], [1, -8, 7]]) / (3 * h)
    mass = h * np.array([[4, 2, -1], [2, 16, 2], [-1, 2, 4]]) / 30

    def assembled(element):
        first = np.repeat(2 * np.arange(N), 9)
        rows = first + np.tile(np.repeat([0, 1, 2], 3), N)
        columns = first + np.tile([0, 1, 2], 3 * N)
        return sp.csr_matrix((np.tile(element.ravel(), N), (rows, columns)), shape=(2 * N + 1, 2 * N + 1))

    K, M = assembled(stiffness)[1:-1, 1:-1], assembled(mass)[1:-1, 1:-1]
    side = np.asarray(assembled(mass).sum(axis=1)).ravel()[1:-1]
    return sp.kron(K, M) + sp.kron(M, K), np.kron(side, side)


def direct(N):
    A, b = system(N)
    x = linalg.spsolve(A.tocsc(), b)
    return x[len(x) // 2]


def gradients(N):
    A, b = system(N)
    x, _ = linalg.cg(A.tocsr(), b, rtol=1e-12, atol=0, maxiter=100000)
    return x[len(x) // 2]


serve(direct, gradients)
