import { spawnSync } from 'node:child_process';
import { type Figure, quick, type Row } from '../figure.ts';
import { median } from '../timing.ts';

// operators: the registry of a fresh process → load time and memory, against what is asked for. The search's index and
// the operators themselves are made at first use and counted apart. Time is that of the processor, for one thread does
// it all and other work on the machine does not count.

const STARTS = quick ? 1 : 9;
const GOAL_MS = 150;
const module = (name: string) => new URL(`../../src/operators/${name}.js`, import.meta.url).href;

/** What a process of its own measures and prints. */
const program = `
  const { registry, operator } = await import(${JSON.stringify(module('registry'))});
  const { operatorSearch } = await import(${JSON.stringify(module('search'))});
  const held = () => { gc(); const { heapUsed, arrayBuffers } = process.memoryUsage(); return heapUsed + arrayBuffers; };
  const timed = async (work) => {
    const before = held();
    const start = process.cpuUsage();
    const kept = await work();
    const { user, system } = process.cpuUsage(start);
    const ms = (user + system) / 1000;
    return { ms, bytes: held() - before, kept };
  };
  const load = await timed(() => registry());
  const ids = [...load.kept.rows.values()].filter((row) => row.expression).map((row) => row.id);
  const search = await timed(() => operatorSearch());
  const compiled = await timed(() => ids.map(operator));
  const only = ({ ms, bytes }) => ({ ms, bytes });
  console.log(JSON.stringify({ rows: load.kept.rows.size, load: only(load), search: only(search), compiled: only(compiled) }));
`;

interface Cost {
  readonly ms: number;
  readonly bytes: number;
}
interface Start {
  readonly rows: number;
  readonly load: Cost;
  readonly search: Cost;
  readonly compiled: Cost;
}

function start(): Start {
  const args = ['--expose-gc', '--input-type=module', '--eval', program];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

export const figure: Figure = {
  title: 'operators: the registry in a fresh process → load time and memory, against what is asked for',
  run(): Promise<Row[]> {
    const starts = Array.from({ length: STARTS }, start);
    const of = (part: 'load' | 'search' | 'compiled', what: keyof Cost) =>
      median(starts.map((each) => each[part][what]));
    const ms = of('load', 'ms');
    const many = `${starts[0]!.rows} operators`;
    const memory = (figure: string, part: 'load' | 'search' | 'compiled', note: string): Row => ({
      ...{ figure, value: of(part, 'bytes') / 2 ** 20, unit: 'MiB' },
      note: `${note}, ${Math.round(of(part, 'ms'))} ms`,
    });
    return Promise.resolve([
      {
        ...{ figure: `registry: load ${many}`, value: ms, unit: 'ms', against: 'asked for', peer: GOAL_MS },
        ...{ ratio: ms / GOAL_MS, goal: '≤ 1 of it', met: ms <= GOAL_MS },
      },
      memory('registry: memory of its rows', 'load', 'heap and buffers after a collection'),
      memory('registry: memory of the search', 'search', 'made at the first search, a few rows at a time'),
      memory('registry: memory of all of them compiled', 'compiled', 'made one by one at first use'),
    ]);
  },
};
