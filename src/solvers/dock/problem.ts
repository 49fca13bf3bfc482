import { refuse } from '../../errors/refusal.ts';
import { knownEnergy, largestKnown } from './known.ts';
import { type DockInput, type Molecule, rules } from './schema.ts';

/** Six numbers an atom, as assembly/dock/rigid.ts has them. */
export interface DockProblem {
  readonly mode: 'dock';
  readonly vina: boolean;
  readonly rule: number;
  /** k_e/ε_r [kJ·Å/(mol·e²)], 0 without charges. */
  readonly coulomb: number;
  readonly receptor: readonly number[];
  readonly ligand: readonly number[];
  readonly center: readonly number[];
  readonly size: readonly number[];
  /** A length of the interaction [Å]. */
  readonly reach: number;
}

export interface ClusterProblem {
  readonly mode: 'cluster';
  readonly potential: 'lj' | 'morse';
  readonly N: number;
  readonly rho: number;
}

/** e²/4πε₀ · N_A (CODATA 2022). */
export const COULOMB = 1389.35458;
export const ATOM = 6;

const invalid = (field: string, reason: string, accepts: unknown): never =>
  refuse('INVALID_INPUT', `${field}: ${reason}.`, { field, accepts });

function demand(input: object, names: readonly string[], prefix = ''): void {
  const missing = names.filter((name) => input[name as never] === undefined).map((name) => prefix + name);
  if (missing.length === 0) return;
  refuse('MISSING_INPUT', `dock lacks ${missing.join(', ')}.`, {
    field: missing[0]!,
    missing,
    accepts: names,
  });
}

/** What the schema cannot say: the fields of the mode and of the scoring. */
export function readProblem(input: DockInput): DockProblem | ClusterProblem {
  if (input.torsions !== undefined)
    refuse('UNSUPPORTED', 'dock places a rigid ligand: it turns no bonds.', {
      field: 'torsions',
      accepts: 'a run for each conformer, without torsions',
    });
  return input.mode === 'cluster' ? readCluster(input) : readDock(input);
}

function readCluster(input: DockInput): ClusterProblem {
  demand(input, ['N', 'potential']);
  const { N, potential, rho } = input;
  if (potential === 'morse') demand(input, ['rho']);
  checkKnown(potential!, N!, rho ?? 0);
  return { mode: 'cluster', N: N!, potential: potential!, rho: rho ?? 0 };
}

/**
 * Two searches that agree may both have missed the lowest cluster: at ρ = 10 both end 0.16 % above that of 21 atoms, at 14
 * 0.05 % above that of 18, whose minima are more the shorter the range. Beyond these only a table says what is the lowest.
 */
const mostWithoutTable = (rho: number) => (rho <= 10 ? 20 : 13);

function checkKnown(potential: 'lj' | 'morse', N: number, rho: number): void {
  const most = rho === 6 ? largestKnown : mostWithoutTable(rho);
  if (N <= most || knownEnergy(potential, N, rho)) return;
  const why = `no table has the lowest cluster of ${N} atoms for rho = ${rho}, and two searches that agree do not prove it`;
  refuse('LIMIT_EXCEEDED', `N: ${why}.`, {
    field: 'N',
    measured: N,
    bound: most,
    accepts: `N up to ${most}${rho === 6 ? '' : `, or rho = 6 with N up to ${largestKnown}`}`,
  });
}

function readDock(input: DockInput): DockProblem {
  demand(input, ['scoring', 'receptor', 'ligand', 'box']);
  const { scoring, combination, epsR, box } = input;
  const [receptor, ligand] = [input.receptor!, input.ligand!];
  const vina = scoring === 'vina';
  const charged = receptor.q !== undefined || ligand.q !== undefined;
  if (!vina) {
    demand(input, ['combination']);
    if (charged) demand(input, ['epsR']);
    else if (epsR !== undefined) invalid('epsR', 'there are no charges', 'q of receptor and ligand');
    if (charged)
      for (const [name, body] of [
        ['receptor', receptor],
        ['ligand', ligand],
      ] as const)
        demand(body, ['q'], `${name}.`);
  }
  const atoms = [atomsOf('receptor', receptor, vina), atomsOf('ligand', ligand, vina)] as const;
  if (charged) refuseBareCharges(atoms);
  const sizes = atoms[0].filter((_, i) => i % ATOM === 3);
  return {
    mode: 'dock',
    vina,
    rule: vina ? 0 : rules.indexOf(combination!),
    coulomb: charged ? COULOMB / epsR! : 0,
    receptor: atoms[0],
    ligand: atoms[1],
    center: box!.center,
    size: box!.size,
    reach: vina ? 3.5 : sizes.reduce((sum, each) => sum + each, 0) / sizes.length,
  };
}

/** Opposite charges without a well have no repulsion either: their energy falls without end as they meet. */
function refuseBareCharges(bodies: readonly [readonly number[], readonly number[]]): void {
  const charges = (body: readonly number[], sign: number, bare: boolean) =>
    body.some((q, i) => i % ATOM === 5 && sign * q > 0 && (!bare || body[i - 1] === 0));
  const names = ['receptor', 'ligand'] as const;
  for (const [k, name] of names.entries())
    for (const sign of [1, -1])
      if (charges(bodies[k]!, sign, true) && charges(bodies[1 - k]!, -sign, false))
        invalid(
          `${name}.epsilon`,
          'a charged atom of 0 meets an opposite charge without repulsion, and E has no lowest value',
          'above 0 for every charged atom',
        );
}

// ---- atoms ---------------------------------------------------------------------------------------------

function atomsOf(name: string, body: Molecule, vina: boolean): number[] {
  const needs = vina ? (['type'] as const) : (['sigma', 'epsilon'] as const);
  demand(body, needs, `${name}.`);
  const others = vina ? (['sigma', 'epsilon', 'q'] as const) : (['type'] as const);
  const other = others.find((field) => body[field] !== undefined);
  if (other) invalid(`${name}.${other}`, `scoring ${vina ? 'vina' : 'lj'} has none`, needs);
  const flat = (body.position as readonly unknown[]).flat() as number[];
  const count = flat.length / 3;
  const columns = vina
    ? vinaColumns(name, body, count)
    : [
        columnOf(`${name}.sigma`, body.sigma!, count),
        columnOf(`${name}.epsilon`, body.epsilon!, count),
        columnOf(`${name}.q`, body.q ?? 0, count),
      ];
  return Array.from({ length: count }, (_, i) => [
    ...flat.slice(3 * i, 3 * i + 3),
    ...columns.map((column) => column[i]!),
  ]).flat();
}

function columnOf(field: string, value: number | readonly number[], count: number): readonly number[] {
  if (typeof value === 'number') return new Array<number>(count).fill(value);
  if (value.length !== count)
    invalid(field, `it has ${value.length} numbers for ${count} atoms`, `${count} numbers`);
  return value;
}

const radii: Record<string, number> = {
  C: 1.9,
  N: 1.8,
  O: 1.7,
  S: 2,
  P: 2.1,
  F: 1.5,
  Cl: 1.8,
  Br: 2,
  I: 2.2,
  Met: 1.2,
};
const kinds: Record<string, number> = { H: 1, P: 0, D: 2, A: 4, DA: 6 };

/** Radius, and 1 hydrophobic + 2 donor + 4 acceptor (X-Score's types: Wang et al., J. Comput.-Aided Mol. Des. 16 (2002) 11). */
function vinaColumns(name: string, { type }: Molecule, count: number): readonly (readonly number[])[] {
  if (type!.length !== count)
    invalid(`${name}.type`, `it has ${type!.length} types for ${count} atoms`, `${count} types`);
  const parts = type!.map((each) => each.split('_') as [string, string]);
  return [
    parts.map(([element]) => radii[element]!),
    parts.map(([, kind]) => kinds[kind]!),
    parts.map(() => 0),
  ];
}
