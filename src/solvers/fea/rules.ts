import { refuse } from '../../errors/refusal.ts';
import { accepts } from '../input/accepts.ts';
import { nodeOf } from '../input/schema.ts';
import { type FeaInput, schema } from './schema.ts';

type Name = keyof FeaInput;
const required: Record<FeaInput['analysis'], readonly Name[]> = {
  poisson: ['k', 'f'],
  elasticity: ['planeType', 'E', 'nu', 'thickness'],
  truss: ['nodes', 'bars'],
};

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

/** What belongs together: refuses a field that the analysis needs and lacks. */
export function checkFields(input: FeaInput): void {
  for (const name of required[input.analysis])
    if (input[name] === undefined)
      refuse('MISSING_INPUT', `${name} is required for ${input.analysis}.`, {
        field: name,
        missing: [name],
        accepts: acceptedIn(name),
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
  if (['displacement', 'stress', 'u'].includes(quantity)) need('probe', probe, quantity);
  if (quantity === 'force') need('member', member, quantity);
  if (probe && analysis !== 'truss' && probe.length !== 2)
    refuse('INVALID_INPUT', 'probe must have two coordinates.', {
      field: 'probe',
      accepts: 'two coordinates',
    });
}

function need(name: 'probe' | 'member', given: unknown, quantity: string): void {
  if (given === undefined)
    refuse('MISSING_INPUT', `${name} is required for ${quantity}.`, {
      field: name,
      accepts: acceptedIn(name),
    });
}
