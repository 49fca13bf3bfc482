import { refuse } from '../../errors/refusal.ts';
import { accepts } from '../input/accepts.ts';
import { nodeOf } from '../input/schema.ts';
import { type FeaInput, schema } from './schema.ts';

type Name = keyof FeaInput;
const rules: Record<FeaInput['analysis'], { required: readonly Name[]; optional: readonly Name[] }> = {
  poisson: { required: ['k', 'f'], optional: ['tol', 'patches', 'nodes', 'elements'] },
  elasticity: {
    required: ['planeType', 'E', 'nu', 'thickness'],
    optional: ['b', 'tol', 'patches', 'nodes', 'elements'],
  },
  truss: { required: ['nodes', 'bars'], optional: [] },
};
const always: readonly Name[] = ['analysis', 'supports', 'loads', 'quantity', 'component', 'probe', 'member'];

const asked: Record<FeaInput['analysis'], readonly FeaInput['quantity'][]> = {
  poisson: ['u', 'energy'],
  elasticity: ['displacement', 'stress', 'energy'],
  truss: ['displacement', 'energy', 'force'],
};
const parts: Partial<Record<FeaInput['quantity'], readonly string[]>> = {
  displacement: ['x', 'y', 'z'],
  stress: ['xx', 'yy', 'xy', 'vonMises'],
};

const acceptedIn = (name: Name) => accepts(nodeOf(schema).properties![name]!);

/** What belongs together: refuses a field that the analysis needs and lacks, or has and does not know. */
export function checkFields(input: FeaInput): void {
  const { required, optional } = rules[input.analysis];
  for (const name of required)
    if (input[name] === undefined)
      refuse('MISSING_INPUT', `${name} is required for ${input.analysis}.`, {
        field: name,
        missing: [name],
        accepts: acceptedIn(name),
      });
  const known = new Set<string>([...required, ...optional, ...always]);
  for (const name of Object.keys(input))
    if (!known.has(name))
      refuse('INVALID_INPUT', `${name} has no meaning in ${input.analysis}.`, {
        field: name,
        accepts: [...known],
      });
  checkMesh(input);
  checkQuantity(input);
}

function checkMesh(input: FeaInput): void {
  if (input.analysis === 'truss') return;
  const { patches, nodes, elements } = input;
  if (patches ? nodes !== undefined || elements !== undefined : !nodes || !elements)
    refuse(
      patches ? 'INVALID_INPUT' : 'MISSING_INPUT',
      'The mesh is either patches, or nodes and elements.',
      {
        field: patches ? (nodes ? 'nodes' : 'elements') : nodes ? 'elements' : 'patches',
        accepts: 'patches, or nodes and elements',
      },
    );
  // Locking: at ν → ½ plane strain the element cannot keep its volume and bend (solid mechanics, not arithmetic).
  if (input.planeType === 'strain' && !(input.nu! < 0.49))
    refuse('INVALID_INPUT', 'nu must be below 0.49 in plane strain, where the element would lock.', {
      field: 'nu',
      accepts: 'a number from 0 to below 0.49',
    });
}

function checkQuantity(input: FeaInput): void {
  const { analysis, quantity, component, probe, member } = input;
  if (!asked[analysis].includes(quantity))
    refuse('INVALID_INPUT', `quantity ${quantity} has no meaning in ${analysis}.`, {
      field: 'quantity',
      accepts: asked[analysis],
    });
  const words = parts[quantity];
  if (words && component === undefined)
    refuse('MISSING_INPUT', `component is required for ${quantity}.`, { field: 'component', accepts: words });
  const fits = words?.filter((word) => word !== 'z' || analysis === 'truss');
  if (component !== undefined && !fits?.includes(component))
    refuse('INVALID_INPUT', `component ${component} has no meaning for ${quantity}.`, {
      field: 'component',
      accepts: fits ?? 'none',
    });
  need('probe', probe !== undefined, ['displacement', 'stress', 'u'].includes(quantity), quantity);
  need('member', member !== undefined, quantity === 'force', quantity);
  if (probe && analysis !== 'truss' && probe.length !== 2)
    refuse('INVALID_INPUT', 'probe must have two coordinates.', {
      field: 'probe',
      accepts: 'two coordinates',
    });
}

function need(name: 'probe' | 'member', given: boolean, needed: boolean, quantity: string): void {
  if (needed && !given)
    refuse('MISSING_INPUT', `${name} is required for ${quantity}.`, {
      field: name,
      accepts: acceptedIn(name),
    });
  if (!needed && given)
    refuse('INVALID_INPUT', `${name} has no meaning for ${quantity}.`, { field: name, accepts: 'nothing' });
}
