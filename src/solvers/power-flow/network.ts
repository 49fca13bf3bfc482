import { ieee9, ieee9flat } from './cases/ieee9.ts';
import { ieee14 } from './cases/ieee14.ts';
import { ieee30 } from './cases/ieee30.ts';
import { ieee30uw } from './cases/ieee30uw.ts';
import type { CaseTable } from './cases/table.ts';

export interface Bus {
  readonly bus: number;
  readonly type: 1 | 2 | 3 | 4;
  readonly Pd: number;
  readonly Qd: number;
  readonly Gs?: number;
  readonly Bs?: number;
  readonly Vm?: number;
  readonly Va?: number;
  readonly baseKV?: number;
}

export interface Generator {
  readonly bus: number;
  readonly Pg: number;
  readonly Qg?: number;
  readonly Qmax?: number;
  readonly Qmin?: number;
  readonly Vg: number;
  readonly status?: 0 | 1;
}

export interface Branch {
  readonly fbus: number;
  readonly tbus: number;
  readonly r: number;
  readonly x: number;
  readonly b: number;
  readonly ratio?: number;
  readonly angle?: number;
  readonly status?: 0 | 1;
}

export interface Network {
  readonly baseMVA: number;
  readonly buses: readonly Bus[];
  readonly generators: readonly Generator[];
  readonly branches: readonly Branch[];
}

export const caseTables = { ieee9, ieee9flat, ieee14, ieee30, ieee30uw } as const;
export type CaseName = keyof typeof caseTables;
export const caseNames = Object.keys(caseTables) as CaseName[];

export function networkOf(name: CaseName): Network {
  const { baseMVA, buses, generators, branches }: CaseTable = caseTables[name];
  return {
    baseMVA,
    buses: buses.map(([bus, type, Pd, Qd, Gs, Bs, baseKV]) => ({ bus, type, Pd, Qd, Gs, Bs, baseKV }) as Bus),
    generators: generators.map(
      ([bus, Pg, Qg, Qmax, Qmin, Vg]) => ({ bus, Pg, Qg, Qmax, Qmin, Vg }) as Generator,
    ),
    branches: branches.map(
      ([fbus, tbus, r, x, b, ratio, angle]) => ({ fbus, tbus, r, x, b, ratio, angle }) as Branch,
    ),
  };
}
