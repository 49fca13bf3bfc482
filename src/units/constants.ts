import { readFileSync } from 'node:fs';
import { nearest } from '../errors/nearest.ts';
import { printable } from '../errors/printable.ts';
import { refuse } from '../errors/refusal.ts';
import { besideSource } from './data-file.ts';

/**
 * All 355 physical constants of CODATA 2022 (P. J. Mohr, D. B. Newell, B. N. Taylor, E. Tiesinga;
 * https://physics.nist.gov/constants). Values are decimal numerals as published, so that both words of a double-double
 * come from them; those that the table cuts off (`1.054 571 817…`) follow from the defining constants to 40 digits.
 */
export interface Constant {
  readonly key: string;
  readonly name: string;
  readonly value: string;
  /** The standard one; '0' where the value is exact by the definition of the SI. */
  readonly uncertainty: string;
  readonly unit: string;
}

export const edition = 'CODATA 2022';

type Row = readonly [key: string, name: string, value: string, uncertainty: string, unit: string];

function published(): Map<string, Constant> {
  const rows: readonly Row[] = JSON.parse(
    readFileSync(besideSource(import.meta.url, './codata-2022.json'), 'utf8'),
  );
  return new Map(
    rows.map(([key, name, value, uncertainty, unit]) => [key, { key, name, value, uncertainty, unit }]),
  );
}

export const constants: ReadonlyMap<string, Constant> = published();

/** @throws Refusal NOT_FOUND that names the nearest key */
export function constantOfKey(key: string): Constant {
  const found = constants.get(key);
  if (found) return found;
  const near = nearest(key, constants.keys());
  const hint = near ? `, the nearest is ${near}` : '';
  return refuse('NOT_FOUND', `No constant has the key ${printable(key)}${hint}.`, {
    accepts: 'keys of GET /api/constants',
    ...(near ? { nearest: near } : {}),
  });
}

/** As it is shown: the published numerals, the double nearest to the value, and whether the SI defines it. */
export function shownConstant({ key, name, value, uncertainty, unit }: Constant) {
  return { key, name, value: Number(value), unit, numeral: value, uncertainty, exact: uncertainty === '0' };
}
