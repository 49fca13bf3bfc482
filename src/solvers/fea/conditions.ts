import { refuse } from '../../errors/refusal.ts';
import type { Mesh } from './mesh.ts';
import { type FeaInput, type LoadInput, type SupportInput, sides, type Where } from './schema.ts';

/** Where a support or load acts, as the kernel takes it: [kind, patch, side or node, x, y]. */
type Target = readonly [kind: number, patch: number, part: number, x: number, y: number];
const SIDE = 0;
const NODE = 1;
const POINT = 2;

function targets(mesh: Mesh, on: Where, field: string): Target[] {
  if (on === 'outer') return outerSides(mesh);
  if ('patch' in on)
    return [sideTarget(mesh, on.patch, on.side, `${field}.patch`, mesh.nodeCopies === undefined)];
  if ('element' in on)
    return [sideTarget(mesh, on.element, on.side, `${field}.element`, mesh.nodeCopies !== undefined)];
  if ('node' in on) return [nodeTarget(mesh, on.node, `${field}.node`)];
  if ('nodes' in on) return on.nodes.map((node, i) => nodeTarget(mesh, node, `${field}.nodes[${i}]`));
  return [pointTarget(on.point, `${field}.point`)];
}

function outerSides(mesh: Mesh): Target[] {
  return mesh.patches.flatMap(({ neighbours }, patch) =>
    neighbours.flatMap((code, side): Target[] => (code < 0 ? [[SIDE, patch, side, 0, 0]] : [])),
  );
}

function sideTarget(
  mesh: Mesh,
  index: number,
  side: (typeof sides)[number],
  field: string,
  fits: boolean,
): Target {
  if (!fits || index >= mesh.patches.length)
    refuse('INVALID_INPUT', `${field} names none of the mesh.`, {
      field,
      accepts: fits
        ? `0 to ${mesh.patches.length - 1}`
        : mesh.nodeCopies
          ? '{element, side}'
          : '{patch, side}',
    });
  return [SIDE, index, sides.indexOf(side), 0, 0];
}

function nodeTarget(mesh: Mesh, node: number, field: string): Target {
  const copy = mesh.nodeCopies?.get(node);
  if (!copy)
    refuse('INVALID_INPUT', `${field}: node ${node} belongs to no element.`, {
      field,
      accepts: mesh.nodeCopies ? 'a node of an element' : '{point} or {patch, side} with patches',
    });
  return [NODE, copy[0], copy[1], 0, 0];
}

function pointTarget(point: readonly number[], field: string): Target {
  if (point.length !== 2) refuse('INVALID_INPUT', `${field} must have two coordinates.`, { field });
  return [POINT, 0, 0, point[0]!, point[1]!];
}

const padded = (values: readonly number[], length: number) =>
  Array.from({ length }, (_, i) => values[i] ?? 0);
const coefficients = (value: number | readonly number[]) => (typeof value === 'number' ? [value] : value);

/** Rows of 24 numbers (assembly/fem/problem.ts). */
export function supportRows(input: FeaInput, mesh: Mesh): number[][] {
  return input.supports.flatMap((support, i) => {
    const field = `supports[${i}]`;
    const values = prescribed(input, support, field);
    return targets(mesh, support.on, `${field}.on`).map((target) => {
      if (target[0] !== SIDE && values.some((v) => v !== undefined && v.length > 1))
        refuse('INVALID_INPUT', `${field}: coefficients in ξ need a side.`, { field, accepts: 'a number' });
      const row = values.flatMap((v) => [v?.length ?? 0, ...padded(v ?? [], 8)]);
      return padded([...target, ...row], 24);
    });
  });
}

/** Coefficients per unknown; undefined where it is free. */
function prescribed(input: FeaInput, support: SupportInput, field: string) {
  const poisson = input.analysis === 'poisson';
  const wrong = poisson ? (['ux', 'uy', 'uz'] as const) : (['u', 'uz'] as const);
  const given = wrong.find((name) => support[name] !== undefined);
  if (given)
    refuse('INVALID_INPUT', `${field}.${given} has no meaning in ${input.analysis}.`, {
      field: `${field}.${given}`,
      accepts: poisson ? 'u' : 'ux, uy',
    });
  const values = poisson ? [support.u] : [support.ux, support.uy];
  if (values.every((v) => v === undefined))
    refuse('MISSING_INPUT', `${field} prescribes nothing.`, { field, accepts: poisson ? 'u' : 'ux, uy' });
  return values.map((v) => (v === undefined ? undefined : coefficients(v)));
}

const loadKinds = ['traction', 'total', 'force', 'pressure', 'flux'] as const;
const TRACTION = 0;
const TOTAL = 1;
const FORCE = 2;
const PRESSURE = 3;

/** Rows of 16 numbers (assembly/fem/problem.ts). */
export function loadRows(input: FeaInput, mesh: Mesh): number[][] {
  return (input.loads ?? []).flatMap((load, i) => {
    const field = `loads[${i}]`;
    const kind = loadKind(load, field);
    refuseKind(input, kind, load, field);
    const [type, x, y] = loadNumbers(load, kind);
    return targets(mesh, load.on, `${field}.on`).map((target) => {
      if ((target[0] === SIDE) === (kind === 'force'))
        refuse('INVALID_INPUT', `${field}.${kind} does not act there.`, {
          field: `${field}.on`,
          accepts: kind === 'force' ? '{node}, {nodes} or {point}' : 'a side or outer',
        });
      return padded([...target, type, ...padded(x, 3), ...padded(y, 3)], 16);
    });
  });
}

export function loadKind(load: LoadInput, field: string): (typeof loadKinds)[number] {
  const kinds = loadKinds.filter((name) => load[name] !== undefined);
  if (kinds.length !== 1)
    refuse(kinds.length ? 'INVALID_INPUT' : 'MISSING_INPUT', `${field} must give one kind of load.`, {
      field,
      accepts: `one of ${loadKinds.join(', ')}`,
    });
  return kinds[0]!;
}

function refuseKind(input: FeaInput, kind: string, load: LoadInput, field: string): void {
  if ((input.analysis === 'poisson') !== (kind === 'flux'))
    refuse('INVALID_INPUT', `${field}.${kind} has no meaning in ${input.analysis}.`, {
      field: `${field}.${kind}`,
      accepts: input.analysis === 'poisson' ? 'flux' : 'traction, total, force, pressure',
    });
  if (kind === 'total' && load.on === 'outer')
    refuse('INVALID_INPUT', `${field}.total needs one side.`, { field: `${field}.on`, accepts: 'a side' });
  if (kind === 'force' && load.force!.length !== 2)
    refuse('INVALID_INPUT', `${field}.force must have two components.`, { field: `${field}.force` });
}

function loadNumbers(
  load: LoadInput,
  kind: (typeof loadKinds)[number],
): [number, readonly number[], readonly number[]] {
  if (kind === 'pressure') return [PRESSURE, [load.pressure!], []];
  if (kind === 'flux') return [TRACTION, coefficients(load.flux!), []];
  if (kind === 'traction')
    return [TRACTION, coefficients(load.traction![0]!), coefficients(load.traction![1]!)];
  const vector = kind === 'total' ? load.total! : load.force!;
  return [kind === 'total' ? TOTAL : FORCE, [vector[0]!], [vector[1]!]];
}
