import { feaExamples } from './fea/examples.ts';
import { outputs } from './fea/outputs.ts';
import { firstRound, quote, readProblem, verdictRound } from './fea/plan.ts';
import { details, present, presentTruss } from './fea/present.ts';
import { checkFields } from './fea/rules.ts';
import { type FeaInput, schema } from './fea/schema.ts';
import { readTruss, trussQuote, trussRound, trussVerdict } from './fea/truss.ts';
import type { Assumption, GateDeclaration, Solver } from './solver.ts';

const gates: readonly GateDeclaration[] = [
  {
    name: 'patch test',
    quantity: 'largest |K u − f| of a linear field on these meshes / largest single term',
    source: 'Zienkiewicz & Taylor, The Finite Element Method 1, ch. 10',
  },
  {
    name: 'loads and reactions',
    quantity: '|Σ loads + Σ reactions| / Σ of their sizes',
    source: 'equilibrium; loads summed by closed forms',
  },
  {
    name: 'energy',
    quantity: '½ uᵀKu against ½ (fᵀu + Rᵀu_c)',
    source: 'work done by loads and supports (Clapeyron)',
  },
  {
    name: 'nodal balance',
    quantity: 'K u − f on free unknowns, relative',
    source: 'equilibrium of every node',
  },
  {
    name: 'closed form',
    quantity: 'the value',
    source: 'Timoshenko & Goodier, Theory of Elasticity, art. 21; truss: bar forces by elimination',
  },
  {
    name: 'discretisation',
    quantity: 'the value',
    source:
      'Richardson extrapolation over three nested meshes (Roache 1994), with the orders of the corners (Williams 1952); of a stress, or between nodes, how far they differ',
  },
  {
    name: 'largest',
    quantity:
      'largest displacement of a truss, or of a member the largest force; every displacement and force over the largest',
    source: 'displacements and bar forces by elimination',
  },
];

function assumed(input: FeaInput): Assumption[] {
  const list: Assumption[] = [];
  if (input.analysis !== 'truss' && input.tol === undefined)
    list.push({ name: 'tol', value: 1e-12, because: 'numerical choice' });
  if (input.analysis === 'elasticity' && input.b === undefined)
    list.push({ name: 'b', value: [0, 0], unit: 'N/m^3', because: 'not in the equation' });
  if (input.loads === undefined) list.push({ name: 'loads', value: [], because: 'not in the equation' });
  if (input.patches?.some(({ grade }) => grade === undefined))
    list.push({ name: 'grade', value: [1, 1], because: 'numerical choice' });
  return list;
}

/** Whether a support gives a displacement. */
const moves = ({ ux, uy, uz }: FeaInput['supports'][number]) =>
  [ux, uy, uz].flat().some((value) => value !== undefined && value !== 0);

const drowns = [
  'loads and reactions',
  'energy',
  'nodal balance',
  'closed form',
  'largest',
] as readonly unknown[];

/** Forces of a body that its supports turn are 0, of which rounding leaves no digits. */
function ofTurn({ analysis, supports }: FeaInput, status: number, gate: string | undefined) {
  if (status !== 18 || analysis !== 'elasticity' || !drowns.includes(gate) || !supports.some(moves))
    return {};
  return {
    field: 'supports',
    reason:
      'the supports turn the body and hardly strain it; rounding takes the forces, of which a turn alone makes none',
    accepts: 'displacements less those of a rigid turn',
  };
}

/** Of a truss, whose forces are summed finely, what gates refuse is one that its supports hardly hold. */
const ofTruss = ({ analysis }: FeaInput, status: number) =>
  analysis === 'truss' && status === 18
    ? {
        field: 'bars',
        reason:
          'the truss is so nearly a mechanism, beside its stiffest bars, that rounding decides how it moves',
        accepts: ['bars whose stiffnesses EA/L lie nearer to each other', 'a bar or a support more'],
      }
    : {};

const UNDER_CONSTRAINED = 23;

/** What moves without a force; of a truss `place` is its node and direction (assembly/fem/truss.ts). */
function ofLoose({ analysis, nodes }: FeaInput, place: number) {
  if (analysis !== 'truss')
    return {
      field: 'supports',
      reason: 'the body can be shifted or turned without a strain',
      accepts: 'supports that hold a point along x and y, and another across the line between them',
    };
  const dimensions = nodes![0]!.length;
  const [node, axis] = [Math.floor(place / dimensions), ['x', 'y', 'z'][place % dimensions]!];
  return {
    field: 'supports',
    reason: `node ${node} moves along ${axis} without a force, or against less than 1e-12 of what its bars bear`,
    node,
    accepts: [`a support that holds node ${node} along ${axis}`, 'another bar between it and what is held'],
  };
}

const units: Record<FeaInput['quantity'], string> = {
  displacement: 'm',
  stress: 'Pa',
  energy: 'J',
  force: 'N',
  u: '1',
};

export const fea: Solver<FeaInput> = {
  id: 'fea',
  title: 'Finite elements',
  summary:
    'Poisson problems, plane stress and plane strain on nine-node quadrilaterals by multigrid-preconditioned conjugate gradients, and pin-jointed trusses by LDLᵀ. Three nested meshes give the value and its discretisation error.',
  equation: String.raw`-\nabla\cdot(k\nabla u)=f \qquad \nabla\cdot\boldsymbol\sigma+\mathbf b=0`,
  references: [
    'Zienkiewicz & Taylor, The Finite Element Method 1, ch. 8 and 10 (elements, patch test)',
    'Hestenes & Stiefel, J. Res. NBS 49 (1952) 409 (conjugate gradients)',
    'Trottenberg, Oosterlee & Schüller, Multigrid, ch. 2; Lottes, Numer. Linear Algebra Appl. 30 (2023) e2518 (smoother)',
    'Roache, J. Fluids Eng. 116 (1994) 405 (grid convergence index)',
    'Williams, J. Appl. Mech. 19 (1952) 526 (corners)',
    'Timoshenko & Goodier, Theory of Elasticity, art. 21 (cantilever)',
    'McGuire, Gallagher & Ziemian, Matrix Structural Analysis, ch. 3 (truss)',
  ],
  input: schema,
  gates,
  field: true,
  outputs,
  unit: (input) => (input.analysis === 'poisson' ? '1' : units[input.quantity]),
  assumed,
  quote: (input) => {
    checkFields(input);
    return input.analysis === 'truss' ? trussQuote(readTruss(input)) : quote(readProblem(input));
  },
  plan: (input) => {
    checkFields(input);
    return input.analysis === 'truss' ? trussRound(readTruss(input)) : firstRound(readProblem(input));
  },
  next: (input, finished) => {
    if (input.analysis === 'truss') return finished.length > 1 ? undefined : trussVerdict(readTruss(input));
    const problem = readProblem(input);
    return finished.length > problem.factors.length ? undefined : verdictRound(problem);
  },
  present: (input, verdict) =>
    input.analysis === 'truss'
      ? presentTruss(readTruss(input), verdict)
      : present(readProblem(input), verdict),
  refusalDetails: (input, status, observed) => ({
    ...(status === UNDER_CONSTRAINED ? ofLoose(input, observed[0]!) : {}),
    ...(input.analysis === 'truss' ? {} : details(readProblem(input), status, observed)),
    ...ofTruss(input, status),
    ...ofTurn(input, status, gates[observed[0]!]?.name),
  }),
  examples: feaExamples,
};
