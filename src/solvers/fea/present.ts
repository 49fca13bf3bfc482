import { readDiagnostics } from '../diagnostics.ts';
import { counted, type Plot } from '../plot.ts';
import type { Field, Presentation, Verdict } from '../solver.ts';
import { meshesThatDo } from './finer.ts';
import { longestCell } from './iterations.ts';
import { limitless } from './limits.ts';
import { LINE, RUN_HEAD, RUN_LINES } from './plan.ts';
import type { Problem } from './problem.ts';
import { TRUSS_HEAD, type Truss } from './truss.ts';

/** Index of the diagnostics in the verdict's extras (assembly/verdicts/fea.ts). */
const DIAGNOSTICS_AT = 16;

/** Places of gates. */
const DISCRETISATION = 5;
const NODAL_BALANCE = 3;
/** Length over thickness beyond which a body bends so easily that rounding takes the balance of its nodes. */
const SLENDER = 100;
/** What a tol may be said to be, up to the largest that is taken. */
const TOLS = [1e-12, 1e-11, 1e-10, 1e-9];
/** Of Poisson's ratio in plane strain, beyond which a change of volume slows the iterations down. */
const STIFF_NU = 0.45;

/** Units of the field and of the samples, by analysis. */
const fieldUnit = (problem: Problem) =>
  problem.input.quantity === 'stress' ? 'Pa' : problem.d === 1 ? '1' : 'm';

export function present(problem: Problem, verdict: Verdict): Presentation {
  const [v1, v2, v4, order, scale, iterations, residual, unknowns, cells, energy] =
    verdict.extras as unknown as number[];
  const [appliedX, appliedY, reactionX, reactionY, largest] = verdict.extras.subarray(10, 15);
  const pair = (x: number | undefined, y: number | undefined) => (problem.d === 1 ? x : [x, y]);
  return {
    outputs: {
      meshes: {
        cells: problem.factors.map((f) => cells! * (f / problem.factors[0]!) * (f / problem.factors[0]!)),
        values: [v1, v2, v4],
      },
      observedOrder: order === 0 ? null : order,
      scale,
      iterations,
      residual,
      unknowns,
      cells,
      energy,
      applied: pair(appliedX, appliedY),
      reaction: pair(reactionX, reactionY),
      largest,
    },
    fields: fields(problem),
    plots: plots(problem),
    diagnostics: readDiagnostics(verdict.extras, DIAGNOSTICS_AT, {
      absentMasterEquation:
        'the probe line has no neighbours inside its patch from which to differentiate across',
      absentBalance: 'the reference basis has no balance',
    }),
  };
}

/** The probe line stands in the finest run's result, behind its head; then the samples of each patch. */
function fields(problem: Problem): Field[] {
  const { mesh, samples, d } = problem;
  const shape = [mesh.patches.length, samples, samples];
  const length = 8 * shape.reduce((a, b) => a * b, 1);
  const at = 8 * (RUN_HEAD + RUN_LINES);
  const source = (from: number, bytes: number) => ({ run: 0, of: 'result' as const, from, length: bytes });
  const names = d === 1 ? ['x', 'y', 'u', 'flux'] : ['x', 'y', 'ux', 'uy', 'vonMises'];
  const units = d === 1 ? ['m', 'm', '1', '1'] : ['m', 'm', 'm', 'm', 'Pa'];
  return [
    {
      name: 'probeLine',
      unit: fieldUnit(problem),
      shape: [LINE],
      source: source(8 * RUN_HEAD, 8 * LINE),
      sealed: false,
    },
    ...names.map((name, i) => ({
      name,
      unit: units[i]!,
      shape,
      source: source(at + i * length, length),
      sealed: false,
    })),
  ];
}

function plots({ d }: Problem): Plot[] {
  const line: Plot = {
    kind: 'line',
    title: 'along the line of the patch that passes the probe',
    x: { name: 'share of the line', unit: null, from: 0, to: 1 },
    y: ['probeLine'],
  };
  return d === 1
    ? [{ kind: 'map', title: 'u', field: 'u', x: 'x', y: 'y' }, line]
    : [{ kind: 'map', title: 'von Mises stress', field: 'vonMises', x: 'x', y: 'y' }, line];
}

export function presentTruss(truss: Truss, verdict: Verdict): Presentation {
  const [energy, , , , , , , largest, reference] = verdict.extras as unknown as number[];
  const d = truss.dimensions;
  const run = (from: number, count: number) => ({
    run: 0,
    of: 'result' as const,
    from: 8 * from,
    length: 8 * count,
  });
  const moved = truss.nodes.length * d;
  return {
    outputs: {
      energy,
      applied: [...verdict.extras.subarray(1, 1 + d)],
      reaction: [...verdict.extras.subarray(4, 4 + d)],
      largest,
      reference,
    },
    fields: [
      {
        name: 'displacement',
        unit: 'm',
        shape: [truss.nodes.length, d],
        source: run(TRUSS_HEAD, moved),
        sealed: true,
      },
      {
        name: 'axialForce',
        unit: 'N',
        shape: [truss.bars.length],
        source: run(TRUSS_HEAD + moved, truss.bars.length),
        sealed: true,
      },
    ],
    plots: [
      {
        kind: 'line',
        title: 'axial force of each bar',
        x: counted('bar', truss.bars.length),
        y: ['axialForce'],
      },
    ],
    diagnostics: readDiagnostics(verdict.extras, 9, {
      absentTerm: 'forces bar by bar have no such term',
      absentMasterEquation: 'there are fewer than three bars',
    }),
  };
}

/** The mesh that would do, or what is asked for where none does. */
const ofMeshes = (problem: Problem, times: number, isPinned: boolean): Record<string, unknown> =>
  limitless(problem, isPinned) ?? {
    field: problem.mesh.nodeCopies ? 'elements' : 'patches',
    accepts: meshesThatDo(problem, times),
  };

/** What slows the iterations down: a tol that they nearly reach, else long cells and a body that keeps its volume. */
function ofSlow({ mesh, input }: Problem, residual: number): Record<string, unknown> {
  const reached = TOLS.find((tol) => tol >= residual);
  if (reached !== undefined) return { field: 'tol', accepts: `${reached} to ${TOLS[TOLS.length - 1]}` };
  const times = Math.floor(
    mesh.patches.reduce((most, patch) => Math.max(most, longestCell(patch, mesh.extent)), 1),
  );
  const squarer = `cells nearer to squares; the longest is ${times} times as long as wide`;
  const stiff = input.planeType === 'strain' && input.nu! > STIFF_NU;
  return {
    field: mesh.nodeCopies ? 'elements' : 'patches',
    accepts: stiff ? [squarer, `nu up to ${STIFF_NU}`] : squarer,
  };
}

/** A body so long and thin that its stiffness in bending drowns in that along it. */
function ofSlender({ mesh, d }: Problem): Record<string, unknown> {
  const area = mesh.patches.reduce((sum, { points }) => sum + areaOf(points.slice(0, 4)), 0);
  const slenderness = (mesh.extent * mesh.extent) / area;
  if (d === 1 || !(slenderness > SLENDER)) return {};
  return {
    field: mesh.nodeCopies ? 'elements' : 'patches',
    reason: 'the body is so long and thin that rounding along it takes what bends it',
    accepts: `a body of at most ${SLENDER} times its thickness, or a beam`,
    slenderness,
  };
}

const areaOf = (points: readonly (readonly number[])[]): number =>
  points.reduce((sum, [x = 0, y = 0], i) => {
    const [u = 0, v = 0] = points[(i + 1) % points.length]!;
    return sum + 0.5 * (x * v - u * y);
  }, 0);

/** What an INVALID_INPUT or DID_NOT_CONVERGE of the kernel names. */
export function details(
  problem: Problem,
  status: number,
  observed: readonly number[],
): Record<string, unknown> {
  const [a = 0, b = 0, c = 0] = observed;
  if (status === 17)
    return { iterations: a, residual: b, tol: c, ...ofSlow(problem, b), ...ofSlender(problem) };
  if (status === 18 && a === NODAL_BALANCE) return ofSlender(problem);
  if (status === 18 && a === DISCRETISATION) return ofMeshes(problem, observed[4]!, observed[5] === 1);
  if (status !== 20) return {};
  const mesh = problem.mesh.nodeCopies ? 'elements' : 'patches';
  if (a === 1)
    return {
      field: `${mesh}[${b}]`,
      reason: 'the Jacobian is not positive at a Gauss point',
      accepts: 'det J > 0',
    };
  if (a === 2) return { field: 'supports', row: b, reason: 'no node lies at the point', accepts: 'a node' };
  if (a === 3) return { field: 'loads', row: b, reason: 'no node lies at the point', accepts: 'a node' };
  return { field: 'probe', reason: 'the probe lies in no patch', accepts: 'a point of the body' };
}
