import pc from 'picocolors';
import { type Answer, blobDigest, outputsOf } from '../proof/answer.ts';
import { doublesOf } from '../proof/bytes.ts';
import { NOT_KNOWN } from '../solvers/outputs.ts';
import type { Plot } from '../solvers/plot.ts';
import type { Assumption } from '../solvers/solver.ts';
import { coreTime, inert } from './output.ts';
import { type PlottedField, plotText } from './plot.ts';

type BlobAtHand = (digest: string) => Uint8Array | undefined;

/**
 * An answer for a person: value, gates, plots, charge and where it is sealed.
 * @throws RangeError for what a node gave as an answer and is none
 */
export function answerText(sent: Answer, blob: BlobAtHand): string {
  try {
    return textOf(sent, blob);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new RangeError('what was given as an answer has not the form of one.', { cause: error });
  }
}

function textOf(sent: Answer, blob: BlobAtHand): string {
  const answer = inert(sent);
  const fields = answer.fields.flatMap((field): PlottedField[] => {
    const digest = blobDigest(field.values);
    if (digest === undefined) return [{ ...field, values: field.values as readonly number[] }];
    const bytes = blob(digest);
    return bytes ? [{ ...field, values: [...doublesOf(bytes)] }] : [];
  });
  const plots = (answer.plots as readonly Plot[]).flatMap((plot) => plotText(plot, fields) ?? []);
  return [
    `${pc.bold(`${answer.value}${unitText(answer.unit)}`)}`,
    '',
    ...gateLines(answer),
    ...outputLines(answer),
    ...assumedLines(answer),
    ...plots.flatMap((text) => ['', text]),
    '',
    ...sealLines(answer),
    ...answer.warnings.map((warning) => pc.yellow(warning)),
  ].join('\n');
}

const unitText = (unit: string | null): string => (unit === null || unit === '1' ? '' : ` ${unit}`);

function gateLines({ gates }: Answer): string[] {
  return gates.map(({ name, kind, relError, bound }) => {
    return `  ${pc.green('held')} ${name} (${kind}): error ${relError.toExponential(1)}, bound ${bound}`;
  });
}

/** Of answers of releases before 0.7.0 nothing is known here. */
function unitsByName(answer: Answer): ReadonlyMap<string, string> {
  const { units = {} } = answer as { readonly units?: Readonly<Record<string, readonly string[]>> };
  return new Map(
    Object.entries(units).flatMap(([unit, names]) =>
      unit === NOT_KNOWN ? [] : names.map((name) => [name, unit] as const),
    ),
  );
}

/** Named numbers and words; long structures are in the file. */
function outputLines(answer: Answer): string[] {
  const simple = outputsOf(answer).filter(([, value]) => value === null || typeof value !== 'object');
  const units = unitsByName(answer);
  const open = new Set(answer.unsealed);
  return simple.map(([name, value]) => {
    const held = open.has(`/${name}`) ? pc.dim(' (no gate holds it)') : '';
    return `  ${name}: ${value}${unitText(units.get(name) ?? null)}${held}`;
  });
}

/** What nobody gave: constants, defaults, numerical choices. */
function assumedLines(answer: Answer): string[] {
  return (answer.assumed as readonly Assumption[]).map(({ name, value, unit, because }) => {
    const shown = typeof value === 'object' ? JSON.stringify(value) : value;
    return pc.dim(`  assumed ${name} = ${shown}${unitText(unit ?? null)}: ${because}`);
  });
}

function sealLines({ envelope, receipt, charges }: Answer): string[] {
  if (!envelope) return [pc.yellow('not sealed')];
  const { from_bond_plancks, from_fuel_plancks, price_plancks } = charges;
  return [
    `charged ${price_plancks} plancks (${coreTime(price_plancks)} of the reference core): ` +
      `${from_bond_plancks} from the bond, ${from_fuel_plancks} from fuel`,
    `sealed by ${envelope.node} at tick ${envelope.tick} as leaf ${receipt.log.index} of its log`,
    pc.dim(`job root ${envelope.jobRoot}`),
  ];
}
